#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "collision/contact/changed_motions.h"
#include "collision/contact/contact_view.h"
#include "collision/contact/crossings.h"
#include "collision/contact/parting.h"
#include "collision/contact/solid_contact.h"
#include "collision/search/near_pairs.h"
#include "collision/search/surface_patches.h"
#include "collision/shapes/collider.h"

namespace selvage {

/// What a contact stage is given.
struct ContactInput {
    double dt = 0.0;                       ///< [s].
    std::span<const std::uint8_t> is_held; ///< One flag per vertex.
    std::span<const Collider> colliders;
};

/// What the contact stage did in a step.
struct ContactStats {
    std::int64_t records = 0;   ///< Pairs of features whose distance was taken.
    std::int64_t contacts = 0;  ///< Of them, those that pushed.
    std::int64_t truncated = 0; ///< Vertices whose motion was cut short.
    std::int64_t listings = 0, searches = 0;
    int rounds = 0;            ///< Of cutting.
    double smallest_gap = 0.0; ///< Of the records at the start of the step [m]; 0 when there are none.
    double solid_depth = 0.0;  ///< Deepest that something was left inside a solid that is no mesh, at the end [m].
    double solver_ms = 0.0, search_ms = 0.0, narrow_ms = 0.0, response_ms = 0.0;

    ContactStats& operator+=(const ContactStats& other);
};

/// Keeps cloth off itself, off other cloth and out of solids: a stage between a solver's answer and the next state, the same for
/// all solvers. Given a start free of intersections of cloth with cloth, no answer of a solver can lead to one.
///   1  solids push vertices, edges and faces
///   2  pairs of features that may meet in the step are found where it starts, each with a plane between its sides
///   3  they push each other apart, plastic and with friction
///   4  where the answer would still take a feature through its plane, the motion of its vertices is cut short, until every
///      pair is parted by its plane all the way
class ClothContact {
public:
    /// The cloths come first in the surface, one mass per vertex [kg]; behind them the mesh of every collider that has one.
    ClothContact(ContactSurface surface, std::span<const double> mass);

    /// Looks for cloth that passes through cloth. Cloths that do are left alone by each other and themselves until this is
    /// called again and finds them free: what keeps them apart would keep them tangled. Solids keep out all of them.
    /// The crossing names one of edges() and one of triangles().
    CrossingCount find_tangles(ThreadPool& pool, const std::vector<Vec3>& positions);
    bool is_waiting() const { return is_waiting_ || saw_touching_; } ///< Some cloth is tangled, or was in one place.

    ClothContact(const ClothContact&) = delete; // its parts refer to each other
    ClothContact& operator=(const ClothContact&) = delete;

    /// Before the solver's step, with the state it starts from.
    void start(const std::vector<Vec3>& positions);
    /// After start(): what may meet in a step of about this motion, one way per vertex [m]; null when nothing ever can. Good
    /// until resolve(), which looks again.
    /// Adds the time it took and what was searched to `stats`.
    const ContactView* look_ahead(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> motion,
                                  ContactStats& stats);
    /// After the solver's step.
    ContactStats resolve(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                         std::vector<Vec3>& velocities);
    /// After an edit of the state.
    void forget();

    std::span<const Edge> edges() const { return edges_; } ///< Of the cloths, each once, sorted.
    std::span<const Triangle> triangles() const { return cloth_triangles_; }
    const ContactSurface& surface() const { return surface_; }
    std::span<const std::vector<ContactRecord>> records() const { return records_; } ///< Of the last resolve().

private:
    int body_of(int v) const;
    static constexpr int kPairsPerChunk = 64;
    // Sums of pushes are taken in whole numbers of a tiny length: their order does not matter, so neither do threads.
    using Whole = std::array<std::int64_t, 3>;

    int count_pieces(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                     std::vector<Vec3>& velocities);
    void limit_motion(ThreadPool& pool, const ContactInput& input, double most, std::vector<Vec3>& positions,
                      std::vector<Vec3>& velocities);
    void place_solids(std::span<const Collider> colliders, int piece, int pieces);
    ContactStats resolve_piece(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                               std::vector<Vec3>& velocities);
    void gather(ThreadPool& pool, bool anew);
    void gather_pair(NearPairs::PatchPair& pair, std::vector<ContactRecord>& records);
    bool is_straight(const ContactRecord& record, const SurfacePatches::Face& face) const;
    bool is_straight(const ContactRecord& record, int edge) const;
    bool points_off(const Vec3& way, int vertex) const;
    bool any_records();
    template <class Visit>
    void for_records(ThreadPool& pool, const Visit& visit) {
        const int own = static_cast<int>(records_.size());
        const std::span<std::vector<ContactRecord>> solid = solids_.records();
        pool.for_chunks(own + static_cast<int>(solid.size()), 1, [&](int chunk, int) {
            for (ContactRecord& record : chunk < own ? records_[chunk] : solid[chunk - own])
                visit(record);
        });
    }
    double depth_in_solids();
    double fastest_of(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> positions,
                      std::span<const Vec3> velocities);
    void move(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions, std::vector<Vec3>& velocities,
              ContactStats& stats);

    // contact_pushes.cpp
    void weigh(ThreadPool& pool, const ContactInput& input);
    void set_aims(ThreadPool& pool, double h, std::span<const Vec3> velocities);
    void lean(ThreadPool& pool);
    void push_apart(ThreadPool& pool);
    bool push_out_of_solids(ThreadPool& pool);
    bool set_aside_from_solids(ThreadPool& pool);
    void calm(ThreadPool& pool, std::vector<Vec3>& velocities);
    Vec3 relative(const ContactRecord& record, std::span<const Vec3> way) const;
    double shared_mass(const ContactRecord& record) const;
    void add_share(const ContactRecord& record);
    void count_share(int v);
    void add_push(const ContactRecord& record, const Vec3& push);
    void add_way(int v, const Vec3& way);
    void add_to_sum(int v, const Vec3& way);
    enum class Sums { pushes, means };
    void take_sums(ThreadPool& pool, Sums kind, std::span<Vec3> to, std::span<Vec3> also = {});
    void drop_sums();

    // contact_cut.cpp
    enum class Cut { across, fair, all };
    int cut_motion(ThreadPool& pool, Cut first);
    Vec3 common_motion() const;
    double farthest_from(ThreadPool& pool, const Vec3& common);
    void tame(ThreadPool& pool, const Vec3& common, double farthest);
    FeatureMotion motion_of(const ContactRecord& record) const;
    bool is_safe(const ContactRecord& record, const FeatureMotion& motion) const;
    bool is_through(const ContactRecord& record) const;
    bool cut_record(const ContactRecord& record, const Vec3& common, Cut how);
    void cut_across(int v, const Vec3& way);
    void cut_vertex(int v, double to);

    ContactSurface surface_;
    SurfacePatches patches_;
    NearPairs near_;
    SolidContact solids_;
    CrossingCounter counter_;
    std::vector<Edge> edges_;
    std::vector<Triangle> cloth_triangles_;
    bool meets_cloth_ = false; // some cloth is kept off itself or others
    bool is_waiting_ = false, saw_touching_ = false;
    int cloth_vertices_;
    std::vector<double> inverse_mass_;
    std::vector<double> weight_;           // inverse masses of this step: 0 for what is held
    std::vector<Vec3> x_;                  // where the step starts
    std::vector<Vec3> motion_;             // of the step [m]
    std::vector<Vec3> mended_;             // the part of it that is no velocity
    std::vector<Vec3> pace_;               // the rest of it: how the next piece of a step goes on [m]
    std::vector<Vec3> target_;             // where the solver wants to end
    std::vector<Vec3> wanted_;             // where a piece of the step would end without contact
    std::vector<std::uint8_t> is_stopped_; // hands that did not get there
    std::vector<MovingSolid> moving_;
    std::vector<std::vector<ContactRecord>> records_;     // by chunk of patch pairs; those of solids behind them
    std::vector<std::vector<NearSolid>> near_solid_;      // looking ahead, by chunk of patches
    std::vector<std::vector<ContactRecord>> solid_pairs_; // likewise
    ContactView view_;
    std::vector<Whole> sum_;
    std::vector<std::int32_t> share_; // records of each vertex
    std::vector<int> shared_;         // vertices with records, in any order
    std::atomic<int> shared_count_{0};
    std::vector<std::uint8_t> was_pushed_; // in the last round of pushes
    ChangedMotions since_set_aside_, since_cut_;
    std::vector<std::uint8_t> is_touching_; // vertices of features at distance 0
    std::vector<double> cut_;               // share of the motion left
    std::vector<std::uint8_t> is_cut_;
    bool alone_ = true; // one thread: no need for atomics
};

} // namespace selvage
