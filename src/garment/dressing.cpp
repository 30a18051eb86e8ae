// Panels are sewn before they are placed, so seams have no gaps to close: what pulls is the cloth beside them, stretched
// over the body's curves at first. It settles in two stages: without weight and strongly damped, until no edge is
// stretched much; then under gravity until it rests. Contact is on throughout, so what starts apart stays so.

#include "garment/dressing.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "garment/placement.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

namespace selvage {

bool is_flat(const Pattern& pattern) {
    return std::all_of(pattern.panels.begin(), pattern.panels.end(),
                       [](const PatternPanel& panel) { return panel.place.shape == PanelPlace::Shape::flat; });
}

namespace {

constexpr double kBodyFriction = 0.5, kBodyThickness = 0.002; // [m]
constexpr double kSettleDamping = 12.0, kDrapeDamping = 2.0;  // [1/s]
constexpr int kSettleFrames = 24, kLeastFrames = 40;
constexpr double kAtRest = 0.01; // [m/s]

/// What a garment of flat panels alone lies on, as a table cloth does.
ColliderDesc table_collider(double height) {
    Cylinder table;
    table.radius = 0.45;
    table.height = height - 0.01;
    ColliderDesc collider;
    collider.shape = table;
    collider.place.translate = {0.0, 0.5 * table.height, 0.0};
    return collider;
}

ColliderDesc body_collider(const Character& body) {
    SolidMeshDesc mesh;
    mesh.given_mesh = std::make_shared<const TriangleMesh>(body.mesh);
    ColliderDesc collider;
    collider.shape = mesh;
    collider.friction = kBodyFriction;
    collider.thickness = kBodyThickness;
    return collider;
}

Result<SceneDesc> dressing_scene(const Pattern& pattern, const Character& body, const DressSettings& settings,
                                 const DressedGarment& garment, const std::vector<std::vector<Vec3>>& positions) {
    SceneDesc scene;
    scene.name = pattern.name;
    scene.substeps = 4;
    MultilevelSettings solver;
    solver.quality = Quality::low;
    scene.solver = solver;
    for (std::size_t c = 0; c < garment.cloths.size(); ++c) {
        ClothDesc cloth;
        cloth.name = garment.cloths[c].layer == 0 ? pattern.name : concat(pattern.name, "-", garment.cloths[c].layer);
        cloth.fabric =
            garment.cloths[c].layer == 0 && !settings.fabric.empty() ? settings.fabric : garment.cloths[c].fabric;
        const Result<Fabric> fabric = load_fabric(cloth.fabric);
        if (!fabric) return fabric.error();
        const auto given = settings.materials.find(garment.cloths[c].layer);
        cloth.material = given == settings.materials.end() ? fabric->material : given->second;
        cloth.look = fabric->look;
        cloth.given_mesh = garment_mesh(garment.cloths[c], positions[c]);
        scene.cloths.push_back(std::move(cloth));
    }
    scene.colliders.push_back(is_flat(pattern) ? table_collider(garment.placed[0][0].y) : body_collider(body));
    return scene;
}

double rms_speed(const ClothState& state) {
    double sum = 0.0;
    for (const Vec3& v : state.velocity)
        sum += length_squared(v);
    return std::sqrt(sum / std::max<double>(1.0, static_cast<double>(state.velocity.size())));
}

struct Stage {
    int least, most; ///< Frames of 1/60 s.
    double gravity, damping;
    const char* what;
};

/// Positions of all cloths, cloth by cloth.
std::vector<std::vector<Vec3>> split(const DressedGarment& garment, const std::vector<Vec3>& x) {
    std::vector<std::vector<Vec3>> out;
    auto at = x.begin();
    for (const SewnCloth& cloth : garment.cloths) {
        const auto end = at + cloth.mesh.vertex_count();
        out.emplace_back(at, end);
        at = end;
    }
    return out;
}

void measure(Simulation& sim, DressedGarment& garment) {
    const std::vector<Vec3>& x = sim.state().position;
    garment.positions = split(garment, x);
    for (std::size_t c = 0; c < garment.cloths.size(); ++c)
        for (const SewnPanel& panel : garment.cloths[c].panels)
            garment.largest_area_error = std::max(garment.largest_area_error,
                                                  std::abs(placed_area(garment.cloths[c], panel, garment.positions[c]) /
                                                               flat_area(garment.cloths[c], panel) -
                                                           1.0));
    const ThreadStrain strain = ThreadGauge(sim.model()).measure(x);
    garment.largest_strain = strain.max;
    garment.rms_strain = strain.rms;
    const TangleCount tangles = sim.count_tangles();
    garment.crossings = tangles.cloth + tangles.collider + tangles.inside;
    garment.speed = rms_speed(sim.state());
}

} // namespace

std::shared_ptr<const GeneratedMesh> garment_mesh(const SewnCloth& cloth, const std::vector<Vec3>& positions) {
    auto mesh = std::make_shared<GeneratedMesh>();
    mesh->mesh = cloth.mesh;
    mesh->mesh.positions = positions;
    mesh->rest = RestShape::uv;
    mesh->edges = cloth.edges;
    return mesh;
}

Result<SceneDesc> dressed_scene(const Pattern& pattern, const Character& body, const DressSettings& settings,
                                const DressedGarment& garment) {
    return dressing_scene(pattern, body, settings, garment, garment.positions);
}

Result<DressedGarment> place_garment(const Pattern& pattern, const Character& body, const DressSettings& settings) {
    if (!body.landmarks)
        return Error{concat("body \"", body.name, "\" has no landmarks to place panels by; expected a mannequin")};
    Stopwatch clock;
    Result<std::vector<SewnCloth>> sewn = sew_pattern(pattern, settings.edge);
    if (!sewn) return Error{sewn.error().message, pattern.name};
    DressedGarment garment;
    garment.cloths = std::move(*sewn);
    const WrapBody wrap(body);
    for (const SewnCloth& cloth : garment.cloths) {
        Result<std::vector<Vec3>> placed = place_cloth(pattern, cloth, wrap);
        if (!placed) return Error{placed.error().message, pattern.name};
        garment.placed.push_back(std::move(*placed));
    }
    garment.positions = garment.placed;
    garment.sewing_s = 1e-3 * clock.ms();
    return garment;
}

Result<DressedGarment> dress(const Pattern& pattern, const Character& body, const DressSettings& settings) {
    const auto tell = [&](double done, const char* what) {
        return !settings.progress || settings.progress(done, what);
    };
    const Error stopped{"stopped before the garment was draped", pattern.name, ErrorKind::work};
    tell(0.0, "sewing");
    Result<DressedGarment> start = place_garment(pattern, body, settings);
    if (!start) return start.error();
    DressedGarment garment = std::move(*start);
    Stopwatch clock;
    // Without weight first; then as the fabric hangs.
    const Stage stages[] = {
        {kSettleFrames, kSettleFrames, 0.0, kSettleDamping, "settling"},
        {kLeastFrames, static_cast<int>(std::lround(60.0 * settings.seconds)), -9.81, kDrapeDamping, "draping"}};
    const double frames = stages[0].most + stages[1].most;
    std::vector<std::vector<Vec3>> positions = garment.placed;
    std::optional<Simulation> sim;
    int done = 0;
    for (const Stage& stage : stages) {
        Result<SceneDesc> scene = dressing_scene(pattern, body, settings, garment, positions);
        if (!scene) return scene.error();
        scene->gravity = {0, stage.gravity, 0};
        scene->velocity_damping = stage.damping;
        Result<Simulation> made = Simulation::make(*scene, settings.threads);
        if (!made) return made.error();
        sim.emplace(std::move(*made));
        if (done == 0) garment.warnings = sim->warnings();
        for (int frame = 0; frame < stage.most; ++frame) {
            if (!tell((done + frame) / frames, stage.what)) return stopped;
            sim->step_frame();
            if (sim->divergence()) return Error{sim->divergence()->text(), pattern.name, ErrorKind::work};
            if (frame >= stage.least && rms_speed(sim->state()) < kAtRest) break;
        }
        done += stage.most;
        positions = split(garment, sim->state().position);
    }
    measure(*sim, garment);
    garment.draping_s = 1e-3 * clock.ms();
    tell(1.0, "draped");
    return garment;
}

namespace {

/// Seconds that a body takes from one pose to another: as slowly as a person dresses.
double seconds_between(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    constexpr double kSpeed = 0.8; // [m/s]
    double farthest = 0.0;
    for (std::size_t v = 0; v < from.size(); ++v)
        farthest = std::max(farthest, length(to[v] - from[v]));
    return farthest > 1e-6 ? std::max(0.5, farthest / kSpeed) : 0.0; // less is rounding
}

} // namespace

Result<DressedGarment> dress(const Pattern& pattern, const StandingBody& standing, const BodyPose& pose,
                             const DressSettings& settings) {
    Result<DressedGarment> garment = dress(pattern, standing.body, settings);
    if (!garment || is_flat(pattern)) return garment;
    Stopwatch clock;
    Character body = standing.body;
    for (std::vector<Vec3>& positions : garment->positions)
        for (Vec3& p : positions)
            p += standing.place;
    for (Vec3& p : body.mesh.positions)
        p += standing.place;
    PosedCharacter poser(std::make_shared<const Character>(standing.bound));
    std::vector<Vec3> points(body.mesh.positions.size());
    poser.place(pose, points);
    const double seconds = seconds_between(body.mesh.positions, points);
    if (seconds == 0.0) return garment;

    Result<SceneDesc> scene = dressing_scene(pattern, body, settings, *garment, garment->positions);
    if (!scene) return scene.error();
    scene->velocity_damping = kDrapeDamping;
    Result<Simulation> sim = Simulation::make(*scene, settings.threads);
    if (!sim) return sim.error();
    const int moving = static_cast<int>(std::ceil(60.0 * seconds)), frames = moving + kLeastFrames;
    BodyPose now;
    for (int frame = 1; frame <= frames; ++frame) {
        if (settings.progress && !settings.progress(static_cast<double>(frame) / frames, "posing"))
            return Error{"stopped before the body was posed", pattern.name, ErrorKind::work};
        const double t = std::min(1.0, static_cast<double>(frame) / moving);
        mix_poses(standing.pose, pose, t * t * (3.0 - 2.0 * t), now);
        poser.place(now, points);
        if (const Status ok = sim->set_collider_points(0, points); !ok) return ok.error();
        sim->step_frame();
        if (sim->divergence()) return Error{sim->divergence()->text(), pattern.name, ErrorKind::work};
    }
    garment->largest_area_error = 0.0;
    measure(*sim, *garment);
    garment->draping_s += 1e-3 * clock.ms();
    return garment;
}

} // namespace selvage
