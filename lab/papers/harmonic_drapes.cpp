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

/// Looks in columns: the whole drape above, a close view below.
Status save_looks(const std::filesystem::path& path, const std::vector<std::pair<std::string, FabricLook>>& looks,
                  double close_fov_deg) {
    Canvas sheet(static_cast<int>(looks.size()) * kSide, 2 * kSide);
    int column = 0;
    for (const auto& [name, look] : looks) {
        Result<Simulation> sim = drape(look);
        if (!sim) return sim.error();
        DrawSettings settings;
        settings.width = settings.height = kSide;
        Result<SceneDrawer> drawer = SceneDrawer::make(*sim, settings);
        if (!drawer) return drawer.error();
        const std::array<RenderView, 2> views{
            {{{0.75, 1.05, 1.0}, {0, 0.58, 0}, 40.0}, {{0.09, 0.97, 0.17}, {0.01, 0.84, 0.04}, close_fov_deg}}};
        for (int row = 0; row < 2; ++row) {
            const Result<Image8> image = drawer->draw(views[static_cast<std::size_t>(row)]);
            if (!image) return image.error();
            Canvas picture = to_canvas(*image);
            if (row == 0) picture.draw_text(10, 10, name, kBlack);
            sheet.paste(picture, column * kSide, row * kSide);
        }
        ++column;
    }
    return sheet.save_png(path);
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

Status FabricFigures::weaves(std::string& text) {
    text += "## Fig. 10: weaves\n\nPlain (1,1,1), twill (2,1,1), twill (4,1,1) and the silk-like (0,100,1); yarns of "
            "0.8 mm, from half a metre and from close by.\n\n![Fig. 10](fig10.png)\n\n";
    std::vector<std::pair<std::string, FabricLook>> looks;
    for (const IntTriple& weave : {IntTriple{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {0, 100, 1}}) {
        FabricLook look = figure_look();
        look.weave = weave;
        looks.emplace_back(concat("(", weave[0], ",", weave[1], ",", weave[2], ")"), look);
    }
    return save_looks(folder_ / "fig10.png", looks, 10.0);
}

Status FabricFigures::twists(std::string& text) {
    text +=
        "## Fig. 11: twist\n\nTwists per element 0 (filaments), 1 and 3 in a plain weave.\n\n![Fig. 11](fig11.png)\n";
    std::vector<std::pair<std::string, FabricLook>> looks;
    for (const double twist : {0.0, 1.0, 3.0}) {
        FabricLook look = figure_look();
        look.warp_colour = look.weft_colour = {0.42, 0.10, 0.06};
        look.fibre_twist = twist;
        looks.emplace_back(concat("twist ", brief(twist)), look);
    }
    return save_looks(folder_ / "fig11.png", looks, 6.0);
}

} // namespace selvage
