#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "render/fabric_uniforms.h"
#include "render/gl_context.h"
#include "render/gl_framebuffer.h"
#include "shading/directions.h"

namespace selvage {
namespace {

constexpr int kSide = 48;

/// Queries as four pictures: views, lights, places, prints.
struct Probes {
    std::vector<Vec3> views, lights;
    std::vector<FabricSite> sites;
    std::vector<float> view_pixels, light_pixels, place_pixels, print_pixels;
    bool environment;

    explicit Probes(const FabricLook& look, bool environment_light) : environment(environment_light) {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> fraction(0, 1);
        constexpr double kSizes[] = {0.0, 0.05, 0.2, 0.35, 0.45, 1.0, 2.6, 8.0};
        const auto rounded = [](double x) { return static_cast<double>(static_cast<float>(x)); };
        for (int k = 0; k < kSide * kSide; ++k) {
            Vec3 view = random_direction(random, 0.1), light = random_direction(random, 0.05);
            if (k % 5 == 0) view.z = -view.z;
            if (k % 3 == 0) light.z = -light.z;
            views.push_back(view);
            lights.push_back(light);
            FabricSite site;
            // The shader's single precision moves the edges of yarns by 1e-5 of one: both get the same rounded numbers.
            site.uv = {rounded(20 * look.yarn_width * (fraction(random) - 0.5)),
                       rounded(20 * look.yarn_width * (fraction(random) - 0.5))};
            site.footprint = {rounded(look.yarn_width * kSizes[k % 8]), rounded(look.yarn_width * kSizes[k % 7])};
            site.print = {rounded(fraction(random)), rounded(fraction(random)), rounded(fraction(random))};
            sites.push_back(site);
            push(view_pixels, view, 0);
            push(light_pixels, light, environment ? 1 : 0);
            for (const double x : {site.uv.x, site.uv.y, site.footprint.x, site.footprint.y})
                place_pixels.push_back(static_cast<float>(x));
            push(print_pixels, site.print, 1);
        }
    }

    Vec3 expected(const PreparedLook& prepared, std::size_t k) const {
        if (!environment) return fabric_radiance(prepared, sites[k], views[k], lights[k]);
        FabricSurroundings around{{1.0, 1.5, 2.0}, {0.5, 0.3, 0.1}, {}};
        for (const FabricMirror& mirror : fabric_mirrors(prepared, sites[k], views[k].z < 0))
            around.reflected += (Vec3{0.5, 0.5, 0.5} + mirror.normal * 0.5) * (mirror.weight * mirror.roughness);
        return fabric_environment(prepared, sites[k], views[k], around);
    }

private:
    static void push(std::vector<float>& pixels, const Vec3& v, double w) {
        for (const double x : {v.x, v.y, v.z, w})
            pixels.push_back(static_cast<float>(x));
    }
};

ImageF draw_probes(GlDialect dialect, const PreparedLook& prepared, const Probes& probes) {
    Result<GlProgram> program = GlProgram::make(dialect, "fill_screen.vert.glsl", "fabric_probe.frag.glsl");
    EXPECT_TRUE(program) << program.error().text();
    if (!program) return {};
    const GlFramebuffer target(kSide, kSide, PixelFormat::rgba32f);
    target.clear(0, 0, 0, 0);
    program->use();
    set_fabric(*program, prepared);
    const auto texture = [](const std::vector<float>& pixels) {
        return GlTexture::from_float_rgba(kSide, kSide, pixels, PixelFormat::rgba32f);
    };
    const GlTexture views = texture(probes.view_pixels), lights = texture(probes.light_pixels),
                    places = texture(probes.place_pixels), prints = texture(probes.print_pixels);
    program->set_texture("u_views", views, 0);
    program->set_texture("u_lights", lights, 1);
    program->set_texture("u_places", places, 2);
    program->set_texture("u_prints", prints, 3);
    draw_screen();
    EXPECT_TRUE(check_gl("probes"));
    return target.read_float();
}

std::vector<std::pair<std::string, FabricLook>> looks() {
    FabricLook twill;
    twill.weave = {1, 3, 1};
    twill.warp_colour = {0.1, 0.2, 0.5};
    twill.weft_colour = {0.8, 0.8, 0.7};
    twill.translucency = 0.3;
    FabricLook satin;
    satin.weave = {1, 4, 2};
    satin.model = LobeModel::ward;
    satin.fibre_twist = 0;
    satin.roughness = {0.15, 0.5};
    satin.back_tint = {0.5, 0.7, 0.9};
    FabricLook knit;
    knit.construction = Construction::knit;
    knit.weave = {0, 1, 1};
    knit.sheen_colour = {0.3, 0.2, 0.1};
    knit.yarn_curvature = 0.4;
    FabricLook felt;
    felt.construction = Construction::felt;
    felt.weave = {0, 0, 0};
    felt.yarn_curvature = 0;
    felt.sheen_colour = {0.2, 0.2, 0.3};
    felt.sheen_roughness = 0.3;
    felt.colour_variation = 0.3;
    FabricLook weft_faced = twill;
    weft_faced.weave = {4, 1, 1};
    weft_faced.groove = 0.8;
    return {{"twill", twill}, {"weft-faced", weft_faced}, {"satin", satin}, {"knit", knit}, {"felt", felt}};
}

class FabricShader : public testing::TestWithParam<GlDialect> {};

INSTANTIATE_TEST_SUITE_P(BothDialects, FabricShader, testing::Values(GlDialect::desktop_33, GlDialect::es_30),
                         [](const auto& param) { return param.param == GlDialect::es_30 ? "es30" : "desktop33"; });

TEST_P(FabricShader, GivesTheTwinsNumbers) {
    Result<GlContext> context = GlContext::make(GetParam());
    ASSERT_TRUE(context) << context.error().text();
    for (const auto& [name, look] : looks())
        for (const bool environment : {false, true}) {
            SCOPED_TRACE(name + (environment ? ", surroundings" : ", light"));
            const PreparedLook prepared = prepare_look(look);
            const Probes probes(look, environment);
            const ImageF image = draw_probes(GetParam(), prepared, probes);
            ASSERT_EQ(image.width, kSide);
            double worst = 0;
            for (int k = 0; k < kSide * kSide; ++k) {
                const auto pixel = image.at(k % kSide, kSide - 1 - k / kSide); // row 0 of a texture is the bottom
                const Vec3 twin = probes.expected(prepared, static_cast<std::size_t>(k));
                // As on a screen where a white sheet in full light is white; what is brighter, by its own size.
                for (const auto& [drawn, exact] :
                     {std::pair{pixel[0], twin.x}, std::pair{pixel[1], twin.y}, std::pair{pixel[2], twin.z}})
                    worst = std::max(worst, std::abs(drawn - exact) * kTestPi / std::max(1.0, kTestPi * exact));
            }
            EXPECT_LE(worst, 1.0 / 255);
            RecordProperty(name + (environment ? "_surroundings" : "_light") + "_in_255ths",
                           std::to_string(worst * 255));
        }
}

} // namespace
} // namespace selvage
