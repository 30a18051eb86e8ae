// What docs/records/drawing.md shows: the same cloth by the renderer and by path tracing, in linear light.
//   look_compared FOLDER [PATHS]    writes FOLDER/SCENE-FABRIC.png (renderer, reference, difference) and prints tables
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/stopwatch.h"
#include "drawing/drawn_surface.h"
#include "render/cloth_surface.h"
#include "render/image_file.h"
#include "render/path_tracer.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

namespace selvage {
namespace {

constexpr int kWidth = 320, kHeight = 320;

std::uint8_t shown(double linear) {
    const double c = std::clamp(linear, 0.0, 1.0);
    return static_cast<std::uint8_t>(
        std::lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055)));
}

double luminance(const std::array<float, 4>& c) {
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

Status compare(const std::string& name, const std::string& fabric, const std::filesystem::path& folder, int paths) {
    const Result<SceneDesc> scene = load_scene(name, {"/cloths/0/fabric=" + fabric});
    if (!scene) return scene.error();
    Result<Simulation> sim = Simulation::make(*scene);
    if (!sim) return sim.error();
    while (sim->state().time < 2.5 && !sim->divergence())
        sim->step_frame();
    const std::vector<Vec3>& x = sim->state().position;
    const TriangleMesh& mesh = sim->model().mesh;
    std::vector<Vec3f> normals = vertex_normals(mesh, x);
    for (Vec3f& n : normals)
        n = normalized(n);
    ClothSurface body(mesh, 0, mesh.triangle_count(), {scene->cloths[0].material.thickness, 0.0});
    FabricLook fabric_look = scene->cloths[0].look;
    fabric_look.openness = 0; // the reference draws no holes
    const PreparedLook look = prepare_look(fabric_look);
    const Environment light = studio_environment();
    RenderScene picture;
    picture.cloths.push_back({&body.update(x, normals), &look});
    const RenderView view = frame_points(x, 30.0, 1.0);

    RenderSettings settings;
    settings.width = kWidth, settings.height = kHeight;
    Result<Renderer> renderer = Renderer::make(settings);
    if (!renderer) return renderer.error();
    renderer->set_environment(light);
    const Result<ImageF> ours = renderer->draw_linear(picture, view);
    if (!ours) return ours.error();
    Stopwatch clock;
    const ImageF reference = trace_paths(sim->pool(), picture.cloths, light, view, {kWidth, kHeight, paths, 6});
    const double seconds = clock.ms() / 1000;

    Image8 sheet{3 * kWidth, kHeight, std::vector<std::uint8_t>(static_cast<std::size_t>(9) * kWidth * kHeight, 255)};
    double sum_ours = 0, sum_reference = 0, square = 0;
    int count = 0;
    for (int py = 0; py < kHeight; ++py)
        for (int px = 0; px < kWidth; ++px) {
            const auto &a = ours->at(px, py), &b = reference.at(px, py);
            if (b[3] < 1.0f) continue; // wholly cloth
            const double la = luminance(a), lb = luminance(b);
            sum_ours += la, sum_reference += lb, square += (la - lb) * (la - lb);
            ++count;
            const auto put = [&](int column, double r, double g, double blue) {
                const std::size_t i = 3 * (static_cast<std::size_t>(py) * sheet.width + column * kWidth + px);
                sheet.rgb[i] = shown(r), sheet.rgb[i + 1] = shown(g), sheet.rgb[i + 2] = shown(blue);
            };
            put(0, a[0], a[1], a[2]);
            put(1, b[0], b[1], b[2]);
            put(2, 0.2 + 2 * (la - lb), 0.2, 0.2 - 2 * (la - lb)); // red: ours is brighter
        }
    const double mean = sum_reference / count;
    std::printf("| %s | %s | %.4f | %.4f | %+.1f %% | %.1f %% | %.0f |\n", name.c_str(), fabric.c_str(),
                sum_ours / count, mean, 100 * (sum_ours / sum_reference - 1), 100 * std::sqrt(square / count) / mean,
                seconds);
    return write_png(folder / (name + "-" + fabric + ".png"), sheet);
}

/// Milliseconds of a picture of 1280 x 720 that cloth fills, one sample per pixel: the median of five.
Status measure_cost() {
    std::vector<SurfaceVertex> corners;
    for (const auto& [x, y] : {std::pair{-1.0f, -1.0f}, {1.0f, -1.0f}, {1.0f, 1.0f}, {-1.0f, 1.0f}}) {
        SurfaceVertex v;
        v.position = {x, y, 0};
        v.normal = {0, 0, 1};
        v.warp = {1, 0, 0};
        v.weft = {0, 1, 0};
        v.u = x, v.v = y;
        corners.push_back(v);
    }
    const SurfaceMesh sheet{corners, {0, 1, 2, 0, 2, 3}};
    Result<Renderer> renderer = Renderer::make({.samples = 1});
    if (!renderer) return renderer.error();
    renderer->set_environment(studio_environment());
    const auto median_ms = [&](const RenderScene& scene, double distance) -> Result<double> {
        std::vector<double> ms;
        for (int k = 0; k < 6; ++k) {
            Stopwatch clock;
            const Result<Image8> image = renderer->draw(scene, {{0, 0, distance}, {0, 0, 0}, 40.0});
            if (!image) return image.error();
            if (k > 0) ms.push_back(clock.ms()); // the first compiles
        }
        std::sort(ms.begin(), ms.end());
        return ms[ms.size() / 2];
    };
    std::printf("\n%s\n\n| surface | at 1 m [ms] | at 5 cm [ms] |\n|---|---|---|\n", renderer->device().c_str());
    for (const char* name : {"", "cotton-poplin", "denim", "silk-satin", "cotton-jersey", "felt"}) {
        RenderScene scene;
        PreparedLook look;
        if (*name == 0) {
            scene.solids.push_back({&sheet});
        } else {
            const Result<Fabric> fabric = load_fabric(name);
            if (!fabric) return fabric.error();
            look = prepare_look(fabric->look);
            scene.cloths.push_back({&sheet, &look});
        }
        const Result<double> far = median_ms(scene, 1.0), near = median_ms(scene, 0.05);
        if (!far) return far.error();
        if (!near) return near.error();
        std::printf("| %s | %.0f | %.0f |\n", *name ? name : "plain GGX", *far, *near);
    }
    return Done{};
}

} // namespace
} // namespace selvage

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: look_compared FOLDER [PATHS]\n");
        return 2;
    }
    using selvage::Status;
    const auto failed = [](const Status& status) {
        if (!status) std::fprintf(stderr, "%s\n", status.error().text().c_str());
        return !status;
    };
    const int paths = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 64;
    std::printf(
        "| scene | fabric | renderer | reference | mean | pixels | reference [s] |\n|---|---|---|---|---|---|---|\n");
    for (const auto& [scene, fabric] : {std::pair{"corner-hang", "felt"},
                                        {"corner-hang", "silk-satin"},
                                        {"curtain", "cotton-poplin"},
                                        {"curtain", "denim"}})
        if (failed(selvage::compare(scene, fabric, argv[1], paths))) return 1;
    if (failed(selvage::measure_cost())) return 1;
    return 0;
}
