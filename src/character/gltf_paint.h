#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "character/character.h"

namespace selvage {

/// What a character's file says about its colour.
struct BodyPaint {
    struct Vertex {
        Vec3f factor{1, 1, 1}; ///< Linear; times the texture's colour.
        int image = -1;        ///< Index into `images`; -1: no texture.
        Vec2 uv;               ///< v from the top.
    };
    std::vector<Vertex> vertices;    ///< One per vertex of the character; where materials meet, of one of them.
    std::vector<std::string> images; ///< PNG or JPEG, as stored.
};

/// The base colours of the file that `character` was read from. Fails where a texture cannot be reached. Textures of an
/// extension (KTX2, WebP) are left out.
Result<BodyPaint> read_paint(const std::filesystem::path& path, const Character& character);

} // namespace selvage
