// Cloth: fabric_shading.glsl says how the material answers, light.glsl what light there is.
#include "light.glsl"
#include "fabric_shading.glsl"
#include "stitches.glsl"
#include "tone.glsl"
uniform float u_has_print;
uniform sampler2D u_print;
uniform vec2 u_print_size; // of one repeat [m]
in vec3 v_position;
in vec3 v_normal;
in vec3 v_warp;
in vec3 v_weft;
in vec2 v_uv;
in vec3 v_side_hem_measure;
out vec4 o_colour;

void main() {
    float side = v_side_hem_measure.x >= 0.0 ? 1.0 : -1.0;
    bool in_hem = v_side_hem_measure.y != 0.0;
    vec3 n = normalize(v_normal), to_eye = normalize(u_eye - v_position);
    // Between corners a smooth normal may turn away from an eye that sees the triangle: lean it back.
    n = normalize(n + max(0.02 - dot(n, to_eye), 0.0) * to_eye);
    vec3 front = side * n;
    vec3 warp = v_warp - dot(v_warp, front) * front;
    if (dot(warp, warp) < 1e-4) warp = cross(v_weft, front); // it cannot run along the normal
    warp = normalize(warp);
    vec3 weft = cross(front, warp);
    if (dot(weft, v_weft) < 0.0) weft = -weft;
    mat3 axes = mat3(warp, weft, front); // columns; v * axes is in tangent space

    vec2 across = dFdx(v_uv), down = dFdy(v_uv);
    vec2 footprint = sqrt(across * across + down * down);
    // Around the edge uv stand still: no weave to show, only its mean.
    footprint += 0.01 * smoothstep(0.9, 1.0, v_side_hem_measure.y);
    vec3 print = u_has_print > 0.5 ? texture(u_print, v_uv / u_print_size).rgb : vec3(1.0);
    FabricSite site = fabric_site(v_uv, footprint, print, to_eye * axes);

    bool through = dot(n, u_key_direction) < 0.0;
    // The edge is rounder than the shadow map is fine: its plane says nothing about the texels around.
    vec3 plane = v_side_hem_measure.y > 0.93 ? u_key_direction : through ? -n : n;
    float lit = key_visibility(v_position, plane);
    if (through && in_hem) lit *= 0.5; // two layers
    vec3 radiance = vec3(0.0);
    if (lit > 0.0) radiance = u_key_irradiance * lit * fabric_light(site, u_key_direction * axes);

    FabricSurroundings sums = fabric_surroundings(site);
    SkyOpening sky = sky_opening(1.0 / gl_FragCoord.w);
    vec3 reflected = vec3(0.0);
    for (int k = 0; k < kFabricMirrors; ++k) {
        FabricMirror mirror = fabric_mirror(site, sums, k);
        if (mirror.weight <= 0.0) continue;
        vec3 direction = reflect(-to_eye, axes * mirror.normal);
        float roughness = sqrt(mirror.roughness);
        reflected += mirror.weight * reflection_visibility(sky, n, direction, roughness) *
                     surroundings_radiance(direction, roughness);
    }
    vec3 fraction = bounced_visibility(sky.visible, min((sums.diffuse + sums.through) * kPi, vec3(1.0)));
    // What a fold closes on one side it opens on the other, which is not seen: between the same and all of it.
    vec3 behind = 0.5 * (1.0 + fraction) * surroundings_irradiance(-n) * (in_hem ? 0.5 : 1.0);
    radiance += fabric_environment(site, sums, fraction * surroundings_irradiance(sky.middle), behind, reflected);
    Stitching stitches = stitching(v_side_hem_measure.y, v_side_hem_measure.z);
    radiance *= stitches.shade;
    if (stitches.thread > 0.0) {
        vec3 light = u_key_irradiance * lit * max(dot(n, u_key_direction), 0.0) + fraction * surroundings_irradiance(sky.middle);
        vec3 thread = u_thread * (1.0 - 0.5 * stitches.round * stitches.round) * light / kPi;
        radiance = mix(radiance, thread, stitches.thread);
    }
    o_colour = vec4(display_light(radiance), fabric_opacity(to_eye * axes));
}
