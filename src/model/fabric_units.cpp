#include "model/fabric_units.h"

#include "math/pi.h"

namespace selvage {

namespace {

constexpr double kGramForce = 9.80665e-3;       // [N]
constexpr double kPerWidth = kGramForce / 1e-2; // gf/cm in N/m
constexpr double kStandardGravity = 9.80665;    // [m/s2]; what a FAST reading was weighed in

void set(double& number, double value) {
    if (value > 0.0) number = value;
}

/// Secant stiffness from the strain in per cent at a load per width [N/m].
double secant(double load, double percent) {
    return percent > 0.0 ? load / (0.01 * percent) : 0.0;
}

} // namespace

void read_into(Material& m, const KesReading& r) {
    set(m.density, 0.01 * r.weight); // 1 mg/cm2 = 10 g/m2
    set(m.thickness, 1e-3 * r.thickness);
    set(m.stretch_warp, secant(500.0 * kPerWidth, r.extension_warp));
    set(m.stretch_weft, secant(500.0 * kPerWidth, r.extension_weft));
    // Shear is one number here: a square of cloth has the same shear stress on all sides.
    const double both = r.shear_warp > 0.0 && r.shear_weft > 0.0 ? 0.5 : 1.0;
    set(m.shear, both * (r.shear_warp + r.shear_weft) * kPerWidth / kDegree);
    set(m.bend_warp, r.bending_warp * kGramForce * 1e-2); // gf cm2/cm = gf cm
    set(m.bend_weft, r.bending_weft * kGramForce * 1e-2);
    set(m.bend_friction_warp, 0.5 * r.hysteresis_warp * kGramForce); // gf cm/cm = gf; either branch is half of it
    set(m.bend_friction_weft, 0.5 * r.hysteresis_weft * kGramForce);
}

void read_into(Material& m, const FastReading& r) {
    set(m.density, 1e-3 * r.weight);
    set(m.thickness, 1e-3 * r.thickness);
    set(m.stretch_warp, secant(100.0 * kPerWidth, r.extension_warp));
    set(m.stretch_weft, secant(100.0 * kPerWidth, r.extension_weft));
    // On the bias a strip under N per width stretches by N/(4 G): 5 gf/cm gives G = 123 N/m per per cent of EB5.
    set(m.shear, 0.25 * secant(5.0 * kPerWidth, r.extension_bias));
    const auto rigidity = [&](double c) { return 1e-3 * r.weight * kStandardGravity * 1e-9 * c * c * c; };
    set(m.bend_warp, rigidity(r.bending_length_warp));
    set(m.bend_weft, rigidity(r.bending_length_weft));
}

void read_into(Material& m, const CloReading& r) {
    set(m.density, 1e3 * r.density);
    set(m.thickness, 1e-3 * r.thickness);
    set(m.stretch_warp, 1e-3 * r.stretch_warp);
    set(m.stretch_weft, 1e-3 * r.stretch_weft);
    set(m.shear, 1e-3 * r.shear);
    set(m.bend_warp, 1e-9 * r.bending_warp);
    set(m.bend_weft, 1e-9 * r.bending_weft);
    set(m.bend_bias, 1e-9 * r.bending_bias);
}

void read_into(Material& m, const ArcsimReading& r) {
    set(m.density, r.density);
    // It doubles the table when it reads it, then stores k/2 G^2 per area, G = (F^T F - 1)/2. The shear angle is 2 G12.
    set(m.stretch_warp, 2.0 * r.k11);
    set(m.stretch_weft, 2.0 * r.k22);
    set(m.shear, 0.5 * r.k33);
    // A hinge stores k l^2 theta^2 / (8 A) there and B l^2 theta^2 / (2 A) in a plate of rigidity B, A both its
    // triangles.
    set(m.bend_warp, 0.25 * r.bend_0);
    set(m.bend_weft, 0.25 * r.bend_90);
    set(m.bend_bias, 0.25 * r.bend_45);
}

} // namespace selvage
