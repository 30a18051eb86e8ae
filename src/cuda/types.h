#pragma once

#include <vector_types.h>

namespace selvage::cuda {

/// Four doubles, read in one go: a position, or a sum of vectors and of weights.
struct alignas(32) Double4 {
    double x, y, z, w;
};

} // namespace selvage::cuda
