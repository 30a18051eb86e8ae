#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace selvage {

struct Colour {
    std::uint8_t r = 0, g = 0, b = 0;
};

inline constexpr Colour kWhite{255, 255, 255}, kBlack{20, 20, 24}, kGrey{150, 150, 155}, kPale{225, 225, 228};

/// Distinct on white and in grey print; repeats after eight.
Colour series_colour(int index);

/// A picture drawn at twice its size and halved when saved, which smooths every edge. Coordinates are in final pixels.
class Canvas {
public:
    static constexpr int kSupersample = 2;

    Canvas(int width, int height, Colour background = kWhite);

    int width() const { return width_; }
    int height() const { return height_; }
    int fine_width() const { return width_ * kSupersample; }
    int fine_height() const { return height_ * kSupersample; }
    void set_fine(int x, int y, Colour colour); ///< One supersample; ignored outside.

    void fill_rectangle(double x0, double y0, double x1, double y1, Colour colour);
    void draw_line(double x0, double y0, double x1, double y1, double thickness, Colour colour);
    void draw_disc(double x, double y, double radius, Colour colour);
    /// Top-left corner at (x, y); a capital is 7 * size pixels tall.
    void draw_text(double x, double y, const std::string& text, Colour colour, double size = 1.5);
    static double text_width(const std::string& text, double size = 1.5);
    /// Copies another picture in.
    void paste(const Canvas& other, int x, int y);

    std::vector<Colour> pixels() const; ///< At the final size, row by row from the top.
    Status save_png(const std::filesystem::path& path) const;

private:
    int width_, height_;
    std::vector<Colour> fine_;
};

} // namespace selvage
