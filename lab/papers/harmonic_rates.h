#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "lab/papers/report.h"
#include "sim/device.h"

namespace selvage {

/// The subject of Kang and Cho 2012: a square metre of 0.2 kg held at two corners, side x side points with 12 springs
/// each inside. `stiffness`: of structural springs at 32 points a side; it grows as they get shorter.
SceneDesc harmonic_net(const SolverSettings& settings, double stiffness, double dt, int side = 32);

/// A row of Table I.
struct PrintedRate {
    int side, springs; ///< The print gives side * side.
    double frames_per_second;
};
inline constexpr std::array<PrintedRate, 6> kTableOne = {{{160, 253128, 68.1},
                                                          {176, 306600, 57.1},
                                                          {200, 396400, 47.2},
                                                          {256, 650760, 30.3},
                                                          {296, 870840, 23.1},
                                                          {336, 1233920, 15.7}}};
/// A net by 10 n^2 - 18 n + 8, which gives all but two of the springs in the print.
constexpr int printed_springs(int side) {
    return 10 * side * side - 18 * side + 8;
}

/// Ours beside the print. Frames per second of harmonic, harmonic-published and implicit-jacobi with one step per
/// frame; steps per second of harmonic with a hundred.
struct RateRow {
    PrintedRate printed{};
    int vertices = 0, springs = 0;
    double harmonic = 0.0, published = 0.0, jacobi = 0.0, harmonic_steps = 0.0;
};

/// Why frame rates cannot be measured: there is no device, or nobody wants one. Empty: they can.
std::string why_no_rates(const Device& device);
/// Medians over so many frames, each until the device is done. Nothing is read back or drawn.
Result<std::vector<RateRow>> measure_rates(const Device& device, std::span<const PrintedRate> sizes, int frames);

/// What was measured, and how the print differs; `rows` as in Table I, at least one.
std::string rates_text(const Device& device, const std::vector<RateRow>& rows);
Table rates_table(const std::vector<RateRow>& rows);
Plot rates_plot(const std::vector<RateRow>& rows, bool over_springs); ///< Fig. 12(a), and (b) over springs.

} // namespace selvage
