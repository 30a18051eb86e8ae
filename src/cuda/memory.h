#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "cuda/device_queue.h"

namespace selvage::cuda {

/// All memory of one simulation on the device, in one piece that is as large as needed: what it holds is laid out twice,
/// first to count (the pointers are null), then, after allocate(), for good. So a scene that does not fit is refused
/// before anything runs. Errors of copies are the queue's.
class DeviceMemory {
public:
    explicit DeviceMemory(DeviceQueue& queue) : queue_(queue) {}
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// Zeros.
    template <class T>
    T* take(std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T>);
        return static_cast<T*>(take_bytes(count * sizeof(T)));
    }
    template <class T>
    T* copy(const std::vector<T>& from) {
        T* to = take<T>(from.size());
        if (base_) queue_.write<T>(to, from, "device memory");
        return to;
    }
    Status allocate();
    std::size_t bytes() const { return bytes_; } ///< Counted, and had after allocate().

private:
    void* take_bytes(std::size_t bytes);

    DeviceQueue& queue_;
    char* base_ = nullptr;
    std::size_t bytes_ = 0, used_ = 0;
};

/// Memory of the host that the device copies from and to without waiting.
class PinnedMemory {
public:
    PinnedMemory() = default;
    ~PinnedMemory();
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;
    /// At least so many bytes; what was in it is lost when it grows.
    Status reserve(std::size_t bytes);
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace selvage::cuda
