#include "lab/figure/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_easy_font.h>
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include "base/atomic_file.h"

namespace selvage {

Colour series_colour(int index) {
    static constexpr std::array<Colour, 8> kColours = {{{31, 105, 180},
                                                        {214, 82, 20},
                                                        {30, 140, 70},
                                                        {150, 60, 150},
                                                        {120, 80, 50},
                                                        {0, 150, 165},
                                                        {200, 150, 0},
                                                        {110, 110, 115}}};
    return kColours[static_cast<std::size_t>(index) % kColours.size()];
}

Canvas::Canvas(int width, int height, Colour background)
    : width_(width), height_(height),
      fine_(static_cast<std::size_t>(width) * height * kSupersample * kSupersample, background) {}

void Canvas::set_fine(int x, int y, Colour colour) {
    if (x >= 0 && y >= 0 && x < fine_width() && y < fine_height())
        fine_[static_cast<std::size_t>(y) * fine_width() + x] = colour;
}

void Canvas::fill_rectangle(double x0, double y0, double x1, double y1, Colour colour) {
    const auto fine = [](double v) { return static_cast<int>(std::lround(v * kSupersample)); };
    for (int y = std::max(0, fine(y0)); y < std::min(fine_height(), fine(y1)); ++y)
        for (int x = std::max(0, fine(x0)); x < std::min(fine_width(), fine(x1)); ++x)
            set_fine(x, y, colour);
}

void Canvas::draw_line(double x0, double y0, double x1, double y1, double thickness, Colour colour) {
    if (!std::isfinite(x0 + y0 + x1 + y1)) return;
    x0 *= kSupersample, y0 *= kSupersample, x1 *= kSupersample, y1 *= kSupersample;
    const double radius = std::max(0.5, 0.5 * thickness * kSupersample);
    const double dx = x1 - x0, dy = y1 - y0, l2 = dx * dx + dy * dy;
    const int left = static_cast<int>(std::max(0.0, std::min(x0, x1) - radius - 1));
    const int right = static_cast<int>(std::min(fine_width() - 1.0, std::max(x0, x1) + radius + 1));
    const int top = static_cast<int>(std::max(0.0, std::min(y0, y1) - radius - 1));
    const int bottom = static_cast<int>(std::min(fine_height() - 1.0, std::max(y0, y1) + radius + 1));
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            const double px = x + 0.5 - x0, py = y + 0.5 - y0;
            const double s = l2 > 0.0 ? std::clamp((px * dx + py * dy) / l2, 0.0, 1.0) : 0.0;
            const double ex = px - s * dx, ey = py - s * dy;
            if (ex * ex + ey * ey <= radius * radius) set_fine(x, y, colour);
        }
}

void Canvas::draw_disc(double x, double y, double radius, Colour colour) {
    draw_line(x, y, x, y, 2.0 * radius, colour);
}

void Canvas::draw_text(double x, double y, const std::string& text, Colour colour, double size) {
    struct Vertex {
        float x, y, z;
        unsigned char colour[4];
    };
    std::vector<Vertex> quads(text.size() * 32 * 4 + 4); // the font's longest letter has fewer quads
    std::string copy = text;
    const int count = stb_easy_font_print(0.0f, 0.0f, copy.data(), nullptr, quads.data(),
                                          static_cast<int>(quads.size() * sizeof(Vertex)));
    for (int q = 0; q < count; ++q) {
        const Vertex& low = quads[4 * q];
        const Vertex& high = quads[4 * q + 2];
        fill_rectangle(x + size * low.x, y + size * low.y, x + size * high.x, y + size * high.y, colour);
    }
}

double Canvas::text_width(const std::string& text, double size) {
    std::string copy = text;
    return size * stb_easy_font_width(copy.data());
}

void Canvas::paste(const Canvas& other, int x, int y) {
    for (int j = 0; j < other.fine_height(); ++j)
        for (int i = 0; i < other.fine_width(); ++i)
            set_fine(i + x * kSupersample, j + y * kSupersample,
                     other.fine_[static_cast<std::size_t>(j) * other.fine_width() + i]);
}

std::vector<Colour> Canvas::pixels() const {
    std::vector<Colour> out(static_cast<std::size_t>(width_) * height_);
    constexpr int kSamples = kSupersample * kSupersample;
    for (int y = 0; y < height_; ++y)
        for (int x = 0; x < width_; ++x) {
            int r = 0, g = 0, b = 0;
            for (int s = 0; s < kSamples; ++s) {
                const int fx = x * kSupersample + s % kSupersample, fy = y * kSupersample + s / kSupersample;
                const Colour& c = fine_[static_cast<std::size_t>(fy) * fine_width() + fx];
                r += c.r, g += c.g, b += c.b;
            }
            const auto mean = [](int sum) { return static_cast<std::uint8_t>((sum + kSamples / 2) / kSamples); };
            out[static_cast<std::size_t>(y) * width_ + x] = {mean(r), mean(g), mean(b)};
        }
    return out;
}

Status Canvas::save_png(const std::filesystem::path& path) const {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    const auto write = [](void* context, void* data, int size) {
        static_cast<AtomicFile*>(context)->write(data, static_cast<std::size_t>(size));
    };
    stbi_write_png_to_func(write, &*file, width_, height_, 3, pixels().data(), 3 * width_);
    return file->commit();
}

} // namespace selvage
