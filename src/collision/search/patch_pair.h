#pragma once

#include <vector>

namespace selvage {

/// Two features that may come near each other: vertex a and face b, or edge a and edge b, the edges as 3 face + place
/// among the face's own.
struct FeatureCandidate {
    int a, b;
    float minimum_distance; ///< [m].
};

/// Candidates of one pair of patches, vertex-triangle ones first. In most steps nothing but the marks is read.
struct CandidateBucket {
    std::vector<FeatureCandidate> candidates;
    /// Of each the mark: the motion of the patch pair since its search from which on it may be too near [m].
    std::vector<float> recheck_at;
    int vertex_count = 0;

    void clear() {
        candidates.clear();
        recheck_at.clear();
    }
};

/// Two patches that are near each other. Motions are of one against the other.
struct PatchPair {
    static constexpr float kNothingYet = -1e30F;

    int p = 0, q = 0;
    int bucket = -1;                    ///< None: no candidates.
    float budget = 0.0F;                ///< Motion until features that are no candidates could meet [m].
    float moved_since_search = 0.0F;    ///< [m].
    float allowance = 0.0F;             ///< Motion that the lists are good for in this step [m].
    float moved = 0.0F;                 ///< In this step, as last measured, or a little more [m].
    float gathered_until = kNothingYet; ///< Candidates with a lower mark have been taken up in this step.
    float first_mark = kNothingYet;     ///< No candidate's mark is lower [m].
    int record_begin = 0,
        record_count = -1; ///< Its records in their chunk, as last gathered; -1: not since its search.
    float minimum_distance = 0.0F, friction = 0.0F;
    float rest_gap = -1.0F; ///< Of FlatBounds [m]; 0: none, below: not taken yet.
};

} // namespace selvage
