// A contact in a small step of h seconds, with the gap g and the normal n of a linearisation, w the weights of its
// vertices, g0 the gap at the start of the small step and d the distance to be reached:
//   normal force   f = k max(0, target - g),   target = min(d, g0 + what it may open in a step),   A += w w^T k n n^T
//   friction       sticking: -k u, u the slip since the small step began,           A += w w^T k (1 - n n^T)
//                  sliding:  -mu f t, t = u/|u|,             A += w w^T min(k, mu f/|u|) (1 - n n^T - t t^T)
// The target gap makes contact inelastic: a gap that was too narrow at the start of the small step opens slowly, and
// bodies that collide do not fly apart.
// Sums over a vertex's pairs run in the order of the pairs: the same bits on any number of threads.

#include "solvers/multilevel/contact_forces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "collision/contact/friction.h"
#include "collision/search/proximity.h"

namespace selvage {

namespace {

constexpr double kSpare = 1.2; // distance of contact here, in minimum distances of the contact stage
constexpr double kOpeningFraction = 0.5, kOpeningSpeed = 0.2; // of what a gap lacks, per small step, and at most [m/s]
// Stiffness. Of contact with a collider: this fraction of the mean of the diagonal before contact, and this many times
// the inertia m/h^2 of the point. Of pairs of cloth: inertia alone. Their bound on the diagonal holds each vertex where
// it is, and would slow the solve if it were much stiffer.
constexpr double kSolidFraction = 0.5, kSolidInertia = 10.0, kPairInertia = 30.0;
// A pair with less than this fraction of its target gap had too weak a spring for its load, or was not solved well
// enough: it becomes this many times stiffer for the rest of the small step. Pairs with colliders only ask for another
// linearisation.
constexpr double kOverrun = 0.25, kStiffening = 4.0;
constexpr int kContactGrain = 128, kGroupGrain = 128;

Vec3 vec3_of(const Doubles4& p) {
    return {p[0], p[1], p[2]};
}

Floats4 floats_of(const Vec3& p) {
    return Floats4{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), 0.0F};
}

double mean_of(const Block& block) {
    return (static_cast<double>(block.column[0][0]) + static_cast<double>(block.column[1][1]) +
            static_cast<double>(block.column[2][2])) /
           3.0;
}

} // namespace

ContactForces::ContactForces(int vertex_count, const IndexLists& pieces, std::span<const int> place)
    : vertex_count_(vertex_count), place_(place.begin(), place.end()), order_(vertex_count),
      piece_of_(vertex_count, -1), has_contact_(pieces.row_count()), index_of_(vertex_count, -1),
      row_of_(vertex_count, -1) {
    place_.resize(vertex_count);
    if (place.empty()) std::iota(place_.begin(), place_.end(), 0);
    for (int v = 0; v < vertex_count; ++v)
        order_[place_[v]] = v;
    for (int p = 0; p < pieces.row_count(); ++p)
        for (const int v : pieces[p])
            piece_of_[v] = p;
}

std::size_t ContactForces::bytes() const {
    const auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    return of(place_) + of(order_) + of(piece_of_) + of(has_contact_) + of(touches_) + of(touch_start_) + of(pairs_) +
           of(linked_) + of(link_start_) + of(link_) + of(index_of_) + of(active_at_) + of(bound_) + of(rows_) +
           of(row_of_) + of(added_) + of(known_) + of(change_);
}

std::int64_t ContactForces::active_count() const {
    const auto acts = [](const Spring& spring) { return spring.normal_force > 0.0; };
    return std::count_if(touches_.begin(), touches_.end(), acts) + std::count_if(pairs_.begin(), pairs_.end(), acts);
}

void ContactForces::start_step(const ContactView* view, std::span<const std::uint8_t> is_held) {
    view_ = view;
    is_held_ = is_held;
    touches_.clear();
    touch_start_.clear();
    pairs_.clear();
    active_.clear();
    if (view) {
        for (const std::vector<NearSolid>& list : view->near_solid)
            for (const NearSolid& near : list) {
                const int point = place_[near.vertex];
                if (touches_.empty() || touches_.back().vertex != point)
                    touch_start_.push_back(static_cast<int>(touches_.size()));
                touches_.emplace_back();
                touches_.back().vertex = point;
                touches_.back().solid = near.solid;
            }
        for (const auto& lists : {view->pairs, view->solid_pairs})
            for (const std::vector<ContactRecord>& list : lists)
                for (const ContactRecord& record : list)
                    add_pair(record);
    }
    touch_start_.push_back(static_cast<int>(touches_.size()));
    link_pairs();
    list_rows();
}

/// Those with touches, then those with pairs alone.
void ContactForces::list_rows() {
    for (const int v : rows_)
        row_of_[v] = -1;
    rows_.clear();
    const auto add = [&](int v) {
        if (row_of_[v] >= 0) return;
        row_of_[v] = static_cast<int>(rows_.size());
        rows_.push_back(v);
    };
    for (const Touch& touch : touches_)
        add(touch.vertex);
    touched_rows_ = static_cast<int>(rows_.size());
    for (const int v : linked_)
        add(v);
    added_.assign(rows_.size(), Block{});
    known_.assign(rows_.size(), Block{});
    change_.assign(rows_.size(), Block{});
}

DiagonalChange ContactForces::take_change() {
    bool any = false;
    for (std::size_t k = 0; k < rows_.size(); ++k)
        for (int c = 0; c < 3; ++c) {
            const Floats4 change = added_[k].column[c] - known_[k].column[c];
            any = any || change[0] != 0.0F || change[1] != 0.0F || change[2] != 0.0F;
            change_[k].column[c] = change;
            known_[k].column[c] = added_[k].column[c];
        }
    if (!any) return {};
    return {row_of_, change_};
}

void ContactForces::add_pair(const ContactRecord& record) {
    bool any_free = false;
    std::array<int, 4> vertex = record.vertex;
    for (int k = 0; k < record.count; ++k) {
        if (vertex[k] < vertex_count_) vertex[k] = place_[vertex[k]];
        any_free = any_free || is_free(vertex[k]);
    }
    if (!record.may_push || !any_free) return;
    Pair& pair = pairs_.emplace_back();
    pair.vertex = vertex;
    pair.weight = record.weight;
    pair.count = record.count;
    pair.solid = record.solid;
    pair.is_edges = record.side_count == 2;
    pair.normal = record.normal;
    pair.min_distance = record.minimum_distance;
    pair.friction = record.friction;
    pair.bound = record.count == record.side_count ? 1.0F : 2.0F;
}

/// For each vertex its pairs, in their order.
void ContactForces::link_pairs() {
    for (const int v : linked_)
        index_of_[v] = -1;
    linked_.clear();
    for (const Pair& pair : pairs_)
        for (int k = 0; k < pair.count; ++k)
            if (const int v = pair.vertex[k]; is_free(v) && index_of_[v] < 0) {
                index_of_[v] = 0;
                linked_.push_back(v);
            }
    std::sort(linked_.begin(), linked_.end());
    link_start_.assign(linked_.size() + 1, 0);
    for (std::size_t k = 0; k < linked_.size(); ++k)
        index_of_[linked_[k]] = static_cast<int>(k);
    const auto for_each_link = [&](const auto& visit) {
        for (std::size_t p = 0; p < pairs_.size(); ++p)
            for (int k = 0; k < pairs_[p].count; ++k)
                if (const int v = pairs_[p].vertex[k]; is_free(v)) visit(index_of_[v], static_cast<int>(4 * p) + k);
    };
    for_each_link([&](int index, int) { ++link_start_[index + 1]; });
    for (std::size_t k = 0; k < linked_.size(); ++k)
        link_start_[k + 1] += link_start_[k];
    link_.resize(link_start_.back());
    for_each_link([&](int index, int link) { link_[link_start_[index]++] = link; });
    for (std::size_t k = linked_.size(); k > 0; --k) // each has moved on to the next one's start
        link_start_[k] = link_start_[k - 1];
    link_start_[0] = 0;
    active_at_.assign(linked_.size(), 0.0F);
    bound_.assign(linked_.size(), Block{});
}

/// Where a point of the cloth or a vertex of a collider's mesh was when the small step began.
Vec3 ContactForces::start_of(int v) const {
    return v < vertex_count_ ? start_[order_[v]] : view_->points[v] + fraction_before_ * view_->displacement[v];
}

void ContactForces::start_small_step(ThreadPool& pool, std::span<const Vec3> x, double h, int k, int substeps) {
    std::fill(has_contact_.begin(), has_contact_.end(), std::uint8_t{0});
    if (!view_) return;
    start_ = x;
    h_ = h;
    fraction_before_ = static_cast<double>(k) / substeps;
    fraction_now_ = static_cast<double>(k + 1) / substeps;
    solids_.clear();
    for (const Collider& collider : view_->colliders)
        solids_.push_back(MovingSolid::make(collider, k, substeps));
    pool.for_each(static_cast<int>(touches_.size()), [&](int t) {
        Touch& touch = touches_[t];
        const MovingSolid& solid = solids_[touch.solid];
        touch.start = start_of(touch.vertex);
        touch.start_local = solid.before.to_local(touch.start);
        const SurfacePoint surface = nearest_surface(*solid.shape, touch.start_local);
        touch.start_normal = surface.normal;
        touch.start_gap = surface.distance;
        touch.target_gap = opening_gap(kSpare * solid.thickness, surface.distance, kOpeningFraction, kOpeningSpeed * h);
        touch.rest = touch.target_gap - surface.distance;
        touch.normal_force = 0.0;
    });
    pool.for_each(static_cast<int>(pairs_.size()), [&](int p) {
        Pair& pair = pairs_[p];
        std::array<Vec3, 4> at;
        for (int c = 0; c < pair.count; ++c)
            at[c] = start_of(pair.vertex[c]);
        if (pair.solid < 0) {
            const Nearest now = nearest(pair, at, pair.normal);
            pair.side = pair.normal = now.normal;
            pair.start_gap = now.gap;
        } else {
            Vec3 middle;
            for (int c = 0; c < pair.count; ++c)
                middle += pair.weight[c] * at[c];
            const MovingSolid& solid = solids_[pair.solid];
            pair.start_local = solid.before.to_local(middle);
            const SurfacePoint surface = nearest_surface(*solid.shape, pair.start_local);
            pair.side = surface.normal;
            pair.start_gap = surface.distance;
        }
        pair.target_gap = opening_gap(kSpare * pair.min_distance, pair.start_gap, kOpeningFraction, kOpeningSpeed * h);
        pair.rest = pair.target_gap - pair.start_gap;
        pair.stiffness_factor = 1.0;
        pair.normal_force = 0.0;
    });
}

void ContactForces::linearise(ThreadPool& pool, const Points& x, const Inertia& inertia, SlicedMatrix& matrix,
                              std::span<Floats4> residual) {
    if (!view_) return;
    const double per_h2 = 1.0 / (h_ * h_);
    pool.for_chunks(static_cast<int>(touch_start_.size()) - 1, kGroupGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) {
            const int v = touches_[touch_start_[g]].vertex;
            Block diagonal = matrix.diagonal(v);
            Block& added = added_[row_of_[v]];
            added = {};
            for (int t = touch_start_[g]; t < touch_start_[g + 1]; ++t)
                linearise_touch(touches_[t], x, per_h2 * inertia.mass[v], diagonal, added, residual[v]);
            matrix.set_diagonal(v, diagonal);
        }
    });
    for (int g = 0; g + 1 < static_cast<int>(touch_start_.size()); ++g)
        for (int t = touch_start_[g]; t < touch_start_[g + 1]; ++t)
            if (touches_[t].normal_force > 0.0) mark_contact(touches_[t].vertex);
    if (pairs_.empty()) return;

    // Pairs: which act, how many at each vertex, how stiff; then the sums over the pairs of each vertex.
    pool.for_chunks(static_cast<int>(pairs_.size()), kContactGrain, [&](int begin, int end) {
        for (int p = begin; p < end; ++p)
            measure_pair(pairs_[p], x);
    });
    pool.for_each(static_cast<int>(linked_.size()), [&](int k) {
        int count = 0;
        for (int l = link_start_[k]; l < link_start_[k + 1]; ++l)
            count += pairs_[link_[l] / 4].gap < pairs_[link_[l] / 4].target_gap ? 1 : 0;
        active_at_[k] = static_cast<float>(count);
    });
    pool.for_chunks(static_cast<int>(pairs_.size()), kContactGrain, [&](int begin, int end) {
        for (int p = begin; p < end; ++p)
            linearise_pair(pairs_[p], x, inertia, matrix);
    });
    pool.for_each(static_cast<int>(linked_.size()), [&](int k) {
        const int v = linked_[k];
        Block& added = added_[row_of_[v]];
        if (row_of_[v] >= touched_rows_) added = {}; // else its touches began it
        bound_[k] = {};
        if (active_at_[k] == 0.0F) return;
        Floats4 force = {};
        for (int l = link_start_[k]; l < link_start_[k + 1]; ++l) {
            const Pair& pair = pairs_[link_[l] / 4];
            if (!(pair.normal_force > 0.0)) continue;
            const auto weight = static_cast<float>(pair.weight[link_[l] % 4]);
            // w w^T K is at most diag(|w| sum |w|) K.
            add_spring(bound_[k], pair, pair.bound * std::abs(weight));
            force += weight * pair.force;
        }
        Block diagonal = matrix.diagonal(v);
        add_scaled(diagonal, bound_[k], 1.0F);
        add_scaled(added, bound_[k], 1.0F);
        matrix.set_diagonal(v, diagonal);
        residual[v] += force;
    });
    active_.clear();
    for (int p = 0; p < static_cast<int>(pairs_.size()); ++p) {
        const Pair& pair = pairs_[p];
        if (!(pair.normal_force > 0.0)) continue;
        active_.push_back(p);
        const int last = pair.vertex[pair.count - 1];
        if (pair.solid < 0 && last < vertex_count_ && pair.vertex[0] < vertex_count_ &&
            piece_of_[pair.vertex[0]] == piece_of_[last])
            continue; // both sides belong to one piece
        mark_contact(pair.vertex[0]);
        mark_contact(last);
    }
}

void ContactForces::mark_contact(int v) {
    if (v < vertex_count_ && piece_of_[v] >= 0) has_contact_[piece_of_[v]] = 1;
}

/// Normal force and Coulomb friction: a slip that a friction force of at most mu times the normal force can stop
/// sticks, any other slides against that force. At the first linearisation the normal force is that of a load carried
/// before, which shows in the gap, or the force that stops a single point; later it is that of the spring.
void ContactForces::set_forces(Spring& spring, double stiffness, double inertial, double friction, const Vec3& slip) {
    const double k = stiffness, depth = spring.target_gap - spring.gap;
    const bool is_first = !(spring.normal_force > 0.0);
    // What the last solve has left is the load over the stiffness that it had: this one may be another, since buckling
    // threads change it, and overrun pairs.
    const double solved = is_first ? k : spring.stiffness;
    spring.stiffness = k;
    spring.normal_force = is_first ? std::max(depth * k * inertial / (k + inertial), k * spring.rest) : solved * depth;
    const double most = friction * spring.normal_force;
    // The force that stops the slip, including the friction that acts already.
    Vec3 needed = -inertial * slip;
    if (!is_first && spring.grip == Grip::slides) needed += spring.friction_force;
    if (!is_first && spring.grip == Grip::sticks) needed = -solved * slip;
    const double size = length(slip);
    spring.side_stiffness = 0.0;
    if (!(most > 0.0)) {
        spring.grip = Grip::none;
        spring.friction_force = {};
    } else if (is_within_friction(needed, friction, spring.normal_force) || !(size > 0.0)) {
        spring.grip = Grip::sticks;
        spring.friction_force = -k * slip;
    } else {
        spring.grip = Grip::slides;
        spring.slip_direction = slip / size;
        spring.friction_force = -most * spring.slip_direction;
        spring.side_stiffness = std::min(k, most / size);
    }
}

/// Adds scale (k n n^T + the terms of friction).
void ContactForces::add_spring(Block& to, const Spring& spring, double scale) {
    const Floats4 n = floats_of(spring.normal), t = floats_of(spring.slip_direction);
    const double k = spring.stiffness;
    const double side = spring.grip == Grip::sticks ? k : spring.grip == Grip::slides ? spring.side_stiffness : 0.0;
    const auto along = static_cast<float>(scale * (k - side)), across = static_cast<float>(scale * side);
    const float slip_direction = spring.grip == Grip::slides ? across : 0.0F;
    for (int c = 0; c < 3; ++c) {
        to.column[c] += n * (along * n[c]) - t * (slip_direction * t[c]);
        to.column[c][c] += across;
    }
}

/// The same matrix times a displacement.
Floats4 ContactForces::stiffness_times(const Spring& spring, const Floats4& displacement) {
    const Floats4 n = floats_of(spring.normal);
    const double k = spring.stiffness;
    if (spring.grip == Grip::sticks) return static_cast<float>(k) * displacement;
    const auto side = static_cast<float>(spring.grip == Grip::slides ? spring.side_stiffness : 0.0);
    Floats4 force = static_cast<float>((k - static_cast<double>(side)) * dot(n, displacement)) * n;
    if (side > 0.0F) {
        const Floats4 t = floats_of(spring.slip_direction);
        force += side * displacement - (side * static_cast<float>(dot(t, displacement))) * t;
    }
    return force;
}

/// Nearest point of a collider. A point that has passed through a thin collider, or is now nearer to another face than
/// the one it entered by, is measured against the face it entered by.
SurfacePoint ContactForces::surface_at(const MovingSolid& solid, const Vec3& local, const Vec3& start_local,
                                       const Vec3& start_normal, double start_gap) {
    const SurfacePoint surface = nearest_surface(*solid.shape, local);
    if (surface.distance < 0.0 && start_gap > 0.0 && dot(surface.normal, start_normal) < 0.5)
        return {start_gap + dot(start_normal, local - start_local), start_normal};
    return surface;
}

void ContactForces::linearise_touch(Touch& touch, const Points& x, double inertial, Block& diagonal, Block& added,
                                    Floats4& residual) const {
    const MovingSolid& solid = solids_[touch.solid];
    const Vec3 p = vec3_of(x[touch.vertex]);
    const SurfacePoint surface =
        surface_at(solid, solid.now.to_local(p), touch.start_local, touch.start_normal, touch.start_gap);
    if (!(surface.distance < touch.target_gap)) {
        touch.normal_force = 0.0;
        return;
    }
    touch.normal = solid.now.turn * surface.normal;
    touch.gap = surface.distance;
    touch.plane_offset = surface.distance - dot(touch.normal, p);
    touch.solid_displacement = solid.displacement(p - surface.distance * touch.normal);
    const Vec3 slip = tangential(p - touch.start - touch.solid_displacement, touch.normal);
    set_forces(touch, kSolidFraction * mean_of(diagonal) + kSolidInertia * inertial, inertial, solid.friction, slip);
    add_spring(diagonal, touch, 1.0);
    add_spring(added, touch, 1.0);
    residual += floats_of(touch.stiffness * (touch.target_gap - touch.gap) * touch.normal + touch.friction_force);
}

int ContactForces::stiffen_overrun(ThreadPool& pool, const Points& x) {
    const auto overrun = [&](int p) {
        measure_pair(pairs_[p], x);
        if (!(pairs_[p].gap < kOverrun * pairs_[p].target_gap)) return 0;
        pairs_[p].stiffness_factor *= kStiffening;
        return 1;
    };
    return view_ ? pool.sum<int>(static_cast<int>(pairs_.size()), overrun) : 0;
}

void ContactForces::finish_small_step(ThreadPool& pool, Points& x) const {
    if (!view_) return;
    pool.for_chunks(static_cast<int>(touch_start_.size()) - 1, kGroupGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) {
            if (touch_start_[g + 1] - touch_start_[g] != 1) continue; // two colliders may carry it to different places
            const Touch& touch = touches_[touch_start_[g]];
            if (!(touch.normal_force > 0.0) || touch.grip != Grip::sticks) continue;
            Doubles4& at = x[touch.vertex];
            const Vec3 p = vec3_of(at);
            const double depth = touch.target_gap - touch.plane_offset - dot(touch.normal, p);
            const Vec3 slip = tangential(p - touch.start - touch.solid_displacement, touch.normal);
            if (!is_within_friction(slip, solids_[touch.solid].friction, depth)) continue; // both over the stiffness
            at -= Doubles4{slip.x, slip.y, slip.z, 0.0};
        }
    });
}

/// Direction and distance between the two sides of a pair; the gap is negative when they have changed sides.
ContactForces::Nearest ContactForces::nearest(const Pair& pair, const std::array<Vec3, 4>& x, const Vec3& side) {
    Nearest out{};
    if (pair.is_edges) {
        const SegmentSegment near = closest_points_of_segments(x[0], x[1], x[2], x[3]);
        out.weight = {1.0 - near.s, near.s, near.t - 1.0, -near.t};
    } else {
        const PointTriangle near = closest_points(x[0], x[1], x[2], x[3]);
        out.weight = {1.0, -near.weight[0], -near.weight[1], -near.weight[2]};
    }
    Vec3 apart;
    for (int k = 0; k < 4; ++k)
        apart += out.weight[k] * (x[k] - x[3]);
    const double distance = length(apart);
    const bool is_beyond = dot(apart, side) < 0.0;
    out.normal = distance > 1e-9 ? (is_beyond ? -1.0 : 1.0) / distance * apart : side;
    out.gap = is_beyond ? -distance : distance;
    return out;
}

void ContactForces::measure_pair(Pair& pair, const Points& x) const {
    std::array<Vec3, 4> at, displacement;
    Vec3 middle;
    double farthest = 0.0;
    for (int k = 0; k < pair.count; ++k) {
        const int v = pair.vertex[k];
        at[k] = v < vertex_count_ ? vec3_of(x[v]) : view_->points[v] + fraction_now_ * view_->displacement[v];
        displacement[k] = at[k] - start_of(v);
        farthest = std::max(farthest, length_squared(displacement[k] - displacement[0]));
        middle += pair.weight[k] * at[k];
    }
    if (pair.solid >= 0) {
        const MovingSolid& solid = solids_[pair.solid];
        const SurfacePoint surface =
            surface_at(solid, solid.now.to_local(middle), pair.start_local, pair.side, pair.start_gap);
        pair.normal = solid.now.turn * surface.normal;
        pair.gap = surface.distance;
        if (pair.gap < pair.target_gap) pair.solid_displacement = solid.displacement(middle - pair.gap * pair.normal);
        return;
    }
    // The sides were too far apart to have met.
    const double reach = pair.start_gap - pair.target_gap;
    if (reach > 0.0 && 4.0 * farthest < reach * reach) {
        pair.gap = pair.start_gap;
        return;
    }
    const Nearest now = nearest(pair, at, pair.side);
    pair.normal = now.normal;
    pair.gap = now.gap;
    pair.weight = now.weight;
}

void ContactForces::linearise_pair(Pair& pair, const Points& x, const Inertia& inertia,
                                   const SlicedMatrix& matrix) const {
    if (!(pair.gap < pair.target_gap)) {
        pair.normal_force = 0.0;
        return;
    }
    // Inverse mass of the pair's relative motion, alone and with every vertex divided among its active pairs; inverse
    // of the stiffness that is there already, divided likewise.
    double inverse = 0.0, shared = 0.0, soft = 0.0;
    bool is_anchored = pair.solid >= 0;
    Vec3 slip = -pair.solid_displacement;
    for (int k = 0; k < pair.count; ++k) {
        const int v = pair.vertex[k];
        const double w = pair.weight[k];
        if (v >= vertex_count_) {
            slip += w * (fraction_now_ - fraction_before_) * view_->displacement[v];
            is_anchored = true;
            continue;
        }
        slip += w * (vec3_of(x[v]) - start_of(v));
        if (!is_free(v)) continue;
        inverse += w * w / inertia.mass[v];
        const double count = active_at_[index_of_[v]];
        shared += w * w / inertia.mass[v] * count;
        soft += w * w / mean_of(matrix.diagonal(v)) * count;
    }
    if (!(shared > 0.0)) { // only held vertices have a weight in it
        pair.normal_force = 0.0;
        return;
    }
    const double per_h2 = 1.0 / (h_ * h_);
    slip = tangential(slip, pair.normal);
    const double k = is_anchored ? kSolidFraction / soft + kSolidInertia * per_h2 / shared
                                 : pair.stiffness_factor * kPairInertia * per_h2 / shared;
    set_forces(pair, k, per_h2 / inverse, pair.friction, slip);
    pair.force = floats_of(pair.stiffness * (pair.target_gap - pair.gap) * pair.normal + pair.friction_force);
}

double ContactForces::multiply(ThreadPool& pool, std::span<const Floats4> x, std::span<Floats4> product) {
    if (active_.empty()) return 0.0;
    const double stencils = pool.sum_chunks<double>(static_cast<int>(active_.size()), [&](int begin, int end) {
        double sum = 0.0;
        for (int a = begin; a < end; ++a) {
            Pair& pair = pairs_[active_[a]];
            Floats4 displacement = {};
            for (int k = 0; k < pair.count; ++k)
                if (is_free(pair.vertex[k])) displacement += static_cast<float>(pair.weight[k]) * x[pair.vertex[k]];
            pair.force = stiffness_times(pair, displacement);
            sum += dot(displacement, pair.force);
        }
        return sum;
    });
    const double bounds = pool.sum_chunks<double>(static_cast<int>(linked_.size()), [&](int begin, int end) {
        double sum = 0.0;
        for (int k = begin; k < end; ++k) {
            if (active_at_[k] == 0.0F) continue;
            const int v = linked_[k];
            const Floats4 bound = selvage::product(bound_[k], x[v]);
            Floats4 change = -bound;
            for (int l = link_start_[k]; l < link_start_[k + 1]; ++l) {
                const Pair& pair = pairs_[link_[l] / 4];
                if (pair.normal_force > 0.0) change += static_cast<float>(pair.weight[link_[l] % 4]) * pair.force;
            }
            product[v] += change;
            sum += dot(x[v], bound);
        }
        return sum;
    });
    return stencils - bounds;
}

} // namespace selvage
