// What a simulation does about cloth that belongs to a body.

#include <algorithm>

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
                                                        part.vertex_begin, part.vertex_count, attached_[c]);
        if (!cloth) return at(cloth.error());
        skinned_.push_back(std::move(*cloth));
        const auto is_this = [&](const BodyLag& lag) { return lag.collider() == skinned->collider; };
        if (std::none_of(lags_.begin(), lags_.end(), is_this))
            lags_.emplace_back(skinned->collider, colliders_[skinned->collider].points_now.size());
    }
    reserve_held();
    return Done{};
}

/// A body that is somewhere else all of a sudden takes its cloth along, and has not moved as far as contact can tell.
void Simulation::carry_over_jumps(double time) {
    bool has_jumped = false;
    for (BodyLag& lag : lags_) {
        Collider& collider = colliders_[lag.collider()];
        const bool was_on = lag.is_on();
        lag.hold_back(time, collider);
        std::optional<BodyJump> jump;
        for (const SkinnedCloth& cloth : skinned_)
            if (cloth.collider() == lag.collider())
                if (const std::optional<BodyJump> own = cloth.jump_of(collider)) {
                    cloth.carry(*own, edit_state());
                    jump = own;
                }
        if (jump) lag.begin(*jump, time, collider);
        has_jumped = has_jumped || jump;
        if (was_on || lag.is_on())
            for (SkinnedCloth& cloth : skinned_)
                if (cloth.collider() == lag.collider()) cloth.follow(collider);
    }
    if (!has_jumped) return;
    for (const SkinnedCloth& cloth : skinned_) {
        Collider& collider = colliders_[cloth.collider()];
        collider.before = collider.now;
        collider.points_before = collider.points_now;
    }
    solver_->reset(state_);
    contact_->forget();
    contact_->find_tangles(*pool_, state_.position, colliders_);
    is_stale_ = false;
    is_tangled_ = contact_->is_tangled();
    if (backend_) backend_->upload(state_);
}

} // namespace selvage
