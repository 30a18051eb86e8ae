// tinyobjloader reads OBJ leniently: a coordinate it cannot read becomes 0, a face with a bad index is skipped, a
// polygon of a million corners takes hours to cut. So each line is checked first, here, where its number is still
// known, and what does not describe the surface (materials, groups, curves) is turned into a comment.

#include "geometry/obj_import.h"

#include <cmath>
#include <cstdlib>
#include <istream>
#include <optional>
#include <streambuf>
#include <string_view>
#include <utility>
#include <vector>

#include <tiny_obj_loader.h>

#include "base/concat.h"
#include "base/numbers.h"

namespace selvage {

namespace {

constexpr int kMaxCorners = 1000; // cutting a polygon takes its corners squared

std::string_view next_word(std::string_view& line) {
    constexpr std::string_view kBlank = " \t";
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlank));
    line.remove_prefix(word.size());
    return word;
}

/// A number in the notation tinyobjloader knows (no nan, inf or hexadecimal) that a float can hold.
bool is_number(std::string_view word, float& number) {
    double value = 0.0;
    if (word.empty() || word.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
    if (read_number(word, value) != word.size()) return false;
    number = static_cast<float>(value);
    return std::isfinite(number);
}

/// The integer at the front of `word`, which is shortened by it; empty for none or one that no file can mean.
std::optional<long long> take_index(std::string_view& word) {
    const std::string digits(word.substr(0, std::min<std::size_t>(word.find('/'), 20)));
    word.remove_prefix(std::min(word.find('/'), word.size()));
    if (digits.empty() || digits.size() > 11) return std::nullopt;
    char* end = nullptr;
    const long long value = std::strtoll(digits.c_str(), &end, 10);
    if (*end != '\0') return std::nullopt;
    return value;
}

/// How many of a kind ("v" or "vt") there are, and the largest index that faces ask for.
struct IndexCheck {
    std::string what;
    long long count = 0;
    long long largest = 0;
    int line_of_largest = 0;

    /// Counted from 1, or from the end of what was read so far when negative.
    bool accept(long long index, int line) {
        if (index > largest) {
            largest = index;
            line_of_largest = line;
        }
        return index > 0 || (index < 0 && -index <= count);
    }
    Status finish(const std::string& location) const {
        if (largest <= count) return Done{};
        return Error{concat("face names ", what, " ", largest, "; the file has ", count),
                     concat(location, ":", line_of_largest)};
    }
};

class LineChecker {
public:
    explicit LineChecker(const std::string& location) : location_(location) {}

    /// Checks every line and comments out those the loader need not see.
    Status run(std::string& content) {
        if (content.starts_with("\xef\xbb\xbf")) content.replace(0, 3, 3, ' '); // a byte order mark
        std::size_t begin = 0;
        for (int number = 1; begin < content.size(); ++number) {
            line_number_ = number;
            const std::size_t end = join_lines(content, begin, number);
            bool wanted = false;
            const std::string_view line(content.data() + begin, end - begin);
            if (Status ok = check_line(line, wanted); !ok) return ok;
            if (!wanted && end > begin) content[begin] = '#';
            begin = end + (content.compare(end, 2, "\r\n") == 0 ? 2 : 1);
        }
        return check_totals();
    }
    int faces_skipped() const { return faces_skipped_; }
    /// The first 3 numbers of every v and the first 2 of every vt. The loader reads them too, but by the C library's pow,
    /// which rounds differently from machine to machine.
    const std::vector<float>& xyz() const { return xyz_; }
    const std::vector<float>& uv() const { return uv_; }

private:
    /// The end of the line that begins at `begin`, with the lines after it that a backslash at its end joins to it.
    /// Comments are not joined: they may end in a file name.
    static std::size_t join_lines(std::string& content, std::size_t begin, int& number) {
        for (std::size_t from = begin;;) {
            const std::size_t end = std::min(content.find_first_of("\r\n", from), content.size());
            const std::size_t next = end + (content.compare(end, 2, "\r\n") == 0 ? 2 : 1);
            const bool joined = end > from && content[end - 1] == '\\' && content[begin] != '#';
            if (!joined) return end;
            const std::size_t stop = std::min(next, content.size());
            content.replace(end - 1, stop - end + 1, stop - end + 1, ' ');
            if (stop == content.size()) return stop;
            from = stop;
            ++number;
        }
    }

    Status check_line(std::string_view line, bool& wanted) {
        const std::string_view keyword = next_word(line);
        wanted = keyword == "v" || keyword == "vt" || keyword == "f";
        if (keyword == "v" && ++vertices_.count > kMaxVertices)
            return fail(concat("has more than ", kMaxVertices, " vertices"));
        if (keyword == "vt") ++uvs_.count;
        if (keyword == "v") return check_numbers(line, 3, "v", 3, xyz_);
        if (keyword == "vt") return check_numbers(line, 1, "vt", 2, uv_); // v alone may be left out
        if (keyword == "f") return check_face(line, wanted);
        return Done{};
    }

    /// Keeps the first `kept` numbers, with zeros for those left out.
    Status check_numbers(std::string_view line, int wanted, std::string_view keyword, int kept,
                         std::vector<float>& numbers) const {
        int count = 0;
        for (std::string_view word = next_word(line); !word.empty() && word[0] != '#';
             word = next_word(line), ++count) {
            float number = 0.0F;
            if (!is_number(word, number))
                return fail(concat("found \"", word.substr(0, 40), "\"; expected a finite number"));
            if (count < kept) numbers.push_back(number);
        }
        if (count < wanted) return fail(concat(keyword, " has ", count, " numbers; expected at least ", wanted));
        for (int k = count; k < kept; ++k)
            numbers.push_back(0.0F);
        return Done{};
    }

    Status check_face(std::string_view line, bool& wanted) {
        int corners = 0;
        for (std::string_view word = next_word(line); !word.empty(); word = next_word(line), ++corners)
            if (!check_corner(word))
                return fail(concat("found corner \"", word.substr(0, 40),
                                   "\"; expected v, v/vt, v//vn or v/vt/vn with indices of the ", vertices_.count,
                                   " v and ", uvs_.count, " vt so far"));
        if (corners > kMaxCorners)
            return fail(concat("face has ", corners, " corners; expected at most ", kMaxCorners));
        wanted = corners >= 3;
        if (wanted)
            ++face_count_;
        else
            ++faces_skipped_;
        return Done{};
    }

    bool check_corner(std::string_view word) {
        const std::optional<long long> vertex = take_index(word);
        if (!vertex || !vertices_.accept(*vertex, line_number_)) return false;
        if (word.empty()) return true;
        word.remove_prefix(1);
        if (word.empty()) return false;
        if (word[0] != '/') {
            const std::optional<long long> uv = take_index(word);
            if (!uv || !uvs_.accept(*uv, line_number_)) return false;
            if (word.empty()) return true;
        }
        word.remove_prefix(1); // the normal's index must be there, but we make our own normals
        const std::optional<long long> normal = take_index(word);
        return normal && *normal != 0 && word.empty();
    }

    Status check_totals() const {
        if (vertices_.count == 0) return Error{"holds no vertices (v lines); is it an OBJ file?", location_};
        if (face_count_ == 0) return Error{"holds no faces (f lines); is it an OBJ file?", location_};
        if (Status ok = vertices_.finish(location_); !ok) return ok;
        return uvs_.finish(location_);
    }

    Error fail(std::string message) const { return {std::move(message), concat(location_, ":", line_number_)}; }

    const std::string& location_;
    int line_number_ = 0;
    std::vector<float> xyz_, uv_;
    IndexCheck vertices_{"v"}, uvs_{"vt"};
    long long face_count_ = 0;
    int faces_skipped_ = 0;
};

/// Reads from memory without the copy a stringstream makes.
class MemoryBuffer : public std::streambuf {
public:
    explicit MemoryBuffer(std::string& content) {
        setg(content.data(), content.data(), content.data() + content.size());
    }
};

TriangleMesh to_mesh(const std::vector<float>& xyz, const std::vector<float>& uv,
                     const std::vector<tinyobj::shape_t>& shapes, bool& misses_some_uv) {
    TriangleMesh mesh;
    mesh.positions.reserve(xyz.size() / 3);
    for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
        mesh.positions.emplace_back(xyz[i], xyz[i + 1], xyz[i + 2]);
    for (std::size_t i = 0; i + 1 < uv.size(); i += 2)
        mesh.uv.push_back({uv[i], uv[i + 1]});
    misses_some_uv = false;
    for (const tinyobj::shape_t& shape : shapes) {
        const std::vector<tinyobj::index_t>& corners = shape.mesh.indices;
        for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
            Triangle vertices{}, uvs{};
            for (std::size_t k = 0; k < 3; ++k) {
                vertices[k] = corners[i + k].vertex_index;
                uvs[k] = corners[i + k].texcoord_index;
                misses_some_uv = misses_some_uv || uvs[k] < 0;
            }
            mesh.triangles.push_back(vertices);
            mesh.uv_triangles.push_back(uvs);
        }
    }
    return mesh;
}

} // namespace

Result<TriangleMesh> read_obj(std::string content, const std::string& location, std::vector<std::string>& warnings) {
    LineChecker checker(location);
    if (const Status ok = checker.run(content); !ok) return ok.error();
    if (checker.faces_skipped() > 0)
        warnings.push_back(concat(location, ": skipped ", checker.faces_skipped(), " faces with fewer than 3 corners"));

    MemoryBuffer buffer(content);
    std::istream stream(&buffer);
    tinyobj::attrib_t attributes;
    std::vector<tinyobj::shape_t> shapes;
    std::vector<tinyobj::material_t> materials;
    std::string warning, error;
    if (!tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, &stream, nullptr, true, false))
        return Error{concat("is not a valid OBJ file: ", error), location};

    bool misses_some_uv = false;
    TriangleMesh mesh = to_mesh(checker.xyz(), checker.uv(), shapes, misses_some_uv);
    if (misses_some_uv) {
        if (!mesh.uv.empty())
            warnings.push_back(concat(location, ": ignored texture coordinates, which not every face has"));
        mesh.uv.clear();
    }
    // Coordinates per vertex, as most exporters write them, need no second set of corners.
    if (mesh.uv.empty() || (mesh.uv.size() == mesh.positions.size() && mesh.uv_triangles == mesh.triangles))
        mesh.uv_triangles.clear();
    return mesh;
}

} // namespace selvage
