#include "drawing/wrapped_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/concat.h"
#include "collision/search/surface_tree.h"
#include "geometry/triangle_point.h"

namespace selvage {

namespace {

/// Meshes that belong together lie within a fraction of their size of each other; another unit or place does not.
constexpr double kFarthest = 0.25;

/// Some direction at right angles to a unit vector.
Vec3 perpendicular(const Vec3& n) {
    return normalized(cross(n, std::abs(n.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}), Vec3{1, 0, 0});
}

Vec3 normal_around(std::span<const int> faces, const std::vector<Triangle>& triangles, std::span<const Vec3> x) {
    Vec3 sum;
    for (const int f : faces) {
        const Triangle& t = triangles[f];
        sum += doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]);
    }
    return normalized(sum);
}

double diagonal(const std::vector<Vec3>& points) {
    Aabb box;
    for (const Vec3& p : points)
        box.include(p);
    return length(box.high - box.low);
}

} // namespace

Result<WrappedMesh> WrappedMesh::make(const TriangleMesh& coarse, TriangleMesh fine) {
    WrappedMesh out;
    out.fine_ = std::move(fine);
    out.coarse_triangles_ = coarse.triangles;
    out.coarse_faces_ = vertex_triangles(coarse);
    out.fine_faces_ = vertex_triangles(out.fine_);
    out.coarse_normal_.resize(coarse.positions.size());
    out.position_ = out.fine_.positions;
    out.normal_ = vertex_normals(out.fine_, out.position_);
    for (std::size_t v = 0; v < out.coarse_normal_.size(); ++v)
        out.coarse_normal_[v] =
            normal_around(out.coarse_faces_[static_cast<int>(v)], coarse.triangles, coarse.positions);

    SurfaceTree tree;
    tree.build(coarse.triangles, coarse.positions);
    double farthest = 0.0;
    for (const Vec3& p : out.position_) {
        double squared = std::numeric_limits<double>::max();
        Tie tie{};
        tree.for_nearer(p, squared, [&](int index) {
            const Triangle& t = coarse.triangles[index];
            const TrianglePoint here =
                nearest_on_triangle({coarse.positions[t[0]], coarse.positions[t[1]], coarse.positions[t[2]]}, p);
            const double distance = length_squared(p - here.point);
            if (!(distance < squared)) return;
            squared = distance;
            tie.corners = t;
            tie.weight = here.weight;
        });
        farthest = std::max(farthest, squared);
        const Frame frame = out.frame_at(tie, coarse.positions);
        const Vec3 away = p - frame.centre;
        tie.offset = {dot(away, frame.along), dot(away, frame.across), dot(away, frame.normal)};
        out.ties_.push_back(tie);
    }
    const double size = diagonal(coarse.positions);
    if (!(std::sqrt(farthest) <= kFarthest * size))
        return Error{concat("lies up to ", std::sqrt(farthest), " m off the simulated mesh, which is ", size,
                            " m across; expected a mesh of the same thing in the same place")};
    return out;
}

WrappedMesh::Frame WrappedMesh::frame_at(const Tie& tie, std::span<const Vec3> coarse) const {
    const auto at = [&](const auto& values) {
        const auto& [a, b, c] = tie.corners;
        return tie.weight.x * values[a] + tie.weight.y * values[b] + tie.weight.z * values[c];
    };
    Frame frame;
    frame.centre = at(coarse);
    frame.normal = normalized(at(coarse_normal_), Vec3{0, 1, 0}); // normals that cancel: a crease folded flat
    const Vec3 edge = coarse[tie.corners[1]] - coarse[tie.corners[0]];
    frame.along = normalized(edge - dot(edge, frame.normal) * frame.normal, perpendicular(frame.normal));
    frame.across = cross(frame.normal, frame.along);
    return frame;
}

void WrappedMesh::measure_normals(std::span<const Vec3> coarse, ThreadPool& pool) {
    pool.for_each(static_cast<int>(coarse_normal_.size()),
                  [&](int v) { coarse_normal_[v] = normal_around(coarse_faces_[v], coarse_triangles_, coarse); });
}

void WrappedMesh::update(std::span<const Vec3> coarse, ThreadPool& pool) {
    measure_normals(coarse, pool);
    pool.for_each(static_cast<int>(ties_.size()), [&](int v) {
        const Tie& tie = ties_[v];
        const Frame frame = frame_at(tie, coarse);
        position_[v] =
            frame.centre + tie.offset.x * frame.along + tie.offset.y * frame.across + tie.offset.z * frame.normal;
    });
    pool.for_each(static_cast<int>(position_.size()),
                  [&](int v) { normal_[v] = Vec3f(normal_around(fine_faces_[v], fine_.triangles, position_)); });
}

} // namespace selvage
