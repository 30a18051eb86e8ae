#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace selvage {

inline constexpr std::uint64_t kMaxGltfBytes = std::uint64_t{1} << 32; ///< Of all buffers together.

/// Fails on a glTF document that a reader would misread in silence: numbers of the wrong kind or sign (tinygltf takes
/// them for absent), geometry inside extensions we do not know, buffers that are not there. What indices point to is
/// not looked at. Errors name the value by its JSON pointer.
Status check_gltf(const nlohmann::json& root, const std::string& location);

} // namespace selvage
