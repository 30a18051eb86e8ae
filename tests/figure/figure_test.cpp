#include <cmath>

#include "base/atomic_file.h"
#include "figure/picture.h"
#include "figure/plot.h"
#include "geometry/generators.h"
#include "support.h"

namespace selvage {
namespace {

class Figure : public TestFolder {};

int count_unlike(const Canvas& canvas, Colour background) {
    int count = 0;
    for (const Colour& c : canvas.pixels())
        count += c.r != background.r || c.g != background.g || c.b != background.b;
    return count;
}

TEST_F(Figure, PictureShowsASheetOfTheExpectedSize) {
    const TriangleMesh mesh = make_grid({{1, 1}, {9, 9}})->mesh;
    ThreadPool pool(2);
    PictureView view;
    view.eye = {0, 0, 2};
    view.fov_deg = 2.0 * std::atan(0.5) * 180.0 / 3.14159265358979; // 2 m tall at the sheet: it fills a quarter
    const Canvas canvas = draw_picture(pool, mesh, mesh.positions, view, 200, 200);
    EXPECT_NEAR(count_unlike(canvas, {236, 238, 241}), 100 * 100, 450); // a pixel of border either way
    const std::vector<Colour> pixels = canvas.pixels();
    ThreadPool one(1);
    const std::vector<Colour> again = draw_picture(one, mesh, mesh.positions, view, 200, 200).pixels();
    for (std::size_t i = 0; i < again.size(); ++i)
        ASSERT_EQ(again[i].r, pixels[i].r);
    view.eye = {0, 0, -2}; // behind it, the other colour
    const Colour front = pixels[100 * 200 + 100];
    const Colour back = draw_picture(pool, mesh, mesh.positions, view, 200, 200).pixels()[100 * 200 + 100];
    EXPECT_GT(back.g, front.g);
}

TEST_F(Figure, PictureIsShadedByTheNormalsGiven) {
    const TriangleMesh mesh = make_grid({{1, 1}, {3, 3}})->mesh;
    ThreadPool pool(1);
    PictureView view;
    view.eye = {0, 0, 2};
    const auto middle = [&](std::span<const Vec3f> normals) {
        return draw_picture(pool, mesh, mesh.positions, view, 100, 100, normals).pixels()[50 * 100 + 50];
    };
    const std::vector<Vec3f> front(9, Vec3f{0, 0, 1}), down(9, Vec3f{0, -1, 0}), up(9, Vec3f{0, 1, 0});
    EXPECT_EQ(middle(front).r, middle({}).r); // what it would take by itself
    EXPECT_LT(middle(down).r, middle(front).r);
    EXPECT_GT(middle(up).r, middle(front).r); // the light comes from above
}

TEST_F(Figure, CameraPutsPointsWhereThePictureHasThem) {
    PictureView view;
    view.eye = {0, 0, 2};
    view.fov_deg = 90.0; // at a distance of 2 the picture is 4 m tall
    const PictureCamera camera(view, 200, 100);
    const PicturePoint middle = camera.project({0, 0, 0}), corner = camera.project({1, 1, 0});
    EXPECT_NEAR(middle.x, 100.0, 1e-12);
    EXPECT_NEAR(middle.y, 50.0, 1e-12);
    EXPECT_NEAR(middle.depth, 2.0, 1e-12);
    EXPECT_NEAR(corner.x, 125.0, 1e-12);
    EXPECT_NEAR(corner.y, 25.0, 1e-12);
    EXPECT_LT(camera.project({0, 0, 3}).depth, 0.0);
}

TEST_F(Figure, PictureSurvivesClothBehindTheCameraAndNonsense) {
    TriangleMesh mesh = make_grid({{1, 1}, {3, 3}})->mesh;
    ThreadPool pool(1);
    PictureView view;
    view.eye = {0, 0, 0.0}; // inside the sheet
    view.target = {0, 0, -1};
    draw_picture(pool, mesh, mesh.positions, view, 32, 32);
    mesh.positions[4].x = std::nan("");
    mesh.positions[5].y = 1e300;
    draw_picture(pool, mesh, mesh.positions, view, 32, 32);
}

TEST_F(Figure, PlotDrawsItsPointsAndWritesAPng) {
    Plot plot{"title", "x",  "y",
              false,   true, {{"a", {1, 2, 3}, {0.1, 1.0, 10.0}}, {"b", {1, 2, 3}, {0.0, -1.0, std::nan("")}}}};
    ASSERT_TRUE(draw_plot(plot).save_png(file("plot.png")));
    const std::string bytes = *read_file(file("plot.png"));
    EXPECT_EQ(bytes.substr(1, 3), "PNG");
    EXPECT_GT(bytes.size(), 2000u);
    EXPECT_EQ(files().size(), 1u);
    draw_plot({}); // nothing at all is still a picture
}

TEST_F(Figure, ReportsWhereItCannotWrite) {
    EXPECT_FALSE(Canvas(8, 8).save_png(file("none/x.png")));
}

} // namespace
} // namespace selvage
