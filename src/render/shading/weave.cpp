// The weave of Kang and Cho 2012, section 4.2, and what is left of it in a pixel.
//
// Row j holds n_w elements with the weft on top, then n_pi with the warp, and so on, shifted by n_sigma per row. On a
// yarn with offset s in [-1, 1] across and place a along it the normal's components in the plane are
//     across: c_y s          along: c_f (2 fract(N (a - s_f s)) - 1),
// eq. 13, with two changes: N = 0 leaves the along part out (the printed form tilts all of it), and a knit takes |s| in
// the twist. Both parts are uniformly distributed over a whole weave and independent of each other, so their means and
// variances over a pixel have closed forms. A pixel much larger than an element would mix yarns' flanks that look to
// opposite sides into one broad lobe of the wrong shape; hence yarns are cut into parts, each with its own lobe.
#include "render/shading/weave.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace selvage {

namespace {
constexpr double kLargestTilt = 0.95;   // keeps the normal's z at 0.31: slopes stay finite
constexpr double kSmallestPixel = 1e-3; // elements; below it a pixel is a point

double fract(double x) {
    return x - std::floor(x);
}

long positive_modulo(long a, long n) {
    return ((a % n) + n) % n;
}

bool has_fibres(const FabricLook& look) {
    return look.fibre_twist > 0 && look.fibre_curvature > 0;
}

/// Well-mixed bits; unsigned arithmetic, so that shaders give the same.
std::uint32_t mix_bits(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

/// A number in [-1, 1] for a knot of the lattice.
double knot(std::int32_t i, std::int32_t j, std::uint32_t layer) {
    const std::uint32_t bits =
        mix_bits(static_cast<std::uint32_t>(i) ^ mix_bits(static_cast<std::uint32_t>(j) ^ mix_bits(layer)));
    return static_cast<double>(bits >> 8) * (2.0 / 16777215.0) - 1.0;
}

/// Smooth noise with mean 0.
double noise(double x, double y, std::uint32_t layer) {
    const double i = std::floor(x), j = std::floor(y);
    double s = x - i, t = y - j;
    s = s * s * (3 - 2 * s);
    t = t * t * (3 - 2 * t);
    const auto a = static_cast<std::int32_t>(i), b = static_cast<std::int32_t>(j);
    const double low = knot(a, b, layer) + s * (knot(a + 1, b, layer) - knot(a, b, layer));
    const double high = knot(a, b + 1, layer) + s * (knot(a + 1, b + 1, layer) - knot(a, b + 1, layer));
    return low + t * (high - low);
}

/// Streaks along yarns, in three sizes; each goes before pixels reach its size. `along`, `across`, `pixel` in elements.
double brightness(const FabricLook& look, bool warp, double along, double across, double pixel) {
    double sum = 0.0;
    const double stretch = look.construction == Construction::felt ? 1.0 : 24.0;
    for (int octave = 0; octave < 3; ++octave) {
        const double size = octave == 0 ? 1.0 : octave == 1 ? 5.0 : 23.0;
        const double weight = std::clamp(2.0 - 2.0 * pixel / size, 0.0, 1.0);
        if (weight > 0.0)
            sum +=
                weight * noise(along / (size * stretch), across / size, static_cast<std::uint32_t>(2 * octave + warp));
    }
    return 1.0 + look.colour_variation * sum;
}

double warp_fraction_of_row(const FabricLook& look, long row, double from, double to) {
    const double period = look.weave[0] + look.weave[1];
    // Elements with the warp on top up to x, in a row whose weft elements start at 0.
    const auto count = [&](double x) {
        const double turns = std::floor(x / period);
        return turns * look.weave[1] + std::max(x - turns * period - look.weave[0], 0.0);
    };
    const double shift =
        static_cast<double>(positive_modulo(static_cast<long>(look.weave[2]) * row, static_cast<long>(period)));
    const double start = from - shift - period * std::floor((from - shift) / period);
    return (count(start + to - from) - count(start)) / (to - from);
}

/// Fraction of warp on top under a pixel of some size: exact while the weave can be told, then the weave's. It fades
/// before a pixel reaches half the distance between a twill's lines, which is the period over the root of two.
double local_warp_fraction(const FabricLook& look, double x, double y, double width, double height) {
    const double all = warp_fraction(look);
    const double size = std::max(width, height);
    constexpr int kRows = 5; // what a pixel of four elements touches
    if (size >= kRows - 1.0 || look.weave[0] + look.weave[1] == 0) return all;
    double sum = 0.0;
    const double low = y - 0.5 * height, high = y + 0.5 * height, first = std::floor(low);
    for (int k = 0; k < kRows; ++k) {
        const double row = first + k;
        const double overlap = std::min(high, row + 1) - std::max(low, row);
        if (overlap > 0.0)
            sum += overlap * warp_fraction_of_row(look, static_cast<long>(row), x - 0.5 * width, x + 0.5 * width);
    }
    const double period = std::min(look.weave[0] + look.weave[1], 11); // longer ones would ask for more rows
    const double blend = std::clamp((size / period - 0.15) / 0.2, 0.0, 1.0);
    return (1 - blend) * sum / height + blend * all;
}

/// Keeps the normal above the horizon when both parts are large.
void limit_tilt(WeaveLobe& lobe) {
    const double square = lobe.x * lobe.x + lobe.y * lobe.y;
    if (square <= kLargestTilt * kLargestTilt) return;
    const double scale = kLargestTilt / std::sqrt(square);
    lobe.x *= scale;
    lobe.y *= scale;
}

void set_normal(WeaveLobe& lobe, double along, double across, double variance_along, double variance_across) {
    lobe.x = lobe.warp ? along : across;
    lobe.y = lobe.warp ? across : along;
    lobe.variance_x = lobe.warp ? variance_along : variance_across;
    lobe.variance_y = lobe.warp ? variance_across : variance_along;
    limit_tilt(lobe);
}

struct Interval {
    double low, high;
    double middle() const { return 0.5 * (low + high); }
    double size() const { return high - low; }
};

/// Brightness of a place at the offset s in [-1, 1] from a yarn's or a float's middle, given the mean of s^2: 1 on
/// average over all of them.
double groove_shade(const FabricLook& look, double mean_square) {
    return 1 + look.groove * (1.0 / 3 - mean_square);
}

/// Shade of a part of a yarn around the offset s with the variance d^2 of s, and how the shade changes across it.
void set_groove(const FabricLook& look, double offset, double variance, WeaveLobe& lobe) {
    const double shade = groove_shade(look, offset * offset + variance);
    lobe.brightness *= shade;
    lobe.contrast = -2 * look.groove * offset * std::sqrt(variance) / shade;
}

/// Mean of s^2 over an interval of element (i, j), with s from -1 to 1 along the float that it is part of.
double float_offset_square(const FabricLook& look, bool warp, long i, long j, double middle, double size) {
    const long period = static_cast<long>(look.weave[0]) + look.weave[1];
    double floats = 1, position = 0; // elements of the float, and which of them this is
    if (period > 0) {
        const long place = positive_modulo(i - look.weave[2] * j, period);
        if (warp == (place >= look.weave[0])) { // seen from the front
            if (warp) {
                floats = look.weave[0] > 0 ? look.weave[1] : 0;
                position = static_cast<double>(place - look.weave[0]);
            } else if (look.weave[1] == 0 || look.weave[2] == 1) { // weft floats over neighbouring rows of a twill
                floats = look.weave[1] > 0 ? look.weave[0] : 0;
                position = static_cast<double>(look.weave[0] - 1 - place);
            }
        }
    }
    if (floats < 1) return 1.0 / 3; // it never dives
    const double offset = 2 * (position + middle) / floats - 1, range = 2 * size / floats;
    return offset * offset + range * range / 12;
}

/// The part of element (i, j) that a pixel covers, on one half of its fibres.
WeaveLobe element_lobe(const FabricLook& look, long i, long j, Interval u, Interval v, int half, double pixel,
                       bool back) {
    WeaveLobe lobe;
    lobe.warp = warp_on_top(look, i, j) != back;
    const Interval along = lobe.warp ? u : v, across = lobe.warp ? v : u;
    const double yarn = static_cast<double>(lobe.warp ? j : i);
    const double offset = 2 * (across.middle() - yarn) - 1, range = 2 * across.size();
    SawtoothMoments fibre{half == 0 ? 1.0 : 0.0, 0, 0};
    if (has_fibres(look)) {
        const double slant = look.construction == Construction::knit ? std::abs(offset) : offset;
        const double phase = look.fibre_twist * (along.middle() - look.fibre_slope * slant);
        fibre = sawtooth_moments(phase, look.fibre_twist * std::hypot(along.size(), look.fibre_slope * range), half);
    }
    lobe.weight = fibre.fraction;
    lobe.half = half;
    set_normal(lobe, look.fibre_curvature * fibre.mean, look.yarn_curvature * offset,
               look.fibre_curvature * look.fibre_curvature * fibre.variance,
               look.yarn_curvature * look.yarn_curvature * range * range / 12);
    const double start = static_cast<double>(lobe.warp ? i : j);
    lobe.brightness =
        brightness(look, lobe.warp, along.middle(), yarn + 0.5, pixel) *
        groove_shade(look, float_offset_square(look, lobe.warp, i, j, along.middle() - start, along.size()));
    set_groove(look, offset, range * range / 12, lobe);
    return lobe;
}

/// Part k of the yarns of one kind, over the whole weave.
WeaveLobe far_lobe(const FabricLook& look, bool warp, int yarns, int fibres, int part) {
    const int across_part = part % yarns, fibre_part = part / yarns;
    WeaveLobe lobe;
    lobe.warp = warp;
    lobe.half = fibre_part;
    const double c_y = look.yarn_curvature, c_f = has_fibres(look) ? look.fibre_curvature : 0.0;
    const double across = c_y * ((2.0 * across_part + 1) / yarns - 1);
    const double along = c_f * ((2.0 * fibre_part + 1) / fibres - 1);
    set_normal(lobe, along, across, c_f * c_f / (3.0 * fibres * fibres), c_y * c_y / (3.0 * yarns * yarns));
    const double offset = (2.0 * across_part + 1) / yarns - 1;
    set_groove(look, offset, 1 / (3.0 * yarns * yarns), lobe);
    return lobe;
}

} // namespace

int fibre_parts(const FabricLook& look) {
    return has_fibres(look) ? kFibreParts : 1;
}

int across_parts(const FabricLook& look) {
    const double c_y = look.yarn_curvature;
    return c_y < 0.05 ? 1 : c_y < 0.3 ? 2 : c_y < 0.5 ? 3 : kAcrossParts;
}

bool warp_on_top(const FabricLook& look, long i, long j) {
    const long period = static_cast<long>(look.weave[0]) + look.weave[1];
    if (period == 0) return true;
    return positive_modulo(i - look.weave[2] * j, period) >= look.weave[0];
}

double warp_fraction(const FabricLook& look) {
    const int period = look.weave[0] + look.weave[1];
    return period == 0 ? 1.0 : static_cast<double>(look.weave[1]) / period;
}

SawtoothMoments sawtooth_moments(double p, double width, int half) {
    const double size = std::max(width, 0.01); // differences of smaller ones drown in single precision
    const double low = fract(p - 0.5 * size), high = low + size;
    // Up to x: length within the half, integral of f = 2 fract - 1 and of f^2 over it; whole turns add 1/2, -+1/4, 1/6.
    const auto within = [half](double x) { return half == 0 ? std::min(fract(x), 0.5) : std::max(fract(x), 0.5); };
    const auto length = [&](double x) { return 0.5 * std::floor(x) + within(x); };
    const auto first = [&](double x) {
        const double g = within(x);
        return (half == 0 ? -0.25 : 0.25) * std::floor(x) + g * g - g;
    };
    const auto second = [&](double x) {
        const double f = 2 * within(x) - 1;
        return std::floor(x) / 6 + f * f * f / 6;
    };
    SawtoothMoments moments;
    const double covered = length(high) - length(low);
    if (covered <= 1e-6 * size) return moments;
    moments.fraction = covered / size;
    moments.mean = (first(high) - first(low)) / covered;
    moments.variance = std::max((second(high) - second(low)) / covered - moments.mean * moments.mean, 0.0);
    return moments;
}

WeaveLobes weave_lobes(const FabricLook& look, const WeaveSite& site, bool whole) {
    const double x = site.uv.x / look.yarn_width, y = site.uv.y / look.yarn_width;
    const double width = std::max(site.footprint.x / look.yarn_width, kSmallestPixel);
    const double height = std::max(site.footprint.y / look.yarn_width, kSmallestPixel);
    const double pixel = std::max(width, height);
    const double afar = std::clamp(4 * pixel - 1, 0.0, 1.0);
    WeaveLobes lobes;
    if (afar < 1.0) {
        const double i0 = std::floor(x - 0.5 * width), j0 = std::floor(y - 0.5 * height);
        for (int k = 0; k < kNearLobes; ++k) {
            const double i = i0 + k % 2, j = j0 + (k / 2) % 2;
            const Interval u{std::max(x - 0.5 * width, i), std::min(x + 0.5 * width, i + 1)};
            const Interval v{std::max(y - 0.5 * height, j), std::min(y + 0.5 * height, j + 1)};
            if (u.size() <= 0.0 || v.size() <= 0.0) continue;
            WeaveLobe lobe = element_lobe(look, static_cast<long>(i), static_cast<long>(j), u, v, k / kNearElements,
                                          pixel, site.back);
            if (lobe.weight <= 0.0) continue;
            lobe.weight *= (1 - afar) * u.size() * v.size() / (width * height);
            lobes.lobe[lobes.count++] = lobe;
        }
    }
    if (afar > 0.0) {
        const double front = local_warp_fraction(look, x, y, width, height), warp = site.back ? 1 - front : front;
        const int yarns = whole ? 1 : across_parts(look), fibres = whole ? 1 : fibre_parts(look),
                  parts = yarns * fibres;
        for (int kind = 0; kind < 2; ++kind) {
            const double fraction = afar * (kind == 0 ? warp : 1 - warp) / parts;
            if (fraction <= 0.0) continue;
            const double shade = brightness(look, kind == 0, kind == 0 ? x : y, kind == 0 ? y : x, pixel);
            for (int part = 0; part < parts; ++part) {
                WeaveLobe lobe = far_lobe(look, kind == 0, yarns, fibres, part);
                lobe.weight = fraction;
                lobe.brightness *= shade;
                lobes.lobe[lobes.count++] = lobe;
            }
        }
    }
    return lobes;
}

WeavePassage weave_passage(const FabricLook& look, const WeaveSite& site) {
    const double x = site.uv.x / look.yarn_width, y = site.uv.y / look.yarn_width;
    const double width = std::max(site.footprint.x / look.yarn_width, kSmallestPixel);
    const double height = std::max(site.footprint.y / look.yarn_width, kSmallestPixel);
    const double pixel = std::max(width, height);
    const double afar = std::clamp(4 * pixel - 1, 0.0, 1.0);
    WeavePassage passage{brightness(look, true, x, y, pixel), brightness(look, false, y, x, pixel), afar};
    if (afar == 1.0) return passage;
    const double i0 = std::floor(x - 0.5 * width), j0 = std::floor(y - 0.5 * height);
    for (int k = 0; k < kNearElements; ++k) {
        const double i = i0 + k % 2, j = j0 + k / 2;
        const Interval u{std::max(x - 0.5 * width, i), std::min(x + 0.5 * width, i + 1)};
        const Interval v{std::max(y - 0.5 * height, j), std::min(y + 0.5 * height, j + 1)};
        if (u.size() <= 0.0 || v.size() <= 0.0) continue;
        // The warp is as wide as a row, the weft as a column.
        const double across_weft = 2 * (u.middle() - i) - 1, across_warp = 2 * (v.middle() - j) - 1;
        passage.groove += (1 - afar) * u.size() * v.size() / (width * height) *
                          groove_shade(look, across_warp * across_warp + v.size() * v.size() / 3) *
                          groove_shade(look, across_weft * across_weft + u.size() * u.size() / 3);
    }
    return passage;
}

namespace {
/// Calls `use` with lobes on the midpoints of a quarter of the two uniform parts of a yarn's normal.
template <class F>
void for_normals(const FabricLook& look, F&& use) {
    constexpr int kSteps = 64;
    for (int a = 0; a < kSteps; ++a)
        for (int b = 0; b < kSteps; ++b) {
            WeaveLobe lobe;
            set_normal(lobe, has_fibres(look) ? look.fibre_curvature * (b + 0.5) / kSteps : 0.0,
                       look.yarn_curvature * (a + 0.5) / kSteps, 0, 0);
            use(lobe, 1.0 / (kSteps * kSteps));
        }
}
} // namespace

Vec2 weave_slope_variance(const FabricLook& look) {
    double across = 0.0, along = 0.0; // slopes are components over the normal's z
    for_normals(look, [&](const WeaveLobe& lobe, double weight) {
        const double z2 = 1 - lobe.x * lobe.x - lobe.y * lobe.y;
        along += weight * lobe.x * lobe.x / z2;
        across += weight * lobe.y * lobe.y / z2;
    });
    const double warp = warp_fraction(look);
    return {warp * along + (1 - warp) * across, warp * across + (1 - warp) * along};
}

double weave_trapped_fraction(const FabricLook& look) {
    double area = 0.0;
    for_normals(look, [&](const WeaveLobe& lobe, double weight) {
        area += weight / std::sqrt(1 - lobe.x * lobe.x - lobe.y * lobe.y);
    });
    return 1 - 1 / area;
}

} // namespace selvage
