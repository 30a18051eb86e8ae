#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/bend_friction.h"
#include "model/bending.h"
#include "model/cloth_model.h"
#include "model/elastic_membrane.h"
#include "model/membrane.h"
#include "model/plate_bending.h"

namespace selvage {

/// One hinge of a sheet; see bending.h.
struct SheetHinge {
    std::array<int, 4> vertex;     ///< a, b of the edge, c, d opposite.
    std::array<double, 4> stencil; ///< flat_stencil of the rest shape.
    double stiffness = 0.0;        ///< k [N m].
    double quadratic = 0.0;        ///< k / l^2, of the stencil's energy [N/m].
    double rest_angle = 0.0;       ///< [rad].
    int part = 0;
    double tangent = 1.0;  ///< Times the stencil's derivative bounds that of the energy it has a part in.
    Vec2 across = {};      ///< Unit vector across the edge, in warp and weft.
    bool in_plate = false; ///< Its energy is part of `Sheet::plate`; it is flat, and its own numbers are close to that.
    bool is_flat() const { return rest_angle == 0.0; }
};

/// Cloth as elastic triangles and hinges, made of the same fabric numbers as the springs. Blocks, bare nets and cloths
/// whose net has its own law (stiffness_times_length) are springs and nothing else: `spring_parts` lists them.
struct Sheet {
    std::vector<Triangle> triangles; ///< Vertices; alongside `membrane` and `triangle_part`.
    std::vector<MembraneTriangle> membrane;
    std::vector<int> triangle_part;
    /// Of the triangles that are not woven, and their indices; `membrane` then has their shape and no stiffness.
    std::vector<ElasticTriangle> elastic;
    std::vector<int> elastic_index;
    std::vector<SheetHinge> hinges;
    BendingForm plate; ///< Of the pieces that lie flat at rest, over all vertices.
    std::vector<int> spring_parts;
    std::vector<YarnLaw> yarn; ///< Friction of bending, of each part.
};

/// Warp and weft follow the uv; where there are none, grain_axes() of the triangle at rest. The net's switches
/// (structural, shear, bend) switch stretch, shear and bending.
Sheet make_sheet(const ClothModel& model);

/// [J] of all triangles and hinges; springs are not counted.
double sheet_energy(const Sheet& sheet, std::span<const Vec3> position, double compression);
/// Adds minus the energy's gradient to `force` [N]. One element after another: for checks, not for steps.
void add_sheet_forces(const Sheet& sheet, std::span<const Vec3> position, double compression, std::span<Vec3> force);

} // namespace selvage
