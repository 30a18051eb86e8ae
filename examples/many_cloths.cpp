// A thousand small cloths, 100 vertices each, such as the banners of an army: what a frame costs while all move and
// while all sleep, on one thread and on two.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <selvage/selvage.hpp>

namespace {

constexpr int kColumns = 40, kRows = 25, kFrames = 20;

selvage::World make_army(int threads) {
    selvage::WorldDesc desc;
    desc.threads = threads;
    selvage::World world = selvage::World::make(desc).value();
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kColumns; ++column)
            world.add(selvage::ClothDesc::grid(0.3, 0.3, 10, 10).at({0.5 * column, 2.0, 1.0 * row}).pin("left"))
                .value();
    world.set_wind({3.0, 0.0, 1.0}).value();
    return world;
}

/// Median time of a frame [ms].
double measure(selvage::World& world) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> ms;
    for (int frame = 0; frame < kFrames; ++frame) {
        const Clock::time_point start = Clock::now();
        world.step().value();
        ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::nth_element(ms.begin(), ms.begin() + kFrames / 2, ms.end());
    return ms[kFrames / 2];
}

} // namespace

int main() {
    bool right = true;
    std::uint64_t first_hash = 0;
    for (const int threads : {1, 2}) {
        selvage::World army = make_army(threads);
        const double awake_ms = measure(army);
        const int awake = army.statistics().awake_cloths;
        const std::uint64_t hash = army.state_hash();
        for (selvage::Cloth cloth : army.cloths())
            cloth.sleep().value();
        const double asleep_ms = measure(army);
        const int still_awake = army.statistics().awake_cloths;
        std::printf("%d thread%s: %.2f ms per frame with %d cloths awake, %.4f ms with %d, hash %016llx\n", threads,
                    threads == 1 ? "" : "s", awake_ms, awake, asleep_ms, still_awake,
                    static_cast<unsigned long long>(hash));
        if (threads == 1) first_hash = hash;
        right = right && awake == kColumns * kRows && still_awake == 0 && hash == first_hash;
    }
    return right ? 0 : 1;
}
