#pragma once

#include <array>
#include <span>
#include <vector>

#include "geometry/triangle_mesh.h"
#include "model/material.h"

namespace selvage {

/// Energy of an orthotropic plate per area, H the second derivatives in warp (1) and weft (2) axes:
///   1/2 (warp H11^2 + weft H22^2 + 2 coupling H11 H22 + 4 twist H12^2) [N m].
/// Bent over a cylinder at any angle it has the rigidity bend_rigidity() gives; bending in one direction does not bend
/// it in the other (Poisson's ratio 0) unless the bias is so soft that it must.
struct PlateRigidity {
    double warp = 0.0, weft = 0.0, coupling = 0.0, twist = 0.0;
};
PlateRigidity plate_rigidity(const Material& material);

/// A triangle of a flat piece of cloth, its vertices numbered within the piece.
struct PlateTriangle {
    Triangle vertex;
    Vec2 warp; ///< Unit vector in the plane.
    PlateRigidity rigidity;
};
/// An edge between two of them, with its stencil (bending.h) and the stiffness k/l^2 that it would have alone.
struct PlateHinge {
    std::array<int, 4> vertex;
    std::array<double, 4> stencil;
    double stiffness = 0.0; ///< [N/m].
    int first = 0, second = 0;
    double zigzag =
        1.0; ///< How much stiffer zigzags are than the fabric; more than 1 where cells are too coarse for it.
};

using HingePlace = std::array<Vec2, 4>; ///< Places of a hinge's vertices in a plane.

/// Cloth whose triangles have no common plane: panels sewn together, a tube. Each triangle lies in a plane of its own.
struct JoinedPlates {
    int vertex_count = 0;
    std::vector<std::array<Vec2, 3>> corner; ///< Of each triangle.
    std::vector<std::array<HingePlace, 2>>
        hinge; ///< Of each hinge, in the planes of its first and its second triangle.
};

/// A quadratic form of the points whose rows add up to nothing: E = 1/2 sum_i x_i . sum_j K_ij x_j. The force on i is
/// -sum_j K_ij (x_j - x_i); the diagonal is left out.
struct BendingForm {
    std::vector<int> start{0}, column;
    std::vector<double> value; ///< [N/m].
    /// The most that it stores over what its hinges alone would store in the same shape; an estimate. A solver that
    /// takes the hinges, which reach less far, for the derivative has to scale them by more than half of this.
    double over_hinges = 1.0;
    int left_to_hinges = 0; ///< Triangles without second derivatives: they bend by their hinges alone.
};

/// Bending that is right on every mesh. Hinges alone measure a cylinder rightly, but a mesh may find a shape that is
/// cheaper than the cylinder: on squares cut in turns a sixth so. Nothing is cheaper when a quadratic surface is in
/// balance:
///   a gradient at each vertex, exact for quadratic surfaces (least squares over its neighbours), linear in between;
///   H of a triangle is its derivative, so that what the H of an interior point's own hat adds up to is zero;
///   what the hinges see beyond H, with the hinges' own stiffness: nothing on quadratic surfaces, so it disturbs no
///   balance, but it resists the zigzags that the averaged gradients miss;
///   and zigzag - 1 times what they see beyond the mean H of their two triangles, which is about half of what the term
///   before it sees where curvature changes slowly, but all of it in a zigzag.
/// Recovered gradients for plates: Guo, Zhang and Zou 2018. Triangles that are too thin, or with a vertex that has too
/// few neighbours to tell a quadratic surface by (a row of cells or less), have no H; hinges then see all of their bend.
BendingForm plate_bending(std::span<const Vec2> place, std::span<const PlateTriangle> triangles,
                          std::span<const PlateHinge> hinges);

/// The same, each vertex with a plane of its own in which the triangles around it are laid out (plate_charts.h): across a
/// seam as across any other edge. Triangles at a vertex that cannot be laid out flat have no H.
BendingForm plate_bending(const JoinedPlates& plates, std::span<const PlateTriangle> triangles,
                          std::span<const PlateHinge> hinges);

} // namespace selvage
