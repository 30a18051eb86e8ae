// Averages the 4 x 4 rotations of occlusion.frag.glsl, keeping to the surface of the middle.
uniform sampler2D u_occlusion;
in vec2 v_uv;
out vec4 o_occlusion;

void main() {
    vec2 size = vec2(textureSize(u_occlusion, 0));
    vec2 middle = textureLod(u_occlusion, v_uv, 0.0).rg;
    vec3 sum = vec3(0.0);
    float weights = 0.0;
    for (int y = -2; y < 2; ++y)
        for (int x = -2; x < 2; ++x) {
            vec4 s = textureLod(u_occlusion, v_uv + (vec2(float(x), float(y)) + 0.5) / size, 0.0);
            float w = clamp(1.0 - abs(s.g - middle.g) / (0.02 * middle.g), 0.001, 1.0);
            sum += w * s.rba;
            weights += w;
        }
    o_occlusion = vec4(sum.x, 0.0, sum.yz) / weights + vec4(0.0, middle.g, 0.0, 0.0);
}
