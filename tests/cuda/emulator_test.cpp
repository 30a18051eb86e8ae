// The emulator must see what goes wrong on a device: each of these kernels and copies is wrong in one way.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda/kernels.cuh"

namespace selvage {
namespace {

class Emulator : public ::testing::Test {
protected:
    void SetUp() override {
        emulated::reset_machine();
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(reinterpret_cast<void**>(&numbers_), kCount * sizeof(int));
    }
    void TearDown() override {
        cudaFree(numbers_);
        cudaStreamDestroy(stream_);
        emulated::reset_machine();
    }
    std::vector<int> read() {
        std::vector<int> out(kCount);
        cudaMemcpyAsync(out.data(), numbers_, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream_);
        return out;
    }
    /// What is found when a kernel of two warps runs.
    template <class... Parameters, class... Arguments>
    std::string fault_of(void (*kernel)(Parameters...), const Arguments&... arguments) {
        cuda::launch(kernel, 1, kCount, kShared, stream_, arguments...);
        const cudaError_t code = cudaStreamSynchronize(stream_);
        EXPECT_EQ(code, emulated::fault().empty() ? cudaSuccess : cudaErrorLaunchFailure);
        return emulated::fault();
    }
    static constexpr int kCount = 64;
    static constexpr std::size_t kShared = 256;
    cudaStream_t stream_ = nullptr;
    int* numbers_ = nullptr;
};

__global__ void reverse(int* numbers, int base, bool waits) {
    cuda::after_last_kernel();
    __shared__ int part[64];
    const int t = static_cast<int>(threadIdx.x);
    part[t] = base + t;
    if (waits) __syncthreads();
    numbers[t] = part[63 - t];
}

__global__ void start_at_once(int* numbers) {
    numbers[threadIdx.x] = 1;
}

TEST_F(Emulator, FindsAKernelThatDoesNotWaitForTheOneBefore) {
    EXPECT_EQ(fault_of(start_at_once, numbers_), "block 0, thread 0: has not waited for the kernel before it");
}

TEST_F(Emulator, ShowsAMissingBarrierAsResultsThatDependOnTheOrder) {
    int base = 0;
    for (const bool waits : {true, false}) {
        std::vector<int> results[2];
        for (const bool descending : {false, true}) {
            emulated::machine().descending = descending;
            base += 100; // what lies in shared memory is of another launch
            EXPECT_EQ(fault_of(reverse, numbers_, base, waits), "");
            results[descending] = read();
            for (int& number : results[descending])
                number -= base;
        }
        EXPECT_EQ(results[0] == results[1], waits);
    }
}

__global__ void sum_over_warp(int* numbers) {
    cuda::after_last_kernel();
    int value = static_cast<int>(threadIdx.x);
    for (int mask = 16; mask > 0; mask /= 2)
        value += __shfl_xor_sync(0xffffffffU, value, mask);
    const int above = __shfl_up_sync(0xffffffffU, value + static_cast<int>(threadIdx.x), 8);
    numbers[threadIdx.x] = value + __shfl_sync(0xffffffffU, above, 3);
}

TEST_F(Emulator, ExchangesWithinWarps) {
    EXPECT_EQ(fault_of(sum_over_warp, numbers_), "");
    const std::vector<int> out = read();
    // 0 + ... + 31, twice; lane 3 has nobody eight below it and gets its own value back.
    EXPECT_EQ(out[0], 496 + 496 + 3);
    EXPECT_EQ(out[63], 1520 + 1520 + 35);
}

__global__ void leave_early(int* numbers) {
    cuda::after_last_kernel();
    if (threadIdx.x >= 40) return;
    numbers[threadIdx.x] = __shfl_xor_sync(0xffffffffU, 1, 1);
}

__global__ void exchange_apart(int* numbers) {
    cuda::after_last_kernel();
    if (threadIdx.x < 5)
        numbers[threadIdx.x] = __shfl_xor_sync(0xffffffffU, 1, 1);
    else
        numbers[threadIdx.x] = __shfl_xor_sync(0xffffffffU, 2, 1);
}

__global__ void wait_apart(int* numbers) {
    cuda::after_last_kernel();
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    numbers[threadIdx.x] = 0;
}

TEST_F(Emulator, FindsWarpsThatExchangeWithoutSomeOfTheirThreads) {
    EXPECT_NE(fault_of(leave_early, numbers_).find("without some of its threads"), std::string::npos);
}

TEST_F(Emulator, FindsWarpsThatExchangeAtDifferentPlaces) {
    EXPECT_NE(fault_of(exchange_apart, numbers_).find("while others do at"), std::string::npos);
}

TEST_F(Emulator, FindsBlocksThatWaitAtDifferentPlaces) {
    EXPECT_NE(fault_of(wait_apart, numbers_).find("waits for its block"), std::string::npos);
}

__global__ void write_behind() {
    cuda::after_last_kernel();
    if (threadIdx.x == 0) cuda::shared_of_launch()[256 / sizeof(float4)] = {};
}

TEST_F(Emulator, FindsWritesBehindSharedMemory) {
    EXPECT_NE(fault_of(write_behind).find("behind the shared memory"), std::string::npos);
}

#if !defined(__SANITIZE_ADDRESS__) // which stops there
__global__ void write_at(int* numbers, int index) {
    cuda::after_last_kernel();
    if (threadIdx.x == 0) numbers[index] = 1;
}

TEST_F(Emulator, FindsWritesBehindAnArray) {
    int* more = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&more), 1024);
    emulated::guard(more + 128, 512);
    EXPECT_EQ(fault_of(write_at, more, 128), "");
    cudaFree(more);
    EXPECT_NE(emulated::fault().find("gap behind an array"), std::string::npos);
}
#endif

TEST_F(Emulator, CopiesFromPinnedMemoryAsLateAsADeviceMay) {
    int* staged = nullptr;
    cudaMallocHost(reinterpret_cast<void**>(&staged), kCount * sizeof(int));
    std::fill(staged, staged + kCount, 1);
    cudaMemcpyAsync(numbers_, staged, kCount * sizeof(int), cudaMemcpyHostToDevice, stream_);
    std::fill(staged, staged + kCount, 2); // too early
    EXPECT_EQ(read()[0], 2);
    cudaFreeHost(staged);
}

TEST_F(Emulator, RefusesCopiesOutOfBoundsAndLaunchesThatAreTooLarge) {
    std::vector<int> more(kCount + 1);
    EXPECT_EQ(cudaMemcpyAsync(numbers_, more.data(), more.size() * sizeof(int), cudaMemcpyHostToDevice, stream_),
              cudaErrorInvalidValue);
    cudaGetLastError();
    cuda::launch(sum_over_warp, 1, 2048, 0, stream_, numbers_);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    cuda::launch(sum_over_warp, 1, 64, 60000, stream_, numbers_); // more than 48 KiB must be asked for
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

} // namespace
} // namespace selvage
