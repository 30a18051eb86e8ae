#include "drawing/wrapped_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "drawing/drawn_surface.h"
#include "geometry/generators.h"
#include "geometry/mesh_export.h"
#include "math/mat.h"
#include "math/pi.h"
#include "sim/scene_text.h"
#include "sim/simulation.h"
#include "support.h"

namespace selvage {
namespace {

/// A square metre in the x-y plane, moved along z.
TriangleMesh sheet(int side, double height) {
    GridDesc grid;
    grid.vertices = {side, side};
    TriangleMesh mesh = make_grid(grid)->mesh;
    for (Vec3& p : mesh.positions)
        p.z += height;
    return mesh;
}

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, length(a[i] - b[i]));
    return largest;
}

TEST(WrappedMesh, IsItselfWhereTheCoarseMeshHasNotMoved) {
    const TriangleMesh coarse = sheet(7, 0.0), fine = sheet(40, 0.03);
    Result<WrappedMesh> wrapped = WrappedMesh::make(coarse, fine);
    ASSERT_TRUE(wrapped) << wrapped.error().text();
    ThreadPool pool(1);
    wrapped->update(coarse.positions, pool);
    EXPECT_LT(largest_distance(wrapped->positions(), fine.positions), 1e-14);
}

TEST(WrappedMesh, MovesAlongWithARigidMotion) {
    TriangleMesh coarse = sheet(7, 0.0), fine = sheet(23, 0.02);
    for (Vec3& p : fine.positions)
        p = 1.05 * p; // beyond the border as well
    Result<WrappedMesh> wrapped = WrappedMesh::make(coarse, fine);
    ASSERT_TRUE(wrapped) << wrapped.error().text();
    const Rotation turn = rotation_from_degrees({30, 70, -110});
    const auto move = [&](Vec3& p) { p = Vec3{0.4, -2.0, 1.0} + turn * p; };
    for (Vec3& p : coarse.positions)
        move(p);
    for (Vec3& p : fine.positions)
        move(p);
    ThreadPool pool(2);
    wrapped->update(coarse.positions, pool);
    EXPECT_LT(largest_distance(wrapped->positions(), fine.positions), 1e-14);
}

TEST(WrappedMesh, KeepsItsDistanceWhenTheCoarseMeshIsRolledUp) {
    // Two centimetres above a sheet that is rolled around a cylinder with its back to it: a cylinder of 2 cm more.
    constexpr double kRadius = 0.3, kAbove = 0.02;
    constexpr int kSide = 41;
    TriangleMesh coarse = sheet(kSide, 0.0);
    Result<WrappedMesh> wrapped = WrappedMesh::make(coarse, sheet(100, kAbove));
    ASSERT_TRUE(wrapped) << wrapped.error().text();
    for (Vec3& p : coarse.positions)
        p = {kRadius * std::sin(p.x / kRadius), p.y, kRadius * std::cos(p.x / kRadius)};
    ThreadPool pool(1);
    wrapped->update(coarse.positions, pool);
    // Facets lie below the cylinder by at most l^2/(8 R); at the border normals turn with one side only, by l/(2 R).
    const double cell = 1.0 / (kSide - 1), sagitta = cell * cell / (8.0 * kRadius);
    for (const Vec3& p : wrapped->positions())
        EXPECT_NEAR(std::hypot(p.x, p.z), kRadius + kAbove, 1.5 * sagitta);
    for (std::size_t v = 0; v < wrapped->positions().size(); ++v) { // outwards
        const Vec3& p = wrapped->positions()[v];
        EXPECT_GT(dot(Vec3(wrapped->normals()[v]), normalized(Vec3{p.x, 0, p.z})), 0.98);
    }
}

TEST(WrappedMesh, HasTheSameBitsOnAnyNumberOfThreads) {
    TriangleMesh coarse = sheet(9, 0.0);
    Result<WrappedMesh> one = WrappedMesh::make(coarse, sheet(50, 0.01)), three = one;
    ASSERT_TRUE(one);
    for (Vec3& p : coarse.positions)
        p.z += 0.1 * std::sin(9.0 * p.x) * std::cos(7.0 * p.y);
    ThreadPool alone(1), several(3);
    one->update(coarse.positions, alone);
    three->update(coarse.positions, several);
    EXPECT_EQ(largest_distance(one->positions(), three->positions()), 0.0);
}

TEST(WrappedMesh, RefusesAMeshThatIsElsewhere) {
    const TriangleMesh coarse = sheet(5, 0.0);
    const Result<WrappedMesh> far = WrappedMesh::make(coarse, sheet(5, 2.0));
    ASSERT_FALSE(far);
    EXPECT_NE(far.error().text().find("lies up to 2 m off the simulated mesh"), std::string::npos)
        << far.error().text();
    TriangleMesh centimetres = sheet(5, 0.0);
    for (Vec3& p : centimetres.positions)
        p = 100.0 * p;
    EXPECT_FALSE(WrappedMesh::make(coarse, centimetres));
}

using DrawnMeshFile = TestFolder;

TEST_F(DrawnMeshFile, IsDrawnAndExportedInsteadOfTheSimulatedMesh) {
    const TriangleMesh fine = sheet(30, 0.01);
    Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(file("fine.obj"), {&fine, {}, 60.0});
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->add_frame(fine.positions));
    ASSERT_TRUE((*writer)->finish());
    SceneDesc scene = read(R"({"cloths": [
        {"mesh": {"grid": {"vertices": [9, 9]}}, "place": {"translate": [0, 2, 0], "rotate_deg": [90, 0, 0]},
         "surface": {"mesh": {"file": "fine.obj"}}}]})");
    scene.directory = folder_;
    Simulation sim = make(scene);
    Result<DrawnSurface> surface = DrawnSurface::make(scene, sim.model());
    ASSERT_TRUE(surface) << surface.error().text();
    EXPECT_EQ(surface->mesh().vertex_count(), 900);
    for (int frame = 0; frame < 6; ++frame)
        sim.step_frame();
    const std::vector<Vec3>& drawn = surface->update(sim.state().position, sim.pool());
    // It falls freely, flat: 0.1 s, so g t^2/2 but for half a step's first-order drift. Its front looks down.
    double mean = 0.0;
    for (const Vec3& p : drawn)
        mean += p.y / 900.0;
    EXPECT_NEAR(mean, 2.0 - 0.01 - 0.5 * 9.81 * 0.01, 0.01);

    std::get<DrawnMeshDesc>(*scene.cloths[0].surface).file = "missing.obj";
    const Result<DrawnSurface> missing = DrawnSurface::make(scene, sim.model());
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text().find("missing.obj"), std::string::npos);
    EXPECT_NE(missing.error().text().find("/cloths/0/surface/mesh/file"), std::string::npos) << missing.error().text();
}

} // namespace
} // namespace selvage
