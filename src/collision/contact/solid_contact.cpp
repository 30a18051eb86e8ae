#include "collision/contact/solid_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "collision/contact/friction.h"
#include "collision/contact/solid_edges.h"

namespace selvage {

namespace {

constexpr int kSearchedPerChunk = 8;
// Of the thickness, by which a displacement may change before vertices are looked for again.
constexpr double kVertexReserve = 0.5;
constexpr double kAhead = 1.25, kNear = 0.5; // looking ahead: more than the motion foreseen, and than the thickness
constexpr int kMostVertices = 3 * SurfacePatches::kMostTriangles; // of a patch

void push_point(SolidPoint& point, Vec3& displacement, Vec3& correction) {
    const Vec3& n = point.normal;
    const double needed = point.least_displacement - dot(n, displacement);
    if (needed > 0.0) {
        // What takes away the approach is an impulse, and friction goes with it; the rest only corrects the position.
        const double approach = std::clamp(-dot(n, displacement - correction - point.solid_displacement), 0.0, needed);
        displacement += needed * n;
        correction += (needed - approach) * n;
        point.normal_displacement += approach;
    }
    const Vec3 slip = tangential(displacement - correction - point.solid_displacement, n);
    const Vec3 friction = limit_friction(point.friction_displacement - slip, point.friction, point.normal_displacement);
    displacement += friction - point.friction_displacement;
    point.friction_displacement = friction;
}

/// One vertex's points together: they are pushed one after the other.
bool is_before(const SolidPoint& a, const SolidPoint& b) {
    return a.vertex != b.vertex ? a.vertex < b.vertex : a.solid < b.solid;
}

} // namespace

/// One solid in a search.
struct SolidContact::Step {
    const MovingSolid& solid;
    int index;
    SolidMotion motion;
};

SolidContact::SolidContact(const SurfacePatches& patches, int vertex_count, int cloth_vertex_count)
    : patches_(patches), cloth_vertex_count_(cloth_vertex_count), is_flagged_(vertex_count) {
    for (const SurfacePatches::Patch& patch : patches.patches())
        cloth_patch_count_ += patch.is_solid ? 0 : 1;
    const int chunks = (cloth_patch_count_ + kSearchedPerChunk - 1) / kSearchedPerChunk;
    points_.resize(static_cast<std::size_t>(chunks));
    records_.resize(static_cast<std::size_t>(chunks));
}

bool SolidContact::any_points() const {
    return std::any_of(points_.begin(), points_.end(), [](const auto& list) { return !list.empty(); });
}

void SolidContact::forget() {
    std::fill(budget_.begin(), budget_.end(), Budget{});
}

void SolidContact::fit_budgets(std::size_t solid_count) {
    if (solid_count_ == solid_count) return;
    solid_count_ = solid_count;
    budget_.assign(static_cast<std::size_t>(cloth_patch_count_) * solid_count, {});
}

const Vec3& SolidContact::first_vertex(const SolidSearch& search, int patch) const {
    return search.x[patches_.vertices(patches_.patches()[patch])[0]];
}

/// At least how far a patch moves against a solid, but for what the solid turns [m].
double SolidContact::relative_motion(const SolidSearch& search, const Step& step, int patch) const {
    const Vec3 carried = step.motion.at(step.solid, first_vertex(search, patch));
    return length(search.patch_motion[patch].mean - carried) + search.patch_motion[patch].spread();
}

/// visit(step, patch) for the cloths' patches of a range with every solid that has a distance function.
template <class Visit>
void SolidContact::for_patches(const SolidSearch& search, int begin, int end, const Visit& visit) {
    for (std::size_t c = 0; c < solid_count_; ++c) {
        if (!is_distance_solid(*search.solids[c].shape)) continue;
        const Step step{search.solids[c], static_cast<int>(c), SolidMotion(search.solids[c])};
        for (int p = begin; p < end; ++p)
            visit(step, p);
    }
}

void SolidContact::list_near(ThreadPool& pool, const SolidSearch& search, std::vector<std::vector<NearSolid>>& near,
                             std::vector<std::vector<ContactRecord>>& records) {
    fit_budgets(search.solids.size());
    near.resize(points_.size());
    records.resize(points_.size());
    pool.for_chunks(cloth_patch_count_, kSearchedPerChunk, [&](int begin, int end) {
        std::vector<NearSolid>& list = near[begin / kSearchedPerChunk];
        std::vector<ContactRecord>& edges = records[begin / kSearchedPerChunk];
        list.clear();
        edges.clear();
        for_patches(search, begin, end,
                    [&](const Step& step, int p) { list_near_patch(search, step, p, list, edges); });
        std::sort(list.begin(), list.end(), [](const NearSolid& a, const NearSolid& b) {
            return a.vertex != b.vertex ? a.vertex < b.vertex : a.solid < b.solid;
        });
    });
}

void SolidContact::list_near_patch(const SolidSearch& search, const Step& step, int patch, std::vector<NearSolid>& list,
                                   std::vector<ContactRecord>& records) {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    const std::span<const Vec3> x = search.x;
    const double thickness = step.solid.thickness, near_by = kNear * thickness;
    const double motion = relative_motion(search, step, patch);
    const Budget& account = budget(patch, step.index);
    if (kAhead * (motion + step.motion.angle * account.radius) + near_by < account.remaining) return;
    // With the radius of now, as find_in_patch: what is listed must not depend on when it was last looked for.
    const std::span<const int> vertices = patches_.vertices(p);
    double radius = 0.0;
    if (step.motion.turns)
        for (const int v : vertices)
            radius = std::max(radius, length(x[v] - x[vertices[0]]));
    const double ahead = kAhead * (motion + step.motion.angle * radius) + near_by;
    std::array<SurfacePoint, kMostVertices> at;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        const int v = vertices[k];
        at[k] = step.solid.nearest_before(x[v]);
        if (static_cast<int>(k) < p.own_count && !search.is_held[v] && at[k].distance < ahead + thickness)
            list.push_back({v, step.index});
    }
    const double longest = longest_edge(patches_, p, x);
    if (needs_edges(step.solid, longest))
        SolidEdgeSearch({step.solid,
                         step.motion,
                         step.index,
                         patches_,
                         p,
                         x,
                         {at.data(), vertices.size()},
                         longest,
                         ahead + 0.5 * thickness})
            .find(records);
}

void SolidContact::find(ThreadPool& pool, const SolidSearch& search) {
    fit_budgets(search.solids.size());
    if (solid_count_ > 0)
        searched_.assign(search.displacement.begin(), search.displacement.begin() + cloth_vertex_count_);
    pool.for_chunks(cloth_patch_count_, kSearchedPerChunk, [&](int begin, int end) {
        std::vector<SolidPoint>& points = points_[begin / kSearchedPerChunk];
        std::vector<ContactRecord>& records = records_[begin / kSearchedPerChunk];
        points.clear();
        records.clear();
        for_patches(search, begin, end,
                    [&](const Step& step, int p) { find_in_patch(search, step, p, points, records); });
        std::sort(points.begin(), points.end(), is_before);
    });
}

void SolidContact::finish_step(ThreadPool& pool, const SolidSearch& search) {
    for (std::size_t c = 0; c < solid_count_; ++c) {
        if (!is_distance_solid(*search.solids[c].shape)) continue;
        const Step step{search.solids[c], static_cast<int>(c), SolidMotion(search.solids[c])};
        pool.for_each(cloth_patch_count_, [&](int p) {
            Budget& account = budget(p, step.index);
            account.remaining -= relative_motion(search, step, p) + step.motion.angle * account.radius;
            account.radius += 2.0 * search.patch_motion[p].spread();
        });
    }
}

/// Adds a vertex that the solid must push, or may have to when its displacement changes by `reserve`. `distance` is
/// that from the solid where the step starts.
void SolidContact::add_point(const SolidSearch& search, const Step& step, int v, double distance, double reserve,
                             std::vector<SolidPoint>& points) {
    if (search.is_held[v]) return;
    const MovingSolid& solid = step.solid;
    const double thickness = solid.thickness;
    const Vec3& displacement = search.displacement[v];
    // A solid that does not turn leaves lengths as they are: most vertices are done with before any place is turned.
    if (!step.motion.turns && distance > length(displacement - step.motion.shift) * (1.0 + 1e-9) + thickness + reserve)
        return;
    const Vec3 end = search.x[v] + displacement;
    const Vec3 from = solid.before.to_local(search.x[v]), to = solid.now.to_local(end);
    const double path = length(to - from);
    if (distance > path + thickness + reserve) return;
    SurfacePoint surface = nearest_surface(*solid.shape, to);
    double depth = thickness - surface.distance;
    if (path > 0.5 * thickness && distance > 0.0) {
        // It may have come through something thin, or be nearer now to another face than to the one it went in by: it
        // must stay before that one.
        if (const std::optional<Vec3> hit = solid.first_hit(from, to, 0.25 * thickness)) {
            surface = nearest_surface(*solid.shape, *hit);
            depth = thickness - surface.distance - dot(surface.normal, to - *hit);
        }
    }
    // Cloth that a collider was put over comes out an edge's length at a time. All of a metre in one step would tear
    // neighbours apart, and then everything is near everything.
    const double left_inside = std::max(0.0, -distance - search.most_correction);
    depth -= left_inside;
    if (!(depth > -reserve)) return;
    SolidPoint point;
    point.vertex = v;
    point.solid = step.index;
    point.normal = solid.now.turn * surface.normal;
    point.least_displacement = dot(point.normal, displacement) + depth;
    point.left_inside = left_inside;
    point.solid_displacement = step.motion.turns ? solid.displacement(end + depth * point.normal) : step.motion.shift;
    point.friction = solid.friction;
    points.push_back(point);
}

void SolidContact::find_in_patch(const SolidSearch& search, const Step& step, int patch,
                                 std::vector<SolidPoint>& points, std::vector<ContactRecord>& records) {
    Budget& account = budget(patch, step.index);
    const double motion = relative_motion(search, step, patch);
    if (motion + step.motion.angle * account.radius < account.remaining) return;
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    const std::span<const int> vertices = patches_.vertices(p);
    const double thickness = step.solid.thickness;
    const std::span<const Vec3> x = search.x;

    std::array<SurfacePoint, kMostVertices> at; // where the step starts
    double nearest = std::numeric_limits<double>::infinity();
    account.radius = 0.0;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        at[k] = step.solid.nearest_before(x[vertices[k]]);
        nearest = std::min(nearest, at[k].distance);
        account.radius = std::max(account.radius, length(x[vertices[k]] - x[vertices[0]]));
    }
    // From here on with the radius of now, so that what is found does not depend on when it was last looked for.
    const double bound = motion + step.motion.angle * account.radius;
    // Inside of faces a sharp solid may be nearer than at the corners, by most of an edge.
    const double longest = is_convex(*step.solid.shape) ? longest_edge(patches_, p, x) : 0.0;
    account.remaining = nearest - thickness - longest;

    for (int k = 0; k < p.own_count; ++k)
        add_point(search, step, vertices[k], at[k].distance, kVertexReserve * thickness, points);
    if (needs_edges(step.solid, longest) && nearest <= 0.5 * thickness + bound + longest)
        SolidEdgeSearch({step.solid,
                         step.motion,
                         step.index,
                         patches_,
                         p,
                         x,
                         {at.data(), vertices.size()},
                         longest,
                         0.5 * thickness + bound})
            .find(records);
}

void SolidContact::find_missed(ThreadPool& pool, const SolidSearch& search) {
    pool.for_chunks(cloth_patch_count_, kSearchedPerChunk, [&](int begin, int end) {
        std::vector<SolidPoint>& points = points_[begin / kSearchedPerChunk];
        const auto known = static_cast<std::ptrdiff_t>(points.size());
        for_patches(search, begin, end, [&](const Step& step, int p) {
            const Budget& account = budget(p, step.index);
            const double bound = relative_motion(search, step, p) + step.motion.angle * account.radius;
            if (!(bound < account.remaining)) find_missed_in_patch(search, step, p, known, points);
        });
        if (static_cast<std::ptrdiff_t>(points.size()) > known) std::sort(points.begin(), points.end(), is_before);
    });
}

void SolidContact::find_missed_in_patch(const SolidSearch& search, const Step& step, int patch,
                                        std::ptrdiff_t known_count, std::vector<SolidPoint>& points) const {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    const double most = kVertexReserve * step.solid.thickness;
    for (const int v : patches_.vertices(p).first(p.own_count)) {
        if (!(length_squared(search.displacement[v] - searched_[v]) > most * most)) continue;
        SolidPoint wanted;
        wanted.vertex = v;
        wanted.solid = step.index;
        if (std::binary_search(points.begin(), points.begin() + known_count, wanted, is_before)) continue;
        const double distance = step.solid.nearest_before(search.x[v]).distance;
        add_point(search, step, v, distance, 0.0, points);
    }
}

template <class IsWanted>
void SolidContact::push_points(ThreadPool& pool, std::span<Vec3> displacement, std::span<Vec3> correction,
                               const IsWanted& is_wanted) {
    pool.for_chunks(static_cast<int>(points_.size()), 1, [&](int chunk, int) {
        std::vector<SolidPoint>& points = points_[chunk];
        for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
            const int v = points[first].vertex;
            while (last < points.size() && points[last].vertex == v)
                ++last;
            if (!is_wanted(v)) continue;
            const int rounds = last - first > 1 ? 4 : 1; // in a corner one push may undo another
            for (int round = 0; round < rounds; ++round)
                for (std::size_t k = first; k < last; ++k)
                    push_point(points[k], displacement[v], correction[v]);
        }
    });
}

void SolidContact::push(ThreadPool& pool, std::span<Vec3> displacement, std::span<Vec3> correction) {
    push_points(pool, displacement, correction, [](int) { return true; });
}

void SolidContact::push_vertices(ThreadPool& pool, std::span<const int> vertices, std::span<Vec3> displacement,
                                 std::span<Vec3> correction) {
    for (const int v : vertices)
        is_flagged_[v] = 1;
    push_points(pool, displacement, correction, [&](int v) { return is_flagged_[v] != 0; });
    for (const int v : vertices)
        is_flagged_[v] = 0;
}

} // namespace selvage
