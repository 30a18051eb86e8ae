#pragma once

#include "figure/picture.h"
#include "sim/drawn_surface.h"
#include "sim/simulation.h"

namespace selvage {

/// The scene's camera.
PictureView scene_view(const SceneDesc& scene);

/// A picture of the cloths and solids as they are now. Brings the surface up to date.
Canvas draw_scene(Simulation& sim, DrawnSurface& surface, const PictureView& view, int width, int height);
/// The same with the simulated triangles, whatever surface the scene asks for.
Canvas draw_particles(Simulation& sim, const PictureView& view, int width, int height);

} // namespace selvage
