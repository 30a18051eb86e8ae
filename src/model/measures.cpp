#include "model/measures.h"

#include <algorithm>
#include <cmath>

#include "model/membrane.h"

namespace selvage {

namespace {

/// Rest lengths are the edges' own: edges outlive the choice of springs. Edges without length have no strain.
double edge_strain(const ClothModel& model, const ClothState& state, std::size_t edge) {
    const auto [a, b] = model.edges[edge];
    const double rest = model.edge_length[edge];
    return rest > 1e-12 ? length(state.position[b] - state.position[a]) / rest - 1.0 : 0.0;
}

double stretch_that_most_stay_under(std::vector<double>& stretch) {
    const std::size_t rank = std::min(stretch.size() - 1, stretch.size() * 999 / 1000);
    std::nth_element(stretch.begin(), stretch.begin() + static_cast<std::ptrdiff_t>(rank), stretch.end());
    return stretch[rank];
}

} // namespace

Strain measure_strain(const ClothModel& model, const ClothState& state) {
    std::vector<double> stretch;
    stretch.reserve(model.edges.size());
    Strain result;
    double squares = 0.0;
    for (std::size_t edge = 0; edge < model.edges.size(); ++edge) {
        const double strain = edge_strain(model, state, edge);
        const double positive = std::max(0.0, strain);
        stretch.push_back(positive);
        squares += positive * positive;
        result.max = std::max(result.max, positive);
        result.compression_max = std::max(result.compression_max, -strain);
    }
    if (stretch.empty()) return result;
    result.rms = std::sqrt(squares / static_cast<double>(stretch.size()));
    result.p999 = stretch_that_most_stay_under(stretch);
    return result;
}

double largest_strain(ThreadPool& pool, const ClothModel& model, const ClothState& state) {
    return pool
        .sum<Largest>(static_cast<int>(model.edges.size()),
                      [&](int e) { return Largest{edge_strain(model, state, static_cast<std::size_t>(e))}; })
        .value;
}

ThreadGauge::ThreadGauge(const ClothModel& model) {
    for (const ClothPart& part : model.parts)
        for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t) {
            const RestTriangle rest = rest_triangle(model.mesh, part.rest, t);
            const MembraneTriangle m = make_membrane_triangle(rest.e1, rest.e2, 1.0, 1.0, 1.0);
            if (m.stretch_u > 0.0) elements_.push_back({model.mesh.triangles[t], m.u1, m.v1, m.u2, m.v2});
        }
}

double ThreadGauge::stretch(const Element& element, const std::vector<Vec3>& position) {
    const auto& [a, b, c] = element.vertex;
    const Vec3 e1 = position[b] - position[a], e2 = position[c] - position[a];
    return std::max(length(element.u1 * e1 + element.u2 * e2), length(element.v1 * e1 + element.v2 * e2)) - 1.0;
}

ThreadStrain ThreadGauge::measure(const std::vector<Vec3>& position) const {
    ThreadStrain result;
    if (elements_.empty()) return result;
    std::vector<double> all;
    all.reserve(elements_.size());
    double squares = 0.0;
    for (const Element& element : elements_) {
        const double positive = std::max(0.0, stretch(element, position));
        all.push_back(positive);
        squares += positive * positive;
        result.max = std::max(result.max, positive);
    }
    result.rms = std::sqrt(squares / static_cast<double>(all.size()));
    result.p999 = stretch_that_most_stay_under(all);
    return result;
}

double ThreadGauge::largest(ThreadPool& pool, const std::vector<Vec3>& position) const {
    return pool
        .sum<Largest>(static_cast<int>(elements_.size()),
                      [&](int e) { return Largest{stretch(elements_[e], position)}; })
        .value;
}

double spring_energy(const Spring& spring, std::span<const Vec3> position) {
    const double extension = length(position[spring.b] - position[spring.a]) - spring.rest_length;
    return 0.5 * spring.stiffness * extension * extension;
}

double kinetic_energy(const ClothModel& model, const ClothState& state) {
    double sum = 0.0;
    for (int i = 0; i < model.vertex_count(); ++i)
        sum += 0.5 * model.mass[i] * length_squared(state.velocity[i]);
    return sum;
}

Energy measure_energy(const ClothModel& model, const ClothState& state, const Vec3& gravity) {
    Energy energy;
    energy.kinetic = kinetic_energy(model, state);
    for (int i = 0; i < model.vertex_count(); ++i)
        energy.gravity -= model.mass[i] * dot(gravity, state.position[i]);
    for (const Spring& s : model.springs)
        energy.elastic += spring_energy(s, state.position);
    return energy;
}

Vec3 centre_of_mass(const ClothModel& model, const ClothState& state) {
    Vec3 sum;
    double mass = 0.0;
    for (int i = 0; i < model.vertex_count(); ++i) {
        sum += model.mass[i] * state.position[i];
        mass += model.mass[i];
    }
    return sum / mass;
}

Momentum measure_momentum(const ClothModel& model, const ClothState& state) {
    const Vec3 centre = centre_of_mass(model, state);
    Momentum momentum;
    for (int i = 0; i < model.vertex_count(); ++i) {
        const Vec3 p = model.mass[i] * state.velocity[i];
        momentum.linear += p;
        momentum.angular += cross(state.position[i] - centre, p);
    }
    return momentum;
}

MotionError compare_motion(const std::vector<Vec3>& reference_before, const std::vector<Vec3>& reference_after,
                           const std::vector<Vec3>& before, const std::vector<Vec3>& after) {
    MotionError sum;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Vec3 reference = reference_after[i] - reference_before[i], moved = after[i] - before[i];
        const double reference_squared = length_squared(reference);
        if (!(reference_squared > 0.0)) continue;
        sum.error += length_squared(reference - moved) / reference_squared;
        const double moved_squared = length_squared(moved), product = dot(reference, moved);
        if (moved_squared > 0.0) sum.similarity += product * product / (reference_squared * moved_squared);
    }
    const double n = static_cast<double>(before.size());
    return {sum.error / n, sum.similarity / n};
}

} // namespace selvage
