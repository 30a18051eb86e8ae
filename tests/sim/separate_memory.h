#pragma once

#include "sim/device.h"
#include "sim/step_backend.h"

namespace selvage {

struct CopyCounts {
    int uploads = 0, downloads = 0, steps = 0;
};

/// Stands in for a device: a state of its own that nothing else can reach, with a solver and a contact of its own. Counts
/// how often the state crosses between the two memories.
class SeparateMemory final : public StepBackend {
public:
    SeparateMemory(const Simulation& sim, CopyCounts& counts)
        : model_(sim.shared_model()), counts_(counts), pool_(1),
          solver_(make_solver(*model_, sim.scene().solver, pool_)), contact_(surface_of(sim), model_->mass),
          motion_(model_->mass.size()) {}

    void upload(const ClothState& state) override {
        ++counts_.uploads;
        state_ = saved_ = state;
        solver_->reset(state_);
        contact_.forget();
        contact_.find_tangles(pool_, state_.position);
    }
    void download(ClothState& state) override {
        ++counts_.downloads;
        state = state_;
    }
    StepOutcome step(const StepInput& input, double end_time, bool ends_frame) override {
        ++counts_.steps;
        return step_on_host({*model_, pool_, *solver_, contact_, motion_}, state_, input, end_time, ends_frame);
    }
    void save() override { saved_ = state_; }
    void restore() override { state_ = saved_; }

private:
    static ContactSurface surface_of(const Simulation& sim) {
        const ClothModel& model = sim.model();
        ContactSurface surface{model.mesh.positions, model.mesh.triangles, {}};
        for (std::size_t c = 0; c < model.parts.size(); ++c) {
            const ClothPart& part = model.parts[c];
            surface.bodies.push_back({part.vertex_begin, part.vertex_count, part.triangle_begin, part.triangle_count,
                                      sim.scene().cloths[c].contact_distance, part.material.friction,
                                      sim.scene().cloths[c].self_collision});
        }
        return surface;
    }

    std::shared_ptr<const ClothModel> model_;
    CopyCounts& counts_;
    ThreadPool pool_;
    std::unique_ptr<Solver> solver_;
    ContactStage contact_;
    std::vector<Vec3> motion_;
    ClothState state_, saved_;
};

/// A device of such memories. Refuses contact and xpbd, as a real one refuses something;
/// fails like one that is lost when `is_lost` is set.
struct StandInDevice {
    CopyCounts counts;
    int made = 0;
    bool is_lost = false;

    Device device(DeviceChoice choice) {
        return {choice, [this](const Simulation& sim) { return make(sim); }, "a stand-in"};
    }
    Result<std::unique_ptr<StepBackend>> make(const Simulation& sim);
};

/// Says, like a device, when it is lost.
class LosableMemory final : public StepBackend {
public:
    LosableMemory(const Simulation& sim, StandInDevice& device) : memory_(sim, device.counts), device_(device) {}
    void upload(const ClothState& state) override { memory_.upload(state); }
    void download(ClothState& state) override {
        if (!device_.is_lost) memory_.download(state);
    }
    StepOutcome step(const StepInput& input, double end_time, bool ends_frame) override {
        StepOutcome outcome;
        if (!device_.is_lost) outcome = memory_.step(input, end_time, ends_frame);
        if (device_.is_lost) outcome.failure = "step: the device fell off the bus";
        outcome.contact = {}; // it does not say what took its time
        return outcome;
    }
    void save() override { memory_.save(); }
    void restore() override { memory_.restore(); }

private:
    SeparateMemory memory_;
    StandInDevice& device_;
};

inline Result<std::unique_ptr<StepBackend>> StandInDevice::make(const Simulation& sim) {
    if (is_lost) return Error{"no device found", "device cuda", ErrorKind::work};
    if (!sim.colliders().empty()) return Error{"found colliders", "device cuda"};
    for (const ClothDesc& cloth : sim.scene().cloths)
        if (cloth.self_collision) return Error{"found self-collision", "device cuda"};
    if (solver_name(sim.scene().solver) == "xpbd") return Error{"found xpbd", "device cuda"};
    ++made;
    return std::unique_ptr<StepBackend>(std::make_unique<LosableMemory>(sim, *this));
}

} // namespace selvage
