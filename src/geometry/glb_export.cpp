// Layout of the binary chunk; every number has 4 bytes, so everything is aligned:
//
//   indices   of every part: uint32 x 3 per triangle
//   vectors   of every part, of every of its keys: vec3 positions, then vec3 normals. The first key holds frame 0, the
//             others the differences to it (the morph targets)
//   uv        of every part: vec2 per vertex, only with texture coordinates
//   animation of every part with K > 1 keys: K times, then K rows of K - 1 weights (row k has a 1 for target k, row 0
//             has none)
//
// Which frames are keys is decided part by part as the frames come (motion_keys.h), so no others are held.

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
#include "geometry/motion_keys.h"

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

/// One frame of a part as the file holds it: the first as it is, the others as differences to it.
struct Key {
    int frame = 0;
    std::vector<Vec3f> positions, normals;
    Bounds bounds;
};

/// A part as the file has it. A vertex where texture coordinates break appears once for each of them.
struct GlbPart {
    ExportPart source;
    std::vector<int> sources; ///< The mesh's vertex behind each of the part's.
    std::vector<Vec2> uv;     ///< Empty when the mesh has none.
    std::vector<std::uint32_t> indices;
    std::vector<Key> keys;
    std::vector<Vec3f> first_positions, first_normals;
    MotionKeys chooser{0.0};

    std::uint64_t key_count() const { return keys.size(); }
    std::uint64_t index_bytes() const { return kScalarBytes * indices.size(); }
    std::uint64_t vector_bytes() const { return 2 * kVec3Bytes * sources.size() * key_count(); }
    std::uint64_t uv_bytes() const { return kVec2Bytes * uv.size(); }
    std::uint64_t animation_bytes() const { return key_count() > 1 ? kScalarBytes * key_count() * key_count() : 0; }
    std::uint64_t bytes() const { return index_bytes() + vector_bytes() + uv_bytes() + animation_bytes(); }
};

GlbPart split_part(const TriangleMesh& mesh, const ExportPart& part) {
    GlbPart out;
    out.source = part;
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
    out.source = part;
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
    explicit GltfDocument(const std::vector<GlbPart>& parts) {
        root_["asset"] = {{"version", "2.0"}, {"generator", "Selvage"}};
        const auto total = [&](auto bytes) {
            std::uint64_t sum = 0;
            for (const GlbPart& part : parts)
                sum += (part.*bytes)();
            return sum;
        };
        index_view_ = add_view(total(&GlbPart::index_bytes), kElementArrayBuffer, 0);
        vector_view_ = add_view(total(&GlbPart::vector_bytes), kArrayBuffer, kVec3Bytes);
        if (const std::uint64_t bytes = total(&GlbPart::uv_bytes)) uv_view_ = add_view(bytes, kArrayBuffer, kVec2Bytes);
        if (const std::uint64_t bytes = total(&GlbPart::animation_bytes)) animation_view_ = add_view(bytes, 0, 0);
        for (const GlbPart& part : parts)
            add_part(part);
    }

    void add_animation(const std::vector<GlbPart>& parts, double frames_per_second) {
        json samplers = json::array(), channels = json::array();
        std::uint64_t offset = 0;
        for (std::size_t node = 0; node < parts.size(); ++node) {
            const std::uint64_t keys = parts[node].key_count();
            if (keys < 2) continue;
            const int times = add_accessor(animation_view_, offset, kFloat, keys, "SCALAR");
            const auto last = static_cast<float>(parts[node].keys.back().frame / frames_per_second);
            accessors_.back()["min"] = json::array({0.0});
            accessors_.back()["max"] = json::array({double{last}});
            const int weights =
                add_accessor(animation_view_, offset + kScalarBytes * keys, kFloat, keys * (keys - 1), "SCALAR");
            channels.push_back({{"sampler", samplers.size()}, {"target", {{"node", node}, {"path", "weights"}}}});
            samplers.push_back({{"input", times}, {"output", weights}, {"interpolation", "LINEAR"}});
            offset += parts[node].animation_bytes();
        }
        if (!channels.empty())
            root_["animations"] = json::array(
                {{{"name", "simulation"}, {"samplers", std::move(samplers)}, {"channels", std::move(channels)}}});
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
        root_["materials"] = std::move(materials_);
        root_["accessors"] = std::move(accessors_);
        root_["bufferViews"] = std::move(views_);
        root_["buffers"] = json::array({{{"byteLength", view_end_}}});
        std::string text = root_.dump(-1, ' ', false, json::error_handler_t::replace); // names may be no UTF-8
        text.resize((text.size() + 3) / 4 * 4, ' ');
        return text;
    }

private:
    void add_part(const GlbPart& part) {
        const std::uint64_t vertex_count = part.sources.size();
        json primitive = {{"mode", 4}, {"material", add_material(part.source)}};
        primitive["indices"] = add_accessor(index_view_, index_end_, kUnsignedInt, part.indices.size(), "SCALAR");
        index_end_ += part.index_bytes();
        for (const Key& key : part.keys) {
            json attributes;
            attributes["POSITION"] = add_accessor(vector_view_, vector_end_, kFloat, vertex_count, "VEC3");
            accessors_.back()["min"] = to_json(key.bounds.min);
            accessors_.back()["max"] = to_json(key.bounds.max);
            attributes["NORMAL"] =
                add_accessor(vector_view_, vector_end_ + kVec3Bytes * vertex_count, kFloat, vertex_count, "VEC3");
            vector_end_ += 2 * kVec3Bytes * vertex_count;
            if (&key == &part.keys.front())
                primitive["attributes"] = std::move(attributes);
            else
                primitive["targets"].push_back(std::move(attributes));
        }
        if (!part.uv.empty())
            primitive["attributes"]["TEXCOORD_0"] = add_accessor(uv_view_, uv_end_, kFloat, vertex_count, "VEC2");
        uv_end_ += part.uv_bytes();
        meshes_.push_back({{"name", part.source.name}, {"primitives", json::array({std::move(primitive)})}});
        nodes_.push_back({{"name", part.source.name}, {"mesh", meshes_.size() - 1}});
    }
    /// Parts with the same fabric in the same colour have one material.
    std::size_t add_material(const ExportPart& part) {
        const Vec3f& c = part.colour;
        // Cloth has no inside: both faces are drawn.
        const json material = {{"name", part.fabric},
                               {"doubleSided", true},
                               {"pbrMetallicRoughness",
                                {{"baseColorFactor", {double{c.x}, double{c.y}, double{c.z}, 1.0}},
                                 {"metallicFactor", 0.0},
                                 {"roughnessFactor", 0.9}}}};
        const auto found = std::find(materials_.begin(), materials_.end(), material);
        const auto index = static_cast<std::size_t>(found - materials_.begin());
        if (index == materials_.size()) materials_.push_back(material);
        return index;
    }
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

    int index_view_ = -1, vector_view_ = -1, uv_view_ = -1, animation_view_ = -1;
    std::uint64_t index_end_ = 0, vector_end_ = 0, uv_end_ = 0; // inside their views
    json root_;
    json nodes_ = json::array(), meshes_ = json::array(), materials_ = json::array(), accessors_ = json::array(),
         views_ = json::array();
    std::uint64_t view_end_ = 0;
};

class GlbWriter : public FrameWriter {
public:
    GlbWriter(AtomicFile file, const ExportMesh& mesh, std::string location, std::uint64_t max_bytes)
        : file_(std::move(file)), mesh_(mesh), location_(std::move(location)), max_bytes_(max_bytes) {
        const bool splits = !mesh.mesh->uv.empty() && !mesh.mesh->uv_triangles.empty();
        for (const ExportPart& source : mesh.parts) {
            if (source.triangle_count == 0) continue; // glTF has no empty meshes
            parts_.push_back(splits ? split_part(*mesh.mesh, source) : copy_part(*mesh.mesh, source));
            parts_.back().chooser = MotionKeys(mesh.tolerance);
        }
    }

    Status add_frame(std::span<const Vec3> positions) override {
        for (GlbPart& part : parts_) {
            const std::vector<Vec3f> now = gather(part, positions);
            if (frame_count_ == 0) part.chooser.restart(now);
            if (frame_count_ == 0 || part.chooser.accept(now)) continue;
            add_key(part);
            part.chooser.restart(gather(part, last_));
            part.chooser.accept(now);
        }
        last_.assign(positions.begin(), positions.end());
        last_normals_.clear();
        ++frame_count_;
        // The first frame is the base of all others.
        for (GlbPart& part : parts_)
            if (frame_count_ == 1) add_key(part);
        return check_size();
    }

    Status finish() override {
        if (parts_.empty()) return Error{"cannot export: there are no triangles", location_, ErrorKind::work};
        for (GlbPart& part : parts_)
            if (part.keys.back().frame != frame_count_ - 1) add_key(part);
        GltfDocument document(parts_);
        document.add_animation(parts_, mesh_.frames_per_second);
        const std::string text = document.take_text();
        const std::uint64_t total = 12 + 8 + text.size() + 8 + total_bytes();
        if (total > max_bytes_) return too_large();
        write_u32({0x46546C67 /* "glTF" */, 2, total, text.size(), 0x4E4F534A /* "JSON" */});
        file_.write(text);
        write_u32({total_bytes(), 0x004E4942 /* "BIN" */});
        write_binary();
        return file_.commit();
    }

private:
    std::uint64_t total_bytes() const {
        std::uint64_t sum = 0;
        for (const GlbPart& part : parts_)
            sum += part.bytes();
        return sum;
    }
    Error too_large() const {
        return {concat("would exceed the ", max_bytes_, " bytes of a .glb with ", frame_count_,
                       " frames; write a .pc2 instead, or fewer frames"),
                location_};
    }
    static std::vector<Vec3f> gather(const GlbPart& part, std::span<const Vec3> positions) {
        std::vector<Vec3f> out;
        out.reserve(part.sources.size());
        for (const int vertex : part.sources)
            out.emplace_back(positions[static_cast<std::size_t>(vertex)]);
        return out;
    }

    /// Makes the last frame a key of the part.
    void add_key(GlbPart& part) {
        if (last_normals_.empty()) last_normals_ = vertex_normals(*mesh_.mesh, last_);
        Key key{frame_count_ - 1, gather(part, last_), {}, {}};
        for (const int vertex : part.sources) {
            const Vec3f n = last_normals_[static_cast<std::size_t>(vertex)];
            key.normals.push_back(n == Vec3f{} ? Vec3f{0.0f, 0.0f, 1.0f} : n); // unit length, also of a loose vertex
        }
        if (part.keys.empty()) {
            part.first_positions = key.positions;
            part.first_normals = key.normals;
        } else {
            for (std::size_t i = 0; i < key.positions.size(); ++i) {
                key.positions[i] = key.positions[i] - part.first_positions[i];
                key.normals[i] = key.normals[i] - part.first_normals[i];
            }
        }
        key.bounds = {key.positions.front(), key.positions.front()};
        for (const Vec3f& p : key.positions)
            key.bounds.add(p);
        part.keys.push_back(std::move(key));
    }
    /// The last frame is a key in any case, though it may not be one yet.
    Status check_size() const {
        std::uint64_t bytes = 0;
        for (const GlbPart& part : parts_) {
            const std::uint64_t more = part.keys.back().frame + 1 < frame_count_ ? 1 : 0;
            if (part.key_count() + more > static_cast<std::uint64_t>(kGlbMaxFrames))
                return Error{concat("needs more than ", kGlbMaxFrames, " frames for cloth \"", part.source.name,
                                    "\", too many for the morph targets of a .glb; write a .pc2 instead, or allow a "
                                    "larger --tolerance"),
                             location_};
            // A key's accessors take about 300 bytes of JSON; finish() counts exactly.
            bytes += part.bytes() + more * part.vector_bytes() / part.key_count() + 300 * (part.key_count() + more);
        }
        if (bytes > max_bytes_) return too_large();
        return Done{};
    }

    void write_u32(std::initializer_list<std::uint64_t> numbers) {
        std::string bytes;
        for (const std::uint64_t number : numbers)
            append_bytes<std::endian::little>(bytes, static_cast<std::uint32_t>(number));
        file_.write(bytes);
    }
    void write_vectors(const std::vector<Vec3f>& vectors) {
        std::string bytes;
        bytes.reserve(kVec3Bytes * vectors.size());
        for (const Vec3f& v : vectors)
            for (const float c : {v.x, v.y, v.z})
                append_bytes<std::endian::little>(bytes, c);
        file_.write(bytes);
    }
    void write_binary() {
        for (const GlbPart& part : parts_) {
            std::string bytes;
            for (const std::uint32_t index : part.indices)
                append_bytes<std::endian::little>(bytes, index);
            file_.write(bytes);
        }
        for (const GlbPart& part : parts_)
            for (const Key& key : part.keys) {
                write_vectors(key.positions);
                write_vectors(key.normals);
            }
        for (const GlbPart& part : parts_) {
            std::string bytes;
            for (const Vec2& uv : part.uv)
                for (const double c : {uv.x, uv.y})
                    append_bytes<std::endian::little>(bytes, static_cast<float>(c));
            file_.write(bytes);
        }
        for (const GlbPart& part : parts_)
            if (part.key_count() > 1) write_animation(part);
    }
    void write_animation(const GlbPart& part) {
        std::string bytes;
        for (const Key& key : part.keys)
            append_bytes<std::endian::little>(bytes, static_cast<float>(key.frame / mesh_.frames_per_second));
        for (std::size_t key = 0; key < part.keys.size(); ++key)
            for (std::size_t target = 1; target < part.keys.size(); ++target)
                append_bytes<std::endian::little>(bytes, key == target ? 1.0f : 0.0f);
        file_.write(bytes);
    }

    AtomicFile file_;
    ExportMesh mesh_;
    std::string location_;
    std::uint64_t max_bytes_;
    std::vector<GlbPart> parts_;
    int frame_count_ = 0;
    std::vector<Vec3> last_;          // the last frame, whole
    std::vector<Vec3f> last_normals_; // of it; empty until a key asks for them
};

} // namespace

Result<std::unique_ptr<FrameWriter>> make_glb_writer(const std::filesystem::path& path, const ExportMesh& mesh,
                                                     std::uint64_t max_bytes) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<FrameWriter>(std::make_unique<GlbWriter>(std::move(*file), mesh, path.string(), max_bytes));
}

} // namespace selvage
