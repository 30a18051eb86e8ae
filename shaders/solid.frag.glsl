// Solids, and cloth under a heat map.
#include "heat.glsl"
#include "plain.glsl"
#include "tone.glsl"
uniform vec3 u_albedo;
uniform float u_roughness;
uniform float u_heat; // 1: colour by the measure
in vec3 v_position;
in vec3 v_normal;
in vec3 v_warp; // of solids: how their vertices' colour differs from u_albedo
in vec3 v_side_hem_measure;
out vec4 o_colour;

void main() {
    vec3 n = normalize(v_normal);
    if (!gl_FrontFacing) n = -n;
    vec3 albedo = u_heat > 0.5 ? heat_colour(clamp(v_side_hem_measure.z, 0.0, 1.0)) : u_albedo + v_warp;
    o_colour = vec4(display_light(plain_radiance(v_position, n, albedo, u_roughness)), 1.0);
}
