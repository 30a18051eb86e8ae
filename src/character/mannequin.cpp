#include "character/mannequin.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "character/body_field.h"
#include "character/body_skin.h"
#include "character/half_surface.h"

namespace selvage {

namespace {

Vec3 across(const Vec3& p) {
    return {-p.x, p.y, p.z};
}

std::array<Vec3, 2> both_sides(const Vec3& left) {
    return {left, across(left)};
}

/// Finer where the body is: fraction of the usual edge.
double edge_fraction(const BodyField& field, const Vec3& p) {
    const BodyFrame& f = field.frame();
    const double h = field.height() / 1.68;
    const double along = dot(p - f.wrist, f.arm_along);
    const double hand = std::clamp((along + 0.05 * h) / (0.06 * h), 0.0, 1.0);
    const double foot = std::clamp((f.ankle.y + 0.03 * h - p.y) / (0.05 * h), 0.0, 1.0);
    const double head = std::clamp((p.y - f.neck.y) / (0.05 * h), 0.0, 1.0);
    const double thin = std::clamp((along + 0.45 * h) / (0.15 * h), 0.0, 1.0);
    const double shin = std::clamp((f.knee.y - p.y) / (0.10 * h), 0.0, 1.0);
    const bool is_arm = p.x > 0.5 * (f.shoulder.x + f.elbow.x);
    return std::min({1.0 - (is_arm ? std::max(0.28 * thin, 0.50 * hand) : 0.0), 1.0 - 0.20 * shin, 1.0 - 0.35 * foot,
                     1.0 - 0.15 * head});
}

TriangleMesh body_surface(const BodyField& field, int triangles) {
    const double h = field.height() / 1.68;
    const BodyFrame& f = field.frame();
    const Vec3 low{0.0, -0.02 * h, std::min(-0.24 * h, f.ankle.z - 0.12 * h)};
    const Vec3 high{f.fingertip.x + 0.06 * h, field.height() + 0.04 * h, std::max(0.26 * h, f.toe_tip.z + 0.06 * h)};
    TriangleMesh half = half_surface([&](const Vec3& p) { return field.distance(p); }, low, high, 0.010 * h);
    // As many triangles as the area takes at this edge length; evened meshes come out at this much above it.
    constexpr double kAboveEven = 1.03;
    double area = 0.0;
    for (int t = 0; t < half.triangle_count(); ++t) {
        const double fraction = edge_fraction(field, half.positions[half.triangles[t][0]]);
        area += 2.0 * triangle_area(half, t) / (fraction * fraction);
    }
    const double edge = kAboveEven * std::sqrt(4.0 * area / (std::sqrt(3.0) * triangles));
    RemeshSettings settings;
    settings.edge_length = [&](const Vec3& p) { return edge * edge_fraction(field, p); };
    settings.project = [&](const Vec3& p) { return field.project(p, 2); };
    settings.normal = [&](const Vec3& p) { return field.gradient(p); };
    remesh_half(half, settings);
    for (Vec3& p : half.positions)
        p = field.project(p, 4);
    return mirror_half(half);
}

/// Where a straight path from inside leaves the body.
Vec3 leave(const BodyField& field, const Vec3& inside, const Vec3& direction) {
    const double h = field.height() / 1.68, step = 0.004 * h;
    double r = 0.0;
    while (r < 0.5 * h && field.distance(inside + (r + step) * direction) < 0.0)
        r += step;
    return field.project(inside + (r + 0.5 * step) * direction);
}

Landmarks body_landmarks(const BodyField& field, const Measurements& m, const TriangleMesh& mesh) {
    const BodyFrame& f = field.frame();
    const double h = field.height() / 1.68;
    Landmarks out;
    const auto level = [&](BodyGirth which) {
        return measure_level(mesh, f.tapes[which].centre, f.tapes[which].normal);
    };
    const auto levels = [&](BodyGirth which) -> std::array<BodyLevel, 2> {
        const BodyFrame::Tape& tape = f.tapes[which];
        return {measure_level(mesh, tape.centre, tape.normal),
                measure_level(mesh, across(tape.centre), across(tape.normal))};
    };
    // The tape around the chest goes below the arms.
    const BodyFrame::Tape& chest = f.tapes[kChestGirth];
    for (double lower = 0.0; lower < 0.06 * h; lower += 0.004 * h) {
        out.chest = measure_level(mesh, chest.centre - Vec3{0.0, lower, 0.0}, chest.normal);
        if (out.chest.half_width < 1.25 * f.shoulder.x) break;
    }
    out.neck = level(kNeckGirth), out.underbust = level(kUnderbustGirth);
    out.waist = level(kWaistGirth), out.hip = level(kHipGirth);
    out.thigh = levels(kThighGirth), out.knee_level = levels(kKneeGirth), out.calf = levels(kCalfGirth);
    out.ankle_level = levels(kAnkleGirth), out.upper_arm = levels(kUpperArmGirth);
    out.elbow_level = levels(kElbowGirth), out.wrist_level = levels(kWristGirth);
    out.crown = leave(field, f.head, {0, 1, 0});
    out.chin = leave(field, {0.0, m.chin_height + 0.1 * (m.height - m.chin_height), f.head.z + 0.05 * h}, {0, -1, 0});
    out.neck_back = leave(field, {0.0, m.neck_height, f.neck.z}, {0, 0, -1});
    out.neck_front = leave(field, {0.0, m.neck_height - 0.045 * h, f.neck.z}, {0, 0, 1});
    out.neck_side = both_sides(
        leave(field, {0.0, m.neck_height - 0.025 * h, f.neck.z + 0.005 * h}, normalized(Vec3{1.0, 0.35, 0.0})));
    out.crotch = {0.0, m.inside_leg, f.hip.z};
    out.shoulder = both_sides(leave(field, f.shoulder, normalized(Vec3{0.55, 1.0, 0.0})));
    out.armpit = both_sides(leave(field, f.shoulder, normalized(f.arm_along + Vec3{0.1, -1.0, 0.0})));
    out.bust_point = both_sides(leave(field, {0.076 * m.chest / 0.88, m.chest_height, 0.0}, {0, 0, 1}));
    out.shoulder_joint = both_sides(f.shoulder), out.elbow = both_sides(f.elbow), out.wrist = both_sides(f.wrist);
    out.fingertip = both_sides(f.fingertip), out.hip_joint = both_sides(f.hip);
    out.knee = both_sides(f.knee), out.ankle = both_sides(f.ankle);
    return out;
}

} // namespace

Result<Character> make_mannequin(const Measurements& measurements, const MannequinSettings& settings) {
    if (Status ok = check_measurements(measurements); !ok) return ok.error();
    if (settings.triangles < 3000 || settings.triangles > 40000)
        return Error{concat("found ", settings.triangles, " triangles; expected 3000 to 40000")};
    const BodyField field(measurements);
    Character body;
    body.name = "mannequin";
    body.mesh = body_surface(field, settings.triangles);
    body.skeleton = body_skeleton(field.frame());
    body.skin = body_weights(field, body.mesh);
    body.landmarks = body_landmarks(field, measurements, body.mesh);
    body.measurements = measurements;
    return body;
}

} // namespace selvage
