// Checkpoints. A check sum and the hash of the scene guard them; both are put right here, or no mutation would pass.

#include <cstdlib>
#include <cstring>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"
#include "sim/checkpoint.h"

namespace {

selvage::Simulation& simulation() {
    static selvage::Result<selvage::Simulation> sim = [] {
        selvage::Result<selvage::JsonDocument> document = selvage::parse_json(
            R"({"substeps": 1, "cloths": [{"mesh": {"grid": {"vertices": [3,3]}}, "pins": [{"corner": "top-left"}]}]})",
            "fuzz.json");
        return selvage::Simulation::make(*selvage::parse_scene(std::move(*document), ""), 1);
    }();
    return *sim;
}

/// A checkpoint of the simulation as it is made here.
const std::string& sound_checkpoint() {
    static const std::string content = [] {
        const std::filesystem::path path =
            std::filesystem::temp_directory_path() / ("selvage-fuzz-checkpoint-" + std::to_string(std::rand()));
        if (!selvage::save_checkpoint(path, simulation(), {0.0, {0.1, 0.2}, {1, -1}, {0.1, 0.2}})) std::abort();
        std::string bytes = *selvage::read_file(path);
        std::filesystem::remove(path);
        return bytes;
    }();
    return content;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string content(reinterpret_cast<const char*>(data), size);
    const std::string& sound = sound_checkpoint();
    constexpr std::size_t kSceneHash = 16, kHeader = 72;
    if (size >= kHeader + 8) {
        content.replace(0, kSceneHash + 8, sound, 0, kSceneHash + 8);
        const std::uint64_t check = selvage::hash_bytes(content.data(), size - 8);
        std::memcpy(content.data() + size - 8, &check, 8);
    }
    selvage::Simulation& sim = simulation();
    const selvage::Result<selvage::RunHistory> history = selvage::parse_checkpoint(content, "fuzz", sim);
    if (!history) return 0;
    sim.step_frame(); // whatever state it was: no crash, and a divergence is found
    if (!sim.divergence())
        for (const selvage::Vec3& p : sim.state().position)
            if (!selvage::is_finite(p)) std::abort();
    if (!selvage::parse_checkpoint(sound, "sound", sim)) std::abort();
    return 0;
}
