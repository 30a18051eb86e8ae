#include "cuda/device.h"

#include <cuda_runtime.h>

#include "base/concat.h"

namespace selvage::cuda {

namespace {

__global__ void do_nothing() {}

} // namespace

std::string DeviceInfo::text() const {
    return concat(name, ", compute capability ", major, ".", minor, ", ", multiprocessors, " multiprocessors, ",
                  total_bytes >> 20, " MiB");
}

Result<DeviceInfo> find_device() {
    const auto refuse = [](const std::string& why) {
        cudaGetLastError(); // or the next one to ask would be told of it too
        return Error{why, "device cuda", ErrorKind::work};
    };
    int count = 0;
    const cudaError_t listed = cudaGetDeviceCount(&count);
    if (listed == cudaErrorInsufficientDriver)
        return refuse("no NVIDIA driver, or one older than the CUDA that this build was made with");
    if (listed == cudaErrorNoDevice || (listed == cudaSuccess && count == 0))
        return refuse("no device found; expected an NVIDIA GPU");
    if (listed != cudaSuccess) return refuse(concat("no device: ", cudaGetErrorString(listed)));
    cudaDeviceProp properties{};
    if (const cudaError_t code = cudaGetDeviceProperties(&properties, 0); code != cudaSuccess)
        return refuse(concat("device 0 does not answer: ", cudaGetErrorString(code)));
    DeviceInfo info{properties.name, properties.multiProcessorCount, properties.major, properties.minor,
                    properties.totalGlobalMem};
    cudaFuncAttributes attributes{};
    if (const cudaError_t code = cudaFuncGetAttributes(&attributes, do_nothing); code != cudaSuccess) {
        return refuse(concat(info.text(), ": this build has no code for it (", cudaGetErrorString(code),
                             "); expected compute capability 7.5 or later"));
    }
    return info;
}

bool starts_early() {
    constexpr int kLeastMajor = 9;
    static const bool is_able = [] {
        int major = 0;
        return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
               major >= kLeastMajor;
    }();
    return is_able;
}

} // namespace selvage::cuda
