#include "render/renderer.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "geometry/generators.h"
#include "math/pi.h"
#include "render/cloth_surface.h"
#include "render/image_file.h"
#include "render/path_tracer.h"

namespace selvage {
namespace {

Renderer make_renderer(int width, int height, GlDialect dialect = GlDialect::desktop_33, double reach = 0.35) {
    RenderSettings settings;
    settings.width = width, settings.height = height;
    settings.shadow_resolution = 512;
    settings.occlusion_reach = reach;
    Result<Renderer> made = Renderer::make(settings, dialect);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
}

/// A sheet of one by one metre in the plane z = 0, bent by `height`.
template <class Height>
SurfaceMesh bent_sheet(const Height& height, int vertices = 41) {
    TriangleMesh mesh = make_grid({{1, 1}, {vertices, vertices}})->mesh;
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x)
        p.z = height(p.x, p.y);
    ClothSurface surface(mesh, 0, mesh.triangle_count(), {0.002, 0.02});
    return surface.update(x, vertex_normals(mesh, x));
}
SurfaceMesh flat_sheet() {
    return bent_sheet([](double, double) { return 0.0; }, 11);
}

FabricLook dyed() {
    FabricLook look;
    look.warp_colour = {0.5, 0.2, 0.1};
    look.weft_colour = {0.1, 0.3, 0.5};
    look.sheen_colour = {0.05, 0.05, 0.05};
    return look;
}

KeyLight key_from(const Vec3& direction, float irradiance) {
    return {Vec3f(normalized(direction)), {irradiance, irradiance, irradiance}, 0.05f};
}
Vec3 dark(const Vec3&) {
    return {};
}

/// Mean over the middle of the picture.
Vec3 middle_of(const ImageF& image) {
    Vec3 sum;
    int count = 0;
    for (int y = image.height / 3; y < 2 * image.height / 3; ++y)
        for (int x = image.width / 3; x < 2 * image.width / 3; ++x, ++count)
            sum += Vec3{image.at(x, y)[0], image.at(x, y)[1], image.at(x, y)[2]};
    return sum / static_cast<double>(count);
}

// From 20 m the pixel holds many repeats of the weave, so that one place of the twin stands for all.
constexpr double kFar = 20.0;
FabricSite far_site() {
    return {{0.0, 0.0}, {0.02, 0.02}};
}

TEST(Renderer, ClothUnderTheKeyLightHasTheRadianceOfTheTwin) {
    Renderer renderer = make_renderer(48, 48);
    const SurfaceMesh sheet = flat_sheet();
    FabricLook look = dyed();
    look.colour_variation = 0.0; // or places would differ
    const PreparedLook prepared = prepare_look(look);
    const RenderScene scene{{{&sheet, &prepared}}, {}, {}, {}};
    for (const Vec3& light : {Vec3{0.3, 0.5, 0.8}, Vec3{-0.7, 0.1, -0.5}}) {
        renderer.set_environment(make_environment(dark, key_from(light, 2.0f)));
        for (const double side : {1.0, -1.0}) { // from the front and from the back: lit, and shining through
            const Vec3 eye = kFar * normalized(Vec3{0.4, 0.1, side});
            const Result<ImageF> image = renderer.draw_linear(scene, {eye, {}, 1.0});
            ASSERT_TRUE(image) << image.error().text();
            const Vec3 expected = 2.0 * fabric_radiance(prepared, far_site(), normalized(eye), normalized(light));
            const Vec3 got = middle_of(*image);
            // Half floats and the far weave's own blending: 2 %.
            EXPECT_NEAR(got.x, expected.x, 0.02 * expected.x + 1e-4) << light.x << " " << side;
            EXPECT_NEAR(got.y, expected.y, 0.02 * expected.y + 1e-4) << light.x << " " << side;
            EXPECT_NEAR(got.z, expected.z, 0.02 * expected.z + 1e-4) << light.x << " " << side;
        }
    }
}

TEST(Renderer, ClothInAUniformWorldHasTheFurnaceRadianceOfTheTwin) {
    Renderer renderer = make_renderer(48, 48);
    const SurfaceMesh sheet = flat_sheet();
    FabricLook look = dyed();
    look.colour_variation = 0.0;
    const PreparedLook prepared = prepare_look(look);
    renderer.set_environment(make_environment([](const Vec3&) { return Vec3{1, 1, 1}; }, key_from({0, 1, 0}, 0.0f)));
    for (const Vec3& from : {Vec3{0, 0, 1}, Vec3{0.9, 0.2, 0.6}, Vec3{0.3, 0.1, -1.0}}) {
        const Vec3 eye = kFar * normalized(from);
        const Result<ImageF> image = renderer.draw_linear({{{&sheet, &prepared}}, {}, {}, {}}, {eye, {}, 1.0});
        ASSERT_TRUE(image);
        const FabricSurroundings ones{{kPi, kPi, kPi}, {kPi, kPi, kPi}, {1, 1, 1}};
        const Vec3 expected = fabric_environment(prepared, far_site(), normalized(eye), ones);
        const Vec3 got = middle_of(*image);
        EXPECT_NEAR(got.x, expected.x, 0.02 * expected.x);
        EXPECT_NEAR(got.y, expected.y, 0.02 * expected.y);
        EXPECT_NEAR(got.z, expected.z, 0.02 * expected.z);
    }
}

TEST(Renderer, KeepsItsMeanRadianceWhileTheCameraDrawsBack) {
    Renderer renderer = make_renderer(96, 96);
    const SurfaceMesh sheet = flat_sheet();
    FabricLook look = dyed();
    look.colour_variation = 0.0;
    look.yarn_width = 0.002;
    const PreparedLook prepared = prepare_look(look);
    renderer.set_environment(make_environment([](const Vec3& d) { return (1.0 + 0.5 * d.y) * Vec3{0.2, 0.2, 0.2}; },
                                              key_from({0.3, 0.5, 0.8}, 2.0f)));
    // Always the same decimetre of cloth: from 20 pixels per yarn to 20 yarns per pixel, by cropping less of it.
    double first = 0.0;
    for (const double distance : {0.25, 0.5, 1.0, 2.0, 5.0, 20.0}) {
        const Result<ImageF> image =
            renderer.draw_linear({{{&sheet, &prepared}}, {}, {}, {}}, {{0.2 * distance, 0, distance}, {}, 20.0});
        ASSERT_TRUE(image);
        const double half = 0.04 / (std::tan(10.0 * kPi / 180.0) * distance * 1.02) * 48.0; // 8 cm in pixels, halved
        double sum = 0.0;
        int count = 0;
        for (int y = 0; y < 96; ++y)
            for (int x = 0; x < 96; ++x)
                if (std::abs(x + 0.5 - 48.0) < std::max(half, 1.0) && std::abs(y + 0.5 - 48.0) < std::max(half, 1.0)) {
                    sum += image->at(x, y)[1];
                    ++count;
                }
        if (first == 0.0) first = sum / count;
        EXPECT_NEAR(sum / count / first, 1.0, 0.02) << distance << " m";
    }
}

TEST(Renderer, DrawsTheSameBytesInBothDialects) {
    const SurfaceMesh sheet = bent_sheet([](double x, double y) { return 0.1 * std::sin(9.0 * x) + 0.2 * x * y; });
    const PreparedLook prepared = prepare_look(dyed());
    const RenderScene scene{{{&sheet, &prepared}}, {}, {}, -0.6};
    const RenderView view{{0.7, 0.5, 1.8}, {0, -0.1, 0}, 40.0};
    const Result<Image8> desktop = make_renderer(160, 120).draw(scene, view);
    const Result<Image8> es = make_renderer(160, 120, GlDialect::es_30).draw(scene, view);
    ASSERT_TRUE(desktop);
    ASSERT_TRUE(es);
    EXPECT_EQ(desktop->rgb, es->rgb);
}

TEST(Renderer, DrawsTheSameBytesTwiceAndWithAnotherRendererInBetween) {
    const SurfaceMesh sheet = flat_sheet();
    const PreparedLook prepared = prepare_look(dyed());
    const RenderScene scene{{{&sheet, &prepared}}, {}, {}, -0.6};
    Renderer renderer = make_renderer(64, 48);
    const Result<Image8> first = renderer.draw(scene, {{0.7, 0.5, 1.8}, {}, 40.0});
    Renderer other = make_renderer(32, 32);
    ASSERT_TRUE(other.draw(scene, {{0, 0, 2}, {}, 40.0}));
    const Result<Image8> again = renderer.draw(scene, {{0.7, 0.5, 1.8}, {}, 40.0});
    ASSERT_TRUE(first);
    ASSERT_TRUE(again);
    EXPECT_EQ(first->rgb, again->rgb);
}

TEST(Renderer, TheFloorShowsTheBackdropWhereNothingShadesIt) {
    Renderer renderer = make_renderer(64, 48);
    RenderScene scene;
    const RenderView view{{0, 1, 3}, {}, 40.0};
    const Result<ImageF> without = renderer.draw_linear(scene, view);
    scene.ground_height = -0.5;
    const Result<ImageF> with = renderer.draw_linear(scene, view);
    ASSERT_TRUE(without);
    ASSERT_TRUE(with);
    for (std::size_t i = 0; i < with->rgba.size(); ++i)
        ASSERT_NEAR(with->rgba[i][1], without->rgba[i][1], 0.004 * without->rgba[i][1]);
}

/// Pixels over which the floor goes from a tenth to nine tenths of its light, under a sheet `height` above it.
double penumbra_pixels(Renderer& renderer, double height) {
    TriangleMesh mesh = make_grid({{1, 1}, {3, 3}})->mesh;
    for (Vec3& p : mesh.positions)
        p = {p.x - 0.5, height, -p.y}; // level; its right edge is above x = 0
    ClothSurface surface(mesh, 0, mesh.triangle_count(), {0.0005, 0.0});
    const SurfaceMesh sheet = surface.update(mesh.positions, vertex_normals(mesh, mesh.positions));
    const PreparedLook prepared = prepare_look({});
    KeyLight key = key_from({0, 1, 0}, 1.0f);
    key.tan_radius = 0.1f;
    Environment environment = make_environment(dark, key);
    environment.has_backdrop = true;
    environment.backdrop_low = environment.backdrop_high = {1, 1, 1};
    renderer.set_environment(environment);
    RenderScene scene{{{&sheet, &prepared}}, {}, {}, 0.0};
    // From below the sheet, at the line under its edge.
    const RenderView view{{0.45, 0.12, 0.0}, {0, 0, 0}, 60.0};
    const Result<ImageF> lit = renderer.draw_linear(scene, view);
    scene.cloths.clear();
    const Result<ImageF> open = renderer.draw_linear(scene, view);
    EXPECT_TRUE(lit && open);
    // Where the floor lies at x: count pixels of the middle column whose light is between a tenth and nine tenths.
    double width = 0.0;
    const int column = lit->width / 2;
    const ViewCamera camera(view, lit->width, lit->height);
    for (double x = -0.2; x < 0.2; x += 0.001) {
        const PicturePoint at = camera.project({x, 0, 0});
        const int y = static_cast<int>(at.y);
        if (y < 0 || y >= lit->height) continue;
        const double fraction = lit->at(column, y)[1] / open->at(column, y)[1];
        if (fraction > 0.1 && fraction < 0.9) width += 0.001;
    }
    return width;
}

TEST(Renderer, APenumbraIsAsWideAsTheLightAndTheGapMakeIt) {
    Renderer renderer = make_renderer(200, 200);
    // Light over a disc of radius r = 0.1 h behind an edge: a tenth of it shows from -0.687 r, nine tenths from +0.687 r
    // (the circle's segment of a tenth of its area).
    for (const double height : {0.3, 0.6}) {
        const double expected = 2.0 * 0.687 * 0.1 * height;
        EXPECT_NEAR(penumbra_pixels(renderer, height), expected, 0.35 * expected) << height;
    }
}

TEST(Renderer, FoldsDarkenAndOpenClothDoesNot) {
    Renderer renderer = make_renderer(160, 120, GlDialect::desktop_33, 2.0); // the walls end before the reach does
    renderer.set_environment(make_environment([](const Vec3&) { return Vec3{1, 1, 1}; }, key_from({0, 1, 0}, 0.0f)));
    FabricLook look;
    look.colour_variation = 0.0;
    look.warp_colour = look.weft_colour = {0.2, 0.2, 0.2}; // dark cloth: little light bounces
    look.reflectance = {0, 0, 0};
    const PreparedLook prepared = prepare_look(look);
    // A valley with walls at 45 degrees: at its bottom half of the sky is left, cos^2(45 degrees).
    const SurfaceMesh valley = bent_sheet([](double x, double) { return std::abs(x); }, 81);
    const SurfaceMesh open = flat_sheet();
    const RenderView view{{0, 0, 2.0}, {0, 0, 0.1}, 25.0};
    const Result<ImageF> folded = renderer.draw_linear({{{&valley, &prepared}}, {}, {}, {}}, view);
    const Result<ImageF> level = renderer.draw_linear({{{&open, &prepared}}, {}, {}, {}}, view);
    ASSERT_TRUE(folded && level);
    const auto at = [](const ImageF& image, double fraction) {
        return image.at(static_cast<int>(fraction * image.width), image.height / 2)[1];
    };
    const double bottom = at(*folded, 0.505) / at(*level, 0.5), rim = at(*folded, 0.74) / at(*level, 0.5);
    EXPECT_GT(bottom, 0.4);
    EXPECT_LT(bottom, 0.72);
    EXPECT_GT(rim, 0.85);
    EXPECT_NEAR(at(*level, 0.4) / at(*level, 0.5), 1.0, 0.01);
}

TEST(Renderer, SheerClothShowsWhatIsBehindInTheShareOfItsHoles) {
    Renderer renderer = make_renderer(48, 48);
    Environment environment = make_environment(dark, key_from({0, 1, 0}, 0.0f));
    environment.has_backdrop = true;
    environment.backdrop_low = environment.backdrop_high = {1, 1, 1};
    renderer.set_environment(environment);
    FabricLook look;
    look.openness = 0.4;
    const PreparedLook prepared = prepare_look(look);
    const SurfaceMesh sheet = flat_sheet();
    const RenderView view{{0, 0, kFar}, {}, 1.0};
    const Result<ImageF> behind = renderer.draw_linear({}, view);
    const Result<ImageF> seen = renderer.draw_linear({{{&sheet, &prepared}}, {}, {}, {}}, view);
    ASSERT_TRUE(behind && seen);
    // Cloth without light is black; head on the holes are as large as they are.
    EXPECT_NEAR(middle_of(*seen).y / middle_of(*behind).y, 0.4, 0.01);
}

TEST(Renderer, FoldsOfDarkClothAreAsBrightAsPathsSay) {
    // Folds half as deep as wide, under light from all around alone: what the renderer must guess.
    const SurfaceMesh folds = bent_sheet([](double x, double) { return 0.05 * std::sin(2 * kPi * x / 0.2); }, 121);
    const Environment studio = studio_environment();
    Environment around = studio;
    around.key.irradiance = {0, 0, 0};
    const RenderView view{{0.4, 0.2, 3.0}, {0, 0, 0}, 16.0}; // inside the border
    for (const bool glossy : {false, true}) {
        FabricLook look;
        look.translucency = look.colour_variation = 0;
        look.warp_colour = look.weft_colour = {0.05, 0.05, 0.05};
        if (glossy) look.warp_colour = look.weft_colour = {0, 0, 0};
        const PreparedLook prepared = prepare_look(look);
        const RenderScene::Cloth cloth{&folds, &prepared};
        Renderer renderer = make_renderer(192, 192, GlDialect::desktop_33, RenderSettings{}.occlusion_reach);
        renderer.set_environment(around);
        RenderScene scene;
        scene.cloths.push_back(cloth);
        const Result<ImageF> drawn = renderer.draw_linear(scene, view);
        ASSERT_TRUE(drawn);
        ThreadPool pool(2);
        const ImageF paths = trace_paths(pool, {&cloth, 1}, around, view, {96, 96, 16, 3});
        const double ours = middle_of(*drawn).y, truth = middle_of(paths).y;
        RecordProperty(glossy ? "reflections" : "all", std::to_string(ours / truth - 1));
        EXPECT_NEAR(ours, truth, (glossy ? 0.10 : 0.05) * truth) << (glossy ? "reflections alone" : "all");
    }
}

TEST(Renderer, PicturesStayAsTheyWereWithinATolerance) {
    const SurfaceMesh sheet = bent_sheet([](double x, double y) { return 0.12 * std::sin(9.0 * x) + 0.2 * x * y; });
    const SurfaceMesh ball = [] {
        TriangleMesh mesh = make_grid({{1, 1}, {3, 3}})->mesh;
        for (Vec3& p : mesh.positions)
            p.z = -0.4;
        return make_solid_surface(mesh);
    }();
    const PreparedLook prepared = prepare_look(dyed());
    const RenderView view{{0.7, 0.5, 1.8}, {0, -0.1, 0}, 40.0};
    for (const char* name : {"studio", "sky"}) {
        Renderer renderer = make_renderer(160, 120);
        renderer.set_environment(std::string(name) == "sky" ? sky_environment() : studio_environment());
        const Result<Image8> image = renderer.draw(
            {{{&sheet, &prepared}}, {{&ball}}, {{{-1, -1, 1}, {1, 0, 0}}, {{1, 1, 1}, {1, 0, 0}}}, -0.6}, view);
        ASSERT_TRUE(image);
        const std::string path = std::string(SELVAGE_SOURCE_DIR "/tests/render/golden/") + name + ".png";
        // SELVAGE_UPDATE_GOLDEN=1 test_render writes them anew; look at them before you commit.
        if (std::getenv("SELVAGE_UPDATE_GOLDEN")) {
            ASSERT_TRUE(write_png(path, *image));
        }
        const Result<Image8> golden = read_picture(path);
        ASSERT_TRUE(golden) << golden.error().text();
        ASSERT_EQ(golden->rgb.size(), image->rgb.size());
        double sum = 0.0;
        int far_off = 0;
        for (std::size_t i = 0; i < image->rgb.size(); ++i) {
            const int difference = std::abs(image->rgb[i] - golden->rgb[i]);
            sum += difference;
            far_off += difference > 16;
        }
        // Bytes are equal under one driver; others round differently and place samples elsewhere: one step of 255 on the
        // mean, and one value in a hundred (edges) anywhere.
        EXPECT_LE(sum / static_cast<double>(image->rgb.size()), 1.0) << name;
        EXPECT_LE(far_off, static_cast<int>(image->rgb.size() / 100)) << name;
    }
}

TEST(View, FramesAllPointsTightly) {
    const std::vector<Vec3> points = {{-1, 0, 0}, {1, 0, 0}, {0, 0.5, 0.3}, {0, -0.4, -0.2}};
    const RenderView view = frame_points(points, 40.0, 16.0 / 9.0);
    const ViewCamera camera(view, 1600, 900);
    double nearest_border = 1e9;
    for (const Vec3& p : points) {
        const PicturePoint at = camera.project(p);
        for (const double room : {at.x, 1600 - at.x, at.y, 900 - at.y}) {
            EXPECT_GT(room, 0.0);
            nearest_border = std::min(nearest_border, room);
        }
    }
    EXPECT_LT(nearest_border, 140.0);
}

TEST(View, PutsPointsWhereThePictureHasThem) {
    RenderView view;
    view.eye = {0, 0, 2};
    view.fov_deg = 90.0; // at a distance of 2 the picture is 4 m tall
    const ViewCamera camera(view, 200, 100);
    const PicturePoint middle = camera.project({0, 0, 0}), corner = camera.project({1, 1, 0});
    EXPECT_NEAR(middle.x, 100.0, 1e-12);
    EXPECT_NEAR(middle.y, 50.0, 1e-12);
    EXPECT_NEAR(middle.depth, 2.0, 1e-12);
    EXPECT_NEAR(corner.x, 125.0, 1e-12);
    EXPECT_NEAR(corner.y, 25.0, 1e-12);
    EXPECT_LT(camera.project({0, 0, 3}).depth, 0.0);
}

TEST(Renderer, DrawsTheMapOfASolidPixelByPixel) {
    Renderer renderer = make_renderer(64, 64);
    renderer.set_environment(make_environment([](const Vec3&) { return Vec3{1, 1, 1}; }, key_from({0, 0, 1}, 1.0f)));
    // One quad: what its four corners have is white, and all the colour is between them.
    SurfaceMesh quad;
    for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
        SurfaceVertex v;
        v.position = {static_cast<float>(x) - 0.5f, static_cast<float>(y) - 0.5f, 0.0f};
        v.normal = {0, 0, 1};
        v.u = static_cast<float>(x);
        v.v = static_cast<float>(y);
        quad.vertices.push_back(v);
    }
    quad.indices = {0, 1, 2, 0, 2, 3};
    Image8 map{16, 16, std::vector<unsigned char>(3 * 16 * 16, 255)};
    for (int y = 2; y < 14; ++y) // red above, blue below, white around
        for (int x = 2; x < 14; ++x)
            for (int c = 0; c < 3; ++c)
                map.rgb[static_cast<std::size_t>(3 * (16 * y + x) + c)] = (c == 0) == (y < 8) && c != 1 ? 255 : 0;
    RenderScene scene;
    scene.solids.push_back({&quad, {0.5f, 0.5f, 0.5f}, 1.0f, &map});
    for (const DrawStyle style : {DrawStyle::fabric, DrawStyle::quick}) {
        const Result<Image8> picture = renderer.draw(scene, {{0, 0, 2.0}, {0, 0, 0}, 28.0}, style);
        ASSERT_TRUE(picture) << picture.error().text();
        const auto above = picture->at(32, 20), below = picture->at(32, 44);
        EXPECT_GT(above[0], above[2] + 60);
        EXPECT_GT(below[2], below[0] + 60);
    }
}

TEST(Renderer, DrawsStitchesAlongAHem) {
    Renderer renderer = make_renderer(200, 200);
    renderer.set_environment(make_environment([](const Vec3&) { return Vec3{1, 1, 1}; }, key_from({0, 0, 1}, 1.0f)));
    const TriangleMesh mesh = make_grid({{1, 1}, {11, 11}})->mesh;
    ClothSurface surface(mesh, 0, mesh.triangle_count(), {0.0005, 0.02});
    const SurfaceMesh& sheet = surface.update(mesh.positions, vertex_normals(mesh, mesh.positions));
    FabricLook look = dyed();
    look.construction = Construction::felt; // no weave between the stitches
    look.colour_variation = 0.0;
    const PreparedLook prepared = prepare_look(look);
    RenderScene scene;
    scene.cloths.push_back({&sheet, &prepared});
    // Four centimetres of the hem below, 0.2 mm to a pixel: the row lies in the hem, 12 mm above the border.
    const RenderView view{{0, -0.48, 0.2}, {0, -0.48, 0}, 11.4};
    const Image8 plain = *renderer.draw(scene, view);
    scene.cloths[0].hem = 0.02;
    scene.cloths[0].stitch = 0.004;
    const Image8 stitched = *renderer.draw(scene, view);
    const auto change = [&](int x, int y) {
        const auto a = plain.at(x, y), b = stitched.at(x, y);
        return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
    };
    int rows = 0, elsewhere = 0, middle = 0, most = 0;
    for (int y = 0; y < 200; ++y) {
        int sum = 0;
        for (int x = 0; x < 200; ++x)
            sum += change(x, y);
        if (sum > 200 * 4)
            ++rows;
        else
            elsewhere += sum;
        if (sum > most) most = sum, middle = y;
    }
    EXPECT_GT(rows, 3); // the furrow is 1.8 mm wide
    EXPECT_LT(rows, 14);
    EXPECT_LT(elsewhere, 2000);
    int gaps = 0;
    for (int x = 1; x < 200; ++x)
        gaps += 200 * change(x - 1, middle) > most && 200 * change(x, middle) <= most;
    EXPECT_NEAR(gaps, 10, 2); // one every 4 mm over 40 mm
}

TEST(Renderer, QuickStyleShadesByOneLightAndFollowsTheSize) {
    Renderer renderer = make_renderer(64, 48);
    const SurfaceMesh sheet = flat_sheet();
    const PreparedLook prepared = prepare_look(dyed());
    const RenderScene scene{{{&sheet, &prepared}}, {}, {}, {}};
    renderer.set_environment(make_environment(dark, key_from({0, 0, 1}, 1.0f)));
    ASSERT_TRUE(renderer.resize(80, 60));
    const Result<Image8> image = renderer.draw(scene, {{0, 0, 4}, {}, 10.0}, DrawStyle::quick);
    ASSERT_TRUE(image) << image.error().text();
    ASSERT_EQ(image->width, 80);
    ASSERT_EQ(image->height, 60);
    // Light and eye straight before it: the shader's three parts add up to 1.33; the yarns' mean colour is (0.3, 0.25, 0.3),
    // and the screen's scale is taken as a square root.
    const auto [r, g, b] = image->at(40, 30);
    EXPECT_NEAR(r, 255.0 * std::sqrt(0.30 * 1.33), 2.0);
    EXPECT_NEAR(g, 255.0 * std::sqrt(0.25 * 1.33), 2.0);
    EXPECT_NEAR(b, 255.0 * std::sqrt(0.30 * 1.33), 2.0);
}

TEST(Renderer, DrawsTwoViewsIntoTheHalvesOfOnePicture) {
    Renderer renderer = make_renderer(64, 48);
    const SurfaceMesh sheet = flat_sheet();
    const PreparedLook prepared = prepare_look(dyed());
    const RenderScene scene{{{&sheet, &prepared}}, {}, {}, {}};
    const RenderView views[] = {{{0, 0, 4}, {}, 20.0}, {{3, 1, 4}, {}, 20.0}};
    for (const DrawStyle style : {DrawStyle::quick, DrawStyle::fabric}) {
        Image8 alone[2];
        for (int half = 0; half < 2; ++half)
            alone[half] = *renderer.draw(scene, views[half], style);
        SharedPicture picture(128, 48);
        picture.start();
        for (int half = 0; half < 2; ++half)
            ASSERT_TRUE(renderer.draw_into(picture, 64 * half, scene, views[half], style));
        picture.finish();
        const Image8 both = picture.read();
        ASSERT_EQ(both.width, 128);
        // Half a step of noise differs from place to place when light becomes bytes: one step at most.
        int largest = 0;
        for (int y = 0; y < 48; ++y)
            for (int x = 0; x < 128; ++x)
                for (std::size_t c = 0; c < 3; ++c)
                    largest = std::max(largest, std::abs(both.at(x, y)[c] - alone[x / 64].at(x % 64, y)[c]));
        EXPECT_LE(largest, style == DrawStyle::quick ? 0 : 1);
        EXPECT_NE(alone[0].rgb, alone[1].rgb);
    }
}

TEST(SharedPictures, AreUsedAgainWhenNobodyHoldsThem) {
    const Result<GlContext> context = GlContext::make();
    ASSERT_TRUE(context) << context.error().text();
    SharedPictures pictures;
    std::shared_ptr<SharedPicture> first = *pictures.take(40, 30), second = *pictures.take(40, 30);
    EXPECT_NE(first, second);
    const SharedPicture* const address = first.get();
    first.reset();
    first = *pictures.take(40, 30);
    EXPECT_EQ(first.get(), address);
    first.reset();
    first = *pictures.take(50, 30); // the window has another size now
    EXPECT_EQ(first->width(), 50);
    EXPECT_EQ(second->width(), 40);
}

} // namespace
} // namespace selvage
