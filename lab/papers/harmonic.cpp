#include <algorithm>
#include <array>
#include <cmath>

#include "base/concat.h"
#include "lab/papers/harmonic_fabric.h"
#include "lab/papers/harmonic_rates.h"
#include "lab/papers/papers.h"
#include "lab/papers/report.h"
#include "model/bare_net.h"
#include "model/measures.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

struct Method {
    std::string name;
    SolverSettings settings;
};

double rms_distance(const std::vector<Vec3>& x, const std::vector<Vec3>& y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += length_squared(x[i] - y[i]);
    return std::sqrt(sum / static_cast<double>(x.size()));
}

class HarmonicPaper : PaperReport {
public:
    HarmonicPaper(std::filesystem::path folder, bool quiet, Device device)
        : PaperReport(std::move(folder), "paper harmonic", quiet), device_(std::move(device)) {}

    /// Why Table I and fig. 12 are not in the report; empty: they are.
    const std::string& left_out() const { return left_out_; }

    Status run() {
        if (Status ok = open(); !ok) return ok;
        text_ = "# Kang and Cho 2012: harmonic oscillation\n\nMade by `selvage paper harmonic`. `explicit` is plain "
                "symplectic Euler, `harmonic-published` the paper's step without its slips, `harmonic` the filtered "
                "form. Figures 3, 5, 6 and 8 to 11 are about the woven fabric.\n\n";
        using Part = Status (HarmonicPaper::*)();
        constexpr std::array<Part, 6> kParts = {&HarmonicPaper::limits,   &HarmonicPaper::stability,
                                                &HarmonicPaper::accuracy, &HarmonicPaper::pictures,
                                                &HarmonicPaper::rates,    &HarmonicPaper::fabric};
        for (std::size_t p = 0; p < kParts.size(); ++p) {
            if (Status ok = (this->*kParts[p])(); !ok) return ok;
            progress_.update(static_cast<double>(p + 1) / kParts.size());
        }
        return close();
    }

private:
    /// Does one mass on one spring stay within twice its start over many steps of omega h?
    static bool is_stable(const SolverSettings& settings, double omega_h) {
        // omega = 10 with end 0 held
        const ClothModel model = make_net({{0, 0, 0}, {1, 0, 0}}, {1.0, 1.0}, {{0, 1, 1.0f, 100.0f}});
        ClothState state = at_rest(model);
        state.position[1].x = 1.000001;
        ThreadPool pool(1);
        const std::unique_ptr<Solver> solver = make_solver(model, settings, pool);
        Hands hand(2);
        hand.grab(0, {});
        const StepInput input = hand.input(omega_h / 10.0);
        for (int step = 0; step < 20000; ++step) {
            solver->step(state, input);
            // Near its limit symplectic Euler swings far without growing: a thousand times is growth.
            if (!(std::abs(state.position[1].x - 1.0) < 1e-3)) return false;
        }
        return true;
    }

    Status limits() {
        text_ +=
            "## One spring\n\nThe largest omega h at which one mass on one spring stays bounded, by bisection over "
            "20,000 steps. Theory: 2 for symplectic Euler; the root of x tan(x/2) = 2 for the exact impulse.\n\n";
        Table table{{"method", "largest omega h", "theory"}, {}};
        for (const auto& [method, theory] : {std::pair<Method, std::string>{{"explicit", ExplicitSettings{}}, "2"},
                                             {{"harmonic-published", HarmonicPublishedSettings{}}, "1.7207"},
                                             {{"harmonic", HarmonicSettings{}}, "none"}}) {
            double low = 0.1, high = 1e4;
            if (is_stable(method.settings, high)) {
                table.rows.push_back({method.name, "none up to 10,000", theory});
                continue;
            }
            while (high - low > 1e-4) {
                const double middle = 0.5 * (low + high);
                (is_stable(method.settings, middle) ? low : high) = middle;
            }
            table.rows.push_back({method.name, fixed(low, 4), theory});
        }
        item("the exact impulse is stable at any step", "no", concat("omega h up to ", table.rows[1][1]),
             "stable in fig. 7", "no: x tan(x/2) = 2 bounds it at 1.7207; the filtered form is");
        return save_table("limits", table);
    }

    /// "diverged" or the largest stretch after a second.
    static Result<std::string> outcome(const Method& method, double stiffness, double dt) {
        Result<Simulation> sim = Simulation::make(harmonic_net(method.settings, stiffness, dt), 1);
        if (!sim) return sim.error();
        const int steps = static_cast<int>(std::lround(1.0 / dt));
        for (int k = 0; k < steps && !sim->divergence(); ++k)
            sim->step();
        if (sim->divergence()) return concat("diverged at step ", sim->divergence()->step);
        return brief(100.0 * measure_strain(sim->model(), sim->state()).max) + " %";
    }

    Status stability() {
        text_ += "## A net with 12 springs per point\n\n1 m x 1 m, 0.2 kg, 32 x 32 points, two corners held, dropped "
                 "from the "
                 "horizontal: the largest stretch after one second, or where it diverged.\n\n";
        const std::vector<Method> methods = {{"explicit", ExplicitSettings{}},
                                             {"harmonic-published", HarmonicPublishedSettings{}},
                                             {"harmonic", HarmonicSettings{}}};
        Table table{{"k [N/m]", "step [s]"}, {}};
        for (const Method& method : methods)
            table.head.push_back(method.name);
        for (const double stiffness : {5.0, 200.0, 2000.0, 1e6})
            for (const int rate : {30, 300, 3000}) {
                std::vector<std::string> row{brief(stiffness), concat("1/", rate)};
                for (const Method& method : methods) {
                    const Result<std::string> cell = outcome(method, stiffness, 1.0 / rate);
                    if (!cell) return cell.error();
                    row.push_back(*cell);
                }
                table.rows.push_back(row);
            }
        if (Status ok = save_table("stability", table); !ok) return ok;
        text_ += "The exact impulse of each spring on its own does not make the net more stable than Euler. The filter "
                 "does, and "
                 "pays with stretch at large steps.\n\n";
        return Done{};
    }

    /// Distance from implicit-cg at a tiny step, against the step.
    Status accuracy() {
        text_ += "## Accuracy at k = 2000 N/m\n\nRoot mean square distance after 0.3 s from `implicit-cg` with sdirk2 "
                 "at 1/6000 s. "
                 "Missing points diverged.\n\n";
        const auto after = [](const SolverSettings& settings, double dt) -> Result<std::vector<Vec3>> {
            Result<Simulation> sim = Simulation::make(harmonic_net(settings, 2000.0, dt), 1);
            if (!sim) return sim.error();
            for (long k = std::lround(0.3 / dt); k > 0 && !sim->divergence(); --k)
                sim->step();
            if (sim->divergence()) return Error{sim->divergence()->text(), "", ErrorKind::work};
            return sim->state().position;
        };
        ImplicitCgSettings exact;
        exact.integrator = Integrator::sdirk2;
        exact.newton = 3;
        const Result<std::vector<Vec3>> reference = after(exact, 1.0 / 6000.0);
        if (!reference) return reference.error();
        Table table{{"step [s]", "explicit [mm]", "harmonic-published [mm]", "harmonic [mm]", "implicit-jacobi [mm]"},
                    {}};
        Plot plot{"Distance from implicit-cg after 0.3 s", "steps per second (log)", "mm (log)", true, true, {}};
        const std::vector<Method> methods = {{"explicit", ExplicitSettings{}},
                                             {"harmonic-published", HarmonicPublishedSettings{}},
                                             {"harmonic", HarmonicSettings{}},
                                             {"implicit-jacobi", ImplicitJacobiSettings{}}};
        for (const Method& method : methods)
            plot.series.push_back({method.name, {}, {}});
        for (const int rate : {60, 300, 1000, 3000, 10000, 30000}) {
            std::vector<std::string> row{concat("1/", rate)};
            for (std::size_t m = 0; m < methods.size(); ++m) {
                const Result<std::vector<Vec3>> x = after(methods[m].settings, 1.0 / rate);
                if (!x) {
                    row.push_back("diverged");
                    continue;
                }
                const double mm = 1e3 * rms_distance(*x, *reference);
                row.push_back(brief(mm));
                plot.series[m].x.push_back(rate);
                plot.series[m].y.push_back(mm);
            }
            table.rows.push_back(row);
        }
        if (Status ok = save_table("accuracy", table); !ok) return ok;
        return save_plot("accuracy", plot);
    }

    static constexpr int kSide7 = 128; ///< Of fig. 7: the print's 16,384 points.

    /// `stiffness` is that of the structural springs at kSide7 points a side.
    static Result<Simulation> net_of_figure_7(const SolverSettings& settings, double stiffness, double dt) {
        return Simulation::make(harmonic_net(settings, stiffness * 31.0 / (kSide7 - 1), dt, kSide7), 1);
    }

    /// Fig. 7: the two methods at k = 2000 and 1e6 N/m with the same step, and their distance from a much finer one.
    Status pictures() {
        constexpr int kWide = 420, kRate = 30000;
        constexpr double kMeasured = 0.2, kPictured = 0.4; // [s]
        Result<Simulation> fine = net_of_figure_7(ExplicitSettings{}, 2000.0, 0.25 / kRate);
        if (!fine) return fine.error();
        for (long k = std::lround(kMeasured * 4 * kRate); k > 0 && !fine->divergence(); --k)
            fine->step();
        if (fine->divergence()) return Error{fine->divergence()->text(), "fig. 7", ErrorKind::work};
        Canvas sheet(2 * kWide, 2 * kWide);
        const std::array<Method, 3> methods = {{{"explicit", ExplicitSettings{}},
                                                {"harmonic", HarmonicSettings{}},
                                                {"harmonic-published", HarmonicPublishedSettings{}}}};
        const RenderView view{{1.1, 0.2, 1.4}, {0, -0.38, -0.4}, 38.0};
        Table table{{"method", "k [N/m]", "distance after 0.2 s [mm]", "largest stretch after 0.4 s [%]", "end"}, {}};
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t m = 0; m < methods.size(); ++m) {
                const double stiffness = row == 0 ? 2000.0 : 1e6;
                Result<Simulation> sim = net_of_figure_7(methods[m].settings, stiffness, 1.0 / kRate);
                if (!sim) return sim.error();
                double distance = 0.0;
                for (long k = 1; k <= std::lround(kPictured * kRate) && !sim->divergence(); ++k) {
                    sim->step();
                    if (k == std::lround(kMeasured * kRate))
                        distance = 1e3 * rms_distance(sim->state().position, fine->state().position);
                }
                const std::string end = sim->divergence()
                                            ? concat("diverged at ", brief(1e3 * sim->divergence()->time), " ms")
                                            : concat(fixed(kPictured, 1), " s");
                table.rows.push_back(
                    {methods[m].name, brief(stiffness), sim->divergence() || row > 0 ? "" : brief(distance),
                     sim->divergence() ? "" : fixed(100.0 * measure_strain(sim->model(), sim->state()).max, 1), end});
                if (m > 1) continue;
                Result<Canvas> picture = pictures_.draw_particles(*sim, view, kWide, kWide);
                if (!picture) return picture.error();
                picture->draw_text(10, 10, concat(methods[m].name, "  k ", brief(stiffness), "  ", end), kBlack);
                sheet.paste(*picture, static_cast<int>(m) * kWide, static_cast<int>(row) * kWide);
            }
        describe_figure_7(table);
        if (Status ok = save_table("fig7", table); !ok) return ok;
        return sheet.save_png(folder_ / "fig7.png");
    }

    void describe_figure_7(const Table& table) {
        text_ += "## Fig. 7\n\nThe print's 16,384 points, on a square metre of 0.2 kg held at two corners, at 1/30000 "
                 "s; the "
                 "print gives neither mass nor step. Above k = 2000 N/m, below 1e6 N/m; left symplectic Euler, right "
                 "`harmonic`, after 0.4 s. A diverged cloth is shown at its last good frame. *Distance*: root mean "
                 "square from "
                 "symplectic Euler at 1/120000 s.\n\n![Fig. 7](fig7.png)\n\n";
        item("fig. 7 (c), (d): Euler diverges where harmonic stays, 16,384 points", "yes",
             concat("Euler ", table.rows[3][4], "; harmonic to the end, stretch ", table.rows[4][3], " %"),
             "16,384 points; mass and step not given");
        item("fig. 7 (a), (b): harmonic restores its shape better than Euler at k = 2000", "no",
             concat("off by ", table.rows[1][2], " mm, Euler by ", table.rows[0][2], " mm"), "pictures, no number",
             "at a step at which Euler is stable it is the more accurate: the exact impulse helps one spring, not a "
             "net");
    }

    /// Table I and fig. 12.
    Status rates() {
        text_ += "## Table I and fig. 12: frame rates on a GPU\n\n";
        left_out_ = why_no_rates(device_);
        item("table I, fig. 12: frame rates on a GPU", left_out_.empty() ? "yes" : "no",
             left_out_.empty() ? "see below" : "", "see below", left_out_.empty() ? "another GPU" : left_out_);
        if (!left_out_.empty()) {
            text_ += concat("Left out, since they are about a GPU and ", left_out_,
                            ". `selvage paper harmonic --device cuda` makes them on a machine that has one.\n\n");
            return Done{};
        }
        const Result<std::vector<RateRow>> rows = measure_rates(device_, kTableOne, 200);
        if (!rows) return rows.error();
        text_ += rates_text(device_, *rows);
        if (Status ok = save_table("table1", rates_table(*rows)); !ok) return ok;
        if (Status ok = save_plot("fig12a", rates_plot(*rows, false)); !ok) return ok;
        return save_plot("fig12b", rates_plot(*rows, true));
    }

    /// Figs. 3, 5, 6 and 8 to 11.
    Status fabric() {
        item("figs. 3, 5: distributions around perturbed normals", "yes", "pictures", "pictures");
        item("fig. 6: normal mapping against rotation", "yes", "pictures and a table", "pictures");
        item("figs. 8, 9: draped cloth", "in part", "scene twisting-ball", "pictures", "camera and cloth are ours");
        item("fig. 10: weaves", "yes", "four weaves", "four weaves");
        FabricFigures figures(folder_);
        if (Status ok = figures.distributions(text_); !ok) return ok;
        if (Status ok = figures.bumps(text_); !ok) return ok;
        if (Status ok = save_table("rotation", FabricFigures::measure_rotation()); !ok) return ok;
        if (Status ok = figures.drapes(text_); !ok) return ok;
        if (Status ok = figures.weaves(text_); !ok) return ok;
        if (Status ok = figures.snapshot(text_); !ok) return ok;
        item("fig. 1: a snapshot of animated cloth", "in part", "harmonic with the woven look", "picture",
             "cloth, motion and light are ours; a net of springs beads along its folds");
        const Result<std::string> differ = figures.twists(text_);
        if (!differ) return differ.error();
        item("fig. 11: twist", "yes", *differ, "pictures, no number",
             "from afar 1 and 3 agree by the formula: each whole number of twists spreads a fibre's normals evenly");
        return Done{};
    }

    Device device_;
    std::string left_out_;
};

} // namespace

Status reproduce_harmonic(const std::filesystem::path& folder, bool quiet, const Device& device) {
    HarmonicPaper paper(folder, quiet, device);
    const Status ok = paper.run();
    if (ok && !quiet && !paper.left_out().empty())
        std::printf("left out: Table I and fig. 12, since %s\n", paper.left_out().c_str());
    if (ok && !quiet) std::printf("wrote %s\n", (folder / "report.md").c_str());
    return ok;
}

} // namespace selvage
