// Ambient occlusion in the folds: in a few planes through the view ray, the highest horizon to either side bounds what is
// seen of the sky, and the cosine-weighted part that is left, and the direction in its middle, have closed forms (Jimenez
// et al. 2016).
#include "view_depth.glsl"
#include "noise.glsl"
uniform sampler2D u_depth;
uniform sampler2D u_normals;
uniform float u_reach;       // [m]
uniform float u_pixel_scale; // pixels per metre at one metre
in vec2 v_uv;
out vec4 o_occlusion; // visible fraction of the sky, distance [m], x and y of the mean open direction in view space

const float kPi = 3.14159265;
const int kPlanes = 3;
const int kSteps = 12;

float horizon(vec3 p, vec3 to_eye, vec2 size, vec2 step_uv, float jitter, float start) {
    float best = start;
    for (int i = 0; i < kSteps; ++i) {
        // Denser near the point, where creases are.
        float t = (float(i) + jitter) / float(kSteps);
        vec2 uv = v_uv + step_uv * (t * t + 0.02);
        if (any(lessThan(uv, vec2(0.0))) || any(greaterThan(uv, vec2(1.0)))) continue;
        // The depth is a texel's own, so the point must be as well, or a floor seen flat would hide itself.
        vec2 texel = floor(uv * size);
        if (texel == floor(gl_FragCoord.xy)) continue; // itself
        uv = (texel + 0.5) / size;
        vec3 d = view_point(uv, textureLod(u_depth, uv, 0.0).r) - p;
        float far = length(d);
        float fade = clamp(2.0 - 2.0 * far / u_reach, 0.0, 1.0);
        float height = dot(d, to_eye) / max(far, 1e-5) - 0.015; // rounding of depths and normals
        best = max(best, mix(start, height, fade));
    }
    return best;
}

// Integral of the direction (along the plane, along the view) times cosine and sine, between two horizons.
vec2 open_moment(float low, float high, float gamma) {
    float along = 6.0 * (sin(low - gamma) + sin(high - gamma)) - sin(3.0 * low - gamma) - sin(3.0 * high - gamma) +
                  16.0 * sin(gamma) - 3.0 * (sin(low + gamma) + sin(high + gamma));
    float up = -cos(3.0 * low - gamma) - cos(3.0 * high - gamma) + 8.0 * cos(gamma) - 3.0 * (cos(low + gamma) + cos(high + gamma));
    return vec2(along, up) / 12.0;
}

void main() {
    float depth = textureLod(u_depth, v_uv, 0.0).r;
    vec3 p = view_point(v_uv, depth);
    if (depth >= 1.0) {
        o_occlusion = vec4(1.0, -p.z, 0.0, 0.0);
        return;
    }
    vec3 n = normalize(textureLod(u_normals, v_uv, 0.0).xyz);
    vec3 to_eye = normalize(-p);
    vec2 size = vec2(textureSize(u_depth, 0));
    float reach_pixels = min(u_reach * u_pixel_scale / -p.z, 0.5 * size.y);
    // Rotations repeat every 4 x 4 pixels, which the blur averages out.
    vec2 cell = mod(floor(gl_FragCoord.xy), 4.0);
    float turn = (cell.x * 4.0 + cell.y + 0.5) / 16.0;
    float jitter = fract(0.25 * (cell.y * 4.0 + mod(cell.x + cell.y, 4.0)) / 4.0 + 0.3);
    float visible = 0.0;
    vec3 open = vec3(0.0);
    for (int k = 0; k < kPlanes; ++k) {
        float angle = kPi * (float(k) + turn) / float(kPlanes);
        vec2 along = vec2(cos(angle), sin(angle));
        vec3 in_plane = vec3(along, 0.0);
        vec3 tangent = normalize(in_plane - dot(in_plane, to_eye) * to_eye);
        vec3 axis = cross(tangent, to_eye);
        vec3 projected = n - dot(n, axis) * axis;
        float weight = length(projected);
        float gamma = sign(dot(projected, tangent)) * acos(clamp(dot(projected, to_eye) / max(weight, 1e-5), -1.0, 1.0));
        vec2 step_uv = along * reach_pixels / size;
        // Horizons start at the surface itself: nothing below it hides anything.
        float low_plus = cos(min(gamma + 0.5 * kPi, kPi)), low_minus = cos(max(gamma - 0.5 * kPi, -kPi));
        float h_plus = acos(clamp(horizon(p, to_eye, size, step_uv, jitter, low_plus), -1.0, 1.0));
        float h_minus = -acos(clamp(horizon(p, to_eye, size, -step_uv, jitter, low_minus), -1.0, 1.0));
        h_plus = gamma + min(h_plus - gamma, 0.5 * kPi);
        h_minus = gamma + max(h_minus - gamma, -0.5 * kPi);
        float arc = 0.25 * (-cos(2.0 * h_plus - gamma) + cos(gamma) + 2.0 * h_plus * sin(gamma)) +
                    0.25 * (-cos(2.0 * h_minus - gamma) + cos(gamma) + 2.0 * h_minus * sin(gamma));
        visible += weight * arc;
        vec2 moment = open_moment(h_minus, h_plus, gamma);
        open += weight * (tangent * moment.x + to_eye * moment.y);
    }
    // Where the reach is a few pixels wide only, far off on the floor, they say nothing.
    float told = smoothstep(8.0, 30.0, reach_pixels);
    vec3 middle = normalize(mix(n, normalize(open + 1e-4 * n), told));
    // Of a surface that is seen, hardly anything opens away from the eye.
    if (middle.z < 0.0) middle = normalize(vec3(middle.xy, 0.0));
    o_occlusion = vec4(mix(1.0, clamp(visible / float(kPlanes), 0.0, 1.0), told), -p.z, middle.xy);
}
