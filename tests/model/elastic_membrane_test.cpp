#include "model/elastic_membrane.h"

#include <cmath>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace selvage {
namespace {

using Edges = std::array<double, 6>; // e1, e2

Vec3 first_edge(const Edges& e) {
    return {e[0], e[1], e[2]};
}
Vec3 second_edge(const Edges& e) {
    return {e[3], e[4], e[5]};
}

Material film_law(MembraneKind kind) {
    Material m;
    m.membrane = kind;
    m.stretch_warp = 900;
    m.coupling = 250;
    m.stretch_weft = 500;
    m.shear = 120;
    return m;
}

ElasticTriangle film_triangle(MembraneKind kind) {
    const Vec2 e1{0.03, 0.004}, e2{-0.006, 0.025};
    const double area = 0.5 * (e1.x * e2.y - e1.y * e2.x);
    return make_elastic_triangle(make_membrane_triangle(e1, e2, 1, 1, 1), area, film_law(kind));
}

/// Strained by up to `strain` and turned anywhere.
Edges strained_edges(std::mt19937& random, double strain) {
    std::uniform_real_distribution<double> u(-1, 1);
    const Rotation turn = rotation_about({3 * u(random), 3 * u(random), 3 * u(random)});
    const auto strained = [&](double x, double y) {
        return turn * Vec3{x * (1 + strain * u(random)), y * (1 + strain * u(random)), 0.03 * strain * u(random)};
    };
    const Vec3 a = strained(0.03, 0.004), b = strained(-0.006, 0.025);
    return {a.x, a.y, a.z, b.x, b.y, b.z};
}

constexpr MembraneKind kKinds[] = {MembraneKind::neo_hookean, MembraneKind::stvk};

ElasticResponse at(MembraneKind kind, const Edges& e, MembraneHessian hessian = MembraneHessian::exact,
                   double damping_rate = 0.0, const GreenStrain& before = {}) {
    return respond(film_triangle(kind), first_edge(e), second_edge(e), 1.0, damping_rate, before, hessian);
}

Edges edge_forces(const ElasticResponse& r) {
    return {r.force1.x, r.force1.y, r.force1.z, r.force2.x, r.force2.y, r.force2.z};
}

/// d2E over the six coordinates of the edges, from that over f_u and f_v.
Eigen::Matrix<double, 6, 6> edge_hessian(MembraneKind kind, const ElasticResponse& r) {
    const ElasticTriangle t = film_triangle(kind);
    const double u[2] = {t.u1, t.u2}, v[2] = {t.v1, t.v2};
    Eigen::Matrix<double, 6, 6> h;
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    h(3 * a + i, 3 * b + j) = u[a] * u[b] * r.uu[3 * i + j] + u[a] * v[b] * r.uv[3 * i + j] +
                                              v[a] * u[b] * r.uv[3 * j + i] + v[a] * v[b] * r.vv[3 * i + j];
    return h;
}

TEST(ElasticMembrane, RestsAtRestWithNoEnergy) {
    const Edges rest = {0.03, 0.004, 0, -0.006, 0.025, 0};
    for (const MembraneKind kind : kKinds) {
        const ElasticResponse r = at(kind, rest);
        EXPECT_NEAR(r.energy, 0.0, 1e-15);
        EXPECT_LT(length(r.force1) + length(r.force2), 1e-12);
    }
}

TEST(ElasticMembrane, ForcesAreMinusTheEnergysGradient) {
    std::mt19937 random(1);
    for (const MembraneKind kind : kKinds)
        for (int k = 0; k < 50; ++k) {
            const Edges e = strained_edges(random, 0.4);
            const Edges f = edge_forces(at(kind, e));
            for (int c = 0; c < 6; ++c) {
                const double step = 1e-7;
                Edges up = e, down = e;
                up[c] += step;
                down[c] -= step;
                const double expected = -(at(kind, up).energy - at(kind, down).energy) / (2 * step);
                EXPECT_NEAR(f[c], expected, 1e-6 * (1 + std::abs(expected)));
            }
        }
}

TEST(ElasticMembrane, DerivativesAreThoseOfTheForcesAndTheDefiniteOnesHaveNothingNegative) {
    std::mt19937 random(2);
    int projected = 0;
    for (const MembraneKind kind : kKinds)
        for (int k = 0; k < 50; ++k)
            for (const double damping : {0.0, 3.0}) {
                const Edges e = strained_edges(random, k < 25 ? 0.2 : 0.9);
                const GreenStrain before{0.05, -0.02, 0.1};
                const Eigen::Matrix<double, 6, 6> exact =
                    edge_hessian(kind, at(kind, e, MembraneHessian::exact, damping, before));
                for (int c = 0; c < 6; ++c) {
                    const double step = 1e-7;
                    Edges up = e, down = e;
                    up[c] += step;
                    down[c] -= step;
                    const Edges above = edge_forces(at(kind, up, MembraneHessian::exact, damping, before)),
                                below = edge_forces(at(kind, down, MembraneHessian::exact, damping, before));
                    for (int i = 0; i < 6; ++i)
                        EXPECT_NEAR(exact(i, c), -(above[i] - below[i]) / (2 * step), 1e-5 * exact.norm());
                }
                const Eigen::Matrix<double, 6, 6> definite =
                    edge_hessian(kind, at(kind, e, MembraneHessian::definite, damping, before));
                EXPECT_LT((definite - definite.transpose()).norm(), 1e-9 * definite.norm());
                const auto least = [](const Eigen::Matrix<double, 6, 6>& m) {
                    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>>(m).eigenvalues()(0);
                };
                EXPECT_GT(least(definite), -1e-9 * definite.norm());
                projected += least(exact) < -1e-6 * exact.norm();
            }
    EXPECT_GT(projected, 20); // the samples ask for it
}

// Kelvin and Voigt: damping resists what strain changes by. Held at a strain it does nothing; at a strain that is new
// since the last step it adds its rate times the forces of Saint Venant's film, whose stress is linear in the strain.
TEST(ElasticMembrane, DampingResistsTheChangeOfStrainAlone) {
    std::mt19937 random(4);
    const double rate = 3.0;
    for (const MembraneKind kind : kKinds)
        for (int k = 0; k < 20; ++k) {
            const Edges e = strained_edges(random, 0.2);
            const ElasticTriangle t = film_triangle(kind);
            const Vec3 fu = t.u1 * first_edge(e) + t.u2 * second_edge(e),
                       fv = t.v1 * first_edge(e) + t.v2 * second_edge(e);
            const GreenStrain now{0.5 * (dot(fu, fu) - 1.0), 0.5 * (dot(fv, fv) - 1.0), dot(fu, fv)};
            const Edges elastic = edge_forces(at(kind, e)),
                        held = edge_forces(at(kind, e, MembraneHessian::exact, rate, now)),
                        strained = edge_forces(at(kind, e, MembraneHessian::exact, rate, {}));
            double size = 0.0;
            for (const double force : elastic)
                size = std::max(size, std::abs(force));
            for (int c = 0; c < 6; ++c) {
                EXPECT_NEAR(held[c], elastic[c], 1e-12 * size);
                if (kind == MembraneKind::stvk) {
                    EXPECT_NEAR(strained[c], (1.0 + rate) * elastic[c], 1e-12 * (1.0 + rate) * size);
                }
            }
        }
}

TEST(ElasticMembrane, NothingIsTakenOffWherePulledBothWays) {
    const Edges pulled = {0.03 * 1.1, 0.004 * 1.05, 0, -0.006 * 1.1, 0.025 * 1.05, 0};
    for (const MembraneKind kind : kKinds) {
        const Eigen::Matrix<double, 6, 6> exact = edge_hessian(kind, at(kind, pulled)),
                                          definite = edge_hessian(kind, at(kind, pulled, MembraneHessian::definite));
        EXPECT_LT((exact - definite).norm(), 1e-12 * exact.norm());
    }
}

TEST(ElasticMembrane, SmallStrainsFollowTheTable) {
    // F = 1 + strain: the second Piola stress is C E to first order, neo-hookean with C22 = C11, C33 = (C11 - C12)/2.
    const double s = 1e-6;
    struct Case {
        double e11, e22, shear;
    };
    for (const MembraneKind kind : kKinds)
        for (const Case& c : {Case{s, 0, 0}, Case{0, s, 0}, Case{0, 0, s}}) {
            const ElasticTriangle t = film_triangle(kind);
            const auto strained = [&](double x, double y) {
                return Vec3{x * (1 + c.e11) + 0.5 * c.shear * y, y * (1 + c.e22) + 0.5 * c.shear * x, 0};
            };
            const ElasticResponse r =
                respond(t, strained(0.03, 0.004), strained(-0.006, 0.025), 1.0, 0.0, {}, MembraneHessian::exact);
            const double expected = 0.5 * (t.c11 * c.e11 * c.e11 + t.c22 * c.e22 * c.e22 + t.c33 * c.shear * c.shear);
            EXPECT_NEAR(r.energy, expected, 1e-3 * expected);
        }
}

TEST(ElasticMembrane, ATriangleWithoutAreaHasFiniteForces) {
    for (const MembraneKind kind : kKinds)
        for (const Edges& e : {Edges{}, Edges{0.03, 0, 0, 0.06, 0, 0}}) {
            const ElasticResponse r = at(kind, e, MembraneHessian::definite, 1.0);
            EXPECT_TRUE(is_finite(r.force1) && is_finite(r.force2));
            for (const double value : r.uv)
                EXPECT_TRUE(std::isfinite(value));
        }
}

} // namespace
} // namespace selvage
