#pragma once

#include "render/view.h"

namespace selvage {

/// Turns the eye about the target: `right` and `up` in radians. Stops short of the poles, where up would have no
/// meaning.
void orbit(RenderView& view, double right, double up);

/// Slides eye and target along the picture, so that what lies at the target's depth follows a drag of (dx, dy) pixels
/// in a picture `height` pixels high.
void pan(RenderView& view, double dx, double dy, double height);

/// Brings the eye to `factor` times its distance from the target; between 1 cm and 1 km.
void zoom(RenderView& view, double factor);

} // namespace selvage
