#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "base/fields.h"
#include "collision/search/aabb.h"
#include "geometry/triangle_mesh.h"
#include "math/mat.h"

namespace selvage {

struct HeightGrid;
struct SolidMesh;

struct Sphere {
    double radius = 0.25; ///< [m].
};

struct Box {
    Triple size{0.5, 0.5, 0.5}; ///< Edge lengths [m].
};

/// All below local y = 0 is solid.
struct Plane {};

/// The convex hull of two balls on the y axis, at -length / 2 and +length / 2: a limb. When one ball swallows the other
/// it is that ball.
struct Capsule {
    double radius = 0.1;     ///< Of the lower ball [m].
    double top_radius = 0.1; ///< Of the upper ball [m].
    double length = 0.4;     ///< Between the balls' centres [m].
};

/// About the y axis, with flat ends.
struct Cylinder {
    double radius = 0.2; ///< [m].
    double height = 0.5; ///< [m].
};

struct Ball {
    Vec3 centre;
    double radius = 0.0;
};

/// A capsule as its two balls and the cone that touches both.
struct RoundCone {
    Ball lower, upper;
    double sine = 0.0, cosine = 1.0; ///< Of the side's slope: its normal is `cosine` away from the axis and `sine` up.
    bool single = false;             ///< One ball holds the other: both are the larger one, and there is no side.
};
RoundCone round_cone(const Capsule& capsule);

/// The inside of a closed triangle mesh, or an open one as a surface with two sides and no inside.
struct MeshSolid {
    std::shared_ptr<const SolidMesh> surface; ///< In the solid's frame, as it is at rest; never null.
};

/// Ground: all below a grid of heights.
struct HeightField {
    std::shared_ptr<const HeightGrid> grid; ///< Never null.
};

/// The shape of a collider in its own frame; the first five are centred on its origin.
using ColliderShape = std::variant<Sphere, Box, Plane, Capsule, Cylinder, HeightField, MeshSolid>;

/// Signed distance of a point from a solid's surface, negative inside, and the direction out.
struct SurfacePoint {
    double distance = 0.0; ///< [m]. Never negative for an open mesh.
    Vec3 normal;           ///< Unit, pointing out; for an open mesh, to the side the point is on.
};

SurfacePoint nearest_surface(const ColliderShape& shape, const Vec3& local);

/// A point of the solid that lies farthest in a direction (of any length), for the convex and bounded ones; none for a
/// plane, ground and a mesh.
std::optional<Vec3> support_point(const ColliderShape& shape, const Vec3& local_direction);

/// What is drawn for a solid, in its own frame; a plane shows as a square of 12 m, ground as its grid alone.
TriangleMesh collider_mesh(const ColliderShape& shape);

/// The same surface with vertices of their own for faces that meet at a sharp angle, so that a crease stays one when
/// shaded.
TriangleMesh with_sharp_creases(const TriangleMesh& mesh);

} // namespace selvage
