// Distributions, BRDFs and sheen; src/render/shading/microfacet.cpp and sheen.cpp are the twin under test and say why.
const float kPi = 3.14159265;

// Axes of a distribution turned to the normal n: columns (0,1,0) x n made a unit vector, its partner, n.
mat3 frame_of_normal(vec3 n) {
    vec3 u = normalize(vec3(n.z, 0.0, -n.x));
    return mat3(u, cross(n, u), n);
}

float ward_distribution(vec3 h, vec2 alpha) {
    if (h.z <= 1e-4) return 0.0;
    float z2 = h.z * h.z;
    vec2 s = h.xy / alpha;
    return exp(-dot(s, s) / z2) / (kPi * alpha.x * alpha.y * z2 * z2);
}

// Integral 1 without the cosine.
float ashikhmin_half_density(vec3 h, vec2 exponent) {
    if (h.z <= 0.0) return 0.0;
    vec2 square = h.xy * h.xy;
    float sin2 = square.x + square.y;
    // log(h.z) / sin^2 tends to -1/2 at the pole. Up to a sine of 0.1 its series is better than single precision's log.
    float rate = sin2 < 0.01 ? -0.5 - sin2 * (0.25 + sin2 * (1.0 / 6.0)) : log(max(h.z, 1e-8)) / sin2;
    return sqrt((exponent.x + 1.0) * (exponent.y + 1.0)) / (2.0 * kPi) * exp(dot(exponent, square) * rate);
}

// Schlick's weight of the reflectance 1 at grazing angles.
float schlick_weight(float cosine) {
    float rest = clamp(1.0 - cosine, 0.0, 1.0), square = rest * rest;
    return square * square * rest;
}

float diffuse_passage(float cosine) {
    float x = 1.0 - 0.5 * min(cosine, 1.0), x2 = x * x;
    return 1.0 - x2 * x2 * x;
}

// Below a specular layer that reflects nothing at normal incidence, for albedo 1.
float layered_diffuse(float n_dot_view, float n_dot_light) {
    if (n_dot_view <= 0.0 || n_dot_light <= 0.0) return 0.0;
    return 28.0 / (23.0 * kPi) * diffuse_passage(n_dot_view) * diffuse_passage(n_dot_light);
}

float charlie_exponent(float x, float roughness) {
    float t = (1.0 - roughness) * (1.0 - roughness);
    return mix(21.5473, 25.3245, t) / (1.0 + mix(3.82987, 3.32435, t) * pow(x, mix(0.19823, 0.16801, t))) +
           mix(-1.97760, -1.27393, t) * x + mix(-4.32054, -4.85967, t);
}

float charlie_lambda(float cosine, float roughness) {
    if (cosine < 0.5) return exp(charlie_exponent(cosine, roughness));
    return exp(2.0 * charlie_exponent(0.5, roughness) - charlie_exponent(1.0 - cosine, roughness));
}

float charlie_sheen(float n_dot_view, float n_dot_light, float n_dot_h, float roughness) {
    if (n_dot_view <= 0.0 || n_dot_light <= 0.0) return 0.0;
    float sine = sqrt(max(1.0 - n_dot_h * n_dot_h, 0.0));
    float d = (2.0 + 1.0 / roughness) * pow(sine, 1.0 / roughness) / (2.0 * kPi);
    return d / ((1.0 + charlie_lambda(n_dot_view, roughness) + charlie_lambda(n_dot_light, roughness)) * 4.0 *
                n_dot_view * n_dot_light);
}
