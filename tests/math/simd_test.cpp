#include "math/simd.h"

#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// Numbers of many sizes, zeros of both signs and a NaN among them.
template <class T>
plain::Four<T> any_four(std::mt19937& random) {
    plain::Four<T> out{};
    for (int k = 0; k < 4; ++k) {
        const auto size = static_cast<T>(
            std::ldexp(static_cast<double>(random()) - 2147483648.0, static_cast<int>(random() % 60) - 60));
        const unsigned special = random() % 16;
        out[k] = special == 0 ? T(0) : special == 1 ? -T(0) : special == 2 ? std::numeric_limits<T>::quiet_NaN() : size;
    }
    return out;
}

template <class Register, class T>
void load(const plain::Four<T>& from, Register& to) {
    for (int k = 0; k < 4; ++k)
        to[k] = from[k];
}

/// The same bits lane by lane; a NaN's sign and payload are the machine's choice.
template <class T, class Register>
void expect_same(const plain::Four<T>& a, const Register& b, const char* what) {
    for (int k = 0; k < 4; ++k) {
        const T x = a[k], y = b[k];
        EXPECT_TRUE((std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0)
            << what << ", lane " << k << ": " << x << " and " << y;
    }
}

constexpr int kRounds = 2000;

TEST(Simd, DoublesGiveTheSameBitsAsThePlainStruct) {
    std::mt19937 random(1);
    for (int round = 0; round < kRounds; ++round) {
        const auto a = any_four<double>(random), b = any_four<double>(random), c = any_four<double>(random);
        const double s = any_four<double>(random)[0];
        Doubles4 x, y, z;
        load(a, x);
        load(b, y);
        load(c, z);
        expect_same(a + b, x + y, "+");
        expect_same(a - b, x - y, "-");
        expect_same(a * b, x * y, "*");
        expect_same(a / b, x / y, "/");
        expect_same(-a, -x, "unary -");
        expect_same(a * s + s / b - c * s, x * s + s / y - z * s, "scalars");
        expect_same(plain::select(a < b, b, c), SELVAGE_SELECT(x < y, y, z), "<");
        expect_same(plain::select(a > b, b, c), SELVAGE_SELECT(x > y, y, z), ">");
        expect_same(plain::select(a == b, b, c), SELVAGE_SELECT(x == y, y, z), "==");
        expect_same(plain::shuffle<0, 4, 2, 6>(a, b), SELVAGE_SHUFFLE(x, y, 0, 4, 2, 6), "shuffle");
        expect_same(plain::convert<float>(a), SELVAGE_TO_FLOATS(x), "to floats");
        Doubles4 root;
        take_root(x * x, root);
        for (int k = 0; k < 4; ++k)
            EXPECT_TRUE(std::isnan(a[k]) || root[k] == std::sqrt(a[k] * a[k]));
        plain::Four<double> sum = a;
        Doubles4 total = x;
        sum += b, sum *= s, sum -= c, sum /= b;
        total += y, total *= s, total -= z, total /= y;
        expect_same(sum, total, "assignments");
    }
}

TEST(Simd, FloatsGiveTheSameBitsAsThePlainStruct) {
    std::mt19937 random(2);
    for (int round = 0; round < kRounds; ++round) {
        const auto a = any_four<float>(random), b = any_four<float>(random);
        const float s = any_four<float>(random)[1];
        Floats4 x, y;
        load(a, x);
        load(b, y);
        expect_same(a + b * s, x + y * s, "+ *");
        expect_same(1.0F - a / b, 1.0F - x / y, "- /");
        expect_same(plain::shuffle<3, 7, 0, 1>(a, b), SELVAGE_SHUFFLE(x, y, 3, 7, 0, 1), "shuffle");
        expect_same(plain::convert<double>(a), SELVAGE_TO_DOUBLES(x), "to doubles");
        EXPECT_EQ(plain::lane_bits(a <= b), lane_bits(x <= y));
        EXPECT_EQ(plain::lane_bits((a <= b) & (b <= a)), lane_bits((x <= y) & (y <= x)));
    }
}

} // namespace
} // namespace selvage
