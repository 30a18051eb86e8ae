#include "collision/search/feature_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "collision/search/proximity.h"
#include "math/block.h"
#include "math/simd.h"

namespace selvage {

namespace {

bool share_a_vertex(const Edge& a, const Edge& b) {
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

bool has_vertex(const Triangle& t, int v) {
    return t[0] == v || t[1] == v || t[2] == v;
}

/// Four pairs of segments: each from its first end to its second, and from the second segment's first end to the
/// first's.
struct FourEdgePairs {
    Doubles4 one_x, one_y, one_z, other_x, other_y, other_z, from_x, from_y, from_z;

    void put(int lane, const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
        one_x[lane] = q.x - p.x, one_y[lane] = q.y - p.y, one_z[lane] = q.z - p.z;
        other_x[lane] = b.x - a.x, other_y[lane] = b.y - a.y, other_z[lane] = b.z - a.z;
        from_x[lane] = p.x - a.x, from_y[lane] = p.y - a.y, from_z[lane] = p.z - a.z;
    }
};

/// closest_points_of_segments without branches: the same operations. Of no meaning where a segment is a point: then it
/// is not a number, or `least`, the square of the shorter length, is 0.
SELVAGE_WIDE void squared_distances(const FourEdgePairs& e, Doubles4& squared, Doubles4& least) {
    const Doubles4 zero{}, one = zero + 1.0;
    const Doubles4 l1 = e.one_x * e.one_x + e.one_y * e.one_y + e.one_z * e.one_z;
    const Doubles4 l2 = e.other_x * e.other_x + e.other_y * e.other_y + e.other_z * e.other_z;
    const Doubles4 f = e.other_x * e.from_x + e.other_y * e.from_y + e.other_z * e.from_z;
    const Doubles4 c = e.one_x * e.from_x + e.one_y * e.from_y + e.one_z * e.from_z;
    const Doubles4 mixed = e.one_x * e.other_x + e.one_y * e.other_y + e.one_z * e.other_z;
    const Doubles4 det = l1 * l2 - mixed * mixed;
    Doubles4 s = (mixed * f - c * l2) / det;
    s = SELVAGE_SELECT(s < zero, zero, s);
    s = SELVAGE_SELECT(s > one, one, s);
    s = SELVAGE_SELECT(det > 1e-14 * l1 * l2, s, zero);
    Doubles4 t = (mixed * s + f) / l2;
    Doubles4 within = SELVAGE_SELECT(t < zero, zero, t);
    within = SELVAGE_SELECT(within > one, one, within);
    Doubles4 again = (mixed * within - c) / l1;
    again = SELVAGE_SELECT(again < zero, zero, again);
    again = SELVAGE_SELECT(again > one, one, again);
    s = SELVAGE_SELECT(within == t, s, again);
    const Doubles4 x = e.from_x + s * e.one_x - within * e.other_x;
    const Doubles4 y = e.from_y + s * e.one_y - within * e.other_y;
    const Doubles4 z = e.from_z + s * e.one_z - within * e.other_z;
    squared = x * x + y * y + z * z;
    least = SELVAGE_SELECT(l1 < l2, l1, l2);
}

FeatureCandidate make_candidate(int a, int b, double distance_squared, double minimum_distance) {
    const double distance = std::sqrt(distance_squared);
    return {a, b, static_cast<float>((distance - minimum_distance) * (1.0 - 1e-6)),
            static_cast<float>(minimum_distance)};
}

/// Features of the same body that are near each other at rest are kept apart by half of that at most.
double rest_limit(double minimum_distance, double rest_distance_squared) {
    return rest_distance_squared < 4.0 * minimum_distance * minimum_distance ? 0.5 * std::sqrt(rest_distance_squared)
                                                                             : minimum_distance;
}

} // namespace

/// One search.
struct FeatureSearch::Query {
    std::span<const Vec3> x;
    double minimum_distance; // of vertices and faces [m]
    double reach_squared;
    bool is_near_at_rest; // the patches may have features nearer at rest than twice the minimum distance
    std::vector<FeatureCandidate>& found;
};

double FeatureSearch::vertex_distance(const Query& query, int v, const Triangle& t) const {
    if (!query.is_near_at_rest) return query.minimum_distance;
    const std::vector<Vec3>& rest = surface_.rest;
    return rest_limit(query.minimum_distance,
                      closest_points(rest[v], rest[t[0]], rest[t[1]], rest[t[2]]).distance_squared);
}

double FeatureSearch::edge_distance(const Query& query, const Edge& a, const Edge& b) const {
    if (!query.is_near_at_rest) return query.minimum_distance;
    const std::vector<Vec3>& rest = surface_.rest;
    return rest_limit(query.minimum_distance,
                      closest_points_of_segments(rest[a[0]], rest[a[1]], rest[b[0]], rest[b[1]]).distance_squared);
}

void FeatureSearch::test_vertex(const Query& query, int v, int face) const {
    const std::span<const Vec3> x = query.x;
    const Triangle& t = patches_.faces()[face].v;
    if (has_vertex(t, v)) return;
    const double squared = closest_points(x[v], x[t[0]], x[t[1]], x[t[2]]).distance_squared;
    if (squared >= query.reach_squared) return;
    query.found.push_back(make_candidate(v, face, squared, vertex_distance(query, v, t)));
}

void FeatureSearch::add_edges(const Query& query, const PatchBoxes::OwnEdge& a, const PatchBoxes::OwnEdge& b,
                              double distance_squared) const {
    // Half the distance: the vertices keep the layers apart, edges only must not cross.
    const double distance = 0.5 * edge_distance(query, a.ends, b.ends);
    query.found.push_back(make_candidate(a.name, b.name, distance_squared, distance));
}

/// Edges four pairs at a time: most are near by their boxes only.
class FeatureSearch::EdgeBatch {
public:
    EdgeBatch(const FeatureSearch& search, const Query& query) : search_(search), query_(query) {}

    void add(const PatchBoxes::OwnEdge& a, const PatchBoxes::OwnEdge& b) {
        if (share_a_vertex(a.ends, b.ends)) return;
        const std::span<const Vec3> x = query_.x;
        four_.put(lanes_, x[a.ends[0]], x[a.ends[1]], x[b.ends[0]], x[b.ends[1]]);
        pending_[lanes_++] = {&a, &b};
        if (lanes_ == 4) test();
    }
    void finish() {
        if (lanes_ > 0) test();
    }

private:
    void test() {
        Doubles4 squared, least;
        squared_distances(four_, squared, least);
        for (int lane = 0; lane < lanes_; ++lane) {
            const PatchBoxes::OwnEdge &a = *pending_[lane].first, &b = *pending_[lane].second;
            double d2 = squared[lane];
            if (!(least[lane] > 0.0) || std::isnan(d2)) d2 = exact(a.ends, b.ends);
            if (d2 < query_.reach_squared) search_.add_edges(query_, a, b, d2);
        }
        lanes_ = 0;
    }
    double exact(const Edge& a, const Edge& b) const {
        const std::span<const Vec3> x = query_.x;
        return closest_points_of_segments(x[a[0]], x[a[1]], x[b[0]], x[b[1]]).distance_squared;
    }

    const FeatureSearch& search_;
    const Query& query_;
    FourEdgePairs four_{};
    std::array<std::pair<const PatchBoxes::OwnEdge*, const PatchBoxes::OwnEdge*>, 4> pending_{};
    int lanes_ = 0;
};

void FeatureSearch::find(std::span<const Vec3> x, const PatchPair& pair, double ahead, CandidateBucket& bucket) const {
    const SurfacePatches::Patch &p = patches_.patches()[pair.p], &q = patches_.patches()[pair.q];
    const double reach = pair.minimum_distance + ahead;
    // Seldom near: in cloth that lies flat at rest, features that share no vertex are farther apart than that.
    const bool is_near_at_rest = p.body == q.body && pair.rest_gap < 2.0F * pair.minimum_distance;
    const Query query{x, pair.minimum_distance, reach * reach, is_near_at_rest, bucket.candidates};
    const auto far = static_cast<float>(std::min<double>(reach * (1.0 + 1e-6), PatchBoxes::kMostReach));
    const auto test = [&](int v, int face) { test_vertex(query, v, face); };
    boxes_.for_near_vertices(pair.p, pair.q, far, test);
    if (pair.p != pair.q) boxes_.for_near_vertices(pair.q, pair.p, far, test);
    // What is done with a pair depends on its kind, so the kinds lie apart.
    bucket.vertex_count = static_cast<int>(bucket.candidates.size());
    EdgeBatch batch(*this, query);
    boxes_.for_near_edges(pair.p, pair.q, far,
                          [&](const PatchBoxes::OwnEdge& a, const PatchBoxes::OwnEdge& b) { batch.add(a, b); });
    batch.finish();
    // Room for twice as many: so that lists soon have what they will need.
    if (2 * bucket.candidates.size() > bucket.candidates.capacity())
        bucket.candidates.reserve(2 * bucket.candidates.capacity());
}

} // namespace selvage
