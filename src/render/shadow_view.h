#pragma once

#include "render/render_scene.h"
#include "render/view.h"

namespace selvage {

/// A box around points; empty until one is included.
struct Bounds {
    Vec3 low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
    void include(const Vec3& p);
    bool is_empty() const { return low.x > high.x; }
    Vec3 centre() const { return 0.5 * (low + high); }
    double radius() const { return 0.5 * length(high - low); }
};

/// What casts shadows: all cloth, and solids as far as they are near it; a large one must not thin out the map. Where
/// there is neither, the point `otherwise`.
Bounds find_casters(const RenderScene& scene, const Vec3& otherwise);

/// The key light's camera: a box around what casts shadows.
struct ShadowView {
    Mat4f to_clip, to_map;            ///< To -1..1, and to 0..1.
    float across = 1.0f, deep = 1.0f; ///< [m].
};
ShadowView shadow_view(const Vec3& towards_light, const Bounds& casters);

} // namespace selvage
