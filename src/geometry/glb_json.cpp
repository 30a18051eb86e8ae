#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "geometry/glb_part.h"

namespace selvage {

namespace {

using nlohmann::json;

constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963; // GL's numbers, which glTF uses
constexpr int kUnsignedInt = 5125, kFloat = 5126;
constexpr int kByte = 5120, kShort = 5122;
constexpr const char* kSmallNumbers = "KHR_mesh_quantization";

json to_json(const Vec3f& v) {
    return json::array({double{v.x}, double{v.y}, double{v.z}});
}

/// Builds the JSON half. Accessors and buffer views are numbered in the order they are added.
class GltfDocument {
public:
    GltfDocument(const std::vector<GlbPart>& parts, double frames_per_second) {
        root_["asset"] = {{"version", "2.0"}, {"generator", "Selvage"}};
        for (const GlbPart& part : parts)
            add_part(part, frames_per_second);
        if (!channels_.empty())
            root_["animations"] = json::array(
                {{{"name", "simulation"}, {"samplers", std::move(samplers_)}, {"channels", std::move(channels_)}}});
        if (std::any_of(parts.begin(), parts.end(), [](const GlbPart& part) { return part.is_small; }))
            root_["extensionsUsed"] = root_["extensionsRequired"] = json::array({kSmallNumbers});
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
    void add_part(const GlbPart& part, double frames_per_second) {
        json primitive = {{"mode", 4}, {"material", add_material(part.source)}};
        const int indices = add_view(part.index_bytes(), kElementArrayBuffer, 0);
        primitive["indices"] = add_accessor(indices, 0, kUnsignedInt, part.indices.size(), "SCALAR");
        const std::uint64_t count = part.vertex_count();
        const int first = add_view(part.first_bytes(), kArrayBuffer, kVec3Bytes);
        primitive["attributes"]["POSITION"] = add_accessor(first, 0, kFloat, count, "VEC3");
        add_bounds(part.keys.front().bounds);
        primitive["attributes"]["NORMAL"] = add_accessor(first, kVec3Bytes * count, kFloat, count, "VEC3");
        if (part.target_count() > 0) primitive["targets"] = part.is_small ? add_small_targets(part) : add_targets(part);
        if (!part.uv.empty())
            primitive["attributes"]["TEXCOORD_0"] =
                add_accessor(add_view(part.uv_bytes(), kArrayBuffer, kVec2Bytes), 0, kFloat, count, "VEC2");
        meshes_.push_back({{"name", part.source.name}, {"primitives", json::array({std::move(primitive)})}});
        json node = {{"name", part.source.name}, {"mesh", meshes_.size() - 1}};
        if (part.is_small) node["scale"] = json::array({part.scale, part.scale, part.scale});
        nodes_.push_back(std::move(node));
        if (part.target_count() > 0) add_animation(part, frames_per_second);
    }
    json add_targets(const GlbPart& part) {
        const std::uint64_t count = part.vertex_count();
        const int view = add_view(part.target_bytes(), kArrayBuffer, kVec3Bytes);
        json targets = json::array();
        for (std::uint64_t k = 0; k < part.target_count(); ++k) {
            const std::uint64_t offset = 2 * kVec3Bytes * count * k;
            json target = {{"POSITION", add_accessor(view, offset, kFloat, count, "VEC3")}};
            add_bounds(part.keys[k + 1].bounds);
            target["NORMAL"] = add_accessor(view, offset + kVec3Bytes * count, kFloat, count, "VEC3");
            targets.push_back(std::move(target));
        }
        return targets;
    }
    json add_small_targets(const GlbPart& part) {
        const std::uint64_t count = part.vertex_count(), all = count * part.target_count();
        const int positions = add_view(kSmallPosition * all, kArrayBuffer, kSmallPosition);
        const int normals = add_view(kSmallNormal * all, kArrayBuffer, kSmallNormal);
        json targets = json::array();
        for (std::uint64_t k = 0; k < part.target_count(); ++k) {
            json target = {{"POSITION", add_accessor(positions, kSmallPosition * count * k, kShort, count, "VEC3")}};
            accessors_.back()["normalized"] = true;
            add_bounds(part.keys[k + 1].bounds);
            target["NORMAL"] = add_accessor(normals, kSmallNormal * count * k, kByte, count, "VEC3");
            accessors_.back()["normalized"] = true;
            targets.push_back(std::move(target));
        }
        return targets;
    }
    /// Of the node added last.
    void add_animation(const GlbPart& part, double frames_per_second) {
        const std::uint64_t keys = part.key_count();
        const int view = add_view(part.animation_bytes(), 0, 0);
        const int times = add_accessor(view, 0, kFloat, keys, "SCALAR");
        accessors_.back()["min"] = json::array({0.0});
        accessors_.back()["max"] =
            json::array({double{static_cast<float>(part.keys.back().frame / frames_per_second)}});
        const int weights = add_accessor(view, kScalarBytes * keys, kFloat, keys * (keys - 1), "SCALAR");
        channels_.push_back(
            {{"sampler", samplers_.size()}, {"target", {{"node", nodes_.size() - 1}, {"path", "weights"}}}});
        samplers_.push_back({{"input", times}, {"output", weights}, {"interpolation", "LINEAR"}});
    }
    /// Of the accessor added last; in the numbers it stores.
    void add_bounds(const GlbBounds& bounds) {
        accessors_.back()["min"] = to_json(bounds.min);
        accessors_.back()["max"] = to_json(bounds.max);
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

    json root_;
    json nodes_ = json::array(), meshes_ = json::array(), materials_ = json::array(), accessors_ = json::array(),
         views_ = json::array(), samplers_ = json::array(), channels_ = json::array();
    std::uint64_t view_end_ = 0;
};

} // namespace

std::string glb_json(const std::vector<GlbPart>& parts, double frames_per_second) {
    return GltfDocument(parts, frames_per_second).take_text();
}

} // namespace selvage
