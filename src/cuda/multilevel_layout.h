#pragma once

#include <vector>

#include "cuda/memory.h"
#include "cuda/multilevel_kernels.h"
#include "model/cloth_model.h"
#include "solvers/multilevel/block_multigrid.h"
#include "solvers/multilevel/sheet_system.h"

namespace selvage::cuda {

/// The host's hierarchy in the device's layout; arrays wait here until the memory is there.
class HostLevels {
public:
    explicit HostLevels(const BlockMultigrid& multigrid);
    int count() const { return static_cast<int>(levels_.size()); }
    void lay_out(DeviceMemory& memory, LevelViews& views) const;
    static std::vector<int2> ties_of(const SlicedTies& ties);
    /// What far ties give the entries of level 1.
    static const std::vector<float>& far_base(const BlockMultigrid& multigrid) { return multigrid.far_base_; }

private:
    struct Level {
        int rows = 0;
        std::size_t entries = 0;
        std::vector<int> start, column, source_start, parent_start, child_start;
        std::vector<int2> slot, source, parent, child;
    };
    std::vector<Level> levels_;
    std::vector<int> far_start_;
    std::vector<int2> far_;
    std::size_t base_count_ = 0;
};

/// The host's elements and rows in the device's layout.
class HostSheet {
public:
    HostSheet(const ClothModel& model, const SheetSystem& system, const SlicedMatrix& matrix);
    void lay_out(DeviceMemory& memory, SheetView& view) const;
    static bool has_elastic(const SheetSystem& system) { return !system.elastic_.empty(); }

private:
    void take_triangles(const SheetSystem& system);
    void take_slots(const SheetSystem& system);
    void take_springs(const ClothModel& model, const SheetSystem& system);
    void take_hinges(const SheetSystem& system);
    void take_vertices(const ClothModel& model, const SheetSystem& system);

    int rows_ = 0, parts_ = 0;
    bool damped_ = false;
    float compression_ = 0.0F;
    std::vector<int4> corner_, spring_, hinge_;
    std::vector<Double4> weight_, hinge_law_, hinge_most_;
    std::vector<float4> stretch_, slot_weight_;
    std::vector<int2> slot_element_, bend_, fan_, hinge_end_;
    std::vector<float2> spring_law_;
    std::vector<int> bend_start_, fan_start_{0}, hinge_end_start_;
    std::vector<float> far_sum_, mass_, area_;
};

} // namespace selvage::cuda
