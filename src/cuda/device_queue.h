#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>

#include "base/result.h"

namespace selvage::cuda {

/// What CUDA says of an error, and where it was met.
Error device_error(cudaError_t code, const std::string& where);

/// All that one simulation asks of the device, done in the order in which it was asked for: a stream of its own, on which
/// nothing else waits and which waits for nothing else. Every copy and kernel goes through it; the null stream, which has
/// no order with it, is not used. Keeps the first error that was met.
class DeviceQueue {
public:
    DeviceQueue() = default;
    ~DeviceQueue();
    DeviceQueue(const DeviceQueue&) = delete;
    DeviceQueue& operator=(const DeviceQueue&) = delete;
    Status start();

    cudaStream_t stream() const { return stream_; }
    bool is_ok() const { return failure_.empty(); }
    const std::string& failure() const { return failure_; }
    Status status() const;
    void check(cudaError_t code, const char* where);
    void fail(const Error& error);
    /// Until all is done. Finds the errors of what was launched since.
    void wait(const char* where);

    /// Between the host's own memory and the device's. Both wait: for what was asked for before as well.
    template <class T>
    void write(T* to, std::span<const T> from, const char* where) {
        write_bytes(to, from.data(), from.size_bytes(), where);
    }
    template <class T>
    void read(std::span<T> to, const T* from, const char* where) {
        read_bytes(to.data(), from, to.size_bytes(), where);
    }
    /// Within the device's memory; does not wait.
    template <class T>
    void copy(T* to, const T* from, std::size_t count, const char* where) {
        copy_bytes(to, from, count * sizeof(T), where);
    }

private:
    void write_bytes(void* to, const void* from, std::size_t bytes, const char* where);
    void read_bytes(void* to, const void* from, std::size_t bytes, const char* where);
    void copy_bytes(void* to, const void* from, std::size_t bytes, const char* where);

    cudaStream_t stream_ = nullptr;
    std::string failure_;
};

} // namespace selvage::cuda
