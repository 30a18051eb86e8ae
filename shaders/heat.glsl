// Blue through white to red, even in lightness towards both ends.
vec3 heat_colour(float x) {
    vec3 low = vec3(0.05, 0.16, 0.55), middle = vec3(0.72, 0.72, 0.70), high = vec3(0.58, 0.03, 0.02);
    return x < 0.5 ? mix(low, middle, 2.0 * x) : mix(middle, high, 2.0 * x - 1.0);
}
