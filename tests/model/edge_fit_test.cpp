#include "model/edge_fit.h"

#include <cmath>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::array<Vec2, 3> edges_of(const Vec2& a, const Vec2& b, const Vec2& c) {
    return {Vec2{b.x - a.x, b.y - a.y}, Vec2{c.x - b.x, c.y - b.y}, Vec2{a.x - c.x, a.y - c.y}};
}

std::array<Vec2, 3> turned(std::array<Vec2, 3> edges, double degrees) {
    const double angle = degrees * std::acos(-1.0) / 180.0, c = std::cos(angle), s = std::sin(angle);
    for (Vec2& e : edges)
        e = {c * e.x - s * e.y, s * e.x + c * e.y};
    return edges;
}

Material poplin() {
    Material m;
    m.stretch_warp = 6000;
    m.stretch_weft = 3500;
    m.shear = 60;
    return m;
}

TEST(EdgeFit, LeavesNoEdgeSlackWhateverTheGrain) {
    // The floor is a twentieth of the fabric's stiffness along the edge; the non-negative fit before had zeros at most angles.
    const Material m = poplin();
    for (const std::array<Vec2, 3>& shape :
         {edges_of({0, 0}, {0.02, 0}, {0, 0.02}), edges_of({0, 0}, {0.02, 0}, {0.01, 0.0173}),
          edges_of({0, 0}, {0.03, 0}, {0.004, 0.01})})
        for (int angle = 0; angle < 180; angle += 5) {
            const std::array<Vec2, 3> edges = turned(shape, angle);
            const double area = 0.5 * std::abs(edges[0].x * edges[1].y - edges[0].y * edges[1].x);
            const std::array<double, 3> k = fit_edges(edges, area, m);
            for (int e = 0; e < 3; ++e) {
                const double l2 = edges[e].x * edges[e].x + edges[e].y * edges[e].y;
                const double along =
                    (m.stretch_warp * edges[e].x * edges[e].x + m.stretch_weft * edges[e].y * edges[e].y) / l2;
                EXPECT_GE(k[e] * l2 / area, 0.999 * kLeastEdge * along) << "turned by " << angle << ", edge " << e;
            }
        }
}

TEST(EdgeFit, HasNoJumpsInTheGrain) {
    // Where two answers are equally good, rounding must not choose: 1e-5 degrees change no edge by more than a per cent.
    const std::array<Vec2, 3> shape = edges_of({0, 0}, {0.02, 0}, {0.01, 0.0173});
    for (int angle = 0; angle < 180; ++angle) {
        const std::array<double, 3> a = fit_edges(turned(shape, angle), 1.73e-4, poplin());
        const std::array<double, 3> b = fit_edges(turned(shape, angle + 1e-5), 1.73e-4, poplin());
        for (int e = 0; e < 3; ++e)
            EXPECT_NEAR(a[e] / b[e], 1.0, 0.01) << "at " << angle << " degrees, edge " << e;
    }
}

TEST(EdgeFit, MirroredEdgesAreAlike) {
    // Edges at +60 and -60 degrees from the warp cannot differ.
    const std::array<double, 3> k = fit_edges(edges_of({0, 0}, {1, 0}, {0.5, std::sqrt(0.75)}), 0.433, poplin());
    EXPECT_NEAR(k[1] / k[2], 1.0, 1e-6);
}

TEST(EdgeFit, IsExactWhereEdgesFollowTheThreads) {
    // Half a square: C11 = Yu, C22 = Yv, C33 = G within a per cent, from k l^2 / area and the directions 0, 90, 135.
    const Material m = poplin();
    const std::array<Vec2, 3> edges = edges_of({0, 0}, {1, 0}, {0, 1});
    const std::array<double, 3> k = fit_edges(edges, 0.5, m);
    const double warp = k[0] / 0.5, bias = k[1] * 2 / 0.5, weft = k[2] / 0.5;
    EXPECT_NEAR(warp + bias / 4, m.stretch_warp, 0.01 * m.stretch_warp);
    EXPECT_NEAR(weft + bias / 4, m.stretch_weft, 0.01 * m.stretch_weft);
    // Softer than the floor it cannot be: a twentieth of the mean stiffness, a quarter of that in shear.
    EXPECT_NEAR(bias / 4, std::max(m.shear, kLeastEdge * 0.25 * 0.5 * (m.stretch_warp + m.stretch_weft)),
                0.02 * m.stretch_weft);
}

TEST(EdgeFit, GivesNothingToATriangleThatIsAPointOrALine) {
    const Material m = poplin();
    EXPECT_EQ(fit_edges({Vec2{}, Vec2{}, Vec2{}}, 0.0, m), (std::array<double, 3>{0, 0, 0}));
    for (const double k : fit_edges(edges_of({0, 0}, {1, 0}, {0.5, 0}), 0.0, m)) {
        EXPECT_TRUE(std::isfinite(k));
        EXPECT_EQ(k, 0.0); // no area, no stiffness
    }
    for (const double k : fit_edges(edges_of({0, 0}, {1, 0}, {0.5, 1e-7}), 5e-8, m))
        EXPECT_TRUE(std::isfinite(k) && k > 0.0);
}

TEST(EdgeFit, ServesFabricsWithoutShearOrWithoutWeft) {
    Material m = poplin();
    m.shear = 0.0;
    const std::array<Vec2, 3> edges = turned(edges_of({0, 0}, {1, 0}, {0.4, 0.8}), 20);
    for (const double k : fit_edges(edges, 0.4, m))
        EXPECT_GT(k, 0.0);
    m.stretch_weft = 0.0;
    for (const double k : fit_edges(edges, 0.4, m))
        EXPECT_TRUE(std::isfinite(k) && k >= 0.0);
}

} // namespace
} // namespace selvage
