// tinygltf trusts its input: it follows extras recursively however deep, decodes images from anywhere in memory, lets
// the shell expand file names, and reads up to 8 bytes past a binary chunk that lies about its size. So the container
// is checked and the JSON pruned to what describes geometry before tinygltf sees either.

#include "geometry/gltf_file.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "geometry/byte_order.h"
#include "geometry/gltf_check.h"

namespace selvage {

namespace {

using nlohmann::json;

constexpr int kMaxNesting = 64;                                             // geometry needs 6; only extras go deeper
constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942; // "JSON", "BIN"

std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
    return load_bytes<std::endian::little, std::uint32_t>(bytes.data() + at);
}

struct Chunks {
    std::string_view json, binary;
};

Result<Chunks> split_container(std::string_view bytes, const std::string& location) {
    constexpr std::size_t kHeader = 12, kChunkHeader = 8;
    if (bytes.substr(0, 4) != "glTF")
        return Error{"does not start with \"glTF\"; a .glb file does (JSON text is .gltf)", location};
    if (bytes.size() < kHeader + kChunkHeader)
        return Error{concat("has ", bytes.size(), " bytes; a .glb file has at least 20; is it cut off?"), location};
    if (const std::uint32_t version = read_u32(bytes, 4); version != 2)
        return Error{concat("is glTF version ", version, "; expected 2"), location};
    const std::size_t length = read_u32(bytes, 8);
    if (length > bytes.size() || length < kHeader + kChunkHeader)
        return Error{concat("says it has ", length, " bytes, but has ", bytes.size(), "; is it cut off?"), location};

    Chunks chunks;
    for (std::size_t at = kHeader; at + kChunkHeader <= length;) {
        const std::size_t size = read_u32(bytes, at), begin = at + kChunkHeader;
        if (size > length - begin)
            return Error{concat("chunk at byte ", at, " says it has ", size, " bytes; ", length - begin, " are left"),
                         location};
        const std::string_view chunk = bytes.substr(begin, size);
        if (at == kHeader && read_u32(bytes, at + 4) != kJsonChunk)
            return Error{"its first chunk is not JSON", location};
        if (at == kHeader)
            chunks.json = chunk;
        else if (read_u32(bytes, at + 4) == kBinaryChunk && chunks.binary.empty())
            chunks.binary = chunk;
        at = begin + size;
    }
    return chunks;
}

bool describes_geometry(const std::string& key) {
    static const std::vector<std::string> kKeys{"asset",  "scene",     "scenes",      "nodes",  "extensionsRequired",
                                                "meshes", "accessors", "bufferViews", "buffers"};
    return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

Result<std::string> pruned_json(std::string_view text, const std::string& location) {
    const auto keep = [](int depth, json::parse_event_t event, const json& parsed) {
        if (depth > kMaxNesting) return false;
        return depth != 1 || event != json::parse_event_t::key || describes_geometry(parsed.get<std::string>());
    };
    json root;
    try {
        root = json::parse(text.begin(), text.end(), keep);
    } catch (const json::exception& failure) {
        return Error{concat("is not valid JSON: ", failure.what()), location};
    }
    if (!root.is_object()) return Error{"is not a JSON object; expected glTF 2.0", location};
    if (root.find("asset") == root.end()) return Error{"has no \"asset\"; expected glTF 2.0", location};
    if (const Status ok = check_gltf(root, location); !ok) return ok.error();
    return root.dump();
}

std::string build_container(std::string text, std::string_view binary) {
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const std::size_t padding = (4 - binary.size() % 4) % 4;
    const std::size_t size = 20 + text.size() + (binary.empty() ? 0 : 8 + binary.size() + padding);
    std::string out = "glTF";
    out.reserve(size);
    for (const std::size_t number : {std::size_t{2}, size, text.size(), std::size_t{kJsonChunk}})
        append_bytes<std::endian::little>(out, static_cast<std::uint32_t>(number));
    out += text;
    if (binary.empty()) return out;
    append_bytes<std::endian::little>(out, static_cast<std::uint32_t>(binary.size() + padding));
    append_bytes<std::endian::little>(out, kBinaryChunk);
    return out.append(binary).append(padding, '\0');
}

/// Plain files only, and names as they are: tinygltf's own callbacks open devices and expand $(...) in names.
tinygltf::FsCallbacks plain_files() {
    tinygltf::FsCallbacks callbacks{};
    callbacks.FileExists = [](const std::string& name, void*) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(name, ignored);
    };
    callbacks.ExpandFilePath = [](const std::string& name, void*) { return name; };
    callbacks.ReadWholeFile = [](std::vector<unsigned char>* out, std::string* error, const std::string& name, void*) {
        const Result<std::string> content = read_file(name, kMaxGltfBytes);
        if (content)
            out->assign(content->begin(), content->end());
        else
            *error += content.error().message;
        return static_cast<bool>(content);
    };
    callbacks.WriteWholeFile = [](std::string*, const std::string&, const std::vector<unsigned char>&, void*) {
        return false;
    };
    return callbacks;
}

bool is_gltf_container(const std::string& content, const std::filesystem::path& path) {
    return content.starts_with("glTF") || path.extension() == ".glb";
}

Result<Chunks> file_chunks(const std::string& content, const std::filesystem::path& path) {
    if (is_gltf_container(content, path)) return split_container(content, path.string());
    return Chunks{content, {}};
}

// Its messages quote whole data URIs.
std::string shortened(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.pop_back();
    constexpr std::size_t kLongest = 200;
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

} // namespace

Result<json> gltf_extras(const std::string& content, const std::filesystem::path& path) {
    Result<Chunks> chunks = file_chunks(content, path);
    if (!chunks) return chunks.error();
    const auto keep = [](int depth, json::parse_event_t event, const json& parsed) {
        if (depth > kMaxNesting) return false;
        if (depth != 1 || event != json::parse_event_t::key) return true;
        const std::string key = parsed.get<std::string>();
        return key == "skins" || key == "animations" || key == "materials" || key == "textures" || key == "images";
    };
    try {
        return json::parse(chunks->json.begin(), chunks->json.end(), keep);
    } catch (const json::exception& failure) {
        return Error{concat("is not valid JSON: ", failure.what()), path.string()};
    }
}

Result<tinygltf::Model> load_gltf(const std::string& content, const std::filesystem::path& path) {
    const std::string location = path.string();
    const bool is_container = is_gltf_container(content, path);
    const Result<Chunks> found = file_chunks(content, path);
    if (!found) return found.error();
    const Chunks& chunks = *found;
    Result<std::string> text = pruned_json(chunks.json, location);
    if (!text) return text.error();
    if (text->size() + chunks.binary.size() + 64 > 0xFFFFFFFFu)
        return Error{"is larger than the 4 GiB that glTF's binary form allows", location};

    tinygltf::TinyGLTF loader;
    loader.SetFsCallbacks(plain_files());
    tinygltf::Model model;
    std::string error, warning;
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
    bool ok = false;
    if (is_container) {
        const std::string bytes = build_container(std::move(*text), chunks.binary);
        ok = loader.LoadBinaryFromMemory(&model, &error, &warning, reinterpret_cast<const unsigned char*>(bytes.data()),
                                         static_cast<unsigned>(bytes.size()), folder);
    } else {
        ok = loader.LoadASCIIFromString(&model, &error, &warning, text->data(), static_cast<unsigned>(text->size()),
                                        folder);
    }
    if (!ok) return Error{concat("is not valid glTF: ", shortened(error)), location};
    return model;
}

double AccessorView::number(std::size_t item, std::size_t component) const {
    constexpr std::endian kOrder = std::endian::little;
    const auto size =
        static_cast<std::size_t>(tinygltf::GetComponentSizeInBytes(static_cast<unsigned>(component_type)));
    const unsigned char* at = data + item * stride + component * size;
    switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE: {
        const double value = load_bytes<kOrder, std::int8_t>(at);
        return normalized ? std::max(value / 127.0, -1.0) : value;
    }
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE: {
        const double value = load_bytes<kOrder, std::uint8_t>(at);
        return normalized ? value / 255.0 : value;
    }
    case TINYGLTF_COMPONENT_TYPE_SHORT: {
        const double value = load_bytes<kOrder, std::int16_t>(at);
        return normalized ? std::max(value / 32767.0, -1.0) : value;
    }
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT: {
        const double value = load_bytes<kOrder, std::uint16_t>(at);
        return normalized ? value / 65535.0 : value;
    }
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
        return load_bytes<kOrder, std::uint32_t>(at);
    default:
        return load_bytes<kOrder, float>(at);
    }
}

namespace {

/// What lies behind an accessor, or behind the indices or values of a sparse one.
Result<AccessorView> view_elements(const tinygltf::Model& model, const tinygltf::Accessor& accessor, int type,
                                   const std::string& what, const std::string& location) {
    const auto fail = [&](const auto&... parts) { return Error{concat(what, parts...), location}; };
    const int component_type = accessor.componentType;
    if (component_type < TINYGLTF_COMPONENT_TYPE_BYTE || component_type > TINYGLTF_COMPONENT_TYPE_FLOAT ||
        component_type == TINYGLTF_COMPONENT_TYPE_INT)
        return fail(" has component type ", component_type, "; expected 5120 to 5123, 5125 or 5126");
    if (accessor.bufferView < 0) return fail(" has no bufferView; is the mesh compressed?");
    if (accessor.bufferView >= static_cast<int>(model.bufferViews.size()))
        return fail(" points to bufferView ", accessor.bufferView, "; the file has ", model.bufferViews.size());
    const tinygltf::BufferView& view = model.bufferViews[static_cast<std::size_t>(accessor.bufferView)];
    if (view.buffer < 0 || view.buffer >= static_cast<int>(model.buffers.size()))
        return fail(" points to buffer ", view.buffer, "; the file has ", model.buffers.size());
    const std::vector<unsigned char>& bytes = model.buffers[static_cast<std::size_t>(view.buffer)].data;
    if (view.byteOffset > bytes.size() || view.byteLength > bytes.size() - view.byteOffset)
        return fail(": bufferView ", accessor.bufferView, " ends outside its buffer of ", bytes.size(), " bytes");

    const int component_size = tinygltf::GetComponentSizeInBytes(static_cast<unsigned>(component_type));
    const int component_count = tinygltf::GetNumComponentsInType(static_cast<unsigned>(type));
    const std::size_t item_size = static_cast<std::size_t>(component_size) * static_cast<std::size_t>(component_count);
    const std::size_t stride = view.byteStride != 0 ? view.byteStride : item_size;
    if (stride < item_size) return fail(" has elements of ", item_size, " bytes every ", stride, " bytes");
    if (accessor.count == 0) return fail(" is empty");
    // Written without products, which could overflow.
    if (accessor.byteOffset > view.byteLength || view.byteLength - accessor.byteOffset < item_size ||
        (view.byteLength - accessor.byteOffset - item_size) / stride < accessor.count - 1)
        return fail(" of ", accessor.count, " elements ends outside its bufferView of ", view.byteLength, " bytes");
    return AccessorView{bytes.data() + view.byteOffset + accessor.byteOffset, accessor.count, stride, component_type,
                        accessor.normalized};
}

/// The values of a sparse accessor over those of its base, or over zeros where it has none.
Result<AccessorView> fill_sparse(const tinygltf::Model& model, const tinygltf::Accessor& accessor, int type,
                                 const std::string& what, const std::string& location) {
    constexpr std::size_t kMostElements = 16'000'000; // kMaxVertices: a small file may ask for any number
    if (accessor.count > kMostElements || accessor.sparse.count < 1)
        return Error{concat(what, " holds ", accessor.count, " elements, ", accessor.sparse.count,
                            " of them sparse; expected at most ", kMostElements, " and at least 1"),
                     location};
    tinygltf::Accessor part = accessor; // the file's indices and values, read as accessors of their own
    part.count = static_cast<std::size_t>(accessor.sparse.count);
    part.bufferView = accessor.sparse.values.bufferView;
    part.byteOffset = static_cast<std::size_t>(accessor.sparse.values.byteOffset);
    const Result<AccessorView> values = view_elements(model, part, type, what + " sparse values", location);
    if (!values) return values.error();
    part.bufferView = accessor.sparse.indices.bufferView;
    part.byteOffset = static_cast<std::size_t>(accessor.sparse.indices.byteOffset);
    part.componentType = accessor.sparse.indices.componentType;
    part.normalized = false;
    const Result<AccessorView> indices =
        view_elements(model, part, TINYGLTF_TYPE_SCALAR, what + " sparse indices", location);
    if (!indices) return indices.error();

    const auto item_size =
        static_cast<std::size_t>(tinygltf::GetComponentSizeInBytes(static_cast<unsigned>(accessor.componentType)) *
                                 tinygltf::GetNumComponentsInType(static_cast<unsigned>(type)));
    AccessorView out{nullptr, accessor.count, item_size, accessor.componentType, accessor.normalized};
    out.filled.resize(accessor.count * item_size);
    if (accessor.bufferView >= 0) {
        const Result<AccessorView> base = view_elements(model, accessor, type, what, location);
        if (!base) return base.error();
        for (std::size_t i = 0; i < accessor.count; ++i)
            std::copy_n(base->data + i * base->stride, item_size, out.filled.data() + i * item_size);
    }
    for (std::size_t i = 0; i < values->count; ++i) {
        const double index = indices->number(i, 0);
        if (!(index >= 0.0 && index < static_cast<double>(accessor.count)))
            return Error{concat(what, " sparse index ", i, " is ", index, "; the accessor has ", accessor.count),
                         location};
        std::copy_n(values->data + i * values->stride, item_size,
                    out.filled.data() + static_cast<std::size_t>(index) * item_size);
    }
    out.data = out.filled.data();
    return out;
}

} // namespace

Result<AccessorView> view_accessor(const tinygltf::Model& model, int index, int type, const std::string& what,
                                   const std::string& location) {
    const std::string name = concat(what, ": accessor ", index);
    if (index < 0 || index >= static_cast<int>(model.accessors.size()))
        return Error{concat(name, " does not exist; the file has ", model.accessors.size()), location};
    const tinygltf::Accessor& accessor = model.accessors[static_cast<std::size_t>(index)];
    if (accessor.type != type)
        return Error{concat(name, " holds the wrong kind of element (scalar, vector or matrix)"), location};
    return accessor.sparse.isSparse ? fill_sparse(model, accessor, type, name, location)
                                    : view_elements(model, accessor, type, name, location);
}

} // namespace selvage
