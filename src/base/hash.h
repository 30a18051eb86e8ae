#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace selvage {

inline constexpr std::uint64_t kHashSeed = 0xcbf29ce484222325u; // FNV-1a offset basis

/// FNV-1a over 8-byte words (the tail byte by byte): fast, and sensitive to every bit, -0.0 against 0.0 included.
inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t hash = kHashSeed) {
    constexpr std::uint64_t kPrime = 0x100000001b3u;
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (; size >= 8; size -= 8, bytes += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, 8);
        hash = (hash ^ word) * kPrime;
        hash ^= hash >> 32; // FNV alone never moves high bits down
    }
    for (; size > 0; --size, ++bytes)
        hash = (hash ^ *bytes) * kPrime;
    return hash;
}

inline std::uint64_t hash_text(std::string_view text, std::uint64_t hash = kHashSeed) {
    return hash_bytes(text.data(), text.size(), hash);
}

inline std::string hex(std::uint64_t value) {
    std::string text(16, '0');
    for (int i = 15; i >= 0; --i, value >>= 4)
        text[static_cast<std::size_t>(i)] = "0123456789abcdef"[value & 15];
    return text;
}

} // namespace selvage
