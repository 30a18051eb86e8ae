// Coulomb friction on each kind of collider, on one that moves, and of cloth on cloth. A small cloth lies on a slope; round
// colliders are so large that they are slopes, too.

#include <array>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "lab/validate/validate_internal.h"
#include "model/measures.h"

namespace selvage {

namespace {

constexpr double kGap = 0.001;  // [m], kept by every collider here
constexpr double kStart = 1e-5; // [m], above that
constexpr double kPatch = 0.1;  // [m], side of the cloth
constexpr double kMu = 0.3;     // its angle is 16.7 degrees
constexpr double kRound = 50.0; // [m], radius of a slope that is round

/// The methods that contact is tried with: the stage after the step alone, and those with contact in their own step.
std::vector<Variant> contact_variants() {
    std::vector<Variant> list = variants();
    std::erase_if(
        list, [](const Variant& v) { return v.name != "implicit-cg" && v.name != "multilevel" && v.name != "xpbd"; });
    return list;
}

struct Slope {
    double angle_deg = 0.0;

    double radians() const { return angle_deg * std::numbers::pi / 180.0; }
    Vec3 up() const { return {std::sin(radians()), std::cos(radians()), 0}; }
    Vec3 down() const { return {std::cos(radians()), -std::sin(radians()), 0}; }
    double slides_at(double mu) const { return kGravity * (std::sin(radians()) - mu * std::cos(radians())); }
};

constexpr std::array<const char*, 8> kKinds = {"plane",  "box",     "ground",   "mesh",
                                               "sphere", "capsule", "cylinder", "cylinder-end"};

/// A collider whose surface passes through the origin at the slope's angle.
ColliderDesc make_slope(const std::string& kind, const Slope& slope) {
    ColliderDesc collider;
    double depth = 0.0; // of its centre
    Triple turn{0, 0, -slope.angle_deg};
    if (kind == "plane") collider.shape = Plane{};
    if (kind == "box" || kind == "mesh") {
        const Box box{{4.0, 0.2, 4.0}};
        depth = 0.1;
        collider.shape = box;
        if (kind == "mesh") {
            SolidMeshDesc mesh;
            mesh.given_mesh = std::make_shared<const TriangleMesh>(collider_mesh(box));
            collider.shape = mesh;
        }
    }
    if (kind == "ground") {
        HeightDesc ground{{4.0, 4.0}, {3, 3}, {}};
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                ground.heights.push_back(-2.0 * (column - 1) * std::tan(slope.radians()));
        collider.shape = ground;
        turn = {0, 0, 0};
    }
    if (kind == "sphere" || kind == "capsule" || kind == "cylinder") {
        depth = kRound;
        turn = {90, 0, 0}; // their axis along z
        if (kind == "sphere") collider.shape = Sphere{kRound};
        if (kind == "capsule") collider.shape = Capsule{kRound, kRound, 4.0};
        if (kind == "cylinder") collider.shape = Cylinder{kRound, 4.0};
    }
    if (kind == "cylinder-end") {
        depth = 0.1;
        collider.shape = Cylinder{3.0, 0.2};
    }
    const Vec3 centre = -depth * slope.up();
    collider.place.translate = {centre.x, centre.y, centre.z};
    collider.place.rotate_deg = turn;
    collider.friction = kMu;
    collider.thickness = kGap;
    return collider;
}

/// Lays the points of cloth number `part` on the slope, `gap` above it, threads askew to it.
void lay_on(Simulation& sim, int part, const Slope& slope, double gap, double skew_deg) {
    ClothState state = sim.state();
    const Rotation turn = rotation_from_degrees({0, 0, -slope.angle_deg}) * rotation_from_degrees({0, skew_deg, 0}) *
                          rotation_from_degrees({-90, 0, 0});
    const ClothPart& range = sim.model().parts[part];
    for (int i = range.vertex_begin; i < range.vertex_begin + range.vertex_count; ++i)
        state.position[i] = turn * sim.model().mesh.positions[i] + gap * slope.up();
    sim.set_state(std::move(state), 0);
}

SceneDesc patch_scene(const SolverSettings& solver) {
    SceneDesc scene = sheet_scene(solver, 1.0 / 240.0, {5, 5}, {kPatch, kPatch});
    soften(scene);
    return scene;
}

Simulation patch_on(const SolverSettings& solver, const ColliderDesc& collider, const Slope& slope) {
    SceneDesc scene = patch_scene(solver);
    scene.colliders.push_back(collider);
    Simulation sim = make_or_die(scene);
    lay_on(sim, 0, slope, kGap + kStart, 20.0);
    return sim;
}

/// Mean of a part's points, and of their velocities.
struct MeanMotion {
    Vec3 place, velocity;
};
MeanMotion mean_motion(const Simulation& sim, int part) {
    MeanMotion mean;
    const ClothPart& range = sim.model().parts[part];
    const double each = 1.0 / range.vertex_count;
    for (int i = range.vertex_begin; i < range.vertex_begin + range.vertex_count; ++i) {
        mean.place += each * sim.state().position[i];
        mean.velocity += each * sim.state().velocity[i];
    }
    return mean;
}

/// Acceleration down a slope once it has landed.
double slide(Simulation& sim, int part, const Slope& slope) {
    run_for(sim, 0.05);
    const Vec3 before = mean_motion(sim, part).velocity;
    run_for(sim, 0.1);
    return dot(mean_motion(sim, part).velocity - before, slope.down()) / 0.1;
}

/// How far it goes once it has landed.
double creep(Simulation& sim, int part) {
    run_for(sim, 0.1);
    const Vec3 before = mean_motion(sim, part).place;
    run_for(sim, 0.25);
    return length(mean_motion(sim, part).place - before);
}

constexpr Slope kSteep{30.0}, kGentle{15.0};

} // namespace

/// Slides at g (sin - mu cos) where the slope is steeper than mu, and stays where it is less so.
std::vector<ValidationRow> collider_friction() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : contact_variants())
        for (const char* kind : kKinds) {
            const std::string name = concat("collider-friction/", variant.name, ":", kind);
            Simulation sliding = patch_on(variant.settings, make_slope(kind, kSteep), kSteep);
            rows.push_back(make_row(name + ":slides", kSteep.slides_at(kMu), slide(sliding, 0, kSteep), 0.02, "m/s2"));
            Simulation sticking = patch_on(variant.settings, make_slope(kind, kGentle), kGentle);
            rows.push_back(make_row(name + ":sticks", 0.0, creep(sticking, 0), 1e-5, "m in 0.25 s"));
        }
    return rows;
}

/// Thrown over level ground it stops after v^2/(2 mu g); a belt takes it along at mu g until it is as fast as the belt.
std::vector<ValidationRow> stopping_distance() {
    std::vector<ValidationRow> rows;
    constexpr double kSpeed = 1.0;
    const Slope level{0.0};
    for (const Variant& variant : contact_variants()) {
        for (const char* kind : {"plane", "ground", "mesh"}) {
            Simulation sim = patch_on(variant.settings, make_slope(kind, level), level);
            ClothState state = sim.state();
            for (Vec3& v : state.velocity)
                v = {kSpeed, 0, 0};
            sim.set_state(std::move(state), 0);
            run_for(sim, 0.6);
            // A step of h stops for h of the way what it has at its start.
            const double expected = 0.5 * kSpeed * kSpeed / (kMu * kGravity) - 0.5 * kSpeed * sim.step_size();
            rows.push_back(make_row(concat("stopping-distance/", variant.name, ":", kind), expected,
                                    mean_motion(sim, 0).place.x, 0.03, "m"));
        }
        ColliderDesc belt = make_slope("box", level);
        KeyframeDesc end;
        end.t = 2.0;
        end.translate = {2.0 * kSpeed, 0, 0};
        belt.keyframes = {KeyframeDesc{}, end};
        belt.smooth = false;
        Simulation sim = patch_on(variant.settings, belt, level);
        run_for(sim, 0.05);
        const double before = mean_motion(sim, 0).velocity.x;
        run_for(sim, 0.15);
        rows.push_back(make_row(concat("belt/", variant.name, ":pulls"), kMu * kGravity,
                                (mean_motion(sim, 0).velocity.x - before) / 0.15, 0.02, "m/s2"));
        run_for(sim, 0.4);
        rows.push_back(
            make_row(concat("belt/", variant.name, ":carries"), kSpeed, mean_motion(sim, 0).velocity.x, 1e-3, "m/s"));
    }
    return rows;
}

namespace {

constexpr double kClothMu[2] = {0.2, 0.45}; // root of their product: 0.3
constexpr double kClothGap = 0.002;         // [m]

/// A small cloth on a larger one that is held everywhere.
Simulation patch_on_cloth(const SolverSettings& solver, const Slope& slope) {
    SceneDesc scene = patch_scene(solver);
    scene.cloths.push_back(scene.cloths[0]);
    ClothDesc& lower = scene.cloths[1];
    lower.name = "slope";
    lower.mesh = GridDesc{{0.6, 0.3}, {25, 13}, Diagonals::alternating};
    for (int k = 0; k < 2; ++k) {
        scene.cloths[k].material.friction = kClothMu[k];
        scene.cloths[k].contact_distance = kClothGap;
    }
    Simulation sim = make_or_die(scene);
    lay_on(sim, 1, slope, 0.0, 0.0);
    lay_on(sim, 0, slope, kClothGap + kStart, 20.0);
    const ClothPart& part = sim.model().parts[1];
    for (int i = part.vertex_begin; i < part.vertex_begin + part.vertex_count; ++i)
        sim.grab(i, sim.state().position[i]);
    return sim;
}

} // namespace

std::vector<ValidationRow> cloth_on_cloth() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : contact_variants()) {
        Simulation sliding = patch_on_cloth(variant.settings, kSteep);
        rows.push_back(make_row("cloth-on-cloth/" + variant.name + ":slides", kSteep.slides_at(kMu),
                                slide(sliding, 0, kSteep), 0.05, "m/s2"));
        Simulation sticking = patch_on_cloth(variant.settings, kGentle);
        rows.push_back(
            make_row("cloth-on-cloth/" + variant.name + ":sticks", 0.0, creep(sticking, 0), 1e-4, "m in 0.25 s"));
    }
    return rows;
}

} // namespace selvage
