#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/cloth_model.h"

namespace selvage {

/// How a flat mesh of springs stretches as a whole [N/m]: pulled along one direction and free to narrow, or sheared.
struct SpringModuli {
    double warp = 0, weft = 0;            ///< Along the threads.
    double bias_least = 0, bias_most = 0; ///< Along the two diagonals of warp and weft.
    double shear = 0;
    double slack = 0; ///< Fraction of edges with less than a millionth of the stiffest spring.
};

/// The border of the mesh, which lies in the x-y plane, follows each strain of its threads, at `grain` [rad] from x; the
/// points inside go where their springs balance.
SpringModuli measure_moduli(const TriangleMesh& mesh, std::span<const Spring> springs, double grain);

/// What the fabric itself has.
SpringModuli fabric_moduli(const Material& material);

struct NamedMesh {
    std::string name;
    TriangleMesh mesh; ///< In the x-y plane, without uv.
};
/// Six meshes without relation to warp and weft: shaken, long and slanted cells, cells of growing size, rings, and
/// triangles with equal sides.
std::vector<NamedMesh> irregular_meshes();

/// uv that turn the threads by `grain` from x. With a seam, the right half is a panel of its own that lies elsewhere in the
/// pattern, face down.
void cut_from_cloth(TriangleMesh& mesh, double grain, bool seam);

/// Springs along the edges, as a cloth of that mesh has.
std::vector<Spring> edge_springs(const TriangleMesh& mesh, const Material& material);

} // namespace selvage
