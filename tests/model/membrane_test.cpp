#include "model/membrane.h"

#include <cmath>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace selvage {
namespace {

using Corners = std::array<Vec3, 3>;

double energy(const MembraneTriangle& t, const Corners& x, const MembraneLaw& law) {
    return membrane_energy(t, x[1] - x[0], x[2] - x[0], law);
}

std::array<Vec3, 3> forces(const MembraneTriangle& t, const Corners& x, const MembraneLaw& law) {
    const MembraneResponse r = respond(t, x[1] - x[0], x[2] - x[0], law, {});
    return {-(r.force1 + r.force2), r.force1, r.force2};
}

double& coordinate(Vec3& p, int k) {
    return k == 0 ? p.x : k == 1 ? p.y : p.z;
}

/// A triangle of 3 cm, strained by some per cent and turned anywhere.
struct Sample {
    MembraneTriangle triangle;
    Corners x;
};
Sample sample(std::mt19937& random, double strain) {
    std::uniform_real_distribution<double> u(-1, 1);
    const Vec2 e1{0.03 + 0.005 * u(random), 0.008 * u(random)}, e2{0.01 * u(random), 0.03 + 0.005 * u(random)};
    const Rotation turn = rotation_about({3 * u(random), 3 * u(random), 3 * u(random)});
    const auto strained = [&](const Vec2& e) {
        return turn * Vec3{e.x * (1 + strain * u(random)), e.y * (1 + strain * u(random)), 0.03 * strain * u(random)};
    };
    const Vec3 at{u(random), u(random), u(random)};
    return {make_membrane_triangle(e1, e2, 6000, 3500, 60), {at, at + strained(e1), at + strained(e2)}};
}

TEST(Membrane, ForcesAreMinusTheEnergysGradient) {
    std::mt19937 random(1);
    for (int k = 0; k < 100; ++k) {
        auto [t, x] = sample(random, 0.2);
        const MembraneLaw law{0.1, 0.0};
        const auto f = forces(t, x, law);
        for (int corner = 0; corner < 3; ++corner)
            for (int axis = 0; axis < 3; ++axis) {
                const double step = 1e-6 * 0.03;
                Corners up = x, down = x;
                coordinate(up[corner], axis) += step;
                coordinate(down[corner], axis) -= step;
                const double expected = -(energy(t, up, law) - energy(t, down, law)) / (2 * step);
                Vec3 force = f[corner];
                EXPECT_NEAR(coordinate(force, axis), expected, 1e-6 * (1 + length(f[1]) + length(f[2])));
            }
    }
}

TEST(Membrane, ExactHessianIsTheForcesGradientAndTheDefiniteOneIsNeverNegative) {
    std::mt19937 random(2);
    double lowest_exact = 0.0;
    for (int k = 0; k < 100; ++k) {
        auto [t, x] = sample(random, 0.2);
        const MembraneLaw law{0.1, 0.0};
        const auto exact = membrane_hessian(t, x[1] - x[0], x[2] - x[0], law, MembraneHessian::exact);
        const Eigen::Map<const Eigen::Matrix<double, 9, 9, Eigen::RowMajor>> h(exact.data());
        for (int column = 0; column < 9; ++column) {
            const double step = 1e-6 * 0.03;
            Corners up = x, down = x;
            coordinate(up[column / 3], column % 3) += step;
            coordinate(down[column / 3], column % 3) -= step;
            const auto above = forces(t, up, law), below = forces(t, down, law);
            for (int row = 0; row < 9; ++row) {
                Vec3 change = (below[row / 3] - above[row / 3]) / (2 * step);
                EXPECT_NEAR(coordinate(change, row % 3), h(row, column), 1e-6 * h.norm());
            }
        }
        const auto definite = membrane_hessian(t, x[1] - x[0], x[2] - x[0], law, MembraneHessian::definite);
        const Eigen::Map<const Eigen::Matrix<double, 9, 9, Eigen::RowMajor>> d(definite.data());
        EXPECT_LT((d - d.transpose()).norm(), 1e-12 * d.norm());
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> values(d), exact_values(h);
        EXPECT_GT(values.eigenvalues()[0], -1e-12 * d.norm());
        lowest_exact = std::min(lowest_exact, exact_values.eigenvalues()[0]);
    }
    EXPECT_LT(lowest_exact, -1.0); // otherwise nothing was cut off
}

TEST(Membrane, StretchesLikeTheClosedForm) {
    // A patch of any triangles under one affine map: all carry the same tension k strain per width, edge by edge.
    std::mt19937 random(3);
    for (int k = 0; k < 20; ++k) {
        auto [t, x] = sample(random, 0.0);
        const Vec3 e1 = x[1] - x[0], e2 = x[2] - x[0];
        const MembraneResponse rest = respond(t, e1, e2, {}, {});
        EXPECT_NEAR(rest.strain.u, 0.0, 1e-12);
        EXPECT_NEAR(rest.tension_u, 0.0, 1e-9 * t.stretch_u);
        const auto stretch = [&](const Vec3& e) { return e + 0.02 * dot(e, rest.warp) * rest.warp; };
        const double area = 0.5 * length(cross(e1, e2));
        EXPECT_NEAR(energy(t, {Vec3{}, stretch(e1), stretch(e2)}, {}), 0.5 * 6000 * 0.02 * 0.02 * area, 1e-12);
        // A line of nodes that the stretch pulls: force = tension times the width it cuts. Around a triangle the edge
        // opposite corner 1 has normal -grad of that corner's shape function.
        const MembraneResponse r = respond(t, stretch(e1), stretch(e2), {}, {});
        EXPECT_NEAR(dot(r.force1, rest.warp), -6000 * 0.02 * area * t.u1, 1e-9);
        EXPECT_NEAR(dot(r.force1, rest.weft), 0.0, 1e-9);
        // Shear by gamma: energy G gamma^2 / 2 per area, to second order in gamma.
        const auto shear = [&](const Vec3& e) { return e + 0.01 * dot(e, rest.weft) * rest.warp; };
        const double stretched = std::sqrt(1 + 1e-4) - 1; // the weft grows a little with it
        EXPECT_NEAR(energy(t, {Vec3{}, shear(e1), shear(e2)}, {}),
                    area * (0.5 * 60 * 1e-4 + 0.5 * 3500 * stretched * stretched), 1e-12);
        // Compressed instead: softer by the given fraction.
        const auto press = [&](const Vec3& e) { return e - 0.02 * dot(e, rest.warp) * rest.warp; };
        EXPECT_NEAR(energy(t, {Vec3{}, press(e1), press(e2)}, {0.1, 0.0}), 0.1 * 0.5 * 6000 * 4e-4 * area, 1e-12);
    }
}

TEST(Membrane, DampingResistsStrainsAndNothingElse) {
    std::mt19937 random(4);
    const auto [t, x] = sample(random, 0.1);
    const MembraneLaw damped{1.0, 5.0};
    const MembraneStrain before = respond(t, x[1] - x[0], x[2] - x[0], {}, {}).strain;
    // Turned as a whole: the same forces, turned, as without damping.
    const Rotation turn = rotation_about({0.3, -0.2, 0.5});
    const MembraneResponse still = respond(t, x[1] - x[0], x[2] - x[0], {}, {});
    const MembraneResponse turned = respond(t, turn * (x[1] - x[0]), turn * (x[2] - x[0]), damped, before);
    EXPECT_LT(length(turned.force1 - turn * still.force1), 1e-9 * length(still.force1));
    // Stretched on: more than without, by the rate times what was added.
    const MembraneResponse more = respond(t, 1.01 * (x[1] - x[0]), 1.01 * (x[2] - x[0]), damped, before);
    EXPECT_NEAR(more.tension_u, t.stretch_u * (more.strain.u + 5.0 * (more.strain.u - before.u)), 1e-9);
    EXPECT_NEAR(more.strain.u - before.u, 0.01 * (1 + before.u), 1e-12);
}

TEST(Membrane, TrianglesWithoutAreaOrInOnePointStayFinite) {
    const MembraneTriangle none = make_membrane_triangle({1, 0}, {2, 0}, 6000, 3500, 60);
    EXPECT_EQ(none.stretch_u, 0.0);
    EXPECT_EQ(length(respond(none, {1, 0, 0}, {0, 1, 0}, {}, {}).force1), 0.0);
    const MembraneTriangle t = make_membrane_triangle({0.01, 0}, {0, 0.01}, 6000, 3500, 60);
    const MembraneResponse r = respond(t, {}, {}, {0.1, 0.0}, {});
    EXPECT_TRUE(is_finite(r.force1) && is_finite(r.force2));
    for (const double entry : membrane_hessian(t, {}, {}, {0.1, 0.0}, MembraneHessian::definite))
        EXPECT_TRUE(std::isfinite(entry));
}

} // namespace
} // namespace selvage
