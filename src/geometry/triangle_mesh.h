#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "math/vec.h"

namespace selvage {

using Triangle = std::array<int, 3>;

/// More would not fit the memory of ordinary machines (600 bytes per point), and is a typing error in practice.
inline constexpr long long kMaxVertices = 16'000'000;

/// A triangle surface as loaded or generated. Never changes afterwards.
struct TriangleMesh {
    std::vector<Vec3> positions;        ///< [m].
    std::vector<Triangle> triangles;    ///< Counter-clockwise seen from the front.
    std::vector<Vec2> uv;               ///< Warp along u, weft along v. Empty when the source has none.
    std::vector<Triangle> uv_triangles; ///< Corners' indices into uv; empty means the same as `triangles`.

    int vertex_count() const { return static_cast<int>(positions.size()); }
    int triangle_count() const { return static_cast<int>(triangles.size()); }
    const Triangle& uv_corners(int triangle) const {
        return uv_triangles.empty() ? triangles[triangle] : uv_triangles[triangle];
    }
};

/// Twice the area times the unit normal.
inline Vec3 doubled_area_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
    return cross(b - a, c - a);
}

double triangle_area(const TriangleMesh& mesh, int triangle);

/// Makes a mesh from outside safe to simulate. Fails on what cannot be used: no vertices or triangles, indices out of
/// range, coordinates that are not finite, no area at all. Repairs the rest: triangles that name a vertex twice or
/// repeat another are dropped, and `warnings` names each of them.
Status check_mesh(TriangleMesh& mesh, const std::string& location, std::vector<std::string>& warnings);

/// Merges vertices at the same position (glTF splits them where texture or normals break). uv stays per corner.
void weld_positions(TriangleMesh& mesh);

/// Area-weighted vertex normals of `positions` over the mesh's triangles; zero where no triangle touches a vertex.
std::vector<Vec3f> vertex_normals(const TriangleMesh& mesh, const std::vector<Vec3>& positions);

} // namespace selvage
