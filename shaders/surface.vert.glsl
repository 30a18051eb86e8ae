// Corners of cloth and solids (src/render/surface_mesh.h).
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec3 a_warp;
layout(location = 3) in vec3 a_weft;
layout(location = 4) in vec2 a_uv;
layout(location = 5) in vec3 a_side_hem_measure;
uniform mat4 u_to_clip;
invariant gl_Position; // depth is laid down by one program and met by another
out vec3 v_position;
out vec3 v_normal;
out vec3 v_warp;
out vec3 v_weft;
out vec2 v_uv;
out vec3 v_side_hem_measure;

void main() {
    v_position = a_position;
    v_normal = a_normal;
    v_warp = a_warp;
    v_weft = a_weft;
    v_uv = a_uv;
    v_side_hem_measure = a_side_hem_measure;
    gl_Position = u_to_clip * vec4(a_position, 1.0);
}
