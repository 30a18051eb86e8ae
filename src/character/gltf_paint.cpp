#include "character/gltf_paint.h"

#include <array>
#include <map>
#include <optional>

#include "base/atomic_file.h"
#include "character/gltf_parts.h"

namespace selvage {

namespace {

using nlohmann::json;
using PlaceKey = std::array<double, 3>;

/// A whole number from 0 behind a path of keys; -1 where there is none.
int index_at(const json& value, const char* key) {
    if (!value.is_object()) return -1;
    const auto found = value.find(key);
    return found != value.end() && found->is_number_unsigned() && *found < 0x7FFFFFFFu ? found->get<int>() : -1;
}

const json* item(const json& root, const char* list, int index) {
    const auto found = root.find(list);
    if (found == root.end() || !found->is_array() || index < 0 || index >= static_cast<int>(found->size()))
        return nullptr;
    return &(*found)[static_cast<std::size_t>(index)];
}

class PaintReader {
public:
    PaintReader(const tinygltf::Model& model, const json& extras, const std::filesystem::path& path)
        : model_(model), extras_(extras), path_(path) {}

    Result<BodyPaint> read(const Character& body) {
        for (const tinygltf::Mesh& mesh : model_.meshes)
            for (const tinygltf::Primitive& primitive : mesh.primitives)
                add_primitive(primitive);
        if (lost_ >= 0)
            return Error{concat("image ", lost_, " cannot be reached; expected it in the file or beside it"),
                         path_.string()};
        for (const Vec3& p : body.mesh.positions) {
            const auto found = at_.find({p.x, p.y, p.z});
            paint_.vertices.push_back(found != at_.end() ? found->second : BodyPaint::Vertex{});
        }
        return std::move(paint_);
    }

private:
    void add_primitive(const tinygltf::Primitive& primitive) {
        const auto position = primitive.attributes.find("POSITION"), uv = primitive.attributes.find("TEXCOORD_0");
        if (position == primitive.attributes.end()) return;
        const std::string location = path_.string();
        const Result<AccessorView> points =
            view_accessor(model_, position->second, TINYGLTF_TYPE_VEC3, "POSITION", location);
        if (!points) return;
        BodyPaint::Vertex vertex = material(primitive.material);
        std::optional<AccessorView> coordinates;
        if (uv != primitive.attributes.end()) {
            Result<AccessorView> view = view_accessor(model_, uv->second, TINYGLTF_TYPE_VEC2, "TEXCOORD_0", location);
            if (view && view->count == points->count) coordinates.emplace(std::move(*view));
        }
        if (!coordinates) vertex.image = -1;
        for (std::size_t i = 0; i < points->count; ++i) {
            if (coordinates) vertex.uv = {coordinates->number(i, 0), coordinates->number(i, 1)};
            at_.try_emplace({points->number(i, 0), points->number(i, 1), points->number(i, 2)}, vertex);
        }
    }

    BodyPaint::Vertex material(int index) {
        BodyPaint::Vertex out;
        const json* entry = item(extras_, "materials", index);
        if (!entry || !entry->is_object() || !entry->contains("pbrMetallicRoughness")) return out;
        const json& surface = (*entry)["pbrMetallicRoughness"];
        if (!surface.is_object()) return out;
        if (const auto f = surface.find("baseColorFactor"); f != surface.end() && f->is_array() && f->size() == 4 &&
                                                            (*f)[0].is_number() && (*f)[1].is_number() &&
                                                            (*f)[2].is_number())
            out.factor = {(*f)[0].get<float>(), (*f)[1].get<float>(), (*f)[2].get<float>()};
        if (const auto texture = surface.find("baseColorTexture"); texture != surface.end())
            if (const json* named = item(extras_, "textures", index_at(*texture, "index")))
                out.image = image(index_at(*named, "source"));
        return out;
    }

    /// Index of the file's image among those kept.
    int image(int index) {
        if (const auto known = kept_.find(index); known != kept_.end()) return known->second;
        int& kept = kept_[index] = -1;
        if (index < 0) return kept;
        const std::string bytes = image_bytes(index);
        if (bytes.empty()) {
            lost_ = index;
            return kept;
        }
        kept = static_cast<int>(paint_.images.size());
        paint_.images.push_back(bytes);
        return kept;
    }
    std::string image_bytes(int index) const {
        const json* entry = item(extras_, "images", index);
        if (!entry || !entry->is_object()) return {};
        if (const int view = index_at(*entry, "bufferView"); view >= 0) {
            if (view >= static_cast<int>(model_.bufferViews.size())) return {};
            const tinygltf::BufferView& span = model_.bufferViews[static_cast<std::size_t>(view)];
            if (span.buffer < 0 || span.buffer >= static_cast<int>(model_.buffers.size())) return {};
            const std::vector<unsigned char>& data = model_.buffers[static_cast<std::size_t>(span.buffer)].data;
            if (span.byteOffset > data.size() || span.byteLength > data.size() - span.byteOffset) return {};
            return {data.begin() + static_cast<std::ptrdiff_t>(span.byteOffset),
                    data.begin() + static_cast<std::ptrdiff_t>(span.byteOffset + span.byteLength)};
        }
        const auto uri = entry->find("uri");
        if (uri == entry->end() || !uri->is_string() || uri->get<std::string>().starts_with("data:")) return {};
        constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20;
        Result<std::string> content = read_file(path_.parent_path() / uri->get<std::string>(), kLargest);
        return content ? std::move(*content) : std::string();
    }

    const tinygltf::Model& model_;
    const json& extras_;
    const std::filesystem::path& path_;
    BodyPaint paint_;
    int lost_ = -1;           // an image that is not there
    std::map<int, int> kept_; // file's images to those kept
    std::map<PlaceKey, BodyPaint::Vertex> at_;
};

} // namespace

Result<BodyPaint> read_paint(const std::filesystem::path& path, const Character& character) {
    const Result<std::string> content = read_file(path);
    if (!content) return content.error();
    try {
        const Result<tinygltf::Model> model = load_gltf(*content, path);
        if (!model) return model.error();
        const Result<json> extras = gltf_extras(*content, path);
        if (!extras) return extras.error();
        return PaintReader(*model, *extras, path).read(character);
    } catch (const std::exception& failure) { // of the libraries
        return Error{concat("cannot be read: ", failure.what()), path.string()};
    }
}

} // namespace selvage
