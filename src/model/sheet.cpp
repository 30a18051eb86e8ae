#include "model/sheet.h"

#include <algorithm>
#include <cmath>

#include "model/sheet_plates.h"
#include "model/thread_axes.h"

namespace selvage {

namespace {

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

} // namespace

Sheet make_sheet(const ClothModel& model) {
    Sheet sheet;
    const std::vector<Vec3>& x = model.mesh.positions;
    PlateRows rows(x.size());
    for (std::size_t p = 0; p < model.parts.size(); ++p) {
        const ClothPart& part = model.parts[p];
        if (!is_sheet(part)) {
            sheet.spring_parts.push_back(static_cast<int>(p));
            continue;
        }
        const Material& m = part.material;
        const double ku = part.net.structural ? m.stretch_warp : 0.0, kv = part.net.structural ? m.stretch_weft : 0.0;
        const double shear = part.net.shear ? m.shear : 0.0;
        TriangleMesh mesh; // of this part, for its hinges
        std::vector<ThreadAxes> axes;
        for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t) {
            const Triangle& v = model.mesh.triangles[t];
            axes.push_back(thread_axes(model.mesh, t));
            const auto in_cloth = [&](const Vec3& e) {
                return Vec2{dot(e, axes.back().warp), dot(e, axes.back().weft)};
            };
            sheet.triangles.push_back(v);
            sheet.membrane.push_back(
                make_membrane_triangle(in_cloth(x[v[1]] - x[v[0]]), in_cloth(x[v[2]] - x[v[0]]), ku, kv, shear));
            sheet.triangle_part.push_back(static_cast<int>(p));
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
            mesh.triangles.push_back(v);
        }
        if (!part.net.bend) continue;
        const int first_hinge = static_cast<int>(sheet.hinges.size());
        std::vector<std::array<int, 2>> hinge_of;
        for (const HingeTriangles& h : hinge_triangles(mesh)) {
            const auto& [a, b, c, d] = h.hinge;
            const double l2 = length_squared(x[b] - x[a]);
            const double area1 = 0.5 * length(doubled_area_normal(x[a], x[b], x[c]));
            const double area2 = 0.5 * length(doubled_area_normal(x[a], x[b], x[d]));
            if (!(std::min(area1, area2) > 1e-6 * l2)) continue; // slivers have no angle to speak of
            const double areas = area1 + area2;
            const double rigidity = bend_rigidity(m, across_warp(axes, h.first, h.second, x[b] - x[a]));
            if (!(rigidity > 0.0)) continue;
            const double rest = hinge_angle(x[a], x[b], x[c], x[d]).angle;
            sheet.hinges.push_back({{a, b, c, d},
                                    flat_stencil(x[a], x[b], x[c], x[d]),
                                    rigidity * l2 / areas,
                                    rigidity / areas,
                                    std::abs(rest) < kFlatAngle ? 0.0 : rest,
                                    static_cast<int>(p)});
            hinge_of.push_back({h.first, h.second});
        }
        add_plates({model, part, axes, std::span(sheet.hinges).subspan(first_hinge), hinge_of}, rows);
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
