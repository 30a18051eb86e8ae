#include "view/hands.h"

#include <algorithm>

namespace selvage {

namespace {

std::array<Vec3, 3> offsets(const Simulation& sim, int triangle, const Vec3& point) {
    const Triangle& t = sim.model().mesh.triangles[triangle];
    const std::vector<Vec3>& x = sim.state().position;
    return {x[t[0]] - point, x[t[1]] - point, x[t[2]] - point};
}

/// How the threads that leave a held triangle pull at it.
struct Pull {
    double stretch = 0.0; // the largest
    double excess = 0.0;  // length of that thread beyond the tautest [m]
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
            if (stretch > kTaut) sum += stretch * normalized(way);
            if (stretch <= pull.stretch) continue;
            pull.stretch = stretch;
            pull.excess = length(way) - (1.0 + kTautest) * spring.rest_length;
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

int Hands::take(const ClothHit& hit, Simulation& sim) {
    const Vec3 point = point_on(sim.model(), sim.state().position, hit.triangle, hit.weight);
    hands_.push_back({next_id_, hit.triangle, hit.weight, point, point, point, false});
    offset_.push_back(offsets(sim, hit.triangle, point));
    carry(sim, 1.0);
    return next_id_++;
}

void Hands::move(int id, const Vec3& target) {
    if (!is_finite(target)) return;
    for (Hand& hand : hands_)
        if (hand.id == id) hand.target = target;
}

void Hands::set_pinned(int id, bool pinned) {
    for (Hand& hand : hands_)
        if (hand.id == id) hand.pinned = pinned;
}

void Hands::let_go(int id, Simulation& sim) {
    for (std::size_t h = 0; h < hands_.size(); ++h) {
        if (hands_[h].id != id) continue;
        for (const int v : sim.model().mesh.triangles[hands_[h].triangle])
            sim.release(v);
        hands_.erase(hands_.begin() + static_cast<std::ptrdiff_t>(h));
        offset_.erase(offset_.begin() + static_cast<std::ptrdiff_t>(h));
        carry(sim, 0.0); // corners shared with other hands are still held
        return;
    }
}

void Hands::let_go_of_all(Simulation& sim) {
    while (!hands_.empty())
        let_go(hands_.back().id, sim);
}

void Hands::take_again(Simulation& sim) {
    for (std::size_t h = 0; h < hands_.size(); ++h) {
        const Vec3 point = point_on(sim.model(), sim.state().position, hands_[h].triangle, hands_[h].weight);
        offset_[h] = offsets(sim, hands_[h].triangle, point);
        hands_[h].from = hands_[h].goal = point;
    }
    carry(sim, 0.0);
}

void Hands::start_frame(const Simulation& sim, double seconds) {
    for (Hand& hand : hands_) {
        hand.goal = within_reach(hand.from, hand.target, seconds);
        if (hand.pinned) continue;
        const Pull pull = pull_on(sim, hand.triangle);
        if (pull.stretch <= kTaut) continue;
        // What leads away from the cloth is given up more and more; what leads back or aside is not.
        const double give = std::min(1.0, (pull.stretch - kTaut) / (kTautest - kTaut));
        Vec3 step = hand.goal - hand.from;
        const double away = std::min(0.0, dot(step, pull.direction));
        step -= (give * away) * pull.direction;
        if (pull.stretch > kTautest) step += std::min(0.5 * pull.excess, kFastestHand * seconds) * pull.direction;
        hand.goal = hand.from + step;
    }
}

void Hands::carry(Simulation& sim, double share) const {
    for (std::size_t h = 0; h < hands_.size(); ++h) {
        const Hand& hand = hands_[h];
        const Vec3 point = hand.from + share * (hand.goal - hand.from);
        const Triangle& t = sim.model().mesh.triangles[hand.triangle];
        for (std::size_t k = 0; k < 3; ++k)
            sim.grab(t[k], point + offset_[h][k]);
    }
}

void Hands::finish_frame() {
    for (Hand& hand : hands_)
        hand.from = hand.goal;
}

const Hand* Hands::find(int id) const {
    const auto found = std::find_if(hands_.begin(), hands_.end(), [&](const Hand& hand) { return hand.id == id; });
    return found == hands_.end() ? nullptr : &*found;
}

} // namespace selvage
