#include "collision/search/flat_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/search/aabb.h"
#include "collision/search/proximity.h"
#include "math/functions.h"

namespace selvage {

namespace {

constexpr double kLeastFacing = 0.5;    // of a patch's area that must face along its normal at rest
constexpr double kCareful = 1.0 - 1e-6; // more than the sums round

} // namespace

FlatBounds::FlatBounds(const ContactSurface& surface, const SurfacePatches& patches)
    : surface_(surface), patches_(patches), sums_(patches.patches().size()) {
    for (std::size_t p = 0; p < sums_.size(); ++p) {
        const SurfacePatches::Patch& patch = patches.patches()[p];
        Sums& sums = sums_[p];
        for (const int v : patches.vertices(patch)) {
            const Vec3& at = surface.rest[v];
            sums.rest += at;
            sums.square_x += at.x * at;
            sums.square_y += at.y * at;
            sums.square_z += at.z * at;
        }
        for (int f = patch.face_begin; f < patch.face_begin + patch.face_count; ++f) {
            const Triangle& t = patches.faces()[f].v;
            const Vec3 normal = cross(surface.rest[t[1]] - surface.rest[t[0]], surface.rest[t[2]] - surface.rest[t[0]]);
            sums.normal += normal;
            sums.area += length(normal);
        }
    }
}

FlatBounds::Chart FlatBounds::chart(int p, int q) const {
    const Vec3 normal = sums_[p].normal + sums_[q].normal;
    const double size = length(normal);
    if (!(size > kLeastFacing * (sums_[p].area + sums_[q].area))) return {};
    const Vec3 n = normal / size;
    const Vec3 across = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 a = normalized(cross(n, across));
    return {a, cross(n, a), true};
}

/// Features at rest, seen along the normal of a chart.
class FlatBounds::Plan {
public:
    Plan(const FlatBounds& bounds, const Chart& axes) : bounds_(bounds), axes_(axes) {}

    Aabb box_of(std::span<const int> vertices) const {
        Aabb box;
        for (const int v : vertices)
            box.include(at(v));
        return box;
    }
    static double apart(const Aabb& a, const Aabb& b) {
        return maths::hypot(std::max({0.0, a.low.x - b.high.x, b.low.x - a.high.x}),
                            std::max({0.0, a.low.y - b.high.y, b.low.y - a.high.y}));
    }
    /// The smaller of `least` and the distances of the features of two faces that share no vertex.
    double nearest(const SurfacePatches::Face& f, const SurfacePatches::Face& g, double least) const {
        least = nearest_vertex(g, f.v, nearest_vertex(f, g.v, least));
        for (int k = 0; k < f.own_edge_count; ++k)
            for (int l = 0; l < g.own_edge_count; ++l)
                least = std::min(least, edge_distance(f.own_edge[k], g.own_edge[l]));
        return least;
    }

private:
    Vec3 at(int v) const {
        const Vec3& rest = bounds_.surface_.rest[v];
        return {dot(axes_.a, rest), dot(axes_.b, rest), 0.0};
    }
    double nearest_vertex(const SurfacePatches::Face& from, const Triangle& t, double least) const {
        for (int k = 0; k < from.own_vertex_count; ++k) {
            const int v = from.own_vertex[k];
            if (t[0] == v || t[1] == v || t[2] == v) continue;
            least = std::min(least, std::sqrt(closest_points(at(v), at(t[0]), at(t[1]), at(t[2])).distance_squared));
        }
        return least;
    }
    double edge_distance(const Edge& a, const Edge& b) const {
        if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1])
            return std::numeric_limits<double>::infinity();
        return std::sqrt(closest_points_of_segments(at(a[0]), at(a[1]), at(b[0]), at(b[1])).distance_squared);
    }

    const FlatBounds& bounds_;
    Chart axes_;
};

double FlatBounds::rest_gap(int p, int q, double most) const {
    const Chart axes = chart(p, q);
    if (!axes.is_good) return 0.0;
    const Plan plan(*this, axes);
    const SurfacePatches::Patch &one = patches_.patches()[p], &other = patches_.patches()[q];
    if (p != q) {
        const double gap = Plan::apart(plan.box_of(patches_.vertices(one)), plan.box_of(patches_.vertices(other)));
        if (gap > 0.0) return kCareful * gap;
    }
    const std::span<const SurfacePatches::Face> faces = patches_.faces();
    double least = most;
    for (int f = one.face_begin; f < one.face_begin + one.face_count && least > 0.0; ++f) {
        const Aabb box = plan.box_of(faces[f].v);
        for (int g = p == q ? f + 1 : other.face_begin; g < other.face_begin + other.face_count; ++g)
            if (Plan::apart(box, plan.box_of(faces[g].v)) < least) least = plan.nearest(faces[f], faces[g], least);
    }
    return kCareful * least;
}

void FlatBounds::fit(std::span<const Vec3> x, int patch) {
    Sums& sums = sums_[patch];
    Vec3 now, mixed_x, mixed_y, mixed_z;
    for (const int v : patches_.vertices(patches_.patches()[patch])) {
        const Vec3 &at = x[v], &rest = surface_.rest[v];
        now += at;
        mixed_x += rest.x * at;
        mixed_y += rest.y * at;
        mixed_z += rest.z * at;
    }
    sums.now = now;
    sums.mixed_x = mixed_x;
    sums.mixed_y = mixed_y;
    sums.mixed_z = mixed_z;
}

/// The affine map x = middle + F u of the chart's plane that comes nearest to where the vertices are, u being their
/// places at rest in the chart. It leaves at least its smallest stretch of every distance in the chart. Seen along the
/// map's normal, vertices lie beside where it takes them, by e at most; so features are apart by that stretch of their
/// distance at rest, less e of one patch and e of the other. Any map would be right; a near one says more.
double FlatBounds::gap(std::span<const Vec3> x, int p, int q, double rest_gap) const {
    const Chart axes = chart(p, q);
    if (!axes.is_good) return 0.0;
    const Sums &one = sums_[p], &other = sums_[q];
    const double count = static_cast<double>(patches_.patches()[p].vertex_count + patches_.patches()[q].vertex_count);
    const Vec3 rest = (one.rest + other.rest) / count, middle = (one.now + other.now) / count;
    const double mean_a = dot(axes.a, rest), mean_b = dot(axes.b, rest);
    const auto squares = [&](const Vec3& u) {
        return u.x * (one.square_x + other.square_x) + u.y * (one.square_y + other.square_y) +
               u.z * (one.square_z + other.square_z);
    };
    const auto mixed = [&](const Vec3& u) {
        return u.x * (one.mixed_x + other.mixed_x) + u.y * (one.mixed_y + other.mixed_y) +
               u.z * (one.mixed_z + other.mixed_z);
    };
    const Vec3 square_a = squares(axes.a);
    const double aa = dot(square_a, axes.a) - count * mean_a * mean_a;
    const double ab = dot(square_a, axes.b) - count * mean_a * mean_b;
    const double bb = dot(squares(axes.b), axes.b) - count * mean_b * mean_b;
    const double det = aa * bb - ab * ab;
    if (!(det > 1e-6 * aa * bb)) return 0.0; // seen so, nearly a line
    const Vec3 mixed_a = mixed(axes.a) - (count * mean_a) * middle, mixed_b = mixed(axes.b) - (count * mean_b) * middle;
    const Vec3 fa = (bb * mixed_a - ab * mixed_b) / det, fb = (aa * mixed_b - ab * mixed_a) / det;

    const double caa = length_squared(fa), cab = dot(fa, fb), cbb = length_squared(fb);
    const double half = 0.5 * (caa - cbb), stretch2 = 0.5 * (caa + cbb) - std::sqrt(half * half + cab * cab);
    if (!(stretch2 > 1e-4)) return 0.0;
    const double reach = std::sqrt(stretch2) * rest_gap;
    // In the map's plane the vertices' places are s.x and t.x.
    const double size_a = std::sqrt(caa);
    const Vec3 s = fa / size_a;
    const double slant = dot(s, fb);
    const Vec3 t = normalized(fb - slant * s);
    const Vec3 rest_s = size_a * axes.a + slant * axes.b, rest_t = dot(t, fb) * axes.b;
    const double start_s = dot(s, middle) - dot(rest_s, rest), start_t = dot(t, middle) - dot(rest_t, rest);
    const auto farthest = [&](int patch) {
        double most = 0.0;
        for (const int v : patches_.vertices(patches_.patches()[patch])) {
            const Vec3 &at = x[v], &from = surface_.rest[v];
            const double ds = dot(s, at) - dot(rest_s, from) - start_s, dt = dot(t, at) - dot(rest_t, from) - start_t;
            most = std::max(most, ds * ds + dt * dt);
        }
        return std::sqrt(most);
    };
    const double beside = farthest(p);
    return kCareful * reach - beside - (p == q ? beside : farthest(q));
}

} // namespace selvage
