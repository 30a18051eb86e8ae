#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/concat.h"
#include "collision/contact/crossings.h"
#include "collision/search/pair_hash.h"
#include "drawing/drawn_scene.h"
#include "geometry/topology.h"
#include "lab/benchmarks/bench_cases.h"
#include "lab/papers/papers.h"
#include "lab/papers/processor_clock.h"
#include "lab/papers/report.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/report.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

/// Particles nearer than the distance that the solver keeps, whether or not it was asked to.
std::size_t count_near_pairs(Simulation& sim) {
    const ClothModel& model = sim.model();
    const auto& settings = std::get<VerletSettings>(sim.scene().solver);
    const double distance = VerletSolver(model, settings, sim.pool()).distance();
    const PairFilter filter(model.mesh.positions, std::vector<int>(model.mass.size(), 0), model.edges, distance);
    PairLists lists(model.vertex_count());
    // A hundredth less: what stands at the distance itself is no fault.
    PairHash(model.vertex_count()).find(sim.pool(), sim.state().position, 0.99 * distance, filter, lists);
    return lists.pair_count();
}

int count_pierced(Simulation& sim) {
    return CrossingCounter()
        .count(sim.pool(), sim.model().edges, sim.model().mesh.triangles, sim.state().position)
        .count;
}

/// Where edges pass through triangles, in no order.
std::vector<Vec3> pierced_places(const Simulation& sim) {
    const std::vector<Vec3>& x = sim.state().position;
    const ClothModel& model = sim.model();
    std::vector<Vec3> places;
    ThreadPool one(1); // the callback writes into one list
    CrossingCounter().count(one, model.edges, model.mesh.triangles, x, [&](int e, int t) {
        const Vec3 p = x[model.edges[e][0]], along = x[model.edges[e][1]] - p;
        const Triangle& corner = model.mesh.triangles[t];
        const Vec3 n = doubled_area_normal(x[corner[0]], x[corner[1]], x[corner[2]]);
        places.push_back(p + dot(x[corner[0]] - p, n) / dot(along, n) * along);
        return true;
    });
    return places;
}

void mark_places(Canvas& picture, const std::vector<Vec3>& places, const RenderView& view) {
    const ViewCamera camera(view, picture.width(), picture.height());
    for (const Vec3& place : places) {
        const PicturePoint at = camera.project(place);
        if (!(at.depth > 0.0)) continue;
        picture.draw_disc(at.x, at.y, 3.5, kBlack);
        picture.draw_disc(at.x, at.y, 2.5, {255, 214, 10});
    }
}

/// Root mean square angle between neighbouring triangles [deg].
double bending_angle(const Simulation& sim) {
    const std::vector<Vec3>& x = sim.state().position;
    double sum = 0.0;
    const std::vector<Hinge> hinges = build_topology(sim.model().mesh).hinges;
    for (const Hinge& h : hinges) {
        const Vec3 n = normalized(cross(x[h.b] - x[h.a], x[h.c] - x[h.a]));
        const Vec3 m = normalized(cross(x[h.d] - x[h.a], x[h.b] - x[h.a]));
        const double angle = std::acos(std::clamp(dot(n, m), -1.0, 1.0));
        sum += angle * angle;
    }
    return std::sqrt(sum / static_cast<double>(hinges.size())) * 180.0 / std::numbers::pi;
}

Status run_until(Simulation& sim, double time) {
    while (sim.state().time < time - 1e-9 && !sim.divergence())
        sim.step_frame();
    if (sim.divergence()) return Error{sim.divergence()->text(), sim.scene().name, ErrorKind::work};
    return Done{};
}

class FuhrmannPaper : PaperReport {
public:
    FuhrmannPaper(std::filesystem::path folder, bool quiet) : PaperReport(std::move(folder), "paper fuhrmann", quiet) {}

    Status run() {
        if (Status ok = open(); !ok) return ok;
        text_ =
            "# Fuhrmann, Gross and Luckas 2003: Verlet steps, length constraints, self-collision\n\nMade by `selvage "
            "paper fuhrmann`; times are processor times of one thread. The scenes `fuhrmann-tabletop`, "
            "`fuhrmann-sphere` and `fuhrmann-drag` use the paper's "
            "step of 1/120 s, four to a frame, and its damping of 0.99.\n\n";
        if (Status ok = published(); !ok) return ok;
        using Part = Status (FuhrmannPaper::*)();
        constexpr std::array<Part, 7> kParts = {
            &FuhrmannPaper::figure_1, &FuhrmannPaper::figure_2, &FuhrmannPaper::figure_3,    &FuhrmannPaper::cost,
            &FuhrmannPaper::sweeps,   &FuhrmannPaper::factors,  &FuhrmannPaper::conservation};
        for (std::size_t p = 0; p < kParts.size(); ++p) {
            if (Status ok = (this->*kParts[p])(); !ok) return ok;
            progress_.update(static_cast<double>(p + 1) / kParts.size());
        }
        return close();
    }

private:
    static Result<Simulation> make(const std::string& scene, const std::vector<std::string>& overrides = {},
                                   int threads = 0) {
        const Result<SceneDesc> desc = load_scene(scene, overrides);
        if (!desc) return desc.error();
        return Simulation::make(*desc, threads);
    }

    static Result<int> sweeps_of(const std::string& scene) {
        const Result<SceneDesc> desc = load_scene(scene);
        if (!desc) return desc.error();
        return std::get<VerletSettings>(desc->solver).sweeps;
    }

    /// Every number the paper prints, beside ours.
    Status published() {
        std::array<std::string, 3> sweeps;
        const std::array<std::string, 3> scenes = {"fuhrmann-tabletop", "fuhrmann-sphere", "fuhrmann-drag"};
        for (std::size_t k = 0; k < scenes.size(); ++k) {
            const Result<int> count = sweeps_of(scenes[k]);
            if (!count) return count.error();
            sweeps[k] = concat(*count);
        }
        Table table{{"", "published", "ours", "difference"}, {}};
        table.rows = {
            {"step [s]", "0.0083, four to a frame", "1/120, four to a frame", "none"},
            {"frame rate [Hz]", "30, Java, one thread at 2 GHz", "30 simulated", "time to spare: see fig. 3"},
            {"damping", "0.99", "0.99 per 1/120 s", "none"},
            {"fig. 1: particles", "not given", "1027", ""},
            {"fig. 1: sweeps", "not given", sweeps[0], "all the weight hangs on a few points, where 4 stretch most"},
            {"fig. 1: bending", "not given", "0.8", "chosen by eye"},
            {"fig. 2: particles", "1600", "1600", "none: a square of 40 x 40; the published shape is not said"},
            {"fig. 2: sweeps", "more than 4", "128, the scene 8",
             "the paper wants more than fig. 3's and gives no number"},
            {"fig. 2: bending", "0.89 and 0.99", "0.89 and 0.99", "none"},
            {"fig. 3: particles", "1000", "1027", "the disc of 18 rings has 1 + 3 * 18 * 19 of them"},
            {"fig. 3: sweeps", "4", sweeps[2], "with 4 edges at the hand more than double: both are measured below"},
            {"structural factor", "not given; above 1.1 displeases", "1.01", "see the sweep over factors below"},
            {"most particles", "1600, for self-collision", "see the cost of a step",
             "linear cost and a faster machine"},
        };
        text_ += "## Published and ours\n\n";
        return save_table("published", table);
    }

    Status figure_1() {
        text_ +=
            "## Fig. 1: a round tabletop held at one end\n\nAfter 3 s, 16 sweeps (the number is not published; one end "
            "carries everything, and 4 leave it more than twice as long there: see the sweeps below). Left from the "
            "side, "
            "right from below; above with self-collision, below without. A yellow dot marks each place where an edge "
            "passes through a triangle, those inside folds too.\n\n![Fig. 1](fig1.png)\n\nPairs of particles "
            "that are not neighbours and "
            "nearer than the least distance, and edges that pass through a triangle:\n\n";
        constexpr int kSide = 400;
        constexpr double kPictured = 3.0; // [s]
        Canvas sheet(2 * kSide, 2 * kSide);
        Table table{{"time [s]", "near pairs, on", "near pairs, off", "pierced, on", "pierced, off"}, {}};
        const std::array<double, 6> times{0.5, 1.0, 2.0, kPictured, 4.0, 5.0};
        for (const double time : times)
            table.rows.push_back({fixed(time, 1), "", "", "", ""});
        for (int row = 0; row < 2; ++row) {
            Result<Simulation> sim =
                make("fuhrmann-tabletop", {concat("/solver/self_collision=", row == 0 ? "true" : "false")});
            if (!sim) return sim.error();
            for (std::size_t k = 0; k < times.size(); ++k) {
                if (Status ok = run_until(*sim, times[k]); !ok) return ok;
                table.rows[k][1 + row] = concat(count_near_pairs(*sim));
                table.rows[k][3 + row] = concat(count_pierced(*sim));
                if (times[k] != kPictured) continue;
                const RenderView side = scene_view(sim->scene());
                RenderView below = side;
                below.eye = {1.7, -0.6, 1.3};
                const std::vector<Vec3> places = pierced_places(*sim);
                const std::string with =
                    concat("self-collision ", row == 0 ? "on" : "off", ": ", places.size(), " edges through triangles");
                for (int column = 0; column < 2; ++column) {
                    Result<Canvas> drawn = pictures_.draw_particles(*sim, column == 0 ? side : below, kSide, kSide);
                    if (!drawn) return drawn.error();
                    mark_places(*drawn, places, column == 0 ? side : below);
                    drawn->draw_text(10, 10, with, kBlack);
                    drawn->draw_text(10, 28, column == 0 ? "from the side" : "from below", kBlack);
                    sheet.paste(*drawn, column * kSide, row * kSide);
                }
            }
        }
        item("fig. 1: self-collision keeps layers apart: edges through triangles at the end", "yes",
             concat(table.rows.back()[3], " with, ", table.rows.back()[4], " without"), "pictures, no number");
        if (Status ok = sheet.save_png(folder_ / "fig1.png"); !ok) return ok;
        return save_table("fig1", table);
    }

    Status figure_2() {
        constexpr int kSide = 480, kPictured = 128;
        text_ +=
            concat("## Fig. 2: 1600 particles on a sphere\n\nAfter 4 s; bending factor 0.89 (left) and 0.99 (right) as "
                   "published, nothing else changed. The print asks for more than 4 sweeps without saying how many; "
                   "pictured are ",
                   kPictured, ".\n\n![Fig. 2](fig2.png)\n\n");
        Canvas sheet(2 * kSide, kSide);
        Table table{{"bend", "sweeps", "mean frame, one thread [ms]", "rms angle between triangles [deg]",
                     "largest stretch [%]", "99.9 % of edges under [%]", "deepest point inside the sphere [m]"},
                    {}};
        int column = 0;
        for (const char* bend : {"0.89", "0.99"})
            for (const int sweeps : {8, 32, kPictured}) {
                Result<Simulation> sim =
                    make("fuhrmann-sphere", {concat("/solver/bend=", bend), concat("/solver/sweeps=", sweeps)}, 1);
                if (!sim) return sim.error();
                double ms = 0.0;
                for (int frame = 0; frame < 120 && !sim->divergence(); ++frame) {
                    const ProcessorClock clock;
                    sim->step_frame();
                    ms += clock.ms() / 120.0;
                }
                if (sim->divergence()) return Error{sim->divergence()->text(), sim->scene().name, ErrorKind::work};
                const Strain strain = measure_strain(sim->model(), sim->state());
                table.rows.push_back(
                    {bend, concat(sweeps), fixed(ms, 1), fixed(bending_angle(*sim), 1), fixed(100.0 * strain.max, 1),
                     fixed(100.0 * strain.p999, 1),
                     brief(deepest_penetration(sim->pool(), sim->colliders(), sim->state().position))});
                if (sweeps != kPictured) continue;
                Result<Canvas> picture = pictures_.draw_particles(*sim, scene_view(sim->scene()), kSide, kSide);
                if (!picture) return picture.error();
                picture->draw_text(10, 10, concat("bend ", bend), kBlack);
                sheet.paste(*picture, kSide * column++, 0);
            }
        item("fig. 2: 1600 particles on a sphere, bending 0.89 and 0.99", "yes",
             concat("largest stretch ", table.rows[2][4], " and ", table.rows[5][4], " % with ", kPictured, " sweeps, ",
                    table.rows[0][4], " and ", table.rows[3][4], " % with 8; frames of ", table.rows[2][2], " ms"),
             "pictures, no number", "1 % would take more sweeps still; the print does not say what stretch it left");
        if (Status ok = sheet.save_png(folder_ / "fig2.png"); !ok) return ok;
        return save_table("fig2", table);
    }

    Status figure_3() {
        text_ +=
            "## Fig. 3: pulled around\n\n1027 particles (published: 1000), held in the middle and pulled to and fro, "
            "every half second. The camera moves with the hand, whose place is written above.\n\n![Fig. "
            "3](fig3.png)\n\n";
        constexpr int kWidth = 300, kHeight = 300;
        const Result<int> ours = sweeps_of("fuhrmann-drag");
        if (!ours) return ours.error();
        Canvas sheet(4 * kWidth, 2 * kHeight);
        Table table{{"sweeps", "mean frame, one thread [ms]", "largest stretch at the end [%]",
                     "largest at any frame [%]", "99.9 % of edges under, at the end [%]", "rms at the end [%]"},
                    {}};
        for (const int count : {4, 16, *ours}) {
            Result<Simulation> sim = make("fuhrmann-drag", {concat("/solver/sweeps=", count)}, 1);
            if (!sim) return sim.error();
            double ms = 0.0, most = 0.0;
            for (int k = 0; k < 8; ++k) {
                for (int frame = 0; frame < 15; ++frame) {
                    const ProcessorClock clock;
                    sim->step_frame();
                    ms += clock.ms() / 120.0; // 8 x 15 frames
                    most = std::max(most, largest_strain(sim->pool(), sim->model(), sim->state()));
                }
                if (sim->divergence()) return Error{sim->divergence()->text(), "", ErrorKind::work};
                if (count != *ours) continue;
                const Vec3 hand = sim->state().position[0];
                const RenderView view{hand + Vec3{0, 0.1, 2.2}, hand + Vec3{0, -0.18, 0}, 28.0};
                Result<Canvas> picture = pictures_.draw_particles(*sim, view, kWidth, kHeight);
                if (!picture) return picture.error();
                picture->draw_text(8, 8,
                                   concat(fixed(sim->state().time, 1), " s, hand at ", fixed(hand.x, 2), ", ",
                                          fixed(hand.y, 2), ", ", fixed(hand.z, 2)),
                                   kBlack);
                sheet.paste(*picture, (k % 4) * kWidth, (k / 4) * kHeight);
            }
            const Strain strain = measure_strain(sim->model(), sim->state());
            table.rows.push_back({concat(count, count == 4       ? " (published)"
                                                : count == *ours ? " (pictured)"
                                                                 : ""),
                                  fixed(ms, 1), fixed(100.0 * strain.max, 0), fixed(100.0 * most, 0),
                                  fixed(100.0 * strain.p999, 0), fixed(100.0 * strain.rms, 1)});
        }
        item("fig. 3: 1000 particles pulled around at 30 frames/s", "yes",
             concat(table.rows.back()[0], " sweeps, frame of ", table.rows.back()[1], " ms"), "4 sweeps, 33 ms",
             "with 4 sweeps edges at the hand more than double; a faster machine does more");
        if (Status ok = save_table("fig3", table); !ok) return ok;
        text_ += concat(
            "A frame at 30 Hz has 33 ms, which the paper filled with 4 sweeps in Java on a 2 GHz Xeon. With 4 the "
            "disc is not cloth at the hand; ",
            *ours,
            " fit into the same time here, and are what the scene uses. What is left is at the edges "
            "around the held points.\n\n");
        return sheet.save_png(folder_ / "fig3.png");
    }

    /// A zigzag of eight layers, in the mean one distance apart.
    static ClothState folded(const Simulation& sim, double distance) {
        constexpr double kPanels = 8.0;
        ClothState state = sim.state();
        for (Vec3& p : state.position) {
            const double s = kPanels * (p.x / 1.2 + 0.5), panel = std::min(std::floor(s), kPanels - 1.0), t = s - panel;
            const bool back = static_cast<int>(panel) % 2 == 1;
            p = {1.2 / kPanels * (back ? 1.0 - t : t) + 1.0, p.y + distance * s, p.z};
        }
        return state;
    }

    /// Of one step [ms].
    static Result<double> time_steps(const std::vector<std::string>& overrides, const ClothState& start) {
        Result<Simulation> sim = make("fuhrmann-sphere", overrides, 1);
        if (!sim) return sim.error();
        sim->set_state(start, 0);
        sim->step();
        double fastest = 1e300;
        for (int k = 0; k < 9; ++k) {
            // Processor time: on one thread the same as time on the clock, less what other programs took.
            const ProcessorClock clock;
            sim->step();
            fastest = std::min(fastest, clock.ms());
        }
        return fastest;
    }

    Status cost() {
        text_ += "## Cost of a step\n\nOne step of `fuhrmann-sphere` with ever finer cloth on one thread, the fastest "
                 "of nine: "
                 "draped on the sphere (0.6 s after the start), and folded into eight layers one distance apart in the "
                 "mean, which then fly apart. `hash` and `hierarchy` are the two searches, `off` is without "
                 "self-collision. 8 sweeps, the scene's own, at every size: what is timed is the step, and finer "
                 "cloth would need more of them for the same stretch.\n\n";
        Table table{{"particles", "state", "hash [ms]", "hierarchy [ms]", "off [ms]"}, {}};
        Plot plot{"One step on one thread", "particles (log)", "ms (log)", true, true, {}};
        const std::array<std::string, 2> states{"draped", "folded"};
        const std::array<std::string, 3> searches{"hash", "hierarchy", "off"};
        for (const std::string& state : states)
            for (const std::string& search : searches)
                plot.series.push_back({concat(state, ", ", search), {}, {}});
        for (const int side : {32, 64, 128, 224, 317}) {
            const std::string mesh = concat("/cloths/0/mesh/grid/vertices=[", side, ",", side, "]");
            Result<Simulation> sim = make("fuhrmann-sphere", {mesh});
            if (!sim) return sim.error();
            const double distance =
                VerletSolver(sim->model(), std::get<VerletSettings>(sim->scene().solver), sim->pool()).distance();
            const ClothState crumpled = folded(*sim, distance);
            if (Status ok = run_until(*sim, 0.6); !ok) return ok;
            for (std::size_t s = 0; s < states.size(); ++s) {
                const ClothState& start = s == 0 ? sim->state() : crumpled;
                std::vector<std::string> row{concat(side * side), states[s]};
                for (std::size_t m = 0; m < searches.size(); ++m) {
                    const Result<double> time =
                        time_steps({mesh, searches[m] == "off" ? "/solver/self_collision=false"
                                                               : concat("/solver/pair_search=\"", searches[m], "\"")},
                                   start);
                    if (!time) return time.error();
                    row.push_back(brief(*time));
                    Series& series = plot.series[s * searches.size() + m];
                    series.x.push_back(side * side);
                    series.y.push_back(*time);
                }
                table.rows.push_back(row);
            }
        }
        if (Status ok = save_table("cost", table); !ok) return ok;
        Table fits{{"state", "search", "exponent", "particles at 30 frames/s"}, {}};
        for (std::size_t s = 0; s < states.size(); ++s)
            for (std::size_t m = 0; m < searches.size(); ++m) {
                const Series& series = plot.series[s * searches.size() + m];
                const double exponent = fit_exponent(series.x, series.y);
                // Four steps in 1/30 s, from the nearest measured size on the fitted slope.
                const double budget = 1000.0 / 30.0 / 4.0;
                std::size_t nearest = 0;
                for (std::size_t k = 1; k < series.y.size(); ++k)
                    if (std::abs(std::log(series.y[k] / budget)) < std::abs(std::log(series.y[nearest] / budget)))
                        nearest = k;
                const double most = series.x[nearest] * std::pow(budget / series.y[nearest], 1.0 / exponent);
                fits.rows.push_back({states[s], searches[m], fixed(exponent, 2), brief(most)});
            }
        text_ +=
            "Exponents of the cost in the number of particles, by least squares, and how many particles four steps of "
            "eight sweeps leave room for in 1/30 s on this thread. The paper stops at 1600 because self-collision "
            "takes too long beyond.\n\n";
        item("most particles with self-collision at 30 frames/s", "yes", fits.rows[0][3], "1600", "a faster machine");
        if (Status ok = save_table("exponents", fits); !ok) return ok;
        return save_plot("cost", plot);
    }

    Status sweeps() {
        text_ +=
            "## What the sweeps decide\n\n`fuhrmann-tabletop` after 3 s. The limit on stretch is 1 %; what is above it "
            "is what the sweeps did not reach, and it grows with the mesh: the paper asks for more sweeps on finer "
            "meshes.\n\n";
        Table table{{"particles", "sweeps", "largest stretch [%]", "99.9 % of edges under [%]", "rms stretch [%]"}, {}};
        for (const int rings : {9, 18, 36})
            for (const int count : {1, 4, 16, 64}) {
                Result<Simulation> sim = make("fuhrmann-tabletop", {concat("/cloths/0/mesh/disc/rings=", rings),
                                                                    concat("/solver/sweeps=", count)});
                if (!sim) return sim.error();
                if (Status ok = run_until(*sim, 3.0); !ok) return ok;
                const Strain strain = measure_strain(sim->model(), sim->state());
                table.rows.push_back({concat(sim->model().vertex_count()), concat(count), fixed(100.0 * strain.max, 1),
                                      fixed(100.0 * strain.p999, 1), fixed(100.0 * strain.rms, 1)});
            }
        return save_table("sweeps", table);
    }

    Status factors() {
        text_ +=
            "## Structural factors\n\n`fuhrmann-sphere` (8 sweeps) after 4 s with edges allowed to be longer than at "
            "rest by a factor: area over rest area of its triangles. Published: beyond 1.1 triangles are stretched "
            "too much and unevenly, and the animation displeases. Compressed edges go back to 0.95 throughout, "
            "our default.\n\n";
        Table table{
            {"factor", "rms stretch [%]", "largest stretch [%]", "area, 1 % under", "area, median", "area, 99 % under"},
            {}};
        for (const char* limit : {"0.01", "0.05", "0.1", "0.2", "0.4"}) {
            Result<Simulation> sim = make("fuhrmann-sphere", {concat("/solver/strain_limit=", limit)});
            if (!sim) return sim.error();
            if (Status ok = run_until(*sim, 4.0); !ok) return ok;
            const ClothModel& model = sim->model();
            const std::vector<Vec3>&rest = model.mesh.positions, &x = sim->state().position;
            std::vector<double> areas;
            for (const Triangle& t : model.mesh.triangles)
                areas.push_back(length(doubled_area_normal(x[t[0]], x[t[1]], x[t[2]])) /
                                length(doubled_area_normal(rest[t[0]], rest[t[1]], rest[t[2]])));
            const Strain strain = measure_strain(model, sim->state());
            table.rows.push_back({brief(1.0 + std::atof(limit)), fixed(100.0 * strain.rms, 1),
                                  fixed(100.0 * strain.max, 1), fixed(percentile(areas, 1), 2),
                                  fixed(percentile(areas, 50), 2), fixed(percentile(areas, 99), 2)});
        }
        item("structural factor 1.1 stretches unevenly: areas, 1 and 99 % under", "yes",
             concat(table.rows[2][3], " and ", table.rows[2][5]), "displeasing, no number");
        return save_table("factors", table);
    }

    Status conservation() {
        text_ +=
            "## Centre of mass\n\nThe tabletop let go, without gravity or damping, spinning and folding for 2 s. Its "
            "particles differ in mass; corrections are divided by inverse mass, so the centre of mass must move on "
            "evenly. Angular momentum is not exact: corrections act along "
            "the edges at the end of the step, which slows a rotation as backward Euler does, by 1/sqrt(1 + omega^2 "
            "h^2) per step: ";
        constexpr double kTurn = 6.0 / 120.0; // omega h
        text_ += concat(fixed(100.0 * (1.0 - std::pow(1.0 + kTurn * kTurn, -0.5 * 240.0)), 0),
                        " % in 2 s at 6 rad/s and 1/120 s.\n\n");
        Table table{{"self-collision", "lightest : heaviest", "pairs too near during the run",
                     "centre of mass off by [m]", "linear momentum, relative drift",
                     "angular momentum, relative drift"},
                    {}};
        for (const char* on : {"false", "true"}) {
            Result<Simulation> sim =
                make("fuhrmann-tabletop",
                     {concat("/solver/self_collision=", on), "/solver/damping=1", "/gravity=[0,0,0]",
                      "/cloths/0/pins=[]", "/cloths/0/velocity=[0.1,0.2,0.3]", "/cloths/0/spin=[1,0,6]"});
            if (!sim) return sim.error();
            // Bent into a scroll, so that the spin folds it.
            ClothState state = sim->state();
            for (Vec3& p : state.position)
                p.y += 0.8 * p.x * p.x;
            sim->set_state(state, 0);
            const auto [lightest, heaviest] = std::minmax_element(sim->model().mass.begin(), sim->model().mass.end());
            double mass = 0.0;
            for (const double m : sim->model().mass)
                mass += m;
            const Momentum before = measure_momentum(sim->model(), sim->state());
            const Vec3 expected = centre_of_mass(sim->model(), sim->state()) + (2.0 / mass) * before.linear;
            std::size_t near = 0;
            for (int k = 0; k < 60; ++k) {
                sim->step_frame();
                near += count_near_pairs(*sim);
            }
            if (sim->divergence()) return Error{sim->divergence()->text(), "", ErrorKind::work};
            const Momentum after = measure_momentum(sim->model(), sim->state());
            table.rows.push_back({on[0] == 't' ? "on" : "off", concat("1 : ", brief(*heaviest / *lightest)),
                                  concat(near), brief(length(centre_of_mass(sim->model(), sim->state()) - expected)),
                                  brief(length(after.linear - before.linear) / length(before.linear)),
                                  brief(length(after.angular - before.angular) / length(before.angular))});
        }
        item("centre of mass moves on evenly with self-collision: off by [m]", "yes", table.rows[1][3],
             "kept, no number");
        return save_table("conservation", table);
    }
};

} // namespace

Status reproduce_fuhrmann(const std::filesystem::path& folder, bool quiet) {
    const Status ok = FuhrmannPaper(folder, quiet).run();
    if (ok && !quiet) std::printf("wrote %s\n", (folder / "report.md").c_str());
    return ok;
}

} // namespace selvage
