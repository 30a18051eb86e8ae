#include "geometry/mesh_export.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/numbers.h"
#include "geometry/glb_export.h"
#include "geometry/ply.h"
#include "geometry/vertex_cache.h"

namespace selvage {

namespace {

/// A file name cut at its frame number: "cloth_%04d.obj" is {"cloth_", ".obj", 4}.
struct NamePattern {
    std::string before, after;
    bool numbered = false;
    int digits = 0; ///< At least so many, with leading zeros.

    std::string name(int frame) const {
        if (!numbered) return before;
        const std::string number = concat(frame);
        const std::size_t zeros =
            std::max<std::size_t>(number.size(), static_cast<std::size_t>(digits)) - number.size();
        return before + std::string(zeros, '0') + number + after;
    }
};

Result<NamePattern> parse_pattern(std::string_view name, const std::string& location) {
    NamePattern pattern;
    for (std::size_t i = 0; i < name.size(); ++i) {
        std::string& side = pattern.numbered ? pattern.after : pattern.before;
        if (name[i] != '%') {
            side += name[i];
            continue;
        }
        std::string_view rest = name.substr(i + 1);
        if (rest.starts_with('%')) {
            side += '%';
            ++i;
            continue;
        }
        int digits = 0;
        if (rest.size() > 2 && rest[0] == '0' && rest[1] >= '1' && rest[1] <= '9') {
            digits = rest[1] - '0';
            rest.remove_prefix(2);
        }
        if (!rest.starts_with('d') || pattern.numbered)
            return Error{concat("found \"", name.substr(i, 4),
                                "\"; expected at most one %d or %0Nd (N from 1 to 9), and %% for a percent sign"),
                         location};
        pattern.numbered = true;
        pattern.digits = digits;
        i += digits > 0 ? 3 : 1;
    }
    return pattern;
}

using Serialize = std::function<std::string(const ExportMesh&, std::span<const Vec3>)>;

/// Formats that hold one pose: the last frame wins.
class PoseWriter : public FrameWriter {
public:
    PoseWriter(AtomicFile file, const ExportMesh& mesh, Serialize serialize)
        : file_(std::move(file)), mesh_(mesh), serialize_(std::move(serialize)) {}

    Status add_frame(std::span<const Vec3> positions) override {
        last_.assign(positions.begin(), positions.end());
        return Done{};
    }
    Status finish() override {
        file_.write(serialize_(mesh_, last_));
        return file_.commit();
    }

private:
    AtomicFile file_;
    ExportMesh mesh_;
    Serialize serialize_;
    std::vector<Vec3> last_;
};

/// One file per frame, each under its name as soon as its frame is there.
class SequenceWriter : public FrameWriter {
public:
    SequenceWriter(std::filesystem::path folder, NamePattern pattern, const ExportMesh& mesh)
        : folder_(std::move(folder)), pattern_(std::move(pattern)), mesh_(mesh) {}

    Status add_frame(std::span<const Vec3> positions) override {
        return write_file(folder_ / pattern_.name(frame_count_++), obj_text(mesh_, positions));
    }
    Status finish() override { return Done{}; }

private:
    std::filesystem::path folder_;
    NamePattern pattern_;
    ExportMesh mesh_;
    int frame_count_ = 0;
};

/// What every format asks of its frames, checked in one place.
class CheckedWriter : public FrameWriter {
public:
    CheckedWriter(std::unique_ptr<FrameWriter> writer, int vertex_count, std::string location)
        : writer_(std::move(writer)), vertex_count_(vertex_count), location_(std::move(location)) {}

    Status add_frame(std::span<const Vec3> positions) override {
        SELVAGE_ASSERT(static_cast<int>(positions.size()) == vertex_count_);
        for (std::size_t i = 0; i < positions.size(); ++i)
            if (!is_finite(Vec3f(positions[i])))
                return Error{concat("cannot export frame ", frame_count_, ": vertex ", i, " is at (", positions[i].x,
                                    ", ", positions[i].y, ", ", positions[i].z, ")"),
                             location_, ErrorKind::work};
        ++frame_count_;
        return writer_->add_frame(positions);
    }
    Status finish() override {
        if (frame_count_ == 0) return Error{"cannot export: there are no frames", location_, ErrorKind::work};
        SELVAGE_ASSERT(!std::exchange(finished_, true));
        return writer_->finish();
    }

private:
    std::unique_ptr<FrameWriter> writer_;
    int vertex_count_;
    std::string location_;
    int frame_count_ = 0;
    bool finished_ = false;
};

void check_parts(const ExportMesh& mesh) {
    for (const ExportPart& part : mesh.parts) {
        SELVAGE_ASSERT(part.vertex_begin >= 0 && part.vertex_count >= 0 && part.triangle_begin >= 0);
        SELVAGE_ASSERT(part.vertex_begin + part.vertex_count <= mesh.mesh->vertex_count());
        SELVAGE_ASSERT(part.triangle_count >= 0 &&
                       part.triangle_begin + part.triangle_count <= mesh.mesh->triangle_count());
        for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t)
            for (const int v : mesh.mesh->triangles[t])
                SELVAGE_ASSERT(v >= part.vertex_begin && v < part.vertex_begin + part.vertex_count);
    }
}

/// A keyword and numbers of nine digits.
void append_line(std::string& out, std::string_view keyword, std::initializer_list<double> numbers) {
    out += keyword;
    for (const double number : numbers) {
        out += ' ';
        append_number(out, number, 9);
    }
    out += '\n';
}

/// Object names are one line.
std::string obj_name(std::string name) {
    for (char& c : name)
        if (std::iscntrl(static_cast<unsigned char>(c))) c = '_';
    return name;
}

void append_faces(std::string& out, const TriangleMesh& mesh, const ExportPart& part, int first_vertex) {
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t) {
        out += 'f';
        for (std::size_t k = 0; k < 3; ++k) {
            out += ' ' + std::to_string(mesh.triangles[t][k] - part.vertex_begin + first_vertex);
            if (!mesh.uv.empty()) out += '/' + std::to_string(mesh.uv_corners(t)[k] + 1);
        }
        out += '\n';
    }
}

Result<std::unique_ptr<FrameWriter>> make_sequence_writer(const std::filesystem::path& folder,
                                                          const NamePattern& pattern, const ExportMesh& mesh) {
    // Only a trial: the file vanishes with this variable.
    const Result<AtomicFile> trial = AtomicFile::create(folder / pattern.name(0));
    if (!trial) return trial.error();
    return std::unique_ptr<FrameWriter>(std::make_unique<SequenceWriter>(folder, pattern, mesh));
}

Result<std::unique_ptr<FrameWriter>> make_plain_writer(const std::filesystem::path& folder, const NamePattern& pattern,
                                                       const std::string& extension, const ExportMesh& mesh) {
    if (pattern.numbered) return make_sequence_writer(folder, pattern, mesh);
    const std::filesystem::path path = folder / pattern.name(0);
    if (extension == ".glb") return make_glb_writer(path, mesh);
    if (extension == ".pc2") return make_pc2_writer(path, mesh);
    if (extension == ".mdd") return make_mdd_writer(path, mesh);
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    const auto ply = [](const ExportMesh& m, std::span<const Vec3> positions) { return ply_bytes(*m.mesh, positions); };
    return std::unique_ptr<FrameWriter>(std::make_unique<PoseWriter>(
        std::move(*file), mesh, extension == ".obj" ? Serialize(obj_text) : Serialize(ply)));
}

} // namespace

std::string obj_text(const ExportMesh& mesh, std::span<const Vec3> positions) {
    std::string out = "# Selvage, metres\n";
    for (const Vec2& uv : mesh.mesh->uv)
        append_line(out, "vt", {uv.x, uv.y});
    int first_vertex = 1; // OBJ counts from 1 over all objects
    for (const ExportPart& part : mesh.parts) {
        out += "o " + obj_name(part.name) + '\n';
        for (int v = part.vertex_begin; v < part.vertex_begin + part.vertex_count; ++v)
            append_line(out, "v", {positions[v].x, positions[v].y, positions[v].z});
        append_faces(out, *mesh.mesh, part, first_vertex);
        first_vertex += part.vertex_count;
    }
    return out;
}

Result<std::unique_ptr<FrameWriter>> make_frame_writer(const std::filesystem::path& path, const ExportMesh& mesh) {
    SELVAGE_ASSERT(mesh.mesh && mesh.frames_per_second > 0.0);
    const std::string location = path.string(), extension = lower_extension(path);
    if (extension != ".obj" && extension != ".ply" && extension != ".glb" && extension != ".pc2" && extension != ".mdd")
        return Error{concat("has the extension \"", extension, "\"; expected one of: .obj, .ply, .glb, .pc2, .mdd"),
                     location};
    const Result<NamePattern> pattern = parse_pattern(path.filename().string(), location);
    if (!pattern) return pattern.error();
    if (pattern->numbered && extension != ".obj")
        return Error{
            concat("asks for one file per frame, which only .obj does; a ", extension, " file holds all it can in one"),
            location};
    ExportMesh parts = mesh;
    if (parts.parts.empty())
        parts.parts.push_back({"mesh", 0, mesh.mesh->vertex_count(), 0, mesh.mesh->triangle_count()});
    check_parts(parts);

    Result<std::unique_ptr<FrameWriter>> writer = make_plain_writer(path.parent_path(), *pattern, extension, parts);
    if (!writer) return writer;
    return std::unique_ptr<FrameWriter>(
        std::make_unique<CheckedWriter>(std::move(*writer), mesh.mesh->vertex_count(), location));
}

} // namespace selvage
