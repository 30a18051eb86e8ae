#include "draw_scene.h"

namespace selvage {

PictureView scene_view(const SceneDesc& scene) {
    const auto vec = [](const Triple& t) { return Vec3{t[0], t[1], t[2]}; };
    return {vec(scene.camera.eye), vec(scene.camera.target), scene.camera.fov_deg};
}

namespace {

Canvas draw_with_solids(Simulation& sim, const PictureObject& cloth, const PictureView& view, int width, int height) {
    std::vector<TriangleMesh> solids;
    for (const Collider& collider : sim.colliders())
        solids.push_back(drawn_mesh(collider));
    std::vector<PictureObject> objects = {cloth};
    for (const TriangleMesh& mesh : solids)
        objects.push_back({&mesh, &mesh.positions, kSolidColour, kSolidColour});
    return draw_picture(sim.pool(), objects, view, width, height);
}

} // namespace

Canvas draw_scene(Simulation& sim, DrawnSurface& surface, const PictureView& view, int width, int height) {
    PictureObject cloth{&surface.mesh(), &surface.update(sim.state().position, sim.pool())};
    cloth.normals = surface.normals();
    return draw_with_solids(sim, cloth, view, width, height);
}

Canvas draw_particles(Simulation& sim, const PictureView& view, int width, int height) {
    return draw_with_solids(sim, {&sim.model().mesh, &sim.state().position}, view, width, height);
}

} // namespace selvage
