#include "model/sheet_plates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/functions.h"
#include "model/rest_shape.h"

namespace selvage {

namespace {

/// Newton's method with an approximate derivative converges while that is more than half of the true one. More is
/// taken, since the ratio is an estimate from below.
constexpr double kTangentFraction = 0.8, kMostOverHinges = 8.0;

/// Cloth left to itself folds to radii of about its bending length r. Where cells are as long as that, a zigzag from
/// edge to edge costs next to nothing, and triangles, which cannot follow a narrow fold without shear and compression,
/// drive cloth into it: it crumples like paper. So zigzags are 1 + kZigzag (l/r)^4 times as stiff as the fabric, and
/// kMostZigzag times at most: more makes the swing of a coarse sheet depend on the step. On meshes that resolve r this
/// is nearly 1.
constexpr double kZigzag = 6.0, kMostZigzag = 8.0;

double zigzag_stiffness(double cell, double bending_length) {
    if (!(bending_length > 0.0)) return 1.0;
    const double ratio = cell / bending_length, squared = ratio * ratio;
    return std::min(kMostZigzag, 1.0 + kZigzag * squared * squared);
}

/// Triangles of one part, joined where a hinge between them is flat at rest.
std::vector<std::vector<int>> flat_regions(int triangle_count, std::span<const SheetHinge> hinges,
                                           std::span<const std::array<int, 2>> hinge_of) {
    std::vector<int> leader(triangle_count);
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](int t) {
        while (leader[t] != t)
            t = leader[t] = leader[leader[t]];
        return t;
    };
    for (std::size_t h = 0; h < hinge_of.size(); ++h)
        if (hinges[h].is_flat()) leader[find(hinge_of[h][0])] = find(hinge_of[h][1]);
    std::vector<std::vector<int>> regions;
    std::vector<int> region(triangle_count, -1);
    for (int t = 0; t < triangle_count; ++t) {
        int& index = region[find(t)];
        if (index < 0) {
            index = static_cast<int>(regions.size());
            regions.emplace_back();
        }
        regions[index].push_back(t);
    }
    return regions;
}

/// The plane of a region; zero when its triangles do not all lie in one and front to the same side.
Vec3 plane_of(const ClothModel& model, int first_triangle, const std::vector<int>& triangles) {
    const std::vector<Vec3>& x = model.mesh.positions;
    const auto normal_of = [&](int t) {
        const Triangle& v = model.mesh.triangles[first_triangle + t];
        return doubled_area_normal(x[v[0]], x[v[1]], x[v[2]]);
    };
    Vec3 normal;
    for (const int t : triangles)
        normal += normal_of(t);
    normal = normalized(normal);
    for (const int t : triangles) {
        const Vec3 n = normal_of(t);
        // Squares, not angles: small ones would be lost in a cosine.
        if (!(dot(n, normal) > 0.0 && length(cross(n, normal)) < 0.5 * kFlatAngle * length(n))) return {};
    }
    return normal;
}

/// A flat region of a part as a plate, with the vertices and hinges that it is made of.
struct PlateRegion {
    std::vector<int> vertices; // of the model
    std::vector<Vec2> place;
    std::vector<PlateTriangle> triangles;
    std::vector<PlateHinge> hinges;
    std::vector<SheetHinge*> hinge;
    JoinedPlates joined; // where it has no plane; `place` is then empty
};

struct Scratch {
    std::vector<int> place_of, triangle_of;  // of vertices and triangles within the region at hand
    std::vector<std::vector<int>> hinges_of; // flat ones of each triangle
};

double area_of(const PlateRegion& region, int triangle) {
    const Triangle& v = region.triangles[triangle].vertex;
    const std::array<Vec2, 3> at =
        region.place.empty() ? region.joined.corner[triangle]
                             : std::array<Vec2, 3>{region.place[v[0]], region.place[v[1]], region.place[v[2]]};
    const auto& [o, p, q] = at;
    return 0.5 * std::abs((p.x - o.x) * (q.y - o.y) - (q.x - o.x) * (p.y - o.y));
}

void take_hinges(const PartHinges& of, const std::vector<int>& triangles, const Scratch& scratch, PlateRegion& region) {
    const Material& m = of.part.material;
    const double bends_over = bending_length(m, std::sqrt(m.bend_warp * m.bend_weft));
    for (const int t : triangles)
        for (const int h : scratch.hinges_of[t]) {
            const auto& [first, second] = of.hinge_of[h];
            if (t != first) continue; // each once
            SheetHinge& hinge = of.hinges[h];
            const auto at = [&](int k) { return scratch.place_of[hinge.vertex[k]]; };
            const double area =
                area_of(region, scratch.triangle_of[first]) + area_of(region, scratch.triangle_of[second]);
            region.hinges.push_back({{at(0), at(1), at(2), at(3)},
                                     hinge.stencil,
                                     hinge.quadratic,
                                     scratch.triangle_of[first],
                                     scratch.triangle_of[second],
                                     zigzag_stiffness(std::sqrt(area), bends_over)}); // two triangles to a square
            region.hinge.push_back(&hinge);
        }
}

/// The triangles of a region in its plane.
PlateRegion lay_flat(const PartHinges& of, const std::vector<int>& triangles, const Vec3& normal, Scratch& scratch) {
    const std::vector<Vec3>& x = of.model.mesh.positions;
    const auto corners = [&](int t) -> const Triangle& { return of.model.mesh.triangles[of.part.triangle_begin + t]; };
    const Vec3 origin = x[corners(triangles[0])[0]];
    const Vec3 right = normalized(x[corners(triangles[0])[1]] - origin), up = cross(normal, right);
    const auto in_plane = [&](const Vec3& p) { return Vec2{dot(p, right), dot(p, up)}; };
    PlateRegion region;
    for (const int t : triangles) {
        PlateTriangle plate;
        for (int k = 0; k < 3; ++k) {
            const int v = corners(t)[k];
            if (scratch.place_of[v] < 0) {
                scratch.place_of[v] = static_cast<int>(region.vertices.size());
                region.vertices.push_back(v);
                region.place.push_back(in_plane(x[v] - origin));
            }
            plate.vertex[k] = scratch.place_of[v];
        }
        plate.warp = in_plane(of.axes[t].warp);
        plate.rigidity = plate_rigidity(of.part.material);
        scratch.triangle_of[t] = static_cast<int>(region.triangles.size());
        region.triangles.push_back(plate);
    }
    take_hinges(of, triangles, scratch, region);
    for (const int v : region.vertices)
        scratch.place_of[v] = -1;
    return region;
}

/// The vertices of a hinge in the plane of one of its triangles, from `flat`, in which the edge runs along x. The stencil
/// fits these lengths, also where the edge has another one in that triangle.
HingePlace in_plane_of(const JoinedPlates& joined, const PlateRegion& region, const PlateHinge& hinge, int side,
                       const std::array<Vec3, 4>& flat) {
    const int t = side == 0 ? hinge.first : hinge.second;
    const auto at = [&](int k) {
        const Triangle& v = region.triangles[t].vertex;
        return joined.corner[t][std::find(v.begin(), v.end(), hinge.vertex[k]) - v.begin()];
    };
    const Vec2 a = at(0), b = at(1), own = at(side == 0 ? 2 : 3);
    const double l = maths::hypot(b.x - a.x, b.y - a.y);
    if (!(l > 0.0)) return {};
    const Vec2 along{(b.x - a.x) / l, (b.y - a.y) / l};
    const bool is_left = along.x * (own.y - a.y) - along.y * (own.x - a.x) > 0.0;
    const double sign = is_left == (side == 0) ? 1.0 : -1.0; // c is above the edge in `flat`, d below
    const Vec2 up{-sign * along.y, sign * along.x};
    HingePlace place;
    for (int k = 0; k < 4; ++k)
        place[k] = {flat[k].x * along.x + flat[k].y * up.x, flat[k].x * along.y + flat[k].y * up.y};
    return place;
}

/// The triangles of a part that rests as its pattern: each in a plane of its own, its warp along x.
PlateRegion lay_pattern(const PartHinges& of, const std::vector<int>& triangles, Scratch& scratch) {
    const TriangleMesh& mesh = of.model.mesh;
    PlateRegion region;
    for (const int t : triangles) {
        const int in_model = of.part.triangle_begin + t;
        PlateTriangle plate;
        for (int k = 0; k < 3; ++k) {
            int& place = scratch.place_of[mesh.triangles[in_model][k]];
            if (place < 0) {
                place = static_cast<int>(region.vertices.size());
                region.vertices.push_back(mesh.triangles[in_model][k]);
            }
            plate.vertex[k] = place;
        }
        const RestTriangle rest = rest_triangle(mesh, of.part.rest, in_model);
        region.joined.corner.push_back({Vec2{}, rest.e1, rest.e2});
        plate.warp = {1.0, 0.0};
        plate.rigidity = plate_rigidity(of.part.material);
        scratch.triangle_of[t] = static_cast<int>(region.triangles.size());
        region.triangles.push_back(plate);
    }
    region.joined.vertex_count = static_cast<int>(region.vertices.size());
    take_hinges(of, triangles, scratch, region);
    for (std::size_t h = 0; h < region.hinges.size(); ++h) {
        const PlateHinge& hinge = region.hinges[h];
        const auto& v = region.hinge[h]->vertex;
        const int begin = of.part.triangle_begin;
        const std::array<Vec3, 4> flat =
            rest_hinge(mesh, of.part.rest,
                       {{v[0], v[1], v[2], v[3]}, begin + triangles[hinge.first], begin + triangles[hinge.second]});
        region.joined.hinge.push_back(
            {in_plane_of(region.joined, region, hinge, 0, flat), in_plane_of(region.joined, region, hinge, 1, flat)});
    }
    for (const int v : region.vertices)
        scratch.place_of[v] = -1;
    return region;
}

/// Whether no edge joins two vertices inside: a row of cells, across which gradients would have little to look at.
bool is_single_row(const PlateRegion& region) {
    std::vector<int> triangles(region.vertices.size(), 0), hinges(region.vertices.size(), 0);
    for (const PlateTriangle& t : region.triangles)
        for (const int v : t.vertex)
            ++triangles[v];
    for (const PlateHinge& h : region.hinges)
        for (int k = 0; k < 2; ++k)
            ++hinges[h.vertex[k]];
    const auto is_inside = [&](int v) { return hinges[v] == triangles[v]; }; // every edge has two sides
    return std::none_of(region.hinges.begin(), region.hinges.end(),
                        [&](const PlateHinge& h) { return is_inside(h.vertex[0]) && is_inside(h.vertex[1]); });
}

void add_region(const PlateRegion& region, PlateRows& rows) {
    if (is_single_row(region)) return;
    const BendingForm form = region.place.empty() ? plate_bending(region.joined, region.triangles, region.hinges)
                                                  : plate_bending(region.place, region.triangles, region.hinges);
    double zigzag = 1.0;
    for (const PlateHinge& hinge : region.hinges)
        zigzag = std::max(zigzag, hinge.zigzag);
    // Where hinges are no guide to the derivative (fabrics far softer on the bias, long thin cells) they stay the energy.
    const bool serves =
        form.left_to_hinges < static_cast<int>(region.triangles.size()) && form.over_hinges < zigzag * kMostOverHinges;
    if (!serves) return;
    for (SheetHinge* hinge : region.hinge) {
        hinge->in_plate = true;
        hinge->tangent = std::max(1.0, kTangentFraction * form.over_hinges);
    }
    for (std::size_t v = 0; v < region.vertices.size(); ++v)
        for (int e = form.start[v]; e < form.start[v + 1]; ++e)
            rows[region.vertices[v]].emplace_back(region.vertices[form.column[e]], form.value[e]);
}

} // namespace

void add_plates(const PartHinges& of, PlateRows& rows) {
    Scratch scratch{std::vector<int>(of.model.mesh.positions.size(), -1), std::vector<int>(of.part.triangle_count, -1),
                    std::vector<std::vector<int>>(of.part.triangle_count)};
    for (std::size_t h = 0; h < of.hinge_of.size(); ++h)
        if (of.hinges[h].is_flat())
            for (const int t : of.hinge_of[h])
                scratch.hinges_of[t].push_back(static_cast<int>(h));
    for (const std::vector<int>& triangles : flat_regions(of.part.triangle_count, of.hinges, of.hinge_of)) {
        if (of.part.rest == RestShape::uv) {
            if (triangles.size() > 1) add_region(lay_pattern(of, triangles, scratch), rows);
            continue;
        }
        const Vec3 normal = plane_of(of.model, of.part.triangle_begin, triangles);
        if (triangles.size() > 1 && length_squared(normal) > 0.0)
            add_region(lay_flat(of, triangles, normal, scratch), rows);
    }
}

} // namespace selvage
