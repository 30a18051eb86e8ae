// What is behind everything in quick pictures, in the screen's own scale.
vec3 quick_backdrop(float up) { return mix(vec3(0.50, 0.50, 0.51), vec3(0.80, 0.81, 0.83), smoothstep(0.0, 0.9, up)); }
