#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace selvage::cuda {

/// Records `body` into the graph that `stream` is recording, to be run again and again while the number on the device is
/// not 0: no host in between. `body` records into the stream that it is given.
void record_while(cudaStream_t stream, const int* goes_on, const std::function<void(cudaStream_t)>& body);

} // namespace selvage::cuda
