// Streams, graphs, memory and errors of the emulated runtime.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "blocks.h"
#include "cuda_runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

namespace emulated {

struct Graph {
    std::vector<std::function<void()>> nodes;
};
struct Stream {
    std::deque<std::function<void()>> waiting;
    std::unique_ptr<Graph> recording;
};

namespace {

constexpr unsigned char kUnused = 0xff;
constexpr std::size_t kAlignment = 256;
constexpr int kUsualShared = 48 * 1024;

struct Piece { // of the device's memory
    std::size_t bytes = 0;
    std::vector<std::pair<unsigned char*, std::size_t>> gaps;
};

struct State {
    Machine machine;
    std::map<unsigned char*, Piece> device;
    std::map<char*, std::size_t> pinned;
    std::vector<Stream*> streams;
    cudaError_t last = cudaSuccess, lost = cudaSuccess;
    int allowed_shared = kUsualShared;
    std::string fault;
};
State state;

cudaError_t answer(cudaError_t code) {
    if (state.lost != cudaSuccess) code = state.lost;
    if (code != cudaSuccess) state.last = code;
    return code;
}

void lose(cudaError_t code, const std::string& fault) {
    state.lost = code;
    if (state.fault.empty()) state.fault = fault;
}

void run(const Kernel& kernel) {
    if (state.machine.kernels_until_lost == 0) lose(cudaErrorIllegalAddress, {});
    if (state.machine.kernels_until_lost > 0) --state.machine.kernels_until_lost;
    if (state.lost != cudaSuccess) return;
    ++state.machine.kernels_run;
    if (const std::string fault = run_kernel(kernel, state.machine.descending); !fault.empty())
        lose(cudaErrorLaunchFailure, fault);
}

/// Now, or as a part of a graph.
void queue(Stream* stream, std::function<void()> work) {
    if (stream->recording)
        stream->recording->nodes.push_back(std::move(work));
    else
        stream->waiting.push_back(std::move(work));
}

void finish(Stream* stream) {
    while (!stream->waiting.empty()) {
        const std::function<void()> work = std::move(stream->waiting.front());
        stream->waiting.pop_front();
        if (state.lost == cudaSuccess) work();
    }
}

void finish_all() {
    for (Stream* stream : state.streams)
        finish(stream);
}

bool is_recording() {
    return std::any_of(state.streams.begin(), state.streams.end(),
                       [](const Stream* s) { return s->recording != nullptr; });
}

bool is_on_device(const void* at, std::size_t bytes) {
    auto* byte = static_cast<unsigned char*>(const_cast<void*>(at));
    auto after = state.device.upper_bound(byte);
    if (after == state.device.begin()) return false;
    const auto& [begin, piece] = *std::prev(after);
    return byte + bytes <= begin + piece.bytes;
}
bool is_pinned(const void* at, std::size_t bytes) {
    auto* byte = static_cast<char*>(const_cast<void*>(at));
    auto after = state.pinned.upper_bound(byte);
    if (after == state.pinned.begin()) return false;
    const auto& [begin, size] = *std::prev(after);
    return byte + bytes <= begin + size;
}

void check_gaps(const Piece& piece) {
    for (const auto& [begin, bytes] : piece.gaps) {
        ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
        if (std::any_of(begin, begin + bytes, [](unsigned char byte) { return byte != kUnused; }) &&
            state.fault.empty())
            state.fault = "a gap behind an array in the device's memory was written to";
    }
}

} // namespace

Machine& machine() {
    return state.machine;
}

void reset_machine() {
    state.machine = {};
    state.last = state.lost = cudaSuccess;
    state.allowed_shared = kUsualShared;
    state.fault.clear();
}

const std::string& fault() {
    return state.fault;
}

void guard(void* from, std::size_t bytes) {
    auto* begin = static_cast<unsigned char*>(from);
    std::prev(state.device.upper_bound(begin))->second.gaps.push_back({begin, bytes});
    std::memset(begin, kUnused, bytes);
    ASAN_POISON_MEMORY_REGION(begin, bytes);
}

int queue_kernel(Stream* stream, const Kernel& kernel) {
    const bool is_good = stream && kernel.blocks > 0 && kernel.threads > 0 && kernel.threads <= 1024 &&
                         kernel.threads % 32 == 0 &&
                         kernel.shared_bytes <= static_cast<std::size_t>(state.allowed_shared);
    if (!is_good) return answer(cudaErrorInvalidValue);
    queue(stream, [kernel] { run(kernel); });
    return answer(cudaSuccess);
}

bool allow_shared(int bytes) {
    if (bytes > state.machine.shared_bytes) return false;
    state.allowed_shared = std::max(bytes, kUsualShared);
    return true;
}

void queue_loop(Stream* stream, const int* goes_on, const std::function<void(Stream*)>& body) {
    std::unique_ptr<Graph> outer = std::move(stream->recording);
    stream->recording = std::make_unique<Graph>();
    body(stream);
    const std::shared_ptr<Graph> inner = std::move(stream->recording);
    stream->recording = std::move(outer);
    queue(stream, [inner, goes_on] {
        constexpr int kMost = 1000;
        for (int round = 0; *goes_on != 0 && state.lost == cudaSuccess; ++round) {
            if (round == kMost) return lose(cudaErrorLaunchFailure, "a loop of a graph does not end");
            for (const std::function<void()>& node : inner->nodes)
                node();
        }
    });
}

} // namespace emulated

using namespace emulated;

const char* cudaGetErrorString(cudaError_t code) {
    switch (code) {
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorIllegalAddress:
        return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    case cudaErrorNoKernelImageForDevice:
        return "no kernel image is available for execution on the device";
    default:
        return code == cudaSuccess ? "no error" : "an error of the emulator";
    }
}
const char* cudaGetErrorName(cudaError_t code) {
    switch (code) {
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
        return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
        return "cudaErrorLaunchFailure";
    default:
        return code == cudaSuccess ? "cudaSuccess" : "cudaError";
    }
}
cudaError_t cudaGetLastError() {
    const cudaError_t code = state.lost != cudaSuccess ? state.lost : state.last;
    state.last = cudaSuccess;
    return code;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = state.machine.no_device == 0 ? 1 : 0;
    return answer(static_cast<cudaError_t>(state.machine.no_device));
}
cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return answer(cudaSuccess);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
    *properties = {"Emulated GPU", state.machine.multiprocessors, 9, 0, state.machine.memory_total};
    return answer(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int /*device*/) {
    *value = which == cudaDevAttrComputeCapabilityMajor ? 9 : state.machine.shared_bytes;
    return answer(cudaSuccess);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *free = state.machine.memory_free;
    *total = state.machine.memory_total;
    return answer(cudaSuccess);
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    if (is_recording()) return answer(cudaErrorStreamCaptureUnsupported);
    if (bytes > state.machine.memory_free) return answer(cudaErrorMemoryAllocation);
    if (state.lost != cudaSuccess) return answer(state.lost);
    auto* made = static_cast<unsigned char*>(::operator new(bytes, std::align_val_t{kAlignment}));
    std::memset(made, kUnused, bytes); // what nobody has written is not zero
    state.device[made] = {bytes, {}};
    *memory = made;
    return answer(cudaSuccess);
}
cudaError_t cudaFree(void* memory) {
    if (!memory) return answer(cudaSuccess);
    finish_all();
    const auto found = state.device.find(static_cast<unsigned char*>(memory));
    if (found == state.device.end()) return answer(cudaErrorInvalidValue);
    check_gaps(found->second);
    ::operator delete(memory, std::align_val_t{kAlignment});
    state.device.erase(found);
    return answer(cudaSuccess);
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    if (is_recording()) return answer(cudaErrorStreamCaptureUnsupported);
    if (state.lost != cudaSuccess) return answer(state.lost);
    *memory = std::malloc(bytes);
    state.pinned[static_cast<char*>(*memory)] = bytes;
    return answer(cudaSuccess);
}
cudaError_t cudaFreeHost(void* memory) {
    if (!memory) return answer(cudaSuccess);
    finish_all();
    state.pinned.erase(static_cast<char*>(memory));
    std::free(memory);
    return answer(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    const bool to_device = kind != cudaMemcpyDeviceToHost, from_device = kind != cudaMemcpyHostToDevice;
    if ((to_device && !is_on_device(to, bytes)) || (from_device && !is_on_device(from, bytes)) || !stream)
        return answer(cudaErrorInvalidValue);
    if (!from_device && !is_pinned(from, bytes)) { // the driver takes a copy before it returns
        const auto* begin = static_cast<const char*>(from);
        queue(stream,
              [to, data = std::vector<char>(begin, begin + bytes)] { std::memcpy(to, data.data(), data.size()); });
        return answer(cudaSuccess);
    }
    queue(stream, [=] { std::memcpy(to, from, bytes); });
    if (!to_device && !is_pinned(to, bytes)) finish(stream); // returns when it is there
    return answer(cudaSuccess);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    if (!is_on_device(to, bytes) || !stream) return answer(cudaErrorInvalidValue);
    queue(stream, [=] { std::memset(to, value, bytes); });
    return answer(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
    if (state.lost != cudaSuccess) return answer(state.lost);
    *stream = new Stream;
    state.streams.push_back(*stream);
    return answer(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    finish(stream);
    std::erase(state.streams, stream);
    delete stream;
    return answer(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (stream->recording) return answer(cudaErrorStreamCaptureUnsupported);
    finish(stream);
    return answer(cudaSuccess);
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode /*mode*/) {
    if (stream->recording) return answer(cudaErrorStreamCaptureInvalidated);
    stream->recording = std::make_unique<Graph>();
    return answer(cudaSuccess);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = stream->recording.release();
    return answer(*graph ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long /*flags*/) {
    *made = new Graph(*graph);
    return answer(cudaSuccess);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    for (const std::function<void()>& node : graph->nodes)
        queue(stream, node);
    return answer(cudaSuccess);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return answer(cudaSuccess);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    delete graph;
    return answer(cudaSuccess);
}
