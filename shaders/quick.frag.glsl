// The cheapest shading that still shows folds: a light from the key's side, sky and floor from above and below. Colours come
// out in the screen's own scale, so that nothing follows.
#include "heat.glsl"
#include "quick_backdrop.glsl"
uniform vec3 u_albedo;
uniform vec3 u_back_albedo;
uniform float u_kind; // 0: albedo, 1: heat map, 2: shadow on the floor
uniform vec3 u_key_direction;
uniform vec3 u_eye;
uniform float u_height; // of the picture [pixels]
in vec3 v_position;
in vec3 v_normal;
uniform float u_has_map;
uniform sampler2D u_map; // of base colours
in vec2 v_uv;
in vec3 v_side_hem_measure;
out vec4 o_colour;

void main() {
    if (u_kind > 1.5) {
        o_colour = vec4(0.86 * quick_backdrop(gl_FragCoord.y / u_height), 1.0);
        return;
    }
    vec3 n = normalize(v_normal);
    if (dot(n, u_eye - v_position) < 0.0) n = -n;
    vec3 albedo = v_side_hem_measure.x < 0.0 ? u_back_albedo : u_albedo;
    if (u_has_map > 0.5) albedo *= texture(u_map, v_uv).rgb;
    if (u_kind > 0.5) albedo = heat_colour(clamp(v_side_hem_measure.z, 0.0, 1.0));
    float key = max(0.0, dot(n, u_key_direction));
    float facing = dot(n, normalize(u_eye - v_position));
    vec3 light = vec3(0.22, 0.24, 0.27) * (1.0 + 0.6 * n.y) + vec3(0.95, 0.93, 0.90) * key + vec3(0.16) * facing;
    o_colour = vec4(sqrt(min(albedo * light, vec3(1.0))), 1.0);
}
