#pragma once

namespace selvage {

/// The functions that the C library rounds as it likes, from one source: additions, products, quotients and square roots of
/// doubles, which IEEE 754 rounds in one way. So they have the same bits with every compiler, C library and machine, as
/// long as products and sums are not fused (-ffp-contract=off) and the processor rounds to nearest (FloatEnvironment).
/// Set-up and step of a simulation call nothing else; scripts/check_sources sees to that.
///
/// Special values are those of C's Annex F: signed zeros, infinities and NaN. "Error" is the largest seen in
/// tests/math/functions_test.cpp against the C library's long double [units in the last place; 0.5 is the best possible].
namespace maths {

struct SineAndCosine {
    double sine, cosine;
};

double sin(double x);             ///< Any x, also 1e300. Error 0.8.
double cos(double x);             ///< Error 0.8.
SineAndCosine sincos(double x);   ///< Both, for little more than one.
double atan2(double y, double x); ///< Error 0.6.
double acos(double x);            ///< Error 1.5.
double exp(double x);             ///< Error 0.6; 1 below 2^-1022, where numbers have fewer digits.
double log(double x);             ///< Error 0.51.
double pow(double x, double y);   ///< Error 0.65; 1 below 2^-1022.
double cbrt(double x);            ///< Error 0.51.
double hypot(double x, double y); ///< sqrt(x^2 + y^2) without overflow or underflow between. Error 1.2.

/// x^n as n - 1 products, from the left: for the small whole exponents of formulas. n >= 1.
template <int n, class T>
constexpr T power(T x) {
    static_assert(n >= 1);
    T product = x;
    for (int k = 1; k < n; ++k)
        product *= x;
    return product;
}

} // namespace maths

} // namespace selvage
