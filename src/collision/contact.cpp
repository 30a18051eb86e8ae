#include "collision/contact.h"

#include <algorithm>
#include <cmath>

namespace selvage {

void resolve_collider_contacts(ThreadPool& pool, std::span<const Collider> colliders, double h,
                               std::span<const std::uint8_t> is_held, std::vector<Vec3>& positions,
                               std::vector<Vec3>& velocities) {
    if (colliders.empty()) return;
    pool.for_each(static_cast<int>(positions.size()), [&](int i) {
        if (is_held[i]) return;
        for (const Collider& collider : colliders) {
            if (!collider.may_touch(positions[i])) continue;
            const SurfacePoint surface = collider.nearest(positions[i]);
            const double depth = collider.thickness - surface.distance;
            if (!(depth > 0.0)) continue;
            const Vec3& n = surface.normal;
            positions[i] += depth * n;
            const Vec3 relative = velocities[i] - collider.displacement(positions[i]) / h;
            const double approach = std::min(0.0, dot(relative, n));
            const Vec3 slip = relative - dot(relative, n) * n;
            const double speed = length(slip);
            // Coulomb: the tangential impulse is at most friction times the normal one, and at most what stops the slip.
            const double stop = speed > 0.0 ? std::min(1.0, collider.friction * -approach / speed) : 0.0;
            velocities[i] -= approach * n + stop * slip;
            positions[i] -= (h * stop) * slip;
        }
    });
}

} // namespace selvage
