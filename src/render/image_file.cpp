#include "render/image_file.h"

#include <cmath>
#include <memory>
#include <string>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include "base/atomic_file.h"
#include "base/concat.h"

namespace selvage {

namespace {
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30; // stb counts in int
}

Result<ImageF> read_hdr(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_file(path, kMostBytes);
    if (!bytes) return bytes.error();
    const auto* data = reinterpret_cast<const stbi_uc*>(bytes->data());
    const int size = static_cast<int>(bytes->size());
    if (!stbi_is_hdr_from_memory(data, size))
        return Error{concat("is not a Radiance picture; expected a file that begins with #?RADIANCE or #?RGBE"),
                     path.string()};
    ImageF image;
    int channels = 0;
    const std::unique_ptr<float, void (*)(void*)> pixels(
        stbi_loadf_from_memory(data, size, &image.width, &image.height, &channels, 4), stbi_image_free);
    if (!pixels) return Error{concat("cannot be read as a Radiance picture: ", stbi_failure_reason()), path.string()};
    if (image.width < 2 || image.height < 2)
        return Error{concat("is ", image.width, "x", image.height, " pixels; expected at least 2x2"), path.string()};
    image.rgba.resize(static_cast<std::size_t>(image.width) * image.height);
    for (std::size_t i = 0; i < image.rgba.size(); ++i)
        for (std::size_t c = 0; c < 4; ++c) {
            image.rgba[i][c] = pixels.get()[4 * i + c];
            if (!std::isfinite(image.rgba[i][c]))
                return Error{concat("pixel ", i % image.width, ",", i / image.width, " is not finite"), path.string()};
        }
    return image;
}

Result<Image8> read_picture(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_file(path, kMostBytes);
    if (!bytes) return bytes.error();
    return decode_picture({reinterpret_cast<const unsigned char*>(bytes->data()), bytes->size()}, path.string());
}

Result<Image8> decode_picture(std::span<const unsigned char> bytes, const std::string& name) {
    Image8 image;
    int channels = 0;
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &image.width, &image.height, &channels, 3),
        stbi_image_free);
    if (!pixels)
        return Error{
            concat("cannot be read as a picture: ", stbi_failure_reason(), "; expected .png, .jpg, .bmp or .tga"),
            name};
    image.rgb.assign(pixels.get(), pixels.get() + 3 * static_cast<std::size_t>(image.width) * image.height);
    return image;
}

Result<std::string> png_bytes(const Image8& image) {
    std::string bytes;
    const auto append = [](void* context, void* data, int size) {
        static_cast<std::string*>(context)->append(static_cast<char*>(data), static_cast<std::size_t>(size));
    };
    if (!stbi_write_png_to_func(append, &bytes, image.width, image.height, 3, image.rgb.data(), 3 * image.width))
        return Error{concat("cannot be made a PNG of ", image.width, "x", image.height, " pixels"), "",
                     ErrorKind::work};
    return bytes;
}

Status write_png(const std::filesystem::path& path, const Image8& image) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    const Result<std::string> bytes = png_bytes(image);
    if (!bytes) return Error{bytes.error().message, path.string(), ErrorKind::work};
    file->write(*bytes);
    return file->commit();
}

} // namespace selvage
