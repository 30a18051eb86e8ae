#pragma once

#include <atomic>

namespace selvage {

/// Relaxed access to a plain object that several threads change at once: what we use of std::atomic_ref, which libc++ lacks
/// before version 19.
template <class T>
class AtomicReference {
public:
    explicit AtomicReference(T& value) : value_(value) {}
#if defined(__cpp_lib_atomic_ref)
    T load() const { return std::atomic_ref(value_).load(std::memory_order_relaxed); }
    void store(T value) const { std::atomic_ref(value_).store(value, std::memory_order_relaxed); }
    T fetch_add(T value) const { return std::atomic_ref(value_).fetch_add(value, std::memory_order_relaxed); }
    bool compare_exchange_weak(T& expected, T desired) const {
        return std::atomic_ref(value_).compare_exchange_weak(expected, desired, std::memory_order_relaxed);
    }
#else
    T load() const {
        T result;
        __atomic_load(&value_, &result, __ATOMIC_RELAXED);
        return result;
    }
    void store(T value) const { __atomic_store(&value_, &value, __ATOMIC_RELAXED); }
    T fetch_add(T value) const { return __atomic_fetch_add(&value_, value, __ATOMIC_RELAXED); }
    bool compare_exchange_weak(T& expected, T desired) const {
        return __atomic_compare_exchange(&value_, &expected, &desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
#endif

private:
    T& value_;
};

} // namespace selvage
