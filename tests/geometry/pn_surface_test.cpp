#include "geometry/pn_surface.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/generators.h"

namespace selvage {
namespace {

PnSurface make(const TriangleMesh& mesh, const PnSettings& settings) {
    Result<PnSurface> surface = PnSurface::make(mesh, settings);
    EXPECT_TRUE(surface) << (surface ? "" : surface.error().text());
    return std::move(*surface);
}

TriangleMesh grid(int vertices) {
    return make_grid({{1, 1}, {vertices, vertices}})->mesh;
}

/// An octahedron, each face cut into four `rounds` times, vertices moved onto the unit sphere.
TriangleMesh sphere(int rounds) {
    TriangleMesh mesh;
    mesh.positions = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int round = 0; round < rounds; ++round) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [entry, is_new] = middles.try_emplace(std::minmax(a, b), mesh.vertex_count());
            if (is_new) mesh.positions.push_back(normalized(mesh.positions[a] + mesh.positions[b]));
            return entry->second;
        };
        std::vector<Triangle> finer;
        for (const auto& [a, b, c] : mesh.triangles) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        mesh.triangles = finer;
    }
    return mesh;
}

double area_of(const TriangleMesh& mesh, const std::vector<Vec3>& x) {
    double sum = 0.0;
    for (const Triangle& t : mesh.triangles)
        sum += 0.5 * length(doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]));
    return sum;
}

/// The rest grid bent into folds, sheared and pressed together: everything at once.
std::vector<Vec3> crumple(const TriangleMesh& mesh, double amount) {
    std::vector<Vec3> x;
    for (const Vec3& p : mesh.positions)
        x.emplace_back((1.0 - 0.3 * amount) * p.x + 0.1 * amount * std::sin(7 * p.y), (1.0 - 0.1 * amount) * p.y,
                       amount * 0.2 * std::sin(5 * p.x + 2 * p.y) + 0.1 * amount * p.x * p.y);
    return x;
}

TEST(PnSurface, PassesThroughTheParticles) {
    const TriangleMesh mesh = grid(5);
    const std::vector<Vec3> x = crumple(mesh, 1.0);
    ThreadPool pool(1);
    PnSurface surface = make(mesh, {});
    surface.update(x, pool);
    ASSERT_EQ(surface.mesh().triangle_count(), 32 * 64);
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(surface.positions()[i], x[i]);
}

TEST(PnSurface, OfAFlatClothIsFlatAndOfItsArea) {
    const TriangleMesh mesh = grid(5);
    for (const int per_edge : {1, 2, 3, 8}) {
        const PnSurface surface = make(mesh, {per_edge});
        for (const Vec3& p : surface.positions())
            EXPECT_EQ(p.z, 0.0);
        EXPECT_NEAR(area_of(surface.mesh(), surface.positions()), 1.0, 1e-13);
        for (const Vec3f& n : surface.normals())
            EXPECT_NEAR(n.z, 1.0, 1e-6);
        for (const Triangle& t : surface.mesh().triangles) { // none folded over: the lattice is even
            const std::vector<Vec3>& x = surface.positions();
            EXPECT_NEAR(doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]).z, 1.0 / (16 * per_edge * per_edge), 1e-13);
        }
    }
}

TEST(PnSurface, MovesAndTurnsWithTheCloth) {
    const TriangleMesh mesh = grid(5);
    const std::vector<Vec3> x = crumple(mesh, 0.8);
    const auto moved = [](const Vec3& p) { return Vec3{-p.y + 3.0, p.x - 2.0, p.z + 1.0}; }; // a quarter turn
    std::vector<Vec3> y;
    for (const Vec3& p : x)
        y.push_back(moved(p));
    ThreadPool pool(1);
    PnSurface here = make(mesh, {}), there = make(mesh, {});
    here.update(x, pool);
    there.update(y, pool);
    for (std::size_t i = 0; i < here.positions().size(); ++i)
        EXPECT_LT(length(moved(here.positions()[i]) - there.positions()[i]), 1e-9);
}

TEST(PnSurface, OverAnOctahedronIsWhereTheFormulaPutsIt) {
    // Corners e1, e2, e3 that are their own normals: b210 = e1 + e2/3 and b111 = (e1 + e2 + e3)/2. The sides' middles
    // lie at (e1 + e2)/2 * 5/4 and the face's at (e1 + e2 + e3) * 4/9.
    const PnSurface surface = make(sphere(0), {3, PnSettings::Normals::area, false});
    for (int e = 0; e < surface.edge_count(); ++e)
        EXPECT_NEAR(length(curve_point(surface.edge_curve(e), 0.5)), 1.25 * std::sqrt(0.5), 1e-14);
    ASSERT_EQ(surface.mesh().vertex_count(), 6 + 12 * 2 + 8);
    for (int i = 30; i < 38; ++i)
        EXPECT_NEAR(length(surface.positions()[i]), 4.0 / 9.0 * std::sqrt(3.0), 1e-14);
}

TEST(PnSurface, OverARoundTubeKeepsTheErrorOfACubic) {
    // On an arc of angle a the curve's middle is at cos(a/2) + sin(a) sin(a/2) / 4 = 1 - 3 a^4 / 128 + ... radii: the
    // ends' handles are a third of the chord, projected. Halving the edges divides the error by 16, inside faces too.
    // The tube's alternating diagonals make every area normal exactly radial.
    double last = 0.0;
    for (const int around : {8, 16, 32, 64}) {
        const PnSurface surface =
            make(make_tube({1.0, 1.0, 8.0 / around, {around, 3}})->mesh, {8, PnSettings::Normals::area, false});
        double worst = 0.0;
        for (const Vec3& p : surface.positions())
            worst = std::max(worst, std::abs(std::hypot(p.x, p.z) - 1.0));
        const double a = 2.0 * std::numbers::pi / around;
        EXPECT_GT(worst, 0.9 * 3.0 / 128.0 * a * a * a * a);
        EXPECT_LT(worst, 1.1 * 3.0 / 128.0 * a * a * a * a);
        if (last > 0.0) {
            EXPECT_NEAR(last / worst, 16.0, 1.0);
        }
        last = worst;
    }
}

TEST(PnSurface, NormalsAreThoseOfThePatch) {
    // One triangle with a wrinkle on each side; no neighbour changes anything. The fine triangles' area normals come
    // near the patch's own with the step: at half the step they must be about twice as near.
    TriangleMesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0.2, 0.9, 0}};
    mesh.triangles = {{0, 1, 2}};
    const std::vector<Vec3> x = {{0, 0, 0}, {0.9, 0.1, 0.1}, {0.2, 0.8, 0.05}};
    ThreadPool pool(1);
    std::array<double, 2> worst{};
    for (const int fine : {0, 1}) {
        const int n = fine ? 64 : 32;
        PnSurface surface = make(mesh, {n});
        surface.update(x, pool);
        const std::vector<Vec3f> by_area = vertex_normals(surface.mesh(), surface.positions());
        for (int i = 0; i < surface.mesh().vertex_count(); ++i) {
            EXPECT_NEAR(length(surface.normals()[i]), 1.0, 1e-5);
            const double error = length(Vec3(surface.normals()[i]) - Vec3(by_area[i]));
            worst[fine] = std::max(worst[fine], error);
        }
    }
    EXPECT_LT(worst[1], 0.2);
    EXPECT_LT(worst[1], worst[0] / 1.7);
}

TEST(PnSurface, NormalsDoNotJumpWhereFacesMeet) {
    // The largest difference between neighbouring normals falls with the step; at a crease it would stay.
    const TriangleMesh mesh = grid(4);
    const std::vector<Vec3> x = crumple(mesh, 0.7);
    ThreadPool pool(1);
    std::array<double, 2> largest{};
    for (const int fine : {0, 1}) {
        PnSurface surface = make(mesh, {fine ? 64 : 32});
        surface.update(x, pool);
        for (const Triangle& t : surface.mesh().triangles)
            for (int k = 0; k < 3; ++k)
                largest[fine] =
                    std::max(largest[fine],
                             static_cast<double>(length(surface.normals()[t[k]] - surface.normals()[t[(k + 1) % 3]])));
    }
    EXPECT_LT(largest[1], 0.65 * largest[0]);
}

TEST(PnSurface, KeepsTheLengthOfCompressedEdges) {
    const TriangleMesh mesh = grid(5);
    ThreadPool pool(1);
    for (const int per_edge : {2, 5, 8, 16})
        for (int percent = 0; percent <= 30; percent += 3)
            for (const double bend : {0.0, 0.05}) {
                std::vector<Vec3> x = mesh.positions;
                for (Vec3& p : x) {
                    p.z = bend * std::sin(6.0 * p.x);
                    p.x *= 1.0 - percent / 100.0;
                }
                PnSurface surface = make(mesh, {per_edge});
                surface.update(x, pool);
                // No edge turns by more than twice the steepest slope; a circle's arc that does is this much longer
                // than its chord, 2.7 % at 30 % compression. Beyond 2 % compression that is less than the rest length.
                const double slope = std::atan(6.0 * bend / (1.0 - percent / 100.0));
                const double arc = slope > 0.0 ? slope / std::sin(slope) : 1.0;
                for (int e = 0; e < surface.edge_count(); ++e) {
                    const double chord = length(x[surface.edge(e)[1]] - x[surface.edge(e)[0]]);
                    // As drawn, and from eight segments on the smooth curve behind it too.
                    for (const int pieces : {per_edge, per_edge < 8 ? per_edge : 400}) {
                        const double rest = surface.rest_length(e), now = drawn_length(surface.edge_curve(e), pieces);
                        EXPECT_GT(now, 0.99 * rest) << percent;
                        EXPECT_LT(now, std::max(arc * chord * (1.0 + 1e-9), 1.01 * rest)) << percent;
                    }
                }
            }
    // Without the control it is as short as it looks.
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x)
        p.x *= 0.8;
    PnSurface surface = make(mesh, {8, PnSettings::Normals::forces, false});
    surface.update(x, pool);
    for (int e = 0; e < surface.edge_count(); ++e)
        if (mesh.positions[surface.edge(e)[0]].y == mesh.positions[surface.edge(e)[1]].y) {
            EXPECT_NEAR(drawn_length(surface.edge_curve(e), 8), 0.8 * surface.rest_length(e), 1e-12);
        }
}

TEST(PnSurface, TurnsNormalsAwayFromTheElasticForce) {
    TriangleMesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.8, 0}, {0.5, -0.8, 0}, {-0.8, 0, 0}};
    mesh.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 2, 4}, {3, 0, 4}};
    std::vector<Vec3> x = mesh.positions;
    x[4] = {-0.64, 0,
            -0.48}; // hangs down, at the same distance: that tilts the area normal at 0 and strains nothing there
    x[1].x = 0.5;   // the edge from 0 along x at half its length
    ThreadPool pool(1);
    const auto tilt = [&](PnSettings::Normals normals) {
        PnSurface surface = make(mesh, {8, normals, false});
        surface.update(x, pool);
        return static_cast<double>(surface.normals()[0].x / surface.normals()[0].z);
    };
    const double plain = tilt(PnSettings::Normals::area);
    EXPECT_LT(plain, -0.2);
    // Each of the two faces at the edge pushes with half its strain of 1/2, along x, so the matrix is s + 2 * 1/4 along
    // x and s = 0.05 across: the tilt shrinks to 0.05 / 0.55.
    EXPECT_NEAR(tilt(PnSettings::Normals::forces), plain / 11.0, 1e-4);
    // At rest there is nothing to turn them.
    const TriangleMesh tube = make_tube({0.3, 0.2, 1.0, {8, 5}})->mesh;
    const PnSurface area = make(tube, {4, PnSettings::Normals::area}), forces = make(tube, {4});
    for (std::size_t i = 0; i < area.normals().size(); ++i)
        EXPECT_LT(length(area.normals()[i] - forces.normals()[i]), 1e-6f);
}

TEST(PnSurface, HasNoCracks) {
    // Closed: every fine edge belongs to exactly two triangles, once in each direction, and V - E + F = 2.
    for (const int per_edge : {1, 2, 3, 7}) {
        const PnSurface surface = make(sphere(1), {per_edge});
        std::map<std::pair<int, int>, int> seen;
        for (const Triangle& t : surface.mesh().triangles)
            for (int k = 0; k < 3; ++k)
                ++seen[{t[k], t[(k + 1) % 3]}];
        for (const auto& [edge, count] : seen) {
            EXPECT_EQ(count, 1);
            EXPECT_TRUE(seen.contains({edge.second, edge.first}));
        }
        const int edges = static_cast<int>(seen.size()) / 2;
        EXPECT_EQ(surface.mesh().vertex_count() - edges + surface.mesh().triangle_count(), 2);
        std::vector<Vec3> sorted = surface.positions(); // and no two vertices in one place
        const auto less = [](const Vec3& p, const Vec3& q) {
            return std::tie(p.x, p.y, p.z) < std::tie(q.x, q.y, q.z);
        };
        std::sort(sorted.begin(), sorted.end(), less);
        EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
    }
}

TEST(PnSurface, FacesMeetTheirBoundaryCurves) {
    // The points next to an edge come as near to it as the step does: a jump would stay however fine the mesh.
    const TriangleMesh mesh = grid(3);
    const std::vector<Vec3> x = crumple(mesh, 1.0);
    ThreadPool pool(1);
    std::array<double, 2> longest{};
    for (const int fine : {0, 1}) {
        PnSurface surface = make(mesh, {fine ? 64 : 16});
        surface.update(x, pool);
        for (const Triangle& t : surface.mesh().triangles)
            for (int k = 0; k < 3; ++k)
                longest[fine] =
                    std::max(longest[fine], length(surface.positions()[t[k]] - surface.positions()[t[(k + 1) % 3]]));
    }
    EXPECT_NEAR(longest[1], longest[0] / 4.0, 0.1 * longest[1]);
}

TEST(PnSurface, HasTheSameBitsOnAnyNumberOfThreads) {
    const TriangleMesh mesh = grid(20);
    PnSurface one = make(mesh, {5}), eight = make(mesh, {5});
    ThreadPool single(1), many(8);
    for (int frame = 0; frame < 10; ++frame) {
        const std::vector<Vec3> x = crumple(mesh, 0.1 * frame);
        one.update(x, single);
        eight.update(x, many);
        EXPECT_EQ(one.positions(), eight.positions());
        EXPECT_EQ(one.normals(), eight.normals());
    }
}

TEST(PnSurface, ASideIsKeptWhileTheWrinkleLivesAndMaySwitchOnlyWhenItIsGone) {
    const TriangleMesh mesh = grid(3);
    ThreadPool pool(1);
    const PnSettings settings{4, PnSettings::Normals::area}; // so that the arch alone says where a curve bulges
    PnSurface surface = make(mesh, settings);
    const auto pose = [&](double squeeze, double bend) {
        std::vector<Vec3> x = mesh.positions;
        for (Vec3& p : x) {
            p.z = -bend * p.x * p.x;
            p.x *= 1.0 - squeeze;
        }
        surface.update(x, pool);
        return std::vector<std::int8_t>(surface.wrinkle_sides().begin(), surface.wrinkle_sides().end());
    };
    const auto count = [](const std::vector<std::int8_t>& sides, int side) {
        return std::count(sides.begin(), sides.end(), side);
    };
    EXPECT_EQ(count(pose(0.0, 0.0), 0), surface.edge_count());
    const auto front = pose(0.2, 0.1); // arched towards the front: six edges along x and four diagonals
    EXPECT_EQ(count(front, 1), 10);
    EXPECT_EQ(pose(0.2, -0.1), front); // arched to the other side while compressed: they stay
    EXPECT_EQ(count(pose(0.0, 0.0), 0), surface.edge_count());
    EXPECT_EQ(count(pose(0.2, -0.1), -1), 10); // new ones follow the arch

    // Resumed, they stand where they stood.
    PnSurface resumed = make(mesh, settings);
    resumed.set_wrinkle_sides(surface.wrinkle_sides());
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x)
        p.x *= 0.9;
    surface.update(x, pool);
    resumed.update(x, pool);
    EXPECT_EQ(surface.positions(), resumed.positions());
}

TEST(PnSurface, MovesNoFasterThanItsParticlesAllow) {
    // A wrinkle of height h is 2.31 h^2 / length longer when drawn in 8 segments. Of the missing fraction q of the
    // length it makes up q^2 / (q + 0.0075), so h grows by at most 1 / sqrt(2.31 * 0.0075) = 7.6 times the change of
    // its edge's length, which is at most twice the particles' motion; the plain patch and its normals are allowed
    // another five.
    constexpr double kMost = 2.0 * 7.6 + 5.0;
    const TriangleMesh mesh = grid(5);
    ThreadPool pool(1);
    PnSurface surface = make(mesh, {});
    std::vector<Vec3> last_x = mesh.positions, last_y = surface.positions();
    double worst = 0.0;
    for (int frame = 1; frame <= 2000; ++frame) { // in and out of compression, arching to both sides meanwhile
        const double t = 0.01 * frame;
        std::vector<Vec3> x = mesh.positions;
        for (Vec3& p : x)
            p = {p.x * (1.0 - 0.15 * std::sin(t)), p.y * (1.0 - 0.1 * std::sin(1.7 * t)),
                 0.15 * std::sin(2.3 * t + 4.0 * p.x - 3.0 * p.y)};
        surface.update(x, pool);
        double moved = 0.0, drawn = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i)
            moved = std::max(moved, length(x[i] - last_x[i]));
        for (std::size_t i = 0; i < last_y.size(); ++i)
            drawn = std::max(drawn, length(surface.positions()[i] - last_y[i]));
        worst = std::max(worst, drawn / moved);
        last_x = x;
        last_y = surface.positions();
    }
    EXPECT_LT(worst, kMost);
    EXPECT_GT(worst, 1.5); // the wrinkles did move more than what carries them
}

TEST(PnSurface, InterpolatesTextureCoordinates) {
    // Along vertices, where one uv belongs to each; per corner, where a tube's seam has two.
    const TriangleMesh flat = grid(4);
    const PnSurface sheet = make(flat, {5});
    ASSERT_EQ(sheet.mesh().uv.size(), sheet.mesh().positions.size());
    EXPECT_TRUE(sheet.mesh().uv_triangles.empty());
    for (std::size_t i = 0; i < sheet.mesh().uv.size(); ++i) {
        EXPECT_NEAR(sheet.mesh().uv[i].x, sheet.mesh().positions[i].x + 0.5, 1e-12); // the grid's uv are its metres
        EXPECT_NEAR(sheet.mesh().uv[i].y, sheet.mesh().positions[i].y + 0.5, 1e-12);
    }
    const PnSurface tube = make(make_tube({0.2, 0.2, 1.0, {8, 5}})->mesh, {4});
    ASSERT_EQ(tube.mesh().uv_triangles.size(), tube.mesh().triangles.size());
    double area = 0.0; // of the unrolled tube, each fine triangle once: 2 pi r by the height
    for (int t = 0; t < tube.mesh().triangle_count(); ++t) {
        const Triangle& c = tube.mesh().uv_corners(t);
        const Vec2 &a = tube.mesh().uv[c[0]], &b = tube.mesh().uv[c[1]], &d = tube.mesh().uv[c[2]];
        area += 0.5 * ((b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x));
        for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(tube.mesh().uv[c[k]].y, tube.mesh().positions[tube.mesh().triangles[t][k]].y + 0.5, 0.02);
    }
    EXPECT_NEAR(area, 2.0 * std::numbers::pi * 0.2, 1e-12);
}

void expect_finite(const PnSurface& surface) {
    for (const Vec3& p : surface.positions())
        ASSERT_TRUE(is_finite(p));
    for (const Vec3f& n : surface.normals())
        ASSERT_TRUE(is_finite(n));
}

TEST(PnSurface, SurvivesDegenerateMeshesAndPoses) {
    ThreadPool pool(1);
    TriangleMesh odd; // a fan with a non-manifold edge, a sliver, a dead triangle, opposite winding, a loose point
    odd.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0.5, 0, 1}, {2, 0, 0}, {1, 0, 0}, {9, 9, 9}};
    odd.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}, {1, 6, 2}, {1, 6, 5}};
    for (const int per_edge : {1, 2, 6}) {
        PnSurface surface = make(odd, {per_edge});
        expect_finite(surface);
        for (const double scale : {1e-200, 1e-20, 1e-6, 0.5, 1.0, 1e6, 1e30}) {
            std::vector<Vec3> x;
            for (const Vec3& p : odd.positions)
                x.push_back(scale * p);
            surface.update(x, pool);
            expect_finite(surface);
            EXPECT_EQ(surface.positions()[7], x[7]);
        }
        surface.update(std::vector<Vec3>(8, Vec3{1, 2, 3}), pool); // all in one place
        expect_finite(surface);
        for (const Vec3& p : surface.positions())
            EXPECT_LT(length(p - Vec3{1, 2, 3}), 1e-12);
        std::vector<Vec3> broken = odd.positions;
        broken[2].x = std::nan("");
        broken[4].y = std::numeric_limits<double>::infinity();
        surface.update(broken, pool); // no promise but to come back
        surface.update(odd.positions, pool);
        expect_finite(surface);
    }
    // Folded flat onto itself.
    const TriangleMesh mesh = grid(5);
    std::vector<Vec3> folded = mesh.positions;
    for (Vec3& p : folded)
        p.x = std::abs(p.x);
    PnSurface surface = make(mesh, {});
    surface.update(folded, pool);
    expect_finite(surface);
    // A solid's inner points belong to no face.
    const TriangleMesh block = make_block({{1, 1, 1}, {3, 3, 3}})->mesh;
    PnSurface solid = make(block, {4});
    expect_finite(solid);
    EXPECT_EQ(solid.positions()[13], block.positions[13]);
}

TEST(PnSurface, RefusesToGrowBeyondAllMemory) {
    const TriangleMesh mesh = grid(101);
    const Result<PnSurface> surface = PnSurface::make(mesh, {64});
    ASSERT_FALSE(surface);
    // 10201 vertices + 30200 edges of 63 points + 20000 faces of 63 * 62 / 2
    EXPECT_EQ(surface.error().message,
              "asks for 40972801 vertices (20000 triangles, 64 segments per edge); expected at "
              "most 16000000");
}

} // namespace
} // namespace selvage
