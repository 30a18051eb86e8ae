// A conditional node of a graph. The number that decides is read by a kernel, before the node and at the end of its body.

#include "cuda/loop.h"

#include <cuda_runtime.h>

namespace selvage::cuda {

namespace {

__global__ void decide_kernel(cudaGraphConditionalHandle handle, const int* goes_on) {
    cudaGraphSetConditional(handle, *goes_on != 0 ? 1U : 0U);
}

} // namespace

/// What goes wrong here shows when the recording ends.
void record_while(cudaStream_t stream, const int* goes_on, const std::function<void(cudaStream_t)>& body) {
    cudaStreamCaptureStatus status{};
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* before = nullptr;
    std::size_t count = 0;
    cudaGraphConditionalHandle handle{};
    if (cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &before, nullptr, &count) != cudaSuccess ||
        cudaGraphConditionalHandleCreate(&handle, graph, 0, 0) != cudaSuccess)
        return;
    decide_kernel<<<1, 1, 0, stream>>>(handle, goes_on);
    cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &before, nullptr, &count);
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = handle;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    if (cudaGraphAddNode(&node, graph, before, nullptr, count, &parameters) != cudaSuccess) return;
    cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies);
    cudaStream_t inner = nullptr;
    if (cudaStreamCreateWithFlags(&inner, cudaStreamNonBlocking) != cudaSuccess) return;
    cudaGraph_t inside = parameters.conditional.phGraph_out[0];
    cudaStreamBeginCaptureToGraph(inner, inside, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal);
    body(inner);
    decide_kernel<<<1, 1, 0, inner>>>(handle, goes_on);
    cudaStreamEndCapture(inner, &inside);
    cudaStreamDestroy(inner);
}

} // namespace selvage::cuda
