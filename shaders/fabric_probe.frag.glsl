// One query to the fabric's shading per pixel: what the tests compare with the twin.
#include "fabric_shading.glsl"
uniform highp sampler2D u_views;      // xyz
uniform highp sampler2D u_lights;     // xyz; w 1: image-based light instead
uniform highp sampler2D u_places;     // uv, footprint [m]
uniform highp sampler2D u_prints;     // colour
in vec2 v_uv;
out vec4 o_colour;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 light = texelFetch(u_lights, at, 0), place = texelFetch(u_places, at, 0);
    vec3 view = texelFetch(u_views, at, 0).xyz;
    FabricSite site = fabric_site(place.xy, place.zw, texelFetch(u_prints, at, 0).rgb, view);
    if (light.w < 0.5) {
        o_colour = vec4(fabric_light(site, light.xyz), 1.0);
        return;
    }
    // Surroundings that differ by side and, as a mirror's roughness and normal, by weave.
    FabricSurroundings sums = fabric_surroundings(site);
    vec3 reflected = vec3(0.0);
    for (int k = 0; k < kFabricMirrors; ++k) {
        FabricMirror mirror = fabric_mirror(site, sums, k);
        reflected += mirror.weight * (0.5 + 0.5 * mirror.normal) * mirror.roughness;
    }
    o_colour = vec4(fabric_environment(site, sums, vec3(1.0, 1.5, 2.0), vec3(0.5, 0.3, 0.1), reflected), 1.0);
}
