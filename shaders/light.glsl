// All the light there is: a key light with soft shadows, and the surroundings.
#include "noise.glsl"
uniform vec3 u_eye;
uniform vec3 u_key_direction;  // towards it
uniform vec3 u_key_irradiance; // on a surface that faces it
uniform float u_key_tan_radius;
uniform sampler2D u_shadow_map;
uniform mat4 u_to_shadow;     // world to 0..1 in all three
uniform vec2 u_shadow_size;   // metres across, metres deep
uniform vec3 u_irradiance[9]; // spherical harmonics of the surroundings' irradiance
uniform samplerCube u_surroundings;
uniform float u_last_level; // of u_surroundings: fully rough
uniform sampler2D u_occlusion;
uniform vec2 u_picture; // pixels
uniform mat4 u_to_view;

vec2 spiral(int i, int count, float turn) {
    // The golden angle spreads any number of points evenly over a disc.
    float angle = 2.39996323 * float(i) + turn;
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

// Fraction of the key light that reaches a point: blockers found over the light's cone give the width of the penumbra, and
// depth compared over that width its shade (Fernando 2005). Compared with the surface's own plane, not with one depth,
// so that slanted cloth does not shade itself.
float key_visibility(vec3 position, vec3 normal) {
    const int kSearch = 16, kSamples = 28;
    float texel = u_shadow_size.x / float(textureSize(u_shadow_map, 0).x);
    vec3 lifted = position + 1.5 * texel * (normal + u_key_direction);
    vec3 at = (u_to_shadow * vec4(lifted, 1.0)).xyz;
    // Beside the map nothing casts; behind its far end everything in it does.
    if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 1.0;
    vec3 n = mat3(u_to_shadow) * normal * u_shadow_size.x; // in the light's axes; z as the others for its sign
    vec3 axis_normal = vec3(n.xy, n.z * u_shadow_size.y / u_shadow_size.x);
    vec2 slope = clamp(-axis_normal.xy / (abs(axis_normal.z) < 1e-3 ? 1e-3 : axis_normal.z), -2.0, 2.0);
    float turn = 6.2831853 * pixel_noise(gl_FragCoord.xy);

    float blockers = 0.0, gap = 0.0;
    float reach = max(u_key_tan_radius * 0.5 * u_shadow_size.y * 0.5, 2.0 * texel); // [m]
    reach = min(reach, 0.12 * u_shadow_size.x);
    for (int i = 0; i < kSearch; ++i) {
        vec2 s = spiral(i, kSearch, turn), offset = reach * length(s) * s; // denser within: narrow cloth must not slip through
        float depth = textureLod(u_shadow_map, at.xy + offset / u_shadow_size.x, 0.0).r;
        float before = (at.z - depth) * u_shadow_size.y + dot(slope, offset);
        if (before > 0.0 && depth < 1.0) {
            blockers += 1.0;
            gap += before;
        }
    }
    if (blockers == 0.0) return 1.0;
    float radius = clamp(u_key_tan_radius * gap / blockers, 1.5 * texel, reach);
    float lit = 0.0;
    for (int i = 0; i < kSamples; ++i) {
        vec2 offset = radius * spiral(i, kSamples, turn);
        float depth = textureLod(u_shadow_map, at.xy + offset / u_shadow_size.x, 0.0).r;
        float before = (at.z - depth) * u_shadow_size.y + dot(slope, offset);
        lit += before <= 0.0 || depth >= 1.0 ? 1.0 : 0.0;
    }
    return lit / float(kSamples);
}

vec3 surroundings_irradiance(vec3 n) {
    vec3 sum = 0.282095 * u_irradiance[0] + 0.488603 * (n.y * u_irradiance[1] + n.z * u_irradiance[2] + n.x * u_irradiance[3]) +
               1.092548 * (n.x * n.y * u_irradiance[4] + n.y * n.z * u_irradiance[5] + n.x * n.z * u_irradiance[7]) +
               0.315392 * (3.0 * n.z * n.z - 1.0) * u_irradiance[6] +
               0.546274 * (n.x * n.x - n.y * n.y) * u_irradiance[8];
    return max(sum, vec3(0.0));
}

// What a lobe of this roughness (0..1; its square is GGX's alpha) about a direction sees.
vec3 surroundings_radiance(vec3 direction, float roughness) {
    return textureLod(u_surroundings, direction, roughness * u_last_level).rgb;
}

// What folds leave of the sky at this pixel: its visible fraction, and the mean direction of that.
struct SkyOpening {
    float visible;
    vec3 middle;
};

// The map has half the resolution; the four texels around count by how near their surface is to ours.
SkyOpening sky_opening(float distance_along_view) {
    vec2 size = vec2(textureSize(u_occlusion, 0));
    vec2 at = gl_FragCoord.xy / u_picture * size - 0.5;
    vec2 base = floor(at), fraction = at - base;
    vec3 sum = vec3(0.0);
    float weights = 0.0;
    for (int k = 0; k < 4; ++k) {
        vec2 corner = vec2(float(k & 1), float(k >> 1));
        vec4 s = textureLod(u_occlusion, (base + corner + 0.5) / size, 0.0);
        vec2 bilinear = mix(1.0 - fraction, fraction, corner);
        float w = (bilinear.x * bilinear.y + 1e-3) *
                  clamp(1.0 - abs(s.g - distance_along_view) / (0.02 * distance_along_view), 1e-4, 1.0);
        sum += w * s.rba;
        weights += w;
    }
    sum /= weights;
    vec3 in_view = normalize(vec3(sum.yz, sqrt(max(1.0 - dot(sum.yz, sum.yz), 0.0))));
    return SkyOpening(sum.x, in_view * mat3(u_to_view)); // by the transpose: to the world
}

float sky_visibility(float distance_along_view) { return sky_opening(distance_along_view).visible; }

// Fraction of the second of two cones that the first covers, from the cosines of their half angles and the angle between
// their axes (Oat and Sander 2007).
float cone_overlap(float cos_first, float cos_second, float between) {
    float first = acos(cos_first), second = acos(cos_second), gap = abs(first - second);
    float most = first < second ? (1.0 - cos_first) / (1.0 - cos_second) : 1.0;
    return most * (1.0 - clamp((between - gap) / max(first + second - gap, 1e-4), 0.0, 1.0));
}

// What folds leave of a reflection: the cone of open directions against the cone of the lobe, which has a tenth of its
// peak at the rim; compared with a hemisphere, since a lobe's part below the surface is no matter of folds.
float reflection_visibility(SkyOpening sky, vec3 n, vec3 direction, float roughness) {
    float cos_lobe = pow(10.0, -roughness * roughness), cos_open = sqrt(clamp(1.0 - sky.visible, 0.0, 1.0));
    float open = cone_overlap(cos_open, cos_lobe, acos(clamp(dot(direction, sky.middle), -1.0, 1.0)));
    float all = cone_overlap(0.0, cos_lobe, acos(clamp(dot(direction, n), -1.0, 1.0)));
    return clamp(open / max(all, 1e-3), 0.0, 1.0);
}

// Light that bounces between the walls of a fold is not lost: bright cloth fills its own creases (Jimenez et al. 2016).
vec3 bounced_visibility(float visibility, vec3 albedo) {
    vec3 a = 2.0404 * albedo - 0.3324, b = -4.7951 * albedo + 0.6417, c = 2.7552 * albedo + 0.6903;
    return max(vec3(visibility), ((visibility * a + b) * visibility + c) * visibility);
}
