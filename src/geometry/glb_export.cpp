// Layout of the binary chunk, part after part; everything is aligned to 4 bytes:
//
//   indices   uint32 x 3 per triangle
//   first     vec3 positions, then vec3 normals of frame 0
//   targets   of every later key the differences to frame 0: vec3 positions and normals, all floats; or all positions as
//             16 bit numbers and then all normals as 8 bit numbers, where that keeps to the tolerance
//   uv        vec2 per vertex, only with texture coordinates
//   animation K times, then K rows of K - 1 weights (row k has one for target k, row 0 has none), for K > 1 keys
//
// Which frames are keys is decided part by part as the frames come (motion_keys.h), so no others are held.
//
// Small numbers (KHR_mesh_quantization) lie in [-1, 1]. Differences of unit normals go to 2, so halves are stored and
// weights are 2; positions are divided by a scale that the node multiplies with.

#include "geometry/glb_export.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "geometry/byte_order.h"
#include "geometry/glb_part.h"

namespace selvage {

namespace {

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

class GlbWriter : public FrameWriter {
public:
    GlbWriter(AtomicFile file, const ExportMesh& mesh, std::string location, std::uint64_t max_bytes)
        : file_(std::move(file)), mesh_(mesh), location_(std::move(location)), max_bytes_(max_bytes) {
        const bool splits = !mesh.mesh->uv.empty() && !mesh.mesh->uv_triangles.empty();
        for (const ExportPart& source : mesh.parts) {
            if (source.triangle_count == 0) continue; // glTF has no empty meshes
            parts_.push_back(splits ? split_part(*mesh.mesh, source) : copy_part(*mesh.mesh, source));
            parts_.back().chooser = MotionKeys(0.5 * mesh.tolerance); // the other half is for rounding
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
        for (GlbPart& part : parts_)
            make_small(part);
        const std::string text = glb_json(parts_, mesh_.frames_per_second);
        const std::uint64_t total = 12 + 8 + text.size() + 8 + total_bytes();
        if (total > max_bytes_) return too_large();
        write_u32({0x46546C67 /* "glTF" */, 2, total, text.size(), 0x4E4F534A /* "JSON" */});
        file_.write(text);
        write_u32({total_bytes(), 0x004E4942 /* "BIN" */});
        for (const GlbPart& part : parts_)
            write_part(part);
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
        GlbKey key{frame_count_ - 1, gather(part, last_), {}, {}};
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
            bytes += part.bytes() + more * part.first_bytes() + 300 * (part.key_count() + more);
        }
        if (bytes > max_bytes_) return too_large();
        return Done{};
    }

    /// Small numbers for the targets, where half the tolerance covers their rounding.
    void make_small(GlbPart& part) const {
        double most = 0.0;
        for (std::size_t k = 1; k < part.keys.size(); ++k)
            for (const Vec3f& v : {part.keys[k].bounds.min, part.keys[k].bounds.max})
                most = std::max({most, std::abs(double{v.x}), std::abs(double{v.y}), std::abs(double{v.z})});
        const double scale = most > 0.0 ? 0.5 * most : 1.0;
        // Rounding moves a coordinate by half a step of the halves stored, so by a whole one with weight 2.
        part.is_small = part.keys.size() > 1 && std::sqrt(3.0) * scale / kShortMost <= 0.5 * mesh_.tolerance;
        if (!part.is_small) return;
        part.scale = scale;
        const auto divide = [](Vec3f& v, double by) { v = Vec3f(Vec3(v) / by); };
        for (GlbKey& key : part.keys) {
            const bool is_first = &key == &part.keys.front();
            for (Vec3f& v : key.positions)
                divide(v, is_first ? scale : 2.0 * scale);
            for (Vec3f* v : {&key.bounds.min, &key.bounds.max})
                divide(*v, is_first ? scale : 2.0 * scale);
            if (is_first) continue;
            for (Vec3f& n : key.normals)
                divide(n, 2.0);
            for (Vec3f* v : {&key.bounds.min, &key.bounds.max}) // as stored
                *v = {rounded(v->x, kShortMost), rounded(v->y, kShortMost), rounded(v->z, kShortMost)};
        }
    }
    static float rounded(float c, double most) {
        return static_cast<float>(std::lround(std::clamp(double{c}, -1.0, 1.0) * most));
    }
    template <class Number>
    void write_small(const std::vector<Vec3f>& vectors, double most) {
        std::string bytes;
        for (const Vec3f& v : vectors) {
            for (const float c : {v.x, v.y, v.z})
                append_bytes<std::endian::little>(bytes, static_cast<Number>(rounded(c, most)));
            append_bytes<std::endian::little>(bytes, Number{0});
        }
        file_.write(bytes);
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
    void write_part(const GlbPart& part) {
        std::string bytes;
        for (const std::uint32_t index : part.indices)
            append_bytes<std::endian::little>(bytes, index);
        file_.write(bytes);
        for (const GlbKey& key : part.keys) {
            if (part.is_small && &key != &part.keys.front()) break;
            write_vectors(key.positions);
            write_vectors(key.normals);
        }
        for (std::size_t k = 1; k < part.keys.size() && part.is_small; ++k)
            write_small<std::int16_t>(part.keys[k].positions, kShortMost);
        for (std::size_t k = 1; k < part.keys.size() && part.is_small; ++k)
            write_small<std::int8_t>(part.keys[k].normals, kByteMost);
        bytes.clear();
        for (const Vec2& uv : part.uv)
            for (const double c : {uv.x, uv.y})
                append_bytes<std::endian::little>(bytes, static_cast<float>(c));
        file_.write(bytes);
        if (part.key_count() > 1) write_animation(part);
    }
    void write_animation(const GlbPart& part) {
        std::string bytes;
        for (const GlbKey& key : part.keys)
            append_bytes<std::endian::little>(bytes, static_cast<float>(key.frame / mesh_.frames_per_second));
        for (std::size_t key = 0; key < part.keys.size(); ++key)
            for (std::size_t target = 1; target < part.keys.size(); ++target)
                append_bytes<std::endian::little>(bytes, key != target ? 0.0f : part.is_small ? 2.0f : 1.0f);
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
