in vec3 v_colour; // as a screen shows it, linear
out vec4 o_colour;

void main() { o_colour = vec4(v_colour, 1.0); }
