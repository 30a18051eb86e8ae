#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/search/box_tree.h"
#include "collision/search/flat_bounds.h"
#include "collision/search/patch_boxes.h"
#include "collision/search/surface_patches.h"

namespace selvage {

/// Keeps lists of the vertex-triangle and edge-edge pairs of a moving surface that may come near each other. Nothing is
/// searched as long as nothing can have changed: every pair of patches has an account of how far its parts have moved
/// against each other (not through the world) since it was last looked through, and so has every pair of features since its
/// distance was last taken. What moves together costs nothing, however fast.
class NearPairs {
public:
    static constexpr float kNothingYet = -1e30F;

    /// Vertex a and face b, or edge a and edge b: the edges as 3 face + place among the face's own.
    struct Candidate {
        int a, b;
        float wake;     ///< On the patch pair's account: from there on it may be nearer than `distance`.
        float distance; ///< To be kept [m].
    };
    /// Candidates of one pair of patches, vertex-triangle ones first.
    struct Bucket {
        std::vector<Candidate> candidates;
        int vertex_count = 0;
    };
    struct PatchPair {
        int p = 0, q = 0;
        int bucket = -1;              ///< None before the first look.
        float left = 0.0F;            ///< Motion until features that are no candidates could meet [m].
        float spent = 0.0F;           ///< Motion since the search [m].
        float used = 0.0F;            ///< Motion allowed for in this step [m].
        float moved = 0.0F;           ///< Motion in this step, as last measured, or a little more [m].
        float gathered = kNothingYet; ///< Candidates that wake before this have been taken up in this step.
        float distance = 0.0F, friction = 0.0F;
        float rest_gap = -1.0F; ///< Of FlatBounds [m]; 0: none, below: not asked for yet.
    };

    /// The patches must outlive it.
    NearPairs(const ContactSurface& surface, const SurfacePatches& patches);

    /// Takes the patches' motions in a step from x by `motion`.
    void measure(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> motion);
    /// Makes the lists good for a step from x by the measured motion, and for one a little longer.
    void start_step(ThreadPool& pool, std::span<const Vec3> x);
    /// Measures again and makes the lists good for a motion that has changed within the step. False when the lists were good for it already.
    bool extend_step(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> motion);
    /// One flag per body: those set meet no other cloth.
    void set_waiting(std::vector<std::uint8_t> bodies);
    /// After an edit of the state: search everything again.
    void forget();
    /// Books the motion that was really made.
    void finish_step(ThreadPool& pool);

    std::span<PatchPair> pairs() { return pairs_; }
    Bucket& bucket(const PatchPair& pair) { return buckets_[pair.bucket]; }
    std::span<const SurfacePatches::Motion> patch_motion() const { return motion_; }
    double farthest_motion() const { return farthest_; }     ///< Of a vertex from the mean, or a little more [m].
    const Vec3& mean_motion() const { return mean_motion_; } ///< Of the cloths in this step [m].

    Aabb swept_box() const;                         ///< Around the cloths, where they are and where they go.
    double mean_edge() const { return mean_edge_; } ///< Of the cloths at rest [m].

    struct Counts {
        std::int64_t listings = 0; ///< Searches for pairs of patches.
        std::int64_t looks = 0;    ///< Pairs of patches looked at,
        std::int64_t searches = 0; ///< and those of them that were searched.
    };
    const Counts& counts() const { return counts_; }

private:
    bool may_meet(int body, int other) const;
    /// At least how much nearer a vertex of one patch can come to one of the other. A motion that is the same rigid one for
    /// both changes no distance, or makes it larger.
    double relative_motion(const PatchPair& pair) const {
        const SurfacePatches::Motion &a = motion_[pair.p], &b = motion_[pair.q];
        if (pair.p == pair.q) return 2.0 * a.rest;
        const Vec3 turn = 0.5 * (a.turn + b.turn);
        return length(b.mean - a.mean - cross(turn, b.centre - a.centre)) +
               0.5 * length(b.turn - a.turn) * (a.radius + b.radius) + a.rest + b.rest;
    }
    /// Measures the patches whose vertices move otherwise than when last measured.
    void measure_again(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> motion);
    void take_measures();
    void set_used(PatchPair& pair) const;
    void list_pairs(ThreadPool& pool, std::span<const Vec3> x);
    void search(ThreadPool& pool, std::span<const Vec3> x);
    void drop_clear_pairs(ThreadPool& pool, std::span<const Vec3> x);
    bool clear(std::span<const Vec3> x, PatchPair& pair);
    void list_patches();
    void search_pair(std::span<const Vec3> x, PatchPair& pair);
    double rest_limit(const PatchPair& pair, double rest_distance_squared) const;

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    std::vector<std::uint8_t> waiting_; // by body
    std::vector<SurfacePatches::Motion> motion_;
    std::vector<Vec3> measured_;       // the vertices' motions that they are of
    std::vector<std::uint8_t> is_new_; // patches that were measured last
    bool are_booked_ = false;          // the pairs know of what was measured last
    Vec3 mean_motion_;
    double farthest_ = 0.0; // of a patch from the mean motion in this step [m]

    std::vector<PatchPair> pairs_, old_pairs_; // sorted
    std::vector<Bucket> buckets_;
    std::vector<int> free_buckets_;
    double list_left_ = -1.0; // motion until pairs of patches that are not listed could meet [m]
    double mean_edge_ = 0.0;
    std::vector<Aabb> patch_box_;
    BoxTree tree_;
    std::vector<std::vector<Edge>> found_; // by chunk of patches

    FlatBounds flat_;
    PatchBoxes boxes_;
    std::vector<int> due_;          // pairs to be searched
    std::vector<std::uint8_t> fit_; // patches whose boxes are of this step
    std::vector<int> fit_list_;
    std::vector<std::uint8_t> is_clear_; // of due_
    Counts counts_;
};

} // namespace selvage
