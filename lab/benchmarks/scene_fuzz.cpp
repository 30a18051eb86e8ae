// scene_fuzz [COUNT [SEED]]: COUNT random valid scenes from SEED on, each run on 1 and on 3 threads. Prints every scene that
// breaks a promise with its seed, and fails if there was one. `scene_fuzz 1 SEED` runs that one again.

#include "sim/scene_fuzz.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    using namespace selvage;
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
    const unsigned first = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 1;
    int broken = 0, diverged = 0;
    for (int k = 0; k < count; ++k) {
        const unsigned seed = first + static_cast<unsigned>(k);
        FuzzDice dice(seed);
        const SceneDesc scene = any_valid_scene(dice);
        SceneOutcome one = run_scene(scene, seed, 1);
        if (one.broken.empty() && run_scene(scene, seed, 3).hash != one.hash) one.broken = "depends on the threads";
        diverged += one.diverged;
        if (one.broken.empty()) continue;
        ++broken;
        std::printf("seed %u, %s: %s\n", seed, solver_name(scene.solver).c_str(), one.broken.c_str());
        std::fflush(stdout);
    }
    std::printf("%d scenes, %d broke a promise, %d diverged and said so\n", count, broken, diverged);
    return broken == 0 ? 0 : 1;
}
