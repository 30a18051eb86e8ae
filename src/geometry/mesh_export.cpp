#include "geometry/mesh_export.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/numbers.h"
#include "geometry/export_names.h"
#include "geometry/glb_export.h"
#include "geometry/ply.h"
#include "geometry/vertex_cache.h"
#include "math/functions.h"

namespace selvage {

namespace {

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

/// A linear reflectance as pictures store it.
double srgb(double c) {
    c = std::clamp(c, 0.0, 1.0);
    return c <= 0.0031308 ? 12.92 * c : 1.055 * maths::pow(c, 1.0 / 2.4) - 0.055;
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

std::vector<std::array<std::uint8_t, 3>> vertex_colours(const ExportMesh& mesh) {
    std::vector<std::array<std::uint8_t, 3>> out(mesh.mesh->positions.size());
    const auto byte = [](double c) { return static_cast<std::uint8_t>(std::lround(255.0 * srgb(c))); };
    for (const ExportPart& part : mesh.parts)
        std::fill_n(out.begin() + part.vertex_begin, part.vertex_count,
                    std::array{byte(part.colour.x), byte(part.colour.y), byte(part.colour.z)});
    return out;
}

/// One file for each of several parts.
class PartsWriter : public FrameWriter {
public:
    PartsWriter(std::vector<std::unique_ptr<FrameWriter>> writers, std::vector<ExportPart> parts)
        : writers_(std::move(writers)), parts_(std::move(parts)) {}

    Status add_frame(std::span<const Vec3> positions) override {
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            const auto begin = static_cast<std::size_t>(parts_[i].vertex_begin);
            const auto count = static_cast<std::size_t>(parts_[i].vertex_count);
            if (Status ok = writers_[i]->add_frame(positions.subspan(begin, count)); !ok) return ok;
        }
        return Done{};
    }
    Status finish() override {
        for (const std::unique_ptr<FrameWriter>& writer : writers_)
            if (Status ok = writer->finish(); !ok) return ok;
        return Done{};
    }

private:
    std::vector<std::unique_ptr<FrameWriter>> writers_;
    std::vector<ExportPart> parts_;
};

Result<std::unique_ptr<FrameWriter>> make_cache_writer(const std::filesystem::path& path, const std::string& extension,
                                                       const ExportMesh& mesh) {
    std::vector<std::string> cloths;
    for (const ExportPart& part : mesh.parts)
        cloths.push_back(part.name);
    const std::vector<std::string> names = export_names(path, cloths).names;
    const bool several = names.size() > 1; // one part may leave out vertices that belong to no triangle
    std::vector<std::unique_ptr<FrameWriter>> writers;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::filesystem::path file = path.parent_path() / names[i];
        remove_abandoned(file);
        const int vertex_count = several ? mesh.parts[i].vertex_count : mesh.mesh->vertex_count();
        Result<std::unique_ptr<FrameWriter>> writer = extension == ".pc2"
                                                          ? make_pc2_writer(file, vertex_count)
                                                          : make_mdd_writer(file, vertex_count, mesh.frames_per_second);
        if (!writer) return writer;
        writers.push_back(std::move(*writer));
    }
    if (!several) return std::move(writers.front());
    return std::unique_ptr<FrameWriter>(std::make_unique<PartsWriter>(std::move(writers), mesh.parts));
}

Result<std::unique_ptr<FrameWriter>> make_plain_writer(const std::filesystem::path& folder, const NamePattern& pattern,
                                                       const std::string& extension, const ExportMesh& mesh) {
    remove_abandoned(folder, [&](const std::string& name) { return pattern.matches(name); });
    if (pattern.numbered) return make_sequence_writer(folder, pattern, mesh);
    const std::filesystem::path path = folder / pattern.name(0);
    if (extension == ".glb") return make_glb_writer(path, mesh);
    if (extension == ".pc2" || extension == ".mdd") return make_cache_writer(path, extension, mesh);
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    const auto ply = [](const ExportMesh& m, std::span<const Vec3> positions) {
        return ply_bytes(*m.mesh, positions, vertex_colours(m));
    };
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
        std::string colour;
        for (const double c : {part.colour.x, part.colour.y, part.colour.z}) {
            colour += ' ';
            append_number(colour, srgb(c), 4);
        }
        for (int v = part.vertex_begin; v < part.vertex_begin + part.vertex_count; ++v) {
            append_line(out, "v", {positions[v].x, positions[v].y, positions[v].z});
            out.insert(out.size() - 1, colour);
        }
        out += "usemtl " + obj_name(part.fabric) + '\n';
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
