// Matt cloth: diffuse on either side, a wide gloss, and what shines through.
uniform vec3 u_front;
uniform vec3 u_back;
uniform float u_gloss_roughness;
uniform float u_translucency; // share of light that comes through

vec3 fabric_radiance(vec3 position, vec3 n, vec3 warp, vec3 weft, vec2 uv, float side, float hem) {
    const float kPi = 3.14159265;
    vec3 albedo = side > 0.0 ? u_front : u_back;
    vec3 v = normalize(u_eye - position), l = u_key_direction;
    float nv = max(dot(n, v), 1e-3), nl = dot(n, l);
    float through = u_translucency * (hem > 0.0 ? 0.5 : 1.0); // a hem is two layers
    float lit = key_visibility(position, nl < 0.0 ? -n : n);
    vec3 sum = u_key_irradiance * lit * albedo / kPi * (max(nl, 0.0) * (1.0 - through) + max(-nl, 0.0) * through);
    if (nl > 0.0) {
        vec3 h = normalize(l + v);
        float alpha = u_gloss_roughness * u_gloss_roughness, a2 = alpha * alpha;
        float nh = max(dot(n, h), 0.0), d = nh * nh * (a2 - 1.0) + 1.0;
        float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(h, v), 0.0), 5.0);
        sum += u_key_irradiance * lit * nl * fresnel * a2 / (kPi * d * d) * 0.25 / max(max(nl, nv), 0.05);
    }
    float visible = sky_visibility(1.0 / gl_FragCoord.w);
    vec3 around = surroundings_irradiance(n) * (1.0 - through) + surroundings_irradiance(-n) * through;
    sum += bounced_visibility(visible, albedo) * albedo * around / kPi;
    sum += visible * 0.04 * surroundings_radiance(reflect(-v, n), u_gloss_roughness);
    return sum;
}
