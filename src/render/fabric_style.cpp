// The passes of one picture:
//   1 shadow map  depth from the key light, orthographic around the cloth
//   2 normals     depth and normals from the camera at half size
//   3 occlusion   ambient occlusion from them, blurred
//   4 cloth       shaded and tone-mapped once per pixel: a weave costs far more than all the rest, and with several
//                 samples a pixel would be shaded for every small triangle in it
//   5 colour      backdrop, ground, solids, the shaded cloth, lines; tone-mapped, four samples per pixel
//   6 resolve     samples averaged after tone mapping, so that a highlight's edge is as smooth as any other
//   7 encode      to the screen's bytes
#include "render/fabric_style.h"

#include "render/fabric_uniforms.h"
#include "render/gl_api.h"

namespace selvage {

Result<FabricStyle> FabricStyle::make(GlDialect dialect) {
    FabricStyle style;
    style.dialect_ = dialect;
    struct Wanted {
        GlProgram* program;
        const char *vertex, *fragment;
    };
    const Wanted all[] = {{&style.depth_, "surface.vert.glsl", "depth.frag.glsl"},
                          {&style.normals_, "surface.vert.glsl", "normal.frag.glsl"},
                          {&style.occlusion_, "fill_screen.vert.glsl", "occlusion.frag.glsl"},
                          {&style.blur_, "fill_screen.vert.glsl", "occlusion_blur.frag.glsl"},
                          {&style.backdrop_, "fill_screen.vert.glsl", "backdrop.frag.glsl"},
                          {&style.ground_, "surface.vert.glsl", "ground.frag.glsl"},
                          {&style.solid_, "surface.vert.glsl", "solid.frag.glsl"},
                          {&style.cloth_, "surface.vert.glsl", "cloth.frag.glsl"},
                          {&style.composite_, "surface.vert.glsl", "shaded.frag.glsl"},
                          {&style.encode_, "fill_screen.vert.glsl", "encode.frag.glsl"}};
    for (const Wanted& w : all) {
        Result<GlProgram> made = GlProgram::make(dialect, w.vertex, w.fragment);
        if (!made) return made.error();
        *w.program = std::move(*made);
    }
    return style;
}

Status FabricStyle::resize(const RenderSettings& settings) {
    const int width = settings.width, height = settings.height;
    const int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    shadow_ = GlFramebuffer::depth_only(settings.shadow_resolution, settings.shadow_resolution);
    half_ = GlFramebuffer(half_width, half_height, PixelFormat::rgba16f);
    sky_raw_ = GlFramebuffer(half_width, half_height, PixelFormat::rgba16f);
    sky_ = GlFramebuffer(half_width, half_height, PixelFormat::rgba16f);
    shaded_ = GlFramebuffer(width, height, PixelFormat::rgba16f);
    samples_ = GlFramebuffer(width, height, PixelFormat::rgba16f, settings.samples);
    resolved_ = GlFramebuffer(width, height, PixelFormat::rgba16f);
    for (const GlFramebuffer* target : {&shadow_, &half_, &sky_raw_, &sky_, &shaded_, &samples_, &resolved_})
        if (const Status ok = target->check(); !ok) return ok;
    return Done{};
}

void FabricStyle::set_environment(const Environment& environment) {
    environment_ = environment;
    std::vector<std::span<const float>> faces;
    for (const Environment::CubeLevel& level : environment.levels)
        for (const std::vector<float>& face : level.faces)
            faces.emplace_back(face);
    surroundings_ = GlTexture::cube_from_float_rgba(environment.levels[0].side, faces);
}

void FabricStyle::draw(const RenderScene& scene, GpuScene& gpu, const RenderView& view, const RenderSettings& settings,
                       bool linear) {
    gpu.upload(scene);
    gpu.sort_sheer_cloths(scene, view.eye);
    const Bounds casters = find_casters(scene, view.target);
    const ViewCamera camera(view, settings.width, settings.height);
    // Near enough for a lens close to the cloth, far enough for the floor to meet the horizon.
    const double distance = length(view.target - view.eye);
    const double near_plane = 0.02 * distance, far_plane = 100.0 * distance + 20.0 * casters.radius();
    if (scene.ground_height) gpu.set_ground(view.target, *scene.ground_height, 50.0 * distance);
    const Frame frame{scene,
                      gpu,
                      settings,
                      camera,
                      static_cast<float>(near_plane),
                      static_cast<float>(far_plane),
                      product(camera.projection(near_plane, far_plane), camera.to_view()),
                      shadow_view(Vec3(environment_.key.direction), casters),
                      linear};

    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDisable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_CULL_FACE);
    if (dialect_ == GlDialect::desktop_33) glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS); // always so in GLES
    draw_shadows(frame);
    draw_occlusion(frame);
    shade_cloth(frame);
    draw_colour(frame);
    samples_.resolve_into(resolved_);
}

void FabricStyle::encode_into(const GlFramebuffer& target, int left) {
    target.bind_columns(left, resolved_.width());
    glDisable(GL_DEPTH_TEST);
    encode_.use();
    encode_.set_texture("u_colour", resolved_.colour(), 0);
    draw_screen();
}

void FabricStyle::set_light(GlProgram& program, const Frame& frame) {
    const KeyLight& key = environment_.key;
    program.use();
    program.set("u_eye", Vec3f(frame.camera.eye()));
    program.set("u_to_view", frame.camera.to_view());
    program.set("u_key_direction", key.direction);
    program.set("u_key_irradiance", key.irradiance);
    program.set("u_key_tan_radius", key.tan_radius);
    program.set_texture("u_shadow_map", shadow_.depth(), 0);
    program.set("u_to_shadow", frame.light.to_map);
    program.set("u_shadow_size", frame.light.across, frame.light.deep);
    program.set("u_irradiance", std::span<const Vec3f>(environment_.irradiance));
    program.set_texture("u_surroundings", surroundings_, 1);
    program.set("u_last_level", static_cast<float>(environment_.levels.size()) - 1.0f);
    program.set_texture("u_occlusion", sky_.colour(), 2);
    program.set("u_picture", static_cast<float>(frame.settings.width), static_cast<float>(frame.settings.height));
    program.set("u_exposure", static_cast<float>(frame.settings.exposure));
    program.set("u_linear", frame.linear ? 1.0f : 0.0f);
    program.set("u_has_backdrop", environment_.has_backdrop ? 1.0f : 0.0f);
    program.set("u_backdrop_low", environment_.backdrop_low);
    program.set("u_backdrop_high", environment_.backdrop_high);
}

void FabricStyle::draw_shadows(const Frame& frame) {
    shadow_.bind();
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    depth_.use();
    depth_.set("u_to_clip", frame.light.to_clip);
    for (std::size_t i = 0; i < frame.scene.cloths.size(); ++i) {
        depth_.set("u_opacity", 1.0f - static_cast<float>(frame.scene.cloths[i].look->look.openness));
        frame.gpu.cloths()[i].draw();
    }
    depth_.set("u_opacity", 1.0f);
    for (const GpuMesh& mesh : frame.gpu.solids())
        mesh.draw();
}

void FabricStyle::draw_occlusion(const Frame& frame) {
    half_.clear(0, 0, 0, 0);
    normals_.use();
    normals_.set("u_to_clip", frame.to_clip);
    normals_.set("u_to_view", frame.camera.to_view());
    for (const GpuMesh& mesh : frame.gpu.solids())
        mesh.draw();
    if (frame.scene.ground_height) frame.gpu.ground().draw();
    glEnable(GL_CULL_FACE);
    for (const GpuMesh& mesh : frame.gpu.cloths())
        mesh.draw();
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);

    const double tan_x = frame.camera.tan_half_x(), tan_y = frame.camera.tan_half_y();
    sky_raw_.bind();
    occlusion_.use();
    occlusion_.set("u_planes", frame.near_plane, frame.far_plane);
    occlusion_.set("u_tan_half", static_cast<float>(tan_x), static_cast<float>(tan_y));
    occlusion_.set("u_reach", static_cast<float>(frame.settings.occlusion_reach));
    occlusion_.set("u_pixel_scale", static_cast<float>(0.5 * half_.height() / tan_y));
    occlusion_.set_texture("u_depth", half_.depth(), 0);
    occlusion_.set_texture("u_normals", half_.colour(), 1);
    draw_screen();

    sky_.bind();
    blur_.use();
    blur_.set_texture("u_occlusion", sky_raw_.colour(), 0);
    draw_screen();
    glEnable(GL_DEPTH_TEST);
}

namespace {

/// Thread is bought to match: a shade lighter than dark cloth, a shade darker than light one.
Vec3f thread_colour(const FabricLook& look) {
    const auto mean = [&](std::size_t c) { return 0.5 * (look.warp_colour[c] + look.weft_colour[c]); };
    const Vec3 cloth{mean(0), mean(1), mean(2)};
    const double light = (cloth.x + cloth.y + cloth.z) / 3.0;
    return Vec3f(light < 0.25 ? 1.5 * cloth + Vec3{0.05, 0.05, 0.05} : 0.85 * cloth);
}

} // namespace

void FabricStyle::draw_cloth(const Frame& frame, std::size_t index) {
    const RenderScene::Cloth& drawn = frame.scene.cloths[index];
    const FabricLook& look = drawn.look->look;
    set_fabric(cloth_, *drawn.look);
    const GlTexture& print = frame.gpu.print_texture(drawn.print);
    cloth_.set("u_has_print", drawn.print ? 1.0f : 0.0f);
    cloth_.set_texture("u_print", print, 3);
    cloth_.set("u_print_size", static_cast<float>(look.print_size[0]), static_cast<float>(look.print_size[1]));
    cloth_.set("u_stitch", Vec3f(Vec3{drawn.hem, drawn.seam, drawn.heat_map ? 0.0 : drawn.stitch}));
    cloth_.set("u_thread", thread_colour(look));
    frame.gpu.cloths()[index].draw();
}

void FabricStyle::set_map(const Frame& frame, const Image8* map) {
    const GlTexture& texture = frame.gpu.print_texture(map);
    solid_.set("u_has_map", map ? 1.0f : 0.0f);
    solid_.set_texture("u_map", texture, 3);
}

void FabricStyle::shade_cloth(const Frame& frame) {
    const std::vector<RenderScene::Cloth>& cloths = frame.scene.cloths;
    shaded_.clear(0, 0, 0, 0);
    // Depth first: folds hide much of the cloth.
    depth_.use();
    depth_.set("u_to_clip", frame.to_clip);
    depth_.set("u_opacity", 1.0f);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (const GpuMesh& mesh : frame.gpu.solids())
        mesh.draw();
    glEnable(GL_CULL_FACE);
    for (std::size_t i = 0; i < cloths.size(); ++i)
        if (!is_sheer(cloths[i])) frame.gpu.cloths()[i].draw();
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    set_light(solid_, frame);
    solid_.set("u_to_clip", frame.to_clip);
    solid_.set("u_heat", 1.0f);
    set_map(frame, nullptr);
    solid_.set("u_roughness", 0.8f);
    for (std::size_t i = 0; i < cloths.size(); ++i)
        if (cloths[i].heat_map) frame.gpu.cloths()[i].draw();
    set_light(cloth_, frame);
    cloth_.set("u_to_clip", frame.to_clip);
    for (std::size_t i = 0; i < cloths.size(); ++i)
        if (!is_sheer(cloths[i]) && !cloths[i].heat_map) draw_cloth(frame, i);
    glDepthFunc(GL_LESS);
    glDisable(GL_CULL_FACE);
}

void FabricStyle::draw_surroundings(const Frame& frame) {
    const ViewCamera& camera = frame.camera;
    set_light(backdrop_, frame);
    const Vec3 right = camera.tan_half_x() * camera.right(), up = camera.tan_half_y() * camera.up();
    backdrop_.set("u_ray_corner", Vec3f(camera.forward() - right - up));
    backdrop_.set("u_ray_right", Vec3f(2.0 * right));
    backdrop_.set("u_ray_up", Vec3f(2.0 * up));
    glDisable(GL_DEPTH_TEST);
    draw_screen();
    glEnable(GL_DEPTH_TEST);

    if (frame.scene.ground_height) {
        set_light(ground_, frame);
        ground_.set("u_to_clip", frame.to_clip);
        frame.gpu.ground().draw();
    }
    set_light(solid_, frame);
    solid_.set("u_to_clip", frame.to_clip);
    solid_.set("u_heat", 0.0f);
    for (std::size_t i = 0; i < frame.scene.solids.size(); ++i) {
        set_map(frame, frame.scene.solids[i].map);
        solid_.set("u_albedo", frame.scene.solids[i].albedo);
        solid_.set("u_roughness", frame.scene.solids[i].roughness);
        frame.gpu.solids()[i].draw();
    }
}

void FabricStyle::draw_colour(const Frame& frame) {
    const std::vector<RenderScene::Cloth>& cloths = frame.scene.cloths;
    samples_.clear(0, 0, 0, 1);
    draw_surroundings(frame);
    glEnable(GL_CULL_FACE); // either side of a cloth has its own triangles, a hair apart
    for (std::size_t i = 0; i < cloths.size(); ++i)
        if (!is_sheer(cloths[i])) {
            composite_.use();
            composite_.set("u_to_clip", frame.to_clip);
            composite_.set("u_planes", frame.near_plane, frame.far_plane);
            composite_.set_texture("u_shaded", shaded_.colour(), 0);
            composite_.set_texture("u_shaded_depth", shaded_.depth(), 1);
            frame.gpu.cloths()[i].draw();
        }
    set_light(cloth_, frame);
    cloth_.set("u_to_clip", frame.to_clip);
    glEnable(GL_BLEND); // their triangles come sorted from the far ones to the near
    for (std::size_t i = 0; i < cloths.size(); ++i)
        if (is_sheer(cloths[i])) draw_cloth(frame, i);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    frame.gpu.draw_lines(frame.to_clip);
}

} // namespace selvage
