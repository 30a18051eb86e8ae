#include "render/gl_framebuffer.h"

#include <algorithm>

#include "base/concat.h"
#include "render/gl_formats_internal.h"

namespace selvage {

void destroy_framebuffer(unsigned name) {
    glDeleteFramebuffers(1, &name);
}
void destroy_renderbuffer(unsigned name) {
    glDeleteRenderbuffers(1, &name);
}

namespace {

unsigned new_framebuffer() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    return name;
}

unsigned new_renderbuffer(int width, int height, int samples, GLenum format, GLenum attachment) {
    GLuint name = 0;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, name);
    return name;
}

void attach(const GlTexture& texture, GLenum attachment) {
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture.name(), 0);
}

/// GL's row 0 is the bottom; ours is the top.
template <class T>
void flip_rows(std::vector<T>& values, int width, int height) {
    for (int y = 0; y < height / 2; ++y)
        std::swap_ranges(values.begin() + static_cast<std::ptrdiff_t>(y) * width,
                         values.begin() + static_cast<std::ptrdiff_t>(y + 1) * width,
                         values.begin() + static_cast<std::ptrdiff_t>(height - 1 - y) * width);
}

} // namespace

GlFramebuffer::GlFramebuffer(int width, int height, PixelFormat colour, int samples)
    : name_(new_framebuffer()), width_(width), height_(height) {
    if (samples > 1) {
        using Renderbuffer = GlName<destroy_renderbuffer>;
        const GLenum format = gl_format(colour).internal;
        colour_samples_ = Renderbuffer(new_renderbuffer(width, height, samples, format, GL_COLOR_ATTACHMENT0));
        depth_samples_ =
            Renderbuffer(new_renderbuffer(width, height, samples, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT));
        return;
    }
    colour_ = GlTexture(width, height, colour);
    depth_ = GlTexture(width, height, PixelFormat::depth32f);
    attach(colour_, GL_COLOR_ATTACHMENT0);
    attach(depth_, GL_DEPTH_ATTACHMENT);
}

GlFramebuffer GlFramebuffer::depth_only(int width, int height) {
    GlFramebuffer made;
    made.name_ = GlName<destroy_framebuffer>(new_framebuffer());
    made.width_ = width, made.height_ = height;
    made.depth_ = GlTexture(width, height, PixelFormat::depth32f);
    attach(made.depth_, GL_DEPTH_ATTACHMENT);
    const GLenum none = GL_NONE;
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    return made;
}

GlFramebuffer GlFramebuffer::colour_only(int width, int height) {
    GlFramebuffer made;
    made.name_ = GlName<destroy_framebuffer>(new_framebuffer());
    made.width_ = width, made.height_ = height;
    made.colour_ = GlTexture(width, height, PixelFormat::rgba8);
    attach(made.colour_, GL_COLOR_ATTACHMENT0);
    return made;
}

Status GlFramebuffer::check() const {
    glBindFramebuffer(GL_FRAMEBUFFER, name_.get());
    const GLenum code = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (code == GL_FRAMEBUFFER_COMPLETE) return Done{};
    return Error{concat("the driver cannot draw into a target of ", width_, "x", height_, " pixels (status 0x",
                        std::hex, code, ")"),
                 "GL", ErrorKind::work};
}

void GlFramebuffer::bind() const {
    glBindFramebuffer(GL_FRAMEBUFFER, name_.get());
    glViewport(0, 0, width_, height_);
}

void GlFramebuffer::bind_columns(int left, int width) const {
    glBindFramebuffer(GL_FRAMEBUFFER, name_.get());
    glViewport(left, 0, width, height_);
}

void GlFramebuffer::clear(float r, float g, float b, float a) const {
    bind();
    glClearColor(r, g, b, a);
    glDepthMask(GL_TRUE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

void GlFramebuffer::resolve_into(const GlFramebuffer& target, int left) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, name_.get());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target.name_.get());
    glBlitFramebuffer(0, 0, width_, height_, left, 0, left + width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

Image8 GlFramebuffer::read_rgb8() const {
    std::vector<std::array<std::uint8_t, 4>> pixels(static_cast<std::size_t>(width_) * height_);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, name_.get());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    flip_rows(pixels, width_, height_);
    Image8 image{width_, height_, {}};
    image.rgb.reserve(pixels.size() * 3);
    for (const auto& p : pixels)
        image.rgb.insert(image.rgb.end(), p.begin(), p.begin() + 3);
    return image;
}

ImageF GlFramebuffer::read_float() const {
    ImageF image{width_, height_, {}};
    image.rgba.resize(static_cast<std::size_t>(width_) * height_);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, name_.get());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_FLOAT, image.rgba.data());
    flip_rows(image.rgba, width_, height_);
    return image;
}

} // namespace selvage
