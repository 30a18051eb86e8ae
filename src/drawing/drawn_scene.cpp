#include "drawing/drawn_scene.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "collision/shapes/solid_mesh.h"
#include "render/image_file.h"

namespace selvage {

namespace {

constexpr Vec3f kMannequinColour{0.62f, 0.58f, 0.54f}; // painted, slightly warm
constexpr float kSkinRoughness = 0.42f;

/// A body's skin has no creases.
TriangleMesh body_mesh(const Collider& collider) {
    TriangleMesh mesh = collider.mesh()->mesh;
    mesh.positions = collider.points_now;
    return mesh;
}

Result<PaintedBody> read_painted_body(const std::filesystem::path& path) {
    Result<BodyPaint> paint = read_paint(path);
    if (!paint) return paint.error();
    PaintedBody body;
    body.parts = std::move(paint->parts);
    for (const std::string& bytes : paint->images) {
        const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
        Result<Image8> image = decode_picture({begin, bytes.size()}, path.string());
        if (!image) return image.error();
        body.images.push_back(std::move(*image));
    }
    return body;
}

/// One material's part of a body, whose skin is smooth across all of them.
SurfaceMesh painted_surface(const BodyPaint::Part& part, std::span<const Vec3> positions,
                            std::span<const Vec3f> normals) {
    SurfaceMesh out;
    out.vertices.resize(part.corners.size());
    for (std::size_t i = 0; i < out.vertices.size(); ++i) {
        const BodyPaint::Corner& corner = part.corners[i];
        const auto v = static_cast<std::size_t>(corner.vertex);
        out.vertices[i].position = Vec3f(positions[v]);
        out.vertices[i].normal = normalized(normals[v], {0, 1, 0});
        out.vertices[i].u = static_cast<float>(corner.uv.x);
        out.vertices[i].v = static_cast<float>(1.0 - corner.uv.y); // pictures' v runs up
    }
    for (const Triangle& t : part.triangles)
        for (const int corner : t)
            out.indices.push_back(static_cast<std::uint32_t>(corner));
    return out;
}

constexpr double kStrainRange = 0.05; // both ends of the heat map

Vec3 vec(const Triple& t) {
    return {t[0], t[1], t[2]};
}

/// A level plane is the floor; no other collider is.
bool is_floor(const Collider& collider) {
    return std::holds_alternative<Plane>(collider.shape) && (collider.now.turn * Vec3{0, 1, 0}).y > 0.9999;
}

/// How finely to draw each cloth that has no surface of its own: small enough that no facet shows, as long as the whole
/// stays within what a frame can afford. Where triangles are as small as pixels, each pixel is shaded for several of
/// them.
SceneDesc with_smooth_surfaces(SceneDesc scene, const ClothModel& model, int affordable_triangles) {
    constexpr int kMost = 4;
    const double fraction = static_cast<double>(affordable_triangles) / std::max(1, model.mesh.triangle_count());
    const int by_size = static_cast<int>(std::lround(std::sqrt(fraction)));
    const int pieces = scene.render.smooth > 0 ? scene.render.smooth : std::clamp(by_size, 1, kMost);
    if (pieces == 1) return scene;
    for (ClothDesc& cloth : scene.cloths)
        if (!cloth.surface) cloth.surface = PnSettings{pieces, PnSettings::Normals::area, false, true};
    return scene;
}

/// Below everything the cloth can reach from where it starts; at 0 where that is above.
double floor_height(const ClothModel& model, const SceneFrame& start) {
    double low = 1e30, size = 0.0;
    for (const ClothPart& part : model.parts) {
        const auto begin = start.position.begin() + part.vertex_begin;
        Vec3 least = *begin, most = *begin;
        for (auto p = begin; p != begin + part.vertex_count; ++p) {
            least = {std::min(least.x, p->x), std::min(least.y, p->y), std::min(least.z, p->z)};
            most = {std::max(most.x, p->x), std::max(most.y, p->y), std::max(most.z, p->z)};
        }
        low = std::min(low, least.y);
        size = std::max(size, length(most - least));
    }
    return low >= 0.0 && (low >= size || !start.colliders.empty()) ? 0.0 : low - 1.02 * size;
}

} // namespace

Result<Environment> scene_environment(const SceneDesc& scene) {
    if (scene.render.environment == "studio") return studio_environment();
    if (scene.render.environment == "sky") return sky_environment();
    const std::filesystem::path path = scene.directory / scene.render.environment;
    if (path.extension() != ".hdr" && path.extension() != ".pic")
        return Error{concat("found \"", scene.render.environment,
                            "\"; expected studio, sky or the name of a Radiance picture (.hdr)"),
                     scene.name + ": /render/environment"};
    return load_environment(path, scene.render.environment_turn_deg);
}

const std::vector<std::string>& overlay_names() {
    static const std::vector<std::string> names = {"wireframe", "strain", "contacts", "normals", "particles"};
    return names;
}

void switch_on(Overlays& overlays, const std::string& name) {
    if (name == "wireframe") overlays.wireframe = true;
    if (name == "strain") overlays.strain = true;
    if (name == "contacts") overlays.contacts = true;
    if (name == "normals") overlays.normals = true;
    if (name == "particles") overlays.particles = true;
}

RenderView scene_view(const SceneDesc& scene) {
    const CameraDesc camera = scene.camera.value_or(CameraDesc{});
    return {vec(camera.eye), vec(camera.target), camera.fov_deg};
}

Result<DrawnScene> DrawnScene::make(const SceneDesc& scene, std::shared_ptr<const ClothModel> model,
                                    const SceneFrame& start, int triangles, const Overlays& overlays) {
    const SceneDesc smooth = overlays.any() ? scene : with_smooth_surfaces(scene, *model, triangles);
    Result<DrawnSurface> surface = DrawnSurface::make(smooth, *model);
    if (!surface) return surface.error();
    DrawnScene drawn(scene, std::move(model), start, overlays, std::move(*surface));
    for (const ClothDesc& cloth : scene.cloths) {
        if (cloth.look.print.empty() || drawn.prints_.count(cloth.look.print)) continue;
        Result<Image8> print = read_picture(cloth.look.print);
        if (!print) return print.error();
        drawn.prints_.emplace(cloth.look.print, std::move(*print));
    }
    for (const ColliderDesc& collider : scene.colliders) {
        drawn.bodies_.emplace_back();
        const auto* body = std::get_if<CharacterDesc>(&collider.shape);
        if (!body || body->file.empty()) continue;
        Result<PaintedBody> painted = read_painted_body(scene.directory / body->file);
        if (!painted) return painted.error();
        drawn.bodies_.back() = std::move(*painted);
    }
    return drawn;
}

DrawnScene::DrawnScene(const SceneDesc& scene, std::shared_ptr<const ClothModel> model, const SceneFrame& start,
                       const Overlays& overlays, DrawnSurface surface)
    : scene_(scene), model_(std::move(model)), overlays_(overlays), surface_(std::move(surface)),
      floor_(floor_height(*model_, start)) {
    const TriangleMesh& mesh = overlays.any() ? model_->mesh : surface_.mesh();
    for (const ClothDesc& cloth : scene.cloths)
        looks_.push_back(prepare_look(cloth.look));
    for (std::size_t c = 0; c < model_->parts.size(); ++c) {
        const ClothPart& part = model_->parts[c];
        // Where uv are no pattern they may break anywhere.
        const double seam = part.rest == RestShape::uv ? scene.render.seam : 0.0;
        const ClothSurfaceSettings body{part.material.thickness, scene.render.hem, seam};
        if (overlays.any())
            cloths_.emplace_back(mesh, part.triangle_begin, part.triangle_count, body);
        else
            cloths_.emplace_back(mesh, surface_.parts()[c].triangle_begin, surface_.parts()[c].triangle_count, body);
    }
}

RenderView DrawnScene::view(const SceneFrame& frame, double aspect) const {
    if (scene_.camera) return scene_view(scene_);
    std::vector<Vec3> points = frame.position;
    for (const Collider& collider : frame.colliders) {
        const Aabb box = collider.bounds();
        if (is_finite(box.low) && is_finite(box.high)) points.insert(points.end(), {box.low, box.high});
    }
    return frame_points(points, CameraDesc{}.fov_deg, aspect);
}

std::vector<float> DrawnScene::vertex_strain(const std::vector<Vec3>& x) const {
    // The largest of the edges around a vertex, by size; 0.5 is none.
    const ClothModel& model = *model_;
    std::vector<double> largest(x.size(), 0.0);
    for (std::size_t e = 0; e < model.edges.size(); ++e) {
        const Edge& edge = model.edges[e];
        const double rest = model.edge_length[e];
        const double strain = rest > 0.0 ? length(x[edge[1]] - x[edge[0]]) / rest - 1.0 : 0.0;
        for (const int v : edge)
            if (std::abs(strain) > std::abs(largest[v])) largest[v] = strain;
    }
    std::vector<float> measure;
    for (const double strain : largest)
        measure.push_back(static_cast<float>(std::clamp(0.5 + 0.5 * strain / kStrainRange, 0.0, 1.0)));
    return measure;
}

/// A solid for each of its materials.
void DrawnScene::add_painted_body(const PaintedBody& body, const Collider& collider) {
    const std::vector<Vec3f> normals = vertex_normals(collider.mesh()->mesh, collider.points_now);
    for (const BodyPaint::Part& part : body.parts) {
        solids_.push_back(painted_surface(part, collider.points_now, normals));
        RenderScene::Solid solid{nullptr, part.factor, kSkinRoughness};
        if (part.image >= 0) solid.map = &body.images[static_cast<std::size_t>(part.image)];
        drawn_.solids.push_back(solid);
    }
}

void DrawnScene::add_colliders(const SceneFrame& frame) {
    solids_.clear();
    bool has_floor = false;
    double lowest = 1e30;
    for (const Vec3& p : frame.position)
        lowest = std::min(lowest, p.y);
    // The colliders are the scene's, unless a program has put others in their place.
    const bool is_scenes = frame.colliders.size() == scene_.colliders.size();
    const auto is_body = [&](std::size_t c) {
        return is_scenes && std::holds_alternative<CharacterDesc>(scene_.colliders[c].shape);
    };
    for (std::size_t index = 0; index < frame.colliders.size(); ++index) {
        const Collider& collider = frame.colliders[index];
        if (is_floor(collider)) {
            has_floor = true;
            drawn_.ground_height = collider.now.centre.y;
        } else if (is_body(index) && !bodies_[index].parts.empty()) {
            add_painted_body(bodies_[index], collider);
        } else {
            solids_.push_back(make_solid_surface(is_body(index) ? body_mesh(collider) : drawn_mesh(collider)));
            drawn_.solids.emplace_back();
            if (is_body(index)) {
                drawn_.solids.back().albedo = kMannequinColour;
                drawn_.solids.back().roughness = kSkinRoughness;
            }
        }
    }
    for (std::size_t i = 0; i < solids_.size(); ++i) // once they stay where they are
        drawn_.solids[i].mesh = &solids_[i];
    // A floor that the scene does not have must not cut through what falls past it.
    if (!has_floor && lowest > floor_ - 0.01) drawn_.ground_height = floor_;
    if (scene_.render.ground == RenderDesc::Ground::none) drawn_.ground_height.reset();
}

void DrawnScene::add_lines(const SceneFrame& frame, std::span<const Vec3f> normals) {
    const ClothModel& model = *model_;
    const std::vector<Vec3>& x = frame.position;
    std::vector<float> half_thickness(x.size());
    for (const ClothPart& part : model.parts)
        std::fill_n(half_thickness.begin() + part.vertex_begin, part.vertex_count,
                    static_cast<float>(0.5 * part.material.thickness) + 1e-4f); // just above the cloth
    const auto line = [&](const Vec3f& from, const Vec3f& to, const Vec3f& colour) {
        drawn_.lines.push_back({from, colour});
        drawn_.lines.push_back({to, colour});
    };
    if (overlays_.wireframe)
        for (const Edge& edge : model.edges)
            for (const float side : {-1.0f, 1.0f}) {
                const auto at = [&](int v) { return Vec3f(x[v]) + side * half_thickness[v] * normals[v]; };
                line(at(edge[0]), at(edge[1]), {0.01f, 0.01f, 0.015f});
            }
    double mean_edge = 0.0;
    for (const Edge& edge : model.edges)
        mean_edge += length(x[edge[1]] - x[edge[0]]) / static_cast<double>(model.edges.size());
    if (overlays_.normals)
        for (std::size_t v = 0; v < x.size(); ++v)
            line(Vec3f(x[v]), Vec3f(x[v]) + static_cast<float>(0.6 * mean_edge) * normals[v], {0.05f, 0.25f, 0.8f});
    const float arm = static_cast<float>(std::clamp(0.25 * mean_edge, 0.002, 0.01));
    const auto cross_at = [&](const Vec3f& p, float size, const Vec3f& colour) {
        for (const Vec3f& axis : {Vec3f{1, 0, 0}, Vec3f{0, 1, 0}, Vec3f{0, 0, 1}})
            line(p - size * axis, p + size * axis, colour);
    };
    for (const Vec3& mark : frame.marks)
        cross_at(Vec3f(mark), 2.0f * arm, {0.9f, 0.0f, 0.0f});
    if (overlays_.particles)
        for (std::size_t v = 0; v < x.size(); ++v)
            cross_at(Vec3f(x[v]), 0.5f * arm, {0.02f, 0.02f, 0.3f});
    if (!overlays_.contacts) return;
    for (std::size_t v = 0; v < x.size(); ++v)
        for (const Collider& collider : frame.colliders) {
            if (!collider.may_touch(x[v]) || collider.nearest(x[v]).distance > 1.05 * collider.thickness) continue;
            for (const float side : {-1.0f, 1.0f})
                cross_at(Vec3f(x[v]) + side * half_thickness[v] * normals[v], arm, {0.9f, 0.35f, 0.0f});
            break;
        }
}

const RenderScene& DrawnScene::update(const SceneFrame& frame, ThreadPool& pool) {
    const bool plain = overlays_.any();
    const std::vector<Vec3>& positions = plain ? frame.position : surface_.update(frame.position, pool);
    std::vector<Vec3f> area_normals;
    std::span<const Vec3f> normals = surface_.normals();
    if (plain || normals.empty()) {
        area_normals = vertex_normals(model_->mesh, frame.position);
        for (Vec3f& n : area_normals)
            n = normalized(n);
        normals = area_normals;
    }
    std::vector<float> measure;
    if (overlays_.strain) measure = vertex_strain(frame.position);
    drawn_ = {};
    for (std::size_t c = 0; c < cloths_.size(); ++c) {
        const std::string& print = looks_[c].look.print;
        drawn_.cloths.push_back({&cloths_[c].update(positions, normals, measure), &looks_[c],
                                 print.empty() ? nullptr : &prints_.at(print), overlays_.strain, scene_.render.hem,
                                 scene_.render.seam, scene_.render.stitch});
    }
    add_colliders(frame);
    add_lines(frame, normals);
    return drawn_;
}

Result<SceneDrawer> SceneDrawer::make(Simulation& sim, const DrawSettings& settings) {
    const SceneDesc& scene = sim.scene();
    const Result<Environment> environment = scene_environment(scene);
    if (!environment) return environment.error();
    RenderSettings wanted;
    wanted.width = settings.width, wanted.height = settings.height;
    wanted.exposure = scene.render.exposure;
    Result<Renderer> renderer = Renderer::make(wanted, settings.dialect);
    if (!renderer) return renderer.error();
    renderer->set_environment(*environment);
    Result<DrawnScene> drawn = DrawnScene::make(scene, sim.shared_model(), {sim.state().position, sim.colliders()},
                                                settings.triangles, settings.overlays);
    if (!drawn) return drawn.error();
    return SceneDrawer(sim, settings, std::move(*drawn), std::move(*renderer));
}

RenderView SceneDrawer::view() const {
    return drawn_.view(frame(), static_cast<double>(settings_.width) / settings_.height);
}

void SceneDrawer::follow() {
    drawn_.follow(frame(), sim_->pool());
}

Result<Image8> SceneDrawer::draw(const RenderView& view, std::span<const Vec3> marks) {
    return renderer_.draw(drawn_.update(frame(marks), sim_->pool()), view);
}

} // namespace selvage
