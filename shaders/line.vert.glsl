layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_colour;
uniform mat4 u_to_clip;
out vec3 v_colour;

void main() {
    v_colour = a_colour;
    gl_Position = u_to_clip * vec4(a_position, 1.0);
    gl_Position.z -= 4e-4 * gl_Position.w; // before the surface it lies on
}
