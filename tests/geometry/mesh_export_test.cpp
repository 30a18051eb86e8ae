#include "geometry/mesh_export.h"

#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "geometry/generators.h"
#include "geometry/glb_export.h"
#include "geometry/mesh_import.h"
#include "geometry/vertex_cache.h"
#include "mesh_samples.h"
#include "support.h"

namespace selvage {
namespace {

/// A grid of 5 x 4 vertices that waves.
class MeshExport : public TestFolder {
protected:
    void SetUp() override {
        TestFolder::SetUp();
        GridDesc desc;
        desc.size = {0.7, 0.9};
        desc.vertices = {5, 4};
        mesh_ = make_grid(desc)->mesh;
    }

    std::vector<Vec3> frame(int index) const {
        std::vector<Vec3> positions = mesh_.positions;
        for (Vec3& p : positions)
            p += Vec3{0.01 * index, 0.0, 0.1 * std::sin(3.0 * p.x + 1.7 * p.y + index)};
        return positions;
    }
    ExportMesh whole() const { return {&mesh_, {}, 24.0}; }
    /// Writes frames 0 .. count - 1; "written" or the error.
    std::string write(const std::string& name, int count) { return write(name, count, whole()); }
    std::string write(const std::string& name, int count, const ExportMesh& mesh) {
        Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(folder_ / name, mesh);
        if (!writer) return writer.error().text();
        for (int i = 0; i < count; ++i)
            if (const Status ok = (*writer)->add_frame(frame(i)); !ok) return ok.error().text();
        const Status done = (*writer)->finish();
        return done ? "written" : done.error().text();
    }
    TriangleMesh read(const std::string& name) {
        const Result<TriangleMesh> mesh = read_mesh(folder_ / name, warnings_);
        EXPECT_TRUE(mesh) << (mesh ? "" : mesh.error().text());
        return mesh ? *mesh : TriangleMesh{};
    }
    std::string bytes(const std::string& name) const {
        std::ifstream in(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    int file_count() const { return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder_), {})); }

    TriangleMesh mesh_;
    std::vector<std::string> warnings_;
};

/// A number from the file's bytes, decoded here by hand.
template <class T>
T number(const std::string& bytes, std::size_t at, bool big = false) {
    std::string part = bytes.substr(at, sizeof(T));
    if (big) part = std::string(part.rbegin(), part.rend());
    T value{};
    std::memcpy(&value, part.data(), sizeof(T));
    return value;
}

// Positions are within 1 m, where neighbouring floats are 6e-8 apart.
constexpr double kFloatRounding = 1.2e-7;

void expect_near(const std::vector<Vec3>& found, const std::vector<Vec3>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_LT(length(found[i] - expected[i]), kFloatRounding) << "vertex " << i;
}

TEST_F(MeshExport, ObjAndPlyGiveBackTheLastFrame) {
    for (const char* name : {"cloth.obj", "cloth.ply", "CLOTH.OBJ"}) {
        ASSERT_EQ(write(name, 3), "written");
        const TriangleMesh back = read(name);
        expect_near(back.positions, frame(2));
        EXPECT_EQ(back.triangles, mesh_.triangles);
        EXPECT_TRUE(back.uv_triangles.empty());
        ASSERT_EQ(back.uv.size(), mesh_.uv.size());
        for (std::size_t i = 0; i < back.uv.size(); ++i)
            EXPECT_LT(std::hypot(back.uv[i].x - mesh_.uv[i].x, back.uv[i].y - mesh_.uv[i].y), kFloatRounding);
    }
    EXPECT_EQ(file_count(), 3); // and no leftovers
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(MeshExport, GlbOfOneFrameGivesItBackWithoutAnimation) {
    ASSERT_EQ(write("cloth.glb", 1), "written");
    const TriangleMesh back = read("cloth.glb");
    expect_near(back.positions, frame(0));
    EXPECT_EQ(back.triangles, mesh_.triangles);
    EXPECT_EQ(back.uv.size(), mesh_.uv.size());
    EXPECT_FALSE(holds(bytes("cloth.glb"), "animations"));
    EXPECT_FALSE(holds(bytes("cloth.glb"), "targets"));
}

TEST_F(MeshExport, SeamsSurviveObjAndGlb) {
    // One corner of the first triangle has a texture coordinate of its own, away from those of its vertex.
    mesh_.uv_triangles = mesh_.triangles;
    mesh_.uv.push_back({2.0, 3.0});
    mesh_.uv_triangles[0][0] = static_cast<int>(mesh_.uv.size()) - 1;
    for (const char* name : {"seam.obj", "seam.glb"}) {
        ASSERT_EQ(write(name, 1), "written");
        const TriangleMesh back = read(name);
        ASSERT_EQ(back.vertex_count(), mesh_.vertex_count()) << name; // glb has one more in the file, welded on reading
        ASSERT_EQ(back.triangle_count(), mesh_.triangle_count());
        for (int t = 0; t < back.triangle_count(); ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec2 found = back.uv[back.uv_corners(t)[k]], expected = mesh_.uv[mesh_.uv_corners(t)[k]];
                EXPECT_LT(std::hypot(found.x - expected.x, found.y - expected.y), 3e-7) << name << " triangle " << t;
                const Vec3 p = back.positions[back.triangles[t][k]], q = frame(0)[mesh_.triangles[t][k]];
                EXPECT_LT(length(p - q), kFloatRounding);
            }
    }
}

TEST_F(MeshExport, ObjSequencesWriteOneFilePerFrame) {
    ASSERT_EQ(write("100%%_%04d.obj", 3), "written");
    EXPECT_EQ(file_count(), 3);
    for (int i = 0; i < 3; ++i)
        expect_near(read("100%_000" + std::to_string(i) + ".obj").positions, frame(i));
    ASSERT_EQ(write("plain%d.obj", 11), "written");
    expect_near(read("plain10.obj").positions, frame(10));
}

TEST_F(MeshExport, ObjWritesOneObjectPerPart) {
    // The grid twice, as two parts: the second one's faces must point to the second one's vertices.
    const int n = mesh_.vertex_count(), m = mesh_.triangle_count();
    const TriangleMesh single = mesh_;
    for (const Vec3& p : single.positions)
        mesh_.positions.push_back(p + Vec3{0.0, 0.0, 0.25});
    for (const Vec2& uv : single.uv)
        mesh_.uv.push_back(uv);
    for (const Triangle& t : single.triangles)
        mesh_.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    ASSERT_EQ(write("two.obj", 1, {&mesh_, {{"left", 0, n, 0, m}, {"right\nside", n, n, m, m}}, 24.0}), "written");
    EXPECT_TRUE(holds(bytes("two.obj"), "\no left\n"));
    EXPECT_TRUE(holds(bytes("two.obj"), "\no right_side\n"));
    EXPECT_EQ(read("two.obj").triangles, mesh_.triangles);
    ASSERT_EQ(write("two.glb", 2, {&mesh_, {{"left", 0, n, 0, m}, {"right", n, n, m, m}}, 24.0}), "written");
    EXPECT_EQ(read("two.glb").triangles, mesh_.triangles);
    expect_near(read("two.glb").positions, frame(0));
}

TEST_F(MeshExport, Pc2HasItsHeaderAndEveryFrameInLittleEndian) {
    ASSERT_EQ(write("cloth.pc2", 4), "written");
    const std::string file = bytes("cloth.pc2");
    const std::size_t n = mesh_.positions.size();
    ASSERT_EQ(file.size(), 32 + 4 * n * 12); // the format's header has 32 bytes
    EXPECT_EQ(file.substr(0, 12), std::string("POINTCACHE2\0", 12));
    EXPECT_EQ(number<std::int32_t>(file, 12), 1);
    EXPECT_EQ(number<std::int32_t>(file, 16), 20); // 5 x 4 vertices
    EXPECT_EQ(number<float>(file, 20), 0.0f);
    EXPECT_EQ(number<float>(file, 24), 1.0f);
    EXPECT_EQ(number<std::int32_t>(file, 28), 4);
    for (int k = 0; k < 4; ++k)
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_EQ(number<float>(file, 32 + (k * n + i) * 12 + 8), static_cast<float>(frame(k)[i].z));
}

TEST_F(MeshExport, MddHasTimesThenEveryFrameInBigEndian) {
    ASSERT_EQ(write("cloth.mdd", 4), "written");
    const std::string file = bytes("cloth.mdd");
    const std::size_t n = mesh_.positions.size(), head = 8 + 4 * 4;
    ASSERT_EQ(file.size(), head + 4 * n * 12);
    EXPECT_EQ(number<std::int32_t>(file, 0, true), 4);
    EXPECT_EQ(number<std::int32_t>(file, 4, true), 20);
    for (int k = 0; k < 4; ++k) {
        EXPECT_FLOAT_EQ(number<float>(file, 8 + 4 * k, true), static_cast<float>(k / 24.0)); // 24 frames per second
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_EQ(number<float>(file, head + (k * n + i) * 12 + 4, true), static_cast<float>(frame(k)[i].y));
    }
}

/// Vector i of an accessor, by the rules of the glTF specification.
const float* gltf_item(const tinygltf::Model& model, int accessor_index, std::size_t i) {
    const tinygltf::Accessor& accessor = model.accessors.at(accessor_index);
    const tinygltf::BufferView& view = model.bufferViews.at(accessor.bufferView);
    const std::size_t stride = static_cast<std::size_t>(accessor.ByteStride(view));
    return reinterpret_cast<const float*>(model.buffers.at(view.buffer).data.data() + view.byteOffset +
                                          accessor.byteOffset + i * stride);
}

Vec3 gltf_vector(const tinygltf::Model& model, int accessor, std::size_t i) {
    const float* f = gltf_item(model, accessor, i);
    return {f[0], f[1], f[2]};
}

TEST_F(MeshExport, GlbMorphTargetsAddUpToEveryFrame) {
    constexpr int kFrames = 5;
    ASSERT_EQ(write("cloth.glb", kFrames), "written");
    tinygltf::TinyGLTF loader;
    tinygltf::Model model;
    std::string error, warning;
    ASSERT_TRUE(loader.LoadBinaryFromFile(&model, &error, &warning, (folder_ / "cloth.glb").string())) << error;
    EXPECT_EQ(error + warning, "");
    ASSERT_EQ(model.meshes.size(), 1u);
    const tinygltf::Primitive& primitive = model.meshes[0].primitives.at(0);
    ASSERT_EQ(primitive.targets.size(), kFrames - 1u);
    EXPECT_TRUE(model.materials.at(primitive.material).doubleSided);
    const int base = primitive.attributes.at("POSITION"), base_normal = primitive.attributes.at("NORMAL");
    for (int k = 1; k < kFrames; ++k) {
        const std::vector<Vec3> expected = frame(k);
        const std::vector<Vec3f> normals = vertex_normals(mesh_, expected);
        const int target = primitive.targets[k - 1].at("POSITION"), normal = primitive.targets[k - 1].at("NORMAL");
        const tinygltf::Accessor& accessor = model.accessors.at(target);
        ASSERT_EQ(accessor.minValues.size(), 3u); // required by the specification
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Vec3 delta = gltf_vector(model, target, i);
            EXPECT_LT(length(gltf_vector(model, base, i) + delta - expected[i]), 1e-6);
            EXPECT_LT(length(gltf_vector(model, base_normal, i) + gltf_vector(model, normal, i) - Vec3(normals[i])),
                      1e-5);
            EXPECT_GE(delta.z, accessor.minValues[2]);
            EXPECT_LE(delta.z, accessor.maxValues[2]);
        }
    }
}

TEST_F(MeshExport, GlbAnimationPlaysOneTargetPerFrame) {
    constexpr int kFrames = 5;
    ASSERT_EQ(write("cloth.glb", kFrames), "written");
    tinygltf::TinyGLTF loader;
    tinygltf::Model model;
    std::string error, warning;
    ASSERT_TRUE(loader.LoadBinaryFromFile(&model, &error, &warning, (folder_ / "cloth.glb").string())) << error;
    ASSERT_EQ(model.animations.size(), 1u);
    const tinygltf::AnimationSampler& sampler = model.animations[0].samplers.at(0);
    EXPECT_EQ(sampler.interpolation, "LINEAR");
    EXPECT_EQ(model.animations[0].channels.at(0).target_path, "weights");
    const tinygltf::Accessor &times = model.accessors.at(sampler.input), &weights = model.accessors.at(sampler.output);
    ASSERT_EQ(times.count, static_cast<std::size_t>(kFrames));
    ASSERT_EQ(weights.count, static_cast<std::size_t>(kFrames * (kFrames - 1)));
    EXPECT_FLOAT_EQ(static_cast<float>(times.maxValues.at(0)), 4.0f / 24.0f);
    for (int k = 0; k < kFrames; ++k) {
        EXPECT_FLOAT_EQ(*gltf_item(model, sampler.input, k), static_cast<float>(k / 24.0));
        for (int target = 1; target < kFrames; ++target)
            EXPECT_EQ(*gltf_item(model, sampler.output, k * (kFrames - 1) + target - 1), target == k ? 1.0f : 0.0f);
    }
}

// Two seconds of a pendulum's swing at 60 Hz: far fewer key frames than frames, and every frame within the tolerance.
TEST_F(MeshExport, GlbStoresTheFramesThatTheToleranceAsksFor) {
    constexpr int kFrames = 121;
    const auto swing = [&](int k) {
        std::vector<Vec3> positions = mesh_.positions;
        for (Vec3& p : positions)
            p.z += 0.3 * p.y * std::sin(2.0 * M_PI * k / 60.0);
        return positions;
    };
    std::size_t all_bytes = 0;
    for (const double tolerance : {0.0, 1e-4, 1e-3, 1e-2}) {
        SCOPED_TRACE(tolerance);
        Result<std::unique_ptr<FrameWriter>> writer =
            make_frame_writer(folder_ / "cloth.glb", {&mesh_, {}, 60.0, tolerance});
        ASSERT_TRUE(writer);
        for (int k = 0; k < kFrames; ++k)
            ASSERT_TRUE((*writer)->add_frame(swing(k)));
        ASSERT_TRUE((*writer)->finish());
        if (tolerance == 0.0) all_bytes = bytes("cloth.glb").size();
        tinygltf::TinyGLTF loader;
        tinygltf::Model model;
        std::string error, warning;
        ASSERT_TRUE(loader.LoadBinaryFromFile(&model, &error, &warning, (folder_ / "cloth.glb").string())) << error;
        const tinygltf::Primitive& primitive = model.meshes.at(0).primitives.at(0);
        const tinygltf::AnimationSampler& sampler = model.animations.at(0).samplers.at(0);
        const std::size_t keys = model.accessors.at(sampler.input).count;
        ASSERT_EQ(primitive.targets.size() + 1, keys);
        // By the rules of the specification: the base, and the target by its weight; both by the node's scale.
        const std::vector<double>& scales = model.nodes.at(0).scale;
        const bool is_small = !scales.empty();
        EXPECT_EQ(is_small, tolerance > 0.0); // 0.07 m in 16 bits: steps of 2 micrometres
        EXPECT_EQ(model.extensionsRequired.size(), is_small ? 1u : 0u);
        const double scale = is_small ? scales[0] : 1.0;
        const auto at_key = [&](std::size_t key, std::size_t i) {
            const Vec3 base = gltf_vector(model, primitive.attributes.at("POSITION"), i);
            if (key == 0) return scale * base;
            const int target = primitive.targets[key - 1].at("POSITION");
            const double weight = *gltf_item(model, sampler.output, key * (keys - 1) + key - 1);
            if (!is_small) return base + weight * gltf_vector(model, target, i);
            const auto* c = reinterpret_cast<const std::int16_t*>(gltf_item(model, target, i));
            return scale * (base + weight / 32767.0 * Vec3{double(c[0]), double(c[1]), double(c[2])});
        };
        double worst = 0.0;
        std::size_t key = 0;
        for (int k = 0; k < kFrames; ++k) {
            const double time = k / 60.0;
            while (key + 2 < keys && time > *gltf_item(model, sampler.input, key + 1) + 1e-6)
                ++key;
            const double from = *gltf_item(model, sampler.input, key), to = *gltf_item(model, sampler.input, key + 1);
            const double s = (time - from) / (to - from);
            for (std::size_t i = 0; i < mesh_.positions.size(); ++i)
                worst = std::max(worst, length((1 - s) * at_key(key, i) + s * at_key(key + 1, i) - swing(k)[i]));
        }
        EXPECT_LT(worst, tolerance + 1e-6); // floats, and times that are floats
        // A line over n frames of an arc a sin(w k) is off by a (w n)^2 / 8 at most, a = 0.135 m at the border: a box of
        // 5 mm / sqrt(3) is left after n = 3.9 frames where the arc is bent most, and later elsewhere.
        const std::size_t most_keys = tolerance >= 1e-2 ? 1 + 121 / 3 : static_cast<std::size_t>(kFrames);
        EXPECT_LE(keys, most_keys);
        EXPECT_TRUE(tolerance > 0.0 || keys == static_cast<std::size_t>(kFrames)) << keys;
        EXPECT_TRUE(tolerance < 1e-2 || 4 * bytes("cloth.glb").size() < all_bytes) << bytes("cloth.glb").size();
    }
}

TEST_F(MeshExport, NamesAndColoursOfFabricsAreInTheFiles) {
    ExportPart part{"skirt", 0, mesh_.vertex_count(), 0, mesh_.triangle_count(), "denim", {0.2f, 0.4f, 1.0f}};
    ASSERT_EQ(write("c.glb", 1, {&mesh_, {part}, 24.0}), "written");
    EXPECT_TRUE(holds(bytes("c.glb"), R"("name":"denim")"));
    EXPECT_TRUE(holds(bytes("c.glb"), R"("baseColorFactor":[0.2)"));
    // sRGB of 0.2, 0.4 and 1: 1.055 c^(1/2.4) - 0.055.
    ASSERT_EQ(write("c.obj", 1, {&mesh_, {part}, 24.0}), "written");
    EXPECT_TRUE(holds(bytes("c.obj"), " 0.4845 0.6652 1\n"));
    EXPECT_TRUE(holds(bytes("c.obj"), "\nusemtl denim\n"));
    ASSERT_EQ(write("c.ply", 1, {&mesh_, {part}, 24.0}), "written");
    EXPECT_TRUE(holds(bytes("c.ply"), "property uchar blue\n"));
    EXPECT_TRUE(holds(bytes("c.ply"), "\x7c\xaa\xff")); // 255 times the numbers above
    expect_near(read("c.ply").positions, frame(0));
    expect_near(read("c.obj").positions, frame(0));
}

TEST_F(MeshExport, VertexCachesOfSeveralClothsAreOneFileEach) {
    const int n = mesh_.vertex_count(), m = mesh_.triangle_count();
    const TriangleMesh single = mesh_;
    for (const Vec3& p : single.positions)
        mesh_.positions.push_back(p + Vec3{0.0, 0.0, 0.25});
    mesh_.uv.clear();
    for (const Triangle& t : single.triangles)
        mesh_.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    const ExportMesh two{&mesh_, {{"left", 0, n, 0, m}, {"a/b", n, n, m, m}}, 24.0};
    for (const std::string extension : {".pc2", ".mdd"}) {
        ASSERT_EQ(write("two" + extension, 3, two), "written");
        EXPECT_FALSE(std::filesystem::exists(folder_ / ("two" + extension)));
        for (const std::string name : {"two-left", "two-a_b"}) {
            const Result<VertexCache> cache = read_vertex_cache(folder_ / (name + extension), 24.0);
            ASSERT_TRUE(cache) << cache.error().text();
            EXPECT_EQ(cache->vertex_count, n);
            EXPECT_EQ(cache->frame_count(), 3);
            const int begin = name == "two-left" ? 0 : n;
            for (int i = 0; i < n; ++i)
                EXPECT_LT(length(Vec3(cache->positions[2 * n + i]) - frame(2)[begin + i]), 1e-6);
        }
    }
    // Cloths of one name still have files of their own.
    const ExportMesh same{&mesh_, {{"c", 0, n, 0, m}, {"c", n, n, m, m}}, 24.0};
    ASSERT_EQ(write("same.pc2", 1, same), "written");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "same-c.pc2") && std::filesystem::exists(folder_ / "same-c-2.pc2"));
}

TEST_F(MeshExport, GlbKeepsTheContainersRules) {
    ASSERT_EQ(write("cloth.glb", 3), "written");
    const std::string file = bytes("cloth.glb");
    EXPECT_EQ(file.substr(0, 4), "glTF");
    EXPECT_EQ(number<std::uint32_t>(file, 4), 2u);
    EXPECT_EQ(number<std::uint32_t>(file, 8), file.size());
    const std::size_t json = number<std::uint32_t>(file, 12);
    EXPECT_EQ(json % 4, 0u);
    EXPECT_EQ(file.substr(16, 4), "JSON");
    EXPECT_EQ(file.substr(20 + json + 4, 4), std::string("BIN\0", 4));
    // 20 vertices, 24 triangles, 3 frames: indices, two vec3 per vertex and frame, uv, times and weights.
    EXPECT_EQ(number<std::uint32_t>(file, 20 + json), 24u * 12 + 3 * 20 * 24 + 20 * 8 + 4 * (3 + 3 * 2));
    EXPECT_EQ(file.size(), 28 + json + number<std::uint32_t>(file, 20 + json));
}

TEST_F(MeshExport, GlbRefusesTooManyFramesAndTooManyBytes) {
    Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(folder_ / "long.glb", whole());
    ASSERT_TRUE(writer);
    for (int i = 0; i < kGlbMaxFrames; ++i)
        ASSERT_TRUE((*writer)->add_frame(mesh_.positions));
    const Status one_more = (*writer)->add_frame(mesh_.positions);
    ASSERT_FALSE(one_more);
    EXPECT_TRUE(holds(one_more.error().text(), ".pc2"));

    ExportMesh parts = whole();
    parts.parts = {{"mesh", 0, mesh_.vertex_count(), 0, mesh_.triangle_count()}};
    writer = make_glb_writer(folder_ / "large.glb", parts, 4000); // a frame takes 480 bytes and its JSON
    ASSERT_TRUE(writer);
    Status ok = Done{};
    for (int i = 0; i < 10 && ok; ++i)
        ok = (*writer)->add_frame(mesh_.positions);
    ASSERT_FALSE(ok);
    EXPECT_TRUE(holds(ok.error().text(), "would exceed the 4000 bytes")) << ok.error().text();
    writer = make_glb_writer(folder_ / "large.glb", parts, 1500); // enough for the numbers alone
    ASSERT_TRUE((*writer)->add_frame(mesh_.positions));
    EXPECT_FALSE((*writer)->finish());
    writer = Error{""};
    EXPECT_EQ(file_count(), 0);
}

TEST_F(MeshExport, BadNamesAndPlacesAreRefusedBeforeAnyFrame) {
    struct Case {
        const char *name, *expected;
        ErrorKind kind;
    };
    const Case cases[] = {
        {"cloth.stl", "expected one of: .obj, .ply, .glb, .pc2, .mdd", ErrorKind::input},
        {"cloth", "expected one of: .obj, .ply, .glb, .pc2, .mdd", ErrorKind::input},
        {"cloth_%d_%d.obj", "at most one %d", ErrorKind::input},
        {"cloth_%s.obj", "found \"%s.o\"", ErrorKind::input},
        {"cloth_%4d.obj", "%0Nd", ErrorKind::input},
        {"cloth_%00d.obj", "%0Nd", ErrorKind::input},
        {"cloth_%n.pc2", "%0Nd", ErrorKind::input},
        {"100%.obj", "%%", ErrorKind::input},
        {"cloth_%04d.glb", "only .obj does", ErrorKind::input},
        {"none/cloth.obj", "No such file", ErrorKind::io},
        {"none/cloth_%d.obj", "No such file", ErrorKind::io},
        {"none/cloth.glb", "No such file", ErrorKind::io},
        {"none/cloth.pc2", "No such file", ErrorKind::io},
        {"none/cloth.mdd", "No such file", ErrorKind::io},
    };
    for (const Case& c : cases) {
        const Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(folder_ / c.name, whole());
        ASSERT_FALSE(writer) << c.name;
        EXPECT_TRUE(holds(writer.error().text(), c.expected)) << writer.error().text();
        EXPECT_EQ(writer.error().kind, c.kind) << c.name;
    }
    EXPECT_EQ(file_count(), 0);
}

TEST_F(MeshExport, UnfinishedWritersLeaveNothingBehind) {
    for (const char* name : {"cloth.obj", "cloth.ply", "cloth.glb", "cloth.pc2", "cloth.mdd"}) {
        Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(folder_ / name, whole());
        ASSERT_TRUE(writer) << writer.error().text();
        ASSERT_TRUE((*writer)->add_frame(frame(0)));
        EXPECT_FALSE(std::filesystem::exists(folder_ / name)); // only finish() puts it there
    }
    EXPECT_EQ(file_count(), 0);
}

TEST_F(MeshExport, FramesThatAreNotFiniteOrMissingAreRefused) {
    for (const char* name : {"cloth.obj", "cloth%d.obj", "cloth.ply", "cloth.glb", "cloth.pc2", "cloth.mdd"}) {
        Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(folder_ / name, whole());
        ASSERT_TRUE(writer);
        EXPECT_TRUE(holds((*writer)->finish().error().text(), "no frames")) << name;
        std::vector<Vec3> positions = frame(0);
        positions[7].y = std::numeric_limits<double>::quiet_NaN();
        EXPECT_TRUE(holds((*writer)->add_frame(positions).error().text(), "frame 0: vertex 7")) << name;
        positions[7].y = 1e300; // finite, but not as a float
        EXPECT_FALSE((*writer)->add_frame(positions)) << name;
    }
    EXPECT_EQ(file_count(), 0);
}

TEST_F(MeshExport, TruncatedExportsAreRefusedOnReading) {
    for (const char* name : {"cloth.ply", "cloth.glb"}) {
        ASSERT_EQ(write(name, 2), "written");
        const std::string content = bytes(name);
        for (std::size_t size = 0; size < content.size(); size += 7) {
            std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc)
                .write(content.data(), static_cast<std::streamsize>(size));
            EXPECT_FALSE(read_mesh(folder_ / name, warnings_)) << name << " cut to " << size << " bytes";
        }
    }
}

} // namespace
} // namespace selvage
