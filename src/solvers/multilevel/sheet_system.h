#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/block.h"
#include "model/sheet.h"
#include "model/solver.h"
#include "solvers/multilevel/block_multigrid.h"

namespace selvage {

/// The inertial term of a small step: m/(2 h^2) |x - y|^2 for every point.
struct Inertia {
    Points y;                 ///< Where the point would go without its neighbours [m].
    std::vector<double> mass; ///< With what drag adds to it [kg].
};

/// The elastic forces of a cloth and their derivative, as a system of blocks for one linearisation:
///   A = m/h^2 + d2E/dx2 (without its negative parts),   r = m/h^2 (y - x) - dE/dx.
/// Elements are evaluated side by side and gathered by the points and pairs they act on.
class SheetSystem {
public:
    /// `springs`: the cloth's springs instead of triangles and hinges. `model` must outlive it.
    SheetSystem(const ClothModel& model, double compression, bool springs);

    BlockMatrix pattern() const; ///< Of the matrix that linearise() fills.
    FarTies far_ties() const;    ///< Bending between points without a common edge, nothing held.
    SparseMatrix ties() const;   ///< Which points are coupled and how strongly, for the hierarchy.
    const IndexLists& pieces() const { return pieces_; } ///< Vertices of each connected piece.

    double edge_length() const { return edge_length_; } ///< Mean [m]; 0 without edges.
    /// The largest k h^2 / (density l^2) of its cloths: the square of how many edges a force travels within a step.
    double stiffness_number(double h) const;

    /// Removes held rows and columns from the matrix, and their far ties.
    void hold(std::span<const std::uint8_t> is_held, FarTies& far);
    /// Records the strains, lengths and angles that damping refers to. Does nothing without damping.
    void start_step(ThreadPool& pool, const Points& x, double h);
    void linearise(ThreadPool& pool, const Points& x, const Inertia& inertia, double h, BlockMatrix& matrix,
                   std::span<Floats4> residual);
    double elastic_energy(std::span<const Vec3> position) const; ///< Of triangles, hinges and springs [J]; no damping.
    std::size_t bytes() const;

private:
    static constexpr int kLanes = 4;
    struct TriangleBatch { // four triangles of one part; lanes beyond the last have no stiffness
        double u1[kLanes], v1[kLanes], u2[kLanes], v2[kLanes], stretch_u[kLanes], stretch_v[kLanes], shear[kLanes];
        int vertex[3][kLanes];
        int part;
    };
    struct TriangleWeights { // how f_u and f_v depend on the corners
        float u[4], v[4];
    };
    struct TriangleRecord {     // what rows and pairs read of a triangle
        Floats4 warp, weft;     // n_u, n_v; last lane: axial less transverse stiffness
        Floats4 force1, force2; // on corners 1, 2; last lane: |f_u|, |f_v|
        Floats4 stiffness;      // transverse u, v, shear; last lane: tension of the shear
    };
    struct ElasticRecord { // of a triangle that is not woven: d2E / df df
        Block uu, uv, vv;
    };
    struct StrainBatch {
        double u[kLanes], v[kLanes], shear[kLanes];
    };
    struct HingeBatch { // four hinges; lanes beyond the last are points and fold by nothing
        int vertex[4][kLanes];
        double stiffness[kLanes], rest_angle[kLanes];
        double most[4][kLanes]; // of the slopes
        int part[kLanes];
    };
    struct SpringRecord {
        Floats4 direction; // last lane: axial less transverse stiffness
        Floats4 force;     // on end a; last lane: transverse stiffness
    };
    struct Pair { // i < j with their two blocks, and what couples them
        int i, j, block, mirror;
        float bend; // near tie
    };
    struct PairSource { // a triangle (corners a, b) or a spring (a < 0)
        int element;
        std::int16_t a, b;
    };
    struct PartLaw { // of a step
        double stiffness_scale = 1.0, damping_rate = 0.0;
    };

    void build_elements(bool springs);
    void build_bending();
    void build_pairs();
    void build_pattern();
    int block_at(int i, int j) const;
    void split_bending_ties();
    void find_pieces();
    void set_laws(double h);
    void respond_triangles(const Points& x, int begin, int end);
    void respond_elastic(const Points& x, int begin, int end);
    void respond_springs(const Points& x, double h, int begin, int end);
    void measure_hinges(const Points& x, int begin, int end);
    void respond_hinges(const Points& x, int begin, int end);
    void fill_pairs(BlockMatrix& matrix, int begin, int end) const;
    void fill_rows(const Points& x, const Inertia& inertia, double h, BlockMatrix& matrix, std::span<Floats4> residual,
                   int begin, int end) const;

    const ClothModel& model_;
    double compression_;
    Sheet sheet_;
    double edge_length_ = 0.0;
    std::vector<PartLaw> law_;
    bool damped_ = false;

    std::vector<TriangleBatch> batch_;
    std::vector<StrainBatch> before_; // where damped
    std::vector<TriangleWeights> weights_;
    std::vector<TriangleRecord> record_;
    IndexLists corners_; // of each vertex: 4 * triangle + corner

    std::vector<int> elastic_;    // triangle of each of sheet_.elastic
    std::vector<int> elastic_of_; // index in elastic_ of each triangle, -1 for woven ones; empty where all are woven
    std::vector<ElasticRecord> elastic_record_;

    std::vector<int> springs_, spring_part_;
    std::vector<SpringRecord> spring_record_;
    std::vector<Vec3> spring_before_; // b - a at the start of the step, where damped
    IndexLists spring_ends_;          // of each vertex: 2 * spring + end

    std::vector<int> curved_; // hinges that are bent at rest, whose forces follow their angles
    std::vector<HingeBatch> hinge_batch_;
    std::vector<std::array<Floats4, 4>> curved_force_;
    std::vector<double> curved_before_; // angles, where damped
    IndexLists curved_ends_;            // of each vertex: 4 * curved hinge + corner
    SparseMatrix bend_;                 // of flat hinges: the force is -bend_ x
    SparseMatrix bend_all_;             // of all hinges: the derivative

    std::vector<Pair> pairs_;
    std::vector<int> source_start_;
    std::vector<PairSource> source_;
    std::vector<int> row_start_, row_column_; // pattern
    FarTies far_;
    std::vector<float> far_sum_; // of each row of far_, held or not

    std::vector<std::uint8_t> is_held_, touches_held_;
    IndexLists pieces_;
};

} // namespace selvage
