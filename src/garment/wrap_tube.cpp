#include "garment/wrap_tube.h"

#include <algorithm>
#include <cmath>

#include "base/suggest.h"
#include "character/motions.h"
#include "garment/body_landmarks.h"
#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

namespace {

const std::array<Vec2, WrapTube::kDirections>& wrap_directions() {
    static const auto directions = [] {
        std::array<Vec2, WrapTube::kDirections> d;
        for (int k = 0; k < WrapTube::kDirections; ++k) {
            const maths::SineAndCosine at = maths::sincos(2.0 * kPi * k / WrapTube::kDirections);
            d[k] = {at.sine, at.cosine};
        }
        return d;
    }();
    return directions;
}

void widen(WrapTube::Loop& loop, const WrapTube::Loop& by) {
    for (int k = 0; k < WrapTube::kDirections; ++k)
        if (dot(by[k], wrap_directions()[k]) > dot(loop[k], wrap_directions()[k])) loop[k] = by[k];
}

constexpr double kNowhere = -1e6; // of slices that nothing has reached yet

} // namespace

WrapTube::WrapTube(const TriangleMesh& body, const std::vector<char>& used, const Vec3& origin, const Vec3& axis,
                   const Vec3& front)
    : origin_(origin), axis_(normalized(axis)) {
    front_ = normalized(front - dot(front, axis_) * axis_);
    left_ = cross(axis_, front_);
    double low = 1e300, high = -1e300;
    const auto height = [&](int v) { return dot(body.positions[v] - origin_, axis_); };
    const auto across = [&](const Vec3& p) { return Vec2{dot(p - origin_, left_), dot(p - origin_, front_)}; };
    for (int v = 0; v < body.vertex_count(); ++v)
        if (used[v]) {
            low = std::min(low, height(v));
            high = std::max(high, height(v));
        }
    if (!(high > low)) return;
    low_ = low;
    Loop nothing;
    for (int k = 0; k < kDirections; ++k)
        nothing[k] = kNowhere * wrap_directions()[k];
    std::vector<Loop> raw(static_cast<std::size_t>((high - low) / kStep) + 2, nothing);
    for (const Triangle& t : body.triangles) {
        if (!used[t[0]] || !used[t[1]] || !used[t[2]]) continue;
        for (int k = 0; k < 3; ++k) {
            const Vec3 &a = body.positions[t[k]], &b = body.positions[t[(k + 1) % 3]];
            const int pieces = 1 + static_cast<int>(length(b - a) / (0.5 * kStep));
            for (int i = 0; i <= pieces; ++i) {
                const Vec3 p = a + (static_cast<double>(i) / pieces) * (b - a);
                const Vec2 at = across(p);
                Loop& slice = raw[static_cast<std::size_t>((dot(p - origin_, axis_) - low_) / kStep + 0.5)];
                for (int d = 0; d < kDirections; ++d)
                    if (dot(at, wrap_directions()[d]) > dot(slice[d], wrap_directions()[d])) slice[d] = at;
            }
        }
    }
    // Each slice is as wide as those a centimetre above and below, so that cloth between two heights is outside too.
    constexpr int kWindow = 3;
    slices_.assign(raw.size(), nothing);
    for (int i = 0; i < static_cast<int>(raw.size()); ++i)
        for (int j = std::max(0, i - kWindow); j <= std::min(static_cast<int>(raw.size()) - 1, i + kWindow); ++j)
            widen(slices_[i], raw[j]);
}

WrapTube::Loop WrapTube::loop(double height, double offset) const {
    const double at = std::clamp((height - low_) / kStep, 0.0, static_cast<double>(slices_.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(at), slices_.size() - 1), j = std::min(i + 1, slices_.size() - 1);
    Loop out;
    for (int k = 0; k < kDirections; ++k)
        out[k] = mix(slices_[i][k], slices_[j][k], at - static_cast<double>(i)) + offset * wrap_directions()[k];
    return out;
}

bool WrapTube::goes_around(const Loop& around, double height, double clearance) const {
    const Loop hull = loop(height, clearance);
    for (int k = 0; k < kDirections; ++k)
        if (dot(around[k], wrap_directions()[k]) < dot(hull[k], wrap_directions()[k]) - 1e-9) return false;
    return true;
}

double WrapTube::depth(double height, double across, bool at_front, bool& is_beside) const {
    const Loop hull = loop(height, 0.0);
    double low_x = 1e300, high_x = -1e300, low_z = 0.0, high_z = 0.0; // the ends across
    for (const Vec2& p : hull) {
        if (p.x < low_x) {
            low_x = p.x;
            low_z = p.y;
        }
        if (p.x > high_x) {
            high_x = p.x;
            high_z = p.y;
        }
    }
    is_beside = across <= low_x || across >= high_x;
    if (across <= low_x) return low_z;
    if (across >= high_x) return high_z;
    double best = at_front ? -1e300 : 1e300;
    for (int k = 0; k < kDirections; ++k) {
        const Vec2 &a = hull[k], &b = hull[(k + 1) % kDirections];
        if ((a.x <= across) == (b.x <= across)) continue;
        const double z = a.y + (b.y - a.y) * (across - a.x) / (b.x - a.x);
        best = at_front ? std::max(best, z) : std::min(best, z);
    }
    return std::abs(best) > 1e200 ? 0.5 * (low_z + high_z) : best;
}

Vec2 WrapTube::middle(double height) const {
    const Loop hull = loop(height, 0.0);
    Vec2 sum;
    for (const Vec2& p : hull)
        sum = sum + p;
    return (1.0 / kDirections) * sum;
}

double loop_length(const WrapTube::Loop& loop) {
    double sum = 0.0;
    for (int k = 0; k < WrapTube::kDirections; ++k)
        sum += length(loop[(k + 1) % WrapTube::kDirections] - loop[k]);
    return sum;
}

double loop_front(const WrapTube::Loop& loop) {
    double low = 1e300, high = -1e300;
    for (const Vec2& p : loop) {
        low = std::min(low, p.x);
        high = std::max(high, p.x);
    }
    const double middle = 0.5 * (low + high);
    double found = 0.0, foremost = -1e300, at = 0.0;
    for (int k = 0; k < WrapTube::kDirections; ++k) {
        const Vec2 &a = loop[k], &b = loop[(k + 1) % WrapTube::kDirections];
        const double l = length(b - a);
        if ((a.x <= middle) != (b.x <= middle)) {
            const double t = (middle - a.x) / (b.x - a.x), y = a.y + t * (b.y - a.y);
            if (y > foremost) {
                foremost = y;
                found = at + t * l;
            }
        }
        at += l;
    }
    return found;
}

Vec2 loop_point(const WrapTube::Loop& loop, double at) {
    const double total = loop_length(loop);
    at += loop_front(loop);
    at -= total * std::floor(at / total);
    for (int k = 0; k < WrapTube::kDirections; ++k) {
        const Vec2 &a = loop[k], &b = loop[(k + 1) % WrapTube::kDirections];
        const double l = length(b - a);
        if (at <= l) return mix(a, b, l > 0.0 ? at / l : 0.0);
        at -= l;
    }
    return loop[0];
}

const std::vector<std::string>& WrapBody::part_names() {
    static const std::vector<std::string> names{"torso", "left-arm", "right-arm", "left-leg", "right-leg", "neck"};
    return names;
}

WrapBody::WrapBody(const Character& body) {
    const Landmarks& marks = *body.landmarks;
    const int n = body.mesh.vertex_count();
    std::array<std::vector<char>, kParts> used;
    for (std::vector<char>& flags : used)
        flags.assign(static_cast<std::size_t>(n), 0);
    const std::vector<int> roles = joint_roles(body.skeleton);
    for (int v = 0; v < n; ++v) {
        const int joint = roles[body.skeleton.bones[body.skin.bone[body.skin.first[v]]].joint]; // the heaviest is first
        const bool left_arm = joint == kLeftUpperArm || joint == kLeftForearm || joint == kLeftHand;
        const bool right_arm = joint == kRightUpperArm || joint == kRightForearm || joint == kRightHand;
        const bool left_leg = joint >= kLeftThigh && joint <= kLeftToes, right_leg = joint >= kRightThigh;
        used[kLeftArm][v] = left_arm;
        used[kRightArm][v] = right_arm;
        used[kLeftLeg][v] = left_leg && body.mesh.positions[v].y < marks.crotch.y + 0.02;
        used[kRightLeg][v] = right_leg && body.mesh.positions[v].y < marks.crotch.y + 0.02;
        // The shoulder's cap is part of what a bodice lies on; the head is not.
        const Vec3& p = body.mesh.positions[v];
        const bool cap =
            (left_arm || right_arm) && p.y > marks.armpit[0].y && std::abs(p.x) < marks.shoulder[0].x + 0.05;
        used[kTorso][v] = (!left_arm && !right_arm && p.y < marks.chin.y) || cap;
        used[kAroundNeck][v] = p.y > marks.neck_side[0].y - 0.01 && p.y < marks.chin.y;
    }
    const Vec3 up{0, 1, 0}, ahead{0, 0, 1};
    tubes_.emplace_back(body.mesh, used[kTorso], Vec3{}, up, ahead);
    for (const Side side : {kLeft, kRight}) {
        const Vec3 axis = marks.shoulder_joint[side] - marks.wrist[side];
        tubes_.emplace_back(body.mesh, used[side == kLeft ? kLeftArm : kRightArm], marks.shoulder_joint[side], axis,
                            Vec3{side == kLeft ? 1.0 : -1.0, 1.0, 0.0}); // the sleeve's middle is at its outside
    }
    for (const Side side : {kLeft, kRight})
        tubes_.emplace_back(body.mesh, used[side == kLeft ? kLeftLeg : kRightLeg], Vec3{}, up, ahead);
    tubes_.emplace_back(body.mesh, used[kAroundNeck], Vec3{}, up, ahead);
    crotch_ = marks.crotch.y;
    levels_[kTorso] = {{"floor", 0.0},
                       {"knee", marks.knee[0].y},
                       {"crotch", marks.crotch.y},
                       {"hip", marks.hip.centre.y},
                       {"waist", marks.waist.centre.y},
                       {"underbust", marks.underbust.centre.y},
                       {"chest", marks.chest.centre.y},
                       {"armpit", marks.armpit[0].y},
                       {"shoulder", marks.shoulder[0].y},
                       {"neck", marks.neck_side[0].y}};
    levels_[kAroundNeck] = {{"floor", 0.0}, {"neck", marks.neck_side[0].y}};
    for (const Side side : {kLeft, kRight}) {
        const double upper = length(marks.elbow[side] - marks.shoulder_joint[side]);
        const double whole = length(marks.wrist[side] - marks.shoulder_joint[side]);
        levels_[side == kLeft ? kLeftArm : kRightArm] = {{"shoulder", 0.0}, {"elbow", -upper}, {"wrist", -whole}};
        levels_[side == kLeft ? kLeftLeg : kRightLeg] = levels_[kTorso];
        levels_[side == kLeft ? kLeftLeg : kRightLeg].push_back({"ankle", marks.ankle[side].y});
    }
}

bool WrapBody::level(int part, const std::string& name, double& height) const {
    for (const auto& [known, at] : levels_[part])
        if (known == name) {
            height = at;
            return true;
        }
    return false;
}

std::string WrapBody::level_names(int part) const {
    std::vector<std::string> names;
    for (const auto& [known, at] : levels_[part])
        names.push_back(known);
    return join(names);
}

} // namespace selvage
