// Layout of the binary chunk, with F frames; every number has 4 bytes, so everything is aligned:
//
//   indices   of every part: uint32 x 3 per triangle
//   vectors   F blocks; in each, of every part: vec3 positions, then vec3 normals. The first block holds frame 0, the
//             others the differences to it (the morph targets)
//   uv        of every part: vec2 per vertex, only with texture coordinates
//   animation F times, then F rows of F - 1 weights (row k has a 1 for target k, row 0 has none); only with F > 1

#include "geometry/glb_export.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "geometry/byte_order.h"

namespace selvage {

namespace {

using nlohmann::json;

constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963; // GL's numbers, which glTF uses
constexpr int kUnsignedInt = 5125, kFloat = 5126;
constexpr std::uint64_t kVec3Bytes = 12, kVec2Bytes = 8, kScalarBytes = 4;

struct Bounds {
    Vec3f min, max;

    void add(const Vec3f& p) {
        min = {std::min(min.x, p.x), std::min(min.y, p.y), std::min(min.z, p.z)};
        max = {std::max(max.x, p.x), std::max(max.y, p.y), std::max(max.z, p.z)};
    }
};

/// A part as the file has it. A vertex where texture coordinates break appears once for each of them.
struct GlbPart {
    std::string name;
    std::vector<int> sources; ///< The mesh's vertex behind each of the part's.
    std::vector<Vec2> uv;     ///< Empty when the mesh has none.
    std::vector<std::uint32_t> indices;
    std::vector<Bounds> bounds;                      ///< Of positions in frame 0, of differences in later ones.
    std::uint64_t vertex_begin = 0, index_begin = 0; ///< How many the parts before it have.
};

struct Counts {
    std::uint64_t vertices = 0, indices = 0, uvs = 0, frames = 0;

    std::uint64_t index_bytes() const { return kScalarBytes * indices; }
    std::uint64_t block_bytes() const { return 2 * kVec3Bytes * vertices; }
    std::uint64_t uv_bytes() const { return kVec2Bytes * uvs; }
    std::uint64_t animation_bytes() const { return frames > 1 ? kScalarBytes * (frames + frames * (frames - 1)) : 0; }
    std::uint64_t total_bytes() const {
        return index_bytes() + frames * block_bytes() + uv_bytes() + animation_bytes();
    }
};

GlbPart split_part(const TriangleMesh& mesh, const ExportPart& part) {
    GlbPart out;
    out.name = part.name;
    std::map<std::pair<int, int>, std::uint32_t> index_of; // by vertex and texture coordinate
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const int vertex = mesh.triangles[t][k], uv = mesh.uv_corners(t)[k];
            const auto [entry, is_new] =
                index_of.try_emplace({vertex, uv}, static_cast<std::uint32_t>(out.sources.size()));
            if (is_new) {
                out.sources.push_back(vertex);
                out.uv.push_back(mesh.uv[uv]);
            }
            out.indices.push_back(entry->second);
        }
    return out;
}

GlbPart copy_part(const TriangleMesh& mesh, const ExportPart& part) {
    GlbPart out;
    out.name = part.name;
    for (int v = part.vertex_begin; v < part.vertex_begin + part.vertex_count; ++v) {
        out.sources.push_back(v);
        if (!mesh.uv.empty()) out.uv.push_back(mesh.uv[v]);
    }
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t)
        for (const int v : mesh.triangles[t])
            out.indices.push_back(static_cast<std::uint32_t>(v - part.vertex_begin));
    return out;
}

json to_json(const Vec3f& v) {
    return json::array({double{v.x}, double{v.y}, double{v.z}});
}

/// Builds the JSON half. Accessors and buffer views are numbered in the order they are added.
class GltfDocument {
public:
    explicit GltfDocument(const Counts& counts) : counts_(counts) {
        root_["asset"] = {{"version", "2.0"}, {"generator", "Selvage"}};
        // Cloth has no inside: both faces are drawn.
        root_["materials"] = json::array(
            {{{"name", "cloth"},
              {"doubleSided", true},
              {"pbrMetallicRoughness",
               {{"baseColorFactor", {0.8, 0.8, 0.8, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.9}}}}});
        index_view_ = add_view(counts.index_bytes(), kElementArrayBuffer, 0);
        vector_view_ = add_view(counts.frames * counts.block_bytes(), kArrayBuffer, kVec3Bytes);
        if (counts.uvs > 0) uv_view_ = add_view(counts.uv_bytes(), kArrayBuffer, kVec2Bytes);
    }

    void add_part(const GlbPart& part) {
        const std::uint64_t vertex_count = part.sources.size();
        json primitive = {{"mode", 4}, {"material", 0}};
        primitive["indices"] =
            add_accessor(index_view_, kScalarBytes * part.index_begin, kUnsignedInt, part.indices.size(), "SCALAR");
        for (std::uint64_t frame = 0; frame < counts_.frames; ++frame) {
            const std::uint64_t offset = frame * counts_.block_bytes() + 2 * kVec3Bytes * part.vertex_begin;
            json attributes;
            attributes["POSITION"] = add_accessor(vector_view_, offset, kFloat, vertex_count, "VEC3");
            accessors_.back()["min"] = to_json(part.bounds[frame].min);
            accessors_.back()["max"] = to_json(part.bounds[frame].max);
            attributes["NORMAL"] =
                add_accessor(vector_view_, offset + kVec3Bytes * vertex_count, kFloat, vertex_count, "VEC3");
            if (frame == 0)
                primitive["attributes"] = std::move(attributes);
            else
                primitive["targets"].push_back(std::move(attributes));
        }
        if (!part.uv.empty())
            primitive["attributes"]["TEXCOORD_0"] =
                add_accessor(uv_view_, kVec2Bytes * part.vertex_begin, kFloat, vertex_count, "VEC2");
        meshes_.push_back({{"name", part.name}, {"primitives", json::array({std::move(primitive)})}});
        nodes_.push_back({{"name", part.name}, {"mesh", meshes_.size() - 1}});
    }

    void add_animation(float last_time) {
        const std::uint64_t frames = counts_.frames;
        const int view = add_view(counts_.animation_bytes(), 0, 0);
        const int times = add_accessor(view, 0, kFloat, frames, "SCALAR");
        accessors_.back()["min"] = json::array({0.0});
        accessors_.back()["max"] = json::array({double{last_time}});
        const int weights = add_accessor(view, kScalarBytes * frames, kFloat, frames * (frames - 1), "SCALAR");
        json channels = json::array();
        for (std::size_t node = 0; node < nodes_.size(); ++node)
            channels.push_back({{"sampler", 0}, {"target", {{"node", node}, {"path", "weights"}}}});
        const json sampler = {{"input", times}, {"output", weights}, {"interpolation", "LINEAR"}};
        root_["animations"] = json::array(
            {{{"name", "simulation"}, {"samplers", json::array({sampler})}, {"channels", std::move(channels)}}});
    }

    /// Text padded to the 4 bytes a chunk asks for.
    std::string take_text() {
        json scene_nodes = json::array();
        for (std::size_t node = 0; node < nodes_.size(); ++node)
            scene_nodes.push_back(node);
        root_["scene"] = 0;
        root_["scenes"] = json::array({{{"nodes", std::move(scene_nodes)}}});
        root_["nodes"] = std::move(nodes_);
        root_["meshes"] = std::move(meshes_);
        root_["accessors"] = std::move(accessors_);
        root_["bufferViews"] = std::move(views_);
        root_["buffers"] = json::array({{{"byteLength", view_end_}}});
        std::string text = root_.dump(-1, ' ', false, json::error_handler_t::replace); // names may be no UTF-8
        text.resize((text.size() + 3) / 4 * 4, ' ');
        return text;
    }

private:
    int add_view(std::uint64_t bytes, int target, std::uint64_t stride) {
        json view = {{"buffer", 0}, {"byteOffset", view_end_}, {"byteLength", bytes}};
        if (target != 0) view["target"] = target;
        if (stride != 0) view["byteStride"] = stride; // required where accessors share a view
        view_end_ += bytes;
        views_.push_back(std::move(view));
        return static_cast<int>(views_.size()) - 1;
    }
    int add_accessor(int view, std::uint64_t offset, int component_type, std::uint64_t count, const char* type) {
        accessors_.push_back({{"bufferView", view},
                              {"byteOffset", offset},
                              {"componentType", component_type},
                              {"count", count},
                              {"type", type}});
        return static_cast<int>(accessors_.size()) - 1;
    }

    Counts counts_;
    int index_view_ = -1, vector_view_ = -1, uv_view_ = -1;
    json root_;
    json nodes_ = json::array(), meshes_ = json::array(), accessors_ = json::array(), views_ = json::array();
    std::uint64_t view_end_ = 0;
};

class GlbWriter : public FrameWriter {
public:
    GlbWriter(AtomicFile file, const ExportMesh& mesh, std::string location, std::uint64_t max_bytes)
        : file_(std::move(file)), mesh_(mesh), location_(std::move(location)), max_bytes_(max_bytes) {
        const bool splits = !mesh.mesh->uv.empty() && !mesh.mesh->uv_triangles.empty();
        for (const ExportPart& source : mesh.parts) {
            if (source.triangle_count == 0) continue; // glTF has no empty meshes
            GlbPart part = splits ? split_part(*mesh.mesh, source) : copy_part(*mesh.mesh, source);
            part.vertex_begin = counts_.vertices;
            part.index_begin = counts_.indices;
            counts_.vertices += part.sources.size();
            counts_.indices += part.indices.size();
            counts_.uvs += part.uv.size();
            parts_.push_back(std::move(part));
        }
    }

    Status add_frame(std::span<const Vec3> positions) override {
        if (++counts_.frames > static_cast<std::uint64_t>(kGlbMaxFrames))
            return Error{concat("has more than ", kGlbMaxFrames,
                                " frames, too many for the morph targets of a .glb; write a .pc2 instead"),
                         location_};
        // A frame's accessors take about 300 bytes of JSON per part; finish() counts exactly.
        if (counts_.total_bytes() + 300 * counts_.frames * parts_.size() > max_bytes_) return too_large();
        std::vector<Vec3f>& frame = frames_.emplace_back();
        frame.reserve(positions.size());
        for (const Vec3& p : positions)
            frame.emplace_back(p);
        for (GlbPart& part : parts_)
            add_bounds(part);
        return Done{};
    }

    Status finish() override {
        if (parts_.empty()) return Error{"cannot export: there are no triangles", location_, ErrorKind::work};
        GltfDocument document(counts_);
        for (const GlbPart& part : parts_)
            document.add_part(part);
        if (counts_.frames > 1) document.add_animation(time(counts_.frames - 1));
        const std::string text = document.take_text();
        const std::uint64_t total = 12 + 8 + text.size() + 8 + counts_.total_bytes();
        if (total > max_bytes_) return too_large();
        write_u32({0x46546C67 /* "glTF" */, 2, total, text.size(), 0x4E4F534A /* "JSON" */});
        file_.write(text);
        write_u32({counts_.total_bytes(), 0x004E4942 /* "BIN" */});
        write_binary();
        return file_.commit();
    }

private:
    Error too_large() const {
        return {concat("would exceed the ", max_bytes_, " bytes of a .glb with ", counts_.frames,
                       " frames; write a .pc2 instead, or fewer frames"),
                location_};
    }
    float time(std::size_t frame) const {
        return static_cast<float>(static_cast<double>(frame) / mesh_.frames_per_second);
    }

    /// What the file holds for a frame: itself for the first, differences to the first for the others.
    Vec3f stored(const std::vector<Vec3f>& first, const std::vector<Vec3f>& frame, int vertex) const {
        return &frame == &first ? first[vertex] : frame[vertex] - first[vertex];
    }
    void add_bounds(GlbPart& part) const {
        const std::vector<Vec3f>&first = frames_.front(), &frame = frames_.back();
        const Vec3f start = stored(first, frame, part.sources.front());
        Bounds bounds{start, start};
        for (const int vertex : part.sources)
            bounds.add(stored(first, frame, vertex));
        part.bounds.push_back(bounds);
    }

    std::vector<Vec3f> normals(const std::vector<Vec3f>& frame) const {
        std::vector<Vec3> positions;
        positions.reserve(frame.size());
        for (const Vec3f& p : frame)
            positions.emplace_back(p);
        std::vector<Vec3f> out = vertex_normals(*mesh_.mesh, positions);
        for (Vec3f& n : out)
            if (n == Vec3f{}) n = {0.0f, 0.0f, 1.0f}; // glTF asks for unit length, also of a loose vertex
        return out;
    }

    void write_u32(std::initializer_list<std::uint64_t> numbers) {
        std::string bytes;
        for (const std::uint64_t number : numbers)
            append_bytes<std::endian::little>(bytes, static_cast<std::uint32_t>(number));
        file_.write(bytes);
    }
    void write_vectors(const GlbPart& part, const std::vector<Vec3f>& first, const std::vector<Vec3f>& frame) {
        std::string bytes;
        bytes.reserve(kVec3Bytes * part.sources.size());
        for (const int vertex : part.sources) {
            const Vec3f v = stored(first, frame, vertex);
            for (const float c : {v.x, v.y, v.z})
                append_bytes<std::endian::little>(bytes, c);
        }
        file_.write(bytes);
    }
    void write_binary() {
        for (const GlbPart& part : parts_) {
            std::string bytes;
            for (const std::uint32_t index : part.indices)
                append_bytes<std::endian::little>(bytes, index);
            file_.write(bytes);
        }
        const std::vector<Vec3f>& first = frames_.front();
        const std::vector<Vec3f> first_normals = normals(first);
        for (const std::vector<Vec3f>& frame : frames_) {
            const std::vector<Vec3f> later_normals = &frame == &first ? std::vector<Vec3f>{} : normals(frame);
            for (const GlbPart& part : parts_) {
                write_vectors(part, first, frame);
                write_vectors(part, first_normals, &frame == &first ? first_normals : later_normals);
            }
        }
        for (const GlbPart& part : parts_) {
            std::string bytes;
            for (const Vec2& uv : part.uv)
                for (const double c : {uv.x, uv.y})
                    append_bytes<std::endian::little>(bytes, static_cast<float>(c));
            file_.write(bytes);
        }
        if (counts_.frames > 1) write_animation();
    }
    void write_animation() {
        std::string bytes;
        for (std::size_t frame = 0; frame < frames_.size(); ++frame)
            append_bytes<std::endian::little>(bytes, time(frame));
        for (std::size_t frame = 0; frame < frames_.size(); ++frame)
            for (std::size_t target = 1; target < frames_.size(); ++target)
                append_bytes<std::endian::little>(bytes, frame == target ? 1.0f : 0.0f);
        file_.write(bytes);
    }

    AtomicFile file_;
    ExportMesh mesh_;
    std::string location_;
    std::uint64_t max_bytes_;
    Counts counts_;
    std::vector<GlbPart> parts_;
    std::vector<std::vector<Vec3f>> frames_;
};

} // namespace

Result<std::unique_ptr<FrameWriter>> make_glb_writer(const std::filesystem::path& path, const ExportMesh& mesh,
                                                     std::uint64_t max_bytes) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<FrameWriter>(std::make_unique<GlbWriter>(std::move(*file), mesh, path.string(), max_bytes));
}

} // namespace selvage
