// One picture:
//   1 upload      vertices and indices of everything
//   2 shadow map  depth from the key light, orthographic around the cloth
//   3 normals     depth and normals from the camera at half size
//   4 occlusion   ambient occlusion from them, blurred
//   5 cloth       shaded and tone-mapped once per pixel: a weave costs far more than all the rest, and with several samples
//                 a pixel would be shaded for every small triangle in it
//   6 colour      backdrop, ground, solids, the shaded cloth, lines; tone-mapped, four samples per pixel
//   7 resolve     samples averaged after tone mapping, so that a highlight's edge is as smooth as any other
//   8 encode      to the screen's bytes, and read back
#include "render/renderer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/concat.h"
#include "render/fabric_uniforms.h"
#include "render/gl_api.h"
#include "render/gl_framebuffer.h"
#include "render/gl_objects.h"
#include "render/gl_program.h"

namespace selvage {

namespace {

struct Bounds {
    Vec3 low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
    void include(const Vec3& p) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    bool is_empty() const { return low.x > high.x; }
    Vec3 centre() const { return 0.5 * (low + high); }
    double radius() const { return 0.5 * length(high - low); }
};

/// A mesh on the GPU; buffers are kept from picture to picture.
class GpuMesh {
public:
    GpuMesh() : indices_(GlBuffer::Use::indices) {
        constexpr int kStride = sizeof(SurfaceVertex);
        array_.add(vertices_, {{0, 3, kStride, 0},
                               {1, 3, kStride, 12},
                               {2, 3, kStride, 24},
                               {3, 3, kStride, 36},
                               {4, 2, kStride, 48},
                               {5, 3, kStride, 56}});
        array_.set_indices(indices_);
    }
    void set(const SurfaceMesh& mesh) {
        vertices_.set(std::span<const SurfaceVertex>(mesh.vertices));
        indices_.set(std::span<const std::uint32_t>(mesh.indices));
        array_.set_indices(indices_);
        count_ = static_cast<int>(mesh.indices.size());
    }
    void draw() const { array_.draw_triangles(0, count_); }

private:
    GlBuffer vertices_, indices_;
    GlVertexArray array_;
    int count_ = 0;
};

struct Planes {
    float near_plane, far_plane; // [m]
};

bool is_sheer(const RenderScene::Cloth& cloth) {
    return cloth.look->look.openness > 0.0 && !cloth.heat_map;
}

/// The same triangles, the farthest first.
SurfaceMesh sorted_from_far(const SurfaceMesh& mesh, const Vec3& eye) {
    SurfaceMesh sorted{mesh.vertices, {}};
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t t = 0; t + 2 < mesh.indices.size(); t += 3) {
        Vec3 middle;
        for (std::size_t k = 0; k < 3; ++k)
            middle += Vec3(mesh.vertices[mesh.indices[t + k]].position) / 3.0;
        order.emplace_back(-length_squared(middle - eye), t);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [distance, t] : order)
        sorted.indices.insert(sorted.indices.end(), {mesh.indices[t], mesh.indices[t + 1], mesh.indices[t + 2]});
    return sorted;
}

/// What casts shadows: all cloth, and solids as far as they are near it; a large one must not thin out the map.
Bounds find_casters(const RenderScene& scene, const Vec3& otherwise) {
    Bounds cloth;
    for (const RenderScene::Cloth& c : scene.cloths)
        for (const SurfaceVertex& v : c.mesh->vertices)
            cloth.include(Vec3(v.position));
    Bounds all = cloth;
    for (const RenderScene::Solid& solid : scene.solids)
        for (const SurfaceVertex& v : solid.mesh->vertices) {
            const Vec3 p(v.position);
            if (cloth.is_empty() || length(p - cloth.centre()) < 2.0 * cloth.radius()) all.include(p);
        }
    if (all.is_empty()) all.include(otherwise);
    return all;
}

SurfaceMesh make_floor(const Vec3& centre, double height, double reach) {
    constexpr int kCells = 16; // small enough that no triangle spans the whole depth range
    SurfaceMesh floor;
    for (int j = 0; j <= kCells; ++j)
        for (int i = 0; i <= kCells; ++i) {
            const auto at = [&](int k) { return reach * (2.0 * k / kCells - 1.0); };
            SurfaceVertex v;
            v.position = Vec3f(Vec3{centre.x + at(i), height, centre.z + at(j)});
            v.normal = {0, 1, 0};
            floor.vertices.push_back(v);
        }
    for (std::uint32_t j = 0; j < kCells; ++j)
        for (std::uint32_t i = 0; i < kCells; ++i) {
            const std::uint32_t a = j * (kCells + 1) + i, b = a + 1, c = a + kCells + 1, d = c + 1;
            floor.indices.insert(floor.indices.end(), {a, c, b, b, c, d});
        }
    return floor;
}

/// The key light's camera: a box around what casts shadows.
struct ShadowView {
    Mat4f to_clip, to_map;            // to -1..1, and to 0..1
    float across = 1.0f, deep = 1.0f; // [m]
};

ShadowView shadow_view(const Vec3& towards_light, const Bounds& casters) {
    const double radius = std::max(0.05, casters.radius()) * 1.02;
    const Vec3 forward = -towards_light;
    const Vec3 right = normalized(cross(forward, std::abs(forward.y) < 0.95 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}));
    const Vec3 up = cross(right, forward), centre = casters.centre();
    // Deeper than wide: the ground behind the cloth receives its shadow too.
    const double deep = 4.0 * radius;
    ShadowView view;
    view.across = static_cast<float>(2.0 * radius);
    view.deep = static_cast<float>(deep);
    // Depth 0 lies one radius from the centre towards the light.
    const Vec3 start = centre - radius * forward;
    const auto fill = [&](Mat4f& m, double scale, double shift, double z_scale, double z_shift) {
        const Vec3 rows[3] = {(scale / radius) * right, (scale / radius) * up, (z_scale / deep) * forward};
        const double offset[3] = {shift - dot(rows[0], centre), shift - dot(rows[1], centre),
                                  z_shift - dot(rows[2], start)};
        m = {};
        for (int r = 0; r < 3; ++r) {
            m[r] = static_cast<float>(rows[r].x);
            m[4 + r] = static_cast<float>(rows[r].y);
            m[8 + r] = static_cast<float>(rows[r].z);
            m[12 + r] = static_cast<float>(offset[r]);
        }
        m[15] = 1.0f;
    };
    fill(view.to_clip, 1.0, 0.0, 2.0, -1.0);
    fill(view.to_map, 0.5, 0.5, 1.0, 0.0);
    return view;
}

} // namespace

struct Renderer::State {
    RenderSettings settings;
    bool linear = false;
    std::optional<GlContext> context; // destroyed last: the first member of all GL objects
    GlProgram depth, normals, occlusion, blur, backdrop, ground, solid, cloth, composite, line, encode, quick,
        quick_floor;
    GlFramebuffer shadow, half, sky_raw, sky, shaded, samples, resolved, bytes, quick_samples;
    GlTexture surroundings;
    Environment environment;
    std::vector<GpuMesh> cloth_meshes, solid_meshes;
    std::optional<GpuMesh> ground_mesh;
    std::map<const Image8*, GlTexture> prints;
    GlBuffer line_buffer;
    GlVertexArray line_array;

    explicit State(GlContext made) : context(std::move(made)) {
        line_array.add(line_buffer, {{0, 3, 24, 0}, {1, 3, 24, 12}});
    }
    ~State() { context->make_current(); } // the members' names are this context's
    Status make_programs();
    Status make_targets();
    void set_light(GlProgram& program, const ShadowView& light, const ViewCamera& camera);
    void draw_all(const RenderScene& scene, const RenderView& view); ///< Into `resolved`.
    void draw_shadows(const RenderScene& scene, const ShadowView& light);
    const GlTexture& print_texture(const Image8* print);
    void draw_occlusion(const ViewCamera& camera, const Mat4f& to_clip, float near_plane, float far_plane,
                        bool has_ground);
    void draw_fabric(const RenderScene::Cloth& drawn, const GpuMesh& mesh);
    void shade_cloth(const RenderScene& scene, const ViewCamera& camera, const Mat4f& to_clip, const ShadowView& light);
    void draw_colour(const RenderScene& scene, const ViewCamera& camera, const Mat4f& to_clip, const ShadowView& light,
                     const Planes& planes);
    void upload(const RenderScene& scene);
    void draw_lines(const RenderScene& scene, const Mat4f& to_clip);
    void draw_quick(const RenderScene& scene, const RenderView& view); ///< Into `bytes`.
};

Status Renderer::State::make_programs() {
    struct Wanted {
        GlProgram* program;
        const char *vertex, *fragment;
    };
    const Wanted all[] = {{&depth, "surface.vert.glsl", "depth.frag.glsl"},
                          {&normals, "surface.vert.glsl", "normal.frag.glsl"},
                          {&occlusion, "fill_screen.vert.glsl", "occlusion.frag.glsl"},
                          {&blur, "fill_screen.vert.glsl", "occlusion_blur.frag.glsl"},
                          {&backdrop, "fill_screen.vert.glsl", "backdrop.frag.glsl"},
                          {&ground, "surface.vert.glsl", "ground.frag.glsl"},
                          {&solid, "surface.vert.glsl", "solid.frag.glsl"},
                          {&cloth, "surface.vert.glsl", "cloth.frag.glsl"},
                          {&composite, "surface.vert.glsl", "shaded.frag.glsl"},
                          {&line, "line.vert.glsl", "line.frag.glsl"},
                          {&encode, "fill_screen.vert.glsl", "encode.frag.glsl"},
                          {&quick, "surface.vert.glsl", "quick.frag.glsl"},
                          {&quick_floor, "fill_screen.vert.glsl", "quick_backdrop.frag.glsl"}};
    for (const Wanted& w : all) {
        Result<GlProgram> made = GlProgram::make(context->dialect(), w.vertex, w.fragment);
        if (!made) return made.error();
        *w.program = std::move(*made);
    }
    return Done{};
}

Status Renderer::State::make_targets() {
    const int width = settings.width, height = settings.height;
    const int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    shadow = GlFramebuffer::depth_only(settings.shadow_resolution, settings.shadow_resolution);
    half = GlFramebuffer(half_width, half_height, PixelFormat::rgba16f);
    sky_raw = GlFramebuffer(half_width, half_height, PixelFormat::rgba16f);
    sky = GlFramebuffer(half_width, half_height, PixelFormat::rgba16f);
    shaded = GlFramebuffer(width, height, PixelFormat::rgba16f);
    samples = GlFramebuffer(width, height, PixelFormat::rgba16f, settings.samples);
    resolved = GlFramebuffer(width, height, PixelFormat::rgba16f);
    bytes = GlFramebuffer(width, height, PixelFormat::rgba8);
    quick_samples = GlFramebuffer(width, height, PixelFormat::rgba8, settings.samples);
    for (const GlFramebuffer* target :
         {&shadow, &half, &sky_raw, &sky, &shaded, &samples, &resolved, &bytes, &quick_samples})
        if (const Status ok = target->check(); !ok) return ok;
    return check_gl("making the targets");
}

void Renderer::State::set_light(GlProgram& program, const ShadowView& light, const ViewCamera& camera) {
    const KeyLight& key = environment.key;
    program.use();
    program.set("u_eye", Vec3f(camera.eye()));
    program.set("u_key_direction", key.direction);
    program.set("u_key_irradiance", key.irradiance);
    program.set("u_key_tan_radius", key.tan_radius);
    program.set_texture("u_shadow_map", shadow.depth(), 0);
    program.set("u_to_shadow", light.to_map);
    program.set("u_shadow_size", light.across, light.deep);
    program.set("u_irradiance", std::span<const Vec3f>(environment.irradiance));
    program.set_texture("u_surroundings", surroundings, 1);
    program.set("u_last_level", static_cast<float>(environment.levels.size()) - 1.0f);
    program.set_texture("u_occlusion", sky.colour(), 2);
    program.set("u_picture", static_cast<float>(settings.width), static_cast<float>(settings.height));
    program.set("u_exposure", static_cast<float>(settings.exposure));
    program.set("u_linear", linear ? 1.0f : 0.0f);
    program.set("u_has_backdrop", environment.has_backdrop ? 1.0f : 0.0f);
    program.set("u_backdrop_low", environment.backdrop_low);
    program.set("u_backdrop_high", environment.backdrop_high);
}

void Renderer::State::draw_shadows(const RenderScene& scene, const ShadowView& light) {
    shadow.bind();
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    depth.use();
    depth.set("u_to_clip", light.to_clip);
    for (std::size_t i = 0; i < cloth_meshes.size(); ++i) {
        depth.set("u_opacity", 1.0f - static_cast<float>(scene.cloths[i].look->look.openness));
        cloth_meshes[i].draw();
    }
    depth.set("u_opacity", 1.0f);
    for (const GpuMesh& mesh : solid_meshes)
        mesh.draw();
}

const GlTexture& Renderer::State::print_texture(const Image8* print) {
    const auto [place, is_new] = prints.try_emplace(print);
    if (!is_new) return place->second;
    const Image8 white{1, 1, {255, 255, 255}};
    const Image8& image = print ? *print : white;
    std::vector<unsigned char> rgba;
    for (int y = image.height - 1; y >= 0; --y) // v runs up
        for (int x = 0; x < image.width; ++x) {
            const auto [r, g, b] = image.at(x, y);
            rgba.insert(rgba.end(), {r, g, b, 255});
        }
    place->second = GlTexture::from_rgba8(image.width, image.height, rgba, true, true);
    return place->second;
}

void Renderer::State::draw_occlusion(const ViewCamera& camera, const Mat4f& to_clip, float near_plane, float far_plane,
                                     bool has_ground) {
    half.clear(0, 0, 0, 0);
    normals.use();
    normals.set("u_to_clip", to_clip);
    normals.set("u_to_view", camera.to_view());
    for (const GpuMesh& mesh : solid_meshes)
        mesh.draw();
    if (has_ground) ground_mesh->draw();
    glEnable(GL_CULL_FACE);
    for (const GpuMesh& mesh : cloth_meshes)
        mesh.draw();
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);

    sky_raw.bind();
    occlusion.use();
    occlusion.set("u_planes", near_plane, far_plane);
    occlusion.set("u_tan_half", static_cast<float>(camera.tan_half_x()), static_cast<float>(camera.tan_half_y()));
    occlusion.set("u_reach", static_cast<float>(settings.occlusion_reach));
    occlusion.set("u_pixel_scale", static_cast<float>(0.5 * half.height() / camera.tan_half_y()));
    occlusion.set_texture("u_depth", half.depth(), 0);
    occlusion.set_texture("u_normals", half.colour(), 1);
    draw_screen();

    sky.bind();
    blur.use();
    blur.set_texture("u_occlusion", sky_raw.colour(), 0);
    draw_screen();
    glEnable(GL_DEPTH_TEST);
}

void Renderer::State::draw_fabric(const RenderScene::Cloth& drawn, const GpuMesh& mesh) {
    const FabricLook& look = drawn.look->look;
    set_fabric(cloth, *drawn.look);
    const GlTexture& print = print_texture(drawn.print);
    cloth.set("u_has_print", drawn.print ? 1.0f : 0.0f);
    cloth.set_texture("u_print", print, 3);
    cloth.set("u_print_size", static_cast<float>(look.print_size[0]), static_cast<float>(look.print_size[1]));
    mesh.draw();
}

void Renderer::State::shade_cloth(const RenderScene& scene, const ViewCamera& camera, const Mat4f& to_clip,
                                  const ShadowView& light) {
    shaded.clear(0, 0, 0, 0);
    // Depth first: folds hide much of the cloth.
    depth.use();
    depth.set("u_to_clip", to_clip);
    depth.set("u_opacity", 1.0f);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (const GpuMesh& mesh : solid_meshes)
        mesh.draw();
    glEnable(GL_CULL_FACE);
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        if (!is_sheer(scene.cloths[i])) cloth_meshes[i].draw();
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    set_light(solid, light, camera);
    solid.set("u_to_clip", to_clip);
    solid.set("u_heat", 1.0f);
    solid.set("u_roughness", 0.8f);
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        if (scene.cloths[i].heat_map) cloth_meshes[i].draw();
    set_light(cloth, light, camera);
    cloth.set("u_to_clip", to_clip);
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        if (!is_sheer(scene.cloths[i]) && !scene.cloths[i].heat_map) draw_fabric(scene.cloths[i], cloth_meshes[i]);
    glDepthFunc(GL_LESS);
    glDisable(GL_CULL_FACE);
}

void Renderer::State::draw_colour(const RenderScene& scene, const ViewCamera& camera, const Mat4f& to_clip,
                                  const ShadowView& light, const Planes& planes) {
    samples.clear(0, 0, 0, 1);
    set_light(backdrop, light, camera);
    const Vec3 right = camera.tan_half_x() * camera.right(), up = camera.tan_half_y() * camera.up();
    backdrop.set("u_ray_corner", Vec3f(camera.forward() - right - up));
    backdrop.set("u_ray_right", Vec3f(2.0 * right));
    backdrop.set("u_ray_up", Vec3f(2.0 * up));
    glDisable(GL_DEPTH_TEST);
    draw_screen();
    glEnable(GL_DEPTH_TEST);

    if (scene.ground_height) {
        set_light(ground, light, camera);
        ground.set("u_to_clip", to_clip);
        ground_mesh->draw();
    }
    set_light(solid, light, camera);
    solid.set("u_to_clip", to_clip);
    solid.set("u_heat", 0.0f);
    for (std::size_t i = 0; i < scene.solids.size(); ++i) {
        solid.set("u_albedo", scene.solids[i].albedo);
        solid.set("u_roughness", scene.solids[i].roughness);
        solid_meshes[i].draw();
    }
    glEnable(GL_CULL_FACE); // either side of a cloth has its own triangles, a hair apart
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        if (!is_sheer(scene.cloths[i])) {
            composite.use();
            composite.set("u_to_clip", to_clip);
            composite.set("u_planes", planes.near_plane, planes.far_plane);
            composite.set_texture("u_shaded", shaded.colour(), 0);
            composite.set_texture("u_shaded_depth", shaded.depth(), 1);
            cloth_meshes[i].draw();
        }
    set_light(cloth, light, camera);
    cloth.set("u_to_clip", to_clip);
    glEnable(GL_BLEND); // their triangles come sorted from the far ones to the near
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        if (is_sheer(scene.cloths[i])) draw_fabric(scene.cloths[i], cloth_meshes[i]);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    draw_lines(scene, to_clip);
}

void Renderer::State::draw_lines(const RenderScene& scene, const Mat4f& to_clip) {
    if (scene.lines.empty()) return;
    line_buffer.set(std::span<const RenderScene::LineEnd>(scene.lines));
    line.use();
    line.set("u_to_clip", to_clip);
    line_array.draw_lines(0, static_cast<int>(scene.lines.size()));
}

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

Result<Renderer> Renderer::make(const RenderSettings& settings, GlDialect dialect) {
    Result<GlContext> context = GlContext::make(dialect);
    if (!context) return context.error();
    return make(settings, std::move(*context));
}

Result<Renderer> Renderer::make(const RenderSettings& settings, GlContext context) {
    auto state = std::make_unique<State>(std::move(context));
    state->settings = settings;
    if (const Status ok = state->make_programs(); !ok) return ok.error();
    if (const Status ok = state->make_targets(); !ok) return ok.error();
    Renderer renderer(std::move(state));
    renderer.set_environment(studio_environment());
    return renderer;
}

void Renderer::set_environment(const Environment& environment) {
    state_->context->make_current();
    state_->environment = environment;
    std::vector<std::span<const float>> faces;
    for (const Environment::CubeLevel& level : environment.levels)
        for (const std::vector<float>& face : level.faces)
            faces.emplace_back(face);
    state_->surroundings = GlTexture::cube_from_float_rgba(environment.levels[0].side, faces);
}

void Renderer::set_exposure(double exposure) {
    state_->settings.exposure = exposure;
}

Status Renderer::resize(int width, int height) {
    state_->context->make_current();
    state_->settings.width = width, state_->settings.height = height;
    return state_->make_targets();
}

void Renderer::forget_prints() {
    state_->context->make_current();
    state_->prints.clear();
}

std::string Renderer::device() const {
    return state_->context->renderer();
}

void Renderer::State::upload(const RenderScene& scene) {
    const auto put = [](std::vector<GpuMesh>& meshes, const auto& things) {
        meshes.resize(things.size());
        for (std::size_t i = 0; i < things.size(); ++i)
            meshes[i].set(*things[i].mesh);
    };
    put(cloth_meshes, scene.cloths);
    put(solid_meshes, scene.solids);
}

void Renderer::State::draw_all(const RenderScene& scene, const RenderView& view) {
    context->make_current();
    upload(scene);
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        if (is_sheer(scene.cloths[i])) cloth_meshes[i].set(sorted_from_far(*scene.cloths[i].mesh, view.eye));

    const Bounds casters = find_casters(scene, view.target);
    const ViewCamera camera(view, settings.width, settings.height);
    // Near enough for a lens close to the cloth, far enough for the floor to meet the horizon.
    const double distance = length(view.target - view.eye);
    const double near_plane = 0.02 * distance, far_plane = 100.0 * distance + 20.0 * casters.radius();
    const Mat4f to_clip = product(camera.projection(near_plane, far_plane), camera.to_view());
    if (scene.ground_height) {
        if (!ground_mesh) ground_mesh.emplace();
        ground_mesh->set(make_floor(view.target, *scene.ground_height, 50.0 * distance));
    }

    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDisable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_CULL_FACE);
    if (context->dialect() == GlDialect::desktop_33) glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS); // always so in GLES
    const ShadowView light = shadow_view(Vec3(environment.key.direction), casters);
    draw_shadows(scene, light);
    draw_occlusion(camera, to_clip, static_cast<float>(near_plane), static_cast<float>(far_plane),
                   scene.ground_height.has_value());
    shade_cloth(scene, camera, to_clip, light);
    draw_colour(scene, camera, to_clip, light, {static_cast<float>(near_plane), static_cast<float>(far_plane)});
    samples.resolve_into(resolved);
}

void Renderer::State::draw_quick(const RenderScene& scene, const RenderView& view) {
    context->make_current();
    upload(scene);
    const ViewCamera camera(view, settings.width, settings.height);
    const double distance = length(view.target - view.eye);
    const Mat4f to_clip = product(camera.projection(0.02 * distance, 200.0 * distance), camera.to_view());
    const GlFramebuffer& target = settings.samples > 1 ? quick_samples : bytes;
    target.clear(0, 0, 0, 1);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    quick_floor.use();
    draw_screen();
    quick.use();
    quick.set("u_eye", Vec3f(camera.eye()));
    quick.set("u_height", static_cast<float>(settings.height));
    const Vec3f light = environment.key.direction;
    quick.set("u_key_direction", light);
    if (scene.ground_height && camera.eye().y > *scene.ground_height) {
        // Everything flattened onto the floor along the light, in one plain colour.
        const float h = static_cast<float>(*scene.ground_height), s = 1.0f / std::max(light.y, 0.2f);
        const Mat4f flat{1, 0, 0, 0, -light.x * s,    0, -light.z * s,    0,
                         0, 0, 1, 0, h * light.x * s, h, h * light.z * s, 1};
        quick.set("u_to_clip", product(to_clip, flat));
        quick.set("u_kind", 2.0f);
        for (const std::vector<GpuMesh>* meshes : {&cloth_meshes, &solid_meshes})
            for (const GpuMesh& mesh : *meshes)
                mesh.draw();
    }
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    quick.set("u_to_clip", to_clip);
    quick.set("u_kind", 0.0f);
    for (std::size_t i = 0; i < scene.solids.size(); ++i) {
        quick.set("u_albedo", scene.solids[i].albedo);
        quick.set("u_back_albedo", scene.solids[i].albedo);
        solid_meshes[i].draw();
    }
    glEnable(GL_CULL_FACE);
    for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
        const FabricLook& look = scene.cloths[i].look->look;
        const auto mean = [&](int c) { return static_cast<float>(0.5 * (look.warp_colour[c] + look.weft_colour[c])); };
        const Vec3f front{mean(0), mean(1), mean(2)};
        quick.set("u_kind", scene.cloths[i].heat_map ? 1.0f : 0.0f);
        quick.set("u_albedo", front);
        quick.set("u_back_albedo", Vec3f{front.x * static_cast<float>(look.back_tint[0]),
                                         front.y * static_cast<float>(look.back_tint[1]),
                                         front.z * static_cast<float>(look.back_tint[2])});
        cloth_meshes[i].draw();
    }
    glDisable(GL_CULL_FACE);
    draw_lines(scene, to_clip);
    if (settings.samples > 1) quick_samples.resolve_into(bytes);
}

Result<Image8> Renderer::draw(const RenderScene& scene, const RenderView& view, DrawStyle style) {
    State& s = *state_;
    s.linear = false;
    if (style == DrawStyle::quick) {
        s.draw_quick(scene, view);
    } else {
        s.draw_all(scene, view);
        s.bytes.bind();
        glDisable(GL_DEPTH_TEST);
        s.encode.use();
        s.encode.set_texture("u_colour", s.resolved.colour(), 0);
        draw_screen();
    }
    Image8 image = s.bytes.read_rgb8();
    if (const Status ok = check_gl("drawing a picture"); !ok) return ok.error();
    return image;
}

Result<ImageF> Renderer::draw_linear(const RenderScene& scene, const RenderView& view) {
    state_->linear = true;
    state_->draw_all(scene, view);
    ImageF image = state_->resolved.read_float();
    if (const Status ok = check_gl("drawing a picture"); !ok) return ok.error();
    return image;
}

} // namespace selvage
