// Scene files. What is read is written and read again: the second text must be the first.

#include <cstdlib>

#include "scene/scene_io.h"
#include "scene/scene_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace selvage;
    const std::string text(reinterpret_cast<const char*>(data), size);
    // Fabrics and pictures are files: none but the built-in ones are to be opened.
    if (text.find("/dev") != std::string::npos || text.find("/proc") != std::string::npos) return 0;
    Result<JsonDocument> document = parse_json(text, "fuzz.json");
    if (!document) return 0;
    const Result<SceneDesc> scene = parse_scene(std::move(*document), "/nonexistent");
    if (!scene) {
        if (scene.error().message.empty()) std::abort();
        return 0;
    }
    const std::string written = scene_json(*scene).dump();
    Result<JsonDocument> again = parse_json(written, "again.json");
    if (!again) std::abort();
    const Result<SceneDesc> copy = parse_scene(std::move(*again), "/nonexistent");
    if (!copy || scene_json(*copy).dump() != written) std::abort();
    return 0;
}
