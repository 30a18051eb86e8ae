#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "character/character.h"

namespace selvage {

/// What a character's file says about its colour: its triangles by material, with texture coordinates of their own, since
/// those break where the skin does not.
struct BodyPaint {
    struct Corner {
        int vertex = 0; ///< Of the character.
        Vec2 uv;        ///< v from the top.
    };
    struct Part {
        Vec3f factor{1, 1, 1}; ///< Linear; times the texture's colour.
        int image = -1;        ///< Index into `images`; -1: no texture.
        std::vector<Corner> corners;
        std::vector<Triangle> triangles; ///< Of corners.
    };
    std::vector<Part> parts;
    std::vector<std::string> images; ///< PNG or JPEG, as stored.
};

/// The base colours of a character's file. Fails where a texture cannot be reached. Textures of an extension (KTX2, WebP)
/// are left out.
Result<BodyPaint> read_paint(const std::filesystem::path& path);

} // namespace selvage
