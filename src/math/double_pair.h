#pragma once

namespace selvage {

/// The unevaluated sum of two doubles, `low` at most half a unit in the last place of `high`: about 106 bits.
struct DoublePair {
    double high = 0.0, low = 0.0;
};

/// a + b without error (Knuth). Needs rounding to nearest, like all of this file.
inline DoublePair exact_sum(double a, double b) {
    const double sum = a + b, other = sum - a;
    return {sum, (a - (sum - other)) + (b - other)};
}

/// The same for |a| >= |b|, or a = 0.
inline DoublePair exact_sum_of_ordered(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

/// a b without error (Dekker), from halves of 26 bits rather than a fused multiply-add, which some C libraries round twice.
/// Neither factor above 2^996, and no product that underflows.
inline DoublePair exact_product(double a, double b) {
    constexpr double kSplit = 134217729.0; // 2^27 + 1
    const double ca = kSplit * a, cb = kSplit * b;
    const double a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
    const double product = a * b;
    return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

inline DoublePair operator+(const DoublePair& a, const DoublePair& b) {
    const DoublePair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
    const DoublePair sum = exact_sum_of_ordered(high.high, high.low + low.high);
    return exact_sum_of_ordered(sum.high, sum.low + low.low);
}

inline DoublePair operator*(const DoublePair& a, const DoublePair& b) {
    const DoublePair high = exact_product(a.high, b.high);
    return exact_sum_of_ordered(high.high, high.low + (a.high * b.low + a.low * b.high));
}

inline DoublePair operator/(const DoublePair& a, const DoublePair& b) {
    const double first = a.high / b.high;
    const DoublePair back = b * DoublePair{first, 0.0};
    const double left = ((a.high - back.high) - back.low) + a.low;
    return exact_sum_of_ordered(first, left / b.high);
}

} // namespace selvage
