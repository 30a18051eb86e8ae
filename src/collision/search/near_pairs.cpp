#include "collision/search/near_pairs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/assert.h"
#include "collision/contact/friction.h"
#include "math/mat.h"

namespace selvage {

namespace {

// Beyond what a step needs, a search looks ahead for this many steps like it, within these fractions of an edge's
// length: farther out lie the neighbours in the cloth itself, which are no news.
constexpr double kStepsAhead = 30.0;
constexpr double kLeastAhead = 0.15, kMostAhead = 0.5;
// That far ahead, in edges, boxes and flat bounds must reach: they cost a tenth of a search. Where boxes are this far
// apart nothing more need be known.
constexpr double kLeastClear = 0.1, kFarInEdges = 1.5;
// A step may turn out longer than first said, by contact.
constexpr double kReserve = 1.25;
constexpr double kReserveOfDistance = 0.25;
// How far apart patches are that are listed, in their edges' lengths.
constexpr double kListReach = 2.5;
constexpr int kPatchesPerChunk = 16, kPairsPerChunk = 4;
constexpr int kPatchesPerGroup = 8; // that are looked up together: patches that follow each other lie together
constexpr int kLeastRoom = 64;      // candidates of a pair: so that lists soon have the room they need

double distance_of(const Aabb& a, const Aabb& b) {
    const auto apart = [](double low, double high, double low2, double high2) {
        return std::max({0.0, low - high2, low2 - high});
    };
    return length(Vec3{apart(a.low.x, a.high.x, b.low.x, b.high.x), apart(a.low.y, a.high.y, b.low.y, b.high.y),
                       apart(a.low.z, a.high.z, b.low.z, b.high.z)});
}

} // namespace

NearPairs::NearPairs(const ContactSurface& surface, const SurfacePatches& patches)
    : surface_(surface), patches_(patches), motion_(patches.patches().size()), extent_(surface.bodies.size()),
      is_watched_(patches.patches().size()), resting_(patches.patches().size()),
      is_remeasured_(patches.patches().size()), patch_box_(patches.patches().size()), flat_(surface, patches),
      features_(surface, patches), is_patch_due_(patches.patches().size()) {
    double edge = 0.0, weight = 0.0;
    for (const SurfacePatches::Patch& patch : patches.patches()) {
        if (patch.is_solid) continue;
        edge += patch.face_count * patch.edge_length;
        weight += patch.face_count;
        ++cloth_patch_count_;
    }
    for (const ContactBody& body : surface.bodies)
        if (!body.is_solid) cloth_vertex_count_ = std::max(cloth_vertex_count_, body.vertex_begin + body.vertex_count);
    for (int p = 0; p < cloth_patch_count_; ++p)
        SELVAGE_ASSERT(!patches.patches()[p].is_solid);
    if (weight > 0.0) mean_edge_ = edge / weight;
}

bool NearPairs::may_meet(int body, int other) const {
    const ContactBody &a = surface_.bodies[body], &b = surface_.bodies[other];
    if (a.is_solid && b.is_solid) return false;
    if (a.is_solid || b.is_solid) return true;
    return a.meets_itself || b.meets_itself;
}

/// At least how much nearer a vertex of one patch can come to one of the other. A motion that is the same rigid one for
/// both changes no distance, or makes it larger.
double NearPairs::relative_motion(const PatchPair& pair) const {
    const SurfacePatches::Motion &a = motion_[pair.p], &b = motion_[pair.q];
    if (pair.p == pair.q) return 2.0 * a.rest;
    const Vec3 turn = 0.5 * (a.turn + b.turn);
    return length(b.mean - a.mean - cross(turn, b.centre - a.centre)) +
           0.5 * length(b.turn - a.turn) * (a.radius + b.radius) + a.rest + b.rest;
}

void NearPairs::measure(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement,
                        std::span<const SolidExtent> extents) {
    displacement_ = displacement;
    take_extents(extents);
    patches_.measure(pool, x, displacement, std::span(motion_).first(static_cast<std::size_t>(cloth_patch_count_)));
    pool.for_chunks(static_cast<int>(watched_.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            measure_solid(x, watched_[k]);
    });
    measured_.assign(displacement.begin(), displacement.begin() + cloth_vertex_count_);
    take_means();
    are_pairs_measured_ = false;
}

void NearPairs::take_extents(std::span<const SolidExtent> extents) {
    are_extents_given_ = !extents.empty();
    if (are_extents_given_) {
        std::copy(extents.begin(), extents.end(), extent_.begin());
        return;
    }
    for (std::size_t b = 0; b < extent_.size(); ++b) {
        const ContactBody& body = surface_.bodies[b];
        if (!body.is_solid) continue;
        extent_[b] = {};
        for (int v = body.vertex_begin; v < body.vertex_begin + body.vertex_count; ++v)
            extent_[b].displacement.include(displacement_[v]);
    }
}

/// Unless it rests where it was measured before.
void NearPairs::measure_solid(std::span<const Vec3> x, int patch) {
    const SolidExtent& extent = extent_[patches_.patches()[patch].body];
    if (extent.resting != 0 && resting_[patch] == extent.resting) return;
    motion_[patch] = patches_.measure_patch(x, displacement_, patch);
    resting_[patch] = extent.resting;
}

/// Measures the patches whose vertices move otherwise than when last measured.
void NearPairs::measure_again(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    const auto has_changed = [&](int v) { return displacement[v] != measured_[v]; };
    displacement_ = displacement;
    pool.for_chunks(cloth_patch_count_, kPatchesPerChunk, [&](int begin, int end) {
        for (int p = begin; p < end; ++p) {
            const std::span<const int> vertices = patches_.vertices(patches[p]);
            is_remeasured_[p] = std::any_of(vertices.begin(), vertices.end(), has_changed);
            if (is_remeasured_[p]) motion_[p] = patches_.measure_patch(x, displacement, p);
        }
    });
    if (!are_extents_given_) { // what is not known of solids may have changed
        take_extents({});
        for (const int p : watched_) {
            is_remeasured_[p] = 1;
            measure_solid(x, p);
        }
    }
    std::copy(displacement.begin(), displacement.begin() + cloth_vertex_count_, measured_.begin());
    take_means();
}

/// The mean of the cloths' patches and how far they and the solids are from it.
void NearPairs::take_means() {
    const auto cloths = std::span(motion_).first(static_cast<std::size_t>(cloth_patch_count_));
    Vec3 sum;
    for (const SurfacePatches::Motion& m : cloths)
        sum += m.mean;
    mean_motion_ = cloth_patch_count_ > 0 ? sum / static_cast<double>(cloth_patch_count_) : Vec3{};
    farthest_cloth_ = 0.0;
    for (const SurfacePatches::Motion& m : cloths)
        farthest_cloth_ = std::max(farthest_cloth_, length(m.mean - mean_motion_) + m.spread());
    const double solid = farthest_solid();
    farthest_ = solid >= 0.0 ? std::max(farthest_cloth_, solid) : std::min(farthest_cloth_, farthest_from_rigid());
}

/// The farthest of the cloths' patches from the rigid motion that is nearest to theirs. Cloth that swings turns as a
/// whole, so this is far less than from the mean.
double NearPairs::farthest_from_rigid() const {
    const auto cloths = std::span(motion_).first(static_cast<std::size_t>(cloth_patch_count_));
    Vec3 middle;
    for (const SurfacePatches::Motion& m : cloths)
        middle += m.centre / static_cast<double>(cloth_patch_count_);
    Vec3 moment;
    SymMat3 inertia;
    for (const SurfacePatches::Motion& m : cloths) {
        const Vec3 arm = m.centre - middle;
        moment += cross(arm, m.mean - mean_motion_);
        inertia.add_scaled(length_squared(arm), -1.0, arm);
    }
    const Vec3 turn = inverse(inertia) * moment;
    double farthest = 0.0;
    for (const SurfacePatches::Motion& m : cloths) {
        const Vec3 off = m.mean - mean_motion_ - cross(turn, m.centre - middle);
        farthest = std::max(farthest, length(off) + length(m.turn - turn) * m.radius + m.rest);
    }
    return is_finite(turn) ? farthest : farthest_cloth_;
}

/// Of the vertices of solids from the cloths' mean motion; -1 where there are none.
double NearPairs::farthest_solid() const {
    double farthest = -1.0;
    const auto farther = [](double low, double high, double mean) { return std::max(mean - low, high - mean); };
    for (std::size_t b = 0; b < extent_.size(); ++b) {
        if (!surface_.bodies[b].is_solid || surface_.bodies[b].vertex_count == 0) continue;
        const auto& [low, high] = extent_[b].displacement;
        const Vec3 corner{farther(low.x, high.x, mean_motion_.x), farther(low.y, high.y, mean_motion_.y),
                          farther(low.z, high.z, mean_motion_.z)};
        farthest = std::max(farthest, length(corner) * (1.0 + 1e-12));
    }
    return farthest;
}

Aabb NearPairs::swept_box() const {
    Aabb box;
    for (int p = 0; p < cloth_patch_count_; ++p) {
        const SurfacePatches::Motion& m = motion_[p];
        const double reach = m.radius + m.spread();
        for (const Vec3& centre : {m.centre, m.centre + m.mean})
            box.include(Aabb{centre - reach * Vec3{1, 1, 1}, centre + reach * Vec3{1, 1, 1}});
    }
    return box;
}

void NearPairs::forget() {
    for (PatchPair& pair : pairs_)
        free_bucket(pair);
    pairs_.clear();
    listed_.clear();
    list_budget_ = -1.0;
    std::fill(resting_.begin(), resting_.end(), 0);
}

void NearPairs::free_bucket(PatchPair& pair) {
    if (pair.bucket < 0) return;
    buckets_[pair.bucket].clear();
    free_buckets_.push_back(std::exchange(pair.bucket, -1));
}

void NearPairs::start_step(ThreadPool& pool, std::span<const Vec3> x) {
    if (2.0 * kReserve * farthest_ > list_budget_) list_pairs(pool, x);
    pool.for_each(static_cast<int>(pairs_.size()), [&](int k) {
        set_allowance(pairs_[k]);
        pairs_[k].gathered_until = PatchPair::kNothingYet;
    });
    are_pairs_measured_ = true;
    search(pool, x);
}

void NearPairs::set_allowance(PatchPair& pair) const {
    const double moved = relative_motion(pair);
    pair.moved = static_cast<float>(moved * (1.0 + 1e-5)); // a little more: the sums are in float
    pair.allowance = static_cast<float>(kReserve * moved + kReserveOfDistance * pair.minimum_distance);
}

bool NearPairs::extend_step(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement) {
    measure_again(pool, x, displacement);
    const bool needs_listing = 2.0 * farthest_ > list_budget_;
    if (needs_listing) list_pairs(pool, x);
    const int longer = pool.sum<int>(static_cast<int>(pairs_.size()), [&](int k) {
        PatchPair& pair = pairs_[k];
        if (!is_remeasured_[pair.p] && !is_remeasured_[pair.q]) return 0;
        const float allowance = pair.allowance;
        set_allowance(pair);
        if (pair.moved > allowance) return 1;
        pair.allowance = allowance;
        return 0;
    });
    if (longer == 0 && !needs_listing) return false;
    search(pool, x);
    return true;
}

void NearPairs::finish_step(ThreadPool& pool) {
    pool.for_each(static_cast<int>(pairs_.size()), [&](int k) {
        PatchPair& pair = pairs_[k];
        if (!are_pairs_measured_) set_allowance(pair);
        pair.moved_since_search += pair.moved;
        pair.budget -= pair.moved;
    });
    list_budget_ -= 2.0 * farthest_;
}

/// All pairs of patches whose boxes are nearer than the reach; those known before keep their lists.
void NearPairs::list_pairs(ThreadPool& pool, std::span<const Vec3> x) {
    ++counts_.listings;
    const double reach = std::max(kListReach * mean_edge_, 8.0 * farthest_);
    grow_boxes(pool, x, reach);
    tree_.build(pool, reachable_box_);
    find_touching_boxes(pool);
    watch_solids(pool, x);
    merge_pairs();
    list_budget_ = reach;
}

/// Boxes around the patches that touch where the patches are nearer than the reach and the minimum distance.
void NearPairs::grow_boxes(ThreadPool& pool, std::span<const Vec3> x, double reach) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    pool.for_chunks(static_cast<int>(patches.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int p = begin; p < end; ++p) {
            Aabb& box = patch_box_[p];
            box = {};
            for (const int v : patches_.vertices(patches[p]))
                box.include(x[v]);
            const double grown = 0.5 * reach + surface_.bodies[patches[p].body].distance;
            box = {box.low - Vec3{grown, grown, grown}, box.high + Vec3{grown, grown, grown}};
        }
    });
    reachable_.clear();
    reachable_box_.clear();
    Aabb cloths;
    for (int p = 0; p < static_cast<int>(patches.size()); ++p) {
        if (p < cloth_patch_count_)
            cloths.include(patch_box_[p]);
        else if (!patch_box_[p].touches(cloths))
            continue;
        reachable_.push_back(p);
        reachable_box_.push_back(patch_box_[p]);
    }
}

void NearPairs::find_touching_boxes(ThreadPool& pool) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    const int n = cloth_patch_count_; // no two solids meet
    found_.resize(static_cast<std::size_t>((n + kPatchesPerChunk - 1) / kPatchesPerChunk));
    around_.resize(static_cast<std::size_t>(pool.thread_count()));
    for (std::vector<int>& around : around_)
        around.reserve(patches.size());
    pool.for_chunks(n, kPatchesPerChunk, [&](int begin, int end) {
        std::vector<int>& around = around_[ThreadPool::this_thread()];
        std::vector<Edge>& found = found_[begin / kPatchesPerChunk];
        found.clear();
        for (int group = begin; group < end; group += kPatchesPerGroup) {
            const int group_end = std::min(group + kPatchesPerGroup, end);
            Aabb whole;
            for (int p = group; p < group_end; ++p)
                if (patches[p].face_count > 0) whole.include(patch_box_[p]);
            around.clear();
            tree_.for_touching(whole, [&](int k) {
                const int q = reachable_[k];
                if (q >= group && patches[q].face_count > 0 && patch_box_[q].touches(whole)) around.push_back(q);
            });
            std::sort(around.begin(), around.end());
            for (int p = group; p < group_end; ++p) {
                if (patches[p].face_count == 0) continue; // loose vertices meet solids only
                for (const int q : around)
                    if (q >= p && patch_box_[q].touches(patch_box_[p]) && may_meet(patches[p].body, patches[q].body))
                        found.push_back({p, q});
            }
        }
    });
}

/// From now on the motions of those patches of solids are taken that are in a pair.
void NearPairs::watch_solids(ThreadPool& pool, std::span<const Vec3> x) {
    for (const int p : watched_)
        is_watched_[p] = 0;
    watched_.clear();
    for (const std::vector<Edge>& found : found_)
        for (const auto& [p, q] : found)
            if (q >= cloth_patch_count_ && !is_watched_[q]) {
                is_watched_[q] = 1;
                watched_.push_back(q);
            }
    pool.for_chunks(static_cast<int>(watched_.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            measure_solid(x, watched_[k]);
    });
}

/// Makes pairs_ of what was found, taking over those that were there before. Both are sorted.
void NearPairs::merge_pairs() {
    std::swap(pairs_, old_pairs_);
    pairs_.clear();
    listed_.clear();
    const auto patches_of = [](const PatchPair& pair) { return Edge{pair.p, pair.q}; };
    std::size_t old = 0;
    for (const std::vector<Edge>& found : found_)
        for (const Edge& patches : found) {
            while (old < old_pairs_.size() && patches_of(old_pairs_[old]) < patches)
                free_bucket(old_pairs_[old++]);
            const bool is_known = old < old_pairs_.size() && patches_of(old_pairs_[old]) == patches;
            if (is_known && old_pairs_[old].bucket >= 0) listed_.push_back(static_cast<int>(pairs_.size()));
            pairs_.push_back(is_known ? old_pairs_[old++] : make_pair(patches));
            pairs_.back().record_count = -1; // chunks of records go by number in pairs_
        }
    while (old < old_pairs_.size())
        free_bucket(old_pairs_[old++]);
}

PatchPair NearPairs::make_pair(const Edge& patches) const {
    const ContactBody& a = surface_.bodies[patches_.patches()[patches[0]].body];
    const ContactBody& b = surface_.bodies[patches_.patches()[patches[1]].body];
    PatchPair pair;
    pair.p = patches[0];
    pair.q = patches[1];
    pair.budget = -1.0F;
    pair.minimum_distance = static_cast<float>(combined_distance(a, b));
    pair.friction = static_cast<float>(combined_friction(a, b));
    set_allowance(pair);
    return pair;
}

/// The patches of due pairs, each once.
void NearPairs::list_due_patches() {
    for (const int patch : due_patches_)
        is_patch_due_[patch] = 0;
    due_patches_.clear();
    for (const int k : due_)
        for (const int patch : {pairs_[k].p, pairs_[k].q})
            if (!is_patch_due_[patch]) {
                is_patch_due_[patch] = 1;
                due_patches_.push_back(patch);
            }
}

/// Searches the pairs whose budget does not last for this step.
void NearPairs::search(ThreadPool& pool, std::span<const Vec3> x) {
    due_.clear();
    for (int k = 0; k < static_cast<int>(pairs_.size()); ++k)
        if (pairs_[k].allowance > pairs_[k].budget) due_.push_back(k);
    if (due_.empty()) return;
    counts_.looks += static_cast<std::int64_t>(due_.size());
    drop_clear_pairs(pool, x);
    counts_.searches += static_cast<std::int64_t>(due_.size());
    give_buckets();
    list_due_patches();
    pool.for_chunks(static_cast<int>(due_patches_.size()), kPairsPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            features_.fit(x, due_patches_[k]);
    });
    pool.for_chunks(static_cast<int>(due_.size()), kPairsPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            search_pair(pairs_[due_[k]]);
    });
    update_listed();
}

/// To due pairs that have none.
void NearPairs::give_buckets() {
    for (const int k : due_) {
        if (pairs_[k].bucket >= 0) continue;
        if (free_buckets_.empty()) {
            pairs_[k].bucket = static_cast<int>(buckets_.size());
            buckets_.emplace_back();
            buckets_.back().candidates.reserve(kLeastRoom); // now, not in some later step
            buckets_.back().recheck_at.reserve(kLeastRoom);
        } else {
            pairs_[k].bucket = free_buckets_.back();
            free_buckets_.pop_back();
        }
    }
}

/// After a search. Many pairs turn out to have no candidates: their buckets go to others.
void NearPairs::update_listed() {
    for (const int k : due_)
        if (buckets_[pairs_[k].bucket].candidates.empty()) free_bucket(pairs_[k]);
    next_listed_.clear();
    std::set_union(listed_.begin(), listed_.end(), due_.begin(), due_.end(), std::back_inserter(next_listed_));
    std::erase_if(next_listed_, [&](int k) { return pairs_[k].bucket < 0; });
    std::swap(listed_, next_listed_);
}

/// Pairs that are far apart, or of cloth that lies flat there, are due no longer.
void NearPairs::drop_clear_pairs(ThreadPool& pool, std::span<const Vec3> x) {
    list_due_patches();
    pool.for_chunks(static_cast<int>(due_patches_.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            Aabb box;
            for (const int v : patches_.vertices(patches_.patches()[due_patches_[k]]))
                box.include(x[v]);
            patch_box_[due_patches_[k]] = box;
            flat_.fit(x, due_patches_[k]);
        }
    });
    is_clear_.assign(due_.size(), 0);
    pool.for_chunks(static_cast<int>(due_.size()), kPatchesPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            is_clear_[k] = clear(x, pairs_[due_[k]]);
    });
    std::size_t left = 0;
    for (std::size_t k = 0; k < due_.size(); ++k) {
        if (is_clear_[k])
            free_bucket(pairs_[due_[k]]);
        else
            due_[left++] = due_[k];
    }
    due_.resize(left);
}

/// Whether the boxes of the patches are apart, or, seen along the cloth's normal, all features
/// are: by enough that none need be listed. If so that is the new budget.
bool NearPairs::clear(std::span<const Vec3> x, PatchPair& pair) {
    const SurfacePatches::Patch &p = patches_.patches()[pair.p], &q = patches_.patches()[pair.q];
    const double edge = 0.5 * (p.edge_length + q.edge_length);
    double gap = distance_of(patch_box_[pair.p], patch_box_[pair.q]);
    if (p.body == q.body && gap < kFarInEdges * edge) {
        if (pair.rest_gap < 0.0F) pair.rest_gap = static_cast<float>(flat_.rest_gap(pair.p, pair.q, edge));
        if (pair.rest_gap > 0.0F) gap = std::max(gap, flat_.gap(x, pair.p, pair.q, pair.rest_gap));
    }
    const double budget = gap - pair.minimum_distance;
    if (!(budget > std::max(1.5 * pair.allowance, kLeastClear * edge))) return false;
    pair.budget = static_cast<float>(budget * (1.0 - 1e-6));
    pair.moved_since_search = 0.0F;
    pair.gathered_until = PatchPair::kNothingYet;
    pair.record_count = -1;
    return true;
}

void NearPairs::search_pair(PatchPair& pair) {
    const SurfacePatches::Patch &p = patches_.patches()[pair.p], &q = patches_.patches()[pair.q];
    pair.moved_since_search = 0.0F;
    pair.gathered_until = PatchPair::kNothingYet;
    pair.record_count = -1;
    const double edge = 0.5 * (p.edge_length + q.edge_length);
    const double ahead =
        std::max(1.5 * pair.allowance, std::clamp(kStepsAhead * pair.allowance, kLeastAhead * edge, kMostAhead * edge));
    pair.budget = static_cast<float>(ahead);
    CandidateBucket& bucket = buckets_[pair.bucket];
    bucket.clear();
    features_.find(pair, ahead, bucket);
    pair.first_mark = PatchPair::kNothingYet;
}

} // namespace selvage
