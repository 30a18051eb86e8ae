#include "collision/contact/solid_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "collision/search/proximity.h"

namespace selvage {

namespace {

constexpr int kPatchesAtOnce = 8;
constexpr double kVertexReserve =
    0.5; // of the distance kept, by which a motion may change before vertices are looked for again
constexpr double kAhead = 1.25, kNear = 0.5; // looking ahead: more than the motion foreseen, and than the distance kept
constexpr int kMostVertices = 3 * SurfacePatches::kMostTriangles; // of a patch

/// Its surface as a distance. Meshes are met triangle by triangle instead.
bool is_distance_solid(const ColliderShape& shape) {
    return !std::holds_alternative<MeshSolid>(shape);
}

bool is_convex(const ColliderShape& shape) {
    return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Box>(shape) ||
           std::holds_alternative<Capsule>(shape) || std::holds_alternative<Cylinder>(shape);
}

/// The smallest radius of curvature of its surface [m].
double smallest_radius(const ColliderShape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
    if (const auto* capsule = std::get_if<Capsule>(&shape)) return std::min(capsule->radius, capsule->top_radius);
    return 0.0;
}

SurfacePoint nearest_before(const MovingSolid& collider, const Vec3& world) {
    SurfacePoint point = nearest_surface(*collider.shape, collider.before.to_local(world));
    point.normal = collider.before.turn * point.normal;
    return point;
}

/// Where on its way from p to q, in the solid's frame, a point first meets the solid; none when it does not, as far as points
/// on the way tell that are apart by the distance to the surface.
std::optional<Vec3> first_hit(const MovingSolid& collider, const Vec3& p, const Vec3& q, double touching) {
    const Vec3 way = q - p;
    const double size = length(way);
    double gone = 0.0;
    constexpr int kMostSteps = 64; // along a surface it goes in steps of the thickness; then what the end says must do
    for (int k = 0; k < kMostSteps && gone < size; ++k) {
        const Vec3 here = p + (gone / size) * way;
        const SurfacePoint surface = nearest_surface(*collider.shape, here);
        if (surface.distance < touching && dot(surface.normal, way) < 0.0) return here;
        gone += std::max(surface.distance - 0.5 * touching, 0.5 * touching);
    }
    return std::nullopt;
}

/// The point of a segment nearest to a convex solid: where the distance stops falling.
double nearest_share(const MovingSolid& collider, const Vec3& a, const Vec3& b) {
    const Vec3 pa = collider.before.to_local(a), pb = collider.before.to_local(b), way = pb - pa;
    if (std::holds_alternative<Sphere>(*collider.shape)) return nearest_on_segment({}, pa, pb);
    double low = 0.0, high = 1.0;
    constexpr int kHalvings = 12;
    for (int k = 0; k < kHalvings; ++k) {
        const double middle = 0.5 * (low + high);
        (dot(nearest_surface(*collider.shape, pa + middle * way).normal, way) < 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

void push_point(SolidPoint& point, Vec3& motion, Vec3& mended) {
    const Vec3& n = point.normal;
    const double needed = point.least - dot(n, motion);
    if (needed > 0.0) {
        // What takes away the approach is a push, and friction goes with it; the rest only sets the place right.
        const double approach = std::clamp(-dot(n, motion - mended - point.carried), 0.0, needed);
        motion += needed * n;
        mended += (needed - approach) * n;
        point.pushed += approach;
    }
    const Vec3 relative = motion - mended - point.carried;
    const Vec3 slip = relative - dot(relative, n) * n;
    // Coulomb: the drag is at most friction times the push, and at most what stops the slip.
    Vec3 drag = point.dragged - slip;
    const double size = length(drag), most = point.friction * point.pushed;
    if (size > most) drag = (most / size) * drag;
    motion += drag - point.dragged;
    point.dragged = drag;
}

/// One vertex's points together: they are pushed one after the other.
bool is_before(const SolidPoint& a, const SolidPoint& b) {
    return a.vertex != b.vertex ? a.vertex < b.vertex : a.solid < b.solid;
}

} // namespace

MovingSolid MovingSolid::make(const Collider& collider, int k, int pieces) {
    MovingSolid solid{&collider.shape, collider.before, collider.now, collider.friction, collider.thickness};
    if (pieces == 1) return solid;
    const Rotation &from = collider.before.turn, &to = collider.now.turn;
    const Rotation back{{from.row_x.x, from.row_y.x, from.row_z.x},
                        {from.row_x.y, from.row_y.y, from.row_z.y},
                        {from.row_x.z, from.row_y.z, from.row_z.z}};
    const Vec3 turn = rotation_vector(to * back), shift = collider.now.centre - collider.before.centre;
    const auto pose = [&](int at) {
        const double share = static_cast<double>(at) / pieces;
        return Pose{collider.before.centre + share * shift, rotation_about(share * turn) * from};
    };
    if (k > 0) solid.before = pose(k);
    if (k + 1 < pieces) solid.now = pose(k + 1);
    return solid;
}

/// What a solid does in a step.
struct SolidContact::SolidMotion {
    bool turns = false;
    Vec3 shift;         // when it does not turn [m]
    double angle = 0.0; // at least the angle it turns by [rad]

    explicit SolidMotion(const MovingSolid& collider) {
        const Rotation &a = collider.before.turn, &b = collider.now.turn;
        // The largest way of the three unit vectors is at least the chord of the angle over the square root of 1.5, and
        // a chord is no shorter than 2/pi of its arc.
        const double chord = std::sqrt(std::max(
            {length_squared(a.row_x - b.row_x), length_squared(a.row_y - b.row_y), length_squared(a.row_z - b.row_z)}));
        turns = chord > 0.0;
        angle = 2.0 * chord;
        shift = collider.now.centre - collider.before.centre;
    }
    Vec3 at(const MovingSolid& collider, const Vec3& world) const {
        return turns ? collider.now.to_world(collider.before.to_local(world)) - world : shift;
    }
};

struct SolidContact::Step {
    std::span<const Vec3> x, motion;
    std::span<const SurfacePatches::Motion> patch_motion;
    std::span<const std::uint8_t> is_held;
    SolidMotion solid;
};

SolidContact::SolidContact(const SurfacePatches& patches) : patches_(patches) {
    const std::size_t chunks = (patches.patches().size() + kPatchesAtOnce - 1) / kPatchesAtOnce;
    points_.resize(chunks);
    records_.resize(chunks);
}

bool SolidContact::any_points() const {
    return std::any_of(points_.begin(), points_.end(), [](const auto& list) { return !list.empty(); });
}

void SolidContact::forget() {
    std::fill(account_.begin(), account_.end(), Account{});
}

void SolidContact::fit_accounts(std::size_t solid_count) {
    if (solid_count_ == solid_count) return;
    solid_count_ = solid_count;
    account_.assign(patches_.patches().size() * solid_count, {});
}

void SolidContact::list_near(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
                             std::span<const SurfacePatches::Motion> patch_motion,
                             std::span<const std::uint8_t> is_held, std::vector<std::vector<NearSolid>>& near,
                             std::vector<std::vector<ContactRecord>>& records) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    fit_accounts(solids.size());
    near.resize(points_.size());
    records.resize(points_.size());
    pool.for_chunks(static_cast<int>(patches.size()), kPatchesAtOnce, [&](int begin, int end) {
        std::vector<NearSolid>& list = near[begin / kPatchesAtOnce];
        list.clear();
        records[begin / kPatchesAtOnce].clear();
        std::array<SurfacePoint, kMostVertices> at;
        for (std::size_t c = 0; c < solid_count_; ++c) {
            if (!is_distance_solid(*solids[c].shape)) continue;
            const SolidMotion solid(solids[c]);
            for (int p = begin; p < end; ++p) {
                if (patches[p].is_solid) continue;
                // With the radius of now, as find_in_patch: what is listed must not depend on when it was last looked for.
                const std::span<const int> vertices = patches_.vertices(patches[p]);
                const Vec3 carried = solid.at(solids[c], x[vertices[0]]);
                const double way = length(patch_motion[p].mean - carried) + patch_motion[p].spread();
                const Account& account = account_[p * solid_count_ + c];
                const double near_by = kNear * solids[c].thickness;
                if (kAhead * (way + solid.angle * account.radius) + near_by < account.left) continue;
                double radius = 0.0;
                if (solid.turns)
                    for (const int v : vertices)
                        radius = std::max(radius, length(x[v] - x[vertices[0]]));
                const double ahead = kAhead * (way + solid.angle * radius) + near_by;
                for (std::size_t k = 0; k < vertices.size(); ++k) {
                    const int v = vertices[k];
                    at[k] = nearest_before(solids[c], x[v]);
                    if (static_cast<int>(k) < patches[p].own_count && !is_held[v] &&
                        at[k].distance < ahead + solids[c].thickness)
                        list.push_back({v, static_cast<int>(c)});
                }
                const double longest = longest_edge(p, x);
                if (needs_edges(solids[c], longest))
                    find_edges(x, solid, solids[c], static_cast<int>(c), p, {at.data(), vertices.size()}, longest,
                               ahead + 0.5 * solids[c].thickness, records[begin / kPatchesAtOnce]);
            }
        }
        std::sort(list.begin(), list.end(), [](const NearSolid& a, const NearSolid& b) {
            return a.vertex != b.vertex ? a.vertex < b.vertex : a.solid < b.solid;
        });
    });
}

void SolidContact::find(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
                        std::span<const Vec3> motion, std::span<const SurfacePatches::Motion> patch_motion,
                        std::span<const std::uint8_t> is_held) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    fit_accounts(solids.size());
    if (solid_count_ > 0) sought_.assign(motion.begin(), motion.end());
    pool.for_chunks(static_cast<int>(patches.size()), kPatchesAtOnce, [&](int begin, int end) {
        std::vector<SolidPoint>& points = points_[begin / kPatchesAtOnce];
        std::vector<ContactRecord>& records = records_[begin / kPatchesAtOnce];
        points.clear();
        records.clear();
        for (std::size_t c = 0; c < solid_count_; ++c) {
            const MovingSolid& collider = solids[c];
            if (!is_distance_solid(*collider.shape)) continue;
            const Step step{x, motion, patch_motion, is_held, SolidMotion(collider)};
            for (int p = begin; p < end; ++p) {
                if (patches[p].is_solid) continue;
                Account& account = account_[p * solid_count_ + c];
                const Vec3 carried = step.solid.at(collider, x[patches_.vertices(patches[p])[0]]);
                const double bound = length(patch_motion[p].mean - carried) + patch_motion[p].spread() +
                                     step.solid.angle * account.radius;
                if (bound < account.left) continue;
                find_in_patch(step, collider, static_cast<int>(c), p, account, points, records);
            }
        }
        std::sort(points.begin(), points.end(), is_before);
    });
}

void SolidContact::finish_step(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
                               std::span<const SurfacePatches::Motion> patch_motion) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    for (std::size_t c = 0; c < solid_count_; ++c) {
        const SolidMotion solid(solids[c]);
        pool.for_each(static_cast<int>(patches.size()), [&](int p) {
            Account& account = account_[p * solid_count_ + c];
            const Vec3 carried = solid.at(solids[c], x[patches_.vertices(patches[p])[0]]);
            account.left -=
                length(patch_motion[p].mean - carried) + patch_motion[p].spread() + solid.angle * account.radius;
            account.radius += 2.0 * patch_motion[p].spread();
        });
    }
}

/// As the patch is now: stretched cloth sags deeper between its vertices.
double SolidContact::longest_edge(int patch, std::span<const Vec3> x) const {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    double longest = 0.0; // squared
    for (const SurfacePatches::Face& face :
         patches_.faces().subspan(static_cast<std::size_t>(p.face_begin), static_cast<std::size_t>(p.face_count))) {
        const Vec3 &a = x[face.v[0]], &b = x[face.v[1]], &c = x[face.v[2]];
        longest = std::max({longest, length_squared(b - a), length_squared(c - b), length_squared(a - c)});
    }
    return std::sqrt(longest);
}

void SolidContact::find_in_patch(const Step& step, const MovingSolid& collider, int solid, int patch, Account& account,
                                 std::vector<SolidPoint>& points, std::vector<ContactRecord>& records) const {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    const std::span<const int> vertices = patches_.vertices(p);
    const double kept = collider.thickness;
    const std::span<const Vec3> x = step.x;

    std::array<SurfacePoint, kMostVertices> at; // where the step starts
    double nearest = std::numeric_limits<double>::infinity();
    account.radius = 0.0;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        at[k] = nearest_before(collider, x[vertices[k]]);
        nearest = std::min(nearest, at[k].distance);
        account.radius = std::max(account.radius, length(x[vertices[k]] - x[vertices[0]]));
    }
    // From here on with the radius of now, so that what is found does not depend on when it was last looked for.
    const Vec3 carried = step.solid.at(collider, x[vertices[0]]);
    const SurfacePatches::Motion& mean = step.patch_motion[patch];
    const double bound = length(mean.mean - carried) + mean.spread() + step.solid.angle * account.radius;
    // Inside of faces a sharp solid may be nearer than at the corners, by most of an edge.
    const bool convex = is_convex(*collider.shape);
    const double longest = convex ? longest_edge(patch, x) : 0.0;
    account.left = nearest - kept - longest;

    for (int k = 0; k < p.own_count; ++k)
        add_point(step, collider, solid, vertices[k], at[k].distance, kVertexReserve * kept, points);
    if (needs_edges(collider, longest) && nearest <= 0.5 * kept + bound + longest)
        find_edges(x, step.solid, collider, solid, patch, {at.data(), vertices.size()}, longest, 0.5 * kept + bound,
                   records);
}

/// Where no edge sags by more than a quarter of the distance there is no need to look at edges.
bool SolidContact::needs_edges(const MovingSolid& collider, double longest) {
    const bool is_smooth = longest * longest < 2.0 * collider.thickness * smallest_radius(*collider.shape);
    return is_convex(*collider.shape) && !is_smooth;
}

void SolidContact::find_edges(std::span<const Vec3> x, const SolidMotion& motion, const MovingSolid& collider,
                              int solid, int patch, std::span<const SurfacePoint> at, double longest, double reach,
                              std::vector<ContactRecord>& records) const {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    const std::span<const int> vertices = patches_.vertices(p);
    // Edges and faces: a plane through the solid's nearest point to one corner keeps a convex solid on one side, so where such
    // a plane clears the other corners too there is nothing to do. Half the distance is kept inside of edges and faces: the
    // corners do the work, and on smooth solids that is enough.
    const double edge_kept = 0.5 * collider.thickness;
    const auto clears = [&](int from, int to) {
        return at[from].distance + dot(at[from].normal, x[vertices[to]] - x[vertices[from]]) >= reach;
    };
    const auto add = [&](const Vec3& normal, double gap, std::initializer_list<std::pair<int, double>> corners) {
        ContactRecord record;
        Vec3 middle;
        for (const auto& [corner, weight] : corners) {
            record.vertex[record.count] = vertices[corner];
            record.weight[record.count++] = weight;
            middle += weight * x[vertices[corner]];
        }
        record.side_count = record.count;
        record.normal = normal;
        record.gap = gap;
        record.kept = edge_kept;
        record.friction = collider.friction;
        record.carried = motion.at(collider, middle - gap * normal);
        record.is_solid = true;
        record.solid = solid;
        records.push_back(record);
    };
    for (int f = p.face_begin; f < p.face_begin + p.face_count; ++f) {
        const SurfacePatches::Face& face = patches_.faces()[f];
        const double lowest =
            std::min({at[face.place[0]].distance, at[face.place[1]].distance, at[face.place[2]].distance});
        if (lowest > reach + longest) continue;
        for (int k = 0; k < face.own_edge_count; ++k) {
            const int a = face.place[face.own_edge_corner[k]], b = face.place[(face.own_edge_corner[k] + 1) % 3];
            if (clears(a, b) || clears(b, a)) continue;
            const double share = nearest_share(collider, x[vertices[a]], x[vertices[b]]);
            if (share < 1e-3 || share > 1.0 - 1e-3) continue; // at a corner, which is pushed itself
            const SurfacePoint surface =
                nearest_before(collider, (1.0 - share) * x[vertices[a]] + share * x[vertices[b]]);
            if (surface.distance < reach) add(surface.normal, surface.distance, {{a, 1.0 - share}, {b, share}});
        }
        const int a = face.place[0], b = face.place[1], c = face.place[2];
        const auto clears_both = [&](int from, int to, int other) { return clears(from, to) && clears(from, other); };
        if (clears_both(a, b, c) || clears_both(b, a, c) || clears_both(c, a, b)) continue;
        // The solid's farthest point towards the face, when it lies before the face's inside.
        const Vec3 &xa = x[vertices[a]], &xb = x[vertices[b]], &xc = x[vertices[c]];
        const Vec3 area = doubled_area_normal(xa, xb, xc);
        const double size = length(area);
        if (!(size > 0.0)) continue;
        const Vec3 out = nearest_before(collider, (xa + xb + xc) / 3.0).normal;
        const Vec3 normal = (dot(area, out) < 0.0 ? -1.0 : 1.0) / size * area;
        const std::optional<Vec3> far = support_point(*collider.shape, collider.before.turn.transposed(normal));
        if (!far) continue;
        const Vec3 tip = collider.before.to_world(*far);
        const double gap = dot(normal, xa - tip);
        if (!(gap < reach) || gap < -longest) continue;
        const double wa = dot(cross(xb - tip, xc - tip), area) / (size * size);
        const double wb = dot(cross(xc - tip, xa - tip), area) / (size * size);
        if (wa > 0.0 && wb > 0.0 && wa + wb < 1.0) add(normal, gap, {{a, wa}, {b, wb}, {c, 1.0 - wa - wb}});
    }
}

/// Adds a vertex that the solid must push, or may have to when its motion changes by `reserve`.
void SolidContact::add_point(const Step& step, const MovingSolid& collider, int solid, int v, double distance,
                             double reserve, std::vector<SolidPoint>& points) {
    if (step.is_held[v]) return;
    const double kept = collider.thickness;
    const Vec3& motion = step.motion[v];
    // A solid that does not turn leaves lengths as they are: most vertices are done with before any place is turned.
    if (!step.solid.turns && distance > length(motion - step.solid.shift) * (1.0 + 1e-9) + kept + reserve) return;
    const Vec3 end = step.x[v] + motion;
    const Vec3 from = collider.before.to_local(step.x[v]), to = collider.now.to_local(end);
    const double way = length(to - from);
    if (distance > way + kept + reserve) return;
    SurfacePoint surface = nearest_surface(*collider.shape, to);
    double depth = kept - surface.distance;
    if (way > 0.5 * kept && distance > 0.0) {
        // It may have come through something thin, or be nearer now to another face than to the one it went in by: it must
        // stay before that one.
        if (const std::optional<Vec3> hit = first_hit(collider, from, to, 0.25 * kept)) {
            surface = nearest_surface(*collider.shape, *hit);
            depth = kept - surface.distance - dot(surface.normal, to - *hit);
        }
    }
    if (!(depth > -reserve)) return;
    SolidPoint point;
    point.vertex = v;
    point.solid = solid;
    point.normal = collider.now.turn * surface.normal;
    point.least = dot(point.normal, motion) + depth;
    point.carried = step.solid.turns ? collider.displacement(end + depth * point.normal) : step.solid.shift;
    point.friction = collider.friction;
    points.push_back(point);
}

void SolidContact::find_missed(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
                               std::span<const Vec3> motion, std::span<const SurfacePatches::Motion> patch_motion,
                               std::span<const std::uint8_t> is_held) {
    const std::span<const SurfacePatches::Patch> patches = patches_.patches();
    pool.for_chunks(static_cast<int>(patches.size()), kPatchesAtOnce, [&](int begin, int end) {
        std::vector<SolidPoint>& points = points_[begin / kPatchesAtOnce];
        const auto known = static_cast<std::ptrdiff_t>(points.size());
        for (std::size_t c = 0; c < solid_count_; ++c) {
            if (!is_distance_solid(*solids[c].shape)) continue;
            const Step step{x, motion, patch_motion, is_held, SolidMotion(solids[c])};
            for (int p = begin; p < end; ++p) {
                if (patches[p].is_solid) continue;
                const Account& account = account_[p * solid_count_ + c];
                const Vec3 carried = step.solid.at(solids[c], x[patches_.vertices(patches[p])[0]]);
                const double bound = length(patch_motion[p].mean - carried) + patch_motion[p].spread() +
                                     step.solid.angle * account.radius;
                if (bound < account.left) continue;
                for (const int v : patches_.vertices(patches[p]).first(patches[p].own_count)) {
                    const double most = kVertexReserve * solids[c].thickness;
                    if (!(length_squared(motion[v] - sought_[v]) > most * most)) continue;
                    SolidPoint sought;
                    sought.vertex = v;
                    sought.solid = static_cast<int>(c);
                    if (std::binary_search(points.begin(), points.begin() + known, sought, is_before)) continue;
                    add_point(step, solids[c], static_cast<int>(c), v, nearest_before(solids[c], x[v]).distance, 0.0,
                              points);
                }
            }
        }
        if (static_cast<std::ptrdiff_t>(points.size()) > known) std::sort(points.begin(), points.end(), is_before);
    });
}

void SolidContact::push(ThreadPool& pool, std::span<Vec3> motion, std::span<Vec3> mended,
                        std::span<const std::uint8_t> flags) {
    pool.for_chunks(static_cast<int>(points_.size()), 1, [&](int chunk, int) {
        std::vector<SolidPoint>& points = points_[chunk];
        for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
            while (last < points.size() && points[last].vertex == points[first].vertex)
                ++last;
            if (!flags.empty() && !flags[points[first].vertex]) continue;
            const int rounds = last - first > 1 ? 4 : 1; // in a corner one push may undo another
            for (int round = 0; round < rounds; ++round)
                for (std::size_t k = first; k < last; ++k)
                    push_point(points[k], motion[points[k].vertex], mended[points[k].vertex]);
        }
    });
}

} // namespace selvage
