// Figures 3 to 5: the filter, the law of a limited spring, and one step with a grabbed point before and after the limit.
#include <array>
#include <cmath>

#include "base/concat.h"
#include "lab/papers/desbrun.h"
#include "model/bare_net.h"
#include "model/measures.h"
#include "sim/simulation.h"

namespace selvage {

using namespace desbrun;

namespace {

/// The middle row of W = (I - h^2/m H)^-1 for a chain of points: how a force on the middle point is shared out. By the
/// solver's own factor: A y = m e, with A = m - h^2 H, is W e.
std::vector<double> middle_of_filter(int points, double h2_k_over_m) {
    std::vector<Vec3> place;
    std::vector<Spring> springs;
    for (int i = 0; i < points; ++i) {
        place.push_back({0.1 * i, 0, 0});
        if (i > 0) springs.push_back({i - 1, i, 0.1f, 1.0f});
    }
    const ClothModel model = make_net(place, std::vector<double>(static_cast<std::size_t>(points), 1.0), springs);
    HeldFactor factor(model, FactorKind::dense);
    factor.factor(std::vector<double>(springs.size(), h2_k_over_m), std::vector<std::uint8_t>(place.size(), 0));
    std::vector<Vec3> b(place.size()), y(place.size());
    b[place.size() / 2].x = 1.0;
    ThreadPool pool(1);
    factor.solve(pool, b, y);
    std::vector<double> row;
    for (const Vec3& p : y)
        row.push_back(p.x);
    return row;
}

/// How far a mass hangs below its spring's rest length when it has come to rest [m].
double hanging_stretch(const FilterSettings& settings, double mass, double stiffness, double load) {
    const ClothModel model =
        make_net({{0, 0, 0}, {0, -1, 0}}, {mass, mass}, {{0, 1, 1.0f, static_cast<float>(stiffness)}});
    ClothState state = at_rest(model);
    ThreadPool pool(1);
    const std::unique_ptr<Solver> solver = make_solver(model, settings, pool);
    Hands hand(2);
    hand.grab(0, {});
    for (int step = 0; step < 3000; ++step)
        solver->step(state, hand.input(kStep, {0, -load / mass, 0}));
    return -state.position[1].y - 1.0;
}

} // namespace

Status DesbrunPaper::filter_rows() {
    constexpr int kPoints = 41;
    text_ += concat(
        "## Fig. 3: a filter\n\nThe middle row of W for a chain of ", kPoints,
        " points on a line, by the solver's own factor: how a force on the middle point is shared out among all. For a "
        "chain longer than the filter is wide the closed form is W_ij = (1 - r)/(1 + r) r^|i-j| with r + 1/r = 2 + "
        "m/(h^2 "
        "k); for one much shorter 1/n.\n\n");
    Plot plot{"Fig. 3: a row of the filter", "mass point", "weight", false, false, {}};
    Table table{{"h^2 k / m", "the point's own weight", "closed form", "sum of the row", "the weight at the end"}, {}};
    for (const double a : {1e-3, 10.0, 1e5}) {
        const std::vector<double> row = middle_of_filter(kPoints, a);
        Series series{concat("h^2 k / m = ", brief(a)), {}, row};
        double sum = 0.0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            series.x.push_back(static_cast<double>(i));
            sum += row[i];
        }
        plot.series.push_back(series);
        const double half = 1.0 + 0.5 / a, r = half - std::sqrt(half * half - 1.0);
        table.rows.push_back(
            {brief(a), fixed(row[kPoints / 2], 4),
             std::pow(r, kPoints / 2) > 0.5 ? fixed(1.0 / kPoints, 4) : fixed((1.0 - r) / (1.0 + r), 4), fixed(sum, 9),
             brief(row.front())});
    }
    item("fig. 3: a typical filter and its two extremes", "yes",
         concat("own weight ", table.rows[0][1], ", ", table.rows[1][1], ", ", table.rows[2][1], "; rows sum to 1"),
         "a drawing, no number", "a chain of 41 points: the print's is not stated");
    if (Status ok = save_plot("fig3", plot); !ok) return ok;
    if (Status ok = save_table("fig3", table); !ok) return ok;
    text_ += concat("Loose springs leave the force where it is (explicit Euler); very stiff ones share it evenly, 1/",
                    kPoints, " each, which moves the chain as one body.\n\n");
    return Done{};
}

Status DesbrunPaper::limited_spring() {
    constexpr double kMass = 0.01, kStiffness = 20.0, kLimit = 0.1;
    text_ += "## Fig. 4: force and displacement\n\nA mass of 10 g on a spring of 20 N/m and 1 m, loaded more and more "
             "and left to come to rest at 0.02 s; stretch limited to 10 %. `filter_gravity` has the load inside the "
             "filter.\n\n";
    Plot plot{"Fig. 4: the spring that the method makes", "displacement [m]", "force [N]", false, false, {}};
    Table table{{"force [N]", "Hooke's law [m]", "no limit [m]", "limit 10 % [m]", "limit, load inside the filter [m]"},
                {}};
    const std::array<std::string, 3> names = {"no limit", "limit 10 %", "limit 10 %, load inside"};
    for (const std::string& name : names)
        plot.series.push_back({name, {}, {}});
    plot.series.push_back({"Hooke's law", {}, {}, true, false});
    for (int k = 0; k <= 16; ++k) {
        const double load = 0.25 * k;
        std::vector<std::string> row{fixed(load, 2), fixed(load / kStiffness, 4)};
        for (std::size_t m = 0; m < names.size(); ++m) {
            FilterSettings settings;
            settings.strain_limit = m == 0 ? 0.0 : kLimit;
            settings.filter_gravity = m == 2;
            const double stretch = hanging_stretch(settings, kMass, kStiffness, load);
            row.push_back(fixed(stretch, 4));
            plot.series[m].x.push_back(stretch);
            plot.series[m].y.push_back(load);
        }
        plot.series[3].x.push_back(load / kStiffness);
        plot.series[3].y.push_back(load);
        if (k % 2 == 0) table.rows.push_back(row);
    }
    item("fig. 4: force and displacement of a limited spring", "yes",
         concat("linear to ", table.rows.back()[3], " m, then vertical"), "a drawing, no number",
         "with the load outside the filter, as printed, a spring at a held point stretches by h^2/m of it more");
    if (Status ok = save_plot("fig4", plot); !ok) return ok;
    if (Status ok = save_table("fig4", table); !ok) return ok;
    text_ +=
        "As the print draws it: proportional up to the limit and vertical from there on. With the load outside the "
        "filter, as printed, a spring at a held point is softer, by 1/k + h^2/m instead of 1/k: here 0.09 instead of "
        "0.05 m for a newton.\n\n";
    return Done{};
}

Status DesbrunPaper::grabbed_point() {
    constexpr int kPoints = 20, kWide = 520, kHigh = 360;
    text_ += "## Fig. 5: a grabbed point\n\nA square metre of 20 x 20 points and 20 N/m lies flat, 0.2 kg, one corner "
             "held; a hand lifts a point in its middle by 20 cm within one step of 0.02 s. Left after that step, right "
             "with the stretch limited to 5 % after it.\n\n![Fig. 5](fig5.png)\n\n";
    Canvas sheet(2 * kWide, kHigh);
    Table table{{"limit", "rounds at most", "largest stretch after the step [%]"}, {}};
    for (int column = 0; column < 2; ++column) {
        FilterSettings settings;
        settings.strain_limit = column == 0 ? 0.0 : 0.05;
        settings.strain_passes = 2000;
        SceneDesc scene = sheet_scene(settings, {kPoints, kPoints});
        scene.cloths[0].net.stiffness_times_length = 20.0 / (kPoints - 1);
        Result<Simulation> sim = Simulation::make(scene, 1);
        if (!sim) return sim.error();
        const ClothModel& model = sim->model();
        const std::unique_ptr<Solver> solver = make_solver(model, settings, sim->pool());
        ClothState state = sim->state();
        Hands hands(model.vertex_count());
        hands.grab(0, state.position[0]);
        const int middle = (kPoints / 2) * kPoints + kPoints / 2;
        hands.grab(middle, state.position[middle] + Vec3{0, 0.2, 0});
        solver->step(state, hands.input(kStep, kDown));
        const RenderView view{{0.62, 0.42, 0.95}, {0, 0.05, 0}, 40.0};
        Result<Canvas> drawn = pictures_.draw_net(model.mesh, state.position, view, kWide, kHigh);
        if (!drawn) return drawn.error();
        const double stretch = percent(largest_strain(sim->pool(), model, state));
        drawn->draw_text(10, 10, column == 0 ? "after one step" : "after the limit", kBlack);
        drawn->draw_text(10, 28, concat("largest stretch ", fixed(stretch, 1), " %"), kBlack);
        sheet.paste(*drawn, column * kWide, 0);
        table.rows.push_back(
            {column == 0 ? "none" : "5 %", column == 0 ? "-" : concat(settings.strain_passes), fixed(stretch, 1)});
    }
    item("fig. 5: one step with a grabbed point, before and after the limit", "yes",
         concat("stretch ", table.rows[0][2], " % before, ", table.rows[1][2], " % after"), "pictures, no number",
         "sheet, hand and limit are ours");
    if (Status ok = save_table("fig5", table); !ok) return ok;
    return sheet.save_png(folder_ / "fig5.png");
}

} // namespace selvage
