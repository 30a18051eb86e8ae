#include "cuda/memory.h"

#include "base/concat.h"

namespace selvage::cuda {

namespace {

constexpr std::size_t kAlignment = 256;              // [bytes]
constexpr std::size_t kGap = 256;                    // [bytes] after each array, so that one does not run into the next
constexpr std::size_t kLeft = std::size_t{64} << 20; // [bytes]; for graphs and the driver

std::string mib(std::size_t bytes) {
    return concat((bytes + (1 << 20) - 1) >> 20, " MiB");
}

} // namespace

DeviceMemory::~DeviceMemory() {
    cudaFree(base_);
}

void* DeviceMemory::take_bytes(std::size_t bytes) {
    void* at = base_ ? base_ + used_ : nullptr;
    const std::size_t end = used_ + bytes;
    used_ = (end + kAlignment - 1) / kAlignment * kAlignment + kGap;
#ifdef SELVAGE_CUDA_EMULATED
    if (base_) emulated::guard(base_ + end, used_ - end);
#endif
    return at;
}

Status DeviceMemory::allocate() {
    bytes_ = used_;
    used_ = 0;
    std::size_t free = 0, total = 0;
    if (const cudaError_t code = cudaMemGetInfo(&free, &total); code != cudaSuccess)
        return device_error(code, "device memory");
    if (bytes_ + kLeft > free)
        return Error{concat("needs ", mib(bytes_ + kLeft), " on the device; ", mib(free), " of ", mib(total),
                            " are free. Expected fewer vertices, or a device with more memory"),
                     "device memory", ErrorKind::work};
    if (const cudaError_t code = cudaMalloc(reinterpret_cast<void**>(&base_), bytes_); code != cudaSuccess) {
        base_ = nullptr;
        return device_error(code, concat("device memory, ", mib(bytes_)));
    }
    queue_.check(cudaMemsetAsync(base_, 0, bytes_, queue_.stream()), "device memory");
    queue_.wait("device memory");
    return queue_.status();
}

PinnedMemory::~PinnedMemory() {
    cudaFreeHost(data_);
}

Status PinnedMemory::reserve(std::size_t bytes) {
    if (bytes <= bytes_) return Done{};
    cudaFreeHost(data_);
    data_ = nullptr;
    bytes_ = 0;
    if (const cudaError_t code = cudaMallocHost(&data_, bytes); code != cudaSuccess) {
        data_ = nullptr;
        return device_error(code, concat("page-locked memory, ", mib(bytes)));
    }
    bytes_ = bytes;
    return Done{};
}

} // namespace selvage::cuda
