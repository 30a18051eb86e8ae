#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace selvage {

/// Numbers in files have a byte order of their own, whatever the machine's.
template <std::endian order, class T>
void append_bytes(std::string& out, T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if constexpr (order != std::endian::native) std::reverse(bytes, bytes + sizeof(T));
    out.append(bytes, sizeof(T));
}

/// `at` must point to sizeof(T) bytes; it need not be aligned.
template <std::endian order, class T>
T load_bytes(const void* at) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, at, sizeof(T));
    if constexpr (order != std::endian::native) std::reverse(bytes, bytes + sizeof(T));
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

} // namespace selvage
