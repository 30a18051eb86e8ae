// The weave under a pixel as lobes; src/render/shading/weave.cpp is the twin under test and says why.
const int kFurnaceSteps = 16;

// Filled by set_fabric (src/render/fabric_uniforms.h). Warp runs along u, weft along v.
struct FabricLook {
    int construction; // 0 woven, 1 knit, 2 felt
    vec3 weave;       // weft elements, warp elements, shift of the next row
    float yarn_width; // [m]
    float yarn_curvature;
    vec3 fibre;     // twists per element, slope, curvature
    float groove;
    int model;      // 0 Ashikhmin and Shirley, 1 Ward
    vec2 roughness; // along and across a yarn
    vec3 reflectance;
    vec3 warp_colour;
    vec3 weft_colour;
    vec3 back_tint;
    float colour_variation;
    vec3 sheen_colour;
    float sheen_roughness;
    float translucency;
    float openness;
    vec2 slope_variance[2];             // along u and v; front, back
    vec4 furnace[2 * kFurnaceSteps];    // over the cosine, front then back: warp, weft, specular scale and bias
    float sheen_albedo[kFurnaceSteps];  // over the cosine
    vec4 missing[2 * kFurnaceSteps];    // what white yarns' albedo lacks after one reflection: see missing_at
    vec3 missing_mean[2];               // front, back
    vec3 bounces[2];                    // times the missing parts of view and light: light that leaves later, same side
    vec3 bounces_through;               // the other side
    vec4 passage; // mean diffuse albedos of front and back, scale of light through, fraction trapped between yarns
};
uniform FabricLook u_fabric;

const int kNearElements = 4;
const int kAcrossParts = 4;
const int kNearLobes = 8;
const int kMostLobes = 24; // near ones, then at most 16 far ones

struct WeaveLobe {
    float weight;
    bool warp;
    vec2 normal;   // its components along u and v: mean,
    vec2 variance; // and variance
    float brightness;
    float contrast; // fraction by which it is brighter one standard deviation farther across
    int half_of_fibre;
};

// What all lobes of a pixel share; places in elements.
struct WeavePixel {
    vec2 at;
    vec2 size;
    float afar; // 0: single elements; 1: the whole weave
    float warp; // fraction on top here, for `afar`
    bool back;
    vec2 brightness; // of warp and weft, for `afar` and for light through
    int across_parts;
    int fibre_parts;
};

uint mix_bits(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

float knot(int i, int j, uint layer) {
    uint bits = mix_bits(uint(i) ^ mix_bits(uint(j) ^ mix_bits(layer)));
    return float(bits >> 8) * (2.0 / 16777215.0) - 1.0;
}

float streak_noise(vec2 p, uint layer) {
    vec2 base = floor(p), s = p - base;
    s = s * s * (3.0 - 2.0 * s);
    int i = int(base.x), j = int(base.y);
    return mix(mix(knot(i, j, layer), knot(i + 1, j, layer), s.x),
               mix(knot(i, j + 1, layer), knot(i + 1, j + 1, layer), s.x), s.y);
}

float yarn_brightness(bool warp, float along, float across, float pixel) {
    float sum = 0.0;
    if (u_fabric.colour_variation <= 0.0) return 1.0;
    float stretch = u_fabric.construction == 2 ? 1.0 : 24.0;
    for (int octave = 0; octave < 3; ++octave) {
        float size = octave == 0 ? 1.0 : octave == 1 ? 5.0 : 23.0;
        float weight = clamp(2.0 - 2.0 * pixel / size, 0.0, 1.0);
        if (weight > 0.0)
            sum += weight * streak_noise(vec2(along / (size * stretch), across / size), uint(2 * octave + (warp ? 1 : 0)));
    }
    return 1.0 + u_fabric.colour_variation * sum;
}

float weave_period() { return u_fabric.weave.x + u_fabric.weave.y; }

// x modulo the period for whole x; the half keeps an inexact division from falling short of a whole number.
float whole_modulo(float x, float period) { return x - period * floor((x + 0.5) / period); }

bool warp_on_top(float i, float j) {
    float period = weave_period();
    if (period < 0.5) return true;
    return whole_modulo(i - u_fabric.weave.z * whole_modulo(j, period), period) + 0.5 > u_fabric.weave.x;
}

float warp_fraction() { return weave_period() < 0.5 ? 1.0 : u_fabric.weave.y / weave_period(); }

float warp_count(float x) {
    float period = weave_period(), turns = floor(x / period);
    return turns * u_fabric.weave.y + max(x - turns * period - u_fabric.weave.x, 0.0);
}

float warp_fraction_of_row(float row, float from, float size) {
    float period = weave_period();
    float shift = whole_modulo(u_fabric.weave.z * whole_modulo(row, period), period);
    float start = from - shift - period * floor((from - shift) / period);
    return (warp_count(start + size) - warp_count(start)) / size;
}

float local_warp_fraction(vec2 at, vec2 size) {
    const int kRows = 5;
    float all = warp_fraction(), largest = max(size.x, size.y);
    if (largest >= float(kRows) - 1.0 || weave_period() < 0.5) return all;
    float low = at.y - 0.5 * size.y, high = at.y + 0.5 * size.y, first = floor(low), sum = 0.0;
    for (int k = 0; k < kRows; ++k) {
        float row = first + float(k), overlap = min(high, row + 1.0) - max(low, row);
        if (overlap > 0.0) sum += overlap * warp_fraction_of_row(row, at.x - 0.5 * size.x, size.x);
    }
    return mix(sum / size.y, all, clamp((largest / min(weave_period(), 11.0) - 0.15) / 0.2, 0.0, 1.0));
}

bool has_fibres() { return u_fabric.fibre.x > 0.0 && u_fabric.fibre.z > 0.0; }

// Share, mean and variance of 2 fract(p) - 1 over an interval, where it is negative (half 0) or not (half 1).
vec3 sawtooth_moments(float p, float width, int fibre_half) {
    float size = max(width, 0.01);
    float low = fract(p - 0.5 * size), high = low + size;
    vec2 x = vec2(low, high), whole = floor(x);
    vec2 g = fibre_half == 0 ? min(x - whole, 0.5) : max(x - whole, 0.5);
    vec2 f = 2.0 * g - 1.0;
    vec2 lengths = 0.5 * whole + g;
    vec2 first = (fibre_half == 0 ? -0.25 : 0.25) * whole + g * g - g;
    vec2 second = (whole + f * f * f) / 6.0;
    float covered = lengths.y - lengths.x;
    if (covered <= 1e-5 * size) return vec3(0.0);
    float mean = (first.y - first.x) / covered;
    return vec3(covered / size, mean, max((second.y - second.x) / covered - mean * mean, 0.0));
}

void set_lobe_normal(inout WeaveLobe lobe, vec2 normal, vec2 variance) { // along and across the yarn
    lobe.normal = lobe.warp ? normal : normal.yx;
    lobe.variance = lobe.warp ? variance : variance.yx;
    float square = dot(lobe.normal, lobe.normal);
    if (square > 0.95 * 0.95) lobe.normal *= 0.95 * inversesqrt(square);
}

WeavePixel weave_pixel(vec2 uv, vec2 footprint, bool back) {
    WeavePixel pixel;
    pixel.at = uv / u_fabric.yarn_width;
    pixel.size = max(footprint / u_fabric.yarn_width, vec2(1e-3));
    pixel.back = back;
    float largest = max(pixel.size.x, pixel.size.y);
    pixel.afar = clamp(4.0 * largest - 1.0, 0.0, 1.0);
    float c_y = u_fabric.yarn_curvature;
    pixel.across_parts = c_y < 0.05 ? 1 : c_y < 0.3 ? 2 : c_y < 0.5 ? 3 : kAcrossParts;
    pixel.fibre_parts = has_fibres() ? 2 : 1;
    pixel.warp = 0.0;
    pixel.brightness = vec2(1.0);
    if (pixel.afar > 0.0) {
        float front = local_warp_fraction(pixel.at, pixel.size);
        pixel.warp = back ? 1.0 - front : front;
    }
    if (pixel.afar > 0.0 || u_fabric.translucency > 0.0)
        pixel.brightness = vec2(yarn_brightness(true, pixel.at.x, pixel.at.y, largest),
                                yarn_brightness(false, pixel.at.y, pixel.at.x, largest));
    return pixel;
}

float groove_shade(float mean_square) { return 1.0 + u_fabric.groove * (1.0 / 3.0 - mean_square); }

void set_groove(inout WeaveLobe lobe, float offset, float variance) {
    float shade = groove_shade(offset * offset + variance);
    lobe.brightness *= shade;
    lobe.contrast = -2.0 * u_fabric.groove * offset * sqrt(variance) / shade;
}

// Shade of the grooves of both yarns over the pixel, for light through.
float passage_groove(WeavePixel pixel) {
    float sum = pixel.afar;
    if (pixel.afar >= 1.0) return sum;
    vec2 low = pixel.at - 0.5 * pixel.size, high = pixel.at + 0.5 * pixel.size;
    for (int k = 0; k < kNearElements; ++k) {
        vec2 element = floor(low) + vec2(float(k % 2), float(k / 2));
        vec2 from = max(low, element), to = min(high, element + 1.0), size = to - from;
        if (size.x <= 0.0 || size.y <= 0.0) continue;
        vec2 offset = from + to - 2.0 * element - 1.0, square = offset * offset + size * size / 3.0;
        sum += (1.0 - pixel.afar) * size.x * size.y / (pixel.size.x * pixel.size.y) * groove_shade(square.x) *
               groove_shade(square.y);
    }
    return sum;
}

// Mean of s^2 over a part of an element, with s from -1 to 1 along the float that it belongs to.
float float_offset_square(bool warp, vec2 element, float middle, float size) {
    float period = weave_period(), floats = 1.0, position = 0.0;
    if (period > 0.5) {
        float place = whole_modulo(element.x - u_fabric.weave.z * whole_modulo(element.y, period), period);
        if (warp == (place + 0.5 > u_fabric.weave.x)) {
            if (warp) {
                floats = u_fabric.weave.x > 0.5 ? u_fabric.weave.y : 0.0;
                position = place - u_fabric.weave.x;
            } else if (u_fabric.weave.y < 0.5 || abs(u_fabric.weave.z - 1.0) < 0.5) {
                floats = u_fabric.weave.y > 0.5 ? u_fabric.weave.x : 0.0;
                position = u_fabric.weave.x - 1.0 - place;
            }
        }
    }
    if (floats < 0.5) return 1.0 / 3.0;
    float offset = 2.0 * (position + middle) / floats - 1.0, range = 2.0 * size / floats;
    return offset * offset + range * range / 12.0;
}

WeaveLobe near_lobe(WeavePixel pixel, int k) {
    WeaveLobe lobe;
    lobe.weight = 0.0;
    vec2 low = pixel.at - 0.5 * pixel.size, high = pixel.at + 0.5 * pixel.size;
    vec2 element = floor(low) + vec2(float(k % 2), float((k / 2) % 2));
    vec2 from = max(low, element), to = min(high, element + 1.0);
    vec2 size = to - from, middle = 0.5 * (from + to);
    if (size.x <= 0.0 || size.y <= 0.0) return lobe;
    lobe.half_of_fibre = k / kNearElements;
    lobe.warp = warp_on_top(element.x, element.y) != pixel.back;
    vec2 at = lobe.warp ? middle : middle.yx, part = lobe.warp ? size : size.yx; // along, across
    float yarn = lobe.warp ? element.y : element.x;
    float offset = 2.0 * (at.y - yarn) - 1.0, range = 2.0 * part.y;
    vec3 fibre = vec3(lobe.half_of_fibre == 0 ? 1.0 : 0.0, 0.0, 0.0);
    if (has_fibres()) {
        float slant = u_fabric.construction == 1 ? abs(offset) : offset;
        fibre = sawtooth_moments(u_fabric.fibre.x * (at.x - u_fabric.fibre.y * slant),
                                 u_fabric.fibre.x * length(vec2(part.x, u_fabric.fibre.y * range)), lobe.half_of_fibre);
    }
    if (fibre.x <= 0.0) return lobe;
    lobe.weight = fibre.x * (1.0 - pixel.afar) * size.x * size.y / (pixel.size.x * pixel.size.y);
    float c_y = u_fabric.yarn_curvature, c_f = u_fabric.fibre.z;
    set_lobe_normal(lobe, vec2(c_f * fibre.y, c_y * offset), vec2(c_f * c_f * fibre.z, c_y * c_y * range * range / 12.0));
    float start = lobe.warp ? element.x : element.y;
    lobe.brightness = yarn_brightness(lobe.warp, at.x, yarn + 0.5, max(pixel.size.x, pixel.size.y)) *
                      groove_shade(float_offset_square(lobe.warp, element, at.x - start, part.x));
    set_groove(lobe, offset, range * range / 12.0);
    return lobe;
}

WeaveLobe far_lobe(WeavePixel pixel, int k) {
    WeaveLobe lobe;
    int parts = pixel.across_parts * pixel.fibre_parts, part = k % parts;
    lobe.warp = k < parts;
    lobe.weight = pixel.afar * (lobe.warp ? pixel.warp : 1.0 - pixel.warp) / float(parts);
    lobe.half_of_fibre = part / pixel.across_parts;
    float across = float(pixel.across_parts), along = float(pixel.fibre_parts);
    float c_y = u_fabric.yarn_curvature, c_f = has_fibres() ? u_fabric.fibre.z : 0.0;
    set_lobe_normal(lobe,
                    vec2(c_f * ((2.0 * float(lobe.half_of_fibre) + 1.0) / along - 1.0),
                         c_y * ((2.0 * float(part % pixel.across_parts) + 1.0) / across - 1.0)),
                    vec2(c_f * c_f / (3.0 * along * along), c_y * c_y / (3.0 * across * across)));
    float offset = (2.0 * float(part % pixel.across_parts) + 1.0) / across - 1.0;
    lobe.brightness = lobe.warp ? pixel.brightness.x : pixel.brightness.y;
    set_groove(lobe, offset, 1.0 / (3.0 * across * across));
    return lobe;
}

// Indices of a pixel's lobes run from first to last; some have no weight.
int first_lobe(WeavePixel pixel) { return pixel.afar < 1.0 ? 0 : kNearLobes; }
int last_lobe(WeavePixel pixel) {
    return pixel.afar > 0.0 ? kNearLobes + 2 * pixel.across_parts * pixel.fibre_parts : kNearLobes;
}
WeaveLobe weave_lobe(WeavePixel pixel, int k) {
    if (k < kNearLobes) return near_lobe(pixel, k);
    return far_lobe(pixel, k - kNearLobes);
}
