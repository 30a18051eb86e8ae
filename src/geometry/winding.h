#pragma once

#include <string>
#include <vector>

#include "geometry/triangle_mesh.h"

namespace selvage {

/// Turns triangles over until neighbours agree which side is the front, in every piece as most of its triangles say;
/// `warnings` says how many. Where no order agrees (a Moebius strip), as few edges as the search finds stay in
/// disagreement, and that is said too. A mesh whose triangles agree is left as it is.
void make_winding_consistent(TriangleMesh& mesh, const std::string& location, std::vector<std::string>& warnings);

} // namespace selvage
