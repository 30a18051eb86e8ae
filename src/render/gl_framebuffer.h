#pragma once

#include "base/result.h"
#include "render/gl_objects.h"
#include "render/image.h"

namespace selvage {

void destroy_framebuffer(unsigned name);
void destroy_renderbuffer(unsigned name);

/// Something to draw into: one colour (or none, for shadow maps) and a depth buffer, with several samples per pixel if
/// asked. With samples the pictures lie in renderbuffers, to be resolved into a framebuffer without.
class GlFramebuffer {
public:
    GlFramebuffer() = default; ///< None.
    /// Colour and depth; with one sample both are textures.
    GlFramebuffer(int width, int height, PixelFormat colour, int samples = 1);
    static GlFramebuffer depth_only(int width, int height);
    static GlFramebuffer colour_only(int width, int height); ///< rgba8, for pictures that are ready to be shown.

    /// Fails where the driver cannot draw into this format.
    Status check() const;
    int width() const { return width_; }
    int height() const { return height_; }
    void bind() const;                            ///< Draws go here, over its whole size.
    void bind_columns(int left, int width) const; ///< Draws go into columns from `left` on.
    void clear(float r, float g, float b, float a) const;
    /// Averages the samples of colour into the columns of `target` from `left` on; it has the same height and format,
    /// and one sample.
    void resolve_into(const GlFramebuffer& target, int left = 0) const;

    const GlTexture& colour() const { return colour_; } ///< Without samples.
    const GlTexture& depth() const { return depth_; }
    GlTexture& depth() { return depth_; }

    Image8 read_rgb8() const;  ///< From rgba8.
    ImageF read_float() const; ///< From the float formats.

private:
    GlName<destroy_framebuffer> name_;
    GlName<destroy_renderbuffer> colour_samples_, depth_samples_;
    GlTexture colour_, depth_;
    int width_ = 0, height_ = 0;
};

} // namespace selvage
