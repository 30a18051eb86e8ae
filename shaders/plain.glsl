// Diffuse and GGX, for solids.
#include "light.glsl"

vec3 plain_radiance(vec3 position, vec3 n, vec3 albedo, float roughness) {
    vec3 v = normalize(u_eye - position);
    float nv = max(dot(n, v), 1e-3), alpha = roughness * roughness;
    vec3 l = u_key_direction;
    float nl = dot(n, l);
    vec3 sum = vec3(0.0);
    if (nl > 0.0) {
        vec3 h = normalize(l + v);
        float nh = max(dot(n, h), 0.0), a2 = alpha * alpha, d = nh * nh * (a2 - 1.0) + 1.0;
        float lobe = a2 / (3.14159265 * d * d);
        float masking = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2));
        float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(h, v), 0.0), 5.0);
        sum += u_key_irradiance * nl * key_visibility(position, n) * (albedo / 3.14159265 + lobe * masking * fresnel);
    }
    float visible = sky_visibility(1.0 / gl_FragCoord.w);
    float fresnel = 0.04 + (max(1.0 - roughness, 0.04) - 0.04) * pow(1.0 - nv, 5.0);
    sum += bounced_visibility(visible, albedo) * albedo * surroundings_irradiance(n) / 3.14159265;
    sum += visible * fresnel * surroundings_radiance(reflect(-v, n), roughness);
    return sum;
}
