#include "render/quick_style.h"

#include <algorithm>

#include "render/gl_api.h"

namespace selvage {

Result<QuickStyle> QuickStyle::make(GlDialect dialect) {
    Result<GlProgram> program = GlProgram::make(dialect, "surface.vert.glsl", "quick.frag.glsl");
    if (!program) return program.error();
    Result<GlProgram> floor = GlProgram::make(dialect, "fill_screen.vert.glsl", "quick_backdrop.frag.glsl");
    if (!floor) return floor.error();
    QuickStyle style;
    style.program_ = std::move(*program);
    style.floor_ = std::move(*floor);
    return style;
}

Status QuickStyle::resize(const RenderSettings& settings) {
    samples_ = GlFramebuffer(settings.width, settings.height, PixelFormat::rgba8, settings.samples);
    return samples_.check();
}

void QuickStyle::draw(const RenderScene& scene, GpuScene& gpu, const RenderView& view, const GlFramebuffer& target,
                      int left) {
    gpu.upload(scene);
    const ViewCamera camera(view, samples_.width(), samples_.height());
    const double distance = length(view.target - view.eye);
    const Mat4f to_clip = product(camera.projection(0.02 * distance, 200.0 * distance), camera.to_view());
    samples_.clear(0, 0, 0, 1);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    floor_.use();
    draw_screen();
    program_.use();
    program_.set("u_eye", Vec3f(camera.eye()));
    program_.set("u_height", static_cast<float>(samples_.height()));
    program_.set("u_key_direction", towards_light_);
    if (scene.ground_height && camera.eye().y > *scene.ground_height)
        draw_floor_shadow(gpu, *scene.ground_height, to_clip);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    program_.set("u_to_clip", to_clip);
    program_.set("u_kind", 0.0f);
    for (std::size_t i = 0; i < scene.solids.size(); ++i) {
        const GlTexture& map = gpu.print_texture(scene.solids[i].map);
        program_.set("u_has_map", scene.solids[i].map ? 1.0f : 0.0f);
        program_.set_texture("u_map", map, 0);
        program_.set("u_albedo", scene.solids[i].albedo);
        program_.set("u_back_albedo", scene.solids[i].albedo);
        gpu.solids()[i].draw();
    }
    program_.set("u_has_map", 0.0f);
    draw_cloths(scene, gpu);
    gpu.draw_lines(to_clip);
    samples_.resolve_into(target, left);
}

/// Everything flattened onto the floor along the light, in one plain colour.
void QuickStyle::draw_floor_shadow(const GpuScene& gpu, double height, const Mat4f& to_clip) {
    const Vec3f light = towards_light_;
    const float h = static_cast<float>(height), s = 1.0f / std::max(light.y, 0.2f);
    const Mat4f flat{1, 0, 0, 0, -light.x * s, 0, -light.z * s, 0, 0, 0, 1, 0, h * light.x * s, h, h * light.z * s, 1};
    program_.set("u_to_clip", product(to_clip, flat));
    program_.set("u_kind", 2.0f);
    for (const std::vector<GpuMesh>* meshes : {&gpu.cloths(), &gpu.solids()})
        for (const GpuMesh& mesh : *meshes)
            mesh.draw();
}

void QuickStyle::draw_cloths(const RenderScene& scene, const GpuScene& gpu) {
    glEnable(GL_CULL_FACE);
    for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
        const FabricLook& look = scene.cloths[i].look->look;
        const auto mean = [&](int c) { return static_cast<float>(0.5 * (look.warp_colour[c] + look.weft_colour[c])); };
        const Vec3f front{mean(0), mean(1), mean(2)};
        program_.set("u_kind", scene.cloths[i].heat_map ? 1.0f : 0.0f);
        program_.set("u_albedo", front);
        program_.set("u_back_albedo", Vec3f{front.x * static_cast<float>(look.back_tint[0]),
                                            front.y * static_cast<float>(look.back_tint[1]),
                                            front.z * static_cast<float>(look.back_tint[2])});
        gpu.cloths()[i].draw();
    }
    glDisable(GL_CULL_FACE);
}

} // namespace selvage
