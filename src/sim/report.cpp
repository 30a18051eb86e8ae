#include "sim/report.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "model/roughness.h"

namespace selvage {

namespace {

std::size_t frames_in_a_second(const Simulation& sim) {
    return static_cast<std::size_t>(std::max(1.0, std::round(1.0 / sim.scene().dt)));
}

Json to_json(const Vec3& v) {
    return Json::array({v.x, v.y, v.z});
}

double rounded(double value, double step) {
    return step * std::round(value / step);
}

/// How evenly the cloth bends, and whether its cells are small enough for the folds of its fabric.
Json look_of(const ClothModel& model, const ClothState& state) {
    Json look;
    look["roughness"] = roughness(model, state.position);
    look["cloths"] = Json::array();
    for (const Resolution& r : resolutions(model)) {
        Json cloth = {{"cloth", r.cloth}, {"cell_mm", 1000.0 * r.cell}, {"fold_mm", 1000.0 * r.fold_radius}};
        if (r.is_coarse())
            cloth["coarse"] = concat("cells of ", rounded(1000.0 * r.cell, 0.1), " mm; this fabric folds at ",
                                     rounded(1000.0 * r.fold_radius, 0.1), " mm; cells of ",
                                     rounded(1000.0 * r.wanted_cell(), 0.1), " mm would resolve it");
        look["cloths"].push_back(std::move(cloth));
    }
    return look;
}

} // namespace

double percentile(std::vector<double> values, double percent) {
    if (values.empty()) return 0.0;
    const double rank = std::ceil(percent / 100.0 * static_cast<double>(values.size())) - 1.0;
    const auto index = static_cast<std::ptrdiff_t>(std::max(0.0, rank));
    std::nth_element(values.begin(), values.begin() + index, values.end());
    return values[static_cast<std::size_t>(index)];
}

std::optional<std::string> first_crossing(Simulation& sim, CrossingCounter& counter) {
    const ClothModel& model = sim.model();
    const auto cloth_of = [&](int vertex) {
        std::string name;
        for (const ClothPart& part : model.parts)
            if (vertex >= part.vertex_begin) name = part.name;
        return name;
    };
    const auto edge_text = [&](int e) {
        return concat("edge ", model.edges[e][0], "-", model.edges[e][1], " of cloth \"", cloth_of(model.edges[e][0]),
                      "\" passes through ");
    };
    const auto triangle_text = [&](int index) {
        const Triangle& t = model.mesh.triangles[index];
        return concat("triangle ", index, " (", t[0], ", ", t[1], ", ", t[2], ") of cloth \"", cloth_of(t[0]), "\"");
    };
    const auto text = [&](int count, const std::string& what) {
        return concat(count, count == 1 ? " crossing" : " crossings", " in frame ",
                      sim.step_count() / sim.scene().substeps, " (t = ", sim.state().time, " s): ", what);
    };
    const CrossingCount self = counter.count(sim.pool(), model.edges, model.mesh.triangles, sim.state().position);
    if (self.count > 0) return text(self.count, edge_text(self.first.edge) + triangle_text(self.first.triangle));
    const SolidCrossingCount solid =
        count_collider_crossings(sim.pool(), sim.colliders(), model.edges, model.mesh.triangles, sim.state().position);
    if (solid.count == 0) return std::nullopt;
    if (solid.first.edge >= 0)
        return text(solid.count, concat(edge_text(solid.first.edge), "collider ", solid.first.solid));
    return text(solid.count,
                concat(triangle_text(solid.first.triangle), " is pierced by collider ", solid.first.solid));
}

RunRecorder::RunRecorder(Simulation& sim) : RunRecorder(sim, RunHistory{sim.energy().total(), {}, {}}) {}

RunRecorder::RunRecorder(Simulation& sim, const RunHistory& history)
    : sim_(sim), threads_(sim.model()), first_energy_(history.first_energy),
      frames_per_second_(frames_in_a_second(sim)), recent_strain_(history.recent_strain),
      recent_threads_(history.recent_threads) {}

void RunRecorder::add_frame(double ms) {
    if (sim_.budget().is_on() && sim_.budget().level() == FrameBudget::kDropping) return; // nothing was simulated
    frame_ms_.push_back(ms);
    steps_ += sim_.steps_per_frame();
    contact_ += sim_.contact_stats();
    const double strain = largest_strain(sim_.pool(), sim_.model(), sim_.state());
    const double threads = threads_.largest(sim_.pool(), sim_.state().position);
    if (recent_strain_.size() < frames_per_second_) {
        recent_strain_.push_back(strain);
        recent_threads_.push_back(threads);
    } else {
        recent_strain_[next_strain_] = strain;
        recent_threads_[next_strain_] = threads;
        next_strain_ = (next_strain_ + 1) % frames_per_second_;
    }
}

RunHistory RunRecorder::history() const {
    RunHistory history{first_energy_, recent_strain_, {}, recent_threads_};
    for (std::vector<double>* ring : {&history.recent_strain, &history.recent_threads})
        std::rotate(ring->begin(), ring->begin() + static_cast<std::ptrdiff_t>(next_strain_), ring->end());
    return history;
}

Json RunRecorder::report() const {
    const ClothModel& model = sim_.model();
    const ClothState& state = sim_.state();
    const Strain strain = measure_strain(model, state);
    const ThreadStrain threads = threads_.measure(state.position);
    double recent = 0.0, recent_threads = 0.0;
    for (const double s : recent_strain_)
        recent = std::max(recent, s);
    for (const double s : recent_threads_)
        recent_threads = std::max(recent_threads, s);
    Json json;
    json["scene"] = sim_.scene().name;
    json["solver"] = solver_name(sim_.scene().solver);
    json["vertices"] = model.vertex_count();
    json["triangles"] = model.mesh.triangle_count();
    json["springs"] = model.spring_count();
    json["threads"] = sim_.pool().thread_count();
    json["dt"] = sim_.scene().dt;
    json["substeps"] = sim_.scene().substeps;
    json["steps"] = sim_.step_count();
    json["simulated_s"] = state.time;
    json["finite"] = !sim_.divergence().has_value();
    if (sim_.divergence()) json["diverged"] = sim_.divergence()->text();
    json["ms_per_frame"] = {{"median", percentile(frame_ms_, 50.0)}, {"p95", percentile(frame_ms_, 95.0)}};
    if (const FrameBudget& budget = sim_.budget(); budget.is_on())
        json["budget"] = {{"ms", budget.ms()},
                          {"level", budget.level()},
                          {"lowest_level", budget.lowest_level()},
                          {"dropped_s", sim_.dropped_seconds()}};
    json["strain"] = {{"max", strain.max},
                      {"rms", strain.rms},
                      {"p999", strain.p999},
                      {"max_last_second", recent},
                      {"compression_max", strain.compression_max},
                      {"threads_max", threads.max},
                      {"threads_rms", threads.rms},
                      {"threads_p999", threads.p999},
                      {"threads_max_last_second", recent_threads}};
    json["look"] = look_of(model, state);
    CrossingCounter counter;
    const Stopwatch counting;
    json["intersections"] = {
        {"self", counter.count(sim_.pool(), model.edges, model.mesh.triangles, state.position).count},
        {"collider",
         count_collider_crossings(sim_.pool(), sim_.colliders(), model.edges, model.mesh.triangles, state.position)
             .count}};
    const TangleCount& start = sim_.start_tangles();
    json["tangled_at_start"] = {{"cloth", start.cloth}, {"collider", start.collider}, {"inside", start.inside}};
    const double counter_ms = counting.ms();
    const double frames = std::max<double>(1.0, static_cast<double>(frame_ms_.size()));
    const double vertex_steps = std::max<double>(1.0, static_cast<double>(steps_)) * model.vertex_count();
    json["contact"] = {{"smallest_gap_mm", contact_.smallest_gap > 0.0 ? Json(1000.0 * contact_.smallest_gap) : Json()},
                       {"solid_depth_mm", 1000.0 * contact_.solid_depth},
                       {"truncated_share", static_cast<double>(contact_.truncated) / vertex_steps},
                       {"overflows", contact_.overflows},
                       {"pairs_per_frame", static_cast<double>(contact_.records) / frames},
                       {"contacts_per_frame", static_cast<double>(contact_.contacts) / frames},
                       {"listings_per_frame", static_cast<double>(contact_.listings) / frames},
                       {"detections_per_frame", static_cast<double>(contact_.searches) / frames},
                       {"ms_per_frame",
                        {{"solver", contact_.solver_ms / frames},
                         {"broad", contact_.search_ms / frames},
                         {"narrow", contact_.narrow_ms / frames},
                         {"response", contact_.response_ms / frames},
                         {"counter", counter_ms}}}};
    json["penetration_mm"] = 1000.0 * deepest_penetration(sim_.pool(), sim_.colliders(), state.position);
    json["energy_j"] = {{"first", first_energy_}, {"last", sim_.energy().total()}};
    json["momentum"] = to_json(measure_momentum(model, state).linear);
    json["state_hash"] = hex(state_hash(state));
    return json;
}

} // namespace selvage
