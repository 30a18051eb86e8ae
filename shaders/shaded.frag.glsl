// Cloth that was shaded once per pixel, drawn with several samples: takes the colour of the pixel around whose surface is
// the one drawn here. Along an outline the pixel's own may belong to what lies behind.
#include "view_depth.glsl"
uniform sampler2D u_shaded;
uniform sampler2D u_shaded_depth;
out vec4 o_colour;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(u_shaded, 0) - 1;
    float here = view_distance(gl_FragCoord.z);
    ivec2 best = at;
    float least = abs(view_distance(texelFetch(u_shaded_depth, at, 0).r) - here);
    if (least > 0.003 * here)
        for (int k = 0; k < 9; ++k) {
            ivec2 there = clamp(at + ivec2(k % 3 - 1, k / 3 - 1), ivec2(0), last);
            float off = abs(view_distance(texelFetch(u_shaded_depth, there, 0).r) - here);
            if (off < least) {
                least = off;
                best = there;
            }
        }
    o_colour = texelFetch(u_shaded, best, 0);
}
