#include "character/glb_character.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "geometry/byte_order.h"

namespace selvage {

namespace {

using nlohmann::json;

constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963; // GL's numbers, which glTF uses
constexpr int kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;

json vec_json(const Vec3f& v) {
    return json::array({double{v.x}, double{v.y}, double{v.z}});
}

/// The binary half grows as accessors are added.
class CharacterDocument {
public:
    explicit CharacterDocument(const Character& body) : body_(body) {
        root_["asset"] = {{"version", "2.0"}, {"generator", "Selvage"}};
        root_["accessors"] = json::array();
        root_["bufferViews"] = json::array();
        add_nodes();
        add_mesh();
        add_skin();
        for (const Animation& animation : body_.animations)
            add_animation(animation);
    }

    std::string take() {
        root_["buffers"] = json::array({{{"byteLength", binary_.size()}}});
        std::string text = root_.dump(-1, ' ', false, json::error_handler_t::replace);
        text.resize((text.size() + 3) / 4 * 4, ' ');
        binary_.resize((binary_.size() + 3) / 4 * 4, '\0');
        std::string out = "glTF";
        const std::size_t total = 12 + 8 + text.size() + 8 + binary_.size();
        for (const std::size_t n : {std::size_t{2}, total, text.size(), std::size_t{0x4E4F534A}})
            append_bytes<std::endian::little>(out, static_cast<std::uint32_t>(n));
        out += text;
        for (const std::size_t n : {binary_.size(), std::size_t{0x004E4942}})
            append_bytes<std::endian::little>(out, static_cast<std::uint32_t>(n));
        return out + binary_;
    }

private:
    void number(double value) { append_bytes<std::endian::little>(binary_, static_cast<float>(value)); }
    void vector(const Vec3& v) {
        number(v.x);
        number(v.y);
        number(v.z);
    }
    /// Of what was appended to the binary half since `begin`.
    int add_accessor(std::size_t begin, int target, int component, std::size_t count, const char* type) {
        json view = {{"buffer", 0}, {"byteOffset", begin}, {"byteLength", binary_.size() - begin}};
        if (target != 0) view["target"] = target;
        binary_.resize((binary_.size() + 3) / 4 * 4, '\0');
        json& views = root_["bufferViews"];
        views.push_back(std::move(view));
        root_["accessors"].push_back(
            {{"bufferView", views.size() - 1}, {"componentType", component}, {"count", count}, {"type", type}});
        return static_cast<int>(root_["accessors"].size()) - 1;
    }

    void add_nodes() {
        json nodes = json::array(), roots = json::array();
        const std::vector<Joint>& joints = body_.skeleton.joints;
        for (const Joint& joint : joints) {
            const JointTransform& t = joint.rest;
            json node = {{"name", joint.name}, {"translation", vec_json(Vec3f(t.translation))}};
            if (t.rotation != Quaternion{}) node["rotation"] = {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w};
            if (t.scale != Vec3{1, 1, 1}) node["scale"] = vec_json(Vec3f(t.scale));
            nodes.push_back(std::move(node));
        }
        for (std::size_t j = 0; j < joints.size(); ++j)
            (joints[j].parent < 0 ? roots : nodes[joints[j].parent]["children"]).push_back(j);
        roots.push_back(joints.size());
        nodes.push_back({{"name", body_.name}, {"mesh", 0}, {"skin", 0}});
        root_["scene"] = 0;
        root_["scenes"] = json::array({{{"nodes", std::move(roots)}}});
        root_["nodes"] = std::move(nodes);
    }

    void add_mesh() {
        const std::vector<Vec3>& points = body_.mesh.positions;
        json primitive = {{"mode", 4}, {"material", 0}};
        std::size_t begin = binary_.size();
        Vec3f low(points.front()), high = low;
        for (const Vec3& p : points) {
            vector(p);
            const Vec3f q(p);
            low = {std::min(low.x, q.x), std::min(low.y, q.y), std::min(low.z, q.z)};
            high = {std::max(high.x, q.x), std::max(high.y, q.y), std::max(high.z, q.z)};
        }
        primitive["attributes"]["POSITION"] = add_accessor(begin, kArrayBuffer, kFloat, points.size(), "VEC3");
        root_["accessors"].back()["min"] = vec_json(low);
        root_["accessors"].back()["max"] = vec_json(high);
        begin = binary_.size();
        for (const Vec3f& n : vertex_normals(body_.mesh, points))
            vector(Vec3(normalized(n, {0, 1, 0})));
        primitive["attributes"]["NORMAL"] = add_accessor(begin, kArrayBuffer, kFloat, points.size(), "VEC3");
        add_weights(primitive);
        begin = binary_.size();
        for (const Triangle& t : body_.mesh.triangles)
            for (const int corner : t)
                append_bytes<std::endian::little>(binary_, static_cast<std::uint32_t>(corner));
        primitive["indices"] =
            add_accessor(begin, kElementArrayBuffer, kUnsignedInt, 3 * body_.mesh.triangles.size(), "SCALAR");
        root_["meshes"] = json::array({{{"name", body_.name}, {"primitives", json::array({std::move(primitive)})}}});
        root_["materials"] = json::array(
            {{{"name", "mannequin"},
              {"pbrMetallicRoughness",
               {{"baseColorFactor", {0.62, 0.58, 0.54, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.5}}}}});
    }

    void add_weights(json& primitive) {
        const SkinWeights& skin = body_.skin;
        int most = 0;
        for (int v = 0; v < skin.vertex_count(); ++v)
            most = std::max(most, skin.first[v + 1] - skin.first[v]);
        for (int set = 0; set < (most + 3) / 4; ++set) {
            const auto each = [&](const auto& put) {
                for (int v = 0; v < skin.vertex_count(); ++v)
                    for (int k = 4 * set; k < 4 * set + 4; ++k) {
                        const int at = skin.first[v] + k;
                        put(at < skin.first[v + 1] ? at : -1);
                    }
            };
            const auto count = static_cast<std::size_t>(skin.vertex_count());
            std::size_t begin = binary_.size();
            each([&](int at) {
                append_bytes<std::endian::little>(binary_, static_cast<std::uint16_t>(at < 0 ? 0 : skin.bone[at]));
            });
            primitive["attributes"][concat("JOINTS_", set)] =
                add_accessor(begin, kArrayBuffer, kUnsignedShort, count, "VEC4");
            begin = binary_.size();
            each([&](int at) { number(at < 0 ? 0.0 : skin.weight[at]); });
            primitive["attributes"][concat("WEIGHTS_", set)] = add_accessor(begin, kArrayBuffer, kFloat, count, "VEC4");
        }
    }

    void add_skin() {
        const std::size_t begin = binary_.size();
        json joints = json::array();
        for (const Bone& bone : body_.skeleton.bones) {
            joints.push_back(bone.joint);
            for (const auto& [column, last] :
                 {std::pair{bone.inverse_bind.x, 0.0}, std::pair{bone.inverse_bind.y, 0.0},
                  std::pair{bone.inverse_bind.z, 0.0}, std::pair{bone.inverse_bind.origin, 1.0}}) {
                vector(column);
                number(last);
            }
        }
        const int matrices = add_accessor(begin, 0, kFloat, body_.skeleton.bones.size(), "MAT4");
        root_["skins"] = json::array({{{"joints", std::move(joints)}, {"inverseBindMatrices", matrices}}});
    }

    void add_animation(const Animation& animation) {
        json samplers = json::array(), channels = json::array();
        for (const AnimationChannel& channel : animation.channels) {
            std::size_t begin = binary_.size();
            for (const double t : channel.times)
                number(t);
            const int times = add_accessor(begin, 0, kFloat, channel.times.size(), "SCALAR");
            root_["accessors"].back()["min"] = {double{static_cast<float>(channel.times.front())}};
            root_["accessors"].back()["max"] = {double{static_cast<float>(channel.times.back())}};
            begin = binary_.size();
            for (const double v : channel.values)
                number(v);
            const bool turns = channel.path == AnimationChannel::Path::rotation;
            const int values =
                add_accessor(begin, 0, kFloat, channel.values.size() / channel.width, turns ? "VEC4" : "VEC3");
            const char* path = turns                                           ? "rotation"
                               : channel.path == AnimationChannel::Path::scale ? "scale"
                                                                               : "translation";
            channels.push_back({{"sampler", samplers.size()}, {"target", {{"node", channel.joint}, {"path", path}}}});
            const char* between = channel.between == AnimationChannel::Between::step    ? "STEP"
                                  : channel.between == AnimationChannel::Between::cubic ? "CUBICSPLINE"
                                                                                        : "LINEAR";
            samplers.push_back({{"input", times}, {"output", values}, {"interpolation", between}});
        }
        if (channels.empty()) return;
        root_["animations"].push_back(
            {{"name", animation.name}, {"samplers", std::move(samplers)}, {"channels", std::move(channels)}});
    }

    const Character& body_;
    json root_;
    std::string binary_;
};

} // namespace

Animation sample_motion(const Character& mannequin, const MotionInfo& motion, double seconds, double per_second,
                        bool in_place) {
    Animation out;
    out.name = motion.name;
    const int keys = std::max(1, static_cast<int>(std::lround(seconds * per_second)));
    const std::vector<Joint>& joints = mannequin.skeleton.joints;
    std::vector<AnimationChannel> turns(joints.size());
    AnimationChannel places; // of the root alone: bones keep their lengths
    for (int k = 0; k <= keys; ++k) {
        const double t = k / per_second;
        const BodyPose pose = mannequin_pose(mannequin, motion, t, in_place);
        places.times.push_back(t);
        const Vec3& p = pose.local[kPelvis].translation;
        places.values.insert(places.values.end(), {p.x, p.y, p.z});
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const Quaternion& q = pose.local[j].rotation;
            turns[j].times.push_back(t);
            turns[j].values.insert(turns[j].values.end(), {q.x, q.y, q.z, q.w});
        }
    }
    out.seconds = places.times.back();
    for (std::size_t j = 0; j < joints.size(); ++j) {
        turns[j].path = AnimationChannel::Path::rotation;
        turns[j].width = 4;
        turns[j].joint = static_cast<int>(j);
        bool moves = false;
        for (std::size_t i = 0; i < turns[j].values.size(); ++i)
            moves = moves || turns[j].values[i] != (i % 4 == 3 ? 1.0 : 0.0);
        if (moves) out.channels.push_back(std::move(turns[j]));
    }
    places.joint = kPelvis;
    out.channels.push_back(std::move(places));
    return out;
}

Status write_character(const std::filesystem::path& path, const Character& character) {
    if (!character.morphs.empty()) return Error{"has morph targets, which are not written", path.string()};
    return write_file(path, CharacterDocument(character).take());
}

} // namespace selvage
