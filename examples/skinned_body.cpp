// A body that an animation system deforms: its new vertices go in once per frame, and a skirt hangs from its waist.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <selvage/selvage.hpp>

namespace {

constexpr double kPi = 3.14159265358979324;
constexpr double kBottom = 0.3, kTop = 1.2, kWaist = 1.0; // [m]
constexpr int kAround = 48, kRings = 37;

/// How wide the body is at a height: wide at the hips, narrow at the waist, round at both ends.
double radius_at(double y) {
    const double waist = 0.17 - 0.04 * std::exp(-std::pow((y - kWaist) / 0.08, 2.0));
    const double end = std::min(y - kBottom, kTop - y) / 0.1;
    return end >= 1.0 ? waist : waist * std::sqrt(std::max(0.0, end * (2.0 - end)));
}

/// Where the axis of the body is: the hips sway below the waist.
double sway_at(double y, double time) {
    return 0.06 * std::sin(2.0 * kPi * 0.5 * time) * std::clamp((kTop - y) / (kTop - kBottom), 0.0, 1.0);
}

/// What a skinning shader or an animation system would hand over.
void skin(double time, std::vector<selvage::Vec3>& vertices) {
    vertices.clear();
    for (int ring = 0; ring < kRings; ++ring) {
        const double y = kBottom + (kTop - kBottom) * (ring + 0.5) / kRings;
        for (int i = 0; i < kAround; ++i) {
            const double angle = 2.0 * kPi * i / kAround;
            vertices.push_back({sway_at(y, time) + radius_at(y) * std::cos(angle), y, radius_at(y) * std::sin(angle)});
        }
    }
    vertices.push_back({sway_at(kBottom, time), kBottom, 0.0});
    vertices.push_back({sway_at(kTop, time), kTop, 0.0});
}

std::vector<selvage::Triangle> body_triangles() {
    std::vector<selvage::Triangle> triangles;
    const int bottom = kAround * kRings, top = bottom + 1, last = kAround * (kRings - 1);
    for (int i = 0; i < kAround; ++i) {
        const int next = (i + 1) % kAround;
        for (int ring = 0; ring + 1 < kRings; ++ring) {
            const int a = ring * kAround + i, b = ring * kAround + next;
            triangles.push_back({a, a + kAround, b});
            triangles.push_back({b, a + kAround, b + kAround});
        }
        triangles.push_back({bottom, i, next});
        triangles.push_back({top, last + next, last + i});
    }
    return triangles;
}

} // namespace

int main() {
    selvage::World world = selvage::World::make().value();
    std::vector<selvage::Vec3> vertices;
    skin(0.0, vertices);
    const std::vector<selvage::Triangle> triangles = body_triangles();
    selvage::Collider body = world.add(selvage::ColliderDesc::mesh(vertices, triangles)).value();

    // A tube, wider below, whose upper edge follows the waist.
    const double length = 0.45;
    selvage::Cloth skirt =
        world.add(selvage::ClothDesc::tube(0.30, 0.15, length, 64, 24).at({0, kWaist - 0.5 * length, 0})).value();
    std::vector<std::int32_t> upper_edge;
    double top = 0.0;
    for (const selvage::Vec3& vertex : skirt.positions())
        top = std::max(top, vertex.y);
    for (std::size_t i = 0; i < skirt.vertex_count(); ++i)
        if (skirt.positions()[i].y > top - 1e-6) upper_edge.push_back(static_cast<std::int32_t>(i));
    selvage::Attachment belt = skirt.attach(upper_edge, {{0, top, 0}, {}}).value();

    double deepest = 0.0; // of a vertex of the skirt inside the body [m]
    for (int frame = 1; frame <= 240; ++frame) {
        const double time = frame / 60.0;
        skin(time, vertices);
        body.set_vertices(vertices).value();
        belt.move({{sway_at(top, time), top, 0}, {}}).value();
        world.step().value();
        for (const selvage::Vec3& x : skirt.positions())
            if (x.y > kBottom && x.y < kTop)
                deepest = std::max(deepest, radius_at(x.y) - std::hypot(x.x - sway_at(x.y, time), x.z));
    }
    const int contacts = static_cast<int>(world.contact_events().size());
    std::printf("%zu vertices hang from %zu; %d pairs touch; deepest inside the round body: %.2f mm\n",
                skirt.vertex_count(), upper_edge.size(), contacts, 1e3 * deepest);
    return contacts > 0 && deepest < 0.001 ? 0 : 1; // flat triangles lie up to 0.4 mm inside the round body
}
