#include "world/world_objects.h"

namespace selvage {

const ClothPart& WorldCloth::model_part() const {
    return island->sim.model().parts[part];
}

std::span<const Vec3> WorldCloth::positions() const {
    return std::span(island->sim.state().position).subspan(model_part().vertex_begin, vertex_count());
}

std::span<const Vec3> WorldCloth::velocities() const {
    return std::span(island->sim.state().velocity).subspan(model_part().vertex_begin, vertex_count());
}

std::span<const YarnMemory> WorldCloth::yarn() const {
    const std::vector<YarnMemory>& yarn = island->sim.state().yarn;
    if (yarn.empty()) return {};
    return std::span(yarn).subspan(model_part().vertex_begin, vertex_count());
}

void WorldCollider::drive(ColliderMotion& copy, double fraction) const {
    if (!is_driven) return;
    copy.set_pose(pose_between(from, to, fraction));
    if (!points_to.empty()) copy.set_points_between(points_from, points_to, fraction);
}

Aabb Island::bounds() const {
    Aabb box;
    for (const Vec3& p : sim.state().position)
        box.include(p);
    return box;
}

Pose pose_between(const Pose& from, const Pose& to, double fraction) {
    if (fraction >= 1.0) return to;
    if (fraction <= 0.0) return from;
    const auto& [x, y, z] = from.turn;
    const Rotation back{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    const Vec3 axis = rotation_vector(to.turn * back);
    return {from.centre + fraction * (to.centre - from.centre), rotation_about(fraction * axis) * from.turn};
}

} // namespace selvage
