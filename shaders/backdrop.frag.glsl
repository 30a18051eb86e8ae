#include "light.glsl"
#include "backdrop.glsl"
#include "tone.glsl"
uniform vec3 u_ray_corner; // through the picture's bottom left
uniform vec3 u_ray_right;  // from there to the right
uniform vec3 u_ray_up;
in vec2 v_uv;
out vec4 o_colour;

void main() {
    vec3 ray = normalize(u_ray_corner + v_uv.x * u_ray_right + v_uv.y * u_ray_up);
    o_colour = vec4(display_light(backdrop_radiance(ray, v_uv)), 1.0);
}
