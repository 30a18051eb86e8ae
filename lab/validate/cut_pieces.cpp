#include "lab/validate/cut_pieces.h"

#include <cmath>

#include "base/assert.h"
#include "lab/validate/relaxed_sheet.h"

namespace selvage {

GeneratedMesh cut_at(const GridDesc& grid, double grain) {
    Result<GeneratedMesh> made = make_grid(grid);
    SELVAGE_ASSERT(made);
    made->lattice = {0, 0, 0}; // threads run where the uv say, not along the grid
    const double c = std::cos(grain), s = std::sin(grain);
    made->mesh.uv_triangles.clear();
    made->mesh.uv.clear();
    for (const Vec3& p : made->mesh.positions)
        made->mesh.uv.push_back({c * p.x + s * p.y, -s * p.x + c * p.y});
    return std::move(*made);
}

void cut_pattern(GeneratedMesh& made, const std::function<bool(const Vec3&)>& is_second) {
    TriangleMesh& mesh = made.mesh;
    const int n = mesh.vertex_count();
    for (int i = 0; i < n; ++i)
        mesh.uv.push_back({mesh.uv[i].x + 2.0, 3.0 - mesh.uv[i].y});
    mesh.uv_triangles.clear();
    for (const Triangle& t : mesh.triangles) {
        const int shift = is_second((mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0) ? n : 0;
        mesh.uv_triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    }
    made.rest = RestShape::uv;
}

void hang(SceneDesc& scene, GeneratedMesh mesh) {
    scene.cloths[0].given_mesh = std::make_shared<const GeneratedMesh>(std::move(mesh));
    scene.cloths[0].self_collision = false;
}

void pin_at_start(SceneDesc& scene, std::vector<int> vertices) {
    PinDesc pin;
    pin.select = std::move(vertices);
    scene.cloths[0].pins.push_back(pin);
}

std::vector<Vec3> shape_at_rest(const Variant& variant, const SceneDesc& scene) {
    Simulation sim = make_or_die(scene);
    if (variant.name != kEnergies) {
        settle(sim);
        return sim.state().position;
    }
    std::vector<std::uint8_t> is_held(sim.model().vertex_count(), 0);
    for (const PinDesc& pin : scene.cloths[0].pins)
        for (const int v : std::get<std::vector<int>>(pin.select))
            is_held[v] = 1;
    std::vector<Vec3> load;
    for (const double mass : sim.model().mass)
        load.push_back(mass * Vec3{scene.gravity[0], scene.gravity[1], scene.gravity[2]});
    return relax_sheet(make_sheet(sim.model()), sim.model().mesh.positions, load, is_held).position;
}

} // namespace selvage
