#include "render/cloth_surface.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "geometry/generators.h"

namespace selvage {
namespace {

struct Box3 {
    Vec3f low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
};

Box3 bounds(const SurfaceMesh& mesh) {
    Box3 box;
    for (const SurfaceVertex& v : mesh.vertices) {
        const Vec3f& p = v.position;
        box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
        box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
    }
    return box;
}

/// A sheet of one by one metre in the plane z = 0.
TriangleMesh sheet() {
    return make_grid({{1, 1}, {11, 11}})->mesh;
}

SurfaceMesh made(const TriangleMesh& mesh, const std::vector<Vec3>& x, const ClothSurfaceSettings& settings) {
    ClothSurface surface(mesh, 0, mesh.triangle_count(), settings);
    return surface.update(x, vertex_normals(mesh, x));
}

TEST(ClothSurface, HasTheThicknessOfTheClothAndOfTwoLayersAtTheHem) {
    const TriangleMesh mesh = sheet();
    const float t = 0.01f;
    const Box3 plain = bounds(made(mesh, mesh.positions, {t, 0.0}));
    EXPECT_NEAR(plain.high.z - plain.low.z, t, 1e-6f);
    EXPECT_NEAR(plain.high.x - plain.low.x, 1.0f + t, 1e-5f); // a rounded edge of half the thickness on either side
    const Box3 hemmed = bounds(made(mesh, mesh.positions, {t, 0.03}));
    EXPECT_NEAR(hemmed.high.z - hemmed.low.z, 2.0f * t, 1e-6f);
    EXPECT_NEAR(hemmed.high.y - hemmed.low.y, 1.0f + 2.0f * t, 1e-5f);
}

TEST(ClothSurface, PutsTheLipOfTheHemItsWidthInside) {
    const TriangleMesh mesh = sheet();
    // Wider than a cell of 0.1 m: the place inside is found across several triangles.
    const SurfaceMesh surface = made(mesh, mesh.positions, {0.001, 0.13});
    int lips = 0;
    for (const SurfaceVertex& v : surface.vertices) {
        if (v.hem > 0.0f) continue;
        const float inside = 0.5f - std::max(std::abs(v.position.x), std::abs(v.position.y));
        lips += std::abs(inside - 0.13f) < 1e-4f;
    }
    // 40 border vertices, front and back; the eight beside the corners have the other border nearer, at 0.1 m. One of the
    // others has two sections: stitches begin and end there.
    EXPECT_EQ(lips, 2 * (40 - 8 + 1));
}

TEST(ClothSurface, FacesOutwardsEverywhere) {
    TriangleMesh mesh = sheet();
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x)
        p.z = 0.1 * std::sin(5.0 * p.x) + 0.05 * p.y * p.y;
    const SurfaceMesh surface = made(mesh, x, {0.004, 0.02});
    for (std::size_t t = 0; t < surface.indices.size(); t += 3) {
        const SurfaceVertex& a = surface.vertices[surface.indices[t]];
        const SurfaceVertex& b = surface.vertices[surface.indices[t + 1]];
        const SurfaceVertex& c = surface.vertices[surface.indices[t + 2]];
        const Vec3f n = cross(b.position - a.position, c.position - a.position);
        if (length(n) < 1e-9f) continue;
        EXPECT_GT(dot(n, a.normal + b.normal + c.normal), 0.0f) << "triangle " << t / 3;
    }
}

TEST(ClothSurface, TurnsTheYarnsAroundTheEdge) {
    const TriangleMesh mesh = sheet();
    for (const SurfaceVertex& v : made(mesh, mesh.positions, {0.01, 0.03}).vertices) {
        if (v.hem < 1.0f) continue;
        // A yarn that ran along the normal would have no direction in the surface.
        EXPECT_LT(std::abs(dot(v.warp, v.normal)), 0.75f);
        EXPECT_LT(std::abs(dot(v.weft, v.normal)), 0.75f);
    }
}

TEST(ClothSurface, FollowsWarpAndWeftThroughShear) {
    const TriangleMesh mesh = sheet();
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x)
        p.x += 0.3 * p.y; // derivative by v: (0.3, 1, 0)
    const SurfaceMesh surface = made(mesh, x, {0.001, 0.0});
    const Vec3f weft = normalized(Vec3f{0.3f, 1.0f, 0.0f});
    for (const SurfaceVertex& v : surface.vertices) {
        if (v.hem > 0.0f) continue; // there they turn around the edge
        EXPECT_NEAR(v.warp.x, 1.0f, 1e-5f);
        EXPECT_NEAR(dot(v.weft, weft), 1.0f, 1e-5f);
    }
}

TEST(ClothSurface, SplitsASeamOfTheUvButMakesNoHemThere) {
    const TriangleMesh tube = make_tube({})->mesh;
    ASSERT_FALSE(tube.uv_triangles.empty());
    const SurfaceMesh plain = made(tube, tube.positions, {0.001, 0.0});
    // Sections stand at the two rims alone: every vertex of a hem lies at the top or at the bottom.
    double low = 1e9, high = -1e9;
    for (const Vec3& p : tube.positions)
        low = std::min(low, p.y), high = std::max(high, p.y);
    for (const SurfaceVertex& v : plain.vertices)
        if (v.hem > 0.0f) {
            EXPECT_LT(std::min(std::abs(v.position.y - low), std::abs(v.position.y - high)), 0.002);
        }
}

TEST(ClothSurface, PressesAllowancesFlatOnBothSidesOfASeam) {
    TubeDesc desc;
    desc.radius = desc.top_radius = 0.3;
    const TriangleMesh tube = make_tube(desc)->mesh;
    ClothSurfaceSettings settings{0.001, 0.0, 0.01};
    const SurfaceMesh surface = made(tube, tube.positions, settings);
    int on_seam = 0, middles = 0;
    float longest = 0.0f;
    for (const SurfaceVertex& v : surface.vertices) {
        if (v.hem >= 0.0f) continue;
        // Around the tube from the seam, which is where u starts and where it ends.
        const double around = 2.0 * 3.14159265358979 * 0.3, from = std::min<double>(v.u, around - v.u);
        EXPECT_LT(from, 0.0101 + 0.01 * around) << v.u; // chords are shorter than the arc
        EXPECT_LT(std::abs(std::hypot(v.position.x, v.position.z) - 0.3), 0.002);
        on_seam += v.hem == -1.0f;
        middles += v.hem == -0.5f;
        longest = std::max(longest, v.measure);
    }
    // Front and back of both sides, at each ring.
    EXPECT_EQ(on_seam, 4 * 33);
    EXPECT_EQ(middles, 4 * 33);
    EXPECT_NEAR(longest, 1.0f, 1e-4f); // as long as the tube is high
    for (std::size_t t = 0; t < surface.indices.size(); t += 3) {
        const SurfaceVertex &a = surface.vertices[surface.indices[t]], &b = surface.vertices[surface.indices[t + 1]],
                            &c = surface.vertices[surface.indices[t + 2]];
        if (a.hem + b.hem + c.hem >= 0.0f) continue; // of the tube's rims, without a hem
        const Vec3f n = cross(b.position - a.position, c.position - a.position);
        EXPECT_GT(dot(n, a.normal + b.normal + c.normal), 0.0f) << "triangle " << t / 3;
    }
}

TEST(Grain, MakesUvOfTheUnitSquareMetres) {
    TriangleMesh mesh = sheet();
    for (Vec3& p : mesh.positions)
        p = {2.0 * p.x, 0.5 * p.y, 0.0};
    const Grain grain = make_grain(mesh);
    EXPECT_FALSE(grain.is_derived);
    double u = 0.0, v = 0.0;
    for (const Vec2& uv : grain.uv)
        u = std::max(u, uv.x), v = std::max(v, uv.y);
    EXPECT_NEAR(u, 2.0, 1e-9);
    EXPECT_NEAR(v, 0.5, 1e-9);
}

TEST(Grain, LaysAFlatPieceWithoutUvOnItsOwnPlane) {
    TriangleMesh mesh = sheet();
    mesh.uv.clear();
    for (Vec3& p : mesh.positions)
        p = {p.x, 0.8 * p.y, 0.6 * p.y}; // leaning
    const Grain grain = make_grain(mesh);
    EXPECT_TRUE(grain.is_derived);
    // Isometric: every edge is as long in uv as in space.
    for (int t = 0; t < mesh.triangle_count(); ++t)
        for (int k = 0; k < 3; ++k) {
            const Vec2 &a = grain.uv[grain.corners[t][k]], &b = grain.uv[grain.corners[t][(k + 1) % 3]];
            const double rest =
                length(mesh.positions[mesh.triangles[t][k]] - mesh.positions[mesh.triangles[t][(k + 1) % 3]]);
            EXPECT_NEAR(std::hypot(a.x - b.x, a.y - b.y), rest, 1e-12);
        }
}

TEST(Grain, SeesARoundPieceWithoutUvFromItsSides) {
    TriangleMesh mesh = make_tube({})->mesh;
    mesh.uv.clear();
    mesh.uv_triangles.clear();
    const Grain grain = make_grain(mesh);
    double flat = 0.0, round = 0.0;
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const Vec2 &a = grain.uv[grain.corners[t][0]], &b = grain.uv[grain.corners[t][1]],
                   &c = grain.uv[grain.corners[t][2]];
        flat += 0.5 * ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)); // positive: not mirrored
        round += triangle_area(mesh, t);
    }
    // A cylinder seen from four sides keeps the mean of the cosine over +-45 degrees, sin(45) / (pi / 4) = 0.9003.
    EXPECT_NEAR(flat / round, 0.9003, 0.02);
}

} // namespace
} // namespace selvage
