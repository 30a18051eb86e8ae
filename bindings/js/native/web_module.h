#pragma once

// What JavaScript calls. Functions of selvage.h without structs are exported as they are; here are the others, with
// structs flattened to arrays of doubles, and what a page wants beside the C interface. All return a selvage_result,
// and leave what they found in the places they are given, which JavaScript keeps in its scratch memory.

#include <cstddef>
#include <cstdint>
#include <span>

#include "api/calls.h"

#define SELVAGE_WEB extern "C" __attribute__((used))

namespace selvage::web {

/// Where an array is, for JavaScript to make a view of: address and number of elements.
struct Range {
    const void* data = nullptr;
    std::uint32_t count = 0;
};

template <class T>
void give_range(std::span<const T> from, Range* out) {
    *out = {from.data(), static_cast<std::uint32_t>(from.size())};
}

/// Null for the empty text that JavaScript gives where it has none.
inline const char* text_or_null(const char* text) {
    return text && *text ? text : nullptr;
}

/// Threads of the module, shared by all worlds: a browser makes threads only between turns of its event loop, so they
/// are made once. Does nothing in the build without threads.
void use_shared_threads(selvage_world_desc& desc, int wanted);

/// A look as numbers, in the order that src/looks.js has. Returns where they end.
double* write_look(const FabricLook& look, double* out);

} // namespace selvage::web
