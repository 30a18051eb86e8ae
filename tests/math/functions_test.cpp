#include "math/functions.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "math/double_pair.h"

namespace selvage {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kHuge = std::numeric_limits<double>::max();
constexpr double kPi = 3.14159265358979323846;

/// Distance of `value` from the exact result in units of the last place of that result.
double error_in_ulp(double value, long double exact) {
    const auto nearest = static_cast<double>(exact);
    if (std::isnan(value) || std::isnan(nearest)) return std::isnan(value) == std::isnan(nearest) ? 0.0 : kInf;
    if (std::isinf(value) || std::isinf(nearest)) return value == nearest ? 0.0 : kInf;
    const double size = std::abs(nearest);
    int exponent = 0;
    std::frexp(size, &exponent);
    const long double ulp = std::ldexp(1.0L, std::max(exponent - 53, -1074));
    return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / ulp);
}

/// Doubles of every size and sign: random bits, infinities and NaN left out.
class AnyDouble {
public:
    explicit AnyDouble(unsigned seed) : random_(seed) {}
    double operator()() {
        while (true) {
            const std::uint64_t bits = random_();
            double x = 0.0;
            std::memcpy(&x, &bits, sizeof x);
            if (std::isfinite(x)) return x;
        }
    }
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
    }
    /// Even in the logarithm, either sign.
    double of_size(double low, double high) {
        const double x = std::exp(between(std::log(low), std::log(high)));
        return random_() & 1 ? x : -x;
    }

private:
    std::mt19937_64 random_;
};

constexpr int kCount = 200000;

/// The reference is the C library's long double; where that is a double it tells nothing.
#define NEEDS_LONG_DOUBLE()                                                                                            \
    if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no longer than double"

template <class Function, class Reference, class Draw>
double largest_error(const Function& function, const Reference& reference, const Draw& draw, int count = kCount) {
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        const double x = draw(), error = error_in_ulp(function(x), reference(static_cast<long double>(x)));
        if (error > largest) largest = error;
    }
    return largest;
}

const auto kSine = [](long double x) { return std::sin(x); };
const auto kCosine = [](long double x) { return std::cos(x); };

TEST(Functions, SineAndCosineStayWithinTheStatedError) {
    NEEDS_LONG_DOUBLE();
    AnyDouble any(1);
    const auto near = [&] { return any.of_size(1e-9, 10.0); };
    const auto moderate = [&] { return any.of_size(0.1, 0x1p19); };
    const auto large = [&] { return any.of_size(0x1p19, 0x1p70); };
    const auto all = [&] { return any(); };
    // Next to multiples of pi/2, where little is left of the argument.
    const auto multiple = [&] { return std::floor(any.of_size(1.0, 1e12)) * (0.5 * kPi); };
    EXPECT_LT(largest_error(maths::sin, kSine, near), 0.8);
    EXPECT_LT(largest_error(maths::sin, kSine, moderate), 0.8);
    EXPECT_LT(largest_error(maths::sin, kSine, large), 0.8);
    EXPECT_LT(largest_error(maths::sin, kSine, all, kCount / 4), 0.8);
    EXPECT_LT(largest_error(maths::sin, kSine, multiple), 0.8);
    EXPECT_LT(largest_error(maths::cos, kCosine, near), 0.8);
    EXPECT_LT(largest_error(maths::cos, kCosine, moderate), 0.8);
    EXPECT_LT(largest_error(maths::cos, kCosine, large), 0.8);
    EXPECT_LT(largest_error(maths::cos, kCosine, all, kCount / 4), 0.8);
    EXPECT_LT(largest_error(maths::cos, kCosine, multiple), 0.8);
}

TEST(Functions, SineOfTheWorstArgumentIsRight) {
    // 6381956970095103 2^797 comes closest of all doubles to a multiple of pi/2 (Muller and others, Handbook of
    // Floating-Point Arithmetic, 11.1); its cosine is -4.6871659242546276e-19.
    const double worst = std::ldexp(6381956970095103.0, 797);
    EXPECT_DOUBLE_EQ(maths::cos(worst), -4.6871659242546276e-19);
    EXPECT_EQ(maths::sin(worst), 1.0);
}

TEST(Functions, SineAndCosineHandleSpecialValues) {
    EXPECT_EQ(maths::sin(0.0), 0.0);
    EXPECT_FALSE(std::signbit(maths::sin(0.0)));
    EXPECT_TRUE(std::signbit(maths::sin(-0.0)));
    EXPECT_EQ(maths::sin(kTiny), kTiny);
    EXPECT_EQ(maths::sin(-kTiny), -kTiny);
    EXPECT_EQ(maths::cos(-0.0), 1.0);
    EXPECT_EQ(maths::cos(kTiny), 1.0);
    for (const double x : {kInf, -kInf, kNaN}) {
        EXPECT_TRUE(std::isnan(maths::sin(x)));
        EXPECT_TRUE(std::isnan(maths::cos(x)));
    }
    EXPECT_EQ(maths::sincos(2.5).sine, maths::sin(2.5));
    EXPECT_EQ(maths::sincos(2.5).cosine, maths::cos(2.5));
}

TEST(Functions, ArcTangentStaysWithinTheStatedError) {
    NEEDS_LONG_DOUBLE();
    AnyDouble any(2);
    double largest = 0.0;
    for (int i = 0; i < kCount; ++i)
        for (const auto& [y, x] : {std::pair{any.between(-1, 1), any.between(-1, 1)},
                                   {any.of_size(1e-25, 1e25), any.of_size(1e-25, 1e25)},
                                   {any(), any()}})
            largest = std::max(largest, error_in_ulp(maths::atan2(y, x), std::atan2(static_cast<long double>(y),
                                                                                    static_cast<long double>(x))));
    EXPECT_LT(largest, 0.6);
}

TEST(Functions, ArcTangentHandlesSpecialValuesAsTheStandardSays) {
    const double values[] = {0.0, -0.0, 1.0, -1.0, kTiny, -kTiny, kHuge, -kHuge, kInf, -kInf, kNaN};
    for (const double y : values)
        for (const double x : values) {
            SCOPED_TRACE(testing::Message() << y << " " << x);
            const double ours = maths::atan2(y, x), theirs = std::atan2(y, x);
            EXPECT_EQ(std::isnan(ours), std::isnan(theirs));
            if (std::isnan(theirs)) continue;
            EXPECT_DOUBLE_EQ(ours, theirs);
            EXPECT_EQ(std::signbit(ours), std::signbit(theirs));
        }
}

TEST(Functions, ArcCosineStaysWithinTheStatedError) {
    NEEDS_LONG_DOUBLE();
    AnyDouble any(3);
    const auto reference = [](long double x) { return std::acos(x); };
    EXPECT_LT(largest_error(maths::acos, reference, [&] { return any.between(-1, 1); }), 1.5);
    EXPECT_LT(largest_error(maths::acos, reference, [&] { return 1.0 - std::abs(any.of_size(1e-16, 1)); }), 1.5);
    EXPECT_EQ(maths::acos(1.0), 0.0);
    EXPECT_EQ(maths::acos(-1.0), kPi);
    for (const double x : {1.5, -1.5, kInf, kNaN})
        EXPECT_TRUE(std::isnan(maths::acos(x)));
}

TEST(Functions, ExponentialAndLogarithmStayWithinTheStatedError) {
    NEEDS_LONG_DOUBLE();
    AnyDouble any(4);
    const auto exponential = [](long double x) { return std::exp(x); };
    const auto logarithm = [](long double x) { return std::log(x); };
    EXPECT_LT(largest_error(maths::exp, exponential, [&] { return any.between(-708, 709.7); }), 0.6);
    EXPECT_LT(largest_error(maths::exp, exponential, [&] { return any.of_size(1e-20, 1); }), 0.6);
    EXPECT_LT(largest_error(maths::exp, exponential, [&] { return any.between(-746, -708); }), 1.0);
    EXPECT_LT(largest_error(maths::log, logarithm, [&] { return std::abs(any()); }), 0.51);
    EXPECT_LT(largest_error(maths::log, logarithm, [&] { return any.between(0.5, 2.0); }), 0.51);
    EXPECT_LT(largest_error(maths::log, logarithm, [&] { return 1.0 + any.of_size(1e-15, 0.1); }), 0.51);
}

TEST(Functions, ExponentialAndLogarithmHandleSpecialValues) {
    EXPECT_EQ(maths::exp(0.0), 1.0);
    EXPECT_EQ(maths::exp(-0.0), 1.0);
    EXPECT_EQ(maths::exp(kTiny), 1.0);
    EXPECT_EQ(maths::exp(kInf), kInf);
    EXPECT_EQ(maths::exp(-kInf), 0.0);
    EXPECT_EQ(maths::exp(kHuge), kInf);
    EXPECT_EQ(maths::exp(-kHuge), 0.0);
    EXPECT_TRUE(std::isnan(maths::exp(kNaN)));
    EXPECT_EQ(maths::log(1.0), 0.0);
    EXPECT_EQ(maths::log(0.0), -kInf);
    EXPECT_EQ(maths::log(-0.0), -kInf);
    EXPECT_EQ(maths::log(kInf), kInf);
    EXPECT_TRUE(std::isnan(maths::log(-1.0)));
    EXPECT_TRUE(std::isnan(maths::log(kNaN)));
}

TEST(Functions, PowerStaysWithinTheStatedError) {
    NEEDS_LONG_DOUBLE();
    AnyDouble any(5);
    double normal = 0.0, subnormal = 0.0;
    for (int i = 0; i < kCount; ++i)
        for (const auto& [x, y] : {std::pair{any.between(0, 1), any.between(0, 10)},
                                   {std::abs(any()), any.of_size(1e-5, 1.0)},
                                   {std::abs(any.of_size(1e-3, 1e3)), any.of_size(0.1, 300.0)},
                                   {1.0 + any.of_size(1e-10, 0.5), any.of_size(1.0, 1e12)}}) {
            const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
            double& largest = exact < 0x1p-1022L ? subnormal : normal;
            largest = std::max(largest, error_in_ulp(maths::pow(x, y), exact));
        }
    EXPECT_LT(normal, 0.65);
    EXPECT_LT(subnormal, 1.0);
}

TEST(Functions, PowerHandlesSpecialValuesAsTheStandardSays) {
    const double values[] = {0.0,   -0.0,   0.5,   -0.5,   1.0,    -1.0, 2.0,   -2.0, 3.0, -3.0,
                             kTiny, -kTiny, kHuge, -kHuge, 0x1p53, kInf, -kInf, kNaN, 1.5, -2.5};
    for (const double x : values)
        for (const double y : values) {
            SCOPED_TRACE(testing::Message() << x << " " << y);
            const double ours = maths::pow(x, y), theirs = std::pow(x, y);
            EXPECT_EQ(std::isnan(ours), std::isnan(theirs));
            if (std::isnan(theirs)) continue;
            EXPECT_DOUBLE_EQ(ours, theirs);
            EXPECT_EQ(std::signbit(ours), std::signbit(theirs));
        }
    EXPECT_DOUBLE_EQ(maths::power<5>(1.5), 7.59375);
    EXPECT_EQ(maths::power<1>(0.3F), 0.3F);
}

TEST(Functions, CubeRootStaysWithinTheStatedError) {
    NEEDS_LONG_DOUBLE();
    AnyDouble any(6);
    const auto reference = [](long double x) { return std::cbrt(x); };
    EXPECT_LT(largest_error(maths::cbrt, reference, [&] { return any(); }), 0.51);
    EXPECT_LT(largest_error(maths::cbrt, reference, [&] { return any.between(1, 8); }), 0.51);
    EXPECT_EQ(maths::cbrt(27.0), 3.0);
    EXPECT_EQ(maths::cbrt(-0.125), -0.5);
    EXPECT_LT(error_in_ulp(maths::cbrt(kTiny), std::cbrt(static_cast<long double>(kTiny))), 0.51);
    EXPECT_TRUE(std::signbit(maths::cbrt(-0.0)));
    EXPECT_EQ(maths::cbrt(-kInf), -kInf);
    EXPECT_TRUE(std::isnan(maths::cbrt(kNaN)));
}

TEST(Functions, HypotenuseStaysWithinTheStatedError) {
    NEEDS_LONG_DOUBLE();
    AnyDouble any(7);
    double largest = 0.0;
    for (int i = 0; i < kCount; ++i)
        for (const auto& [x, y] : {std::pair{any.between(-1, 1), any.between(-1, 1)},
                                   {any.of_size(1e-8, 1e8), any.of_size(1e-8, 1e8)},
                                   {any(), any()}})
            largest = std::max(largest, error_in_ulp(maths::hypot(x, y), std::hypot(static_cast<long double>(x),
                                                                                    static_cast<long double>(y))));
    EXPECT_LT(largest, 1.2);
    EXPECT_EQ(maths::hypot(3.0, -4.0), 5.0);
    EXPECT_EQ(maths::hypot(0.0, -0.0), 0.0);
    EXPECT_EQ(maths::hypot(kTiny, 0.0), kTiny);
    EXPECT_EQ(maths::hypot(kHuge, 1.0), kHuge);
    EXPECT_EQ(maths::hypot(kHuge, kHuge), kInf);
    EXPECT_EQ(maths::hypot(-kInf, kNaN), kInf);
    EXPECT_TRUE(std::isnan(maths::hypot(1.0, kNaN)));
}

/// Known bits: what every compiler and machine must give.
TEST(Functions, GiveTheRecordedBits) {
    std::uint64_t hash = 0;
    const auto add = [&](double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        hash = (hash ^ bits) * 0x100000001b3U;
        hash ^= hash >> 32;
    };
    std::mt19937_64 random(8);
    const auto draw = [&] { return 40.0 * (static_cast<double>(random() >> 11) * 0x1p-53) - 20.0; };
    for (int i = 0; i < 10000; ++i) {
        const double x = draw(), y = draw();
        add(maths::sin(x));
        add(maths::cos(1e6 * x));
        add(maths::sin(1e12 * y));
        add(maths::atan2(y, x));
        add(maths::acos(0.05 * x));
        add(maths::exp(x));
        add(maths::log(std::abs(y)));
        add(maths::pow(std::abs(x), y));
        add(maths::cbrt(y));
        add(maths::hypot(x, y));
    }
    EXPECT_EQ(hash, 3520248045978777566U);
}

TEST(DoublePair, ProductsAndSumsLoseNothing) {
    // (2^27 + 1)(2^27 - 1) 2^-54 = 1 - 2^-54: half a unit below 1 and not a double.
    const DoublePair product = exact_product(1.0 + 0x1p-27, 1.0 - 0x1p-27);
    EXPECT_EQ(product.high + product.low, 1.0);
    EXPECT_EQ(product.low, -0x1p-54);
    const DoublePair sum = exact_sum(1.0, 0x1p-60);
    EXPECT_EQ(sum.high, 1.0);
    EXPECT_EQ(sum.low, 0x1p-60);
}

} // namespace
} // namespace selvage
