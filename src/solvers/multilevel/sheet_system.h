#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/large_pages.h"
#include "base/thread_pool.h"
#include "math/block.h"
#include "model/sheet.h"
#include "model/solver.h"
#include "solvers/multilevel/block_multigrid.h"
#include "solvers/multilevel/yarn_friction.h"

namespace selvage {

namespace cuda {
class HostSheet; // the same system on a device
}

/// The inertial term of a small step: m/(2 h^2) |x - y|^2 for every point.
struct Inertia {
    Points y;                 ///< Where the point would go without its neighbours [m].
    std::vector<double> mass; ///< With what drag adds to it [kg].
};

/// The elastic forces of a cloth and their derivative, as a system of blocks for one linearisation:
///   A = m/h^2 + d2E/dx2 (without its negative parts),   r = m/h^2 (y - x) - dE/dx.
/// Elements are evaluated eight at a time; then each row gathers from the elements around its point, eight rows at a
/// time. Points have numbers of their own here, so that neighbours lie near each other in memory: order() and place()
/// translate. All vectors over points are in this order and padded to whole slices, with zeros.
class SheetSystem {
public:
    /// `springs`: the cloth's springs instead of triangles and hinges. `model` must outlive it.
    SheetSystem(const ClothModel& model, double compression, bool springs);

    /// What a hierarchy for the matrix is made of. To be called once: nothing is kept.
    SystemPattern take_pattern() { return std::move(pattern_); }
    const IndexLists& pieces() const { return pieces_; }     ///< Points of each connected piece.
    const std::vector<int>& order() const { return order_; } ///< The cloth's vertex of each point.
    const std::vector<int>& place() const { return place_; } ///< The point of each of the cloth's vertices.
    int padded_count() const { return padded(static_cast<int>(order_.size())); }

    double edge_length() const { return edge_length_; } ///< Mean [m]; 0 without edges.
    /// The largest k h^2 / (density l^2) of its cloths: the square of how many edges a force travels within a step.
    double stiffness_number(double h) const;

    struct Law { ///< Of a part in a step of h seconds.
        double stiffness_scale = 1.0, damping_rate = 0.0;
    };
    Law law_of(int part, double h) const;

    /// Removes held rows and columns from the matrix, and their far ties. `is_held` by the cloth's vertices.
    void hold(std::span<const std::uint8_t> is_held, const SlicedMatrix& matrix, SlicedTies& far);
    bool is_held(int point) const { return is_held_[point] != 0; }
    std::span<const std::uint8_t> held() const { return is_held_; } ///< By point.
    /// Records the strains, lengths and angles that damping refers to. Does nothing without damping.
    void start_step(ThreadPool& pool, const Points& x, double h);
    /// `moved`: how far points have moved since the last call, where there was one and nothing else has changed: the
    /// bending of flat cloth is linear and then only changes by what this adds. Empty: everything from `x`.
    void linearise(ThreadPool& pool, const Points& x, std::span<const Floats4> moved, const Inertia& inertia, double h,
                   SlicedMatrix& matrix, std::span<Floats4> residual);
    /// Of triangles, hinges and springs [J]; no damping. `position` by the cloth's vertices.
    double elastic_energy(std::span<const Vec3> position) const;
    YarnFriction& yarn() { return yarn_; }
    const YarnFriction& yarn() const { return yarn_; }
    std::size_t bytes() const;
    void add_to(LargePages& pages) const;

private:
    friend class cuda::HostSheet;
    static constexpr int kLanes = 8, kHingeLanes = 4;
    struct TriangleBatch { // eight triangles of one part; lanes beyond the last have no stiffness
        alignas(32) double u1[kLanes], v1[kLanes], u2[kLanes], v2[kLanes];
        Floats8 stretch_u, stretch_v, shear;
        int vertex[3][kLanes];
        int part;
    };
    struct StrainBatch {
        Floats8 u, v, shear;
    };
    struct TriangleRecord { // what rows read of a triangle; see sheet_system.cpp
        Floats4 fu, fv;     // last lane: tension over length
        Floats4 numbers;    // shear tension, then the coefficients of f_u f_u^T, f_v f_v^T and of shear
    };
    static constexpr int kRecordStep = 12; // floats
    /// An element at each of eight rows: the triangle between the neighbour of this slot (b) and that of the next (c).
    /// Its blocks go to these two slots; with `closes` set for a lane the second goes to the first slot of the row.
    struct CornerSlot {
        Floats8 ub, vb, uc, vc; // how f_u and f_v depend on the two neighbours
        Floats8 bend;           // near tie of the slot
        int record[kSliceRows];
    };
    struct ElasticCorner {                     // a triangle that is not woven, at one row
        int element, corner, place_b, place_c; // places of its two blocks in the matrix
        int b, c;                              // which corners these are
    };
    struct ElasticRecord { // of a triangle that is not woven: d2E / df df
        Block uu, uv, vv;
        Floats4 force1, force2; // on corners 1, 2
    };
    struct HingeBatch { // four hinges; lanes beyond the last are points and fold by nothing
        int vertex[4][kHingeLanes];
        double stiffness[kHingeLanes], rest_angle[kHingeLanes];
        double most[4][kHingeLanes]; // of the slopes
        int part[kHingeLanes];
    };
    struct OwnSpring {
        int spring, part, a, b; // of the model; points
    };

    // Set-up, in sheet_layout.cpp.
    struct RowEntry;
    struct Layout;
    void find_rows(Layout& layout) const;
    void number_points(const Layout& layout);
    void build_elements(Layout& layout);
    void build_rows(const Layout& layout);
    void build_elastic(const Layout& layout);
    void build_bending(const Sheet& sheet);
    void split_bending_ties(const SparseMatrix& bend);
    void build_ties(const Layout& layout);
    void find_pieces();
    template <class Visit>
    void for_each_array(const Visit& visit) const;

    void set_laws(double h);
    void respond_triangles(const Points& x, int begin, int end);
    void measure_triangles(const Points& x, int begin, int end);
    void respond_elastic(const Points& x, int begin, int end);
    void respond_springs(const Points& x, double h, int begin, int end);
    void measure_hinges(const Points& x, int begin, int end);
    void respond_hinges(const Points& x, int begin, int end);
    void fill_rows(ThreadPool& pool, const Points& x, std::span<const Floats4> moved, const Inertia& inertia, double h,
                   SlicedMatrix& matrix, std::span<Floats4> residual);
    void bend_slices(const Points& x, int begin, int end);
    void bend_on_slices(std::span<const Floats4> moved, int begin, int end);
    void fill_slices(const Points& x, const Inertia& inertia, double h, SlicedMatrix& matrix,
                     std::span<Floats4> residual, int begin, int end) const;
    void add_extras(int slice, SlicedMatrix& matrix, std::span<Floats4> residual) const;
    void clear_held(int slice, SlicedMatrix& matrix, std::span<Floats4> residual) const;

    const ClothModel& model_;
    double compression_;
    bool only_springs_;
    mutable std::unique_ptr<Sheet> energy_sheet_; // made when the energy is first asked for
    double edge_length_ = 0.0;
    std::vector<Law> law_;
    bool damped_ = false;
    std::vector<int> order_, place_;
    SystemPattern pattern_; // until taken

    std::vector<TriangleBatch> batch_;
    std::vector<StrainBatch> before_;    // where damped
    std::vector<TriangleRecord> record_; // of triangles, then of springs, then one of zeros
    std::vector<CornerSlot> corner_;     // slot s of slice k of the matrix, but the first, has the (s - k - 1)-th
    std::vector<std::uint8_t> closes_;   // one bit per lane

    std::vector<ElasticTriangle> elastic_;
    std::vector<int> elastic_index_; // places in batch_ of elastic_
    std::vector<ElasticRecord> elastic_record_;
    std::vector<int> elastic_start_; // of each row; empty where all triangles are woven
    std::vector<ElasticCorner> elastic_corner_;

    std::vector<OwnSpring> springs_;
    std::vector<Vec3> spring_before_; // b - a at the start of the step, where damped

    std::vector<HingeBatch> hinge_batch_; // that are bent at rest, whose forces follow their angles
    std::vector<std::array<Floats4, 4>> curved_force_;
    std::vector<double> curved_before_; // angles, where damped
    IndexLists curved_ends_;            // of each point: 4 * curved hinge + corner; no rows where there are none
    SlicedTies bend_;                   // of flat hinges: the force is -bend_ x
    std::vector<Floats4> bend_force_;

    YarnFriction yarn_;

    std::vector<SliceNumber> far_value_; // nothing held
    std::vector<float> far_sum_;         // of each row of far ties, held or not

    std::vector<std::uint8_t> is_held_, slice_is_near_held_;
    IndexLists pieces_;
};

} // namespace selvage
