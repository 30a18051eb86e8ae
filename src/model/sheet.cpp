#include "model/sheet.h"

#include <algorithm>
#include <cmath>

#include "math/functions.h"
#include "model/rest_shape.h"
#include "model/sheet_plates.h"
#include "model/thread_axes.h"

namespace selvage {

namespace {

constexpr double kYarnTangent = 0.7; // of an approximate derivative; more than half keeps Newton's method convergent

bool is_sheet(const ClothPart& part) {
    return part.triangle_count > 0 && !part.is_block && !(part.net.stiffness_times_length > 0.0);
}

/// Mean over the two triangles of the square of the cosine between the warp and the direction across the edge.
double across_warp(const std::vector<ThreadAxes>& axes, int t1, int t2, const Vec3& edge) {
    double sum = 0.0;
    for (const int t : {t1, t2}) {
        const double along = dot(normalized(edge), axes[t].warp);
        sum += 0.5 * std::max(0.0, 1.0 - along * along);
    }
    return sum;
}

/// Appends the triangles of one part; `axes` and the mesh for hinges grow along.
void add_triangles(const ClothModel& model, int part_index, Sheet& sheet, std::vector<ThreadAxes>& axes) {
    const ClothPart& part = model.parts[part_index];
    const Material& m = part.material;
    const double ku = part.net.structural ? m.stretch_warp : 0.0, kv = part.net.structural ? m.stretch_weft : 0.0;
    const double shear = part.net.shear ? m.shear : 0.0;
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t) {
        axes.push_back(thread_axes(model.mesh, t));
        const RestTriangle rest = rest_triangle(model.mesh, part.rest, t);
        sheet.triangles.push_back(model.mesh.triangles[t]);
        sheet.membrane.push_back(make_membrane_triangle(rest.e1, rest.e2, ku, kv, shear));
        sheet.triangle_part.push_back(part_index);
        MembraneTriangle& shape = sheet.membrane.back();
        if (m.membrane != MembraneKind::woven && shape.stretch_u + shape.stretch_v + shape.shear > 0.0) {
            Material law = m;
            law.stretch_warp = ku;
            law.stretch_weft = kv;
            law.coupling = part.net.structural ? m.coupling : 0.0;
            law.shear = shear;
            const double area = 0.5 / std::abs(shape.u1 * shape.v2 - shape.u2 * shape.v1);
            sheet.elastic.push_back(make_elastic_triangle(shape, area, law));
            sheet.elastic_index.push_back(static_cast<int>(sheet.triangles.size()) - 1);
            shape.stretch_u = shape.stretch_v = shape.shear = 0.0;
        }
    }
}

/// Turned by a right angle, of length 1.
Vec2 unit_across(double x, double y) {
    const double l = maths::hypot(x, y);
    return l > 0.0 ? Vec2{-y / l, x / l} : Vec2{1.0, 0.0};
}

/// Across an edge, in the warp and weft of one of its triangles.
Vec2 across_edge(const ThreadAxes& axes, const Vec3& edge) {
    return unit_across(dot(edge, axes.warp), dot(edge, axes.weft));
}

/// The edge of a hinge in the pattern of one of its triangles, x along the warp.
Vec2 edge_in_pattern(const ClothModel& model, const ClothPart& part, const HingeTriangles& h, int local) {
    const int t = part.triangle_begin + local;
    const Triangle& v = model.mesh.triangles[t];
    const RestTriangle rest = rest_triangle(model.mesh, part.rest, t);
    const std::array<Vec2, 3> corner{Vec2{}, rest.e1, rest.e2};
    const auto at = [&](int w) { return corner[v[0] == w ? 0 : v[1] == w ? 1 : 2]; };
    return {at(h.hinge.b).x - at(h.hinge.a).x, at(h.hinge.b).y - at(h.hinge.a).y};
}

/// As across_warp(), by the edge's direction in the pattern of each triangle.
double across_warp_in_pattern(const ClothModel& model, const ClothPart& part, const HingeTriangles& h) {
    double sum = 0.0;
    for (const int local : {h.first, h.second}) {
        const auto& [x, y] = edge_in_pattern(model, part, h, local);
        const double squared = x * x + y * y;
        sum += squared > 0.0 ? 0.5 * y * y / squared : 0.0;
    }
    return sum;
}

/// Appends the hinges of one part and returns the triangles of each, counted from the part's first.
std::vector<std::array<int, 2>> add_hinges(const ClothModel& model, int part_index, const std::vector<ThreadAxes>& axes,
                                           Sheet& sheet) {
    const ClothPart& part = model.parts[part_index];
    std::vector<std::array<int, 2>> hinge_of;
    TriangleMesh mesh; // of this part, for its hinges
    const auto first_triangle = model.mesh.triangles.begin() + part.triangle_begin;
    mesh.triangles.assign(first_triangle, first_triangle + part.triangle_count);
    for (const HingeTriangles& h : hinge_triangles(mesh)) {
        HingeTriangles in_model = h;
        in_model.first += part.triangle_begin;
        in_model.second += part.triangle_begin;
        const std::array<Vec3, 4> x = rest_hinge(model.mesh, part.rest, in_model);
        const double l2 = length_squared(x[1] - x[0]);
        const double area1 = 0.5 * length(doubled_area_normal(x[0], x[1], x[2]));
        const double area2 = 0.5 * length(doubled_area_normal(x[0], x[1], x[3]));
        if (!(std::min(area1, area2) > 1e-6 * l2)) continue; // slivers have no angle to speak of
        const double areas = area1 + area2;
        const double across = part.rest == RestShape::uv ? across_warp_in_pattern(model, part, h)
                                                         : across_warp(axes, h.first, h.second, x[1] - x[0]);
        const double rigidity = bend_rigidity(part.material, across);
        if (!(rigidity > 0.0)) continue;
        const double rest = part.rest == RestShape::uv ? 0.0 : hinge_angle(x[0], x[1], x[2], x[3]).angle;
        sheet.hinges.push_back({{h.hinge.a, h.hinge.b, h.hinge.c, h.hinge.d},
                                flat_stencil(x[0], x[1], x[2], x[3]),
                                rigidity * l2 / areas,
                                rigidity / areas,
                                std::abs(rest) < kFlatAngle ? 0.0 : rest,
                                part_index});
        SheetHinge& hinge = sheet.hinges.back();
        if (part.rest == RestShape::uv) {
            const Vec2 edge = edge_in_pattern(model, part, h, h.first);
            hinge.across = unit_across(edge.x, edge.y);
        } else {
            hinge.across = across_edge(axes[h.first], x[1] - x[0]);
        }
        hinge_of.push_back({h.first, h.second});
    }
    return hinge_of;
}

} // namespace

Sheet make_sheet(const ClothModel& model) {
    Sheet sheet;
    PlateRows rows(model.mesh.positions.size());
    for (std::size_t p = 0; p < model.parts.size(); ++p) {
        const ClothPart& part = model.parts[p];
        sheet.yarn.push_back(part.net.bend ? yarn_law(part.material) : YarnLaw{});
        if (!is_sheet(part)) {
            sheet.spring_parts.push_back(static_cast<int>(p));
            continue;
        }
        std::vector<ThreadAxes> axes;
        add_triangles(model, static_cast<int>(p), sheet, axes);
        if (!part.net.bend) continue;
        const int first_hinge = static_cast<int>(sheet.hinges.size());
        const std::vector<std::array<int, 2>> hinge_of = add_hinges(model, static_cast<int>(p), axes, sheet);
        const std::span<SheetHinge> hinges = std::span(sheet.hinges).subspan(first_hinge);
        add_plates({model, part, axes, hinges, hinge_of}, rows);
        // Yarns that stick are that much stiffer; what a hinge adds to the derivative is at least most of it.
        if (sheet.yarn[p].is_present())
            for (SheetHinge& hinge : hinges)
                hinge.tangent += kYarnTangent * kYarnStick;
    }
    for (auto& row : rows) {
        std::sort(row.begin(), row.end());
        for (const auto& [column, value] : row) {
            sheet.plate.column.push_back(column);
            sheet.plate.value.push_back(value);
        }
        sheet.plate.start.push_back(static_cast<int>(sheet.plate.column.size()));
    }
    return sheet;
}

double sheet_energy(const Sheet& sheet, std::span<const Vec3> position, double compression) {
    double energy = 0.0;
    for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
        const Triangle& v = sheet.triangles[t];
        energy += membrane_energy(sheet.membrane[t], position[v[1]] - position[v[0]], position[v[2]] - position[v[0]],
                                  {compression, 0.0});
    }
    for (std::size_t k = 0; k < sheet.elastic.size(); ++k) {
        const Triangle& v = sheet.triangles[sheet.elastic_index[k]];
        energy += respond(sheet.elastic[k], position[v[1]] - position[v[0]], position[v[2]] - position[v[0]], 1.0, 0.0,
                          {}, MembraneHessian::definite)
                      .energy;
    }
    for (const SheetHinge& h : sheet.hinges) {
        const auto at = [&](int k) { return position[h.vertex[k]]; };
        if (h.in_plate) continue;
        if (h.is_flat()) {
            Vec3 sum;
            for (int k = 1; k < 4; ++k) // the numbers of a stencil add up to nothing: from a, not from the origin
                sum += h.stencil[k] * (at(k) - at(0));
            energy += 0.5 * h.quadratic * length_squared(sum);
        } else {
            const double bent = hinge_angle(at(0), at(1), at(2), at(3)).angle - h.rest_angle;
            energy += 0.5 * h.stiffness * bent * bent;
        }
    }
    for (std::size_t i = 0; i + 1 < sheet.plate.start.size(); ++i)
        for (int e = sheet.plate.start[i]; e < sheet.plate.start[i + 1]; ++e) // each pair is met twice
            energy -= 0.25 * sheet.plate.value[e] * length_squared(position[sheet.plate.column[e]] - position[i]);
    return energy;
}

void add_sheet_forces(const Sheet& sheet, std::span<const Vec3> position, double compression, std::span<Vec3> force) {
    for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
        const Triangle& v = sheet.triangles[t];
        const MembraneResponse r = respond(sheet.membrane[t], position[v[1]] - position[v[0]],
                                           position[v[2]] - position[v[0]], {compression, 0.0}, {});
        force[v[0]] -= r.force1 + r.force2;
        force[v[1]] += r.force1;
        force[v[2]] += r.force2;
    }
    for (std::size_t k = 0; k < sheet.elastic.size(); ++k) {
        const Triangle& v = sheet.triangles[sheet.elastic_index[k]];
        const ElasticResponse r = respond(sheet.elastic[k], position[v[1]] - position[v[0]],
                                          position[v[2]] - position[v[0]], 1.0, 0.0, {}, MembraneHessian::definite);
        force[v[0]] -= r.force1 + r.force2;
        force[v[1]] += r.force1;
        force[v[2]] += r.force2;
    }
    for (const SheetHinge& h : sheet.hinges) {
        const auto at = [&](int k) { return position[h.vertex[k]]; };
        if (h.in_plate) continue;
        if (h.is_flat()) {
            Vec3 sum;
            for (int k = 1; k < 4; ++k)
                sum += h.stencil[k] * (at(k) - at(0));
            for (int k = 0; k < 4; ++k)
                force[h.vertex[k]] -= h.quadratic * h.stencil[k] * sum;
        } else {
            const HingeAngle now = hinge_angle(at(0), at(1), at(2), at(3));
            for (int k = 0; k < 4; ++k)
                force[h.vertex[k]] -= h.stiffness * (now.angle - h.rest_angle) * now.slope[k];
        }
    }
    for (std::size_t i = 0; i + 1 < sheet.plate.start.size(); ++i)
        for (int e = sheet.plate.start[i]; e < sheet.plate.start[i + 1]; ++e)
            force[i] -= sheet.plate.value[e] * (position[sheet.plate.column[e]] - position[i]);
}

} // namespace selvage
