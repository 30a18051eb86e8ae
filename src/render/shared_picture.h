#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "render/gl_framebuffer.h"

namespace selvage {

/// A picture that stays on the GPU: drawn in one GL context, on one thread, and shown by another context that shares
/// its textures, on another thread. Made, drawn into, read and destroyed where it is drawn; only a PictureScreen shows
/// it.
class SharedPicture {
public:
    SharedPicture(int width, int height);
    ~SharedPicture();
    SharedPicture(const SharedPicture&) = delete;
    SharedPicture& operator=(const SharedPicture&) = delete;

    Status check() const { return target_.check(); } ///< Fails where the driver cannot draw into it.
    int width() const { return target_.width(); }
    int height() const { return target_.height(); }
    void start(); ///< To be called before drawing into it; waits until it is no longer being shown.
    const GlFramebuffer& target() const { return target_; }
    void finish();                                      ///< Waits until it is drawn: from now on it may be shown.
    Image8 read() const { return target_.read_rgb8(); } ///< Copies it to the CPU.

private:
    friend class PictureScreen;
    GlFramebuffer target_;
    void* shown_ = nullptr; // GL's fence after the last time it was shown
};

/// Pictures to draw into, used again once nobody shows them. Belongs to the thread that draws.
class SharedPictures {
public:
    ~SharedPictures();
    /// One that nobody uses. It comes back when the last pointer to it is gone, on whichever thread; all must be back
    /// before this is destroyed. Fails where the driver cannot draw into a picture of this size.
    Result<std::shared_ptr<SharedPicture>> take(int width, int height);

private:
    void give_back(SharedPicture* picture);
    std::mutex mutex_;
    std::vector<std::unique_ptr<SharedPicture>> idle_;
    int taken_ = 0;
};

/// Shows shared pictures in the window whose context is current. One per context, which must be current when it is
/// destroyed.
class PictureScreen {
public:
    PictureScreen();
    struct Place {
        int x, y, width, height; ///< Pixels of the window, from its lower left corner.
    };
    /// The buffers are to be swapped before the picture is given back.
    void show(SharedPicture& picture, const Place& place) const;

private:
    GlName<destroy_framebuffer> source_;
};

} // namespace selvage
