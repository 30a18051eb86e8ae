// What do the frames of a scene cost, and what of it is contact? Usage: contact_cost SCENE FRAMES [THREADS [EVERY]].
// Prints the processor time of a frame (median and mean), its parts, records, contacts and searches per frame, the most
// memory, and crossings, which are counted in every so many frames and the last; counting is not timed.

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/hash.h"
#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

int main(int count, char** argument) {
    using namespace selvage;
    const int frames = count > 2 ? std::atoi(argument[2]) : 0, threads = count > 3 ? std::atoi(argument[3]) : 1;
    const int every = count > 4 ? std::atoi(argument[4]) : 1;
    if (frames <= 0 || threads <= 0 || every <= 0) {
        std::fprintf(stderr, "usage: contact_cost SCENE FRAMES [THREADS [EVERY]]\n");
        return 2;
    }
    const Result<SceneDesc> scene = load_scene(argument[1]);
    if (!scene) {
        std::fprintf(stderr, "%s: %s\n", scene.error().location.c_str(), scene.error().message.c_str());
        return 1;
    }
    Result<Simulation> sim = Simulation::make(*scene, threads);
    if (!sim) {
        std::fprintf(stderr, "%s\n", sim.error().message.c_str());
        return 1;
    }
    const ClothModel& model = sim->model();
    std::vector<double> ms;
    ContactStats total;
    CrossingCounter counter;
    int cloth = 0, solid = 0;
    for (int frame = 1; frame <= frames; ++frame) {
        const std::clock_t before = std::clock();
        sim->step_frame();
        ms.push_back(1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
        total += sim->contact_stats();
        if (sim->divergence()) {
            std::printf("%s\n", sim->divergence()->text().c_str());
            return 1;
        }
        if (frame % every != 0 && frame < frames) continue;
        const std::vector<Vec3>& x = sim->state().position;
        cloth += counter.count(sim->pool(), model.edges, model.mesh.triangles, x).count;
        solid += count_collider_crossings(sim->pool(), sim->colliders(), model.edges, model.mesh.triangles, x).count;
    }
    double sum = 0.0;
    for (const double one : ms)
        sum += one;
    const double wall = total.solver_ms + total.search_ms + total.narrow_ms + total.response_ms,
                 scale = sum / wall / frames;
    std::nth_element(ms.begin(), ms.begin() + frames / 2, ms.end());
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const std::vector<Vec3>& x = sim->state().position;
    std::printf(
        "median %7.2f mean %7.2f ms | solver %6.1f search %6.1f narrow %6.1f response %6.1f | records %8lld contacts "
        "%7lld searches "
        "%6lld listings %5.2f tests %8lld | gap %.1f um depth %.2f mm cut %lld | %ld MB | crossings %d cloth %d solid "
        "| %016llx\n",
        ms[frames / 2], sum / frames, scale * total.solver_ms, scale * total.search_ms, scale * total.narrow_ms,
        scale * total.response_ms, static_cast<long long>(total.records / frames),
        static_cast<long long>(total.contacts / frames), static_cast<long long>(total.searches / frames),
        static_cast<double>(total.listings) / frames, static_cast<long long>(total.tests / frames),
        1e6 * total.smallest_gap, 1e3 * total.solid_depth, static_cast<long long>(total.truncated),
        usage.ru_maxrss / 1024, cloth, solid,
        static_cast<unsigned long long>(hash_bytes(x.data(), x.size() * sizeof(Vec3), 14695981039346656037ULL)));
    return cloth + solid > 0 ? 1 : 0;
}
