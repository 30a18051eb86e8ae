#include "lab/papers/pictures.h"

#include "geometry/topology.h"
#include "render/cloth_surface.h"

namespace selvage {

Canvas to_canvas(const Image8& image) {
    Canvas canvas(image.width, image.height);
    for (int y = 0; y < canvas.fine_height(); ++y)
        for (int x = 0; x < canvas.fine_width(); ++x) {
            const auto [r, g, b] = image.at(x / Canvas::kSupersample, y / Canvas::kSupersample);
            canvas.set_fine(x, y, {r, g, b});
        }
    return canvas;
}

PreparedLook report_look() {
    FabricLook look;
    look.warp_colour = look.weft_colour = {0.42, 0.06, 0.05};
    look.back_tint = {1.2, 5.2, 5.0}; // the back is tan, so that folds show which side is which
    return prepare_look(look);
}

Result<Canvas> PictureMaker::draw(const TriangleMesh& mesh, const std::vector<Vec3>& positions, const RenderView& view,
                                  int width, int height, std::span<const Vec3f> normals,
                                  std::span<const Collider> solids) {
    auto place = renderers_.find({width, height});
    if (place == renderers_.end()) {
        RenderSettings settings;
        settings.width = width, settings.height = height;
        Result<Renderer> made = Renderer::make(settings);
        if (!made) return made.error();
        place = renderers_.emplace(std::pair{width, height}, std::move(*made)).first;
    }
    std::vector<Vec3f> area_normals;
    if (normals.empty()) {
        area_normals = vertex_normals(mesh, positions);
        for (Vec3f& n : area_normals)
            n = normalized(n);
        normals = area_normals;
    }
    ClothSurface cloth(mesh, 0, mesh.triangle_count(), {0.0003, 0.0});
    std::vector<SurfaceMesh> shapes;
    for (const Collider& solid : solids)
        shapes.push_back(make_solid_surface(drawn_mesh(solid)));
    RenderScene scene;
    scene.cloths.push_back({&cloth.update(positions, normals), &look_});
    for (const SurfaceMesh& shape : shapes)
        scene.solids.push_back({&shape});
    const Result<Image8> image = place->second.draw(scene, view);
    if (!image) return image.error();
    return to_canvas(*image);
}

Result<Canvas> PictureMaker::draw_net(const TriangleMesh& mesh, const std::vector<Vec3>& positions,
                                      const RenderView& view, int width, int height) {
    Result<Canvas> picture = draw(mesh, positions, view, width, height);
    if (!picture) return picture;
    const ViewCamera camera(view, width, height);
    for (const Edge& edge : build_topology(mesh).edges) {
        const PicturePoint a = camera.project(positions[edge[0]]), b = camera.project(positions[edge[1]]);
        if (a.depth > 0.0 && b.depth > 0.0) picture->draw_line(a.x, a.y, b.x, b.y, 0.75, kBlack);
    }
    return picture;
}

Result<Canvas> PictureMaker::draw_particles(const Simulation& sim, const RenderView& view, int width, int height) {
    return draw(sim.model().mesh, sim.state().position, view, width, height, {}, sim.colliders());
}

} // namespace selvage
