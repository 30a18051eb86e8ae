// Writes where it is: what the tests of the GL objects read back.
uniform float u_scale;
in vec2 v_uv;
out vec4 o_colour;

void main() { o_colour = vec4(u_scale * v_uv, u_scale, 1.0); }
