#include "draw_scene.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "render/image_file.h"

namespace selvage {

namespace {

constexpr double kStrainRange = 0.05; // both ends of the heat map

Vec3 vec(const Triple& t) {
    return {t[0], t[1], t[2]};
}

/// A level plane is the floor; no other solid is.
bool is_floor(const Collider& collider) {
    return std::holds_alternative<Plane>(collider.shape) && (collider.now.turn * Vec3{0, 1, 0}).y > 0.9999;
}

/// How finely to draw each cloth that has no surface of its own: small enough that no facet shows, as long as the whole
/// stays within what a frame can afford. Where triangles are as small as pixels, each pixel is shaded for several of them.
SceneDesc with_smooth_surfaces(SceneDesc scene, const ClothModel& model, int affordable_triangles) {
    constexpr int kMost = 4;
    const double share = static_cast<double>(affordable_triangles) / std::max(1, model.mesh.triangle_count());
    const int by_size = static_cast<int>(std::lround(std::sqrt(share)));
    const int pieces = scene.render.smooth > 0 ? scene.render.smooth : std::clamp(by_size, 1, kMost);
    if (pieces == 1) return scene;
    for (ClothDesc& cloth : scene.cloths)
        if (!cloth.surface) cloth.surface = PnSettings{pieces, PnSettings::Normals::area, false};
    return scene;
}

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

/// Below everything the cloth can reach from where it starts; at 0 where that is above.
double floor_height(const Simulation& sim) {
    double low = 1e30, size = 0.0;
    for (const ClothPart& part : sim.model().parts) {
        const auto begin = sim.state().position.begin() + part.vertex_begin;
        Vec3 least = *begin, most = *begin;
        for (auto p = begin; p != begin + part.vertex_count; ++p) {
            least = {std::min(least.x, p->x), std::min(least.y, p->y), std::min(least.z, p->z)};
            most = {std::max(most.x, p->x), std::max(most.y, p->y), std::max(most.z, p->z)};
        }
        low = std::min(low, least.y);
        size = std::max(size, length(most - least));
    }
    return low >= 0.0 && (low >= size || !sim.colliders().empty()) ? 0.0 : low - 1.02 * size;
}

} // namespace

const std::vector<std::string>& overlay_names() {
    static const std::vector<std::string> names = {"wireframe", "strain", "contacts", "normals"};
    return names;
}

void switch_on(Overlays& overlays, const std::string& name) {
    if (name == "wireframe") overlays.wireframe = true;
    if (name == "strain") overlays.strain = true;
    if (name == "contacts") overlays.contacts = true;
    if (name == "normals") overlays.normals = true;
}

RenderView scene_view(const SceneDesc& scene) {
    const CameraDesc camera = scene.camera.value_or(CameraDesc{});
    return {vec(camera.eye), vec(camera.target), camera.fov_deg};
}

Result<SceneDrawer> SceneDrawer::make(Simulation& sim, const DrawSettings& settings) {
    const SceneDesc& scene = sim.scene();
    const Result<Environment> environment = scene_environment(scene);
    if (!environment) return environment.error();
    const SceneDesc drawn =
        settings.overlays.any() ? scene : with_smooth_surfaces(scene, sim.model(), settings.triangles);
    Result<DrawnSurface> surface = DrawnSurface::make(drawn, sim.model());
    if (!surface) return surface.error();
    RenderSettings wanted;
    wanted.width = settings.width, wanted.height = settings.height;
    wanted.exposure = scene.render.exposure;
    Result<Renderer> renderer = Renderer::make(wanted, settings.dialect);
    if (!renderer) return renderer.error();
    renderer->set_environment(*environment);
    SceneDrawer drawer(sim, settings, std::move(*surface), std::move(*renderer));
    for (const ClothDesc& cloth : scene.cloths) {
        if (cloth.look.print.empty() || drawer.prints_.count(cloth.look.print)) continue;
        Result<Image8> print = read_picture(cloth.look.print);
        if (!print) return print.error();
        drawer.prints_.emplace(cloth.look.print, std::move(*print));
    }
    return drawer;
}

SceneDrawer::SceneDrawer(Simulation& sim, DrawSettings settings, DrawnSurface surface, Renderer renderer)
    : sim_(&sim), settings_(std::move(settings)), surface_(std::move(surface)), renderer_(std::move(renderer)),
      floor_(floor_height(sim)) {
    const TriangleMesh& mesh = settings_.overlays.any() ? sim.model().mesh : surface_.mesh();
    for (const ClothDesc& cloth : sim.scene().cloths)
        looks_.push_back(prepare_look(cloth.look));
    for (std::size_t c = 0; c < sim.model().parts.size(); ++c) {
        const ClothPart& part = sim.model().parts[c];
        const ClothSurfaceSettings body{part.material.thickness, sim.scene().render.hem};
        if (settings_.overlays.any())
            cloths_.emplace_back(mesh, part.triangle_begin, part.triangle_count, body);
        else
            cloths_.emplace_back(mesh, surface_.parts()[c].triangle_begin, surface_.parts()[c].triangle_count, body);
    }
}

RenderView SceneDrawer::view() const {
    if (sim_->scene().camera) return scene_view(sim_->scene());
    std::vector<Vec3> points = sim_->state().position;
    for (const Collider& collider : sim_->colliders()) {
        const Aabb box = collider.bounds();
        if (is_finite(box.low) && is_finite(box.high)) points.insert(points.end(), {box.low, box.high});
    }
    return frame_points(points, CameraDesc{}.fov_deg, static_cast<double>(settings_.width) / settings_.height);
}

void SceneDrawer::follow() {
    surface_.update(sim_->state().position, sim_->pool());
}

std::vector<float> SceneDrawer::vertex_strain() const {
    // The largest of the edges around a vertex, by size; 0.5 is none.
    const ClothModel& model = sim_->model();
    const std::vector<Vec3>& x = sim_->state().position;
    std::vector<double> largest(x.size(), 0.0);
    for (const Edge& edge : model.edges) {
        const double rest = length(model.mesh.positions[edge[1]] - model.mesh.positions[edge[0]]);
        const double strain = rest > 0.0 ? length(x[edge[1]] - x[edge[0]]) / rest - 1.0 : 0.0;
        for (const int v : edge)
            if (std::abs(strain) > std::abs(largest[v])) largest[v] = strain;
    }
    std::vector<float> measure;
    for (const double strain : largest)
        measure.push_back(static_cast<float>(std::clamp(0.5 + 0.5 * strain / kStrainRange, 0.0, 1.0)));
    return measure;
}

void SceneDrawer::add_solids(RenderScene& scene) {
    solids_.clear();
    bool has_floor = false;
    double lowest = 1e30;
    for (const Vec3& p : sim_->state().position)
        lowest = std::min(lowest, p.y);
    for (const Collider& collider : sim_->colliders()) {
        if (is_floor(collider)) {
            has_floor = true;
            scene.ground_height = collider.now.centre.y;
        } else
            solids_.push_back(make_solid_surface(drawn_mesh(collider)));
    }
    for (const SurfaceMesh& mesh : solids_)
        scene.solids.push_back({&mesh});
    // A floor we only imagined must not cut through what falls past it.
    if (!has_floor && lowest > floor_ - 0.01) scene.ground_height = floor_;
    if (sim_->scene().render.ground == RenderDesc::Ground::none) scene.ground_height.reset();
}

void SceneDrawer::add_lines(RenderScene& scene, std::span<const Vec3f> normals) const {
    const ClothModel& model = sim_->model();
    const std::vector<Vec3>& x = sim_->state().position;
    std::vector<float> half_thickness(x.size());
    for (const ClothPart& part : model.parts)
        std::fill_n(half_thickness.begin() + part.vertex_begin, part.vertex_count,
                    static_cast<float>(0.5 * part.material.thickness) + 1e-4f); // just above the cloth
    const auto line = [&](const Vec3f& from, const Vec3f& to, const Vec3f& colour) {
        scene.lines.push_back({from, colour});
        scene.lines.push_back({to, colour});
    };
    if (settings_.overlays.wireframe)
        for (const Edge& edge : model.edges)
            for (const float side : {-1.0f, 1.0f}) {
                const auto at = [&](int v) { return Vec3f(x[v]) + side * half_thickness[v] * normals[v]; };
                line(at(edge[0]), at(edge[1]), {0.01f, 0.01f, 0.015f});
            }
    double mean_edge = 0.0;
    for (const Edge& edge : model.edges)
        mean_edge += length(x[edge[1]] - x[edge[0]]) / static_cast<double>(model.edges.size());
    if (settings_.overlays.normals)
        for (std::size_t v = 0; v < x.size(); ++v)
            line(Vec3f(x[v]), Vec3f(x[v]) + static_cast<float>(0.6 * mean_edge) * normals[v], {0.05f, 0.25f, 0.8f});
    if (!settings_.overlays.contacts) return;
    const float arm = static_cast<float>(std::clamp(0.25 * mean_edge, 0.002, 0.01));
    for (std::size_t v = 0; v < x.size(); ++v)
        for (const Collider& collider : sim_->colliders()) {
            if (!collider.may_touch(x[v]) || collider.nearest(x[v]).distance > 1.05 * collider.thickness) continue;
            for (const float side : {-1.0f, 1.0f}) {
                const Vec3f p = Vec3f(x[v]) + side * half_thickness[v] * normals[v];
                for (const Vec3f& axis : {Vec3f{1, 0, 0}, Vec3f{0, 1, 0}, Vec3f{0, 0, 1}})
                    line(p - arm * axis, p + arm * axis, {0.9f, 0.35f, 0.0f});
            }
            break;
        }
}

Result<Image8> SceneDrawer::draw(const RenderView& view) {
    const bool plain = settings_.overlays.any();
    const std::vector<Vec3>& particles = sim_->state().position;
    const std::vector<Vec3>& positions = plain ? particles : surface_.update(particles, sim_->pool());
    std::vector<Vec3f> area_normals;
    std::span<const Vec3f> normals = surface_.normals();
    if (plain || normals.empty()) {
        area_normals = vertex_normals(sim_->model().mesh, particles);
        for (Vec3f& n : area_normals)
            n = normalized(n);
        normals = area_normals;
    }
    std::vector<float> measure;
    if (settings_.overlays.strain) measure = vertex_strain();
    RenderScene scene;
    for (std::size_t c = 0; c < cloths_.size(); ++c) {
        const std::string& print = looks_[c].look.print;
        scene.cloths.push_back({&cloths_[c].update(positions, normals, measure), &looks_[c],
                                print.empty() ? nullptr : &prints_.at(print), settings_.overlays.strain});
    }
    add_solids(scene);
    add_lines(scene, normals);
    return renderer_.draw(scene, view);
}

} // namespace selvage
