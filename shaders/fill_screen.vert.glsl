// One triangle over the whole target, made from the vertex number: 3 vertices, no buffers.
out vec2 v_uv; // 0..1 over the target, (0,0) at the bottom left

void main() {
    v_uv = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
    gl_Position = vec4(2.0 * v_uv - 1.0, 0.0, 1.0);
}
