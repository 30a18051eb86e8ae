#pragma once

#include "figure/picture.h"
#include "sim/simulation.h"

namespace selvage {

/// The scene's camera.
PictureView scene_view(const SceneDesc& scene);

/// A picture of the cloths and solids as they are now.
Canvas draw_scene(Simulation& sim, const PictureView& view, int width, int height);

} // namespace selvage
