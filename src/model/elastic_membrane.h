#pragma once

#include <array>

#include "model/material.h"
#include "model/membrane.h"

namespace selvage {

/// Triangles of sheets that are not woven, by derivatives f_u, f_v as in membrane.h.
///   neo-hookean:  E = area [mu/2 (|f_u|^2 + |f_v|^2 - 2) + lambda/2 (J - a)^2] + constant,   J = |f_u x f_v|,
///     a = 1 + mu/lambda, so that it rests at J = 1: the stable form of Smith, de Goes and Kim (2018) for a sheet;
///     mu = (C11 - C12)/2, lambda = C12 + mu, the same for all directions.
///   stvk:  E = area/2 [C11 E11^2 + 2 C12 E11 E22 + C22 E22^2 + C33 (2 E12)^2],   2 E = F^T F - 1 (Green's strain).
/// For small strains both are the orthotropic plane law of C (C22 = C11, C33 = mu where neo-hookean).
struct ElasticTriangle {
    double u1 = 0, v1 = 0, u2 = 0, v2 = 0;
    MembraneKind kind = MembraneKind::stvk;
    double c11 = 0, c12 = 0, c22 = 0, c33 = 0; ///< Times area [N m].
};

/// Takes the fabric's stretch_warp, coupling, stretch_weft and shear for C11, C12, C22, C33; neo-hookean the first two.
/// `shape` gives u1, v1, u2, v2; `area` [m2].
ElasticTriangle make_elastic_triangle(const MembraneTriangle& shape, double area, const Material& material);

struct GreenStrain {
    double e11 = 0, e22 = 0, shear = 0; ///< shear = 2 E12 = f_u . f_v.
};

/// Row-major 3 x 3.
using Matrix9 = std::array<double, 9>;

struct ElasticResponse {
    double energy = 0.0;      ///< [J]; without damping.
    Vec3 force1, force2;      ///< On corners 1 and 2 [N]; corner 0 gets minus their sum.
    Matrix9 uu{}, uv{}, vv{}; ///< d2E / df_a df_b [N m].
};

/// `scale` on all stiffnesses. Damping (Kelvin-Voigt) acts on Green's strain by the moduli C: it does not feel rigid
/// motions.
ElasticResponse respond(const ElasticTriangle& t, const Vec3& e1, const Vec3& e2, double scale, double damping_rate,
                        const GreenStrain& before, MembraneHessian kind);

} // namespace selvage
