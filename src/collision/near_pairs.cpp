#include "collision/near_pairs.h"

#include <algorithm>
#include <cmath>

#include "collision/proximity.h"

namespace selvage {

namespace {

// Beyond what a step needs, a search looks ahead for this many steps like it, within these shares of an edge's length:
// farther out lie the neighbours in the cloth itself, which are no news.
constexpr double kStepsAhead = 30.0;
constexpr double kLeastAhead = 0.15, kMostAhead = 0.5;
// A step may turn out longer than first said, by contact.
constexpr double kReserve = 1.25;
constexpr double kReserveOfDistance = 0.25;
// How far apart patches are that are listed, in their edges' lengths.
constexpr double kListReach = 4.0;
constexpr int kPatchesPerChunk = 16, kPairsPerChunk = 4;
constexpr int kLeastRoom = 64; // candidates of a pair: so that lists soon have the room they need

bool share_a_vertex(const Edge& a, const Edge& b) {
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

bool has_vertex(const Triangle& t, int v) {
    return t[0] == v || t[1] == v || t[2] == v;
}

} // namespace

NearPairs::NearPairs(const ContactSurface& surface, const SurfacePatches& patches)
    : surface_(surface), patches_(patches), waiting_(surface.bodies.size()), motion_(patches.patches().size()),
      patch_box_(patches.patches().size()), fit_(patches.patches().size()) {
    double edge = 0.0, weight = 0.0;
    for (const SurfacePatches::Patch& patch : patches.patches()) {
        if (patch.is_solid) continue;
        edge += patch.face_count * patch.edge_length;
        weight += patch.face_count;
    }
    if (weight > 0.0) mean_edge_ = edge / weight;
    face_box_.resize(patches.faces().size());
    block_box_.resize(patches.faces().size()); // more than enough
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
    due_.clear();
    for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
        PatchPair& pair = pairs_[k];
        pair.used = static_cast<float>(kReserve * relative_motion(pair) + kReserveOfDistance * pair.distance);
        pair.gathered = kNothingYet;
        if (pair.used > pair.left) due_.push_back(k);
    }
    if (!due_.empty()) search(pool, x);
}

bool NearPairs::extend_step(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> motion) {
    measure(pool, x, motion);
    bool changed = false;
    if (2.0 * farthest_ > list_left_) {
        list_pairs(pool, x);
        changed = true;
    }
    due_.clear();
    for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
        PatchPair& pair = pairs_[k];
        const double relative = relative_motion(pair);
        if (relative <= pair.used) continue;
        changed = true;
        pair.used = static_cast<float>(kReserve * relative + kReserveOfDistance * pair.distance);
        if (pair.used > pair.left) due_.push_back(k);
    }
    if (!due_.empty()) search(pool, x);
    return changed;
}

void NearPairs::finish_step(ThreadPool& pool) {
    pool.for_each(static_cast<int>(pairs_.size()), [&](int k) {
        PatchPair& pair = pairs_[k];
        // A little more than was made: the sum is in float.
        const auto spent = static_cast<float>(relative_motion(pair) * (1.0 + 1e-5));
        pair.spent += spent;
        pair.left -= spent;
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
            pair.used = static_cast<float>(kReserve * relative_motion(pair) + kReserveOfDistance * pair.distance);
            pairs_.push_back(pair);
        }
    while (old < old_pairs_.size())
        drop_old();
    list_left_ = reach;
}

void NearPairs::search(ThreadPool& pool, std::span<const Vec3> x) {
    counts_.searches += static_cast<std::int64_t>(due_.size());
    for (const int patch : fit_list_)
        fit_[patch] = 0;
    fit_list_.clear();
    for (const int k : due_) {
        for (const int patch : {pairs_[k].p, pairs_[k].q})
            if (!fit_[patch]) {
                fit_[patch] = 1;
                fit_list_.push_back(patch);
            }
        if (pairs_[k].bucket >= 0) continue;
        if (free_buckets_.empty()) {
            pairs_[k].bucket = static_cast<int>(buckets_.size());
            buckets_.emplace_back();
        } else {
            pairs_[k].bucket = free_buckets_.back();
            free_buckets_.pop_back();
        }
    }
    pool.for_chunks(static_cast<int>(fit_list_.size()), kPairsPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            fit_boxes(x, fit_list_[k]);
    });
    pool.for_chunks(static_cast<int>(due_.size()), kPairsPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            search_pair(x, pairs_[due_[k]]);
    });
}

void NearPairs::fit_boxes(std::span<const Vec3> x, int patch) {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    constexpr float kRound = 2e-7F; // more than a conversion to float rounds, as a share
    Aabb all;
    for (int f = 0; f < p.face_count; ++f) {
        Aabb box;
        for (const int v : patches_.faces()[p.face_begin + f].v)
            box.include(x[v]);
        all.include(box);
        Box& to = face_box_[p.face_begin + f];
        const double low[3] = {box.low.x, box.low.y, box.low.z}, high[3] = {box.high.x, box.high.y, box.high.z};
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<float>(low[axis]), b = static_cast<float>(high[axis]);
            to.low[axis] = a - kRound * std::abs(a);
            to.high[axis] = b + kRound * std::abs(b);
        }
        Box& block = block_box_[p.face_begin + f / SurfacePatches::kBlock];
        if (f % SurfacePatches::kBlock == 0) block = to;
        for (int axis = 0; axis < 3; ++axis) {
            block.low[axis] = std::min(block.low[axis], to.low[axis]);
            block.high[axis] = std::max(block.high[axis], to.high[axis]);
        }
    }
    patch_box_[patch] = all;
}

/// Features of the same body that are near each other at rest are kept apart by half of that at most.
double NearPairs::rest_limit(const PatchPair& pair, double rest_distance_squared) const {
    const double wanted = pair.distance;
    return rest_distance_squared < 4.0 * wanted * wanted ? 0.5 * std::sqrt(rest_distance_squared) : wanted;
}

void NearPairs::search_pair(std::span<const Vec3> x, PatchPair& pair) {
    const SurfacePatches::Patch &p = patches_.patches()[pair.p], &q = patches_.patches()[pair.q];
    Bucket& bucket = buckets_[pair.bucket];
    thread_local std::vector<Candidate> edges; // found while looking for both kinds at once
    edges.clear();
    bucket.candidates.clear();
    bucket.vertex_count = 0;
    pair.spent = 0.0F;
    pair.gathered = kNothingYet;
    const double edge = 0.5 * (p.edge_length + q.edge_length);
    const double ahead =
        std::max(1.5 * pair.used, std::clamp(kStepsAhead * pair.used, kLeastAhead * edge, kMostAhead * edge));
    const double reach = pair.distance + ahead;

    // Far apart: nothing to list, and the distance between the boxes to spend.
    const Aabb &one = patch_box_[pair.p], &other = patch_box_[pair.q];
    const auto apart = [](double low, double high, double low2, double high2) {
        return std::max({0.0, low - high2, low2 - high});
    };
    const double gap = length(Vec3{apart(one.low.x, one.high.x, other.low.x, other.high.x),
                                   apart(one.low.y, one.high.y, other.low.y, other.high.y),
                                   apart(one.low.z, one.high.z, other.low.z, other.high.z)});
    if (gap > reach) {
        pair.left = static_cast<float>((gap - pair.distance) * (1.0 - 1e-6));
        return;
    }
    pair.left = static_cast<float>(ahead);
    bucket.candidates.reserve(kLeastRoom);

    const bool same_body = p.body == q.body;
    const std::vector<Vec3>& rest = surface_.rest;
    const double reach2 = reach * reach;
    const auto near = [r = static_cast<float>(reach)](const Box& a, const Box& b) {
        // All six comparisons at once: branches here would be coin tosses.
        return static_cast<int>(a.low[0] - r <= b.high[0]) & static_cast<int>(b.low[0] - r <= a.high[0]) &
               static_cast<int>(a.low[1] - r <= b.high[1]) & static_cast<int>(b.low[1] - r <= a.high[1]) &
               static_cast<int>(a.low[2] - r <= b.high[2]) & static_cast<int>(b.low[2] - r <= a.high[2]);
    };
    const auto candidate = [](int a, int b, double distance_squared, double kept) {
        const double distance = std::sqrt(distance_squared);
        return Candidate{a, b, static_cast<float>((distance - kept) * (1.0 - 1e-6)), static_cast<float>(kept)};
    };
    const auto test_vertices = [&](int from, int face) {
        const SurfacePatches::Face& mine = patches_.faces()[from];
        const Triangle& t = patches_.faces()[face].v;
        const Box& box = face_box_[face];
        for (int k = 0; k < mine.own_vertex_count; ++k) {
            const int v = mine.own_vertex[k];
            if (has_vertex(t, v)) continue;
            const Vec3& point = x[v];
            if (point.x + reach < box.low[0] || point.x - reach > box.high[0] || point.y + reach < box.low[1] ||
                point.y - reach > box.high[1] || point.z + reach < box.low[2] || point.z - reach > box.high[2])
                continue;
            const double d2 = closest_points(point, x[t[0]], x[t[1]], x[t[2]]).distance_squared;
            if (d2 >= reach2) continue;
            const double kept =
                same_body
                    ? rest_limit(pair, closest_points(rest[v], rest[t[0]], rest[t[1]], rest[t[2]]).distance_squared)
                    : pair.distance;
            bucket.candidates.push_back(candidate(v, face, d2, kept));
        }
    };
    const auto test_edges = [&](int face, int other_face) {
        const SurfacePatches::Face &a = patches_.faces()[face], &b = patches_.faces()[other_face];
        for (int k = 0; k < a.own_edge_count; ++k) {
            const auto [i, j] = a.own_edge[k];
            for (int l = 0; l < b.own_edge_count; ++l) {
                const auto [m, n] = b.own_edge[l];
                if (share_a_vertex(a.own_edge[k], b.own_edge[l])) continue;
                const auto overlap = [&](double u, double v, double s, double t) {
                    return std::min(u, v) <= std::max(s, t) + reach && std::min(s, t) <= std::max(u, v) + reach;
                };
                if (!overlap(x[i].x, x[j].x, x[m].x, x[n].x) || !overlap(x[i].y, x[j].y, x[m].y, x[n].y) ||
                    !overlap(x[i].z, x[j].z, x[m].z, x[n].z))
                    continue;
                const double d2 = closest_points_of_segments(x[i], x[j], x[m], x[n]).distance_squared;
                if (d2 >= reach2) continue;
                // Half the distance: the vertices keep the layers apart, edges only must not cross.
                const double kept =
                    0.5 *
                    (same_body
                         ? rest_limit(pair,
                                      closest_points_of_segments(rest[i], rest[j], rest[m], rest[n]).distance_squared)
                         : pair.distance);
                edges.push_back(candidate(3 * face + k, 3 * other_face + l, d2, kept));
            }
        }
    };
    for (int a = 0; a < p.face_count; a += SurfacePatches::kBlock) {
        const int first_block = pair.p == pair.q ? a : 0;
        for (int b = first_block; b < q.face_count; b += SurfacePatches::kBlock) {
            if (!near(block_box_[p.face_begin + a / SurfacePatches::kBlock],
                      block_box_[q.face_begin + b / SurfacePatches::kBlock]))
                continue;
            const int a_end = std::min(p.face_count, a + SurfacePatches::kBlock);
            const int b_end = std::min(q.face_count, b + SurfacePatches::kBlock);
            for (int i = a; i < a_end; ++i)
                for (int j = pair.p == pair.q && a == b ? i + 1 : b; j < b_end; ++j) {
                    const int f = p.face_begin + i, g = q.face_begin + j;
                    if (!near(face_box_[f], face_box_[g])) continue;
                    test_vertices(f, g);
                    test_vertices(g, f);
                    test_edges(f, g);
                }
        }
    }
    // Vertices first: what is done with a pair depends on its kind, so the kinds lie apart.
    bucket.vertex_count = static_cast<int>(bucket.candidates.size());
    bucket.candidates.insert(bucket.candidates.end(), edges.begin(), edges.end());
}

} // namespace selvage
