#pragma once

#include "render/gl_framebuffer.h"
#include "render/gpu_scene.h"

namespace selvage {

/// A picture for a hundredth of the work: one light, flat colours, a hard shadow on the floor.
class QuickStyle {
public:
    static Result<QuickStyle> make(GlDialect dialect);
    /// Makes the targets. Fails where the driver cannot draw pictures this large.
    Status resize(const RenderSettings& settings);
    void set_light(const Vec3f& towards_light) { towards_light_ = towards_light; } ///< Unit.

    /// Into columns of `target` from `left` on.
    void draw(const RenderScene& scene, GpuScene& gpu, const RenderView& view, const GlFramebuffer& target, int left);

private:
    void draw_floor_shadow(const GpuScene& gpu, double height, const Mat4f& to_clip);
    void draw_cloths(const RenderScene& scene, const GpuScene& gpu);

    GlProgram program_, floor_;
    GlFramebuffer samples_;
    Vec3f towards_light_{0, 1, 0};
};

} // namespace selvage
