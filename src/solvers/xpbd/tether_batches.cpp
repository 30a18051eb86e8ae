#include "solvers/xpbd/tether_batches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace selvage {

namespace {

/// How many times its length the tethers of a part may be. The strain at the top of a hanging strip is density g length /
/// stiffness; the same for all tethers of a cloth, since near a pinned corner little cloth carries much.
double allowed_stretch(const ClothPart& part, double longest, double gravity, double slack) {
    const double stiffness = std::min(part.material.stretch_warp, part.material.stretch_weft);
    const double weight = part.material.density * gravity * longest;
    return 1.0 + (stiffness > 0.0 ? slack * weight / stiffness : 1e30);
}

/// The tethers of points [8 first, 8 end).
template <bool kMoving>
SELVAGE_INLINE void pull_back(const TetherBatches::Batch* batches, const TetherBatches::Motion* motion,
                              const int* start, int first, int end, float fraction, Floats4* displacement) {
    Floats8 one, zero;
    fill(1.0F, one);
    fill(0.0F, zero);
    for (int group = first; group < end; ++group) {
        if (start[group] == start[group + 1]) continue;
        int index[8];
        for (int k = 0; k < 8; ++k)
            index[k] = 8 * group + k;
        Points8 p;
        gather(displacement, index, p);
        for (int n = start[group]; n < start[group + 1]; ++n) {
            Floats8 ux, uy, uz, reach, length;
            load(batches[n].edge[0], ux);
            load(batches[n].edge[1], uy);
            load(batches[n].edge[2], uz);
            load(batches[n].reach, reach);
            ux += p.x, uy += p.y, uz += p.z;
            if constexpr (kMoving) {
                Floats8 mx, my, mz;
                load(motion[n].of_held[0], mx);
                load(motion[n].of_held[1], my);
                load(motion[n].of_held[2], mz);
                ux -= fraction * mx, uy -= fraction * my, uz -= fraction * mz;
            }
            const Floats8 squared = ux * ux + uy * uy + uz * uz;
            if (lane_bits(squared > reach * reach) == 0) continue;
            take_root(squared, length);
            const Floats8 back = SELVAGE_SELECT(squared > reach * reach, one - reach / length, zero);
            p.x -= back * ux, p.y -= back * uy, p.z -= back * uz;
        }
        scatter(p, index, displacement);
    }
}
SELVAGE_WIDE void pull_back_to_moving(const TetherBatches::Batch* batches, const TetherBatches::Motion* motion,
                                      const int* start, int first, int end, float fraction, Floats4* displacement) {
    pull_back<true>(batches, motion, start, first, end, fraction, displacement);
}
SELVAGE_WIDE void pull_back_to_still(const TetherBatches::Batch* batches, const int* start, int first, int end,
                                     Floats4* displacement) {
    pull_back<false>(batches, nullptr, start, first, end, 0.0F, displacement);
}

} // namespace

void TetherBatches::fit(const ClothModel& model, std::span<const int> order, const StepInput& input, double slack) {
    tethers_.update(model, input.is_held);
    batches_.clear();
    anchor_.clear();
    start_.assign(1, 0);
    // Without gravity nothing hangs, and a tether would only keep springs from oscillating.
    if (!tethers_.any() || input.gravity == Vec3{}) return;
    stretch_.clear();
    for (std::size_t part = 0; part < model.parts.size(); ++part)
        stretch_.push_back(static_cast<float>(
            allowed_stretch(model.parts[part], tethers_.longest(part), length(input.gravity), slack)));
    part_of_.resize(order.size());
    for (std::size_t part = 0; part < model.parts.size(); ++part)
        for (int i = 0; i < model.parts[part].vertex_count; ++i)
            part_of_[model.parts[part].vertex_begin + i] = static_cast<int>(part);
    held_motion_.assign(order.size(), {});
    for (std::size_t first = 0; first < order.size(); first += kBatch) {
        const auto count = static_cast<int>(std::min<std::size_t>(kBatch, order.size() - first));
        for (int slot = 0; slot < Tethers::kMost; ++slot) {
            Batch batch{};
            std::array<int, kBatch> anchors{};
            bool is_used = false;
            for (int k = 0; k < kBatch; ++k) {
                batch.reach[k] = std::numeric_limits<float>::infinity();
                anchors[k] = -1;
                if (k >= count) continue;
                const int v = order[first + static_cast<std::size_t>(k)];
                const Tethers::Tether& tether = tethers_.of(v)[slot];
                if (input.is_held[v] || tether.anchor < 0) continue;
                batch.reach[k] = stretch_[part_of_[v]] * tether.reach;
                anchors[k] = tether.anchor;
                is_used = true;
            }
            if (!is_used) continue;
            batches_.push_back(batch);
            anchor_.push_back(anchors);
        }
        start_.push_back(static_cast<int>(batches_.size()));
    }
    motion_.resize(batches_.size());
}

void TetherBatches::start(ThreadPool& pool, std::span<const int> order, std::span<const Vec3> position,
                          const StepInput& input) {
    if (!any()) return;
    is_moving_ = false;
    for (const HeldPoint& held : input.held) {
        held_motion_[held.vertex] = held.target - position[held.vertex];
        is_moving_ = is_moving_ || held_motion_[held.vertex] != Vec3{};
    }
    pool.for_each(static_cast<int>(start_.size()) - 1, [&](int group) {
        for (int n = start_[group]; n < start_[group + 1]; ++n)
            for (int k = 0; k < kBatch; ++k) {
                const int anchor = anchor_[n][k];
                const Vec3 edge =
                    anchor < 0 ? Vec3{}
                               : position[order[static_cast<std::size_t>(group) * kBatch + k]] - position[anchor];
                const Vec3 motion = anchor < 0 ? Vec3{} : held_motion_[anchor];
                batches_[n].edge[0][k] = static_cast<float>(edge.x);
                batches_[n].edge[1][k] = static_cast<float>(edge.y);
                batches_[n].edge[2][k] = static_cast<float>(edge.z);
                motion_[n].of_held[0][k] = static_cast<float>(motion.x);
                motion_[n].of_held[1][k] = static_cast<float>(motion.y);
                motion_[n].of_held[2][k] = static_cast<float>(motion.z);
            }
    });
}

void TetherBatches::project(int begin, int end, float fraction, Floats4* displacement) const {
    if (is_moving_)
        pull_back_to_moving(batches_.data(), motion_.data(), start_.data(), begin / kBatch, end / kBatch, fraction,
                            displacement);
    else
        pull_back_to_still(batches_.data(), start_.data(), begin / kBatch, end / kBatch, displacement);
}

std::size_t TetherBatches::bytes() const {
    return batches_.size() * (sizeof(Batch) + sizeof(Motion) + sizeof(anchor_[0])) + start_.size() * sizeof(int) +
           held_motion_.size() * sizeof(Vec3);
}

} // namespace selvage
