#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/contact/contact_view.h"
#include "collision/contact/moving_solid.h"
#include "math/block.h"
#include "solvers/multilevel/block_multigrid.h"
#include "solvers/multilevel/sheet_system.h"

namespace selvage {

/// Contact as stiff springs in the linear system of a small step: one-sided along the normal, inelastic, with Coulomb
/// friction across it. The contact of a vertex with a collider is a block on the diagonal. A pair of features couples
/// four vertices: products with the matrix use it exactly, and the diagonal that the preconditioner sees holds an upper
/// bound. A ContactView lists what may come into contact; planes and gaps are updated at every linearisation.
class ContactForces {
public:
    /// `pieces`: points of each connected piece. `place`: the point of each of the cloth's vertices; where it is empty
    /// they have the same numbers.
    ContactForces(int vertex_count, const IndexLists& pieces, std::span<const int> place = {});

    /// `view` may be null: then there is no contact, and the other functions do nothing. `is_held` by point.
    void start_step(const ContactView* view, std::span<const std::uint8_t> is_held);
    /// The k-th of `substeps` equal parts, of h seconds, from `x`, which is by the cloth's vertices.
    void start_small_step(ThreadPool& pool, std::span<const Vec3> x, double h, int k, int substeps);
    /// Adds forces to the residual and blocks to the diagonal.
    void linearise(ThreadPool& pool, const Points& x, const Inertia& inertia, SlicedMatrix& matrix,
                   std::span<Floats4> residual);
    /// What the last linearise() put on the diagonal that the coarse matrices do not hold yet; from then on they do.
    /// Empty when that is nothing.
    DiagonalChange take_change();
    /// Corrects product = A x for the pairs, which the diagonal only bounds; returns the correction to x . A x.
    double multiply(ThreadPool& pool, std::span<const Floats4> x, std::span<Floats4> product);
    /// Stiffens the pairs that have used up most of their target gap although their springs act. Returns how many.
    int stiffen_overrun(ThreadPool& pool, const Points& x);
    /// Puts what static friction holds exactly where its collider has moved it: springs alone would let it creep.
    void finish_small_step(ThreadPool& pool, Points& x) const;

    /// Whether anything but the piece itself acts on it by contact in this small step.
    bool has_contact(int piece) const { return has_contact_[piece] != 0; }
    std::int64_t active_count() const; ///< Springs that acted in the last linearisation.
    std::size_t bytes() const;

private:
    enum class Grip { none, slides, sticks };
    struct Spring {              // of one contact in one small step
        Vec3 normal;             // at the last linearisation
        double target_gap = 0.0; // the gap below which it acts [m]
        double gap = 0.0;        // at the last linearisation [m]
        double rest = 0.0; // target gap less the gap at the start: how far a load it already carries compresses it [m]
        double normal_force = 0.0;   // [N]; 0: it does not act
        double stiffness = 0.0;      // along the normal, and across it while it sticks [N/m]
        double side_stiffness = 0.0; // across the normal and the slip while it slides [N/m]
        Grip grip = Grip::none;
        Vec3 friction_force; // on the side that the normal points to [N]
        Vec3 slip_direction; // unit, while it slides
    };
    struct Touch : Spring { // a vertex and a collider
        int vertex = 0, solid = 0;
        Vec3 start, start_local,
            start_normal; // at the start of the small step: in the world and in the collider's frame
        double start_gap = 0.0;
        Vec3 solid_displacement;   // of the collider at the contact during the small step [m]
        double plane_offset = 0.0; // gap less the component of the position along the normal, at the last linearisation
    };
    struct Pair : Spring { // of features; or an edge or a face and a collider
        std::array<int, 4> vertex{};
        std::array<double, 4> weight{};
        int count = 4, solid = -1;
        bool is_edges = false;
        Vec3 side;        // the normal at the start of the small step; in the collider's frame if there is one
        Vec3 start_local; // in the collider's frame
        double start_gap = 0.0;
        double min_distance = 0.0, friction = 0.0;
        double stiffness_factor = 1.0; // relative to other pairs
        float bound = 2.0F;            // sum of the absolute weights
        Vec3 solid_displacement;
        Floats4 force; // on its first side
    };
    struct Nearest {
        std::array<double, 4> weight;
        Vec3 normal;
        double gap;
    };

    bool is_free(int v) const { return v < vertex_count_ && !is_held_[v]; }
    static void set_forces(Spring& spring, double stiffness, double inertial, double friction, const Vec3& slip);
    static void add_spring(Block& to, const Spring& spring, double scale);
    static Floats4 stiffness_times(const Spring& spring, const Floats4& displacement);
    static SurfacePoint surface_at(const MovingSolid& solid, const Vec3& local, const Vec3& start_local,
                                   const Vec3& start_normal, double start_gap);
    static Nearest nearest(const Pair& pair, const std::array<Vec3, 4>& x, const Vec3& side);
    Vec3 start_of(int v) const;
    void add_pair(const ContactRecord& record);
    void link_pairs();
    void list_rows();
    void linearise_touch(Touch& touch, const Points& x, double inertial, Block& diagonal, Block& added,
                         Floats4& residual) const;
    void measure_pair(Pair& pair, const Points& x) const;
    void linearise_pair(Pair& pair, const Points& x, const Inertia& inertia, const SlicedMatrix& matrix) const;
    void mark_contact(int v);

    int vertex_count_;
    std::vector<int> place_; // of the cloth's vertices
    std::vector<int> order_; // the cloth's vertex of each point
    std::vector<int> piece_of_;
    std::vector<std::uint8_t> has_contact_; // by piece
    const ContactView* view_ = nullptr;
    std::span<const std::uint8_t> is_held_;
    std::vector<MovingSolid> solids_;                   // colliders in the small step
    std::span<const Vec3> start_;                       // where it starts, by the cloth's vertices
    double h_ = 0.0;                                    // [s]
    double fraction_before_ = 0.0, fraction_now_ = 0.0; // of the step, at the small step's start and end

    std::vector<Touch> touches_;
    std::vector<int> touch_start_; // of each vertex that has any
    std::vector<Pair> pairs_;
    std::vector<int> active_;      // those that act, ascending
    std::vector<int> linked_;      // vertices that have pairs, ascending
    std::vector<int> link_start_;  // into link_, by index in linked_
    std::vector<int> link_;        // 4 * pair + corner
    std::vector<int> index_of_;    // index of a vertex in linked_; -1: none
    std::vector<float> active_at_; // number of active pairs at each linked vertex
    std::vector<Block> bound_;     // their upper bound on the diagonal

    std::vector<int> rows_;     // points that have touches or pairs
    int touched_rows_ = 0;      // those that have touches: the first
    std::vector<int> row_of_;   // index of a point in rows_; -1: none
    std::vector<Block> added_;  // by row: to the diagonal in the last linearisation,
    std::vector<Block> known_;  // what of it the coarse matrices hold,
    std::vector<Block> change_; // and the difference
};

} // namespace selvage
