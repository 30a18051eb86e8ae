// Table I and figure 12: frame rates on a GPU over the size of the net.
#include "lab/papers/harmonic_rates.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "lab/benchmarks/bench_cases.h"

namespace selvage {

namespace {

constexpr double kMass = 0.2;         // [kg]
constexpr double kStiffness = 2000.0; // [N/m], that of figure 7
constexpr int kStepsPerFrame = 100;

/// A step at which harmonic-published, the least stable of the three, stays finite: half of 1/Omega, where
/// Omega^2 = 2 sum(k)/m bounds the frequencies of a net whose points have 12 springs of at most this stiffness.
double stable_step(int side) {
    const double mass = kMass / (side * side), stiffness = kStiffness * (side - 1) / 31.0;
    return 0.5 / std::sqrt(2.0 * 12.0 * stiffness / mass);
}

/// Of a frame [ms].
Result<double> median_frame(const SolverSettings& solver, int side, int steps, int frames, const Device& device) {
    SceneDesc scene = harmonic_net(solver, kStiffness, steps * stable_step(side), side);
    scene.substeps = steps;
    Result<Simulation> sim = Simulation::make(scene, 1);
    if (!sim) return sim.error();
    if (const Status ok = move_to(device, *sim); !ok) return ok.error();
    constexpr int kWarmUp = 20;
    std::vector<double> ms;
    for (int f = 0; f < kWarmUp + frames; ++f) {
        const Stopwatch clock;
        sim->step_frame();
        if (f >= kWarmUp) ms.push_back(clock.ms());
    }
    if (sim->divergence()) return Error{sim->divergence()->text(), solver_name(solver), ErrorKind::work};
    return percentile(ms, 50.0);
}

/// "1,233,920"
std::string grouped(int number) {
    std::string text = std::to_string(number);
    for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

} // namespace

SceneDesc harmonic_net(const SolverSettings& settings, double stiffness, double dt, int side) {
    SceneDesc scene;
    scene.name = "net";
    scene.solver = settings;
    scene.dt = dt;
    scene.substeps = 1;
    ClothDesc cloth;
    cloth.name = "net";
    cloth.mesh = GridDesc{{1, 1}, {side, side}, Diagonals::alternating};
    cloth.place.rotate_deg = {-90, 0, 0};
    cloth.material.density = kMass;
    cloth.self_collision = false;                        // the paper has none
    cloth.net.stiffness_times_length = stiffness / 31.0; // the given k for structural springs
    for (const char* corner : {"top-left", "top-right"}) {
        PinDesc pin;
        pin.select = CornerName{corner};
        cloth.pins.push_back(pin);
    }
    scene.cloths.push_back(cloth);
    return scene;
}

std::string why_no_rates(const Device& device) {
    if (device.choice == DeviceChoice::cpu) return "the CPU was asked for";
    const Status ok = check_device(device);
    return ok ? "" : ok.error().text();
}

Result<std::vector<RateRow>> measure_rates(const Device& device, std::span<const PrintedRate> sizes, int frames) {
    std::vector<RateRow> rows;
    for (const PrintedRate& printed : sizes) {
        RateRow row;
        row.printed = printed;
        row.vertices = printed.side * printed.side;
        const Result<Simulation> net =
            Simulation::make(harmonic_net(HarmonicSettings{}, kStiffness, 1e-6, printed.side), 1);
        if (!net) return net.error();
        row.springs = net->model().spring_count();
        const struct {
            SolverSettings solver;
            double RateRow::* rate;
            int steps;
        } runs[] = {{HarmonicSettings{}, &RateRow::harmonic, 1},
                    {HarmonicPublishedSettings{}, &RateRow::published, 1},
                    {ImplicitJacobiSettings{}, &RateRow::jacobi, 1},
                    {HarmonicSettings{}, &RateRow::harmonic_steps, kStepsPerFrame}};
        for (const auto& run : runs) {
            const Result<double> ms = median_frame(run.solver, printed.side, run.steps, frames, device);
            if (!ms) return ms.error();
            row.*run.rate = 1e3 * run.steps / *ms;
        }
        rows.push_back(row);
    }
    return rows;
}

std::string rates_text(const Device& device, const std::vector<RateRow>& rows) {
    const RateRow& large = rows.back();
    std::string text = concat(
        "Ours: ", device.description,
        ". The print: one GTX 590 (2012) with an Intel i7 of 3.47 GHz.\n\nOne step per frame, until the device says "
        "that "
        "it is done; medians. Nothing is read back or drawn. The last column has ",
        kStepsPerFrame,
        " steps per frame, which go to the device as one graph: frames of one step are mostly the cost of starting "
        "them. 1 m x 1 m, 0.2 kg, k = 2000 N/m at 32 points a side, two corners held. The step is half of 1/Omega, so "
        "that `harmonic-published` stays finite; neither step nor stiffness changes the time.\n\n");
    text += concat(
        "| item | reproduced | ours | print | why they differ |\n|---|---|---|---|---|\n| Table I, ",
        grouped(large.vertices), " vertices | ",
        large.harmonic >= large.printed.frames_per_second ? "yes, faster" : "no, slower", " | ", brief(large.harmonic),
        " frames/s, ", brief(large.harmonic_steps), " steps/s | ", brief(large.printed.frames_per_second),
        " frames/s | another GPU; the print gives neither its steps per frame nor whether drawing counts |\n");
    text += concat("| million springs per second | - | ", brief(1e-6 * large.springs * large.harmonic_steps), " | ",
                   brief(1e-6 * large.printed.springs * large.printed.frames_per_second),
                   " per frame of unknown steps | the same; comparable where a frame was one step |\n");
    text += concat("| springs, ", grouped(large.vertices), " vertices | no | ", grouped(large.springs), " | ",
                   grouped(large.printed.springs),
                   " | ours are structural, shear and bend springs, 6 n^2 - 10 n + 2 in all; the print's net is not "
                   "stated |\n");
    text += "| fig. 12 | yes | below | falls with the size | as above |\n\n";
    text +=
        concat("The print's springs are 10 n^2 - 18 n + 8 of n points a side, for its text's 16,384 particles too, but "
               "for two rows: 40,000 vertices would have ",
               grouped(printed_springs(200)), " where it says 396,400, and 112,896 would have ",
               grouped(printed_springs(336)), " where it says 1,233,920. Both look like slips.\n\n");
    return text;
}

Table rates_table(const std::vector<RateRow>& rows) {
    Table table{{"vertices", "springs, print", "springs, ours", "print [frames/s]", "harmonic [frames/s]",
                 "harmonic-published [frames/s]", "implicit-jacobi [frames/s]",
                 concat("harmonic, ", kStepsPerFrame, " steps per frame [steps/s]")},
                {}};
    for (const RateRow& row : rows)
        table.rows.push_back({std::to_string(row.vertices), std::to_string(row.printed.springs),
                              std::to_string(row.springs), brief(row.printed.frames_per_second), fixed(row.harmonic, 0),
                              fixed(row.published, 0), fixed(row.jacobi, 0), fixed(row.harmonic_steps, 0)});
    return table;
}

Plot rates_plot(const std::vector<RateRow>& rows, bool over_springs) {
    Plot plot{concat("Fig. 12", over_springs ? "(b)" : "(a)", ": frames per second"),
              over_springs ? "springs" : "vertices",
              "frames per second (log)",
              false,
              true,
              {{"print, GTX 590", {}, {}},
               {"harmonic", {}, {}},
               {"harmonic-published", {}, {}},
               {"implicit-jacobi", {}, {}}}};
    for (const RateRow& row : rows) {
        const double rates[] = {row.printed.frames_per_second, row.harmonic, row.published, row.jacobi};
        for (std::size_t s = 0; s < plot.series.size(); ++s) {
            const int springs = s == 0 ? row.printed.springs : row.springs;
            plot.series[s].x.push_back(over_springs ? springs : row.vertices);
            plot.series[s].y.push_back(rates[s]);
        }
    }
    return plot;
}

} // namespace selvage
