#include "render/environment.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "math/pi.h"
#include "render/image_file.h"
#include "support.h"

namespace selvage {
namespace {

TEST(Environment, UniformLightGivesPiFromEverySideAtEveryRoughness) {
    const Environment e = make_environment([](const Vec3&) { return Vec3{1, 2, 3}; }, {});
    for (const Vec3f& n : {Vec3f{0, 1, 0}, Vec3f{1, 0, 0}, normalized(Vec3f{1, -2, 3})}) {
        const Vec3f got = sky_irradiance(e, n);
        EXPECT_NEAR(got.x, kPi, 1e-3);
        EXPECT_NEAR(got.z, 3.0 * kPi, 3e-3);
    }
    for (const Environment::CubeLevel& level : e.levels)
        for (const std::vector<float>& face : level.faces)
            for (std::size_t i = 0; i < face.size(); i += 4)
                ASSERT_NEAR(face[i + 1], 2.0f, 1e-4f);
}

TEST(Environment, IrradianceOfALinearSkyIsItsClosedForm) {
    // Radiance 1 + y: the integral of (1 + y) max(0, n.d) is pi + 2 pi / 3 n.y.
    const Environment e = make_environment([](const Vec3& d) { return (1.0 + d.y) * Vec3{1, 1, 1}; }, {});
    for (const double y : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
        const Vec3f n(Vec3{std::sqrt(1.0 - y * y), y, 0.0});
        EXPECT_NEAR(sky_irradiance(e, n).y, kPi + 2.0 * kPi / 3.0 * y, 2e-3);
    }
}

TEST(Environment, ARougherMirrorSeesAWiderLamp) {
    // A lamp of half angle 10 degrees about +z.
    const double edge = std::cos(10.0 * kPi / 180.0);
    const Environment e = make_environment([&](const Vec3& d) { return d.z > edge ? Vec3{1, 1, 1} : Vec3{}; }, {});
    const auto towards_z = [&](std::size_t level) {
        const int side = e.levels[level].side;
        return e.levels[level].faces[4][4 * static_cast<std::size_t>((side / 2) * side + side / 2)];
    };
    EXPECT_NEAR(towards_z(0), 1.0f, 0.05f);
    for (std::size_t level = 1; level < e.levels.size(); ++level)
        EXPECT_LT(towards_z(level), towards_z(level - 1));
    // At alpha 1, seen along the normal, the prefilter weighs by the cosine: sin^2(10 degrees) of a cosine lobe's pi,
    // narrowed by GGX's own fall-off; between that and twice it.
    const double cosine_lobe = 1.0 - edge * edge;
    EXPECT_GT(towards_z(e.levels.size() - 1), 0.5 * cosine_lobe);
    EXPECT_LT(towards_z(e.levels.size() - 1), 2.0 * cosine_lobe);
}

/// Grey with a small lamp, longitude by latitude.
ImageF lamp_picture(int column, int row, float lamp) {
    ImageF picture{64, 32, {}};
    picture.rgba.assign(64 * 32, {0.5f, 0.5f, 0.5f, 1.0f});
    picture.rgba[static_cast<std::size_t>(row) * 64 + column] = {lamp, lamp, lamp, 1.0f};
    return picture;
}

TEST(Environment, TakesTheLampOutOfAPictureAndKeepsItsLight) {
    const ImageF picture = lamp_picture(16, 8, 2000.0f);
    const Environment e = environment_from_picture(picture, 0.0);
    // The middle of pixel (16, 8): longitude 2 pi (16.5 / 64 - 1 / 2), polar angle pi 8.5 / 32.
    const double around = 2.0 * kPi * (16.5 / 64 - 0.5), polar = kPi * 8.5 / 32;
    EXPECT_NEAR(e.key.direction.x, std::sin(polar) * std::cos(around), 1e-4);
    EXPECT_NEAR(e.key.direction.y, std::cos(polar), 1e-4);
    EXPECT_NEAR(e.key.direction.z, std::sin(polar) * std::sin(around), 1e-4);
    // Light is moved, not lost: the mean over the sphere of what is left and the key is 0.42, as for every picture.
    double left = 0.0;
    for (int y = 0; y < e.map.height; ++y)
        for (int x = 0; x < e.map.width; ++x)
            left += e.map.at(x, y)[1] * 2.0 * kPi / e.map.width *
                    (std::cos(kPi * y / e.map.height) - std::cos(kPi * (y + 1) / e.map.height));
    EXPECT_NEAR((left + e.key.irradiance.y) / (4.0 * kPi), 0.42, 0.01);
    EXPECT_GT(e.key.irradiance.y, 1.0f);
}

TEST(Environment, TurnsAPictureAboutTheVertical) {
    const ImageF picture = lamp_picture(16, 8, 2000.0f);
    const Vec3f before = environment_from_picture(picture, 0.0).key.direction;
    const Vec3f after = environment_from_picture(picture, 90.0).key.direction;
    EXPECT_NEAR(after.x, -before.z, 1e-5);
    EXPECT_NEAR(after.y, before.y, 1e-5);
    EXPECT_NEAR(after.z, before.x, 1e-5);
}

class HdrFile : public TestFolder {};

/// The plainest form of the format: no run lengths, four bytes per pixel.
std::string hdr_bytes(int width, int height) {
    std::string text =
        "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + std::to_string(height) + " +X " + std::to_string(width) + "\n";
    for (int i = 0; i < width * height; ++i)
        text += std::string("\x80\x40\x20\x81", 4); // 0x80 / 256 * 2^(0x81 - 128) = 1, a half, a quarter
    return text;
}

TEST_F(HdrFile, ReadsARadiancePicture) {
    ASSERT_TRUE(write_file(file("sky.hdr"), hdr_bytes(4, 2)));
    const Result<ImageF> image = read_hdr(file("sky.hdr"));
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_EQ(image->width, 4);
    EXPECT_EQ(image->height, 2);
    EXPECT_NEAR(image->at(3, 1)[0], 1.0f, 1e-6f);
    EXPECT_NEAR(image->at(3, 1)[1], 0.5f, 1e-6f);
    EXPECT_NEAR(image->at(3, 1)[2], 0.25f, 1e-6f);
    EXPECT_TRUE(load_environment(file("sky.hdr"), 0.0));
}

TEST_F(HdrFile, SaysWhatIsWrongWithOne) {
    const auto message = [&](const std::string& bytes) {
        EXPECT_TRUE(write_file(file("x.hdr"), bytes));
        const Result<Environment> got = load_environment(file("x.hdr"), 0.0);
        return got ? std::string() : got.error().text();
    };
    EXPECT_NE(load_environment(file("none.hdr"), 0.0).error().text().find("no such file"), std::string::npos);
    EXPECT_NE(message("").find("is not a Radiance picture"), std::string::npos);
    EXPECT_NE(message("P6 1 1 255").find("is not a Radiance picture"), std::string::npos);
    EXPECT_NE(message("#?RADIANCE\nFORMAT=what\n\n-Y 2 +X 2\n").find("cannot be read"), std::string::npos);
    EXPECT_NE(message("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 0 +X 0\n"), "");
    EXPECT_NE(message(hdr_bytes(1, 1)).find("expected at least 2x2"), std::string::npos);
}

class PictureFile : public TestFolder {};

TEST_F(PictureFile, ComesBackAsItWasWritten) {
    Image8 image{3, 2, {}};
    for (int i = 0; i < 18; ++i)
        image.rgb.push_back(static_cast<std::uint8_t>(13 * i));
    ASSERT_TRUE(write_png(file("a.png"), image));
    const Result<Image8> back = read_picture(file("a.png"));
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->rgb, image.rgb);
    EXPECT_EQ(files().size(), 1u);
    ASSERT_TRUE(write_file(file("b.png"), read_file(file("a.png"))->substr(0, 40)));
    EXPECT_NE(read_picture(file("b.png")).error().text().find("cannot be read as a picture"), std::string::npos);
    EXPECT_FALSE(write_png(file("none/a.png"), image));
}

} // namespace
} // namespace selvage
