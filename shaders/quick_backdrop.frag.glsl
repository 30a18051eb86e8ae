#include "quick_backdrop.glsl"
in vec2 v_uv;
out vec4 o_colour;

void main() { o_colour = vec4(quick_backdrop(v_uv.y), 1.0); }
