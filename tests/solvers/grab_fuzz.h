#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "scene/scene_io.h"
#include "solvers/scenes.h"

namespace selvage {

/// One kind of rough treatment of a sheet of half a metre.
struct FuzzCase {
    const char* fabric;
    double steps_per_second;
    bool pins, colliders, air;
    bool self_collision = false;
    std::string text() const {
        return std::string(fabric) + " at 1/" + std::to_string(static_cast<int>(steps_per_second)) + " s" +
               (pins ? ", pins" : "") + (colliders ? ", colliders" : "") + (air ? ", air" : "") +
               (self_collision ? ", self-collision" : "");
    }
};

/// Soft and stiff, light and heavy, from the longest to the shortest steps in use. A sheet without pins has a floor: it
/// would fall for hours otherwise.
inline const std::vector<FuzzCase>& fuzz_cases() {
    static const std::vector<FuzzCase> cases = {
        {"cotton-poplin", 30, true, false, false},
        {"denim", 30, false, true, true},
        {"silk-habotai", 60, true, true, true},
        {"cotton-jersey", 60, false, true, false},
        {"polyester-chiffon", 120, true, false, true},
        {"wool-suiting", 240, false, true, true},
        {"felt", 500, true, true, false},
        {"denim", 1000, true, false, true},
        {"polyester-chiffon", 2000, false, true, true},
        {"cotton-jersey", 2000, true, false, false},
    };
    return cases;
}

/// Cloth that is yanked through its own folds takes a hundred times longer: fewer of them, and for fewer steps.
inline const std::vector<FuzzCase>& fuzz_cases_of_folds() {
    static const std::vector<FuzzCase> cases = {
        {"silk-habotai", 60, true, true, true, true},
        {"cotton-jersey", 60, false, true, false, true},
        {"wool-suiting", 240, false, true, true, true},
    };
    return cases;
}

inline SceneDesc fuzz_scene(const SolverSettings& solver, const FuzzCase& c, int vertices) {
    SceneDesc scene = free_sheet(solver, vertices);
    scene.solver = solver; // as it comes: no steps are counted here, and hands are what it cuts its steps for
    scene.cloths[0].self_collision = c.self_collision;
    scene.dt = 1.0 / c.steps_per_second;
    Result<Fabric> fabric = load_fabric(c.fabric);
    EXPECT_TRUE(fabric) << c.fabric;
    scene.cloths[0].material = fabric->material;
    scene.cloths[0].place = {{0.1, 0.4, 0.05}, {-70, 20, 0}, 0.5};
    if (c.pins) pin_corners(scene);
    if (c.air) {
        scene.air.density = 1.2;
        scene.air.wind = {4, 1, -2};
        scene.air.gust = 0.5;
    }
    if (c.colliders) {
        ColliderDesc floor, ball, box;
        floor.shape = Plane{};
        floor.place.translate = {0, -0.5, 0};
        ball.shape = Sphere{0.2};
        ball.spin = {0, 3, 1};
        box.shape = Box{{0.3, 0.3, 0.3}};
        box.place.translate = {0.5, -0.3, 0};
        box.keyframes = {
            {0.0, {0, 0, 0}, {0, 0, 0}}, {1.0, {-1, 0.2, 0.3}, {30, 200, 10}}, {2.0, {0, 0, 0}, {0, 0, 0}}};
        scene.colliders = {floor, ball, box};
    }
    return scene;
}

/// Hands that grab, yank by up to a metre within one step, let go and grab again.
class FuzzHands {
public:
    FuzzHands(Simulation& sim, unsigned seed) : sim_(sim), random_(seed) {}

    void act() {
        if (chance(0.10)) take(any_vertex(), 1.0); // also points that are held or pinned already
        if (chance(0.02))
            for (int k = 0; k < 6; ++k)
                take(any_vertex(), 1.0);
        if (chance(0.10) && !held_.empty()) let_go(*std::next(held_.begin(), below(static_cast<int>(held_.size()))));
        if (chance(0.01))
            while (!held_.empty())
                let_go(*held_.begin());
        for (const int v : held_) // moved along, and now and then jerked
            take(v, chance(0.05) ? 1.0 : 0.01);
        if (chance(0.002)) // every point in the hands at once: more than any solver keeps a short list of
            for (int v = 0; v < sim_.model().vertex_count(); ++v)
                take(v, 0.1);
    }
    const std::set<int>& held() const { return held_; }

private:
    bool chance(double probability) { return uniform() < probability; }
    double uniform() { return static_cast<double>(random_()) * 0x1p-32; }
    int below(int count) { return static_cast<int>(uniform() * count); }
    int any_vertex() { return below(sim_.model().vertex_count()); }
    void take(int vertex, double reach) {
        const Vec3 jerk = (reach / std::sqrt(3.0)) * Vec3{2 * uniform() - 1, 2 * uniform() - 1, 2 * uniform() - 1};
        const Vec3 to = sim_.state().position[vertex] + jerk;
        // Within arm's length of the start; a point that flew off is brought back a metre at a time.
        const Vec3 near{std::clamp(to.x, -2.0, 2.0), std::clamp(to.y, -2.0, 2.0), std::clamp(to.z, -2.0, 2.0)};
        const Vec3 displacement = near - sim_.state().position[vertex];
        sim_.grab(vertex, sim_.state().position[vertex] +
                              std::min(1.0, reach / std::max(length(displacement), 1e-9)) * displacement);
        held_.insert(vertex);
    }
    void let_go(int vertex) {
        sim_.release(vertex);
        held_.erase(vertex);
    }

    Simulation& sim_;
    std::mt19937 random_; // the same numbers from every standard library
    std::set<int> held_;
};

/// What every report of a divergence must say, checked against the state that was found.
inline void expect_true_report(const Simulation& sim, int steps_done) {
    const Divergence& found = *sim.divergence();
    EXPECT_EQ(found.step, steps_done);
    const auto is_bad = [&](int v) {
        return !is_finite(sim.state().position[v]) || !(length(sim.state().velocity[v]) < 1e5);
    };
    for (int v = 0; v < found.vertex; ++v)
        EXPECT_FALSE(is_bad(v)) << v;
    EXPECT_TRUE(is_bad(found.vertex));
    const std::string text = found.text();
    EXPECT_NE(text.find("diverged at step " + std::to_string(steps_done) + " "), std::string::npos) << text;
    EXPECT_NE(text.find("vertex " + std::to_string(found.vertex) + " of cloth \"sheet\""), std::string::npos) << text;
}

/// Runs every case for `steps` steps. A solver that can diverge must say so truly; others must not.
inline void fuzz_grabs(const SolverEntry& entry, const SolverSettings& settings, int vertices,
                       const std::vector<FuzzCase>& cases, int steps) {
    unsigned seed = 1;
    for (const FuzzCase& c : cases) {
        SCOPED_TRACE(entry.name + ", " + c.text());
        Simulation sim = make_simulation(fuzz_scene(settings, c, vertices));
        FuzzHands hands(sim, seed++);
        for (int k = 1; k <= steps; ++k) {
            hands.act();
            sim.step();
            if (sim.divergence()) {
                expect_true_report(sim, k);
                ASSERT_TRUE(entry.traits.can_diverge) << sim.divergence()->text();
                break;
            }
        }
    }
}

} // namespace selvage
