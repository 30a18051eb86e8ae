#include "view/hands.h"

#include <algorithm>

#include "model/measures.h"

namespace selvage {

namespace {

std::array<Vec3, 3> offsets(const Simulation& sim, int triangle, const Vec3& point) {
    const Triangle& t = sim.model().mesh.triangles[triangle];
    const std::vector<Vec3>& x = sim.state().position;
    return {x[t[0]] - point, x[t[1]] - point, x[t[2]] - point};
}

constexpr double kGivesWay = 0.3; // [m/s] at most
constexpr double kHeldUp = 1e-4;  // [m] off its place
constexpr double kCautious = 0.1; // share of its step that a hand tries again with

/// How the threads that leave a held triangle pull at it.
struct Pull {
    double stretch = 0.0; // the largest
    Vec3 direction;       // towards the cloth; unit, or zero when nothing pulls
};

Pull pull_on(const Simulation& sim, int triangle) {
    const ClothModel& model = sim.model();
    const Triangle& t = model.mesh.triangles[triangle];
    Pull pull;
    Vec3 sum;
    for (const int v : t)
        for (const SpringEnd& end : model.ends_of(v)) {
            const Spring& spring = model.springs[end.spring];
            if (model.spring_kind[end.spring] != SpringKind::structural || !(spring.rest_length > 0.0f)) continue;
            if (std::find(t.begin(), t.end(), end.other) != t.end()) continue;
            const Vec3 way = sim.state().position[end.other] - sim.state().position[v];
            const double stretch = length(way) / spring.rest_length - 1.0;
            sum += std::max(0.0, stretch) * normalized(way);
            if (stretch <= pull.stretch) continue;
            pull.stretch = stretch;
        }
    pull.direction = normalized(sum);
    return pull;
}

} // namespace

Vec3 within_reach(const Vec3& from, const Vec3& to, double seconds) {
    const double way = length(to - from), most = kFastestHand * seconds;
    return way > most ? from + (most / way) * (to - from) : to;
}

Vec3 point_on(const ClothModel& model, const std::vector<Vec3>& positions, int triangle, const Vec3& weight) {
    const Triangle& t = model.mesh.triangles[triangle];
    return weight.x * positions[t[0]] + weight.y * positions[t[1]] + weight.z * positions[t[2]];
}

int HandsOnCloth::take(const ClothHit& hit, Simulation& sim) {
    const Vec3 point = point_on(sim.model(), sim.state().position, hit.triangle, hit.weight);
    if (hands_.empty()) calm_ = std::min(kOverstretched, largest_strain(sim.pool(), sim.model(), sim.state()));
    hands_.push_back({next_id_, hit.triangle, hit.weight, point, point, point, false});
    offset_.push_back(offsets(sim, hit.triangle, point));
    hold(sim);
    return next_id_++;
}

void HandsOnCloth::move(int id, const Vec3& target) {
    if (!is_finite(target)) return;
    for (Hand& hand : hands_)
        if (hand.id == id) hand.target = target;
}

void HandsOnCloth::set_pinned(int id, bool pinned) {
    for (Hand& hand : hands_)
        if (hand.id == id) hand.pinned = pinned;
}

void HandsOnCloth::let_go(int id, Simulation& sim) {
    for (std::size_t h = 0; h < hands_.size(); ++h) {
        if (hands_[h].id != id) continue;
        for (const int v : sim.model().mesh.triangles[hands_[h].triangle])
            sim.release(v);
        hands_.erase(hands_.begin() + static_cast<std::ptrdiff_t>(h));
        offset_.erase(offset_.begin() + static_cast<std::ptrdiff_t>(h));
        hold(sim); // corners shared with other hands are still held
        return;
    }
}

void HandsOnCloth::let_go_of_all(Simulation& sim) {
    while (!hands_.empty())
        let_go(hands_.back().id, sim);
}

void HandsOnCloth::take_again(Simulation& sim) {
    for (std::size_t h = 0; h < hands_.size(); ++h) {
        const Vec3 point = point_on(sim.model(), sim.state().position, hands_[h].triangle, hands_[h].weight);
        offset_[h] = offsets(sim, hands_[h].triangle, point);
        hands_[h].at = hands_[h].goal = point;
    }
    hold(sim);
}

void HandsOnCloth::start_frame(Simulation& sim, double seconds) {
    if (hands_.empty()) return;
    over_ = largest_strain(sim.pool(), sim.model(), sim.state()) - calm_ - kOverstretched;
    for (Hand& hand : hands_)
        hand.goal = within_reach(hand.at, hand.target, seconds);
    share_ = 0.0;
}

void HandsOnCloth::carry(Simulation& sim, double share, double seconds) {
    const double part = share_ < 1.0 ? std::min(1.0, (share - share_) / (1.0 - share_)) : 1.0; // of what is left
    share_ = share;
    for (std::size_t h = 0; h < hands_.size(); ++h) {
        Hand& hand = hands_[h];
        Vec3 step = part * (hand.goal - hand.at);
        // Cloth in the way has held the corners up: pushing on would only press them together.
        const Vec3 reached = point_on(sim.model(), sim.state().position, hand.triangle, hand.weight);
        if (length(reached - hand.at) > kHeldUp) {
            hand.at = reached;
            step = hand.pinned ? Vec3{} : kCautious * step;
        }
        const Pull pull = hand.pinned ? Pull{} : pull_on(sim, hand.triangle);
        if (pull.stretch > kTaut || over_ > 0.0) {
            // What leads anywhere but back to the cloth is given up more and more.
            const double give = over_ > 0.0 ? 1.0 : std::clamp((pull.stretch - kTaut) / (kTautest - kTaut), 0.0, 1.0);
            const Vec3 towards = std::max(0.0, dot(step, pull.direction)) * pull.direction;
            step = (1.0 - give) * step + give * towards;
            const double back = std::max(over_, pull.stretch - kTautest);
            if (back > 0.0) step += (std::min(1.0, 5.0 * back) * kGivesWay * seconds) * pull.direction;
        }
        hand.at += step;
    }
    hold(sim);
}

void HandsOnCloth::hold(Simulation& sim) const {
    for (std::size_t h = 0; h < hands_.size(); ++h) {
        const Triangle& t = sim.model().mesh.triangles[hands_[h].triangle];
        for (std::size_t k = 0; k < 3; ++k)
            sim.grab(t[k], hands_[h].at + offset_[h][k]);
    }
}

const Hand* HandsOnCloth::find(int id) const {
    const auto found = std::find_if(hands_.begin(), hands_.end(), [&](const Hand& hand) { return hand.id == id; });
    return found == hands_.end() ? nullptr : &*found;
}

} // namespace selvage
