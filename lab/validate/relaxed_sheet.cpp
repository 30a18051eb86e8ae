#include "lab/validate/relaxed_sheet.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace selvage {

namespace {

constexpr double kShortestStep = 0.1; // of the stable one
constexpr double kMixing = 0.1;       // fraction of the velocity that is turned downhill per iteration, at first

/// For each point a bound on the sum of its row of the stiffness matrix: with such masses a step of 1 is stable.
std::vector<double> row_bounds(const Sheet& sheet, std::size_t points) {
    std::vector<double> bound(points, 0.0);
    for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
        const MembraneTriangle& m = sheet.membrane[t];
        const std::array<double, 3> u = {std::abs(m.u1 + m.u2), std::abs(m.u1), std::abs(m.u2)};
        const std::array<double, 3> v = {std::abs(m.v1 + m.v2), std::abs(m.v1), std::abs(m.v2)};
        const double us = u[0] + u[1] + u[2], vs = v[0] + v[1] + v[2];
        for (int k = 0; k < 3; ++k)
            bound[sheet.triangles[t][k]] +=
                m.stretch_u * u[k] * us + m.stretch_v * v[k] * vs + m.shear * (u[k] + v[k]) * (us + vs);
    }
    for (std::size_t e = 0; e < sheet.elastic.size(); ++e) {
        const ElasticTriangle& m = sheet.elastic[e];
        const std::array<double, 3> size = {std::hypot(m.u1 + m.u2, m.v1 + m.v2), std::hypot(m.u1, m.v1),
                                            std::hypot(m.u2, m.v2)};
        // Twice what it is at rest: stretched to twice its length it gets stiffer.
        const double stiffness = 2.0 * (std::max(m.c11, m.c22) + m.c12 + m.c33);
        for (int k = 0; k < 3; ++k)
            bound[sheet.triangles[sheet.elastic_index[e]][k]] += stiffness * size[k] * (size[0] + size[1] + size[2]);
    }
    for (const SheetHinge& h : sheet.hinges) {
        if (h.in_plate) continue;
        double sum = 0.0;
        for (const double s : h.stencil)
            sum += std::abs(s);
        for (int k = 0; k < 4; ++k)
            bound[h.vertex[k]] += h.quadratic * std::abs(h.stencil[k]) * sum;
    }
    for (std::size_t i = 0; i + 1 < sheet.plate.start.size(); ++i)
        for (int e = sheet.plate.start[i]; e < sheet.plate.start[i + 1]; ++e)
            bound[i] += 2.0 * std::abs(sheet.plate.value[e]); // the diagonal is at most as much as the rest
    return bound;
}

/// What the plate does to a point: keeps it out, takes the force that presses on it, and rubs. Whether it touches.
bool touch(const RoundPlate& plate, Vec3& x, Vec3& v, Vec3& f) {
    const double r = std::hypot(x.x, x.z);
    if (r >= plate.radius || x.y > 0.0) return false;
    const bool beside = x.y < -0.1 * plate.radius && r > 0.5 * plate.radius; // hung down and then swung in
    const Vec3 n = beside ? Vec3{x.x / r, 0, x.z / r} : Vec3{0, 1, 0};
    if (beside)
        x = Vec3{plate.radius * n.x, x.y, plate.radius * n.z};
    else
        x.y = 0.0;
    const double pressing = dot(f, n), leaving = dot(v, n);
    if (leaving < 0.0) v -= leaving * n;
    if (pressing >= 0.0) return true;
    f -= pressing * n;
    const Vec3 slide = v - dot(v, n) * n;
    const double limit = -plate.friction * pressing, speed = length(slide), pull = length(f);
    if (pull <= limit) { // sticks, and stops what slid
        f = {};
        v -= slide;
    } else {
        f -= speed > 0.0 ? (limit / speed) * slide : (limit / pull) * f;
    }
    return true;
}

} // namespace

RelaxedSheet relax_sheet(const Sheet& sheet, std::vector<Vec3> position, std::span<const Vec3> load,
                         std::span<const std::uint8_t> is_held, double tolerance, long long most_iterations,
                         const RoundPlate& plate, const std::function<void(const RelaxedSheet&)>& watch) {
    const std::size_t n = position.size();
    std::vector<double> mass = row_bounds(sheet, n);
    const double heaviest = *std::max_element(mass.begin(), mass.end());
    for (double& m : mass)
        m = std::max(m, 1e-6 * heaviest); // loose points
    double mean_load = 0.0;
    for (const Vec3& f : load)
        mean_load += length(f) / static_cast<double>(n);

    RelaxedSheet result;
    result.position = std::move(position);
    std::vector<Vec3> force(n), velocity(n);
    std::vector<std::uint8_t> touches(n, 0);
    double step = kShortestStep, mixing = kMixing;
    int downhill = 0;
    for (; result.iterations < most_iterations; ++result.iterations) {
        std::copy(load.begin(), load.end(), force.begin());
        add_sheet_forces(sheet, result.position, 1.0, force);
        double power = 0.0, speed2 = 0.0, pull2 = 0.0, largest = 0.0; // squares in the metric of the masses
        for (std::size_t i = 0; i < n; ++i) {
            if (is_held[i]) continue;
            touches[i] = plate.radius > 0.0 && touch(plate, result.position[i], velocity[i], force[i]);
            largest = std::max(largest, length(force[i]));
            if (touches[i]) continue; // what rubs stops for its own reasons
            power += dot(force[i], velocity[i]);
            speed2 += mass[i] * length_squared(velocity[i]);
            pull2 += length_squared(force[i]) / mass[i];
        }
        result.imbalance = mean_load > 0.0 ? largest / mean_load : largest;
        if (result.imbalance < tolerance) break;
        if (watch && result.iterations % 1000 == 0) watch(result);
        if (power < 0.0) { // uphill: stop, and start again carefully
            std::fill(velocity.begin(), velocity.end(), Vec3{});
            step = std::max(kShortestStep, 0.5 * step);
            mixing = kMixing;
            downhill = 0;
            speed2 = 0.0;
        } else if (++downhill > 5) {
            step = std::min(1.0, 1.1 * step);
            mixing *= 0.99;
        }
        const double turn = pull2 > 0.0 ? mixing * std::sqrt(speed2 / pull2) : 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            if (is_held[i]) continue;
            if (!touches[i]) velocity[i] = (1.0 - mixing) * velocity[i] + (turn / mass[i]) * force[i];
            velocity[i] += (step / mass[i]) * force[i];
            result.position[i] += step * velocity[i];
        }
    }
    return result;
}

} // namespace selvage
