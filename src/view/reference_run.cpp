#include "view/reference_run.h"

#include <algorithm>
#include <cmath>

#include "sim/simulation.h"

namespace selvage {

ReferenceRun::ReferenceRun(SceneDesc scene, int frames_per_check) {
    choose_solver(scene, ImplicitCgSettings{});
    scene.substeps *= 4;
    thread_ = std::thread([this, scene = std::move(scene), frames_per_check] { main(scene, frames_per_check); });
}

ReferenceRun::~ReferenceRun() {
    stopping_ = true;
    thread_.join();
}

void ReferenceRun::main(const SceneDesc& scene, int frames_per_check) {
    Result<Simulation> sim = Simulation::make(scene, 1);
    if (!sim) {
        failed_ = true;
        return;
    }
    for (int check = 0; check < kMost && !stopping_; ++check) {
        {
            const std::lock_guard lock(mutex_);
            checks_.push_back(sim->state().position);
        }
        // Step by step: a frame of a fine reference takes long, and the window may be closing.
        for (int k = 0; k < frames_per_check * scene.substeps && !stopping_; ++k)
            sim->step();
        if (sim->divergence()) {
            failed_ = true;
            return;
        }
    }
}

int ReferenceRun::count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(checks_.size());
}

std::vector<Vec3> ReferenceRun::positions(int check) const {
    const std::lock_guard lock(mutex_);
    return checks_[static_cast<std::size_t>(check)];
}

LiveComparison::LiveComparison(const SceneDesc& scene, const std::vector<Vec3>& start)
    : frames_per_check_(std::max(1, static_cast<int>(std::lround(1.0 / 30.0 / scene.dt)))), own_{start},
      reference_(scene, frames_per_check_) {}

void LiveComparison::add_frame(const std::vector<Vec3>& positions) {
    if (++frames_ % frames_per_check_ == 0 && own_.size() < ReferenceRun::kMost) own_.push_back(positions);
    const std::size_t both = std::min(own_.size(), static_cast<std::size_t>(reference_.count()));
    while (errors_.size() + 1 < both) {
        const auto check = static_cast<int>(errors_.size());
        errors_.push_back(compare_motion(reference_.positions(check), reference_.positions(check + 1),
                                         own_[static_cast<std::size_t>(check)],
                                         own_[static_cast<std::size_t>(check) + 1]));
    }
}

} // namespace selvage
