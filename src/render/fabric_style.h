#pragma once

#include "render/environment.h"
#include "render/gl_framebuffer.h"
#include "render/gpu_scene.h"
#include "render/shadow_view.h"

namespace selvage {

/// The full picture: weave, soft shadows, ambient occlusion, light from around.
class FabricStyle {
public:
    static Result<FabricStyle> make(GlDialect dialect);
    /// Makes the targets. Fails where the driver cannot draw pictures this large.
    Status resize(const RenderSettings& settings);
    void set_environment(const Environment& environment);

    /// Draws linear light: exposed and tone-mapped, or with `linear` radiance as it is.
    void draw(const RenderScene& scene, GpuScene& gpu, const RenderView& view, const RenderSettings& settings,
              bool linear);
    ImageF read() const { return resolved_.read_float(); } ///< What was drawn last.
    /// Turns what was drawn last into the screen's bytes, in columns of `target` from `left` on.
    void encode_into(const GlFramebuffer& target, int left);

private:
    struct Frame { // what the passes of one picture share
        const RenderScene& scene;
        GpuScene& gpu;
        const RenderSettings& settings;
        ViewCamera camera;
        float near_plane, far_plane; // [m]
        Mat4f to_clip;
        ShadowView light;
        bool linear;
    };
    void set_light(GlProgram& program, const Frame& frame);
    void draw_shadows(const Frame& frame);
    void draw_occlusion(const Frame& frame);
    void shade_cloth(const Frame& frame);
    void set_map(const Frame& frame, const Image8* map);
    void draw_cloth(const Frame& frame, std::size_t index);
    void draw_surroundings(const Frame& frame);
    void draw_colour(const Frame& frame);

    GlDialect dialect_ = GlDialect::desktop_33;
    GlProgram depth_, normals_, occlusion_, blur_, backdrop_, ground_, solid_, cloth_, composite_, encode_;
    GlFramebuffer shadow_, half_, sky_raw_, sky_, shaded_, samples_, resolved_;
    GlTexture surroundings_;
    Environment environment_;
};

} // namespace selvage
