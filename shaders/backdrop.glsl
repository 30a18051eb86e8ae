// What is seen behind everything: a plain backdrop, or the surroundings out of focus.
uniform float u_has_backdrop;
uniform vec3 u_backdrop_low;
uniform vec3 u_backdrop_high;

vec3 backdrop_radiance(vec3 direction, vec2 uv) {
    if (u_has_backdrop < 0.5) return surroundings_radiance(direction, 0.12);
    vec2 off = uv - vec2(0.5, 0.42);
    float glow = exp(-3.0 * dot(off, off)); // a lamp on the wall behind
    return mix(u_backdrop_low, u_backdrop_high, smoothstep(0.05, 0.95, uv.y)) * mix(0.62, 1.08, glow);
}
