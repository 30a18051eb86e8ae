#include "collision/search/feature_search.h"

#include <algorithm>
#include <cmath>

#include "collision/search/proximity.h"

namespace selvage {

namespace {

constexpr int kAtOnce = 256; // distances; a multiple of eight

bool share_a_vertex(const Edge& a, const Edge& b) {
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

bool has_vertex(const Triangle& t, int v) {
    return t[0] == v || t[1] == v || t[2] == v;
}

void add_candidate(int a, int b, double least_distance, double minimum_distance, CandidateBucket& bucket) {
    bucket.candidates.push_back({a, b, static_cast<float>(minimum_distance)});
    bucket.recheck_at.push_back(static_cast<float>((least_distance - minimum_distance) * (1.0 - 1e-6)));
}

/// Twice the room where it is more than half full: so that lists soon have what they will need.
template <class T>
void keep_room(std::vector<T>& list) {
    if (2 * list.size() > list.capacity()) list.reserve(2 * list.capacity());
}

/// Features of the same body that are near each other at rest are kept apart by half of that at most.
double rest_limit(double minimum_distance, double rest_distance_squared) {
    return rest_distance_squared < 4.0 * minimum_distance * minimum_distance ? 0.5 * std::sqrt(rest_distance_squared)
                                                                             : minimum_distance;
}

} // namespace

/// One search.
struct FeatureSearch::Query {
    double minimum_distance; // of vertices and faces [m]
    bool is_near_at_rest;    // the patches may have features nearer at rest than twice the minimum distance
    float far;               // boxes that are farther apart are of no interest [m]
    float rounding;          // of distances [m]
    float reach_squared;     // with the rounding [m2]
    CandidateBucket& found;
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

/// Vertices of p and faces of q.
void FeatureSearch::add_vertices(const Query& query, int p, int q) const {
    FeaturePairs pairs;
    float squared[kAtOnce];
    boxes_.find_vertices(p, q, query.far, pairs);
    const int first_face = patches_.patches()[q].face_begin;
    const std::span<const int> vertices = patches_.vertices(patches_.patches()[p]);
    const PatchPoints points = boxes_.points(p, q);
    for (int begin = 0; begin < pairs.count; begin += kAtOnce) {
        const int end = std::min(pairs.count, begin + kAtOnce);
        vertex_face_distances(points, boxes_.face_places(q), pairs, begin, end, squared);
        for (int k = begin; k < end; ++k) {
            if (squared[k - begin] >= query.reach_squared) continue; // what is not a number may be near
            const int v = vertices[pairs.first[k]], face = first_face + pairs.second[k];
            const Triangle& t = patches_.faces()[face].v;
            if (has_vertex(t, v)) continue;
            const float least = std::sqrt(squared[k - begin]) - query.rounding;
            add_candidate(v, face, least, vertex_distance(query, v, t), query.found);
        }
    }
}

void FeatureSearch::add_edges(const Query& query, int p, int q) const {
    FeaturePairs pairs;
    float squared[kAtOnce];
    boxes_.find_edges(p, q, query.far, pairs);
    const PatchPoints points = boxes_.points(p, q);
    for (int begin = 0; begin < pairs.count; begin += kAtOnce) {
        const int end = std::min(pairs.count, begin + kAtOnce);
        edge_edge_distances(points, boxes_.edge_places(p), boxes_.edge_places(q), pairs, begin, end, squared);
        for (int k = begin; k < end; ++k) {
            if (squared[k - begin] >= query.reach_squared) continue; // what is not a number may be near
            const PatchBoxes::OwnEdge &a = boxes_.edges(p)[pairs.first[k]], &b = boxes_.edges(q)[pairs.second[k]];
            if (share_a_vertex(a.ends, b.ends)) continue;
            const float least = std::sqrt(squared[k - begin]) - query.rounding;
            // Half the distance: the vertices keep the layers apart, edges only must not cross.
            add_candidate(a.name, b.name, least, 0.5 * edge_distance(query, a.ends, b.ends), query.found);
        }
    }
}

void FeatureSearch::find(const PatchPair& pair, double ahead, CandidateBucket& bucket) const {
    const SurfacePatches::Patch &p = patches_.patches()[pair.p], &q = patches_.patches()[pair.q];
    const double reach = pair.minimum_distance + ahead;
    const auto rounding = static_cast<float>(kDistanceRounding * boxes_.size(pair.p, pair.q));
    const auto far = static_cast<float>(std::min<double>(reach * (1.0 + 1e-6), PatchBoxes::kMostReach));
    const float with_rounding = far + rounding;
    // Seldom near: in cloth that lies flat at rest, features that share no vertex are farther apart than that.
    const bool is_near_at_rest = p.body == q.body && pair.rest_gap < 2.0F * pair.minimum_distance;
    const Query query{pair.minimum_distance, is_near_at_rest, far, rounding, with_rounding * with_rounding, bucket};
    add_vertices(query, pair.p, pair.q);
    if (pair.p != pair.q) add_vertices(query, pair.q, pair.p);
    // What is done with a pair depends on its kind, so the kinds lie apart.
    bucket.vertex_count = static_cast<int>(bucket.candidates.size());
    add_edges(query, pair.p, pair.q);
    keep_room(bucket.candidates);
    keep_room(bucket.recheck_at);
}

} // namespace selvage
