// Loops of graphs on the emulator, in the place of src/cuda/loop.cu.

#include "cuda/loop.h"

namespace selvage::cuda {

void record_while(cudaStream_t stream, const int* goes_on, const std::function<void(cudaStream_t)>& body) {
    emulated::queue_loop(stream, goes_on, body);
}

} // namespace selvage::cuda
