#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"
#include "render/image.h"

namespace selvage {

/// A Radiance picture (.hdr, .pic) in linear light. Fails where it is missing, broken, of another kind, or holds
/// numbers that are not finite.
Result<ImageF> read_hdr(const std::filesystem::path& path);

/// A picture for a screen (.png, .jpg, .bmp, .tga). Fails where it is missing or broken.
Result<Image8> read_picture(const std::filesystem::path& path);

/// The same from memory; `name` is for messages.
Result<Image8> decode_picture(std::span<const unsigned char> bytes, const std::string& name);

/// A PNG in memory.
Result<std::string> png_bytes(const Image8& image);
/// Whole or not at all.
Status write_png(const std::filesystem::path& path, const Image8& image);

} // namespace selvage
