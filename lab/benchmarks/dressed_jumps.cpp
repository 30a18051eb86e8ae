// Does a dressed body survive that a game throws it about? A mannequin in a dress walks, runs and dances; once a second it
// jumps to another place, another heading and another moment of its motion. Prints what the cloth is like a second
// after each jump: crossings that are left, stretch, speed, and how long it took to be free of crossings.
// Usage: dressed_jumps [COUNT [SEED [EDGE]]]: 1000 jumps, seed 1, edges of 0.04 m. Fails when a jump leaves a crossing.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "character/character_motion.h"
#include "garment/scene_garments.h"
#include "math/pi.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/collider_motion.h"
#include "sim/simulation.h"

namespace {

using namespace selvage;

constexpr int kFramesBetween = 60;
constexpr double kFrame = 1.0 / 60.0; // [s]

/// Where the body stands and when its motion began.
struct Standing {
    Vec3 place;
    Rotation turn = rotation_from_degrees({0, 0, 0});
    double time = 0.0;
    std::size_t motion = 0;
};

struct Worst {
    int left = 0, tangled_jumps = 0;
    double free_after = 0.0, strain_after = 0.0, strain = 0.0, speed_after = 0.0;
};

class Jumper {
    static constexpr const char* kMotions[] = {"walk", "run", "dance", "arms-up"};

public:
    Jumper(const SceneDesc& scene, unsigned seed) : random_(seed) {
        std::vector<std::string> warnings;
        Result<Character> body =
            load_character(std::get<CharacterDesc>(scene.colliders[0].shape), scene.directory, warnings);
        if (!body) std::exit(2);
        const auto shared = std::make_shared<const Character>(std::move(*body));
        for (const char* name : kMotions) {
            Result<CharacterMotion> motion = CharacterMotion::make(shared, {name, true, true, 0.0, 1.0});
            if (!motion) std::exit(2);
            motions_.push_back(std::move(*motion));
        }
        points_.resize(shared->mesh.positions.size());
    }

    /// The first seconds are without a jump: the dress begins in the pose that all motions begin in.
    void jump() {
        now_.place = {uniform(-50.0, 50.0), uniform(0.0, 5.0), uniform(-50.0, 50.0)};
        now_.turn = rotation_from_degrees({0, uniform(-180.0, 180.0), 0});
        now_.time = uniform(0.0, 10.0);
        now_.motion = static_cast<std::size_t>(uniform(0.0, static_cast<double>(motions_.size()) - 1e-9));
    }

    const char* motion() const { return kMotions[now_.motion]; }
    double time() const { return now_.time; }
    /// A place as the body sees it.
    Vec3 on_body(const Vec3& p) const { return now_.turn.transposed(p - now_.place); }

    bool step_frame(Simulation& sim) {
        now_.time += kFrame;
        motions_[now_.motion].place(now_.time, points_);
        for (Vec3& p : points_)
            p = now_.place + now_.turn * p;
        if (!sim.set_collider_points(0, points_)) return false;
        sim.step_frame();
        return !sim.divergence();
    }

private:
    double uniform(double from, double to) {
        return from + (to - from) * static_cast<double>(random_() >> 11) * 0x1.0p-53;
    }

    std::mt19937_64 random_;
    std::vector<CharacterMotion> motions_;
    std::vector<Vec3> points_;
    Standing now_;
};

int crossings(Simulation& sim) {
    const TangleCount count = sim.count_tangles();
    return count.cloth + count.collider + count.inside;
}

double largest_speed(const Simulation& sim) {
    double largest = 0.0;
    for (const Vec3& v : sim.state().velocity)
        largest = std::max(largest, length(v));
    return largest;
}

/// What is crossed a second after a jump, and where on the body.
void tell_left(const Jumper& jumper, Simulation& sim, const char* from, double at) {
    const TangleCount count = sim.count_tangles();
    std::printf("left: %s -> %s at %.2f s: %d cloth, %d body, %d inside;", from, jumper.motion(), at, count.cloth,
                count.collider, count.inside);
    for (std::size_t k = 0; k < std::min<std::size_t>(4, sim.crossings().size()); ++k) {
        const Vec3 p = jumper.on_body(sim.crossings()[k].point);
        std::printf(" (%.2f %.2f %.2f)", p.x, p.y, p.z);
    }
    std::printf("\n");
}

/// One jump and the second after it.
bool take_jump(Jumper& jumper, Simulation& sim, Worst& worst) {
    const char* from = jumper.motion();
    jumper.jump();
    const double at = jumper.time();
    double free_after = 0.0;
    bool was_tangled = false;
    for (int frame = 1; frame <= kFramesBetween; ++frame) {
        if (!jumper.step_frame(sim)) return false;
        worst.strain = std::max(worst.strain, largest_strain(sim.pool(), sim.model(), sim.state()));
        if (crossings(sim) == 0) continue;
        was_tangled = true;
        free_after = frame * kFrame;
    }
    if (crossings(sim) > 0) {
        ++worst.left;
        tell_left(jumper, sim, from, at);
    }
    if (was_tangled) ++worst.tangled_jumps;
    worst.free_after = std::max(worst.free_after, free_after);
    worst.strain_after = std::max(worst.strain_after, largest_strain(sim.pool(), sim.model(), sim.state()));
    worst.speed_after = std::max(worst.speed_after, largest_speed(sim));
    return true;
}

} // namespace

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
    const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
    const std::string edge = argc > 3 ? argv[3] : "0.04";
    Result<SceneDesc> scene =
        load_scene("dressed-walk", {"/cloths/0/mesh/garment/edge=" + edge, "/cloths/0/skinned={\"collider\":0}"});
    Status dressed = scene ? dress_scene(*scene, 0) : Status{scene.error()};
    Result<Simulation> sim = dressed ? Simulation::make(*scene) : Result<Simulation>{dressed.error()};
    if (!sim) {
        std::fprintf(stderr, "%s\n", sim.error().text().c_str());
        return 2;
    }
    Jumper jumper(*scene, seed);
    for (int frame = 0; frame < kFramesBetween; ++frame)
        if (!jumper.step_frame(*sim)) return 1;
    std::printf("%d vertices; %s edges; seed %u\n", sim->model().vertex_count(), edge.c_str(), seed);
    std::printf(
        "| jumps | crossed at first | left after 1 s | longest until free [s] | stretch at most [%%] | after 1 s [%%] "
        "| speed after 1 s [m/s] |\n|---|---|---|---|---|---|---|\n");
    Worst worst;
    for (int jump = 1; jump <= count; ++jump) {
        if (!take_jump(jumper, *sim, worst)) {
            std::printf("diverged at jump %d\n", jump);
            return 1;
        }
        if (jump % 100 != 0 && jump != count) continue;
        std::printf("| %d | %d | %d | %.2f | %.1f | %.1f | %.1f |\n", jump, worst.tangled_jumps, worst.left,
                    worst.free_after, 100.0 * worst.strain, 100.0 * worst.strain_after, worst.speed_after);
        std::fflush(stdout);
    }
    return worst.left > 0 ? 1 : 0;
}
