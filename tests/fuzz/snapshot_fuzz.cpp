// Snapshots of a world, restored from mutated bytes. Restoring fails and changes nothing, or the world goes on.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <selvage/selvage.h>

namespace {

struct SmallWorld {
    selvage_world world = 0;
    selvage_cloth cloth = 0;
    std::vector<unsigned char> sound;

    SmallWorld() {
        selvage_world_desc desc = selvage_world_desc_default();
        desc.substeps = 1;
        desc.threads = 1;
        selvage_cloth_desc sheet = selvage_cloth_desc_default();
        sheet.generator = SELVAGE_GENERATOR_GRID;
        sheet.size[0] = sheet.size[1] = 0.3;
        sheet.resolution[0] = sheet.resolution[1] = 3;
        sheet.pin_groups = "left";
        size_t size = 0;
        if (selvage_world_create(&desc, &world) != SELVAGE_OK ||
            selvage_cloth_create(world, &sheet, &cloth) != SELVAGE_OK ||
            selvage_world_snapshot_size(world, &size) != SELVAGE_OK)
            std::abort();
        sound.resize(size);
        if (selvage_world_snapshot(world, sound.data(), size, &size) != SELVAGE_OK) std::abort();
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static SmallWorld small;
    // The bytes are laid over a sound snapshot, or only the header would ever be tried; the first says from where on.
    std::vector<unsigned char> bytes = small.sound;
    if (size == 0) return 0;
    const std::size_t begin = bytes.size() * data[0] / 256;
    for (std::size_t i = 1; i < size && begin + i - 1 < bytes.size(); ++i)
        bytes[begin + i - 1] ^= data[i];
    if (size > 2 && data[1] == 0xff) bytes.resize(bytes.size() * data[2] / 256);
    if (selvage_world_restore(small.world, bytes.data(), bytes.size()) == SELVAGE_OK) {
        selvage_world_step(small.world);
        const double* x = nullptr;
        size_t count = 0;
        if (selvage_cloth_positions(small.cloth, &x, &count) != SELVAGE_OK) std::abort();
        for (size_t k = 0; k < 3 * count; ++k)
            if (!std::isfinite(x[k])) std::abort();
    } else if (selvage_last_error()[0] == '\0') {
        std::abort();
    }
    if (selvage_world_restore(small.world, small.sound.data(), small.sound.size()) != SELVAGE_OK) std::abort();
    return 0;
}
