// Cloth that was shaded once per pixel, drawn with several samples: takes the colour of the pixel around whose surface is
// the one drawn here. Along an outline the pixel's own may belong to what lies behind.
#include "view_depth.glsl"
uniform sampler2D u_shaded; // alpha 0: no cloth there
uniform sampler2D u_shaded_depth;
out vec4 o_colour;

const float kNoCloth = 1e9;

float distance_off(ivec2 pixel, float here) {
    if (texelFetch(u_shaded, pixel, 0).a < 0.5) return kNoCloth;
    return abs(view_distance(texelFetch(u_shaded_depth, pixel, 0).r) - here);
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(u_shaded, 0) - 1;
    float here = view_distance(gl_FragCoord.z);
    ivec2 best = at;
    float least = distance_off(at, here);
    if (least > 0.003 * here)
        for (int k = 0; k < 9; ++k) {
            ivec2 there = clamp(at + ivec2(k % 3 - 1, k / 3 - 1), ivec2(0), last);
            float off = distance_off(there, here);
            if (off < least) {
                least = off;
                best = there;
            }
        }
    if (least >= kNoCloth) discard; // a sliver that no pixel's middle meets
    o_colour = texelFetch(u_shaded, best, 0);
}
