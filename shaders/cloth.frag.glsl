// Cloth: fabric.glsl says how the material answers, light.glsl what light there is.
#include "light.glsl"
#include "fabric.glsl"
#include "tone.glsl"
in vec3 v_position;
in vec3 v_normal;
in vec3 v_warp;
in vec3 v_weft;
in vec2 v_uv;
in vec3 v_side_hem_measure;
out vec4 o_colour;

void main() {
    o_colour = vec4(display_light(fabric_radiance(v_position, normalize(v_normal), v_warp, v_weft, v_uv,
                                                  v_side_hem_measure.x, v_side_hem_measure.y)),
                    1.0);
}
