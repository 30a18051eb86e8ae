// What ambient occlusion reads beside depth: the normal in the camera's axes.
uniform mat4 u_to_view;
in vec3 v_normal;
out vec4 o_normal;

void main() {
    vec3 n = normalize(v_normal);
    // Open solids are seen from both sides; on cloth each side has its own triangles.
    if (!gl_FrontFacing) n = -n;
    o_normal = vec4((u_to_view * vec4(n, 0.0)).xyz, 1.0);
}
