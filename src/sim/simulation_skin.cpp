// What a simulation does about cloth that belongs to a body.

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

namespace selvage {

Status Simulation::tie_to_skin() {
    for (std::size_t c = 0; c < scene_.cloths.size(); ++c) {
        const std::optional<SkinnedDesc>& skinned = scene_.cloths[c].skinned;
        if (!skinned) continue;
        const auto at = [&](const Error& error) {
            return scene_error(scene_, concat("/cloths/", c, "/skinned"), error);
        };
        if (skinned->collider >= static_cast<int>(colliders_.size()))
            return at({concat("names collider ", skinned->collider, "; the scene has ", colliders_.size())});
        const ClothPart& part = model_->parts[c];
        Result<SkinnedCloth> cloth = SkinnedCloth::make(*skinned, colliders_[skinned->collider], state_.position,
                                                        part.vertex_begin, part.vertex_count, chosen_[c]);
        if (!cloth) return at(cloth.error());
        skinned_.push_back(std::move(*cloth));
        const auto is_this = [&](const BodyLag& lag) { return lag.collider() == skinned->collider; };
        if (std::none_of(lags_.begin(), lags_.end(), is_this))
            lags_.emplace_back(skinned->collider, colliders_[skinned->collider].points_now.size());
    }
    reserve_held();
    return Done{};
}

/// A jump of one body in the step that ends at `time`, and what it still lags behind from one before.
std::optional<BodyJump> Simulation::jump_of(BodyLag& lag, double time, Collider& collider) const {
    lag.hold_back(time, collider);
    std::optional<BodyJump> jump;
    for (const SkinnedCloth& cloth : skinned_)
        if (!jump && cloth.collider() == lag.collider()) jump = cloth.jump_of(collider);
    if (!jump) return jump;
    lag.begin(*jump, time, collider);
    collider.before = collider.now; // it has not moved as far as contact can tell
    collider.points_before = collider.points_now;
    return jump;
}

/// A body that is somewhere else all of a sudden takes its cloth along.
void Simulation::carry_over_jumps(double time) {
    bool has_jumped = false;
    for (BodyLag& lag : lags_) {
        Collider& collider = colliders_[lag.collider()];
        const bool was_on = lag.is_on();
        const std::optional<BodyJump> jump = jump_of(lag, time, collider);
        has_jumped = has_jumped || jump;
        for (SkinnedCloth& cloth : skinned_) {
            if (cloth.collider() != lag.collider()) continue;
            if (jump) cloth.carry(*jump, edit_state());
            if (was_on || lag.is_on()) cloth.follow(collider);
        }
    }
    if (!has_jumped) return;
    solver_->reset(state_);
    contact_->forget();
    contact_->find_tangles(*pool_, state_.position, colliders());
    is_stale_ = false;
    is_tangled_ = contact_->is_tangled();
    if (backend_) backend_->upload(state_);
}

/// What bodies lag behind at the state's time, and how they moved last, follows from how they moved just before: they move so again, without cloth.
void Simulation::restore_lags() {
    const double step = step_size();
    const auto steps = static_cast<std::int64_t>(std::ceil(BodyLag::kCatchUp / step)) + 1;
    for (BodyLag& lag : lags_) {
        lag.end();
        const ColliderMotion& motion = motions_[lag.collider()];
        std::int64_t k = std::max<std::int64_t>(0, step_count_ - steps);
        Collider body = motion.at(static_cast<double>(k) * step);
        bool has_frame = false; // of the last step
        while (++k <= step_count_) {
            motion.move(body, static_cast<double>(k) * step);
            has_frame = !jump_of(lag, static_cast<double>(k) * step, body);
        }
        for (SkinnedCloth& cloth : skinned_)
            if (cloth.collider() == lag.collider()) has_frame ? cloth.set_frame(body, step) : cloth.forget_frame();
        if (!lag.is_on()) continue;
        Collider& collider = colliders_[lag.collider()];
        collider.points_now = body.points_now;
        collider.points_before = body.points_now; // nothing is moving yet
        lag.mark_held_back(collider);
        for (SkinnedCloth& cloth : skinned_)
            if (cloth.collider() == lag.collider()) cloth.follow(collider);
    }
}

} // namespace selvage
