// Every function reduces its argument to a small interval, without error or with the error carried along as the low half of
// a DoublePair, and sums Taylor's series there: its coefficients explain themselves, and one or two more terms than the
// best polynomial needs cost next to nothing.

#include "math/functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "math/double_pair.h"

namespace selvage::maths {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr DoublePair kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr DoublePair kPiPair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

std::uint64_t bits_of(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    return bits;
}

double double_of(std::uint64_t bits) {
    double x = 0.0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

/// 2^n for n in [-1022, 1023].
double power_of_two(int n) {
    return double_of(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// x 2^n, rounded once; n in [-2044, 2046].
double scaled(double x, int n) {
    if (n > 1023) return x * power_of_two(1023) * power_of_two(n - 1023);
    if (n >= -1022) return x * power_of_two(n);
    return x * power_of_two(n + 1022) * power_of_two(-1022); // x near 1: the first product is normal, and exact
}

/// For finite x != 0: x = mantissa 2^exponent with 1 <= |mantissa| < 2.
struct Parts {
    double mantissa;
    int exponent;
};

Parts parts_of(double x) {
    int exponent = 0;
    if (std::abs(x) < 0x1p-1022) {
        x *= 0x1p54;
        exponent = -54;
    }
    const std::uint64_t bits = bits_of(x);
    exponent += static_cast<int>((bits >> 52) & 0x7ffU) - 1023;
    return {double_of((bits & 0x800fffffffffffffU) | 0x3ff0000000000000U), exponent};
}

/// The nearest whole number of |x| < 2^51.
double nearest(double x) {
    constexpr double kShift = 0x1.8p52; // pushes the fraction out of the sum
    return (x + kShift) - kShift;
}

/// c[0] + c[1] z + c[2] z^2 + ...
template <std::size_t n>
double polynomial(double z, const double (&c)[n]) {
    double sum = c[n - 1];
    for (std::size_t k = n - 1; k-- > 0;)
        sum = sum * z + c[k];
    return sum;
}

/// x - quadrant pi/2, in [-pi/4, pi/4] but for a rounding; quadrant modulo 4.
struct Reduced {
    DoublePair rest;
    unsigned quadrant;
};

/// |x| < 2^19. pi/2 in three parts of 33 bits, whose products with the quadrant are exact, and the rest (Cody and Waite).
Reduced reduce_moderate(double x) {
    constexpr double kParts[4] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
    constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
    const double q = nearest(x * kTwoOverPi);
    const DoublePair first = exact_sum(x - q * kParts[0], -(q * kParts[1]));
    const DoublePair second = exact_sum(first.high, -(q * kParts[2]));
    const double low = (first.low + second.low) - q * kParts[3];
    return {exact_sum_of_ordered(second.high, low),
            static_cast<unsigned>(static_cast<std::int64_t>(q)) & 3U}; // two's complement: right for negative ones too
}

/// |x| >= 2^19, by whole numbers (Payne and Hanek): of x 2/pi only the two bits before the point and those behind it matter,
/// and which bits of 2/pi those come from follows from the exponent of x. The fraction is at least 2^-62 for every double;
/// 137 bits of it are right.
Reduced reduce_large(double x) {
    constexpr int kLimbs = 6; // 192 bits of 2/pi are multiplied
    constexpr std::uint32_t kTwoOverPi[] = {
        // after 64 zeros
        0x00000000U, 0x00000000U, 0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U, 0xdb629599U, 0x3c439041U,
        0xfe5163abU, 0xdebbc561U, 0xb7246e3aU, 0x424dd2e0U, 0x06492eeaU, 0x09d1921cU, 0xfe1deb1cU, 0xb129a73eU,
        0xe88235f5U, 0x2ebb4484U, 0xe99c7026U, 0xb45f7e41U, 0x3991d639U, 0x835339f4U, 0x9c845f8bU, 0xbdf9283bU,
        0x1ff897ffU, 0xde05980fU, 0xef2f118bU, 0x5a0a6d1fU, 0x6d367ecfU, 0x27cb09b7U, 0x4f463f66U, 0x9e5fea2dU,
        0x7527bac7U, 0xebe5f17bU, 0x3d0739f7U, 0x8a5292eaU, 0x6bfb5fb1U, 0x1f8d5d08U, 0x56033046U, 0xfc7b6babU};
    const std::uint64_t bits = bits_of(x);
    const std::uint64_t mantissa = (bits & 0xfffffffffffffU) | 0x10000000000000U;
    const int exponent = static_cast<int>((bits >> 52) & 0x7ffU) - 1075; // |x| = mantissa 2^exponent

    // Bits of 2/pi before this one make multiples of 4.
    const auto first_bit = static_cast<unsigned>(exponent - 2 + 64);
    std::uint32_t window[kLimbs], product[kLimbs] = {}; // lowest first
    for (unsigned k = 0; k < kLimbs; ++k) {
        const unsigned word = first_bit / 32 + k, shift = first_bit % 32;
        const std::uint64_t two = (static_cast<std::uint64_t>(kTwoOverPi[word]) << 32) | kTwoOverPi[word + 1];
        window[kLimbs - 1 - k] = static_cast<std::uint32_t>(two >> (32 - shift));
    }
    const std::uint64_t halves[2] = {mantissa & 0xffffffffU, mantissa >> 32};
    for (int h = 0; h < 2; ++h) {
        std::uint64_t carry = 0;
        for (int k = 0; k + h < kLimbs; ++k) {
            carry += halves[h] * window[k] + product[k + h]; // (2^32 - 1)^2 + 2 (2^32 - 1) just fits
            product[k + h] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    unsigned quadrant = product[kLimbs - 1] >> 30;
    for (int k = kLimbs - 1; k >= 0; --k) // the fraction alone
        product[k] = (product[k] << 2) | (k > 0 ? product[k - 1] >> 30 : 0U);
    const bool above_half = (product[kLimbs - 1] >> 31) != 0;
    if (above_half) {
        ++quadrant;
        std::uint64_t carry = 1;
        for (std::uint32_t& limb : product) { // 1 - fraction
            carry += static_cast<std::uint32_t>(~limb);
            limb = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    DoublePair fraction;
    double weight = 0x1p-32;
    for (int k = kLimbs - 1; k >= 0; --k, weight *= 0x1p-32) {
        const DoublePair sum = exact_sum(fraction.high, weight * product[k]);
        fraction = exact_sum_of_ordered(sum.high, sum.low + fraction.low);
    }
    DoublePair rest = fraction * kHalfPi;
    const bool negative = (bits >> 63) != 0;
    if (negative != above_half) rest = {-rest.high, -rest.low};
    return {rest, (negative ? 0U - quadrant : quadrant) & 3U};
}

Reduced reduce(double x) {
    if (std::abs(x) <= 0x1.921fb54442d18p-1) return {{x, 0.0}, 0};
    return std::abs(x) < 0x1p19 ? reduce_moderate(x) : reduce_large(x);
}

/// On [-pi/4, pi/4]; what is left out is below 1e-19 of the result.
double sine_near_zero(const DoublePair& x) {
    constexpr double kTaylor[] = {-1.0 / 6,
                                  1.0 / 120,
                                  -1.0 / 5040,
                                  1.0 / 362880,
                                  -1.0 / 39916800,
                                  1.0 / 6227020800.0,
                                  -1.0 / 1307674368000.0,
                                  1.0 / 355687428096000.0};
    const double h = x.high, z = h * h;
    return h + (h * z * polynomial(z, kTaylor) + x.low * (1.0 - 0.5 * z));
}

double cosine_near_zero(const DoublePair& x) {
    constexpr double kTaylor[] = {1.0 / 24,
                                  -1.0 / 720,
                                  1.0 / 40320,
                                  -1.0 / 3628800,
                                  1.0 / 479001600,
                                  -1.0 / 87178291200.0,
                                  1.0 / 20922789888000.0,
                                  -1.0 / 6402373705728000.0};
    const double h = x.high, z = h * h, half = 0.5 * z, one_less = 1.0 - half;
    return one_less + (((1.0 - one_less) - half) + (z * z * polynomial(z, kTaylor) - h * x.low));
}

/// exp of a pair, |x| <= 0.35 but for a rounding.
double exp_near_zero(const DoublePair& x) {
    constexpr double kTaylor[] = {1.0 / 2,
                                  1.0 / 6,
                                  1.0 / 24,
                                  1.0 / 120,
                                  1.0 / 720,
                                  1.0 / 5040,
                                  1.0 / 40320,
                                  1.0 / 362880,
                                  1.0 / 3628800,
                                  1.0 / 39916800,
                                  1.0 / 479001600,
                                  1.0 / 6227020800.0,
                                  1.0 / 87178291200.0};
    const double h = x.high;
    const DoublePair sum = exact_sum_of_ordered(1.0, h);
    return sum.high + (sum.low + (x.low + h * x.low + h * h * polynomial(h, kTaylor)));
}

double exp_of(const DoublePair& x) {
    if (x.high > 710.0) return kInfinity;
    if (x.high < -746.0) return 0.0;
    constexpr double kLog2High = 0x1.62e42fefa2p-1, kLog2Low = 0x1.9ef35793c7673p-41; // 40 bits: products are exact
    constexpr double kPerLog2 = 0x1.71547652b82fep+0;
    const double n = nearest(x.high * kPerLog2);
    const DoublePair rest = exact_sum(x.high - n * kLog2High, -(n * kLog2Low));
    return scaled(exp_near_zero(exact_sum_of_ordered(rest.high, rest.low + x.low)), static_cast<int>(n));
}

/// Of a finite x > 0, to about 2^-75 of the result: with x = 2^k m, m in [1/sqrt 2, sqrt 2], it is
/// k log 2 + 2 artanh s, s = (m - 1) / (m + 1).
DoublePair log_of(double x) {
    Parts parts = parts_of(x);
    if (parts.mantissa > 0x1.6a09e667f3bcdp+0) {
        parts.mantissa *= 0.5;
        ++parts.exponent;
    }
    const double f = parts.mantissa - 1.0; // exact
    const DoublePair s = DoublePair{f, 0.0} / exact_sum_of_ordered(2.0, f);
    const DoublePair z = s * s; // at most 0.0295
    constexpr double kTail[] = {1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25};
    DoublePair sum{polynomial(z.high, kTail), 0.0};
    for (const double odd : {7.0, 5.0, 3.0})
        sum = DoublePair{1.0, 0.0} / DoublePair{odd, 0.0} + z * sum;
    const DoublePair twice{2.0 * s.high, 2.0 * s.low};
    const DoublePair artanh = twice + twice * (z * sum);
    constexpr DoublePair kLog2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    if (parts.exponent == 0) return artanh;
    return kLog2 * DoublePair{static_cast<double>(parts.exponent), 0.0} + artanh;
}

/// atan of a quotient q in [0, 1]: from the nearest eighth c, atan q = atan c + atan ((q - c) / (1 + q c)).
DoublePair atan_of(const DoublePair& q) {
    constexpr DoublePair kAtanOfEighths[9] = {{0.0, 0.0},
                                              {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                              {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                              {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                              {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                              {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                              {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                              {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                              {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    constexpr double kTaylor[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15};
    const double eighths = nearest(8.0 * q.high), c = 0.125 * eighths;
    const double above = (q.high - c) + q.low, below = 1.0 + c * q.high; // q - c is exact
    const double t = above / below, z = t * t;
    // What the quotient and its two parts have lost: small, so plain products do.
    const double lost = (q.high - c) - above + q.low;
    const DoublePair product = exact_product(c, q.high), base = exact_sum_of_ordered(1.0, product.high);
    const DoublePair back = exact_product(t, below);
    const double left = ((above - back.high) - back.low) + lost - t * (base.low + product.low + c * q.low);
    const double tail = left / below + t * z * polynomial(z, kTaylor);
    const DoublePair& start = kAtanOfEighths[static_cast<int>(eighths)];
    const DoublePair sum = exact_sum(start.high, t);
    return exact_sum_of_ordered(sum.high, sum.low + (start.low + tail));
}

} // namespace

double sin(double x) {
    return sincos(x).sine;
}

double cos(double x) {
    return sincos(x).cosine;
}

SineAndCosine sincos(double x) {
    if (!(std::abs(x) < kInfinity)) return {kNaN, kNaN};
    if (x == 0.0) return {x, 1.0}; // keeps the sign of zero
    const Reduced r = reduce(x);
    const double s = sine_near_zero(r.rest), c = cosine_near_zero(r.rest);
    switch (r.quadrant) {
    case 0:
        return {s, c};
    case 1:
        return {c, -s};
    case 2:
        return {-s, -c};
    default:
        return {-c, s};
    }
}

double atan2(double y, double x) {
    if (std::isnan(x) || std::isnan(y)) return kNaN;
    const bool left = std::signbit(x);
    double ax = std::abs(x), ay = std::abs(y);
    if (ay == 0.0) return std::copysign(left ? kPiPair.high : 0.0, y);
    if (ax == kInfinity && ay == kInfinity) ax = ay = 1.0;
    const bool steep = ay > ax;
    if (steep) std::swap(ax, ay);
    // Now ay <= ax: the angle of the quotient, in [0, pi/4], is then turned back.
    DoublePair angle;
    if (ay > 0.0 && ax < kInfinity) {
        const Parts px = parts_of(ax), py = parts_of(ay);
        const int apart = py.exponent - px.exponent;               // at most 0
        if (apart < -60) {                                         // atan q = q
            if (!steep && !left) return std::copysign(ay / ax, y); // may be subnormal: rounded once
            angle.high = apart < -120 ? 0x1p-120 : py.mantissa / px.mantissa * power_of_two(apart);
        } else {
            const double numerator = py.mantissa * power_of_two(apart), q = numerator / px.mantissa;
            const DoublePair back = exact_product(q, px.mantissa);
            angle = atan_of({q, ((numerator - back.high) - back.low) / px.mantissa});
        }
    }
    if (steep) angle = kHalfPi + DoublePair{-angle.high, -angle.low};
    if (left) angle = kPiPair + DoublePair{-angle.high, -angle.low};
    return std::copysign(angle.high, y);
}

double acos(double x) {
    if (!(std::abs(x) <= 1.0)) return kNaN;
    return atan2(std::sqrt((1.0 - x) * (1.0 + x)), x);
}

double exp(double x) {
    if (std::isnan(x)) return kNaN;
    return exp_of({x, 0.0});
}

double log(double x) {
    if (x == 0.0) return -kInfinity;
    if (!(x > 0.0)) return kNaN; // NaN too
    if (x == kInfinity) return x;
    return log_of(x).high;
}

double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (std::isnan(x) || std::isnan(y)) return kNaN;
    const double ax = std::abs(x), ay = std::abs(y);
    const bool whole = ay >= 0x1p52 || std::floor(ay) == ay;
    const bool odd = whole && ay < 0x1p53 && std::floor(0.5 * ay) != 0.5 * ay;
    const double sign = odd && std::signbit(x) ? -1.0 : 1.0;
    if (ay == kInfinity) return ax == 1.0 ? 1.0 : ((ax > 1.0) == (y > 0.0) ? kInfinity : 0.0);
    if (ax == 0.0 || ax == kInfinity) return sign * ((ax == 0.0) == (y > 0.0) ? 0.0 : kInfinity);
    if (x < 0.0 && !whole) return kNaN;
    const DoublePair logarithm = log_of(ax);
    const double estimate = y * logarithm.high;
    if (!(std::abs(estimate) < 800.0)) return sign * (estimate > 0.0 ? kInfinity : 0.0); // ax = 1 gives 0, not NaN
    if (std::abs(estimate) < 0x1p-60) return sign;
    return sign * exp_of(DoublePair{y, 0.0} * logarithm);
}

double cbrt(double x) {
    if (x == 0.0 || !(std::abs(x) < kInfinity)) return std::isnan(x) ? kNaN : x;
    Parts parts = parts_of(std::abs(x));
    const int third = static_cast<int>(std::floor(parts.exponent / 3.0));
    const double m = parts.mantissa * power_of_two(parts.exponent - 3 * third); // [1, 8)
    double t = 0.86 + 0.148 * m;                                                // to a tenth
    for (int k = 0; k < 3; ++k) {                                               // Halley: each triples the digits
        const double cube = t * t * t;
        t *= (cube + 2.0 * m) / (2.0 * cube + m);
    }
    const DoublePair cube = DoublePair{t, 0.0} * exact_product(t, t);
    t += ((m - cube.high) - cube.low) / (3.0 * t * t);
    return std::copysign(t * power_of_two(third), x);
}

double hypot(double x, double y) {
    const double ax = std::abs(x), ay = std::abs(y);
    if (ax == kInfinity || ay == kInfinity) return kInfinity;
    const double most = std::max(ax, ay);
    if (most >= 0x1p500) {
        const double sx = ax * 0x1p-600, sy = ay * 0x1p-600;
        return std::sqrt(sx * sx + sy * sy) * 0x1p600;
    }
    if (most < 0x1p-450) {
        const double sx = ax * 0x1p600, sy = ay * 0x1p600;
        return std::sqrt(sx * sx + sy * sy) * 0x1p-600;
    }
    return std::sqrt(ax * ax + ay * ay);
}

} // namespace selvage::maths
