#include "sim/skin_tie.h"

namespace selvage {

namespace {

/// Axes that turn with a triangle.
struct TriangleFrame {
    Vec3 along, across, normal;

    TriangleFrame(const Vec3& a, const Vec3& b, const Vec3& c) {
        along = normalized(b - a, Vec3{1, 0, 0});
        normal = normalized(cross(b - a, c - a), Vec3{0, 1, 0});
        across = cross(normal, along);
    }
};

} // namespace

SkinTie tie_to_skin(const SolidMesh& solid, const SurfaceTree& tree, std::span<const Vec3> points, const Vec3& p) {
    const MeshPoint at = solid.nearest(tree, points, p);
    const Triangle& t = solid.mesh.triangles[at.triangle];
    const Vec3 &a = points[t[0]], &b = points[t[1]], &c = points[t[2]];
    const TriangleFrame frame(a, b, c);
    const Vec3 d = p - (at.weight.x * a + at.weight.y * b + at.weight.z * c);
    return {t, at.weight, {dot(d, frame.along), dot(d, frame.across), dot(d, frame.normal)}};
}

SkinPlace place_on_skin(const SkinTie& tie, std::span<const Vec3> points) {
    const Vec3 &a = points[tie.corners[0]], &b = points[tie.corners[1]], &c = points[tie.corners[2]];
    const TriangleFrame frame(a, b, c);
    return {tie.weight.x * a + tie.weight.y * b + tie.weight.z * c + tie.offset.x * frame.along +
                tie.offset.y * frame.across + tie.offset.z * frame.normal,
            frame.normal};
}

} // namespace selvage
