// How a picture changes hands. The drawing thread waits for the GPU to finish it and only then hands it on, so the
// window never waits for drawing. The window leaves a fence behind each use; before the picture is drawn into again,
// the drawing thread waits for that fence. Textures and fences are shared between the two contexts, framebuffers are
// not: each side has its own.
#include "render/shared_picture.h"

#include <utility>

#include "base/assert.h"
#include "render/gl_api.h"

namespace selvage {

namespace {

void wait_for(GLsync fence) {
    constexpr GLuint64 kOneSecond = 1'000'000'000; // [ns]
    while (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, kOneSecond) == GL_TIMEOUT_EXPIRED) {
    }
    glDeleteSync(fence);
}

unsigned new_framebuffer() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return name;
}

} // namespace

SharedPicture::SharedPicture(int width, int height) : target_(GlFramebuffer::colour_only(width, height)) {}

SharedPicture::~SharedPicture() {
    if (shown_) glDeleteSync(static_cast<GLsync>(shown_));
}

void SharedPicture::start() {
    if (shown_) wait_for(static_cast<GLsync>(std::exchange(shown_, nullptr)));
}

void SharedPicture::finish() {
    wait_for(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0));
}

SharedPictures::~SharedPictures() {
    SELVAGE_ASSERT(taken_ == 0);
}

Result<std::shared_ptr<SharedPicture>> SharedPictures::take(int width, int height) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<SharedPicture> picture;
    // Those of another size are left over from before the window was resized.
    for (; !idle_.empty() && !picture; idle_.pop_back())
        if (idle_.back()->width() == width && idle_.back()->height() == height) picture = std::move(idle_.back());
    if (!picture) {
        picture = std::make_unique<SharedPicture>(width, height);
        if (const Status ok = picture->check(); !ok) return ok.error();
    }
    ++taken_;
    return std::shared_ptr<SharedPicture>(picture.release(), [this](SharedPicture* p) { give_back(p); });
}

void SharedPictures::give_back(SharedPicture* picture) {
    const std::lock_guard lock(mutex_);
    idle_.emplace_back(picture);
    --taken_;
}

PictureScreen::PictureScreen() : source_(new_framebuffer()) {}

void PictureScreen::show(SharedPicture& picture, const Place& place) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, source_.get());
    // Attached anew each time: only then is this context sure to see what another one has drawn.
    glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture.target_.colour().name(),
                           0);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, picture.width(), picture.height(), place.x, place.y, place.x + place.width,
                      place.y + place.height, GL_COLOR_BUFFER_BIT, GL_LINEAR);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    if (picture.shown_) glDeleteSync(static_cast<GLsync>(picture.shown_));
    picture.shown_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

} // namespace selvage
