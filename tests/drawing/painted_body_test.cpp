// Bodies of glTF files in their own colours.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "character/gltf_paint.h"
#include "drawing/drawn_scene.h"
#include "render/image_file.h"
#include "sim/scene_text.h"
#include "support.h"

namespace selvage {
namespace {

using nlohmann::json;

/// A square of two triangles whose texture breaks along the diagonal, and a third triangle of another material.
class PaintedBodyFile : public TestFolder {
protected:
    void SetUp() override {
        TestFolder::SetUp();
        std::string bytes;
        json views = json::array(), accessors = json::array();
        const auto add = [&](const std::string& data) {
            views.push_back({{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", data.size()}});
            bytes += data;
            bytes.resize((bytes.size() + 3) / 4 * 4);
            return views.size() - 1;
        };
        const auto floats = [&](const std::vector<float>& numbers, const char* type, std::size_t count) {
            const std::size_t view = add({reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size()});
            accessors.push_back({{"bufferView", view}, {"componentType", 5126}, {"count", count}, {"type", type}});
            return accessors.size() - 1;
        };
        const auto square = floats({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0}, "VEC3", 6),
                   square_uv = floats({0, 1, 0.5, 1, 0.5, 0.5, 0.5, 0.5, 1, 0, 0.5, 0}, "VEC2", 6),
                   side = floats({1, 0, 0, 2, 0, 0, 1, 1, 0}, "VEC3", 3);
        const Image8 texture{2, 2, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}};
        const std::size_t image = add(*png_bytes(texture));
        root_ = {{"asset", {{"version", "2.0"}}},
                 {"scene", 0},
                 {"scenes", json::array({{{"nodes", {0}}}})},
                 {"nodes", json::array({{{"mesh", 0}}})},
                 {"accessors", accessors},
                 {"bufferViews", views},
                 {"images", json::array({{{"bufferView", image}, {"mimeType", "image/png"}}})},
                 {"textures", json::array({{{"source", 0}}})},
                 {"buffers", json::array({{{"uri", "body.bin"}, {"byteLength", bytes.size()}}})}};
        root_["materials"] = {
            {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}, {"baseColorFactor", {0.5, 1, 1, 1}}}}},
            {{"pbrMetallicRoughness", {{"baseColorFactor", {0.1, 0.2, 0.3, 1}}}}}};
        root_["meshes"] = json::array(
            {{{"primitives",
               json::array({{{"attributes", {{"POSITION", square}, {"TEXCOORD_0", square_uv}}}, {"material", 0}},
                            {{"attributes", {{"POSITION", side}}}, {"material", 1}}})}}});
        ASSERT_TRUE(write_file(file("body.bin"), bytes));
    }
    std::filesystem::path write() {
        EXPECT_TRUE(write_file(file("body.gltf"), root_.dump()));
        return file("body.gltf");
    }

    json root_;
};

TEST_F(PaintedBodyFile, KeepsTextureCoordinatesApartWhereTheSkinIsOne) {
    const Result<BodyPaint> paint = read_paint(write());
    ASSERT_TRUE(paint) << paint.error().text();
    ASSERT_EQ(paint->parts.size(), 2u);
    ASSERT_EQ(paint->images.size(), 1u);
    const BodyPaint::Part& square = paint->parts[0];
    EXPECT_EQ(square.image, 0);
    EXPECT_EQ(square.factor, (Vec3f{0.5f, 1.0f, 1.0f}));
    ASSERT_EQ(square.corners.size(), 6u);
    // The two corners of the diagonal are one vertex of the skin each, and two of the texture.
    EXPECT_EQ(square.corners[0].vertex, square.corners[3].vertex);
    EXPECT_EQ(square.corners[2].vertex, square.corners[4].vertex);
    EXPECT_EQ(square.corners[0].uv.x, 0.0);
    EXPECT_EQ(square.corners[3].uv.x, 0.5);
    const BodyPaint::Part& side = paint->parts[1];
    EXPECT_EQ(side.image, -1);
    EXPECT_EQ(side.triangles.size(), 1u);
    EXPECT_EQ(side.corners[0].vertex, square.corners[1].vertex); // skin across materials
}

TEST_F(PaintedBodyFile, MovesTextureCoordinatesAsAnExtensionSays) {
    json& texture = root_["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
    texture["extensions"]["KHR_texture_transform"] = {
        {"offset", {0.25, 0.5}}, {"scale", {2, 1}}, {"rotation", 1.5707963267948966}};
    const Result<BodyPaint> paint = read_paint(write());
    ASSERT_TRUE(paint) << paint.error().text();
    // (0.5, 1) is scaled to (1, 1), turned to (1, -1) with v downwards, and shifted.
    EXPECT_NEAR(paint->parts[0].corners[1].uv.x, 1.25, 1e-12);
    EXPECT_NEAR(paint->parts[0].corners[1].uv.y, -0.5, 1e-12);
}

TEST_F(PaintedBodyFile, IsDrawnByItsMaterials) {
    write();
    SceneDesc scene = read(R"({"cloths": [{"mesh": {"grid": {"size": [0.1, 0.1], "vertices": [3, 3]}}}],
        "colliders": [{"character": {"file": "body.gltf"}}]})");
    scene.directory = folder_;
    Simulation sim = make(scene);
    const SceneFrame frame{sim.state().position, sim.colliders()};
    Result<DrawnScene> drawn = DrawnScene::make(scene, sim.shared_model(), frame, 1000, {});
    ASSERT_TRUE(drawn) << drawn.error().text();
    const RenderScene& picture = drawn->update(frame, sim.pool());
    ASSERT_EQ(picture.solids.size(), 2u);
    ASSERT_TRUE(picture.solids[0].map);
    EXPECT_EQ(picture.solids[0].map->width, 2);
    EXPECT_EQ(picture.solids[0].mesh->vertices[0].v, 0.0f); // pictures' v runs up, glTF's down
    EXPECT_EQ(picture.solids[0].mesh->vertices[2].v, 0.5f);
    EXPECT_FALSE(picture.solids[1].map);
    EXPECT_EQ(picture.solids[1].albedo, (Vec3f{0.1f, 0.2f, 0.3f}));
}

TEST_F(PaintedBodyFile, SaysWhichTextureCannotBeReached) {
    root_["images"][0] = {{"uri", "skin.png"}};
    const Result<BodyPaint> paint = read_paint(write());
    ASSERT_FALSE(paint);
    EXPECT_NE(paint.error().text().find("image 0 cannot be reached"), std::string::npos) << paint.error().text();
}

} // namespace
} // namespace selvage
