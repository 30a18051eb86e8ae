// Solids, and cloth under a heat map.
#include "heat.glsl"
#include "plain.glsl"
#include "tone.glsl"
uniform vec3 u_albedo;
uniform float u_roughness;
uniform float u_heat; // 1: colour by the measure
in vec3 v_position;
in vec3 v_normal;
uniform float u_has_map;
uniform sampler2D u_map; // of base colours
in vec2 v_uv;
in vec3 v_side_hem_measure;
out vec4 o_colour;

void main() {
    vec3 n = normalize(v_normal);
    if (!gl_FrontFacing) n = -n;
    vec3 albedo = u_heat > 0.5 ? heat_colour(clamp(v_side_hem_measure.z, 0.0, 1.0)) : u_albedo;
    if (u_has_map > 0.5) albedo *= texture(u_map, v_uv).rgb;
    o_colour = vec4(display_light(plain_radiance(v_position, n, albedo, u_roughness)), 1.0);
}
