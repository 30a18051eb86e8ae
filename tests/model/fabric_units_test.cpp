#include "model/fabric_units.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/bending.h"
#include "model/membrane.h"

namespace selvage {
namespace {

TEST(FabricUnits, ReadKawabataCharts) {
    Material m;
    // A worsted: 20 mg/cm2, EMT 5 %, G 0.6 and 0.8 gf/(cm deg), B 0.1 and 0.08 gf cm2/cm.
    read_into(m, KesReading{20.0, 0.5, 5.0, 10.0, 0.6, 0.8, 0.1, 0.08});
    EXPECT_NEAR(m.density, 0.2, 1e-12);
    EXPECT_NEAR(m.thickness, 5e-4, 1e-12);
    // 500 gf/cm = 490.3325 N/m.
    EXPECT_NEAR(m.stretch_warp, 9806.65, 1e-6);
    EXPECT_NEAR(m.stretch_weft, 4903.325, 1e-6);
    // 1 gf/cm per degree = 0.980665 N/m / (pi/180) = 56.188 N/m per radian.
    EXPECT_NEAR(m.shear, 0.7 * 56.188, 1e-3);
    EXPECT_NEAR(m.bend_warp, 9.80665e-6, 1e-15);
    EXPECT_NEAR(m.bend_weft, 7.84532e-6, 1e-15);
}

TEST(FabricUnits, ReadFastCharts) {
    Material m;
    read_into(m, FastReading{168.0, 0.0, 3.0, 4.0, 2.5, 15.0, 14.5});
    EXPECT_NEAR(m.density, 0.168, 1e-12);
    EXPECT_EQ(m.thickness, Material{}.thickness); // not given
    EXPECT_NEAR(m.stretch_warp, 3268.88, 0.01);
    // CSIRO's working formulas: B = W C^3 9.81e-6 uN m, G = 123/EB5 N/m; they round g and 122.6.
    EXPECT_NEAR(m.bend_warp, 168.0 * 15.0 * 15.0 * 15.0 * 9.81e-12, 5e-4 * m.bend_warp);
    EXPECT_NEAR(m.bend_weft, 168.0 * 14.5 * 14.5 * 14.5 * 9.81e-12, 5e-4 * m.bend_weft);
    EXPECT_NEAR(m.shear, 123.0 / 2.5, 0.004 * m.shear);
    // The bending length of the card is the one that was read.
    EXPECT_NEAR(bending_length(m, m.bend_warp), 0.015, 1e-5);
}

TEST(FabricUnits, ReadCloFiles) {
    Material m;
    // 20 g on a square of 600 mm.
    read_into(m, CloReading{20.0 / 360000.0, 0.3, 4e6, 3e6, 5e4, 8000.0, 5000.0, 6000.0});
    EXPECT_NEAR(m.density, 0.02 / (0.6 * 0.6), 1e-12);
    EXPECT_NEAR(m.thickness, 3e-4, 1e-12);
    EXPECT_NEAR(m.stretch_warp, 4000.0, 1e-9);
    EXPECT_NEAR(m.shear, 50.0, 1e-9);
    EXPECT_NEAR(m.bend_warp, 8e-6, 1e-15);
    EXPECT_NEAR(m.bend_bias, 6e-6, 1e-15);
}

/// ARCSim's energies, written down from its definition, and ours of the material that was read.
TEST(FabricUnits, ReadArcsimFilesToTheSameEnergy) {
    const ArcsimReading reading{0.2, 150.0, 400.0, 60.0, 1e-4, 8e-5, 6e-5};
    Material m;
    read_into(m, reading);

    // A unit right triangle, stretched by a thousandth and sheared by as much: G = (F^T F - 1)/2.
    const Vec3 fu{1.001, 0, 0}, fv{0.002, 1.001, 0};
    const double g11 = 0.5 * (dot(fu, fu) - 1.0), g22 = 0.5 * (dot(fv, fv) - 1.0), g12 = 0.5 * dot(fu, fv);
    const double theirs =
        0.5 * 0.5 * // area, and half of the doubled table
        (2.0 * reading.k11 * g11 * g11 + 2.0 * reading.k22 * g22 * g22 + 2.0 * reading.k33 * g12 * g12);
    const MembraneTriangle t = make_membrane_triangle({1, 0}, {0, 1}, m.stretch_warp, m.stretch_weft, m.shear);
    // To first order in the strain the two measures of it agree: 0.1 %.
    EXPECT_NEAR(membrane_energy(t, fu, fv, {}), theirs, 2e-3 * theirs);

    // A hinge of two triangles of area A together: k l^2 theta^2 / (8 A) against B l^2 theta^2 / (2 A).
    const double l = 0.01, area = 1e-4, theta = 0.2;
    EXPECT_NEAR(m.bend_warp * l * l * theta * theta / (2.0 * area),
                reading.bend_0 * l * l * theta * theta / (8.0 * area), 1e-18);
    EXPECT_NEAR(bend_rigidity(m, 0.5), 2e-5, 1e-18);
}

TEST(FabricUnits, LeaveWhatWasNotRead) {
    Material m;
    read_into(m, KesReading{});
    read_into(m, FastReading{});
    read_into(m, CloReading{});
    read_into(m, ArcsimReading{});
    for (const Field& field : material_fields()) {
        const auto* member = std::get_if<Place<double>>(&field.member);
        if (!member) continue;
        const Material usual;
        EXPECT_EQ(member->in(&m), member->in(&usual)) << field.key;
    }
}

} // namespace
} // namespace selvage
