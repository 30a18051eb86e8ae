#include <cmath>
#include <numbers>

#include "solvers/scenes.h"
#include "view/camera_rig.h"
#include "view/pixel_ray.h"

namespace selvage {
namespace {

const RenderView kView{{0.3, 0.4, 2.0}, {0.1, 0.0, -0.2}, 40.0};

TEST(PixelRay, FindsThePointUnderThePixelExactly) {
    const Simulation sim = make_simulation(free_sheet(XpbdSettings{}, 9));
    const ViewCamera camera(kView, 640, 360);
    int hits = 0;
    for (double x = 5.0; x < 640.0; x += 37.0)
        for (double y = 5.0; y < 360.0; y += 29.0) {
            const auto hit =
                pick_cloth(sim.model().mesh.triangles, sim.state().position, pixel_ray(kView, 640, 360, x, y));
            if (!hit) continue;
            ++hits;
            // There and back through the camera: the point projects to the pixel it was picked at.
            const PicturePoint back = camera.project(hit->point);
            EXPECT_NEAR(back.x, x, 1e-6);
            EXPECT_NEAR(back.y, y, 1e-6);
            const Triangle& t = sim.model().mesh.triangles[hit->triangle];
            const Vec3 again = hit->weight.x * sim.state().position[t[0]] + hit->weight.y * sim.state().position[t[1]] +
                               hit->weight.z * sim.state().position[t[2]];
            EXPECT_LT(length(again - hit->point), 1e-12);
            EXPECT_NEAR(hit->weight.x + hit->weight.y + hit->weight.z, 1.0, 1e-12);
        }
    EXPECT_GT(hits, 30);
}

TEST(PixelRay, DragsInAPlaneThatFacesTheCamera) {
    const Vec3 through{0.2, -0.1, 0.3};
    const Vec3 forward = normalized(kView.target - kView.eye);
    for (const double x : {0.0, 300.0, 639.0}) {
        const Vec3 p = on_view_plane(kView, through, pixel_ray(kView, 640, 360, x, 77.0));
        EXPECT_NEAR(dot(p - through, forward), 0.0, 1e-12);
    }
}

TEST(CameraRig, OrbitsAtTheSameDistanceAndStopsAtThePoles) {
    RenderView view = kView;
    const double distance = length(view.eye - view.target);
    orbit(view, 0.7, 0.3);
    EXPECT_NEAR(length(view.eye - view.target), distance, 1e-12);
    orbit(view, 0.0, 100.0);
    EXPECT_NEAR((view.eye - view.target).y, distance * std::sin(89.0 * std::numbers::pi / 180.0), 1e-9);
    orbit(view, std::nan(""), 1.0);
    EXPECT_TRUE(is_finite(view.eye));
    // A whole turn leads back.
    RenderView turned = kView;
    for (int i = 0; i < 8; ++i)
        orbit(turned, std::numbers::pi / 4.0, 0.0);
    EXPECT_LT(length(turned.eye - kView.eye), 1e-9);
}

TEST(CameraRig, PansSoThatTheTargetFollowsTheMouse) {
    RenderView view = kView;
    pan(view, 50.0, -20.0, 360.0);
    const PicturePoint was = ViewCamera(view, 640, 360).project(kView.target);
    EXPECT_NEAR(was.x, 320.0 + 50.0, 1e-9);
    EXPECT_NEAR(was.y, 180.0 - 20.0, 1e-9);
}

TEST(CameraRig, ZoomsWithinBounds) {
    RenderView view = kView;
    zoom(view, 0.5);
    EXPECT_NEAR(length(view.eye - view.target), 0.5 * length(kView.eye - kView.target), 1e-12);
    for (int i = 0; i < 100; ++i)
        zoom(view, 0.5);
    EXPECT_NEAR(length(view.eye - view.target), 0.01, 1e-12);
    zoom(view, 1e30);
    EXPECT_NEAR(length(view.eye - view.target), 1000.0, 1e-6);
    zoom(view, -1.0);
    zoom(view, 0.0);
    EXPECT_NEAR(length(view.eye - view.target), 1000.0, 1e-6);
}

} // namespace
} // namespace selvage
