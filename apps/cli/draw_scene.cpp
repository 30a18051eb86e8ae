#include "draw_scene.h"

namespace selvage {

PictureView scene_view(const SceneDesc& scene) {
    const auto vec = [](const Triple& t) { return Vec3{t[0], t[1], t[2]}; };
    return {vec(scene.camera.eye), vec(scene.camera.target), scene.camera.fov_deg};
}

Canvas draw_scene(Simulation& sim, DrawnSurface& surface, const PictureView& view, int width, int height) {
    std::vector<TriangleMesh> solids;
    for (const Collider& collider : sim.colliders()) {
        TriangleMesh& mesh = solids.emplace_back(collider_mesh(collider.shape));
        for (Vec3& p : mesh.positions)
            p = collider.now.to_world(p);
    }
    std::vector<PictureObject> objects = {{&surface.mesh(), &surface.update(sim.state().position, sim.pool())}};
    objects[0].normals = surface.normals();
    for (const TriangleMesh& mesh : solids)
        objects.push_back({&mesh, &mesh.positions, kSolidColour, kSolidColour});
    return draw_picture(sim.pool(), objects, view, width, height);
}

} // namespace selvage
