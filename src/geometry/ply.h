#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "geometry/triangle_mesh.h"
#include "geometry/vertex_scalar.h"

namespace selvage {

/// Reads a PLY file's bytes: ascii or binary of either byte order. Polygons become fans, faces with fewer than three
/// corners are skipped, unknown elements and properties too. `location` names the file in errors. `scalar`, where given,
/// has a name and gets its points and values.
Result<TriangleMesh> read_ply(const std::string& content, const std::string& location, VertexScalar* scalar = nullptr);

/// Binary little-endian PLY of the mesh at `positions`, with normals, and with texture coordinates where the mesh has
/// them per vertex (PLY has no common form for coordinates per corner).
/// `colours` are per vertex, as pictures store them; none where it is empty.
std::string ply_bytes(const TriangleMesh& mesh, std::span<const Vec3> positions,
                      std::span<const std::array<std::uint8_t, 3>> colours = {});

} // namespace selvage
