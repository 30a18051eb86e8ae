#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/generators.h"

namespace selvage {

/// How a cloth is taken from a file.
struct ImportDesc {
    std::string cloth;  ///< Its name, for messages.
    std::string file;   ///< Likewise.
    std::string rest;   ///< kRestAutomatic, kRestUv, kRestMesh, or a mesh file relative to `directory`.
    double weld = 0.0;  ///< As weld_borders() takes it, in metres of the cloth.
    double scale = 1.0; ///< Metres per unit of the file.
    std::filesystem::path directory;
};

inline constexpr const char* kRestAutomatic = "auto";
inline constexpr const char* kRestUv = "uv";
inline constexpr const char* kRestMesh = "mesh";

/// How the lengths of edges in uv compare with those in the mesh.
struct UvRatio {
    double median = 0.0, low = 0.0, high = 0.0; ///< uv over mesh: of half the edges, of a tenth and of nine tenths.
    bool beyond_unit = false;                   ///< Some uv lie outside 0..1, where no single texture reaches.
    bool is_pattern = false;                    ///< It can be a pattern in the mesh's own unit.
};
UvRatio measure_uv(const TriangleMesh& mesh);

/// Joins panels, finds the rest shape and says what was found. `mesh` is as the file has it, before any placing. Errors
/// have no location where they are the scene's.
Status finish_import(const ImportDesc& desc, GeneratedMesh& mesh, std::vector<std::string>& warnings);

} // namespace selvage
