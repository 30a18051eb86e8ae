// Metres along the view from a depth buffer's value, and back to a point in the camera's axes.
uniform vec2 u_planes;   // near, far [m]
uniform vec2 u_tan_half; // of the field of view, x and y

float view_distance(float depth) {
    return u_planes.x * u_planes.y / (u_planes.y - depth * (u_planes.y - u_planes.x));
}

vec3 view_point(vec2 uv, float depth) {
    float d = view_distance(depth);
    return vec3((2.0 * uv - 1.0) * u_tan_half * d, -d);
}
