#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/triangle_mesh.h"
#include "geometry/vertex_scalar.h"

namespace selvage {

/// Reads glTF 2.0, as JSON or as the binary container (told apart by the extension of `path`; other files are sought
/// beside it): the triangles of the default scene in world space, undeformed by skins and morph targets, welded into
/// one mesh. `scalar`, where given, has a name and gets its points and values. May throw what the libraries throw; read_mesh
/// catches it.
Result<TriangleMesh> read_gltf(const std::string& content, const std::filesystem::path& path,
                               std::vector<std::string>& warnings, VertexScalar* scalar = nullptr);

} // namespace selvage
