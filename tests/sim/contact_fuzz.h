#pragma once

#include <random>
#include <string>
#include <vector>

#include "scene/scene_io.h"
#include "sim/simulation.h"

// Small cloths among solids of every kind, dragged about by hands at ten metres per second: for the test of contact and for the
// program that runs it longer.

namespace selvage {

/// The same numbers from every standard library.
class FuzzDice {
public:
    explicit FuzzDice(unsigned seed) : random_(seed) {}
    double between(double low, double high) { return low + (high - low) * static_cast<double>(random_()) * 0x1p-32; }
    int below(int count) { return static_cast<int>(between(0.0, count)); }
    bool chance(double share) { return between(0.0, 1.0) < share; }
    Triple place(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }

private:
    std::mt19937 random_;
};

constexpr int kShapeKinds = 6;

inline SolidDesc shape_of_kind(FuzzDice& dice, int kind) {
    switch (kind) {
    case 0:
        return Sphere{dice.between(0.02, 0.12)};
    case 1:
        return Box{{dice.between(0.01, 0.2), dice.between(0.01, 0.2), dice.between(0.01, 0.2)}};
    case 2:
        return Capsule{dice.between(0.004, 0.06), dice.between(0.004, 0.06), dice.between(0.1, 0.3)};
    case 3:
        return Cylinder{dice.between(0.01, 0.12), dice.between(0.01, 0.2)};
    case 4: {
        TubeDesc tube;
        tube.radius = dice.between(0.03, 0.1);
        tube.top_radius = dice.between(0.03, 0.1);
        tube.height = dice.between(0.05, 0.2);
        tube.vertices = {10, 4};
        return SolidMeshDesc{tube};
    }
    default:
        return Plane{};
    }
}

enum class FuzzSolids { four_of_any_kind, one_of_each_kind };

/// One or two sheets over a floor and solids, most of which move: `key_count` times each, every third of a second in the mean.
inline SceneDesc any_scene(FuzzDice& dice, const SolverSettings& solver, int substeps, FuzzSolids solids,
                           int key_count) {
    constexpr const char* kFabrics[] = {"cotton-poplin", "silk-habotai", "denim", "cotton-jersey"};
    SceneDesc scene;
    scene.name = "fuzz";
    scene.solver = solver;
    scene.dt = 1.0 / 60.0;
    scene.substeps = substeps;
    // One sheet, or two one over the other: 160 to 170 vertices in all.
    const int sheets = 1 + dice.below(2);
    for (int k = 0; k < sheets; ++k) {
        ClothDesc cloth;
        cloth.name = "sheet" + std::to_string(k);
        const int n = sheets == 1 ? 13 : 9;
        cloth.mesh = GridDesc{{0.4, 0.4}, {n, n}, Diagonals::alternating};
        cloth.place = {{0.02 * k, 0.5 + 0.03 * k, 0}, {-90, dice.between(0, 90), 0}, 1.0};
        cloth.fabric = kFabrics[dice.below(4)];
        cloth.material = load_fabric(cloth.fabric)->material;
        cloth.self_collision = true;
        scene.cloths.push_back(cloth);
    }
    ColliderDesc floor;
    floor.shape = Plane{};
    floor.place.translate = {0, -0.1, 0};
    scene.colliders.push_back(floor);
    const int count = solids == FuzzSolids::one_of_each_kind ? kShapeKinds : 4;
    for (int k = 0; k < count; ++k) {
        ColliderDesc solid;
        solid.shape = shape_of_kind(dice, count == kShapeKinds ? k : dice.below(kShapeKinds));
        solid.friction = dice.between(0.0, 1.0);
        const bool is_plane = std::holds_alternative<Plane>(solid.shape);
        // Below the sheets, which start free of everything; planes lean a little.
        solid.place.translate = {dice.between(-0.2, 0.2), is_plane ? -0.1 : dice.between(0.0, 0.25),
                                 dice.between(-0.2, 0.2)};
        solid.place.rotate_deg = is_plane ? Triple{dice.between(-20, 20), 0, dice.between(-20, 20)} : dice.place(180);
        if (!is_plane && dice.chance(0.6)) {
            solid.spin = dice.place(4.0);
            double t = 0.2;
            solid.keyframes.push_back({t, {0, 0, 0}, {0, 0, 0}});
            for (int key = 0; key < key_count; ++key)
                solid.keyframes.push_back({t += dice.between(0.1, 0.6), dice.place(0.25), {0, 0, 0}});
        }
        scene.colliders.push_back(solid);
    }
    return scene;
}

/// One to three points in hands that travel at 10 m/s from place to place.
class FastHands {
public:
    FastHands(Simulation& sim, FuzzDice& dice) : sim_(sim), dice_(dice) {}
    void act(double dt) {
        if (hands_.empty() || dice_.chance(0.01)) {
            for (const Hand& hand : hands_)
                sim_.release(hand.vertex);
            hands_.clear();
            if (dice_.chance(0.2)) return; // let it fall a while
            const int count = 1 + dice_.below(3);
            for (int k = 0; k < count; ++k) {
                const int v = dice_.below(sim_.model().vertex_count());
                hands_.push_back({v, sim_.state().position[v], {}});
                aim(hands_.back());
            }
        }
        for (Hand& hand : hands_) {
            // A cloth that cannot follow holds the hand back.
            hand.at = sim_.state().position[hand.vertex];
            const Vec3 way = hand.to - hand.at;
            const double left = length(way), most = 10.0 * dt;
            if (left < most) {
                hand.at = hand.to;
                aim(hand);
            } else {
                hand.at += (most / left) * way;
            }
            sim_.grab(hand.vertex, hand.at);
        }
    }

private:
    struct Hand {
        int vertex;
        Vec3 at, to;
    };
    void aim(Hand& hand) { hand.to = {dice_.between(-0.4, 0.4), dice_.between(-0.1, 0.7), dice_.between(-0.4, 0.4)}; }
    Simulation& sim_;
    FuzzDice& dice_;
    std::vector<Hand> hands_;
};

} // namespace selvage
