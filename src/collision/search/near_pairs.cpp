#include "collision/search/near_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "collision/search/proximity.h"
#include "math/block.h"

namespace selvage {

namespace {

// Beyond what a step needs, a search looks ahead for this many steps like it, within these shares of an edge's length:
// farther out lie the neighbours in the cloth itself, which are no news.
constexpr double kStepsAhead = 30.0;
constexpr double kLeastAhead = 0.15, kMostAhead = 0.5;
// That far ahead, in edges, boxes and looks from above must reach: they cost a tenth of a search. Where boxes are this far
// apart nothing more need be known.
constexpr double kLeastClear = 0.1, kFarInEdges = 1.5;
// A step may turn out longer than first said, by contact.
constexpr double kReserve = 1.25;
constexpr double kReserveOfDistance = 0.25;
// How far apart patches are that are listed, in their edges' lengths.
constexpr double kListReach = 2.5;
constexpr int kPatchesPerChunk = 16, kPairsPerChunk = 4;
constexpr int kLeastRoom = 64; // candidates of a pair: so that lists soon have the room they need

bool share_a_vertex(const Edge& a, const Edge& b) {
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

bool has_vertex(const Triangle& t, int v) {
    return t[0] == v || t[1] == v || t[2] == v;
}

/// Four pairs of segments: their ways from end to end, and that from the second's first end to the first's.
struct FourEdgePairs {
    Doubles4 way_x, way_y, way_z, other_x, other_y, other_z, from_x, from_y, from_z;

    void put(int lane, const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
        way_x[lane] = q.x - p.x, way_y[lane] = q.y - p.y, way_z[lane] = q.z - p.z;
        other_x[lane] = b.x - a.x, other_y[lane] = b.y - a.y, other_z[lane] = b.z - a.z;
        from_x[lane] = p.x - a.x, from_y[lane] = p.y - a.y, from_z[lane] = p.z - a.z;
    }
};

/// closest_points_of_segments without branches: the same operations. Of no meaning where a segment is a point: then it is not a
/// number, or `least`, the square of the shorter length, is 0.
SELVAGE_WIDE void squared_distances(const FourEdgePairs& e, Doubles4& squared, Doubles4& least) {
    const Doubles4 zero{}, one = zero + 1.0;
    const Doubles4 l1 = e.way_x * e.way_x + e.way_y * e.way_y + e.way_z * e.way_z;
    const Doubles4 l2 = e.other_x * e.other_x + e.other_y * e.other_y + e.other_z * e.other_z;
    const Doubles4 f = e.other_x * e.from_x + e.other_y * e.from_y + e.other_z * e.from_z;
    const Doubles4 c = e.way_x * e.from_x + e.way_y * e.from_y + e.way_z * e.from_z;
    const Doubles4 mixed = e.way_x * e.other_x + e.way_y * e.other_y + e.way_z * e.other_z;
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
    const Doubles4 x = e.from_x + s * e.way_x - within * e.other_x;
    const Doubles4 y = e.from_y + s * e.way_y - within * e.other_y;
    const Doubles4 z = e.from_z + s * e.way_z - within * e.other_z;
    squared = x * x + y * y + z * z;
    least = SELVAGE_SELECT(l1 < l2, l1, l2);
}

} // namespace

NearPairs::NearPairs(const ContactSurface& surface, const SurfacePatches& patches)
    : surface_(surface), patches_(patches), waiting_(surface.bodies.size()), motion_(patches.patches().size()),
      is_new_(patches.patches().size()), patch_box_(patches.patches().size()), flat_(surface, patches), boxes_(patches),
      fit_(patches.patches().size()) {
    double edge = 0.0, weight = 0.0;
    for (const SurfacePatches::Patch& patch : patches.patches()) {
        if (patch.is_solid) continue;
        edge += patch.face_count * patch.edge_length;
        weight += patch.face_count;
    }
    if (weight > 0.0) mean_edge_ = edge / weight;
}

bool NearPairs::may_meet(int body, int other) const {
    const ContactBody &a = surface_.bodies[body], &b = surface_.bodies[other];
    if (a.is_solid && b.is_solid) return false;
    if (a.is_solid || b.is_solid) return true;
    if (waiting_[body] || waiting_[other]) return false;
    return a.meets_itself || b.meets_itself;
}

void NearPairs::measure(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> motion) {
    patches_.measure(pool, x, motion, motion_);
    measured_.assign(motion.begin(), motion.end());
    take_measures();
    are_booked_ = false;
}

void NearPairs::measure_again(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> motion) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    pool.for_chunks(static_cast<int>(patches.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int p = begin; p < end; ++p) {
            const std::span<const int> vertices = patches_.vertices(patches[p]);
            is_new_[p] =
                std::any_of(vertices.begin(), vertices.end(), [&](int v) { return motion[v] != measured_[v]; });
            if (is_new_[p]) motion_[p] = patches_.measure_patch(x, motion, p);
        }
    });
    std::copy(motion.begin(), motion.end(), measured_.begin());
    take_measures();
}

void NearPairs::take_measures() {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    Vec3 sum;
    int count = 0;
    for (std::size_t p = 0; p < patches.size(); ++p)
        if (!surface_.bodies[patches[p].body].is_solid) {
            sum += motion_[p].mean;
            ++count;
        }
    mean_motion_ = count > 0 ? sum / static_cast<double>(count) : Vec3{};
    farthest_ = 0.0;
    for (const SurfacePatches::Motion& m : motion_)
        farthest_ = std::max(farthest_, length(m.mean - mean_motion_) + m.spread());
}

Aabb NearPairs::swept_box() const {
    Aabb box;
    for (std::size_t p = 0; p < motion_.size(); ++p) {
        if (patches_.patches()[p].is_solid) continue;
        const SurfacePatches::Motion& m = motion_[p];
        const double reach = m.radius + m.spread();
        for (const Vec3& centre : {m.centre, m.centre + m.mean})
            box.include(Aabb{centre - reach * Vec3{1, 1, 1}, centre + reach * Vec3{1, 1, 1}});
    }
    return box;
}

void NearPairs::set_waiting(std::vector<std::uint8_t> bodies) {
    if (bodies == waiting_) return;
    waiting_ = std::move(bodies);
    forget();
}

void NearPairs::forget() {
    for (const PatchPair& pair : pairs_)
        if (pair.bucket >= 0) free_buckets_.push_back(pair.bucket);
    pairs_.clear();
    list_left_ = -1.0;
}

void NearPairs::start_step(ThreadPool& pool, std::span<const Vec3> x) {
    if (2.0 * kReserve * farthest_ > list_left_) list_pairs(pool, x);
    pool.for_each(static_cast<int>(pairs_.size()), [&](int k) {
        set_used(pairs_[k]);
        pairs_[k].gathered = kNothingYet;
    });
    are_booked_ = true;
    search(pool, x);
}

void NearPairs::set_used(PatchPair& pair) const {
    const double moved = relative_motion(pair);
    pair.moved = static_cast<float>(moved * (1.0 + 1e-5)); // a little more: the sums are in float
    pair.used = static_cast<float>(kReserve * moved + kReserveOfDistance * pair.distance);
}

bool NearPairs::extend_step(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> motion) {
    measure_again(pool, x, motion);
    bool changed = false;
    if (2.0 * farthest_ > list_left_) {
        list_pairs(pool, x);
        changed = true;
    }
    const int longer = pool.sum<int>(static_cast<int>(pairs_.size()), [&](int k) {
        PatchPair& pair = pairs_[k];
        if (!is_new_[pair.p] && !is_new_[pair.q]) return 0;
        const float used = pair.used;
        set_used(pair);
        if (pair.moved > used) return 1;
        pair.used = used;
        return 0;
    });
    if (longer > 0 || changed) search(pool, x);
    return longer > 0 || changed;
}

void NearPairs::finish_step(ThreadPool& pool) {
    pool.for_each(static_cast<int>(pairs_.size()), [&](int k) {
        PatchPair& pair = pairs_[k];
        if (!are_booked_) set_used(pair);
        pair.spent += pair.moved;
        pair.left -= pair.moved;
    });
    list_left_ -= 2.0 * farthest_;
}

/// All pairs of patches whose boxes are nearer than the reach; those known before keep their lists.
void NearPairs::list_pairs(ThreadPool& pool, std::span<const Vec3> x) {
    ++counts_.listings;
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    const int n = static_cast<int>(patches.size());
    const double reach = std::max(kListReach * mean_edge_, 8.0 * farthest_);
    pool.for_chunks(n, kPatchesPerChunk, [&](int begin, int end) {
        for (int p = begin; p < end; ++p) {
            Aabb& box = patch_box_[p];
            box = {};
            for (const int v : patches_.vertices(patches[p]))
                box.include(x[v]);
            const double grown = 0.5 * reach + surface_.bodies[patches[p].body].distance;
            box = {box.low - Vec3{grown, grown, grown}, box.high + Vec3{grown, grown, grown}};
        }
    });
    tree_.build(pool, patch_box_);
    found_.resize(static_cast<std::size_t>((n + kPatchesPerChunk - 1) / kPatchesPerChunk));
    pool.for_chunks(n, kPatchesPerChunk, [&](int begin, int end) {
        std::vector<Edge>& found = found_[begin / kPatchesPerChunk];
        found.clear();
        for (int p = begin; p < end; ++p) {
            if (patches[p].face_count == 0) continue; // loose vertices meet solids only
            const auto first = static_cast<std::ptrdiff_t>(found.size());
            tree_.for_touching(patch_box_[p], [&](int q) {
                if (q < p || patches[q].face_count == 0 || !patch_box_[q].touches(patch_box_[p])) return;
                const int a = patches[p].body, b = patches[q].body;
                if (may_meet(a, b)) found.push_back({p, q});
            });
            std::sort(found.begin() + first, found.end());
        }
    });
    std::swap(pairs_, old_pairs_);
    pairs_.clear();
    std::size_t old = 0;
    const auto drop_old = [&] {
        if (old_pairs_[old].bucket >= 0) free_buckets_.push_back(old_pairs_[old].bucket);
        ++old;
    };
    for (const std::vector<Edge>& found : found_)
        for (const Edge& pq : found) {
            const auto is_before = [&](const PatchPair& pair) { return Edge{pair.p, pair.q} < pq; };
            while (old < old_pairs_.size() && is_before(old_pairs_[old]))
                drop_old();
            if (old < old_pairs_.size() && Edge{old_pairs_[old].p, old_pairs_[old].q} == pq) {
                pairs_.push_back(old_pairs_[old++]);
                continue;
            }
            const ContactBody &a = surface_.bodies[patches[pq[0]].body], &b = surface_.bodies[patches[pq[1]].body];
            PatchPair pair;
            pair.p = pq[0];
            pair.q = pq[1];
            pair.left = -1.0F;
            pair.distance = static_cast<float>(a.is_solid   ? a.distance
                                               : b.is_solid ? b.distance
                                                            : 0.5 * (a.distance + b.distance));
            pair.friction = static_cast<float>(a.is_solid   ? a.friction
                                               : b.is_solid ? b.friction
                                                            : std::sqrt(a.friction * b.friction));
            set_used(pair);
            pairs_.push_back(pair);
        }
    while (old < old_pairs_.size())
        drop_old();
    list_left_ = reach;
}

/// The patches of due pairs, each once.
void NearPairs::list_patches() {
    for (const int patch : fit_list_)
        fit_[patch] = 0;
    fit_list_.clear();
    for (const int k : due_)
        for (const int patch : {pairs_[k].p, pairs_[k].q})
            if (!fit_[patch]) {
                fit_[patch] = 1;
                fit_list_.push_back(patch);
            }
}

/// Pairs whose account does not last for this step.
void NearPairs::search(ThreadPool& pool, std::span<const Vec3> x) {
    due_.clear();
    for (int k = 0; k < static_cast<int>(pairs_.size()); ++k)
        if (pairs_[k].used > pairs_[k].left) due_.push_back(k);
    if (due_.empty()) return;
    for (const int k : due_) {
        if (pairs_[k].bucket >= 0) continue;
        if (free_buckets_.empty()) {
            pairs_[k].bucket = static_cast<int>(buckets_.size());
            buckets_.emplace_back();
        } else {
            pairs_[k].bucket = free_buckets_.back();
            free_buckets_.pop_back();
        }
    }
    counts_.looks += static_cast<std::int64_t>(due_.size());
    drop_clear_pairs(pool, x);
    counts_.searches += static_cast<std::int64_t>(due_.size());
    list_patches();
    pool.for_chunks(static_cast<int>(fit_list_.size()), kPairsPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            boxes_.fit(x, fit_list_[k]);
    });
    pool.for_chunks(static_cast<int>(due_.size()), kPairsPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            search_pair(x, pairs_[due_[k]]);
    });
}

/// Pairs that are far apart, or of cloth that lies flat there, are due no longer.
void NearPairs::drop_clear_pairs(ThreadPool& pool, std::span<const Vec3> x) {
    list_patches();
    pool.for_chunks(static_cast<int>(fit_list_.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            Aabb box;
            for (const int v : patches_.vertices(patches_.patches()[fit_list_[k]]))
                box.include(x[v]);
            patch_box_[fit_list_[k]] = box;
            flat_.fit(x, fit_list_[k]);
        }
    });
    is_clear_.assign(due_.size(), 0);
    pool.for_chunks(static_cast<int>(due_.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            is_clear_[k] = clear(x, pairs_[due_[k]]);
    });
    std::size_t left = 0;
    for (std::size_t k = 0; k < due_.size(); ++k)
        if (!is_clear_[k]) due_[left++] = due_[k];
    due_.resize(left);
}

/// Whether the boxes of the patches are apart, or, seen along the cloth's normal, all features are: by enough that none need be
/// listed. Then that is on the account.
bool NearPairs::clear(std::span<const Vec3> x, PatchPair& pair) {
    const SurfacePatches::Patch &p = patches_.patches()[pair.p], &q = patches_.patches()[pair.q];
    const double edge = 0.5 * (p.edge_length + q.edge_length);
    const Aabb &one = patch_box_[pair.p], &other = patch_box_[pair.q];
    const auto apart = [](double low, double high, double low2, double high2) {
        return std::max({0.0, low - high2, low2 - high});
    };
    double gap = length(Vec3{apart(one.low.x, one.high.x, other.low.x, other.high.x),
                             apart(one.low.y, one.high.y, other.low.y, other.high.y),
                             apart(one.low.z, one.high.z, other.low.z, other.high.z)});
    Bucket& bucket = buckets_[pair.bucket];
    bucket.candidates.clear();
    bucket.vertex_count = 0;
    if (gap < kFarInEdges * edge) bucket.candidates.reserve(kLeastRoom); // now, not in some later step
    if (p.body == q.body && gap < kFarInEdges * edge) {
        if (pair.rest_gap < 0.0F) pair.rest_gap = static_cast<float>(flat_.rest_gap(pair.p, pair.q, edge));
        if (pair.rest_gap > 0.0F) gap = std::max(gap, flat_.gap(x, pair.p, pair.q, pair.rest_gap));
    }
    const double left = gap - pair.distance;
    if (!(left > std::max(1.5 * pair.used, kLeastClear * edge))) return false;
    pair.left = static_cast<float>(left * (1.0 - 1e-6));
    pair.spent = 0.0F;
    pair.gathered = kNothingYet;
    return true;
}

/// Features of the same body that are near each other at rest are kept apart by half of that at most.
double NearPairs::rest_limit(const PatchPair& pair, double rest_distance_squared) const {
    const double wanted = pair.distance;
    return rest_distance_squared < 4.0 * wanted * wanted ? 0.5 * std::sqrt(rest_distance_squared) : wanted;
}

void NearPairs::search_pair(std::span<const Vec3> x, PatchPair& pair) {
    const SurfacePatches::Patch &p = patches_.patches()[pair.p], &q = patches_.patches()[pair.q];
    Bucket& bucket = buckets_[pair.bucket];
    pair.spent = 0.0F;
    pair.gathered = kNothingYet;
    const double edge = 0.5 * (p.edge_length + q.edge_length);
    const double ahead =
        std::max(1.5 * pair.used, std::clamp(kStepsAhead * pair.used, kLeastAhead * edge, kMostAhead * edge));
    const double reach = pair.distance + ahead;

    pair.left = static_cast<float>(ahead);

    // Seldom: in cloth that lies flat at rest, features that share no vertex are farther apart than twice what is kept.
    const bool near_at_rest = p.body == q.body && pair.rest_gap < 2.0F * pair.distance;
    const std::vector<Vec3>& rest = surface_.rest;
    const double reach2 = reach * reach;
    const auto candidate = [](int a, int b, double distance_squared, double kept) {
        const double distance = std::sqrt(distance_squared);
        return Candidate{a, b, static_cast<float>((distance - kept) * (1.0 - 1e-6)), static_cast<float>(kept)};
    };
    const std::span<const SurfacePatches::Face> faces = patches_.faces();
    const auto test_vertex = [&](int v, int face) {
        const Triangle& t = faces[face].v;
        if (has_vertex(t, v)) return;
        const double d2 = closest_points(x[v], x[t[0]], x[t[1]], x[t[2]]).distance_squared;
        if (d2 >= reach2) return;
        const double kept =
            near_at_rest
                ? rest_limit(pair, closest_points(rest[v], rest[t[0]], rest[t[1]], rest[t[2]]).distance_squared)
                : pair.distance;
        bucket.candidates.push_back(candidate(v, face, d2, kept));
    };
    const auto take_edges = [&](const PatchBoxes::OwnEdge& a, const PatchBoxes::OwnEdge& b, double d2) {
        const auto [i, j] = a.ends;
        const auto [m, n] = b.ends;
        // Half the distance: the vertices keep the layers apart, edges only must not cross.
        const double kept =
            0.5 *
            (near_at_rest
                 ? rest_limit(pair, closest_points_of_segments(rest[i], rest[j], rest[m], rest[n]).distance_squared)
                 : pair.distance);
        bucket.candidates.push_back(candidate(a.name, b.name, d2, kept));
    };
    // Edges four pairs at a time: most are near by their boxes only.
    FourEdgePairs four{};
    std::array<std::pair<const PatchBoxes::OwnEdge*, const PatchBoxes::OwnEdge*>, 4> waiting{};
    int lanes = 0;
    const auto test_waiting = [&] {
        Doubles4 squared, least;
        squared_distances(four, squared, least);
        for (int lane = 0; lane < lanes; ++lane) {
            const auto& [a, b] = waiting[lane];
            double d2 = squared[lane];
            if (!(least[lane] > 0.0) || std::isnan(d2))
                d2 = closest_points_of_segments(x[a->ends[0]], x[a->ends[1]], x[b->ends[0]], x[b->ends[1]])
                         .distance_squared;
            if (d2 < reach2) take_edges(*a, *b, d2);
        }
        lanes = 0;
    };
    const auto test_edges = [&](const PatchBoxes::OwnEdge& a, const PatchBoxes::OwnEdge& b) {
        if (share_a_vertex(a.ends, b.ends)) return;
        four.put(lanes, x[a.ends[0]], x[a.ends[1]], x[b.ends[0]], x[b.ends[1]]);
        waiting[lanes++] = {&a, &b};
        if (lanes == 4) test_waiting();
    };
    const auto far = static_cast<float>(reach * (1.0 + 1e-6));
    boxes_.for_near_vertices(pair.p, pair.q, far, test_vertex);
    if (pair.p != pair.q) boxes_.for_near_vertices(pair.q, pair.p, far, test_vertex);
    // What is done with a pair depends on its kind, so the kinds lie apart.
    bucket.vertex_count = static_cast<int>(bucket.candidates.size());
    boxes_.for_near_edges(pair.p, pair.q, far, test_edges);
    if (lanes > 0) test_waiting();
    // Room for twice as many: so that lists soon have what they will need.
    if (2 * bucket.candidates.size() > bucket.candidates.capacity())
        bucket.candidates.reserve(2 * bucket.candidates.capacity());
}

} // namespace selvage
