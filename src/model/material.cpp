#include "model/material.h"

#include <cmath>

#include "math/functions.h"

namespace selvage {

const Fields<Material>& material_fields() {
    static const Fields<Material> fields = {
        {"density", &Material::density, {1e-3, 100.0, false}, "kg/m2", "Mass per area."},
        {"thickness",
         &Material::thickness,
         {1e-6, 1.0, false},
         "m",
         "Thickness; also turns areal numbers into volumetric ones for blocks."},
        {"stretch_warp",
         &Material::stretch_warp,
         {0.0, 1e8, false},
         "N/m",
         "Tension per width and strain along the warp (u)."},
        {"stretch_weft",
         &Material::stretch_weft,
         {0.0, 1e8, false},
         "N/m",
         "Tension per width and strain along the weft (v)."},
        {"shear", &Material::shear, {0.0, 1e8, false}, "N/m", "Shear force per width and shear angle."},
        {"bend_warp",
         &Material::bend_warp,
         {0.0, 10.0, false},
         "N m",
         "Bending moment per width and curvature along the warp."},
        {"bend_weft",
         &Material::bend_weft,
         {0.0, 10.0, false},
         "N m",
         "Bending moment per width and curvature along the weft."},
        {"bend_bias",
         &Material::bend_bias,
         {0.0, 10.0, false},
         "N m",
         "The same at 45 degrees to both; 0: follows from the two."},
        {"bend_friction_warp",
         &Material::bend_friction_warp,
         {0.0, 10.0, false},
         "N",
         "Moment per width by which yarns that rub resist bending along the warp, half of KES' 2HB (multilevel); 0: "
         "none."},
        {"bend_friction_weft", &Material::bend_friction_weft, {0.0, 10.0, false}, "N", "The same along the weft."},
        {"damping",
         &Material::damping,
         {0.0, 10.0, false},
         "s",
         "Damping along threads: force per rate, in units of the elastic stiffness."},
        {"friction", &Material::friction, {0.0, 10.0, false}, "", "Friction coefficient, cloth on cloth."},
        choice_field("membrane", &Material::membrane, {"woven", "neo-hookean", "stvk"},
                     "How triangles stretch (multilevel): woven, threads each by themselves; neo-hookean, film and "
                     "rubber, alike in all directions by stretch_warp and coupling; stvk, measured biaxial tables."),
        {"coupling",
         &Material::coupling,
         {0.0, 1e8, false},
         "N/m",
         "Tension along the warp per strain along the weft and vice versa; read by neo-hookean and stvk."},
    };
    return fields;
}

double bending_length(const Material& material, double rigidity) {
    constexpr double kGravity = 9.81;
    return maths::cbrt(rigidity / (material.density * kGravity));
}

} // namespace selvage
