#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/simd.h"
#include "model/cloth_model.h"

namespace selvage {

/// Points of a cloth while a step of xpbd runs, in the solver's own order. Single precision is enough because a point is
/// given by its displacement since the start of the step, millimetres rather than metres, and relative to a frame that
/// moves with its piece of cloth.
struct SmallStepPoints {
    std::vector<Vec3> frame;           ///< Displacement of the point's frame in the step [m].
    std::vector<Floats4> displacement; ///< Since the start of the step [m]; last lane: inverse mass over the mean one.
    std::vector<Floats4> before;       ///< The same where the small step started.
    std::vector<Floats4> velocity;     ///< [m/s]; last lane 0.
    std::vector<Floats4> added;        ///< Velocity that a small step adds by gravity and air [m/s]; last lane 0.
    std::vector<float> kept;           ///< Fraction of the velocity that drag leaves over a small step.
};

/// The springs as length constraints, in an order that is projected eight at a time and by several threads: points lie in
/// blocks of neighbours, each with the links inside it; links between blocks come after those. Within a block links of
/// one colour share no point.
class LinkBlocks {
public:
    static constexpr int kBatch = 8;
    /// Eight links. One stream of memory, read once per small step.
    struct alignas(32) Batch {
        int a[kBatch], b[kBatch];
        float rest[kBatch];    // [m]
        float factor[kBatch];  // 1 / (w_a + w_b + 1/(k h^2)), in units of the mean inverse mass; 0: nothing to do
        float edge[3][kBatch]; // from a to b where the step starts [m]
    };
    /// What damping needs of eight links: the fraction that a small step takes of the rate of stretch, and of all relative
    /// velocity, over w_a + w_b.
    struct alignas(32) Damping {
        float axial[kBatch], relative[kBatch];
    };

    explicit LinkBlocks(const ClothModel& model);

    int block_count() const { return static_cast<int>(block_start_.size()) - 1; }
    int point_begin(int block) const { return block * block_size_; }
    int point_end(int block) const { return block + 1 < block_count() ? (block + 1) * block_size_ : padded_count_; }
    /// Of the solver's order: vertices, then fillers up to a multiple of eight, then points that only empty links use.
    int point_count() const { return point_count_; }
    int padded_count() const { return padded_count_; }
    std::span<const int> order() const { return order_; } ///< The vertex of each point.
    std::span<const int> place() const { return place_; } ///< The point of each vertex.

    /// Factors for small steps of h seconds; `inverse_mass` per point, over `mean_mass` [kg].
    void fit(ThreadPool& pool, double h, double mean_mass, std::span<const float> inverse_mass);
    /// Where the step starts; positions in the vertices' order.
    void start(ThreadPool& pool, std::span<const Vec3> position);

    void project_inside(int block, Floats4* displacement) const;
    void project_between(ThreadPool& pool, Floats4* displacement) const;
    /// Damping along the springs of the points' velocities; likewise inside blocks first.
    void damp_inside(int block, const Floats4* displacement, Floats4* velocity) const;
    void damp_between(ThreadPool& pool, const Floats4* displacement, Floats4* velocity) const;
    bool is_damped() const { return is_damped_; }

    std::size_t bytes() const;

private:
    void set_blocks(const ClothModel& model);
    void add_links(std::span<const int> springs, const ClothModel& model, int filler);
    template <class Project>
    void for_each_group(ThreadPool& pool, const Project& project) const;

    const ClothModel& model_;
    int block_size_ = 0, padded_count_ = 0, point_count_ = 0;
    std::vector<int> order_, place_;
    std::vector<Batch> batches_;
    std::vector<Damping> damping_; // of each batch; empty when nothing is damped
    std::vector<int> link_spring_; // -1: empty
    std::vector<int> block_start_; // batches of each block
    std::vector<int> group_start_; // batches between a block and the next one, or beyond that; see for_each_group
    std::vector<SpringDamping> spring_damping_;
    bool is_damped_ = false;
};

} // namespace selvage
