#include "character/gltf_paint.h"

#include <algorithm>
#include <map>

#include "base/atomic_file.h"
#include "character/gltf_parts.h"
#include "math/functions.h"

namespace selvage {

namespace {

using nlohmann::json;

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

/// How KHR_texture_transform moves texture coordinates.
struct UvTransform {
    Vec2 offset, scale{1, 1};
    double turn = 0.0; ///< Counter-clockwise [rad].

    Vec2 operator()(const Vec2& uv) const {
        const maths::SineAndCosine at = maths::sincos(turn);
        const double u = scale.x * uv.x, v = scale.y * uv.y;
        return {at.cosine * u + at.sine * v + offset.x, at.cosine * v - at.sine * u + offset.y};
    }
};

/// Two numbers behind a key; `otherwise` where there are none.
Vec2 pair_at(const json& value, const char* key, const Vec2& otherwise) {
    const auto found = value.find(key);
    if (found == value.end() || !found->is_array() || found->size() != 2 || !(*found)[0].is_number() ||
        !(*found)[1].is_number())
        return otherwise;
    return {(*found)[0].get<double>(), (*found)[1].get<double>()};
}

/// A material's base colour.
struct Base {
    Vec3f factor{1, 1, 1};
    int image = -1; // index among those kept
    int set = 0;    // of texture coordinates
    UvTransform transform;
};

class PaintReader {
public:
    PaintReader(const tinygltf::Model& model, const json& extras, const std::filesystem::path& path)
        : model_(model), extras_(extras), path_(path) {}

    Result<BodyPaint> read() {
        const Result<GltfCorners> corners = read_gltf_corners(model_, extras_, path_.string());
        if (!corners) return corners.error();
        for (const GltfCorners::Primitive& primitive : corners->primitives)
            add_primitive(*corners, primitive);
        if (lost_ >= 0)
            return Error{concat("image ", lost_, " cannot be reached; expected it in the file or beside it"),
                         path_.string()};
        return std::move(paint_);
    }

private:
    void add_primitive(const GltfCorners& all, const GltfCorners::Primitive& from) {
        const Base base = material(from.primitive->material);
        BodyPaint::Part part;
        part.factor = base.factor;
        part.image = base.image;
        for (int i = 0; i < from.corner_count; ++i)
            part.corners.push_back({all.vertex[static_cast<std::size_t>(from.corner_begin + i)], {}});
        for (int t = from.triangle_begin; t < from.triangle_begin + from.triangle_count; ++t) {
            const Triangle& corner = all.triangles[static_cast<std::size_t>(t)];
            part.triangles.push_back(
                {corner[0] - from.corner_begin, corner[1] - from.corner_begin, corner[2] - from.corner_begin});
        }
        if (part.image >= 0 && !add_uv(*from.primitive, base, part)) part.image = -1;
        paint_.parts.push_back(std::move(part));
    }

    bool add_uv(const tinygltf::Primitive& primitive, const Base& base, BodyPaint::Part& part) const {
        const auto uv = primitive.attributes.find(concat("TEXCOORD_", base.set));
        if (uv == primitive.attributes.end()) return false;
        const Result<AccessorView> view =
            view_accessor(model_, uv->second, TINYGLTF_TYPE_VEC2, uv->first, path_.string());
        if (!view || view->count != part.corners.size()) return false;
        for (std::size_t i = 0; i < view->count; ++i)
            part.corners[i].uv = base.transform({view->number(i, 0), view->number(i, 1)});
        return true;
    }

    Base material(int index) {
        Base out;
        const json* entry = item(extras_, "materials", index);
        if (!entry || !entry->is_object() || !entry->contains("pbrMetallicRoughness")) return out;
        const json& surface = (*entry)["pbrMetallicRoughness"];
        if (!surface.is_object()) return out;
        if (const auto f = surface.find("baseColorFactor"); f != surface.end() && f->is_array() && f->size() == 4 &&
                                                            (*f)[0].is_number() && (*f)[1].is_number() &&
                                                            (*f)[2].is_number())
            out.factor = {(*f)[0].get<float>(), (*f)[1].get<float>(), (*f)[2].get<float>()};
        if (const auto texture = surface.find("baseColorTexture"); texture != surface.end())
            if (const json* named = item(extras_, "textures", index_at(*texture, "index"))) {
                out.image = image(index_at(*named, "source"));
                read_placing(*texture, out);
            }
        return out;
    }

    static void read_placing(const json& texture, Base& out) {
        out.set = std::max(0, index_at(texture, "texCoord"));
        const auto extensions = texture.find("extensions");
        if (extensions == texture.end() || !extensions->is_object()) return;
        const auto moved = extensions->find("KHR_texture_transform");
        if (moved == extensions->end() || !moved->is_object()) return;
        out.transform.offset = pair_at(*moved, "offset", {0, 0});
        out.transform.scale = pair_at(*moved, "scale", {1, 1});
        if (const auto turn = moved->find("rotation"); turn != moved->end() && turn->is_number())
            out.transform.turn = turn->get<double>();
        if (const int set = index_at(*moved, "texCoord"); set >= 0) out.set = set;
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
};

} // namespace

Result<BodyPaint> read_paint(const std::filesystem::path& path) {
    const Result<std::string> content = read_file(path);
    if (!content) return content.error();
    try {
        const Result<tinygltf::Model> model = load_gltf(*content, path);
        if (!model) return model.error();
        const Result<json> extras = gltf_extras(*content, path);
        if (!extras) return extras.error();
        return PaintReader(*model, *extras, path).read();
    } catch (const std::exception& failure) { // of the libraries
        return Error{concat("cannot be read: ", failure.what()), path.string()};
    }
}

} // namespace selvage
