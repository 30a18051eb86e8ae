#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/contact/contact_view.h"
#include "collision/contact/solid_contact.h"
#include "math/block.h"
#include "solvers/multilevel/block_multigrid.h"
#include "solvers/multilevel/sheet_system.h"

namespace selvage {

/// Contact as stiff springs in the linear system of a small step: one-sided along the normal, plastic, with Coulomb friction
/// across it. What touches a solid is a block on the diagonal. A pair of features couples four vertices: it is exact in
/// products with the matrix, and a bound of it stands on the diagonal that the preconditioner sees.
/// What may meet comes from a ContactView; planes and gaps are taken anew at every linearisation.
class ContactForces {
public:
    /// `pieces`: vertices of each connected piece.
    ContactForces(int vertex_count, const IndexLists& pieces);

    /// `view` may be null: then all else does nothing.
    void start_step(const ContactView* view, std::span<const std::uint8_t> is_held);
    /// The k-th of `substeps` equal parts, of h seconds, from `x`.
    void start_small_step(ThreadPool& pool, std::span<const Vec3> x, double h, int k, int substeps);
    /// Adds forces to the residual and blocks to the diagonal.
    void linearise(ThreadPool& pool, const Points& x, const Inertia& inertia, BlockMatrix& matrix,
                   std::span<Floats4> residual);
    /// Adds to product = A x what the diagonal only bounds, and returns x . of it.
    double multiply(ThreadPool& pool, std::span<const Floats4> x, std::span<Floats4> product);
    /// Stiffens pairs that this step's springs should have kept apart and that are through, or about to be. Returns how many.
    int stiffen_overrun(ThreadPool& pool, const Points& x);
    /// What friction holds is put exactly where its solid has carried it: springs would let it creep.
    void finish_small_step(ThreadPool& pool, Points& x) const;

    /// Pushed by something else than itself in this small step.
    bool is_pushed(int piece) const { return is_pushed_[piece] != 0; }
    std::int64_t active_count() const; ///< Springs at work in the last linearisation.
    std::size_t bytes() const;

private:
    enum class Grip { none, slides, sticks };
    struct Spring {             // of one contact in one small step
        Vec3 normal;            // of the last linearisation
        double aim = 0.0;       // the gap below which it pushes [m]
        double gap = 0.0;       // at the last linearisation [m]
        double rest = 0.0;      // aim less the gap at the start: what a load that was carried already presses it by [m]
        double push = 0.0;      // [N]; 0: not at work
        double stiffness = 0.0; // along the normal, and across it where it sticks [N/m]
        double side_stiffness = 0.0; // across the normal and the slip, where it slides [N/m]
        Grip grip = Grip::none;
        Vec3 drag;    // friction on the side that the normal points to [N]
        Vec3 heading; // unit, of the slip where it slides
    };
    struct Touch : Spring { // a vertex and a solid
        int vertex = 0, solid = 0;
        Vec3 start, start_local, start_normal; // where the small step starts: in the world and in the solid's frame
        double start_gap = 0.0;
        Vec3 carried;       // how far the solid goes there in the small step [m]
        double level = 0.0; // gap less the normal's part of the place: the plane it was linearised with
    };
    struct Pair : Spring { // of features; or an edge or a face and a solid
        std::array<int, 4> vertex{};
        std::array<double, 4> weight{};
        int count = 4, solid = -1;
        bool is_edges = false;
        Vec3 side;        // the normal where the small step starts; in the solid's frame where there is one
        Vec3 start_local; // in the solid's frame
        double start_gap = 0.0;
        double kept = 0.0, friction = 0.0;
        double stiffer = 1.0; // than pairs are as a rule
        float bound = 2.0F;   // sum of the weights' sizes
        Vec3 carried;
        Floats4 pull; // on its first side
    };
    struct Nearest {
        std::array<double, 4> weight;
        Vec3 normal;
        double gap;
    };

    bool is_free(int v) const { return v < vertex_count_ && !is_held_[v]; }
    static void set_push(Spring& spring, double stiffness, double inertial, double friction, const Vec3& slip);
    static void add_spring(Block& to, const Spring& spring, double scale);
    static Floats4 pull_of(const Spring& spring, const Floats4& moved);
    static SurfacePoint surface_at(const MovingSolid& solid, const Vec3& local, const Vec3& start_local,
                                   const Vec3& start_normal, double start_gap);
    static Nearest nearest(const Pair& pair, const std::array<Vec3, 4>& x, const Vec3& side);
    Vec3 place(int v, std::span<const Vec3> x, double share) const;
    void add_pair(const ContactRecord& record);
    void link_pairs();
    void press(Touch& touch, const Points& x, double inertial, Block& diagonal, Floats4& residual) const;
    void measure_pair(Pair& pair, const Points& x) const;
    void stiffen_pair(Pair& pair, const Points& x, const Inertia& inertia, const BlockMatrix& matrix) const;
    void mark_pushed(int v);

    int vertex_count_;
    std::vector<int> piece_of_;
    std::vector<std::uint8_t> is_pushed_; // by piece
    const ContactView* view_ = nullptr;
    std::span<const std::uint8_t> is_held_;
    std::vector<MovingSolid> solids_;             // of the small step
    std::span<const Vec3> start_;                 // where it starts
    double h_ = 0.0;                              // [s]
    double share_before_ = 0.0, share_now_ = 0.0; // of the step done, at the small step's start and end

    std::vector<Touch> touches_;
    std::vector<int> touch_start_; // of each vertex that has any
    std::vector<Pair> pairs_;
    std::vector<int> active_;     // those at work, ascending
    std::vector<int> linked_;     // vertices that have pairs, ascending
    std::vector<int> link_start_; // into link_, by place in linked_
    std::vector<int> link_;       // 4 * pair + corner
    std::vector<int> place_of_;   // of a vertex in linked_; -1: none
    std::vector<float> share_;    // pairs at work at each linked vertex
    std::vector<Block> bound_;    // what stands on the diagonal for them
};

} // namespace selvage
