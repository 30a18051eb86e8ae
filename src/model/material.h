#pragma once

#include <string>
#include <vector>

#include "base/fields.h"

namespace selvage {

/// How a sheet responds to stretch and shear in solvers that treat it as triangles; springs have one law only.
enum class MembraneKind { woven, neo_hookean, stvk };

/// A fabric in SI units, per area of cloth. Every solver turns these into its own coefficients.
struct Material {
    double density = 0.12;           ///< Mass per area [kg/m2].
    double thickness = 0.00025;      ///< [m].
    double stretch_warp = 6000;      ///< Tension per strain along the warp (u) [N/m].
    double stretch_weft = 3500;      ///< Along the weft (v) [N/m].
    double shear = 60;               ///< Shear force per width and shear angle [N/m].
    double bend_warp = 8e-6;         ///< Moment per width and curvature along the warp [N m].
    double bend_weft = 5e-6;         ///< Along the weft [N m].
    double bend_bias = 0.0;          ///< At 45 degrees to both [N m]; 0: follows from the two.
    double bend_friction_warp = 0.0; ///< Moment per width by which yarns that rub resist bending along the warp [N].
    double bend_friction_weft = 0.0; ///< Along the weft [N].
    double damping = 1e-4;           ///< Damping force per elastic stiffness (Kelvin-Voigt time) [s].
    double friction = 0.4;           ///< Cloth on cloth.
    MembraneKind membrane = MembraneKind::woven;
    double coupling = 0.0; ///< Tension along one thread per strain along the other [N/m]; not of woven ones.
};

const Fields<Material>& material_fields();

/// c = (B / (density g))^(1/3): the length over which the fabric bends under its own weight [m].
double bending_length(const Material& material, double rigidity);

} // namespace selvage
