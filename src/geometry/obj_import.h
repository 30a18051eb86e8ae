#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// Reads a Wavefront OBJ text: all its faces as one mesh, polygons cut into triangles, texture coordinates per corner
/// where every face has them. May throw what the standard library throws; read_mesh catches it.
Result<TriangleMesh> read_obj(std::string content, const std::string& location, std::vector<std::string>& warnings);

} // namespace selvage
