#include "model/bare_net.h"

namespace selvage {

ClothModel make_net(std::vector<Vec3> positions, std::vector<double> mass, std::vector<Spring> springs) {
    ClothModel model;
    model.mesh.positions = std::move(positions);
    model.mass = std::move(mass);
    model.area.assign(model.mass.size(), 0.0F);
    model.springs = std::move(springs);
    model.spring_kind.assign(model.springs.size(), SpringKind::structural);
    index_springs(model);
    model.vertex_triangles.start.assign(model.mass.size() + 1, 0);
    ClothPart part;
    part.name = "net";
    part.vertex_count = model.vertex_count();
    part.spring_count = model.spring_count();
    model.parts = {part};
    return model;
}

ClothState at_rest(const ClothModel& model) {
    return {model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
}

void Hands::grab(int vertex, const Vec3& target) {
    release(vertex);
    held.push_back({vertex, target});
    is_held[vertex] = 1;
}

void Hands::release(int vertex) {
    std::erase_if(held, [&](const HeldPoint& point) { return point.vertex == vertex; });
    is_held[vertex] = 0;
}

} // namespace selvage
