#include "cuda/multilevel_layout.h"

#include <bit>

namespace selvage::cuda {

namespace {

int as_bits(float value) {
    return std::bit_cast<int>(value);
}
/// A column of the host, which counts floats.
int row_of(int column) {
    return column / kColumnStep;
}
/// The entry that a place among the host's numbers belongs to.
int entry_of(int place) {
    constexpr int kBlockFloats = 9 * selvage::kSliceRows;
    return place / kBlockFloats * selvage::kSliceRows + place % kBlockFloats;
}

} // namespace

std::vector<int2> HostLevels::ties_of(const SlicedTies& ties) {
    std::vector<int2> out(ties.column.size());
    for (std::size_t e = 0; e < out.size(); ++e)
        out[e] = {row_of(ties.column[e]), as_bits(ties.value[e / selvage::kSliceRows].value[e % selvage::kSliceRows])};
    return out;
}

HostLevels::HostLevels(const BlockMultigrid& multigrid)
    : far_start_(multigrid.far_.start), far_(ties_of(multigrid.far_)) {
    base_count_ = multigrid.far_base_.size();
    const auto weighted = [](const std::vector<int>& item, const std::vector<float>& weight) {
        std::vector<int2> out(item.size());
        for (std::size_t k = 0; k < item.size(); ++k)
            out[k] = {item[k], as_bits(weight[k])};
        return out;
    };
    for (const BlockMultigrid::Level& from : multigrid.levels_) {
        Level& to = levels_.emplace_back();
        to.rows = from.matrix.row_count();
        to.entries = from.matrix.column.size();
        to.start = from.matrix.start;
        for (const int column : from.matrix.column)
            to.column.push_back(row_of(column));
        for (const BlockSlot& slot : from.slot)
            to.slot.push_back({entry_of(slot.place), entry_of(slot.mirror)});
        to.source_start = from.source_start;
        for (const BlockSource& source : from.source)
            to.source.push_back({entry_of(source.place), as_bits(source.weight)});
        to.parent_start = from.parent_start;
        to.parent = weighted(from.parent, from.parent_weight);
        to.child_start = from.child_start;
        to.child = weighted(from.child, from.child_weight);
    }
}

void HostLevels::lay_out(DeviceMemory& memory, LevelViews& views) const {
    views.count = count();
    for (int l = 0; l < count(); ++l) {
        const Level& from = levels_[l];
        LevelView& to = views.level[l];
        const std::size_t rows = padded(from.rows);
        to.rows = from.rows;
        to.start = memory.copy(from.start);
        to.column = memory.copy(from.column);
        to.block = memory.take<float4>(3 * from.entries);
        to.inverse = memory.take<float4>(2 * rows);
        to.entries = static_cast<int>(from.entries);
        to.weight_count = static_cast<int>(from.parent.size());
        SELVAGE_ASSERT(from.parent.size() == from.child.size());
        to.slot_count = static_cast<int>(from.slot.size());
        to.slot = memory.copy(from.slot);
        to.source = {memory.copy(from.source_start), memory.copy(from.source)};
        to.parent = {memory.copy(from.parent_start), memory.copy(from.parent)};
        to.child = {memory.copy(from.child_start), memory.copy(from.child)};
        if (l > 0) to.b = memory.take<float4>(rows);
        to.x = memory.take<float4>(rows);
        to.r = memory.take<float4>(rows);
        to.out = memory.take<float4>(rows);
    }
    views.level[0].far = {memory.copy(far_start_), memory.copy(far_)};
    if (count() > 1) views.level[1].base = memory.take<float>(base_count_);
}

HostSheet::HostSheet(const ClothModel& model, const SheetSystem& system, const SlicedMatrix& matrix)
    : rows_(model.vertex_count()), parts_(static_cast<int>(model.parts.size())), damped_(system.damped_),
      compression_(static_cast<float>(system.compression_)), bend_(HostLevels::ties_of(system.bend_)),
      bend_start_(system.bend_.start), far_sum_(system.far_sum_.begin(), system.far_sum_.end()) {
    SELVAGE_ASSERT(system.corner_.size() + matrix.slice_count() == matrix.block.size());
    take_triangles(system);
    take_slots(system);
    take_springs(model, system);
    take_hinges(system);
    take_vertices(model, system);
}

void HostSheet::take_triangles(const SheetSystem& system) {
    for (const SheetSystem::TriangleBatch& batch : system.batch_)
        for (int k = 0; k < SheetSystem::kLanes; ++k) {
            corner_.push_back({batch.vertex[0][k], batch.vertex[1][k], batch.vertex[2][k], batch.part});
            weight_.push_back({batch.u1[k], batch.v1[k], batch.u2[k], batch.v2[k]});
            stretch_.push_back({batch.stretch_u[k], batch.stretch_v[k], batch.shear[k], 0.0F});
        }
}

void HostSheet::take_slots(const SheetSystem& system) {
    for (std::size_t s = 0; s < system.corner_.size(); ++s) {
        const SheetSystem::CornerSlot& slot = system.corner_[s];
        for (int lane = 0; lane < selvage::kSliceRows; ++lane) {
            slot_weight_.push_back({slot.ub[lane], slot.vb[lane], slot.uc[lane], slot.vc[lane]});
            unsigned record = static_cast<unsigned>(slot.record[lane] / SheetSystem::kRecordStep);
            if (system.closes_[s] >> lane & 1U) record |= 0x80000000U;
            slot_element_.push_back({std::bit_cast<int>(record), as_bits(slot.bend[lane])});
        }
    }
}

void HostSheet::take_springs(const ClothModel& model, const SheetSystem& system) {
    for (const SheetSystem::OwnSpring& own : system.springs_) {
        spring_.push_back({own.a, own.b, own.part, 0});
        spring_law_.push_back({model.springs[own.spring].rest_length, model.springs[own.spring].stiffness});
    }
}

void HostSheet::take_hinges(const SheetSystem& system) {
    for (const SheetSystem::HingeBatch& batch : system.hinge_batch_)
        for (int k = 0; k < SheetSystem::kHingeLanes; ++k) {
            hinge_.push_back({batch.vertex[0][k], batch.vertex[1][k], batch.vertex[2][k], batch.vertex[3][k]});
            hinge_law_.push_back({batch.stiffness[k], batch.rest_angle[k], static_cast<double>(batch.part[k]), 0.0});
            hinge_most_.push_back({batch.most[0][k], batch.most[1][k], batch.most[2][k], batch.most[3][k]});
        }
    hinge_end_start_ = system.curved_ends_.start;
    for (const int end : system.curved_ends_.items)
        hinge_end_.push_back({end, 0});
}

void HostSheet::take_vertices(const ClothModel& model, const SheetSystem& system) {
    for (const int v : system.order()) {
        mass_.push_back(static_cast<float>(model.mass[v]));
        area_.push_back(model.area[v]);
        for (const int t : model.vertex_triangles[v]) {
            const Triangle& corners = model.mesh.triangles[t];
            const int a = corners[0] == v ? 0 : corners[1] == v ? 1 : 2;
            fan_.push_back({system.place()[corners[(a + 1) % 3]], system.place()[corners[(a + 2) % 3]]});
        }
        fan_start_.push_back(static_cast<int>(fan_.size()));
    }
}

void HostSheet::lay_out(DeviceMemory& memory, SheetView& view) const {
    view.rows = rows_;
    view.part_count = parts_;
    view.triangle_count = static_cast<int>(corner_.size());
    view.spring_count = static_cast<int>(spring_.size());
    view.hinge_count = static_cast<int>(hinge_.size());
    view.compression = compression_;
    view.damped = damped_;
    view.corner = memory.copy(corner_);
    view.weight = memory.copy(weight_);
    view.stretch = memory.copy(stretch_);
    view.record = memory.take<float4>(3 * (corner_.size() + spring_.size() + 1));
    view.slot_weight = memory.copy(slot_weight_);
    view.slot_element = memory.copy(slot_element_);
    view.spring = memory.copy(spring_);
    view.spring_law = memory.copy(spring_law_);
    view.hinge = memory.copy(hinge_);
    view.hinge_law = memory.copy(hinge_law_);
    view.hinge_most = memory.copy(hinge_most_);
    view.hinge_force = memory.take<float4>(4 * hinge_.size());
    view.hinge_end = {memory.copy(hinge_end_start_), memory.copy(hinge_end_)};
    if (damped_) {
        view.before = memory.take<float4>(corner_.size());
        view.spring_before = memory.take<float4>(spring_.size());
        view.hinge_before = memory.take<double>(hinge_.size());
    }
    view.far_sum = memory.copy(far_sum_);
    view.bend = {memory.copy(bend_start_), memory.copy(bend_)};
    view.bend_force = memory.take<float4>(padded(rows_));
    view.mass = memory.copy(mass_);
    view.area = memory.copy(area_);
    view.fan_start = memory.copy(fan_start_);
    view.fan = memory.copy(fan_);
}

} // namespace selvage::cuda
