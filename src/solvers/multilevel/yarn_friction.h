#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "geometry/topology.h"
#include "model/cloth_state.h"
#include "model/sheet.h"
#include "solvers/multilevel/block_multigrid.h"

namespace selvage {

/// Friction of bending (bend_friction.h) on a mesh. The curvature at a point is that of the hinges of which it is one of
/// the four corners,
///   k = 1/area sum over hinges of angle length/4 n n^T,    n across the hinge's edge,
/// the fabric's for cylinders of any direction on the average. Folds that alternate from cell to cell cancel, and meet
/// little friction. The step is backward Euler: with d the change of k since its start,
///   m = (m0 + K d) / (1 + K |d| / H),
/// which takes more work than it stores at any step: m . d >= (|m|^2 - |m0|^2) / (2 K).
/// Forces are m : dk/dx, with the exact derivatives of the angles, so they turn and push no piece as a whole.
class YarnFriction {
public:
    YarnFriction() = default;
    /// `place`: the point of each vertex, of `padded` points.
    YarnFriction(const Sheet& sheet, std::span<const int> place, int padded);

    bool is_present() const { return !batch_.empty(); }
    /// Takes what the yarns remember on to the shape `x`, where the small step starts. `order`: the vertex of each point.
    void start_small_step(ThreadPool& pool, const Points& x, std::span<const int> order, std::span<YarnMemory> memory);
    /// Adds the forces in the shape `x` to the rows of points that are not held.
    void add_forces(ThreadPool& pool, const Points& x, std::span<const std::uint8_t> is_held,
                    std::span<Floats4> residual);
    double energy(std::span<const YarnMemory> memory, std::span<const int> order) const; ///< Stored by it [J].
    std::size_t bytes() const;

private:
    static constexpr int kLanes = 4;
    struct Batch { // four hinges; lanes beyond the last are points and fold by nothing
        int vertex[4][kLanes];
        double most[4][kLanes]; // of the slopes
    };
    struct Point {
        float per_area = 0.0F, stick = 0.0F, per_slip = 0.0F, area = 0.0F;
    };

    void measure(const Points& x, int begin, int end);
    void measure_with_slopes(const Points& x, int begin, int end);
    Floats4 curvature_at(int point) const;

    std::vector<Batch> batch_;
    std::vector<Floats4> share_; // of each hinge: length/4 n n^T, scaled: warp, weft, root of 2 times the mixed
    std::vector<Point> point_;
    IndexLists corners_at_; // of each point: 4 * hinge + corner
    std::vector<float> angle_, pull_;
    std::vector<std::array<Floats4, 4>> slope_;
    std::vector<Floats4> start_moment_, start_curvature_, moment_;
};

} // namespace selvage
