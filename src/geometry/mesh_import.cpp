#include "geometry/mesh_import.h"

#include <cctype>
#include <cmath>
#include <exception>
#include <new>
#include <utility>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "geometry/gltf_import.h"
#include "geometry/obj_import.h"
#include "geometry/ply.h"
#include "geometry/winding.h"

namespace selvage {

namespace {

Result<TriangleMesh> parse(const std::filesystem::path& path, const std::string& extension, std::string content,
                           std::vector<std::string>& warnings) {
    if (extension == ".obj") return read_obj(std::move(content), path.string(), warnings);
    if (extension == ".ply") return read_ply(content, path.string());
    return read_gltf(content, path, warnings);
}

/// The libraries behind parse() may throw on input they did not foresee; nothing of that leaves this file.
Result<TriangleMesh> parse_guarded(const std::filesystem::path& path, const std::string& extension, std::string content,
                                   std::vector<std::string>& warnings) {
    try {
        return parse(path, extension, std::move(content), warnings);
    } catch (const std::bad_alloc&) {
        return Error{"needs more memory than there is", path.string(), ErrorKind::work};
    } catch (const std::exception& failure) {
        return Error{concat("is not a valid ", extension, " file: ", failure.what()), path.string()};
    }
}

Result<VertexScalar> read_scalar(const std::filesystem::path& path, const std::string& extension,
                                 const std::string& content, const std::string& name) {
    std::vector<std::string> warnings; // who reads the mesh has told them
    VertexScalar scalar{name, {}, {}, {}};
    try {
        const Result<TriangleMesh> mesh = extension == ".ply" ? read_ply(content, path.string(), &scalar)
                                                              : read_gltf(content, path, warnings, &scalar);
        if (!mesh) return mesh.error();
    } catch (const std::exception& failure) { // of the libraries
        return Error{concat("cannot be read: ", failure.what()), path.string()};
    }
    for (std::size_t v = 0; v < scalar.values.size(); ++v)
        if (!std::isfinite(scalar.values[v]))
            return Error{concat(name, " of vertex ", v, " is not finite"), path.string()};
    return scalar;
}

Status check_uv(const TriangleMesh& mesh, const std::string& location) {
    for (std::size_t i = 0; i < mesh.uv.size(); ++i)
        if (!std::isfinite(mesh.uv[i].x) || !std::isfinite(mesh.uv[i].y))
            return Error{concat("texture coordinate ", i, " is not finite"), location};
    return Done{};
}

} // namespace

Result<TriangleMesh> read_mesh(const std::filesystem::path& path, std::vector<std::string>& warnings) {
    const std::string extension = lower_extension(path);
    if (extension != ".obj" && extension != ".ply" && extension != ".glb" && extension != ".gltf")
        return Error{concat("has the extension \"", extension, "\"; expected one of: .obj, .ply, .glb, .gltf"),
                     path.string()};
    Result<std::string> content = read_file(path);
    if (!content) return content.error();
    return parse_mesh(std::move(*content), path, warnings);
}

Result<VertexScalar> read_vertex_scalar(const std::filesystem::path& path, const std::string& name) {
    const std::string extension = lower_extension(path);
    if (extension != ".ply" && extension != ".glb" && extension != ".gltf")
        return Error{concat("has the extension \"", extension,
                            "\", which holds no numbers that are painted; expected one of: .ply, .glb, .gltf"),
                     path.string()};
    const Result<std::string> content = read_file(path);
    if (!content) return content.error();
    return read_scalar(path, extension, *content, name);
}

Result<TriangleMesh> parse_mesh(std::string content, const std::filesystem::path& path,
                                std::vector<std::string>& warnings) {
    const std::string extension = lower_extension(path);
    if (content.empty()) return Error{concat("is empty; expected a ", extension, " file"), path.string()};
    Result<TriangleMesh> mesh = parse_guarded(path, extension, std::move(content), warnings);
    if (!mesh) return mesh;
    if (const Status ok = check_uv(*mesh, path.string()); !ok) return ok.error();
    if (const Status ok = check_mesh(*mesh, path.string(), warnings); !ok) return ok.error();
    make_winding_consistent(*mesh, path.string(), warnings);
    return mesh;
}

} // namespace selvage
