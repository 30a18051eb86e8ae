#include <algorithm>
#include <cmath>

#include "character/gltf_parts.h"

namespace selvage {

namespace {

using nlohmann::json;
using Path = AnimationChannel::Path;
using Between = AnimationChannel::Between;

class AnimationReader {
public:
    AnimationReader(const tinygltf::Model& model, const GltfNodes& nodes, const std::string& location)
        : model_(model), nodes_(nodes), location_(location) {}

    Status read(const json& entry, int index, Animation& out) {
        name_ = entry.is_object() && entry.contains("name") && entry["name"].is_string()
                    ? entry["name"].get<std::string>()
                    : concat("animation", index);
        out.name = name_;
        const json *channels = list(entry, "channels"), *samplers = list(entry, "samplers");
        if (!channels || !samplers) return fail(" has no list of channels and samplers");
        for (std::size_t c = 0; c < channels->size(); ++c)
            if (Status ok = read_channel((*channels)[c], *samplers, c, out); !ok) return ok;
        for (const AnimationChannel& channel : out.channels)
            out.seconds = std::max(out.seconds, channel.times.back());
        return Done{};
    }
    int skipped() const { return skipped_; }

private:
    template <class... Parts>
    Error fail(const Parts&... parts) const {
        return {concat("animation \"", name_, "\"", parts...), location_};
    }
    static const json* list(const json& entry, const char* key) {
        if (!entry.is_object()) return nullptr;
        const auto found = entry.find(key);
        return found != entry.end() && found->is_array() ? &*found : nullptr;
    }
    static int number(const json& entry, const char* key) {
        if (!entry.is_object()) return -1;
        const auto found = entry.find(key);
        const bool fits =
            found != entry.end() && found->is_number_unsigned() && found->get<std::uint64_t>() < 0x7FFFFFFFu;
        return fits ? found->get<int>() : -1;
    }
    static std::string text(const json& entry, const char* key, const char* otherwise) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_string() ? found->get<std::string>() : otherwise;
    }

    Status read_channel(const json& entry, const json& samplers, std::size_t index, Animation& out) {
        const std::string what = concat(" channel ", index);
        const json target = entry.is_object() && entry.contains("target") ? entry["target"] : json::object();
        if (!target.is_object()) return fail(what, " has a target that is no object");
        const int node = number(target, "node"), sampler = number(entry, "sampler");
        const std::string path = text(target, "path", "");
        AnimationChannel channel;
        const bool known = path == "translation" || path == "rotation" || path == "scale" || path == "weights";
        if (!known || node < 0 || node >= static_cast<int>(nodes_.joint.size()) || nodes_.joint[node] < 0) {
            ++skipped_;
            return Done{};
        }
        if (sampler < 0 || sampler >= static_cast<int>(samplers.size()) || !samplers[sampler].is_object())
            return fail(what, " names sampler ", sampler, "; it has ", samplers.size());
        channel.joint = nodes_.joint[node];
        channel.path = path == "rotation"  ? Path::rotation
                       : path == "scale"   ? Path::scale
                       : path == "weights" ? Path::morphs
                                           : Path::translation;
        channel.width = channel.path == Path::rotation ? 4
                        : channel.path == Path::morphs ? nodes_.morph_count[node]
                                                       : 3;
        channel.first_morph = nodes_.first_morph[node];
        if (channel.width == 0)
            return fail(what, " moves morph targets of ", gltf_node_name(model_, node), ", which has none");
        if (Status ok = read_keys(samplers[sampler], what, channel); !ok) return ok;
        if (Status ok = check_keys(what, node, channel); !ok) return ok;
        out.channels.push_back(std::move(channel));
        return Done{};
    }

    Status read_keys(const json& sampler, const std::string& what, AnimationChannel& channel) const {
        const std::string between = text(sampler, "interpolation", "LINEAR");
        if (between != "LINEAR" && between != "STEP" && between != "CUBICSPLINE")
            return fail(what, " has interpolation \"", between, "\"; expected LINEAR, STEP or CUBICSPLINE");
        channel.between = between == "STEP" ? Between::step : between == "LINEAR" ? Between::linear : Between::cubic;
        const Result<AccessorView> times =
            view_accessor(model_, number(sampler, "input"), TINYGLTF_TYPE_SCALAR, "animation input", location_);
        if (!times) return times.error();
        const int type = channel.path == Path::rotation ? TINYGLTF_TYPE_VEC4
                         : channel.path == Path::morphs ? TINYGLTF_TYPE_SCALAR
                                                        : TINYGLTF_TYPE_VEC3;
        const Result<AccessorView> values =
            view_accessor(model_, number(sampler, "output"), type, "animation output", location_);
        if (!values) return values.error();
        constexpr std::size_t kMostNumbers = 64'000'000; // half a gigabyte; a small file may ask for any number
        const std::size_t per_key = (channel.path == Path::morphs ? static_cast<std::size_t>(channel.width) : 1u) *
                                    (channel.between == Between::cubic ? 3u : 1u);
        if (times->count > kMostNumbers / per_key || values->count != times->count * per_key)
            return fail(what, " has ", values->count, " values for ", times->count, " keys; expected ",
                        times->count * per_key);
        const std::size_t components = channel.path == Path::morphs ? 1u : static_cast<std::size_t>(channel.width);
        for (std::size_t k = 0; k < times->count; ++k)
            channel.times.push_back(times->number(k, 0));
        channel.values.reserve(values->count * components);
        for (std::size_t k = 0; k < values->count; ++k)
            for (std::size_t c = 0; c < components; ++c)
                channel.values.push_back(values->number(k, c));
        return Done{};
    }

    Status check_keys(const std::string& what, int node, const AnimationChannel& channel) const {
        for (std::size_t k = 0; k < channel.times.size(); ++k)
            if (!(channel.times[k] >= 0.0 && channel.times[k] < 1e9 &&
                  (k == 0 || channel.times[k] > channel.times[k - 1])))
                return fail(what, " key ", k, " is at ", channel.times[k], " s; expected times from 0 that rise");
        const auto width = static_cast<std::size_t>(channel.width);
        for (std::size_t i = 0; i < channel.values.size(); ++i)
            if (!(std::abs(channel.values[i]) < 1e12))
                return fail(what, " of ", gltf_node_name(model_, node), " has a value that is not finite at key ",
                            i / width / (channel.between == Between::cubic ? 3 : 1));
        const bool is_cubic = channel.between == Between::cubic;
        for (std::size_t k = 0; k < channel.times.size(); ++k) {
            const double* v = channel.values.data() + (is_cubic ? 3 * k + 1 : k) * width;
            if (channel.path == Path::scale && (v[0] == 0.0 || v[1] == 0.0 || v[2] == 0.0))
                return fail(what, " scales ", gltf_node_name(model_, node), " to zero at key ", k,
                            "; expected a scale that keeps the surface whole");
            if (channel.path == Path::rotation && !(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3] > 0.25))
                return fail(what, " of ", gltf_node_name(model_, node), " has no rotation at key ", k,
                            ": its quaternion is too short");
        }
        return Done{};
    }

    const tinygltf::Model& model_;
    const GltfNodes& nodes_;
    const std::string& location_;
    std::string name_;
    int skipped_ = 0;
};

} // namespace

Status read_gltf_animations(const tinygltf::Model& model, const json& extras, const GltfNodes& nodes,
                            const std::string& location, std::vector<Animation>& out,
                            std::vector<std::string>& warnings) {
    const auto animations = extras.find("animations");
    if (animations == extras.end() || !animations->is_array()) return Done{};
    AnimationReader reader(model, nodes, location);
    for (std::size_t i = 0; i < animations->size(); ++i) {
        Animation animation;
        if (Status ok = reader.read((*animations)[i], static_cast<int>(i), animation); !ok) return ok;
        out.push_back(std::move(animation));
    }
    if (reader.skipped() > 0)
        warnings.push_back(concat(location, ": ", reader.skipped(),
                                  " animation channels left out: they move nothing of the scene that is known"));
    return Done{};
}

} // namespace selvage
