#include "collision/shapes/solid_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/concat.h"
#include "geometry/triangle_point.h"
#include "math/functions.h"

namespace selvage {

namespace {

/// Below this the direction from the surface to the point is mostly rounding [m].
constexpr double kOnSurface = 1e-10;

Vec3 face_normal(const SolidMesh& solid, std::span<const Vec3> points, int triangle) {
    const Triangle& t = solid.mesh.triangles[triangle];
    return normalized(doubled_area_normal(points[t[0]], points[t[1]], points[t[2]]));
}

/// Weighted by the angle each triangle has there: the one average whose sign tells inside from outside.
Vec3 corner_normal(const SolidMesh& solid, std::span<const Vec3> points, int vertex) {
    Vec3 sum;
    for (const int f : solid.vertex_triangles[vertex]) {
        const Triangle& t = solid.mesh.triangles[f];
        const int k = t[0] == vertex ? 0 : (t[1] == vertex ? 1 : 2);
        const Vec3 a = points[t[(k + 1) % 3]] - points[vertex], b = points[t[(k + 2) % 3]] - points[vertex];
        const Vec3 n = cross(a, b);
        sum += maths::atan2(length(n), dot(a, b)) * normalized(n);
    }
    return sum;
}

Vec3 feature_normal(const SolidMesh& solid, std::span<const Vec3> points, int triangle, const TrianglePoint& at) {
    if (at.feature == TrianglePoint::Feature::corner)
        return corner_normal(solid, points, solid.mesh.triangles[triangle][at.k]);
    Vec3 normal = face_normal(solid, points, triangle);
    if (at.feature == TrianglePoint::Feature::edge && solid.across[triangle][at.k] >= 0)
        normal += face_normal(solid, points, solid.across[triangle][at.k]);
    return normal;
}

/// Triangles name the first of all vertices at one place; the others stay, unused. Files split vertices where texture
/// or shading breaks, and such a seam is no border.
void join_seams(TriangleMesh& mesh) {
    std::map<std::tuple<double, double, double>, int> first_at;
    std::vector<int> first(mesh.positions.size());
    for (int i = 0; i < mesh.vertex_count(); ++i) {
        const Vec3 p = mesh.positions[i] + Vec3{0.0, 0.0, 0.0}; // turns -0 into +0
        first[i] = first_at.try_emplace({p.x, p.y, p.z}, i).first->second;
    }
    for (Triangle& t : mesh.triangles)
        for (int& v : t)
            v = first[v];
    std::erase_if(mesh.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
}

struct Side { // of a triangle, along one of its edges
    int low, high, triangle, k;
    bool forward; // the triangle runs from low to high
};

std::vector<Side> sorted_sides(const std::vector<Triangle>& triangles) {
    std::vector<Side> sides;
    sides.reserve(3 * triangles.size());
    for (int index = 0; index < static_cast<int>(triangles.size()); ++index)
        for (int k = 0; k < 3; ++k) {
            const int a = triangles[index][k], b = triangles[index][(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), index, k, a < b});
        }
    std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
        return std::tie(x.low, x.high, x.triangle) < std::tie(y.low, y.high, y.triangle);
    });
    return sides;
}

/// What keeps a mesh from having an inside: edges of each kind.
struct Flaws {
    int borders = 0, branches = 0, twists = 0;
};

Flaws connect(SolidMesh& solid) {
    const std::vector<Side> sides = sorted_sides(solid.mesh.triangles);
    solid.triangle_edges.assign(solid.mesh.triangles.size(), {-1, -1, -1});
    solid.across.assign(solid.mesh.triangles.size(), {-1, -1, -1});
    Flaws flaws;
    for (std::size_t begin = 0; begin < sides.size();) {
        std::size_t end = begin;
        const Side& first = sides[begin];
        for (; end < sides.size() && sides[end].low == first.low && sides[end].high == first.high; ++end)
            solid.triangle_edges[sides[end].triangle][sides[end].k] = static_cast<int>(solid.edges.size());
        solid.edges.push_back({first.low, first.high});
        solid.edge_owner.push_back(first.triangle);
        if (end - begin == 2) {
            const Side& second = sides[begin + 1];
            solid.across[first.triangle][first.k] = second.triangle;
            solid.across[second.triangle][second.k] = first.triangle;
            flaws.twists += first.forward == second.forward;
        }
        flaws.borders += end - begin == 1;
        flaws.branches += end - begin > 2;
        begin = end;
    }
    return flaws;
}

/// Six times the volume, and what it is small against.
struct Bulk {
    double volume = 0.0, scale = 0.0;
};
Bulk measure_bulk(const TriangleMesh& mesh) {
    Aabb box;
    for (const Vec3& p : mesh.positions)
        box.include(p);
    const Vec3 middle = 0.5 * (box.low + box.high);
    Bulk bulk;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
        bulk.volume += dot(a - middle, cross(b - middle, c - middle));
        bulk.scale += length(doubled_area_normal(a, b, c)) * length(box.high - box.low);
    }
    return bulk;
}

} // namespace

Result<SolidMesh> SolidMesh::make(TriangleMesh mesh, const std::string& location, std::vector<std::string>& warnings) {
    SolidMesh solid;
    std::vector<std::string> repairs; // of no interest here: a collider has no mass
    if (const Status ok = check_mesh(mesh, location, repairs); !ok) return ok.error();
    solid.mesh = std::move(mesh);
    join_seams(solid.mesh);
    solid.mesh.uv.clear(); // solids are drawn plain
    solid.mesh.uv_triangles.clear();
    const Flaws flaws = connect(solid);
    const Bulk bulk = measure_bulk(solid.mesh);
    const auto warn = [&](const auto&... parts) { warnings.push_back(concat(location, ": ", parts...)); };
    constexpr double kFlat = 1e-12; // of the surface's area times its extent: rounding, not a volume
    if (flaws.branches > 0)
        warn(flaws.branches, " edges with three triangles or more: taken as a surface without an inside");
    else if (flaws.twists > 0)
        warn(flaws.twists, " edges where triangles facing opposite ways meet: taken as a surface without an inside");
    else if (flaws.borders == 0 && std::abs(bulk.volume) <= kFlat * bulk.scale)
        warn("closed, but without volume: taken as a surface without an inside");
    else
        solid.is_closed = flaws.borders == 0;
    if (solid.is_closed && bulk.volume < 0.0) {
        warn("its triangles face inwards; they are turned around");
        for (Triangle& t : solid.mesh.triangles)
            std::swap(t[1], t[2]);
        solid.edges.clear();
        solid.edge_owner.clear();
        connect(solid);
    }
    solid.vertex_triangles = selvage::vertex_triangles(solid.mesh);
    for (int v = 0; v < solid.mesh.vertex_count(); ++v)
        if (!solid.vertex_triangles[v].empty()) solid.vertices.push_back(v);
    solid.tree.build(solid.mesh.triangles, solid.mesh.positions);
    return solid;
}

MeshPoint SolidMesh::nearest(const SurfaceTree& fitted, std::span<const Vec3> points, const Vec3& p,
                             double reach) const {
    double squared = reach * reach;
    MeshPoint best;
    TrianglePoint at;
    fitted.for_nearer(p, squared, [&](int index) {
        const Triangle& t = mesh.triangles[index];
        const TrianglePoint here = nearest_on_triangle({points[t[0]], points[t[1]], points[t[2]]}, p);
        const double distance = length_squared(p - here.point);
        if (!(distance < squared)) return;
        squared = distance;
        best.triangle = index;
        at = here;
    });
    if (best.triangle < 0) return best;
    best.weight = at.weight;
    const Vec3 out = p - at.point;
    const double distance = length(out);
    const Vec3 normal = feature_normal(*this, points, best.triangle, at);
    const double side = is_closed && dot(out, normal) < 0.0 ? -1.0 : 1.0;
    // On the surface itself that has no direction: the normal is the direction out.
    best.surface = {side * distance, distance > kOnSurface ? side * out / distance : normalized(normal, Vec3{0, 1, 0})};
    return best;
}

} // namespace selvage
