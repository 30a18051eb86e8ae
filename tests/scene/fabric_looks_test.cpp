#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "render/shading/fabric_shading.h"
#include "scene/scene_io.h"

namespace selvage {
namespace {

Vec3 towards(double from_normal_deg, double turn_deg) {
    const double t = from_normal_deg * std::numbers::pi / 180, p = turn_deg * std::numbers::pi / 180;
    return {std::sin(t) * std::cos(p), std::sin(t) * std::sin(p), std::cos(t)};
}

/// Mean over a patch of whole repeats, seen by pixels of `size` elements at jittered places.
Vec3 mean_radiance(const PreparedLook& prepared, double size, int side, const Vec3& view, const Vec3& light) {
    const double repeat = std::max(prepared.look.weave[0] + prepared.look.weave[1], 1) * prepared.look.yarn_width;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    Vec3 sum;
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            FabricSite site;
            site.uv = {repeat * (i + uniform(random)) / side, repeat * (j + uniform(random)) / side};
            site.footprint = {size * prepared.look.yarn_width, size * prepared.look.yarn_width};
            sum += fabric_radiance(prepared, site, view, light);
        }
    return sum / (1.0 * side * side);
}

TEST(BuiltinLooks, KeepTheirMeanRadianceAtEveryDistance) {
    // From a pixel of an eighth of a yarn to one of 50: 20 mm of yarns of 0.4 mm, what one of 720 rows sees from 20 m.
    const std::array<std::pair<Vec3, Vec3>, 5> directions{{{towards(0, 0), towards(35, 20)},
                                                           {towards(35, 60), towards(20, 200)},
                                                           {towards(65, 10), towards(55, 170)},
                                                           {towards(50, 80), towards(70, 10)},
                                                           {towards(75, 30), towards(30, 300)}}};
    for (const BuiltinFile& file : builtin_fabrics()) {
        FabricLook look = load_fabric(file.name)->look;
        look.colour_variation = 0; // streaks are longer than the patch
        const PreparedLook prepared = prepare_look(look);
        for (std::size_t d = 0; d < directions.size(); ++d) {
            const auto& [view, light] = directions[d];
            const Vec3 truth = mean_radiance(prepared, 0.0, 140, view, light); // brute force
            for (const double size : {0.12, 0.25, 0.4, 0.5, 1.0, 2.5, 50.0}) {
                const Vec3 mean = mean_radiance(prepared, size, size < 1.5 ? 40 : 10, view, light);
                const double luminance = 0.2126 * mean.x + 0.7152 * mean.y + 0.0722 * mean.z;
                const double expected = 0.2126 * truth.x + 0.7152 * truth.y + 0.0722 * truth.z;
                EXPECT_NEAR(luminance, expected, 0.02 * expected)
                    << file.name << ", pixel of " << size << " yarns, directions " << d;
            }
        }
    }
}

TEST(BuiltinLooks, SendBackNoMoreThanTheyGet) {
    for (const BuiltinFile& file : builtin_fabrics()) {
        FabricLook look = load_fabric(file.name)->look;
        look.warp_colour = look.weft_colour = look.sheen_colour = {1, 1, 1}; // the most that any print could make of it
        const PreparedLook prepared = prepare_look(look);
        const Vec3 white = Vec3{1, 1, 1} * std::numbers::pi;
        FabricSite site;
        site.footprint = {1, 1};
        for (const double angle : {0.0, 30.0, 60.0, 75.0, 85.0})
            for (const double side : {1.0, -1.0}) {
                const Vec3 view = towards(angle, 0) * side;
                const Vec3 furnace = fabric_environment(prepared, site, view, {white, white, {1, 1, 1}});
                EXPECT_LE(furnace.y, 1.0) << file.name << " at " << angle;
                EXPECT_GT(furnace.y, 0.5) << file.name << " at " << angle;
            }
    }
}

} // namespace
} // namespace selvage
