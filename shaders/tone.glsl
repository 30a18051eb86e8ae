// From scene light to what a screen shows, still linear: exposure, then AgX (Sobotka 2022): colours are drawn together a
// little, taken to logarithms of exposure, bent by a sigmoid, and drawn apart again. Bright saturated cloth goes pale
// instead of clipping to a flat patch of pure colour.
uniform float u_exposure;
uniform float u_linear; // 1: radiance as it is

const float kPivotIn = 0.6060606, kPivotOut = 0.4894371; // middle grey: 10 of 16.5 stops; 0.18 to the power 1 / 2.4
const float kWhite = 1.55; // radiance 1, a white sheet in full light, comes out at about nine tenths
const float kSlope = 2.35, kPower = 1.5;

float sigmoid_part(float x, float reach_in, float reach_out) {
    // Through the pivot with the slope, and through the end of the range exactly.
    float rise = kSlope * reach_in;
    float scale = pow(pow(reach_out, -kPower) - pow(rise, -kPower), -1.0 / kPower);
    float t = kSlope * x / scale;
    return scale * t / pow(1.0 + pow(t, kPower), 1.0 / kPower);
}

float sigmoid(float x) {
    return x < kPivotIn ? kPivotOut - sigmoid_part(kPivotIn - x, kPivotIn, kPivotOut)
                        : kPivotOut + sigmoid_part(x - kPivotIn, 1.0 - kPivotIn, 1.0 - kPivotOut);
}

vec3 display_light(vec3 radiance) {
    if (u_linear > 0.5) return radiance;
    const mat3 inset = mat3(0.842479, 0.042328, 0.042376, 0.078434, 0.878469, 0.078434, 0.079224, 0.079166, 0.879143);
    const mat3 outset = mat3(1.196879, -0.052897, -0.052972, -0.098021, 1.151903, -0.098043, -0.099030, -0.098961, 1.151074);
    vec3 c = inset * (max(radiance, vec3(0.0)) * (kWhite * u_exposure));
    c = clamp((log2(max(c / 0.18, vec3(1e-6))) + 10.0) / 16.5, 0.0, 1.0);
    c = vec3(sigmoid(c.x), sigmoid(c.y), sigmoid(c.z));
    c = outset * c;
    // AgX is meant to be graded: a little more contrast and colour, so that dyed cloth keeps its hue.
    c = pow(max(c, vec3(0.0)), vec3(1.12));
    c = mix(vec3(dot(c, vec3(0.2126, 0.7152, 0.0722))), c, 1.25);
    // The curve lives in a display's own scale of 2.4; samples are averaged in linear light.
    return pow(clamp(c, 0.0, 1.0), vec3(2.4));
}
