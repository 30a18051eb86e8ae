#include "geometry/mesh_import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/vertex_scalar.h"
#include "mesh_samples.h"
#include "support.h"

namespace selvage {
namespace {

class MeshImport : public TestFolder {
protected:
    std::filesystem::path put(const std::string& name, std::string_view content) const {
        std::ofstream(folder_ / name, std::ios::binary)
            .write(content.data(), static_cast<std::streamsize>(content.size()));
        return folder_ / name;
    }
    Result<TriangleMesh> read(const std::string& name, std::string_view content) {
        return read_mesh(put(name, content), warnings_);
    }
    /// The error's text, or "read" when there is none.
    std::string failure(const std::string& name, std::string_view content) {
        const Result<TriangleMesh> mesh = read(name, content);
        return mesh ? "read" : mesh.error().text();
    }

    std::vector<std::string> warnings_;
};

template <class T>
void append(std::string& out, T value, bool swap = false) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    out.append(swap ? std::string(bytes.rbegin(), bytes.rend()) : bytes);
}

std::string glb(std::string json, const std::string& binary) {
    json.resize((json.size() + 3) / 4 * 4, ' ');
    std::string out = "glTF";
    append<std::uint32_t>(out, 2);
    append<std::uint32_t>(out, static_cast<std::uint32_t>(28 + json.size() + binary.size()));
    append<std::uint32_t>(out, static_cast<std::uint32_t>(json.size()));
    out += "JSON" + json;
    append<std::uint32_t>(out, static_cast<std::uint32_t>(binary.size()));
    return out + std::string("BIN\0", 4) + binary;
}

// A unit square in the x-y plane: 4 positions (48 bytes), then 6 indices of 16 bits.
std::string square_binary(std::uint16_t last_index = 3) {
    std::string out;
    for (const float c : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f})
        append(out, c);
    for (const std::uint16_t i : {0, 1, 2, 0, 2})
        append(out, i);
    append(out, last_index);
    return out;
}

/// `bytes` come in threes.
std::string base64(const std::string& bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | static_cast<unsigned char>(bytes[i + k]);
        for (const int shift : {18, 12, 6, 0})
            out += kDigits[group >> shift & 63];
    }
    return out;
}

/// JSON for square_binary(); `nodes` and `accessors` replace the plain ones when given.
std::string square_json(const std::string& nodes = R"([{"mesh":0}])", std::string accessors = "",
                        const std::string& views = R"([{"buffer":0,"byteOffset":0,"byteLength":48},
                                                       {"buffer":0,"byteOffset":48,"byteLength":12}])") {
    if (accessors.empty())
        accessors = R"([{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
                        {"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}])";
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":)" + nodes +
           R"(,"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"accessors":)" + accessors +
           R"(,"bufferViews":)" + views + R"(,"buffers":[{"byteLength":60}]})";
}

TEST_F(MeshImport, ObjPolygonsBecomeTrianglesWithTheSameArea) {
    // A unit square and a regular hexagon of radius 1 beside it: areas 1 and 3 sqrt(3) / 2.
    std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    for (int i = 0; i < 6; ++i)
        text +=
            "v " + std::to_string(5 + std::cos(i * M_PI / 3)) + " " + std::to_string(std::sin(i * M_PI / 3)) + " 0\n";
    text += "f 1 2 3 4\nf 5 6 7 8 9 10\n";
    const Result<TriangleMesh> mesh = read("polygons.obj", text);
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_EQ(mesh->vertex_count(), 10);
    EXPECT_EQ(mesh->triangle_count(), 2 + 4);                         // n - 2 each
    EXPECT_NEAR(total_area(*mesh), 1.0 + 1.5 * std::sqrt(3.0), 1e-5); // to_string keeps six digits
    EXPECT_TRUE(mesh->uv.empty());
}

TEST_F(MeshImport, ObjKeepsTextureCoordinatesPerCorner) {
    // Two triangles share the edge 2-3, but not its texture coordinates: a seam.
    const Result<TriangleMesh> mesh = read("seam.obj", "mtllib none.mtl\no cloth\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
                                                       "vt 0 0\nvt 1 0\nvt 0 1\nvt 5 0\nvt 6 1\nvt 5 1\nusemtl red\n"
                                                       "f 1/1 2/2 3/3\nf -3/4 -1/5/1 -2/6\r\n");
    ASSERT_TRUE(mesh) << mesh.error().text();
    ASSERT_EQ(mesh->triangle_count(), 2);
    EXPECT_EQ(mesh->triangles[1], (Triangle{1, 3, 2})); // -3, -1, -2 counted back from the fourth vertex
    EXPECT_EQ(mesh->uv_corners(1), (Triangle{3, 4, 5}));
    EXPECT_EQ(mesh->uv[4], (Vec2{6.0, 1.0}));
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(MeshImport, ObjDropsTextureCoordinatesThatSomeFacesLack) {
    const Result<TriangleMesh> mesh =
        read("half.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nf 2 4 3\nf 1 2\n");
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_TRUE(mesh->uv.empty());
    EXPECT_TRUE(mesh->uv_triangles.empty());
    EXPECT_EQ(warnings_.size(), 2u); // the coordinates, and the face with two corners
}

TEST_F(MeshImport, PlyReadsTheSameMeshInAllThreeEncodings) {
    // A unit square as one quad, with a property to skip (a list of doubles) and an element to skip.
    const auto header = [](const std::string& format) {
        return "ply\nformat " + format +
               " 1.0\ncomment test\nelement vertex 4\nproperty double x\nproperty float y\n"
               "property list uchar double extra\nproperty short z\nproperty float s\nproperty float t\n"
               "element junk 2\nproperty uchar c\nelement face 1\nproperty list ushort uint "
               "vertex_indices\nend_header\n";
    };
    const double xs[] = {0, 1, 1, 0};
    const float ys[] = {0, 0, 1, 1};
    std::string text = header("ascii");
    for (int i = 0; i < 4; ++i)
        text += std::to_string(xs[i]) + " " + std::to_string(ys[i]) + " 2 9 9 7 " + std::to_string(xs[i]) + " 0.5\n";
    text += "1\n2\n4 0 1 2 3\n";
    const auto binary = [&](const std::string& format, bool swap) {
        std::string out = header(format);
        for (int i = 0; i < 4; ++i) {
            append(out, xs[i], swap);
            append(out, ys[i], swap);
            append<std::uint8_t>(out, 2);
            append(out, 9.0, swap);
            append(out, 9.0, swap);
            append<std::int16_t>(out, 7, swap);
            append(out, static_cast<float>(xs[i]), swap);
            append(out, 0.5f, swap);
        }
        out += "ab";
        append<std::uint16_t>(out, 4, swap);
        for (std::uint32_t i = 0; i < 4; ++i)
            append(out, i, swap);
        return out;
    };
    for (const std::string& content :
         {text, binary("binary_little_endian", false), binary("binary_big_endian", true)}) {
        const Result<TriangleMesh> mesh = read("square.ply", content);
        ASSERT_TRUE(mesh) << mesh.error().text();
        EXPECT_EQ(mesh->positions[2], (Vec3{1.0, 1.0, 7.0}));
        EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}})); // the fan of one quad
        ASSERT_EQ(mesh->uv.size(), 4u);
        EXPECT_EQ(mesh->uv[1], (Vec2{1.0, 0.5}));
    }
}

TEST_F(MeshImport, GltfAppliesNodeTransformsAndKeepsMirroredFacesFacing) {
    // Scale 2 about a parent moved by (10, 0, 0): the corner (1, 1, 0) lands at (12, 2, 0). Mirroring in x keeps the
    // normal at +z only if the triangles are turned over.
    const std::string nodes = R"([{"children":[1],"translation":[10,0,0]},{"mesh":0,"scale":[-2,2,2]}])";
    const Result<TriangleMesh> mesh = read("square.glb", glb(square_json(nodes), square_binary()));
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_EQ(mesh->positions[2], (Vec3{8.0, 2.0, 0.0})); // 10 - 2, 2
    EXPECT_NEAR(total_area(*mesh), 4.0, 1e-12);           // scale squared
    const Triangle& t = mesh->triangles[0];
    EXPECT_GT(doubled_area_normal(mesh->positions[t[0]], mesh->positions[t[1]], mesh->positions[t[2]]).z, 0.0);
}

TEST_F(MeshImport, GltfRotatesByQuaternionsAndMatricesAlike) {
    // A quarter turn about z takes (1, 0, 0) to (0, 1, 0); quaternion (0, 0, sin 45, cos 45).
    for (const char* node : {R"([{"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476]}])",
                             R"([{"mesh":0,"matrix":[0,1,0,0,-1,0,0,0,0,0,1,0,0,0,0,1]}])"}) {
        const Result<TriangleMesh> mesh = read("turned.glb", glb(square_json(node), square_binary()));
        ASSERT_TRUE(mesh) << mesh.error().text();
        EXPECT_NEAR(length(mesh->positions[1] - Vec3{0.0, 1.0, 0.0}), 0.0, 1e-12) << node;
    }
}

TEST_F(MeshImport, GltfReadsTextWithBuffersInDataUrisOrBesideIt) {
    const std::string json = square_json();
    const std::string plain = R"({"byteLength":60})";
    std::string beside = json;
    beside.replace(beside.find(plain), plain.size(), R"({"byteLength":60,"uri":"my%20square.bin"})");
    put("my square.bin", square_binary());
    const Result<TriangleMesh> mesh = read("square.gltf", beside);
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_NEAR(total_area(*mesh), 1.0, 1e-12);

    std::string inside = json;
    inside.replace(inside.find(plain), plain.size(),
                   R"({"byteLength":60,"uri":"data:application/octet-stream;base64,)" + base64(square_binary()) +
                       "\"}");
    const Result<TriangleMesh> same = read("inside.gltf", inside);
    ASSERT_TRUE(same) << same.error().text();
    EXPECT_EQ(same->positions, mesh->positions);
}

TEST_F(MeshImport, GltfWeldsVerticesAndReadsUnindexedStrips) {
    // The square as a strip without indices: 0 1 3 2 in the corners' order gives 2 triangles, both facing +z.
    std::string binary;
    for (const float c : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 1.f, 1.f, 0.f})
        append(binary, c);
    const std::string json =
        R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0},{"mesh":0,"translation":[1,0,0]}],"meshes":[{"primitives":
           [{"attributes":{"POSITION":0},"mode":5},{"attributes":{"POSITION":0},"mode":0}]}],"accessors":
           [{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":48}],
           "buffers":[{"byteLength":48}]})";
    const Result<TriangleMesh> mesh = read("strip.glb", glb(json, binary));
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_EQ(mesh->vertex_count(), 6); // two squares side by side share two corners
    EXPECT_EQ(mesh->triangle_count(), 4);
    for (const Triangle& t : mesh->triangles)
        EXPECT_GT(doubled_area_normal(mesh->positions[t[0]], mesh->positions[t[1]], mesh->positions[t[2]]).z, 0.0);
    ASSERT_EQ(warnings_.size(), 1u); // the points were left out, and said so
}

struct BadFile {
    const char* name;
    std::string content;
    const char* expected; ///< Part of the error.
};

TEST_F(MeshImport, EveryBadFileIsRefusedWithItsReasonAndPlace) {
    const std::string ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                            "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    const std::string deep =
        R"({"asset":{"version":"2.0","extras":)" + std::string(200000, '[') + std::string(200000, ']') + "}}";
    const auto accessors = [](const std::string& first) {
        return "[" + first + R"(,{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}])";
    };
    std::string nan_binary = square_binary();
    const float nan = NAN;
    std::memcpy(nan_binary.data() + 4, &nan, 4);
    std::string long_chunk = glb(square_json(), square_binary());
    long_chunk[long_chunk.size() - 68] = 68; // 8 bytes more than there are, which tinygltf would read
    const BadFile files[] = {
        {"mesh.stl", "solid", "expected one of: .obj, .ply, .glb, .gltf"},
        {"mesh", "solid", "expected one of: .obj, .ply, .glb, .gltf"},
        {"empty.obj", "", "is empty"},
        {"prose.obj", "It was a dark and stormy night.\n", "holds no vertices"},
        {"points.obj", obj, "holds no faces"},
        {"index.obj", obj + "f 1 2 4\n", "index.obj:4: face names v 4; the file has 3"},
        {"zero.obj", obj + "f 0 1 2\n", "zero.obj:4"},
        {"negative.obj", obj + "f -4 1 2\n", "negative.obj:4"},
        {"huge.obj", obj + "f 99999999999999999999 1 2\n", "huge.obj:4"},
        {"uv.obj", obj + "f 1/1 2/1 3/1\n", "uv.obj:4: face names vt 1; the file has 0"},
        {"nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "nan.obj:2: found \"nan\""},
        {"overflow.obj", "v 0 0 0\nv 1e99 0 0\nv 0 1 0\nf 1 2 3\n", "overflow.obj:2"},
        {"short.obj", "v 0 0\n", "short.obj:1: v has 2 numbers"},
        {"many.obj",
         obj + "f" +
             [] {
                 std::string s;
                 for (int i = 0; i < 5000; ++i)
                     s += " 1 2 3";
                 return s;
             }() +
             "\n",
         "face has 15000 corners"},
        {"flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "has no area"},
        {"prose.ply", "It was a dark\nand stormy night.\n", "starts with \"It was a dark\""},
        {"line.ply", "It was a dark and stormy night.", "starts with"},
        {"header.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "ends before the line end_header"},
        {"format.ply", "ply\nformat binary_middle_endian 1.0\nend_header\n", "format.ply:2"},
        {"count.ply", "ply\nformat ascii 1.0\nelement vertex -3\nend_header\n", "count.ply:3"},
        {"type.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\nend_header\n", "type.ply:4"},
        {"none.ply", "ply\nformat ascii 1.0\nend_header\n", "holds no vertices"},
        {"word.ply", ply + "0 0 0\n1 0 x\n0 1 0\n3 0 1 2\n", "word.ply:11: found \"x\" in vertex 1 of 3"},
        {"index.ply", ply + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "face 0 names vertex 3; the file has 3"},
        {"fraction.ply", ply + "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", "names vertex 1.5"},
        {"list.ply", ply + "0 0 0\n1 0 0\n0 1 0\n255 0 1 2\n", "has a list of 255 entries"},
        {"nan.ply", ply + "0 0 0\nnan 0 0\n0 1 0\n3 0 1 2\n", "vertex 1 has a coordinate that is not finite"},
        {"absurd.ply",
         "ply\nformat ascii 1.0\nelement vertex 9000000000000000000\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n",
         "expected at most 16000000"},
        {"faces.ply",
         "ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
         "property float z\nelement face 4000000000\nproperty list uchar int vertex_indices\nend_header\n",
         "promises 4000000000"},
        {"hollow.ply",
         "ply\nformat ascii 1.0\nelement nothing 9000000000000000000\nelement vertex 0\nproperty float x\n"
         "property float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_index\n"
         "end_header\n",
         "has no vertices"},
        {"prose.glb", "It was a dark and stormy night.", "does not start with \"glTF\""},
        {"version.glb", std::string("glTF\1\0\0\0\x14\0\0\0\0\0\0\0JSON", 20), "is glTF version 1"},
        {"prose.gltf", "It was a dark and stormy night.", "is not valid JSON"},
        {"list.gltf", "[1, 2, 3]", "is not a JSON object"},
        {"other.gltf", R"({"name":"settings"})", "has no \"asset\""},
        {"nothing.gltf", R"({"asset":{"version":"2.0"}})", "holds no triangles"},
        {"deep.gltf", deep, "holds no triangles"},
        {"missing.gltf", R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"none.bin"}]})", "none.bin"},
        {"shell.gltf", R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"$(touch x).bin"}]})", "touch"},
        {"device.gltf", R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"/dev/zero"}]})",
         "not valid glTF"},
        {"draco.gltf", R"({"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"]})",
         "requires KHR_draco"},
        {"copies.glb",
         glb(R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":60},{"byteLength":60}]})", square_binary()),
         "has 2 buffers without uri"},
        {"chunk.glb", long_chunk, "says it has 68 bytes; 60 are left"},
        {"index.glb", glb(square_json(), square_binary(4)), "index 5 is 4; the primitive has 4 vertices"},
        {"nan.glb", glb(square_json(), nan_binary), "vertex 0 has a coordinate that is not finite"},
        {"loop.glb", glb(square_json(R"([{"mesh":0,"children":[0]}])"), square_binary()), "node 0 twice"},
        {"node.glb", glb(square_json(R"([{"mesh":0,"children":[7]}])"), square_binary()), "names node 7"},
        {"mesh.glb", glb(square_json(R"([{"mesh":5}])"), square_binary()), "names mesh 5"},
        {"count.glb",
         glb(square_json(R"([{"mesh":0}])",
                         accessors(R"({"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"})")),
             square_binary()),
         "of 5 elements ends outside its bufferView of 48 bytes"},
        {"overflow.glb",
         glb(square_json(R"([{"mesh":0}])", accessors(R"({"bufferView":0,"byteOffset":18446744073709551600,
                                                         "componentType":5126,"count":1537228672809129302,"type":"VEC3"})")),
             square_binary()),
         "/accessors/0/byteOffset: found 18446744073709551600; expected a whole number from 0 to"},
        {"many.glb",
         glb(square_json(R"([{"mesh":0}])",
                         accessors(R"({"bufferView":0,"componentType":5126,"count":4000000000,"type":"VEC3"})")),
             square_binary()),
         "ends outside its bufferView"},
        {"negative.glb",
         glb(square_json(
                 R"([{"mesh":0}])",
                 accessors(R"({"bufferView":0,"byteOffset":-12,"componentType":5126,"count":4,"type":"VEC3"})")),
             square_binary()),
         "/accessors/0/byteOffset: found -12; expected a whole number from 0"},
        {"text.glb",
         glb(square_json(R"([{"mesh":0}])", "", R"([{"buffer":0,"byteOffset":"12","byteLength":48},
                                                    {"buffer":0,"byteOffset":48,"byteLength":12}])"),
             square_binary()),
         "/bufferViews/0/byteOffset: found \"12\"; expected a whole number"},
        {"turned.glb", glb(square_json(R"([{"mesh":0,"rotation":[0,0,1]}])"), square_binary()),
         "/nodes/0/rotation: found [0,0,1]; expected a list of 4 numbers"},
        {"attribute.gltf", R"({"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":"0"}}]}]})",
         "/meshes/0/primitives/0/attributes: found {\"POSITION\":\"0\"}"},
        {"unknown.gltf", R"({"asset":{"version":"2.0"},"extensionsRequired":["ACME_folded_space"]})",
         "requires ACME_folded_space, which is not supported: what it changes about the geometry is not known"},
        {"meshopt.gltf", R"({"asset":{"version":"2.0"},"extensionsUsed":["EXT_meshopt_compression"],
          "buffers":[{"byteLength":60,"uri":"x.bin"},{"byteLength":60,"extensions":{"EXT_meshopt_compression":{"fallback":true}}},
                     {"byteLength":60}],
          "bufferViews":[{"buffer":1,"byteLength":60,"extensions":{"EXT_meshopt_compression":{"buffer":0}}}]})",
         "uses EXT_meshopt_compression, which is not supported: its geometry is compressed by it"},
        {"sparse.glb",
         glb(square_json(R"([{"mesh":0}])", accessors(R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
              "sparse":{"count":1,"indices":{"bufferView":1,"componentType":5123,"byteOffset":10},
                        "values":{"bufferView":0}}})")),
             square_binary()),
         "sparse index 0 is 3; the accessor has 3"},
        {"view.glb",
         glb(square_json(R"([{"mesh":0}])", "", R"([{"buffer":0,"byteOffset":32,"byteLength":48},
                                                                {"buffer":0,"byteOffset":48,"byteLength":12}])"),
             square_binary()),
         "ends outside its buffer of 60 bytes"},
        {"buffer.glb",
         glb(square_json(R"([{"mesh":0}])", "", R"([{"buffer":3,"byteLength":48},
                                                                  {"buffer":0,"byteOffset":48,"byteLength":12}])"),
             square_binary()),
         "points to buffer 3"},
        {"noview.glb",
         glb(square_json(R"([{"mesh":0}])", accessors(R"({"componentType":5126,"count":4,"type":"VEC3"})")),
             square_binary()),
         "has no bufferView; is the mesh compressed?"},
        {"kind.glb",
         glb(square_json(R"([{"mesh":0}])",
                         accessors(R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC2"})")),
             square_binary()),
         "wrong kind of element"},
        {"scene.gltf", R"({"asset":{"version":"2.0"},"scene":3,"scenes":[{}]})", "has scene 3 as default"},
    };
    for (const BadFile& file : files) {
        const std::string found = failure(file.name, file.content);
        EXPECT_TRUE(holds(found, file.expected)) << file.name << ": " << found;
        EXPECT_TRUE(holds(found, (folder_ / file.name).string()) || found == "read") << found;
        EXPECT_LT(found.size(), 600u) << file.name; // a message, not a dump of the file
    }
}

TEST_F(MeshImport, ObjMayBeginWithAByteOrderMarkAndContinueLines) {
    const Result<TriangleMesh> mesh = read("lines.obj", "\xef\xbb\xbfv 0 0 0\nv 1 \\\n0 \\\r\n0\nv 0 1 0\n"
                                                        "# C:\\models\\\nf 1 2\\\n 3\n");
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_EQ(mesh->vertex_count(), 3);
    EXPECT_EQ(mesh->positions[1], (Vec3{1, 0, 0}));
    EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}}));
    // Errors still name the line where the statement begins; a backslash at the very end joins nothing.
    EXPECT_TRUE(holds(failure("bad.obj", "v 0 \\\n0 0\nv 1 x 0\n"), "bad.obj:3: found \"x\""));
    EXPECT_TRUE(holds(failure("end.obj", "v 0 0 0\\"), "holds no faces"));
}

TEST_F(MeshImport, GltfSparseAccessorsReplaceSomeElements) {
    // Vertex 2 of the square (1, 1, 0) gets the position of vertex 1: the values come from byte 12, the index from 52.
    const std::string accessors = R"([{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3",
        "sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":4,"componentType":5123},
                  "values":{"bufferView":0,"byteOffset":12}}},
        {"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}])";
    const Result<TriangleMesh> mesh =
        read("sparse.glb", glb(square_json(R"([{"mesh":0}])", accessors), square_binary()));
    ASSERT_TRUE(mesh) << mesh.error().text();
    // 0 1 2 collapses, 0 2 3 becomes (0,0) (1,0) (0,1).
    EXPECT_EQ(mesh->triangle_count(), 1);
    EXPECT_NEAR(total_area(*mesh), 0.5, 1e-12);
}

TEST_F(MeshImport, GltfMorphTargetsCountAsTheFilesWeightsSay) {
    // The square's own positions as a target: weight 0.5 makes it half as large again, along x and y.
    const std::string json = R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"targets":[{"POSITION":0}]}],"weights":[0.5]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
                     {"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12}],
        "buffers":[{"byteLength":60}]})";
    const Result<TriangleMesh> mesh = read("morph.glb", glb(json, square_binary()));
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_NEAR(total_area(*mesh), 2.25, 1e-12);
    std::string node = json; // a node's weights win over the mesh's
    node.replace(node.find(R"({"mesh":0})"), 10, R"({"mesh":0,"weights":[1]})");
    const Result<TriangleMesh> larger = read("node.glb", glb(node, square_binary()));
    ASSERT_TRUE(larger) << larger.error().text();
    EXPECT_NEAR(total_area(*larger), 4.0, 1e-12);
}

TEST_F(MeshImport, ReadsWhatWasPaintedOnVertices) {
    const std::string json =
        R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"translation":[0,2,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0,"_SLACK":2,"COLOR_0":3},"indices":1}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
                     {"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"},
                     {"bufferView":2,"componentType":5126,"count":4,"type":"SCALAR"},
                     {"bufferView":3,"componentType":5121,"normalized":true,"count":4,"type":"VEC4"}],
        "bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12},
                       {"buffer":0,"byteOffset":60,"byteLength":16},{"buffer":0,"byteOffset":76,"byteLength":16}],
        "buffers":[{"byteLength":92}]})";
    std::string binary = square_binary();
    for (const float value : {0.f, 0.25f, 0.5f, 3.f})
        append(binary, value);
    for (int i = 0; i < 16; ++i)
        append(binary, static_cast<std::uint8_t>(i % 4 == 0 ? 51 * (i / 4) : 255));
    const std::filesystem::path path = put("painted.glb", glb(json, binary));
    const Result<VertexScalar> slack = read_vertex_scalar(path, "_SLACK");
    ASSERT_TRUE(slack) << slack.error().text();
    EXPECT_EQ(slack->values, (std::vector<double>{0.0, 0.25, 0.5, 3.0}));
    EXPECT_EQ(slack->points[1], (Vec3{1, 2, 0})); // in the world
    const Result<VertexScalar> red = read_vertex_scalar(path, "COLOR_0");
    ASSERT_TRUE(red) << red.error().text();
    EXPECT_NEAR(red->values[3], 0.6, 1e-7);
    const Result<VertexScalar> none = read_vertex_scalar(path, "_SLAK");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text().find("has no attribute _SLAK; expected COLOR_0, _SLACK"), std::string::npos)
        << none.error().text();
    std::string broken = binary;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(broken.data() + 64, &nan, 4);
    const Result<VertexScalar> bad = read_vertex_scalar(put("nan.glb", glb(json, broken)), "_SLACK");
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().text().find("_SLACK of vertex 1 is not finite"), std::string::npos) << bad.error().text();
    EXPECT_NE(read_vertex_scalar(put("square.obj", "v 0 0 0\n"), "_SLACK").error().text().find("expected one of: .ply"),
              std::string::npos);
}

TEST_F(MeshImport, TrianglesThatFaceTheOtherWayAreTurnedOver) {
    // A strip of four triangles in the x-y plane, the third one turned over, and a loose one the other way round.
    const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 2 0\nv 1 2 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\n"
                             "f 1 2 3\nf 2 4 3\nf 3 5 4\nf 4 6 5\nf 7 9 8\n";
    const Result<TriangleMesh> mesh = read("strip.obj", text);
    ASSERT_TRUE(mesh) << mesh.error().text();
    for (int t = 0; t < 4; ++t) {
        const Triangle& c = mesh->triangles[t];
        EXPECT_GT(doubled_area_normal(mesh->positions[c[0]], mesh->positions[c[1]], mesh->positions[c[2]]).z, 0.0);
    }
    EXPECT_EQ(mesh->triangles[4], (Triangle{6, 8, 7})); // a piece of its own, with a right of its own
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_TRUE(holds(warnings_[0], "turned over 1 of 5 triangles")) << warnings_[0];
    // A Moebius strip of five triangles has one side only: some edge lies between a front and a back.
    warnings_.clear();
    ASSERT_TRUE(read("moebius.obj", "v 1 0 0\nv .3 .9 .1\nv -.8 .6 0\nv -.8 -.6 .2\nv .3 -.9 0\n"
                                    "f 1 2 3\nf 2 3 4\nf 3 4 5\nf 4 5 1\nf 5 1 2\n"));
    EXPECT_TRUE(holds(warnings_.back(), "edges lie between a front and a back")) << warnings_.back();
}

TEST_F(MeshImport, MissingFilesAndFoldersAreRefused) {
    const Result<TriangleMesh> missing = read_mesh(folder_ / "none.obj", warnings_);
    ASSERT_FALSE(missing);
    EXPECT_TRUE(holds(missing.error().text(), "none.obj: no such file"));
    std::filesystem::create_directory(folder_ / "folder.glb");
    const Result<TriangleMesh> folder = read_mesh(folder_ / "folder.glb", warnings_);
    ASSERT_FALSE(folder);
    EXPECT_TRUE(holds(folder.error().text(), "is a directory"));
}

TEST_F(MeshImport, NoTruncationIsMistakenForTheWholeFile) {
    std::string ply = "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                      "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n";
    for (const float c : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f})
        append(ply, c, true);
    for (const int last : {2, 3}) {
        append<std::uint8_t>(ply, 3);
        for (const int v : {0, last - 1, last})
            append(ply, v, true);
    }
    const std::string binary = glb(square_json(), square_binary());
    for (const auto& [name, content] : {std::pair<std::string, std::string>{"cut.ply", ply}, {"cut.glb", binary}}) {
        ASSERT_EQ(failure(name, content), "read");
        for (std::size_t size = 0; size < content.size(); ++size)
            EXPECT_NE(failure(name, content.substr(0, size)), "read") << name << " cut to " << size << " bytes";
    }
}

TEST_F(MeshImport, DamagedBytesNeverCrashIt) {
    // Each byte in turn set to five values; most give an error, some a different mesh. Run it with sanitizers.
    const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nf 1/1 2/1 -1/1 3/1\n";
    const std::string ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                            "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                            "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    const std::string binary = glb(square_json(), square_binary());
    for (const auto& [name, content] :
         {std::pair<std::string, std::string>{"damaged.obj", obj}, {"damaged.ply", ply}, {"damaged.glb", binary}})
        for (std::size_t i = 0; i < content.size(); ++i)
            for (const char value : {'\0', '\x7f', '\xff', '9', '-'}) {
                std::string damaged = content;
                damaged[i] = value;
                const Result<TriangleMesh> mesh = read(name, damaged);
                EXPECT_LE(mesh ? mesh->vertex_count() : 0, 4);
            }
}

} // namespace
} // namespace selvage
