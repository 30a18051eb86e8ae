#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/search/box_tree.h"
#include "collision/search/feature_search.h"
#include "collision/search/flat_bounds.h"
#include "collision/search/patch_pair.h"
#include "collision/search/surface_patches.h"

namespace selvage {

/// Keeps lists of the vertex-triangle and edge-edge pairs of a moving surface that may come near each other. Nothing is
/// searched as long as nothing can have changed: every pair of patches has a motion budget, how far its parts may move
/// against each other (not through the world) until it must be searched again, and every pair of features a motion at
/// which its distance must be rechecked. What moves together costs nothing, however fast.
class NearPairs {
public:
    /// The patches must outlive it.
    NearPairs(const ContactSurface& surface, const SurfacePatches& patches);

    /// Takes the patches' motions in a step from x by `displacement`, which must stay in place until the next. Where the
    /// extents of solids are given, by body, solids move as said until then and those that rest cost nothing.
    void measure(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement,
                 std::span<const SolidExtent> extents = {});
    /// Makes the lists good for a step from x by the measured motion, and for one a little longer.
    void start_step(ThreadPool& pool, std::span<const Vec3> x);
    /// Measures again and makes the lists good for a displacement that has changed within the step. False when they
    /// were already.
    bool extend_step(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement);
    /// After an edit of the state: search everything again.
    void forget();
    /// Takes the motion that was really made off the budgets.
    void finish_step(ThreadPool& pool);

    /// The pairs that have candidates, in order; good until the next search.
    std::span<const int> listed() const { return listed_; }
    int pair_count() const { return static_cast<int>(pairs_.size()); } ///< Those without candidates too.
    PatchPair& pair(int listed) { return pairs_[listed]; }
    CandidateBucket& bucket(const PatchPair& pair) { return buckets_[pair.bucket]; }
    std::span<const SurfacePatches::Motion> patch_motion() const { return motion_; }
    /// Of a vertex of the cloths from their mean, or a little more [m].
    double farthest_motion() const { return farthest_cloth_; }
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
    double relative_motion(const PatchPair& pair) const;
    void measure_again(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement);
    void take_extents(std::span<const SolidExtent> extents);
    void measure_solid(std::span<const Vec3> x, int patch);
    void take_means();
    double farthest_from_rigid() const;
    double farthest_solid() const;
    void set_allowance(PatchPair& pair) const;
    // Pairs of patches.
    void list_pairs(ThreadPool& pool, std::span<const Vec3> x);
    void grow_boxes(ThreadPool& pool, std::span<const Vec3> x, double reach);
    void find_touching_boxes(ThreadPool& pool);
    void watch_solids(ThreadPool& pool, std::span<const Vec3> x);
    void merge_pairs();
    PatchPair make_pair(const Edge& patches) const;
    void free_bucket(PatchPair& pair);
    // Pairs of features.
    void search(ThreadPool& pool, std::span<const Vec3> x);
    void give_buckets();
    void update_listed();
    void drop_clear_pairs(ThreadPool& pool, std::span<const Vec3> x);
    bool clear(std::span<const Vec3> x, PatchPair& pair);
    void list_due_patches();
    void search_pair(PatchPair& pair);

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    std::vector<SurfacePatches::Motion> motion_;
    int cloth_patch_count_ = 0, cloth_vertex_count_ = 0; // solids come behind
    std::span<const Vec3> displacement_;                 // that was measured
    std::vector<SolidExtent> extent_;                    // by body
    bool are_extents_given_ = false;
    std::vector<int> watched_;                // patches of solids that are in a pair: only their motions are known
    std::vector<std::uint8_t> is_watched_;    // by patch
    std::vector<std::uint64_t> resting_;      // by patch: SolidExtent::resting when it was last measured
    std::vector<Vec3> measured_;              // the displacements of the cloths' vertices that motions are of
    std::vector<std::uint8_t> is_remeasured_; // patches that were measured last
    bool are_pairs_measured_ = false;         // the pairs have the motions that were measured last
    Vec3 mean_motion_;
    double farthest_cloth_ = 0.0; // of the cloths' patches from the mean motion in this step [m]
    double farthest_ = 0.0;       // of all patches from one motion that changes no distance [m]

    std::vector<PatchPair> pairs_, old_pairs_; // sorted
    std::vector<int> listed_, next_listed_;    // pairs that have a bucket; sorted
    std::vector<CandidateBucket> buckets_;
    std::vector<int> free_buckets_;
    double list_budget_ = -1.0; // motion until pairs of patches that are not listed could meet [m]
    double mean_edge_ = 0.0;
    std::vector<Aabb> patch_box_;
    std::vector<int> reachable_; // patches of the cloths, and of solids that touch the box around all of them
    std::vector<Aabb> reachable_box_;
    BoxTree tree_;                         // over these
    std::vector<std::vector<Edge>> found_; // pairs of patches, by chunk of patches
    std::vector<std::vector<int>> around_; // by thread: patches that some patch of a group may touch

    FlatBounds flat_;
    FeatureSearch features_;
    std::vector<int> due_;                   // pairs to be searched
    std::vector<std::uint8_t> is_patch_due_; // patches of due pairs
    std::vector<int> due_patches_;
    std::vector<std::uint8_t> is_clear_; // of due_
    Counts counts_;
};

} // namespace selvage
