// Figures 8 to 11: the weave on draped cloth, by the renderer.
#include <array>
#include <cmath>

#include "base/concat.h"
#include "drawing/drawn_scene.h"
#include "lab/papers/harmonic_fabric.h"
#include "lab/papers/pictures.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

constexpr int kSide = 420;

/// A cloth at rest on a ball, with the given look.
Result<Simulation> drape(const FabricLook& look) {
    Result<SceneDesc> scene =
        load_scene("sphere-drape", {"/cloths/0/surface={\"pn\":{\"per_edge\":3}}", "/colliders/0/friction=0.4",
                                    "/cloths/0/mesh/grid/vertices=[41,41]"});
    if (!scene) return scene.error();
    scene->cloths[0].look = look;
    Result<Simulation> sim = Simulation::make(*scene);
    if (!sim) return sim.error();
    while (sim->state().time < 2.5 && !sim->divergence())
        sim->step_frame();
    return sim;
}

/// Looks in columns: the whole drape above, close views below it. Gives all pictures, column by column.
Result<std::vector<Image8>> save_looks(const std::filesystem::path& path,
                                       const std::vector<std::pair<std::string, FabricLook>>& looks,
                                       const std::vector<double>& close_fov_deg) {
    std::vector<RenderView> views{{{0.75, 1.05, 1.0}, {0, 0.58, 0}, 40.0}};
    for (const double fov_deg : close_fov_deg)
        views.push_back({{0.09, 0.97, 0.17}, {0.01, 0.84, 0.04}, fov_deg});
    Canvas sheet(static_cast<int>(looks.size()) * kSide, static_cast<int>(views.size()) * kSide);
    std::vector<Image8> pictures;
    for (std::size_t column = 0; column < looks.size(); ++column) {
        Result<Simulation> sim = drape(looks[column].second);
        if (!sim) return sim.error();
        DrawSettings settings;
        settings.width = settings.height = kSide;
        Result<SceneDrawer> drawer = SceneDrawer::make(*sim, settings);
        if (!drawer) return drawer.error();
        for (std::size_t row = 0; row < views.size(); ++row) {
            const Result<Image8> image = drawer->draw(views[row]);
            if (!image) return image.error();
            Canvas picture = to_canvas(*image);
            if (row == 0) picture.draw_text(10, 10, looks[column].first, kBlack);
            sheet.paste(picture, static_cast<int>(column) * kSide, static_cast<int>(row) * kSide);
            pictures.push_back(*image);
        }
    }
    if (Status ok = sheet.save_png(path); !ok) return ok.error();
    return pictures;
}

/// Mean difference of two pictures of one size, in levels of 255.
double mean_difference(const Image8& a, const Image8& b) {
    double sum = 0.0;
    for (int y = 0; y < a.height; ++y)
        for (int x = 0; x < a.width; ++x) {
            const auto p = a.at(x, y), q = b.at(x, y);
            for (std::size_t c = 0; c < p.size(); ++c)
                sum += std::abs(static_cast<int>(p[c]) - static_cast<int>(q[c])) / 3.0;
        }
    return sum / (a.width * a.height);
}

/// Blue warp with pale weft and clear highlights, so that weaves can be told apart.
FabricLook figure_look() {
    FabricLook look;
    look.yarn_width = 0.0008;
    look.yarn_curvature = 0.5;
    look.fibre_twist = 1;
    look.fibre_slope = 0.35;
    look.fibre_curvature = 0.22;
    look.roughness = {0.16, 0.4};
    look.reflectance = {0.08, 0.08, 0.08};
    look.warp_colour = {0.04, 0.10, 0.28};
    look.weft_colour = {0.20, 0.28, 0.42};
    look.colour_variation = 0.05;
    return look;
}

} // namespace

Status FabricFigures::drapes(std::string& text) {
    text += "## Figs. 8 and 9: draped cloth\n\nThe scene `twisting-ball` with smooth faces: fig. 8 the net and the "
            "cloth at 1.4 s, "
            "fig. 9 the ball as it twists.\n\n![Fig. 8](fig8.png)\n\n![Fig. 9](fig9.png)\n\n";
    Result<SceneDesc> scene =
        load_scene("twisting-ball", {"/cloths/0/surface={\"pn\":{\"per_edge\":3,\"keep_length\":false}}"});
    if (!scene) return scene.error();
    Result<Simulation> sim = Simulation::make(*scene);
    if (!sim) return sim.error();
    DrawSettings settings;
    settings.width = settings.height = kSide;
    Canvas pair(2 * kSide, kSide), row(4 * kSide, kSide);
    int column = 0;
    for (const double at : {1.4, 2.1, 2.6, 3.2, 4.0}) {
        while (sim->state().time < at - 1e-9 && !sim->divergence())
            sim->step_frame();
        if (sim->divergence()) return Error{sim->divergence()->text(), "twisting-ball", ErrorKind::work};
        for (const bool wires : {true, false}) {
            if (wires && column > 0) continue;
            settings.overlays.wireframe = wires;
            Result<SceneDrawer> drawer = SceneDrawer::make(*sim, settings);
            if (!drawer) return drawer.error();
            const Result<Image8> image = drawer->draw(drawer->view());
            if (!image) return image.error();
            if (column == 0)
                pair.paste(to_canvas(*image), wires ? 0 : kSide, 0);
            else
                row.paste(to_canvas(*image), (column - 1) * kSide, 0);
        }
        ++column;
    }
    if (Status ok = pair.save_png(folder_ / "fig8.png"); !ok) return ok;
    return row.save_png(folder_ / "fig9.png");
}

Status FabricFigures::snapshot(std::string& text) {
    text +=
        "## Fig. 1: animated cloth\n\nThe scene `twisting-ball` with 97 x 97 points and smooth faces, 2.2 s after its "
        "start, while the ball turns.\n\n![Fig. 1](fig1.png)\n\n";
    Result<SceneDesc> scene =
        load_scene("twisting-ball", {"/cloths/0/surface={\"pn\":{\"per_edge\":2,\"keep_length\":false}}",
                                     "/cloths/0/mesh/grid/vertices=[97,97]"});
    if (!scene) return scene.error();
    Result<Simulation> sim = Simulation::make(*scene);
    if (!sim) return sim.error();
    while (sim->state().time < 2.2 - 1e-9 && !sim->divergence())
        sim->step_frame();
    if (sim->divergence()) return Error{sim->divergence()->text(), "twisting-ball", ErrorKind::work};
    DrawSettings settings;
    settings.width = 1120, settings.height = 700;
    Result<SceneDrawer> drawer = SceneDrawer::make(*sim, settings);
    if (!drawer) return drawer.error();
    const Result<Image8> image = drawer->draw({{0.62, 0.92, 0.9}, {0, 0.52, 0}, 40.0});
    if (!image) return image.error();
    return to_canvas(*image).save_png(folder_ / "fig1.png");
}

Status FabricFigures::weaves(std::string& text) {
    text += "## Fig. 10: weaves\n\nPlain (1,1,1), twill (2,1,1), twill (4,1,1) and the silk-like (0,100,1); yarns of "
            "0.8 mm, from half a metre and from close by.\n\n![Fig. 10](fig10.png)\n\n";
    std::vector<std::pair<std::string, FabricLook>> looks;
    for (const IntTriple& weave : {IntTriple{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {0, 100, 1}}) {
        FabricLook look = figure_look();
        look.weave = weave;
        looks.emplace_back(concat("(", weave[0], ",", weave[1], ",", weave[2], ")"), look);
    }
    const Result<std::vector<Image8>> pictures = save_looks(folder_ / "fig10.png", looks, {10.0});
    return pictures ? Status{Done{}} : Status{pictures.error()};
}

Result<std::string> FabricFigures::twists(std::string& text) {
    text +=
        "## Fig. 11: twist\n\nTwists per element 0 (filaments), 1 and 3 in a plain weave of 0.8 mm yarns: the whole "
        "cloth, 2 cm and 5 mm of it.\n\n![Fig. 11](fig11.png)\n\n";
    std::vector<std::pair<std::string, FabricLook>> looks;
    for (const double twist : {0.0, 1.0, 3.0}) {
        FabricLook look = figure_look();
        look.warp_colour = look.weft_colour = {0.42, 0.10, 0.06};
        look.fibre_twist = twist;
        looks.emplace_back(concat("twist ", brief(twist)), look);
    }
    const Result<std::vector<Image8>> pictures = save_looks(folder_ / "fig11.png", looks, {6.0, 1.5});
    if (!pictures) return pictures.error();
    const std::array<std::string, 3> views = {"the whole cloth", "2 cm", "5 mm"};
    Table table{{"view", "twist 0 and 1 differ by [of 255]", "twist 1 and 3 differ by [of 255]"}, {}};
    for (std::size_t row = 0; row < views.size(); ++row)
        table.rows.push_back({views[row], fixed(mean_difference((*pictures)[row], (*pictures)[3 + row]), 1),
                              fixed(mean_difference((*pictures)[3 + row], (*pictures)[6 + row]), 1)});
    text += table.markdown();
    text += "Filaments keep two crossing highlights; twisted fibres scatter the light. From afar a pixel sees all of a "
            "fibre's normals, and these are spread evenly over the same range for one twist and for three.\n";
    return concat("1 and 3 differ by ", table.rows[0][2], " of 255 from afar, ", table.rows[2][2], " close by");
}

} // namespace selvage
