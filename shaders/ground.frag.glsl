// The floor runs into the backdrop: it shows the backdrop's light times the fraction of light that reaches it.
#include "light.glsl"
#include "backdrop.glsl"
#include "tone.glsl"
in vec3 v_position;
out vec4 o_colour;

void main() {
    const vec3 up = vec3(0.0, 1.0, 0.0);
    vec3 sky = surroundings_irradiance(up);
    vec3 key = u_key_irradiance * max(u_key_direction.y, 0.0);
    float visible = sky_visibility(1.0 / gl_FragCoord.w);
    vec3 fraction = (sky * visible + key * key_visibility(v_position, up)) / max(sky + key, vec3(1e-6));
    vec3 ray = normalize(v_position - u_eye);
    o_colour = vec4(display_light(backdrop_radiance(ray, gl_FragCoord.xy / u_picture) * fraction), 1.0);
}
