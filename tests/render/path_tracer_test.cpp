#include "render/path_tracer.h"

#include <gtest/gtest.h>

#include "shading/directions.h"

namespace selvage {
namespace {

/// A square metre of flat cloth facing +z, without a hem.
SurfaceMesh flat_cloth() {
    SurfaceMesh mesh;
    for (const float side : {1.0f, -1.0f})
        for (const auto& [x, y] : {std::pair{-0.5f, -0.5f}, {0.5f, -0.5f}, {0.5f, 0.5f}, {-0.5f, 0.5f}}) {
            SurfaceVertex v;
            v.position = {x, y, 0.00015f * side};
            v.normal = {0, 0, side};
            v.warp = {1, 0, 0};
            v.weft = {0, 1, 0};
            v.u = x, v.v = y;
            v.side = side;
            mesh.vertices.push_back(v);
        }
    mesh.indices = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6};
    return mesh;
}

double mean_green(const ImageF& image) {
    double sum = 0;
    for (const auto& pixel : image.rgba)
        sum += pixel[1];
    return sum / static_cast<double>(image.rgba.size());
}

TEST(PathTracer, SeesTheFurnaceOfTheShading) {
    const SurfaceMesh mesh = flat_cloth();
    FabricLook look;
    look.colour_variation = 0;
    look.translucency = 0.3;
    look.sheen_colour = {0.1, 0.1, 0.1};
    const PreparedLook prepared = prepare_look(look);
    const Environment white = make_environment([](const Vec3&) { return Vec3{1, 1, 1}; }, KeyLight{});
    ThreadPool pool(1);
    const RenderScene::Cloth cloth{&mesh, &prepared};
    const ImageF image = trace_paths(pool, {&cloth, 1}, white, {{0, 0, 4}, {0, 0, 0}, 4.0}, {12, 12, 400, 3});
    // Seen from afar, straight on, a flat cloth in a white furnace shows the integral of its shading over all directions.
    FabricSite site;
    site.footprint = {1, 1};
    const double albedo = integrate_directions(
        [&](const Vec3& l) { return fabric_radiance(prepared, site, {0, 0, 1}, l).y; }, 180, 48, 180.0);
    EXPECT_NEAR(mean_green(image), albedo, 0.01 * albedo);
    EXPECT_EQ(image.at(6, 6)[3], 1.0f);
}

TEST(PathTracer, LightsAFlatClothByTheKeyAsTheTwinSays) {
    const SurfaceMesh mesh = flat_cloth();
    FabricLook look;
    look.colour_variation = 0;
    const PreparedLook prepared = prepare_look(look);
    KeyLight key;
    key.direction = Vec3f(normalized(Vec3{0.5, 0.3, 1.0}));
    key.irradiance = {2, 3, 4};
    key.tan_radius = 0.001f;
    const Environment dark = make_environment([](const Vec3&) { return Vec3{}; }, key);
    ThreadPool pool(2);
    const RenderScene::Cloth cloth{&mesh, &prepared};
    const ImageF image = trace_paths(pool, {&cloth, 1}, dark, {{0, 0, 6}, {0, 0, 0}, 3.0}, {10, 10, 32, 2});
    FabricSite site;
    site.footprint = {0.1, 0.1};
    const double expected = 3 * fabric_radiance(prepared, site, {0, 0, 1}, Vec3(key.direction)).y;
    EXPECT_NEAR(mean_green(image), expected, 0.01 * expected);
}

TEST(PathTracer, CastsShadowsAndDoesNotDependOnThreads) {
    SurfaceMesh mesh = flat_cloth(), roof = flat_cloth();
    for (SurfaceVertex& v : roof.vertices)
        v.position.z += 0.5f, v.position.x *= 3, v.position.y *= 3;
    FabricLook opaque;
    opaque.translucency = 0;
    const PreparedLook prepared = prepare_look(opaque);
    KeyLight key;
    key.direction = {0, 0, 1};
    key.irradiance = {1, 1, 1};
    const Environment dark = make_environment([](const Vec3&) { return Vec3{}; }, key);
    const RenderScene::Cloth cloths[] = {{&mesh, &prepared}, {&roof, &prepared}};
    ThreadPool one(1), two(2);
    const RenderView from_the_side{{1.2, 0, 0.3}, {0, 0, 0}, 10.0};
    const ImageF a = trace_paths(one, cloths, dark, from_the_side, {16, 8, 16, 3});
    EXPECT_EQ(mean_green(a), 0.0); // all light is above the opaque roof
    const std::span<const RenderScene::Cloth> open(cloths, 1);
    const ImageF b = trace_paths(one, open, dark, from_the_side, {16, 8, 16, 3});
    EXPECT_GT(mean_green(b), 0.01);
    EXPECT_EQ(trace_paths(two, open, dark, from_the_side, {16, 8, 16, 3}).rgba, b.rgba);
}

} // namespace
} // namespace selvage
