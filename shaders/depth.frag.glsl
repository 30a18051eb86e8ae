// Shadow map: depth alone. What lets light through leaves out its fraction of texels, and the soft edge averages them.
#include "noise.glsl"
uniform float u_opacity;

void main() {
    if (pixel_noise(gl_FragCoord.xy) > u_opacity) discard;
}
