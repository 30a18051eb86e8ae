#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "character/character.h"

namespace selvage {

/// Reads a skinned character of glTF 2.0 (.glb, .gltf): the triangles of the default scene as one surface, its nodes as
/// joints, skins with up to eight influences per vertex, morph targets, all animations, and base colours. Meshes
/// without a skin move with their node. Weights that do not add up to 1 are scaled, with a warning. Fails on what would
/// tear the surface: weights that are negative or not finite, vertices without weights, joints of scale zero, keys out
/// of order.
Result<Character> read_character(const std::filesystem::path& path, std::vector<std::string>& warnings);

} // namespace selvage
