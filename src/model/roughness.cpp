#include "model/roughness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/rest_shape.h"

namespace selvage {

namespace {

/// How far each vertex lies above the mean of its neighbours, seen along the normal; 0 on the border.
std::vector<double> heights(const ClothModel& model, const IndexLists& neighbours,
                            std::span<const std::uint8_t> on_border, std::span<const Vec3> x) {
    std::vector<Vec3> normal(x.size());
    for (const Triangle& t : model.mesh.triangles) {
        const Vec3 n = doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]);
        for (const int v : t)
            normal[v] += n;
    }
    std::vector<double> height(x.size(), 0.0);
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
        if (on_border[i] != 0 || neighbours[i].empty()) continue;
        Vec3 sum;
        for (const int j : neighbours[i])
            sum += x[i] - x[j];
        height[i] = dot(normalized(normal[i]), sum) / static_cast<double>(neighbours[i].size());
    }
    return height;
}

} // namespace

double roughness(const ClothModel& model, std::span<const Vec3> position) {
    std::vector<std::uint8_t> on_border(position.size(), 1);
    const IndexLists neighbours = vertex_neighbours(model.vertex_count(), model.edges);
    std::vector<int> hinges(position.size(), 0);
    for (const HingeTriangles& h : hinge_triangles(model.mesh))
        for (const int v : {h.hinge.a, h.hinge.b})
            ++hinges[v];
    for (int i = 0; i < model.vertex_count(); ++i) // inside, every edge is a hinge
        on_border[i] = hinges[i] < static_cast<int>(neighbours[i].size()) ? 1 : 0;
    std::vector<double> height = heights(model, neighbours, on_border, position);
    const std::vector<double> rest = heights(model, neighbours, on_border, model.mesh.positions);
    for (const ClothPart& part : model.parts) // patterns are flat at rest
        for (int i = part.vertex_begin; part.rest == RestShape::mesh && i < part.vertex_begin + part.vertex_count; ++i)
            height[i] -= rest[i];
    double opposite = 0.0, all = 0.0;
    for (const Edge& e : model.edges) {
        const double product = height[e[0]] * height[e[1]];
        opposite += std::max(0.0, -product);
        all += std::abs(product);
    }
    return all > 0.0 ? opposite / all : 0.0;
}

std::vector<Resolution> resolutions(const ClothModel& model) {
    std::vector<Resolution> list;
    for (const ClothPart& part : model.parts) {
        if (part.triangle_count == 0 || part.is_block) continue;
        double area = 0.0;
        for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t)
            area += rest_area(model.mesh, part.rest, t);
        const Material& m = part.material;
        const double rigidity = part.net.bend ? std::sqrt(m.bend_warp * m.bend_weft) : 0.0;
        list.push_back({part.name, std::sqrt(2.0 * area / part.triangle_count),
                        rigidity > 0.0 ? bending_length(m, rigidity) : 0.0});
    }
    return list;
}

} // namespace selvage
