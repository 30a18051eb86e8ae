// front_door: what the library's interface costs; a Markdown table on stdout.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <selvage/selvage.hpp>
#include <vector>

namespace {

double median_ms(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <class Work>
double median_ms(int count, const Work& work) {
    std::vector<double> ms;
    for (int k = 0; k < count; ++k) {
        const auto start = std::chrono::steady_clock::now();
        work();
        ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return median_ms(std::move(ms));
}

selvage::World make_world(int threads, const char* solver = nullptr) {
    selvage::WorldDesc desc;
    desc.threads = threads;
    desc.solver = solver;
    return selvage::World::make(desc).value();
}

/// A thousand flags of 10 x 10 vertices on a grid, none near another.
void many_cloths(int threads, const char* solver) {
    selvage::World world = make_world(threads, solver);
    for (int k = 0; k < 1000; ++k)
        world.add(selvage::ClothDesc::grid(0.3, 0.3, 10, 10).at({1.0 * (k % 32), 0, 1.0 * (k / 32)}).pin("left"))
            .value();
    for (int frame = 0; frame < 5; ++frame)
        world.step().value();
    std::printf("| 1,000 cloths of 100 vertices, %s, awake | %d | %.3g ms a frame |\n", solver, threads,
                median_ms(15, [&] { world.step().value(); }));
    for (selvage::Cloth cloth : world.cloths())
        cloth.sleep().value();
    std::printf("| the same, asleep | %d | %.3g ms a frame |\n", threads,
                median_ms(200, [&] { world.step().value(); }));
}

void snapshots() {
    selvage::World world = make_world(1);
    world.add(selvage::ClothDesc::grid(1, 1, 100, 100).pin("left")).value();
    for (int frame = 0; frame < 3; ++frame)
        world.step().value();
    std::vector<std::byte> bytes;
    world.snapshot(bytes).value();
    std::printf("| snapshot of 10,000 vertices (%zu bytes) | 1 | %.3g us |\n", bytes.size(),
                1e3 * median_ms(100, [&] { world.snapshot(bytes).value(); }));
    std::printf("| restore of the same | 1 | %.3g us |\n", 1e3 * median_ms(100, [&] { world.restore(bytes).value(); }));
}

} // namespace

int main() {
    std::printf("| what | threads | median |\n|---|---|---|\n");
    selvage::World empty = make_world(1);
    std::printf("| step of an empty world | 1 | %.3g us |\n", 1e3 * median_ms(1000, [&] { empty.step().value(); }));
    for (const char* solver : {"multilevel", "xpbd"})
        for (const int threads : {1, 2})
            many_cloths(threads, solver);
    snapshots();
}
