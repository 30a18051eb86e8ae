#include "geometry/ply.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <locale>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "geometry/byte_order.h"

namespace selvage {

namespace {

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

constexpr std::array<std::size_t, 8> kBytesOf{1, 1, 2, 2, 4, 4, 4, 8};

std::size_t byte_count(Scalar type) {
    return kBytesOf[static_cast<std::size_t>(type)];
}

std::optional<Scalar> parse_scalar(std::string_view name) {
    static constexpr std::pair<std::string_view, Scalar> kNames[] = {
        {"char", Scalar::int8},      {"int8", Scalar::int8},       {"uchar", Scalar::uint8},
        {"uint8", Scalar::uint8},    {"short", Scalar::int16},     {"int16", Scalar::int16},
        {"ushort", Scalar::uint16},  {"uint16", Scalar::uint16},   {"int", Scalar::int32},
        {"int32", Scalar::int32},    {"uint", Scalar::uint32},     {"uint32", Scalar::uint32},
        {"float", Scalar::float32},  {"float32", Scalar::float32}, {"double", Scalar::float64},
        {"float64", Scalar::float64}};
    for (const auto& [known, type] : kNames)
        if (known == name) return type;
    return std::nullopt;
}

/// What a property means to us. The first five are also the places of a vertex's numbers.
enum class Role { x, y, z, u, v, corners, none };

struct Property {
    Scalar type = Scalar::float32;
    std::optional<Scalar> count_type; ///< Set for lists.
    Role role = Role::none;
    std::string name = {};
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;

    bool has(Role role) const {
        return std::any_of(properties.begin(), properties.end(), [role](const Property& p) { return p.role == role; });
    }
};

enum class Encoding { ascii, little, big };

struct Header {
    Encoding encoding = Encoding::ascii;
    std::vector<Element> elements;
    std::size_t size = 0; ///< Bytes up to the first byte of data.

    const Element* find(std::string_view name) const {
        for (const Element& element : elements)
            if (element.name == name) return &element;
        return nullptr;
    }
};

Role vertex_role(std::string_view name) {
    static constexpr std::pair<std::string_view, Role> kNames[] = {
        {"x", Role::x}, {"y", Role::y}, {"z", Role::z},         {"s", Role::u},        {"u", Role::u},
        {"t", Role::v}, {"v", Role::v}, {"texture_u", Role::u}, {"texture_v", Role::v}};
    for (const auto& [known, role] : kNames)
        if (known == name) return role;
    return Role::none;
}

/// The words after "property": TYPE NAME, or list COUNT_TYPE TYPE NAME.
std::optional<Property> parse_property(std::istringstream& words, const std::string& element) {
    std::string type, name;
    Property property;
    if (!(words >> type)) return std::nullopt;
    if (type == "list") {
        std::string count_type;
        if (!(words >> count_type >> type)) return std::nullopt;
        property.count_type = parse_scalar(count_type);
        if (!property.count_type) return std::nullopt;
    }
    const std::optional<Scalar> scalar = parse_scalar(type);
    if (!scalar || !(words >> name)) return std::nullopt;
    property.type = *scalar;
    if (!property.count_type && element == "vertex") property.role = vertex_role(name);
    property.name = name;
    if (property.count_type && element == "face" && (name == "vertex_indices" || name == "vertex_index"))
        property.role = Role::corners;
    return property;
}

std::optional<Encoding> parse_encoding(std::string_view name) {
    if (name == "ascii") return Encoding::ascii;
    if (name == "binary_little_endian") return Encoding::little;
    if (name == "binary_big_endian") return Encoding::big;
    return std::nullopt;
}

/// One header line; false when it is not one of PLY's.
bool parse_header_line(const std::string& line, Header& header) {
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    std::string keyword, name;
    words >> keyword;
    if (keyword.empty() || keyword == "comment" || keyword == "obj_info") return true;
    if (keyword == "format") {
        words >> name;
        const std::optional<Encoding> encoding = parse_encoding(name);
        if (encoding) header.encoding = *encoding;
        return encoding.has_value();
    }
    if (keyword == "element") {
        Element element;
        std::int64_t count = -1;
        if (!(words >> element.name >> count) || count < 0 || header.find(element.name)) return false;
        element.count = static_cast<std::uint64_t>(count);
        header.elements.push_back(std::move(element));
        return true;
    }
    if (keyword != "property" || header.elements.empty()) return false;
    Element& element = header.elements.back();
    const std::optional<Property> property = parse_property(words, element.name);
    if (property) element.properties.push_back(*property);
    return property.has_value();
}

// Quoted in errors; a binary file can have a "line" of megabytes.
std::string quoted_start(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 40))
        out += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
    return '"' + out + '"';
}

Result<Header> parse_header(const std::string& content, const std::string& location) {
    Header header;
    bool has_format = false;
    std::size_t begin = 0;
    for (int number = 1; begin < content.size(); ++number) {
        const std::size_t end = content.find('\n', begin);
        if (end == std::string::npos) break;
        std::string line = content.substr(begin, end - begin);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        begin = end + 1;
        const std::string here = concat(location, ":", number);
        if (number == 1 && line != "ply")
            return Error{concat("starts with ", quoted_start(line), "; a PLY file starts with the line \"ply\""), here};
        if (number == 1) continue;
        if (line == "end_header") {
            if (!has_format) return Error{"has no format line before end_header", here};
            header.size = begin;
            return header;
        }
        if (!parse_header_line(line, header))
            return Error{concat("found ", quoted_start(line),
                                "; expected format, comment, a new element with its count, a property of a known type, "
                                "or end_header"),
                         here};
        has_format = has_format || line.starts_with("format");
    }
    if (!content.starts_with("ply"))
        return Error{concat("starts with ", quoted_start(content), "; a PLY file starts with the line \"ply\""),
                     location};
    return Error{"ends before the line end_header; is it cut off?", location};
}

template <std::endian order>
double load_scalar(Scalar type, const char* at) {
    switch (type) {
    case Scalar::int8:
        return load_bytes<order, std::int8_t>(at);
    case Scalar::uint8:
        return load_bytes<order, std::uint8_t>(at);
    case Scalar::int16:
        return load_bytes<order, std::int16_t>(at);
    case Scalar::uint16:
        return load_bytes<order, std::uint16_t>(at);
    case Scalar::int32:
        return load_bytes<order, std::int32_t>(at);
    case Scalar::uint32:
        return load_bytes<order, std::uint32_t>(at);
    case Scalar::float32:
        return load_bytes<order, float>(at);
    case Scalar::float64:
        return load_bytes<order, double>(at);
    }
    return 0.0;
}

/// Walks the data after the header, number by number.
class NumberReader {
public:
    NumberReader(const std::string& content, const Header& header)
        : content_(content), encoding_(header.encoding), at_(header.size) {}

    /// False at the end of the file, and in ascii at anything but a number.
    bool read(Scalar type, double& value) {
        if (encoding_ == Encoding::ascii) return read_text(value);
        const std::size_t size = byte_count(type);
        if (remaining() < size) return false;
        const char* bytes = content_.data() + at_;
        value = encoding_ == Encoding::little ? load_scalar<std::endian::little>(type, bytes)
                                              : load_scalar<std::endian::big>(type, bytes);
        at_ += size;
        return true;
    }
    /// The least room `count` numbers of this type can take.
    bool has_room(std::uint64_t count, std::size_t bytes) const {
        return bytes == 0 || count <= (remaining() + 1) / bytes;
    }
    std::size_t least_bytes(Scalar type) const { return encoding_ == Encoding::ascii ? 2 : byte_count(type); }

    /// Where the reader stopped, for errors: FILE:LINE in text, FILE in binary.
    std::string place(const std::string& location) const {
        if (encoding_ != Encoding::ascii) return location;
        return concat(location, ":", 1 + std::count(content_.begin(), content_.begin() + at_, '\n'));
    }
    std::string found() const {
        if (remaining() == 0) return "the end of the file";
        if (encoding_ != Encoding::ascii) return concat("only ", remaining(), " more bytes");
        return quoted_start(std::string_view(content_).substr(at_, content_.find_first_of(" \t\r\n", at_) - at_));
    }

private:
    std::size_t remaining() const { return content_.size() - at_; }
    bool read_text(double& value) {
        at_ = std::min(content_.find_first_not_of(" \t\r\n", at_), content_.size());
        const std::size_t size = read_number(std::string_view(content_).substr(at_), value);
        const std::size_t end = at_ + size;
        if (size == 0 || (end < content_.size() && !std::isspace(static_cast<unsigned char>(content_[end]))))
            return false;
        at_ = end;
        return true;
    }

    const std::string& content_;
    Encoding encoding_;
    std::size_t at_;
};

/// Turns the items of the known elements into a mesh.
class MeshAssembler {
public:
    MeshAssembler(const Header& header, const std::string& location, VertexScalar* scalar)
        : location_(location), scalar_(scalar), vertex_count_(static_cast<int>(header.find("vertex")->count)) {}

    Status read_element(const Element& element, NumberReader& reader) {
        std::size_t least = 0;
        for (const Property& property : element.properties)
            least += reader.least_bytes(property.count_type.value_or(property.type));
        if (least == 0) return Done{}; // items without properties take no room in the file
        if (!reader.has_room(element.count, least))
            return Error{concat("promises ", element.count, " of element ", element.name, ", but has ", reader.found(),
                                "; is it cut off?"),
                         location_};
        if (element.name == "vertex") mesh_.positions.reserve(element.count);
        for (std::uint64_t item = 0; item < element.count; ++item)
            if (Status ok = read_item(element, item, reader); !ok) return ok;
        return Done{};
    }
    TriangleMesh take() { return std::move(mesh_); }

private:
    Status read_item(const Element& element, std::uint64_t item, NumberReader& reader) {
        std::array<double, 5> numbers{};
        corners_.clear();
        for (const Property& property : element.properties) {
            double value = 0.0;
            if (!reader.read(property.count_type.value_or(property.type), value))
                return unreadable(element, item, reader);
            if (scalar_ && element.name == "vertex" && !property.count_type && property.name == scalar_->name)
                scalar_->values.push_back(value / unit_of(property.type));
            if (property.count_type) {
                if (Status ok = read_list(property, value, element, item, reader); !ok) return ok;
            } else if (property.role != Role::none) {
                numbers[static_cast<std::size_t>(property.role)] = value;
            }
        }
        if (element.name == "vertex") {
            mesh_.positions.emplace_back(numbers[0], numbers[1], numbers[2]);
            if (element.has(Role::u) && element.has(Role::v)) mesh_.uv.push_back({numbers[3], numbers[4]});
        }
        for (std::size_t i = 2; i < corners_.size(); ++i)
            mesh_.triangles.push_back({corners_[0], corners_[i - 1], corners_[i]});
        return Done{};
    }

    /// Painted colours are bytes, and stand for fractions.
    static double unit_of(Scalar type) {
        return type == Scalar::uint8 ? 255.0 : type == Scalar::uint16 ? 65535.0 : 1.0;
    }

    Status read_list(const Property& property, double length, const Element& element, std::uint64_t item,
                     NumberReader& reader) {
        if (!(length >= 0.0) || length != std::floor(length) || length > 4e9 || // the largest count any type holds
            !reader.has_room(static_cast<std::uint64_t>(length), reader.least_bytes(property.type)))
            return Error{
                concat(element.name, " ", item, " has a list of ", length, " entries, followed by ", reader.found()),
                reader.place(location_)};
        for (auto left = static_cast<std::uint64_t>(length); left > 0; --left) {
            double value = 0.0;
            if (!reader.read(property.type, value)) return unreadable(element, item, reader);
            if (property.role != Role::corners) continue;
            if (!(value >= 0.0 && value < vertex_count_) || value != std::floor(value))
                return Error{concat("face ", item, " names vertex ", value, "; the file has ", vertex_count_,
                                    " vertices, counted from 0"),
                             reader.place(location_)};
            corners_.push_back(static_cast<int>(value));
        }
        return Done{};
    }

    Error unreadable(const Element& element, std::uint64_t item, const NumberReader& reader) const {
        return {concat("found ", reader.found(), " in ", element.name, " ", item, " of ", element.count,
                       "; expected a number"),
                reader.place(location_)};
    }

    const std::string& location_;
    VertexScalar* scalar_; // null: none is asked for
    int vertex_count_;
    TriangleMesh mesh_;
    std::vector<int> corners_; // of the item being read
};

Status check_scalar(const Header& header, const std::string& location, VertexScalar& scalar) {
    for (const Property& property : header.find("vertex")->properties) {
        if (property.count_type) continue;
        if (property.name == scalar.name) return Done{};
        if (property.role == Role::none) scalar.known.push_back(property.name);
    }
    return Error{concat("has no property ", scalar.name, " of its vertices; expected ",
                        scalar.known.empty() ? "one that was painted" : join(scalar.known)),
                 location};
}

Status check_header(const Header& header, const std::string& location) {
    const Element* vertices = header.find("vertex");
    const Element* faces = header.find("face");
    if (!vertices || !vertices->has(Role::x) || !vertices->has(Role::y) || !vertices->has(Role::z))
        return Error{"holds no vertices: expected an element vertex with properties x, y and z", location};
    if (!faces || !faces->has(Role::corners))
        return Error{"holds no faces: expected an element face with a list property vertex_indices", location};
    if (vertices->count > static_cast<std::uint64_t>(kMaxVertices))
        return Error{concat("has ", vertices->count, " vertices; expected at most ", kMaxVertices), location};
    return Done{};
}

void append_vec3(std::string& out, const Vec3f& v) {
    for (const float c : {v.x, v.y, v.z})
        append_bytes<std::endian::little>(out, c);
}

} // namespace

Result<TriangleMesh> read_ply(const std::string& content, const std::string& location, VertexScalar* scalar) {
    const Result<Header> header = parse_header(content, location);
    if (!header) return header.error();
    if (const Status ok = check_header(*header, location); !ok) return ok.error();
    if (scalar)
        if (const Status ok = check_scalar(*header, location, *scalar); !ok) return ok.error();
    NumberReader reader(content, *header);
    MeshAssembler assembler(*header, location, scalar);
    for (const Element& element : header->elements)
        if (const Status ok = assembler.read_element(element, reader); !ok) return ok.error();
    TriangleMesh mesh = assembler.take();
    if (scalar) scalar->points = mesh.positions;
    return mesh;
}

std::string ply_bytes(const TriangleMesh& mesh, std::span<const Vec3> positions,
                      std::span<const std::array<std::uint8_t, 3>> colours) {
    const bool has_uv = mesh.uv.size() == positions.size() && mesh.uv_triangles.empty();
    std::string out =
        concat("ply\nformat binary_little_endian 1.0\nelement vertex ", positions.size(),
               "\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\n"
               "property float ny\nproperty float nz\n",
               has_uv ? "property float s\nproperty float t\n" : "",
               colours.empty() ? "" : "property uchar red\nproperty uchar green\nproperty uchar blue\n",
               "element face ", mesh.triangles.size(), "\nproperty list uchar int vertex_indices\nend_header\n");
    const std::vector<Vec3f> normals = vertex_normals(mesh, {positions.begin(), positions.end()});
    out.reserve(out.size() + positions.size() * 35 + mesh.triangles.size() * 13);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        append_vec3(out, Vec3f(positions[i]));
        append_vec3(out, normals[i]);
        if (has_uv) {
            append_bytes<std::endian::little>(out, static_cast<float>(mesh.uv[i].x));
            append_bytes<std::endian::little>(out, static_cast<float>(mesh.uv[i].y));
        }
        if (!colours.empty()) out.append(colours[i].begin(), colours[i].end());
    }
    for (const Triangle& t : mesh.triangles) {
        append_bytes<std::endian::little>(out, std::uint8_t{3});
        for (const int v : t)
            append_bytes<std::endian::little>(out, static_cast<std::int32_t>(v));
    }
    return out;
}

} // namespace selvage
