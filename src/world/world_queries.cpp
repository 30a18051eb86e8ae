// What can be asked of a World between frames.

#include <algorithm>
#include <cmath>

#include "model/measures.h"
#include "world/world.h"

namespace selvage {

namespace {

std::span<const Triangle> triangles_of(const WorldCloth& cloth) {
    return cloth.desc.given_mesh->mesh.triangles;
}

bool ray_meets(const Ray& ray, const Aabb& box, double reach) {
    double from = 0.0, to = reach;
    for (const auto axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
        const double inverse = 1.0 / ray.direction.*axis; // infinite along the box's sides
        double near = (box.low.*axis - ray.origin.*axis) * inverse, far = (box.high.*axis - ray.origin.*axis) * inverse;
        if (near > far) std::swap(near, far);
        if (near > from) from = near; // NaN, on a side of the box, changes nothing
        if (far < to) to = far;
    }
    return from <= to;
}

/// Vertex normals, area-weighted.
void fill_normals(std::span<const Triangle> triangles, std::span<const Vec3> x, std::span<Vec3> out) {
    std::fill(out.begin(), out.end(), Vec3{});
    for (const Triangle& t : triangles) {
        const Vec3 n = doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]);
        for (const int v : t)
            out[v] += n;
    }
    for (Vec3& n : out)
        n = normalized(n);
}

template <class T, class Fill>
std::span<const T> made(MadeView<T>& view, std::int64_t now, std::size_t count, const Fill& fill) {
    if (view.made_at != now) {
        if (!view.data) view.data = std::make_shared<std::vector<T>>(count);
        fill(std::span<T>(*view.data));
        view.made_at = now;
    }
    return *view.data;
}

void round_to(std::span<const Vec3> from, std::span<Vec3f> to) {
    std::transform(from.begin(), from.end(), to.begin(), [](const Vec3& v) { return Vec3f(v); });
}

/// Lines into a span that may be too short; counts them all the same.
struct LineSink {
    std::span<selvage_debug_line> lines;
    std::size_t count = 0;
    void add(const Vec3& from, const Vec3& to, std::uint32_t color) {
        const Vec3f a(from), b(to);
        if (count < lines.size()) lines[count] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, color};
        ++count;
    }
    void add_box(const Aabb& box, std::uint32_t color) {
        const std::array<Vec3, 8> corner = box.corners();
        for (int a = 0; a < 8; ++a)
            for (const int bit : {1, 2, 4})
                if (!(a & bit)) add(corner[a], corner[a | bit], color);
    }
};

constexpr std::uint32_t kRelaxed = 0x4080ff, kStretched = 0xff4020, kPin = 0xffff00, kContact = 0x40ff40,
                        kAwake = 0xffffff, kAsleep = 0x808080, kCollider = 0xc080ff, kVelocity = 0x00c0c0;

/// From blue to red over ten per cent of stretch.
std::uint32_t stretch_color(double stretch) {
    const double s = std::clamp(stretch / 0.1, 0.0, 1.0);
    std::uint32_t color = 0;
    for (const int shift : {16, 8, 0}) {
        const double from = (kRelaxed >> shift) & 255, to = (kStretched >> shift) & 255;
        color |= static_cast<std::uint32_t>(std::lround(from + s * (to - from))) << shift;
    }
    return color;
}

} // namespace

std::optional<RayHit> World::raycast(const Ray& ray, double reach, bool cloth, bool colliders) const {
    std::optional<RayHit> best;
    const auto is_nearer = [&](double distance) { return distance <= (best ? best->hit.distance : reach); };
    if (cloth)
        for (const WorldCloth* one : cloths_.in_order()) {
            Aabb box;
            for (const Vec3& p : one->positions())
                box.include(p);
            if (!ray_meets(ray, box, best ? best->hit.distance : reach)) continue;
            const std::optional<ClothHit> hit = pick_cloth(triangles_of(*one), one->positions(), ray);
            if (hit && is_nearer(hit->distance)) best = RayHit{one->handle, 0, *hit};
        }
    if (colliders)
        for (const WorldCollider* one : colliders_.in_order()) {
            const Collider now = motion_at(*one, 0.0).at(time());
            const std::optional<ColliderHit> hit = pick_collider({&now, 1}, ray, reach);
            if (hit && is_nearer(hit->distance)) best = RayHit{0, one->handle, {-1, {}, hit->point, hit->distance}};
        }
    return best;
}

std::vector<Collider> World::colliders_now() const {
    std::vector<Collider> now;
    for (const WorldCollider* collider : colliders_.in_order())
        now.push_back(motion_at(*collider, 0.0).at(time()));
    return now;
}

double World::largest_stretch() const {
    double most = 0.0;
    for (const std::shared_ptr<Island>& island : islands_)
        most = std::max(most, largest_strain(*pool_, island->sim.model(), island->sim.state()));
    return most;
}

std::span<const Vec3> World::collider_vertices(const WorldCollider& collider) const {
    const std::lock_guard lock(view_mutex_);
    MadeView<Vec3>& view = collider.vertices;
    if (!view.data || view.made_at != changes_) {
        view.data = std::make_shared<std::vector<Vec3>>(motion_at(collider, 0.0).at(time()).points_now);
        view.made_at = changes_;
    }
    return *view.data;
}

std::span<const Vec3f> World::positions_f(const WorldCloth& cloth) const {
    const std::lock_guard lock(view_mutex_);
    const std::span<const Vec3> x = cloth.positions();
    return made(cloth.positions_f, changes_, x.size(), [&](std::span<Vec3f> out) { round_to(x, out); });
}

std::span<const Vec3f> World::velocities_f(const WorldCloth& cloth) const {
    const std::lock_guard lock(view_mutex_);
    const std::span<const Vec3> v = cloth.velocities();
    return made(cloth.velocities_f, changes_, v.size(), [&](std::span<Vec3f> out) { round_to(v, out); });
}

std::span<const Vec3> World::normals(const WorldCloth& cloth) const {
    const std::lock_guard lock(view_mutex_);
    const std::span<const Vec3> x = cloth.positions();
    return made(cloth.normals, changes_, x.size(),
                [&](std::span<Vec3> out) { fill_normals(triangles_of(cloth), x, out); });
}

std::span<const Vec3f> World::normals_f(const WorldCloth& cloth) const {
    const std::span<const Vec3> exact = normals(cloth);
    const std::lock_guard lock(view_mutex_);
    return made(cloth.normals_f, changes_, exact.size(), [&](std::span<Vec3f> out) { round_to(exact, out); });
}

std::size_t World::debug_lines(unsigned what, std::span<selvage_debug_line> lines) const {
    LineSink sink{lines};
    const auto wants = [&](DebugLines kind) { return (what & static_cast<unsigned>(kind)) != 0; };
    for (const std::shared_ptr<Island>& island : islands_) {
        const ClothModel& model = island->sim.model();
        const ClothState& state = island->sim.state();
        if (wants(DebugLines::edges))
            for (std::size_t e = 0; e < model.edges.size(); ++e) {
                const auto& [a, b] = model.edges[e];
                const double rest = model.edge_length[e];
                const double now = length(state.position[b] - state.position[a]);
                sink.add(state.position[a], state.position[b], stretch_color(rest > 0.0 ? now / rest - 1.0 : 0.0));
            }
        if (wants(DebugLines::velocities))
            for (std::size_t i = 0; i < state.position.size(); ++i)
                sink.add(state.position[i], state.position[i] + 0.01 * state.velocity[i], kVelocity);
        if (wants(DebugLines::pins))
            for (const HeldPoint& held : island->sim.held_points())
                for (const Vec3& arm : {Vec3{0.01, 0, 0}, Vec3{0, 0.01, 0}, Vec3{0, 0, 0.01}})
                    sink.add(state.position[held.vertex] - arm, state.position[held.vertex] + arm, kPin);
        if (wants(DebugLines::bounds)) sink.add_box(island->bounds(), island->is_awake ? kAwake : kAsleep);
    }
    if (wants(DebugLines::contacts))
        for (const selvage_contact_event& event : events_) {
            const Vec3 at{event.point[0], event.point[1], event.point[2]};
            const Vec3 normal{event.normal[0], event.normal[1], event.normal[2]};
            if (event.phase != SELVAGE_CONTACT_END) sink.add(at, at + 0.05 * normal, kContact);
        }
    if (wants(DebugLines::colliders))
        for (const WorldCollider* collider : colliders_.in_order()) {
            const TriangleMesh mesh = drawn_mesh(motion_at(*collider, 0.0).at(time()));
            for (const Triangle& t : mesh.triangles)
                for (int k = 0; k < 3; ++k)
                    if (t[k] < t[(k + 1) % 3])
                        sink.add(mesh.positions[t[k]], mesh.positions[t[(k + 1) % 3]], kCollider);
        }
    return sink.count;
}

} // namespace selvage
