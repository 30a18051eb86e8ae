// Linear light to the screen's bytes (sRGB), with half a step of noise so that smooth backdrops show no bands.
#include "noise.glsl"
uniform sampler2D u_colour;
in vec2 v_uv;
out vec4 o_colour;

void main() {
    vec3 c = clamp(textureLod(u_colour, v_uv, 0.0).rgb, 0.0, 1.0);
    vec3 low = 12.92 * c, high = 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055;
    vec3 encoded = mix(high, low, vec3(lessThanEqual(c, vec3(0.0031308))));
    o_colour = vec4(encoded + (pixel_noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
