#pragma once

#include <optional>

#include "drawing/drawn_scene.h"
#include "sweep/manifest.h"

namespace selvage {

/// Draws jobs as they ended, from their files, in one GL context.
class ThumbnailStudio {
public:
    /// Fails without a GL driver.
    static Result<ThumbnailStudio> make(int width, int height);
    /// PNG.
    Result<std::string> draw(const SweepSpec& spec, const SweepFolder& folder, std::int64_t job);

private:
    ThumbnailStudio(Renderer renderer, double aspect) : renderer_(std::move(renderer)), aspect_(aspect) {}

    Renderer renderer_;
    double aspect_;
    std::optional<RenderDesc> light_; // what the renderer's environment was made for
};

} // namespace selvage
