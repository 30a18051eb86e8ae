#pragma once

#include <cstdint>
#include <vector>

#include "cuda/memory.h"
#include "cuda/spring_kernels.h"
#include "model/cloth_model.h"

namespace selvage::cuda {

/// Springs cut into patches of neighbouring vertices, each for one block of threads; see PatchView. Patches that look alike
/// are stored once: a regular grid has a few kinds. Sums go by the springs of a vertex in the model's order, so results do
/// not depend on where patches end.
class HostPatches {
public:
    /// Patches of at most `own` vertices, fewer where `rings` rings around them do not fit a block.
    HostPatches(const ClothModel& model, int rings, int own);
    /// Whether all fit. Else there is nothing to lay out.
    bool fits() const { return fits_; }
    void lay_out(DeviceMemory& memory, PatchView& view) const;

private:
    struct Kind { // of patches: vertices by their distance from the first, springs by their places in the patch
        std::vector<int> vertex;
        std::vector<std::uint32_t> other, law;
        int own = 0, worked = 0, slots = 0;
        bool operator==(const Kind&) const = default;
    };

    bool cut(const ClothModel& model, int own);
    bool add_patch(const ClothModel& model, const std::vector<int>& own);
    void fill_springs(const ClothModel& model, const std::vector<int>& vertices, Kind& kind) const;
    int find_kind(Kind kind);

    std::vector<std::uint32_t> law_of_; // of each spring
    std::vector<float2> law_;
    std::vector<Kind> kinds_;
    std::vector<std::vector<int>> kinds_by_hash_;
    std::vector<int2> patch_; // first vertex, kind
    std::vector<int> place_;  // scratch: of each vertex in the patch; -1: not in it
    int rings_;
    bool fits_ = false;
};

} // namespace selvage::cuda
