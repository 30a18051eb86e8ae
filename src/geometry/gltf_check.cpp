#include "geometry/gltf_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/concat.h"

namespace selvage {

namespace {

using nlohmann::json;

enum class Kind { count, index_list, number_list, text, flag, object, object_list, index_map };

struct Key {
    const char* name;
    Kind kind;
    std::size_t length = 0; ///< Of a list; 0: any.
};

const std::vector<Key> kAccessor{
    {"bufferView", Kind::count}, {"byteOffset", Kind::count}, {"componentType", Kind::count}, {"count", Kind::count},
    {"normalized", Kind::flag},  {"type", Kind::text},        {"sparse", Kind::object}};
const std::vector<Key> kSparse{{"count", Kind::count}, {"indices", Kind::object}, {"values", Kind::object}};
const std::vector<Key> kSparsePart{
    {"bufferView", Kind::count}, {"byteOffset", Kind::count}, {"componentType", Kind::count}};
const std::vector<Key> kView{{"buffer", Kind::count},
                             {"byteOffset", Kind::count},
                             {"byteLength", Kind::count},
                             {"byteStride", Kind::count},
                             {"extensions", Kind::object}};
const std::vector<Key> kBuffer{{"byteLength", Kind::count}, {"uri", Kind::text}};
const std::vector<Key> kNode{{"mesh", Kind::count},
                             {"skin", Kind::count},
                             {"children", Kind::index_list},
                             {"matrix", Kind::number_list, 16},
                             {"rotation", Kind::number_list, 4},
                             {"scale", Kind::number_list, 3},
                             {"translation", Kind::number_list, 3},
                             {"weights", Kind::number_list}};
const std::vector<Key> kMesh{{"primitives", Kind::object_list}, {"weights", Kind::number_list}};
const std::vector<Key> kPrimitive{{"attributes", Kind::index_map},
                                  {"indices", Kind::count},
                                  {"mode", Kind::count},
                                  {"targets", Kind::object_list},
                                  {"extensions", Kind::object}};
const std::vector<Key> kScene{{"nodes", Kind::index_list}};

/// Offsets and counts fit an int, or no file could mean them.
bool is_count(const json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= kMaxGltfBytes;
}

template <class Test>
bool is_list_of(const json& value, std::size_t length, Test test) {
    return value.is_array() && (length == 0 || value.size() == length) && std::all_of(value.begin(), value.end(), test);
}

bool is_of_kind(const json& value, const Key& key) {
    switch (key.kind) {
    case Kind::count:
        return is_count(value);
    case Kind::index_list:
        return is_list_of(value, key.length, is_count);
    case Kind::number_list:
        return is_list_of(value, key.length, [](const json& v) { return v.is_number(); });
    case Kind::text:
        return value.is_string();
    case Kind::flag:
        return value.is_boolean();
    case Kind::object:
        return value.is_object();
    case Kind::object_list:
        return is_list_of(value, key.length, [](const json& v) { return v.is_object(); });
    case Kind::index_map:
        return value.is_object() && std::all_of(value.begin(), value.end(), is_count);
    }
    return false;
}

std::string describe(const Key& key) {
    const std::string many = key.length > 0 ? concat("a list of ", key.length, " ") : std::string("a list of ");
    switch (key.kind) {
    case Kind::count:
        return concat("a whole number from 0 to ", kMaxGltfBytes);
    case Kind::index_list:
        return many + "whole numbers from 0";
    case Kind::number_list:
        return many + "numbers";
    case Kind::text:
        return "a text";
    case Kind::flag:
        return "true or false";
    case Kind::object:
        return "an object";
    case Kind::object_list:
        return many + "objects";
    case Kind::index_map:
        return "names with whole numbers from 0";
    }
    return "";
}

class TypeChecker {
public:
    explicit TypeChecker(const std::string& location) : location_(location) {}

    Status keys(const json& object, const std::vector<Key>& known, const std::string& pointer) const {
        for (const Key& key : known)
            if (const auto found = object.find(key.name); found != object.end() && !is_of_kind(*found, key))
                return wrong(*found, pointer + "/" + key.name, describe(key));
        return Done{};
    }
    /// Every element of a list at the root, which may be absent.
    template <class Check>
    Status each(const json& root, const char* name, const std::vector<Key>& known, Check more) const {
        const auto list = root.find(name);
        if (list == root.end()) return Done{};
        if (!list->is_array()) return wrong(*list, concat("/", name), "a list of objects");
        for (std::size_t i = 0; i < list->size(); ++i) {
            const std::string pointer = concat("/", name, "/", i);
            if (!(*list)[i].is_object()) return wrong((*list)[i], pointer, "an object");
            if (Status ok = keys((*list)[i], known, pointer); !ok) return ok;
            if (Status ok = more((*list)[i], pointer); !ok) return ok;
        }
        return Done{};
    }
    Status each(const json& root, const char* name, const std::vector<Key>& known) const {
        return each(root, name, known, [](const json&, const std::string&) -> Status { return Done{}; });
    }
    Error wrong(const json& value, const std::string& pointer, const std::string& expected) const {
        std::string shown = value.dump(-1, ' ', false, json::error_handler_t::replace);
        if (shown.size() > 40) shown = shown.substr(0, 40) + "...";
        return {concat(pointer, ": found ", shown, "; expected ", expected), location_};
    }

private:
    const std::string& location_;
};

Status check_types(const json& root, const std::string& location) {
    const TypeChecker check(location);
    if (const Status ok = check.keys(root, {{"scene", Kind::count}}, ""); !ok) return ok;
    if (const Status ok = check.each(root, "buffers", kBuffer); !ok) return ok;
    if (const Status ok = check.each(root, "bufferViews", kView); !ok) return ok;
    const auto sparse = [&](const json& accessor, const std::string& pointer) -> Status {
        const auto found = accessor.find("sparse");
        if (found == accessor.end()) return Done{};
        if (Status ok = check.keys(*found, kSparse, pointer + "/sparse"); !ok) return ok;
        for (const char* part : {"indices", "values"})
            if (const auto half = found->find(part); half != found->end())
                if (Status ok = check.keys(*half, kSparsePart, concat(pointer, "/sparse/", part)); !ok) return ok;
        return Done{};
    };
    if (const Status ok = check.each(root, "accessors", kAccessor, sparse); !ok) return ok;
    const auto primitives = [&](const json& mesh, const std::string& pointer) -> Status {
        const auto found = mesh.find("primitives");
        if (found == mesh.end()) return Done{};
        for (std::size_t i = 0; i < found->size(); ++i) {
            const std::string at = concat(pointer, "/primitives/", i);
            if (Status ok = check.keys((*found)[i], kPrimitive, at); !ok) return ok;
            if (const auto targets = (*found)[i].find("targets"); targets != (*found)[i].end())
                for (std::size_t k = 0; k < targets->size(); ++k)
                    if (!is_of_kind((*targets)[k], {"", Kind::index_map}))
                        return check.wrong((*targets)[k], concat(at, "/targets/", k), describe({"", Kind::index_map}));
        }
        return Done{};
    };
    if (const Status ok = check.each(root, "meshes", kMesh, primitives); !ok) return ok;
    if (const Status ok = check.each(root, "nodes", kNode); !ok) return ok;
    return check.each(root, "scenes", kScene);
}

/// Only by copies of one buffer could a small file ask for much memory.
Status check_buffers(const json& root, const std::string& location) {
    const auto buffers = root.find("buffers");
    if (buffers == root.end()) return Done{};
    std::uint64_t total = 0;
    int embedded = 0;
    for (const json& buffer : *buffers) {
        total += buffer.value("byteLength", std::uint64_t{0});
        if (!buffer.contains("uri")) ++embedded;
        if (total > kMaxGltfBytes)
            return Error{concat("its buffers have more than ", kMaxGltfBytes, " bytes together"), location};
    }
    if (embedded > 1)
        return Error{concat("has ", embedded, " buffers without uri; expected at most 1, the binary chunk"), location};
    return Done{};
}

/// What an extension would change if it were read; empty for those that leave the geometry as it is.
std::string lost_without(std::string_view name) {
    if (name == "KHR_draco_mesh_compression" || name.ends_with("_meshopt_compression"))
        return "its geometry is compressed by it; export it without compression";
    if (name == "EXT_mesh_gpu_instancing") return "it places copies of meshes; export them as nodes";
    constexpr std::array kHarmless{"KHR_mesh_quantization",
                                   "KHR_materials_",
                                   "KHR_texture_",
                                   "KHR_lights_",
                                   "KHR_xmp",
                                   "KHR_audio",
                                   "KHR_animation_",
                                   "KHR_node_visibility",
                                   "EXT_texture_",
                                   "EXT_lights_",
                                   "EXT_materials_",
                                   "EXT_audio",
                                   "MSFT_texture_",
                                   "MSFT_packing_",
                                   "ADOBE_materials_",
                                   "AGI_",
                                   "CESIUM_primitive_",
                                   "EXT_mesh_features",
                                   "EXT_structural_metadata",
                                   "VRM"};
    for (const std::string_view prefix : kHarmless)
        if (name.starts_with(prefix)) return "";
    return "what it changes about the geometry is not known; export it without";
}

Status check_extensions(const json& root, const std::string& location) {
    if (const auto required = root.find("extensionsRequired"); required != root.end() && required->is_array())
        for (const json& name : *required)
            if (name.is_string())
                if (const std::string lost = lost_without(name.get<std::string>()); !lost.empty())
                    return Error{concat("requires ", name.get<std::string>(), ", which is not supported: ", lost),
                                 location};
    // Not required: there may be a plain copy of the data beside the compressed one, or a buffer that stands for it.
    const auto views = root.find("bufferViews"), buffers = root.find("buffers");
    if (views == root.end() || buffers == root.end()) return Done{};
    for (const json& view : *views) {
        const auto extensions = view.find("extensions");
        const std::uint64_t buffer = view.value("buffer", std::uint64_t{0});
        if (extensions == view.end() || buffer >= buffers->size()) continue;
        const bool stands_in = !(*buffers)[buffer].contains("uri") && (*buffers)[buffer].contains("extensions");
        for (const auto& [name, unused] : extensions->items())
            if (stands_in && !lost_without(name).empty())
                return Error{concat("uses ", name, ", which is not supported: ", lost_without(name)), location};
    }
    return Done{};
}

} // namespace

Status check_gltf(const json& root, const std::string& location) {
    if (const Status ok = check_types(root, location); !ok) return ok;
    if (const Status ok = check_extensions(root, location); !ok) return ok;
    return check_buffers(root, location);
}

} // namespace selvage
