#pragma once

#include <span>
#include <vector>

#include "geometry/topology.h"

namespace selvage {

/// An order of the vertices in which the ends of `pairs` stand close together, for memory that is read in that order:
/// the given one, or breadth first from the rim where that is closer. Element k is the k-th vertex.
std::vector<int> local_order(int vertex_count, std::span<const Edge> pairs);

} // namespace selvage
