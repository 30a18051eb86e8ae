#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "character/character_motion.h"
#include "character/glb_character.h"
#include "character/gltf_character.h"
#include "character/mannequin.h"
#include "support.h"

namespace selvage {
namespace {

using nlohmann::json;

/// A tetrahedron on two joints, one above the other, as glTF text and a file of numbers beside it.
class GltfCharacter : public TestFolder {
protected:
    void SetUp() override {
        TestFolder::SetUp();
        root_ = {{"asset", {{"version", "2.0"}}},
                 {"scene", 0},
                 {"scenes", json::array({{{"nodes", {0, 2}}}})},
                 {"nodes", json::array({{{"name", "hip"}, {"children", {1}}, {"translation", {0, 1, 0}}},
                                        {{"name", "arm"}, {"translation", {0, 1, 0}}},
                                        {{"name", "body"}, {"mesh", 0}, {"skin", 0}}})},
                 {"accessors", json::array()},
                 {"bufferViews", json::array()}};
        const int position = floats({0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 2, 0}, "VEC3", 3);
        const int indices = shorts({0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3}, "SCALAR", 1);
        weights_ = floats({1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 0.25, 0.75, 0, 0}, "VEC4", 4);
        joints_ = shorts({0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, "VEC4", 4);
        const int bind =
            floats({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1},
                   "MAT4", 16);
        json attributes = {{"POSITION", position}, {"WEIGHTS_0", weights_}, {"JOINTS_0", joints_}};
        root_["meshes"] =
            json::array({{{"primitives", json::array({{{"attributes", attributes}, {"indices", indices}}})}}});
        root_["skins"] = json::array({{{"joints", {0, 1}}, {"inverseBindMatrices", bind}}});
    }
    int accessor(std::size_t begin, const std::string& type, int component, std::size_t count) {
        root_["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", begin}, {"byteLength", binary_.size() - begin}});
        binary_.resize((binary_.size() + 3) / 4 * 4);
        root_["accessors"].push_back({{"bufferView", root_["bufferViews"].size() - 1},
                                      {"componentType", component},
                                      {"count", count},
                                      {"type", type}});
        return static_cast<int>(root_["accessors"].size()) - 1;
    }
    int floats(const std::vector<float>& numbers, const std::string& type, std::size_t per_item) {
        const std::size_t begin = binary_.size();
        binary_.append(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
        return accessor(begin, type, 5126, numbers.size() / per_item);
    }
    int shorts(const std::vector<std::uint16_t>& numbers, const std::string& type, std::size_t per_item) {
        const std::size_t begin = binary_.size();
        binary_.append(reinterpret_cast<const char*>(numbers.data()), 2 * numbers.size());
        return accessor(begin, type, 5123, numbers.size() / per_item);
    }
    /// Replaces a number of an accessor made of floats.
    void set_float(int index, std::size_t at, float value) {
        const std::size_t view = root_["accessors"][index]["bufferView"];
        const std::size_t begin = root_["bufferViews"][view]["byteOffset"];
        std::memcpy(binary_.data() + begin + 4 * at, &value, 4);
    }
    void add_channel(const char* path, int node, const std::vector<float>& times, const std::vector<float>& values,
                     const char* type, std::size_t per_item, const char* between) {
        json& animation = root_["animations"][0];
        animation["name"] = "wave";
        const int input = floats(times, "SCALAR", 1), output = floats(values, type, per_item);
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size()}, {"target", {{"node", node}, {"path", path}}}});
        animation["samplers"].push_back({{"input", input}, {"output", output}, {"interpolation", between}});
    }
    Result<Character> read() {
        root_["buffers"] = json::array({{{"uri", "body.bin"}, {"byteLength", binary_.size()}}});
        EXPECT_TRUE(write_file(file("body.bin"), binary_));
        EXPECT_TRUE(write_file(file("body.gltf"), root_.dump()));
        warnings_.clear();
        return read_character(file("body.gltf"), warnings_);
    }
    std::string error() {
        const Result<Character> body = read();
        return body ? "read" : body.error().text();
    }
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

    json root_;
    std::string binary_;
    int weights_ = 0, joints_ = 0;
    std::vector<std::string> warnings_;
};

std::vector<Vec3> placed(const Character& body, const std::string& motion, double time, bool loop = true) {
    Result<CharacterMotion> made =
        CharacterMotion::make(std::make_shared<const Character>(body), {motion, false, loop});
    EXPECT_TRUE(made);
    std::vector<Vec3> out(body.mesh.positions.size());
    made->place(time, out);
    return out;
}

TEST_F(GltfCharacter, MovesVerticesByTheirWeightsAndHitsKeysExactly) {
    const float half = static_cast<float>(std::sqrt(0.5));
    add_channel("rotation", 1, {0.0f, 0.5f, 1.0f}, {0, 0, 0, 1, half, 0, 0, half, 0, 0, 0, 1}, "VEC4", 4, "LINEAR");
    add_channel("translation", 0, {0.0f, 1.0f}, {0, 1, 0, 3, 1, 0}, "VEC3", 3, "LINEAR");
    const Result<Character> body = read();
    ASSERT_TRUE(body) << body.error().text();
    ASSERT_EQ(body->animations.size(), 1u);
    EXPECT_EQ(body->animations[0].seconds, 1.0);
    // At 0.5 s the arm is turned a quarter about x, and all is 1.5 m to the right. Vertex 2, at (0, 1, 1), lies at
    // (0, -1, 1) from the arm's joint, which the turn takes to (0, -1, -1).
    const std::vector<Vec3> middle = placed(*body, "wave", 0.5);
    const Vec3 fixed{1.5, 1, 1}, turned{1.5, 1, -1};
    EXPECT_LT(length(middle[2] - (0.5 * fixed + 0.5 * turned)), 1e-6);
    EXPECT_LT(length(middle[1] - Vec3{2.5, 1, 0}), 1e-9);
    BodyPose pose = rest_pose(body->skeleton);
    sample_animation(body->animations[0], 0.5, false, pose);
    EXPECT_EQ(pose.local[2].rotation.x, double{half}); // joints are in the order nodes are reached: hip, body, arm
    sample_animation(body->animations[0], 0.25, false, pose);
    EXPECT_NEAR(pose.local[2].rotation.x, std::sin(0.125 * 3.14159265358979),
                1e-7); // an even pace, not a straight line
    EXPECT_EQ(placed(*body, "rest", 0.7), body->mesh.positions);
}

TEST_F(GltfCharacter, HoldsTheLastPoseOrStartsOver) {
    add_channel("translation", 0, {0.0f, 2.0f}, {0, 1, 0, 4, 1, 0}, "VEC3", 3, "LINEAR");
    const Result<Character> body = read();
    ASSERT_TRUE(body) << body.error().text();
    EXPECT_NEAR(placed(*body, "", 5.0, false)[0].x, 4.0, 1e-12);
    EXPECT_NEAR(placed(*body, "", 5.0, true)[0].x, 2.0, 1e-12);
    EXPECT_NEAR(placed(*body, "", 2.0, true)[0].x, 4.0, 1e-12); // the end itself still belongs to the round
}

TEST_F(GltfCharacter, InterpolatesInStepsAndCubics) {
    add_channel("translation", 0, {0.0f, 1.0f}, {0, 1, 0, 1, 1, 0}, "VEC3", 3, "STEP");
    // Value 0 with slope 3 at the start, value 1 with slope 0 at the end.
    add_channel("translation", 1, {0.0f, 1.0f}, {9, 9, 9, 0, 1, 0, 3, 0, 0, 0, 0, 0, 1, 1, 0, 9, 9, 9}, "VEC3", 3,
                "CUBICSPLINE");
    const Result<Character> body = read();
    ASSERT_TRUE(body) << body.error().text();
    BodyPose pose = rest_pose(body->skeleton);
    sample_animation(body->animations[0], 0.999, false, pose);
    EXPECT_EQ(pose.local[0].translation.x, 0.0);
    sample_animation(body->animations[0], 0.5, false, pose);
    EXPECT_NEAR(pose.local[2].translation.x, 0.5 + 0.125 * 3.0, 1e-12);
    sample_animation(body->animations[0], 1.0, false, pose);
    EXPECT_EQ(pose.local[0].translation.x, 1.0);
    EXPECT_EQ(pose.local[2].translation.x, 1.0);
}

TEST_F(GltfCharacter, BlendsMorphTargetsOfSparseAccessors) {
    const int values = floats({0, 0, 0.5f}, "VEC3", 3), indices = shorts({3}, "SCALAR", 1);
    root_["accessors"].push_back(
        {{"componentType", 5126},
         {"count", 4},
         {"type", "VEC3"},
         {"sparse",
          {{"count", 1},
           {"indices", {{"bufferView", root_["accessors"][indices]["bufferView"]}, {"componentType", 5123}}},
           {"values", {{"bufferView", root_["accessors"][values]["bufferView"]}}}}}});
    root_["meshes"][0]["primitives"][0]["targets"] = json::array({{{"POSITION", root_["accessors"].size() - 1}}});
    root_["meshes"][0]["weights"] = {0.2};
    add_channel("weights", 2, {0.0f, 1.0f}, {0, 2}, "SCALAR", 1, "LINEAR");
    const Result<Character> body = read();
    ASSERT_TRUE(body) << body.error().text();
    EXPECT_NEAR(placed(*body, "rest", 0.0)[3].z, 0.1, 1e-7);
    EXPECT_NEAR(placed(*body, "wave", 0.5)[3].z, 0.5, 1e-7);
    EXPECT_NEAR(placed(*body, "wave", 0.5)[2].z, 1.0, 1e-7);
}

TEST_F(GltfCharacter, MovesMeshesWithoutSkinByTheirNode) {
    root_["nodes"].push_back({{"name", "hat"}, {"mesh", 1}, {"translation", {0, 5, 0}}});
    root_["nodes"][1]["children"] = {3};
    json primitive = root_["meshes"][0]["primitives"][0];
    primitive["attributes"].erase("WEIGHTS_0");
    primitive["attributes"].erase("JOINTS_0");
    root_["meshes"].push_back({{"primitives", json::array({primitive, primitive})}});
    const Result<Character> body = read();
    ASSERT_TRUE(body) << body.error().text();
    EXPECT_EQ(body->mesh.vertex_count(), 8); // two primitives at one place are one
    EXPECT_EQ(body->mesh.triangle_count(), 12);
    EXPECT_NEAR(placed(*body, "", 0.0)[4].y, 1 + 1 + 5 + 1, 1e-12);
}

TEST_F(GltfCharacter, ScalesWeightsToOneWithAWarning) {
    set_float(weights_, 0, 0.5f);
    const Result<Character> body = read();
    ASSERT_TRUE(body) << body.error().text();
    EXPECT_EQ(body->skin.weight[0], 1.0);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_TRUE(has(warnings_[0], "add up to 1 only within 0.5"));
}

TEST_F(GltfCharacter, SaysWhatIsWrongWithASkin) {
    const auto after = [&](const auto& change) {
        const json kept = root_;
        const std::string bytes = binary_;
        change();
        const std::string text = error();
        root_ = kept;
        binary_ = bytes;
        return text;
    };
    EXPECT_EQ(error(), "read");
    EXPECT_TRUE(has(after([&] { set_float(weights_, 8, std::numeric_limits<float>::quiet_NaN()); }),
                    "mesh 0 primitive 0 vertex 2 has weight nan"));
    EXPECT_TRUE(has(after([&] { set_float(weights_, 4, 0.0f); }), "vertex 1 has no weight"));
    EXPECT_TRUE(has(after([&] { set_float(weights_, 4, -1.0f); }), "vertex 1 has weight -1"));
    EXPECT_TRUE(has(after([&] { root_["nodes"][1]["scale"] = {1, 0, 1}; }), "node 1 \"arm\" has a scale of zero"));
    EXPECT_TRUE(has(after([&] { root_["skins"][0]["joints"] = {0}; }), "names joint 1; its skin has 1"));
    EXPECT_TRUE(
        has(after([&] { root_["skins"][0]["joints"] = {0, 7}; }), "joint 1 is node 7, which is not in the scene"));
    EXPECT_TRUE(has(after([&] { root_["skins"][0]["joints"] = "all"; }), "/skins/0/joints: expected a list"));
    EXPECT_TRUE(has(after([&] { root_["nodes"][2]["skin"] = 3; }), "names skin 3; it has 1"));
    EXPECT_TRUE(has(after([&] { root_["extensionsRequired"] = {"KHR_draco_mesh_compression"}; }),
                    "compressed by it; export it without compression"));
    EXPECT_TRUE(has(after([&] { root_["extensionsRequired"] = {"EXT_meshopt_compression"}; }), "meshopt"));
    EXPECT_TRUE(has(after([&] { root_["meshes"][0]["primitives"][0]["attributes"].erase("JOINTS_0"); }),
                    "only one of JOINTS_0 and WEIGHTS_0"));
}

TEST_F(GltfCharacter, SaysWhatIsWrongWithAnAnimation) {
    const json kept = root_;
    const std::string bytes = binary_;
    const auto of = [&](const char* path, const std::vector<float>& times, const std::vector<float>& values,
                        const char* type, std::size_t per_item, const char* between) {
        root_ = kept;
        binary_ = bytes;
        add_channel(path, 1, times, values, type, per_item, between);
        return error();
    };
    EXPECT_TRUE(
        has(of("scale", {0, 1}, {1, 1, 1, 1, 0, 1}, "VEC3", 3, "LINEAR"), "scales node 1 \"arm\" to zero at key 1"));
    EXPECT_TRUE(has(of("scale", {0, 0}, {1, 1, 1, 1, 1, 1}, "VEC3", 3, "LINEAR"), "key 1 is at 0 s"));
    EXPECT_TRUE(has(of("scale", {0, 1}, {1, 1, 1}, "VEC3", 3, "LINEAR"), "1 values for 2 keys; expected 2"));
    EXPECT_TRUE(has(of("scale", {0, 1}, {1, 1, 1, 1, 1, 1}, "VEC3", 3, "EASE"), "interpolation \"EASE\""));
    EXPECT_TRUE(has(of("rotation", {0}, {0, 0, 0, 0}, "VEC4", 4, "LINEAR"), "quaternion is too short"));
    EXPECT_TRUE(has(of("translation", {0}, {INFINITY, 0, 0}, "VEC3", 3, "LINEAR"), "not finite at key 0"));
    EXPECT_TRUE(has(of("weights", {0}, {1}, "SCALAR", 1, "LINEAR"), "which has none"));
    EXPECT_EQ(of("pointer", {0}, {1}, "SCALAR", 1, "LINEAR"), "read");
    EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(GltfCharacter, NamesTheMotionsThatItHas) {
    add_channel("translation", 0, {0.0f}, {0, 1, 0}, "VEC3", 3, "LINEAR");
    const Result<Character> body = read();
    ASSERT_TRUE(body) << body.error().text();
    const Result<CharacterMotion> motion = CharacterMotion::make(std::make_shared<const Character>(*body), {"wafe"});
    ASSERT_FALSE(motion);
    EXPECT_EQ(motion.error().message, "unknown motion \"wafe\"; expected one of: wave, rest; did you mean \"wave\"?");
}

class WrittenCharacter : public TestFolder {};

TEST_F(WrittenCharacter, IsReadBackWithTheSameVerticesInEveryPose) {
    Result<Character> body = make_mannequin(standard_measurements(Figure::child), {4000});
    ASSERT_TRUE(body);
    const MotionInfo& walk = *find_motion("walk");
    body->animations.push_back(sample_motion(*body, walk, 2.0, 30.0, false));
    ASSERT_TRUE(write_character(file("child.glb"), *body));
    std::vector<std::string> warnings;
    const Result<Character> again = read_character(file("child.glb"), warnings);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    ASSERT_EQ(again->mesh.triangles, body->mesh.triangles);
    for (int v = 0; v < body->mesh.vertex_count(); ++v)
        ASSERT_EQ(Vec3f(again->mesh.positions[v]), Vec3f(body->mesh.positions[v]));
    // At a key, against the motion itself: floats of the file alone are between them.
    PosedCharacter poser(std::make_shared<const Character>(*body));
    std::vector<Vec3> wanted(body->mesh.positions.size());
    for (const int key : {0, 17, 45, 60}) {
        poser.place(mannequin_pose(*body, walk, key / 30.0), wanted);
        const std::vector<Vec3> got = placed(*again, "walk", key / 30.0);
        double largest = 0.0;
        for (std::size_t v = 0; v < got.size(); ++v)
            largest = std::max(largest, length(got[v] - wanted[v]));
        EXPECT_LT(largest, 1e-5);
    }
}

} // namespace
} // namespace selvage
