#include "view/grabs.h"

#include <algorithm>

#include "model/measures.h"

namespace selvage {

namespace {

std::array<Vec3, 3> offsets(const Simulation& sim, int triangle, const Vec3& point) {
    const Triangle& t = sim.model().mesh.triangles[triangle];
    const std::vector<Vec3>& x = sim.state().position;
    return {x[t[0]] - point, x[t[1]] - point, x[t[2]] - point};
}

constexpr double kYieldSpeed = 0.3; // [m/s] at most
constexpr double kBlocked = 1e-4;   // [m] between the grab and its point
constexpr double kRetryStep = 0.1;  // fraction of its step that a blocked grab tries again with

ThreadPull pull_on(const Simulation& sim, int triangle) {
    const ClothModel& model = sim.model();
    const Triangle& t = model.mesh.triangles[triangle];
    ThreadPull pull;
    Vec3 sum;
    for (const int v : t)
        for (const SpringEnd& end : model.ends_of(v)) {
            const Spring& spring = model.springs[end.spring];
            if (model.spring_kind[end.spring] != SpringKind::structural || !(spring.rest_length > 0.0f)) continue;
            if (std::find(t.begin(), t.end(), end.other) != t.end()) continue;
            const Vec3 along = sim.state().position[end.other] - sim.state().position[v];
            const double stretch = length(along) / spring.rest_length - 1.0;
            sum += std::max(0.0, stretch) * normalized(along);
            if (stretch <= pull.stretch) continue;
            pull.stretch = stretch;
        }
    pull.direction = normalized(sum);
    return pull;
}

} // namespace

Vec3 moved_towards(const Vec3& from, const Vec3& to, double seconds) {
    const double distance = length(to - from), most = kGrabSpeed * seconds;
    return distance > most ? from + (most / distance) * (to - from) : to;
}

Vec3 point_on(const ClothModel& model, const std::vector<Vec3>& positions, int triangle, const Vec3& weight) {
    const Triangle& t = model.mesh.triangles[triangle];
    return weight.x * positions[t[0]] + weight.y * positions[t[1]] + weight.z * positions[t[2]];
}

int Grabs::grab(const ClothHit& hit, Simulation& sim) {
    const Vec3 point = point_on(sim.model(), sim.state().position, hit.triangle, hit.weight);
    if (grabs_.empty())
        first_stretch_ = std::min(kYieldingStretch, largest_strain(sim.pool(), sim.model(), sim.state()));
    grabs_.push_back({next_id_, hit.triangle, hit.weight, point, point, point, false});
    offset_.push_back(offsets(sim, hit.triangle, point));
    hold_corners(sim);
    return next_id_++;
}

void Grabs::move(int id, const Vec3& target) {
    if (!is_finite(target)) return;
    for (Grab& grab : grabs_)
        if (grab.id == id) grab.target = target;
}

void Grabs::set_pinned(int id, bool pinned) {
    for (Grab& grab : grabs_)
        if (grab.id == id) grab.pinned = pinned;
}

void Grabs::release(int id, Simulation& sim) {
    for (std::size_t h = 0; h < grabs_.size(); ++h) {
        if (grabs_[h].id != id) continue;
        for (const int v : sim.model().mesh.triangles[grabs_[h].triangle])
            sim.release(v);
        grabs_.erase(grabs_.begin() + static_cast<std::ptrdiff_t>(h));
        offset_.erase(offset_.begin() + static_cast<std::ptrdiff_t>(h));
        hold_corners(sim); // corners shared with other grabs are still held
        return;
    }
}

void Grabs::release_all(Simulation& sim) {
    while (!grabs_.empty())
        release(grabs_.back().id, sim);
}

void Grabs::grab_again(Simulation& sim) {
    for (std::size_t h = 0; h < grabs_.size(); ++h) {
        const Vec3 point = point_on(sim.model(), sim.state().position, grabs_[h].triangle, grabs_[h].weight);
        offset_[h] = offsets(sim, grabs_[h].triangle, point);
        grabs_[h].at = grabs_[h].goal = point;
    }
    hold_corners(sim);
}

void Grabs::start_frame(Simulation& sim, double seconds) {
    if (grabs_.empty()) return;
    excess_stretch_ = largest_strain(sim.pool(), sim.model(), sim.state()) - first_stretch_ - kYieldingStretch;
    for (Grab& grab : grabs_)
        grab.goal = moved_towards(grab.at, grab.target, seconds);
    fraction_ = 0.0;
}

void Grabs::look(const Simulation& sim) {
    seen_.clear();
    for (const Grab& grab : grabs_) {
        const Vec3 point = point_on(sim.model(), sim.state().position, grab.triangle, grab.weight);
        const bool is_blocked = length(point - grab.at) > kBlocked;
        seen_.push_back({point, is_blocked, grab.pinned ? ThreadPull{} : pull_on(sim, grab.triangle)});
    }
}

void Grabs::advance(Simulation& sim, double fraction, double seconds) {
    if (grabs_.empty()) return;
    const double part =
        fraction_ < 1.0 ? std::min(1.0, (fraction - fraction_) / (1.0 - fraction_)) : 1.0; // of what is left
    // From a device all of the cloth has to be copied for a look: once per frame.
    const bool looks = !sim.is_on_device() || fraction_ == 0.0;
    fraction_ = fraction;
    if (looks) look(sim);
    for (std::size_t h = 0; h < grabs_.size(); ++h) {
        Grab& grab = grabs_[h];
        const Sight& seen = seen_[h];
        Vec3 step = part * (grab.goal - grab.at);
        // Cloth has blocked the corners: moving on would only press the two together.
        if (seen.is_blocked) {
            if (looks) grab.at = seen.point;
            step = grab.pinned ? Vec3{} : kRetryStep * step;
        }
        const ThreadPull& pull = seen.pull;
        if (pull.stretch > kSlowingStretch || excess_stretch_ > 0.0) {
            // The tauter the threads, the more is dropped of a step that does not lead back to the cloth.
            const double yielded =
                excess_stretch_ > 0.0
                    ? 1.0
                    : std::clamp((pull.stretch - kSlowingStretch) / (kStoppingStretch - kSlowingStretch), 0.0, 1.0);
            const Vec3 towards = std::max(0.0, dot(step, pull.direction)) * pull.direction;
            step = (1.0 - yielded) * step + yielded * towards;
            const double back = std::max(excess_stretch_, pull.stretch - kStoppingStretch);
            if (back > 0.0) step += (std::min(1.0, 5.0 * back) * kYieldSpeed * seconds) * pull.direction;
        }
        grab.at += step;
    }
    hold_corners(sim);
}

void Grabs::hold_corners(Simulation& sim) const {
    for (std::size_t h = 0; h < grabs_.size(); ++h) {
        const Triangle& t = sim.model().mesh.triangles[grabs_[h].triangle];
        for (std::size_t k = 0; k < 3; ++k)
            sim.grab(t[k], grabs_[h].at + offset_[h][k]);
    }
}

const Grab* Grabs::find(int id) const {
    const auto found = std::find_if(grabs_.begin(), grabs_.end(), [&](const Grab& grab) { return grab.id == id; });
    return found == grabs_.end() ? nullptr : &*found;
}

} // namespace selvage
