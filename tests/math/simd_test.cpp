#include "math/simd.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// Numbers of many sizes, zeros of both signs and a NaN among them.
template <class T, int N>
plain::Lanes<T, N> any_numbers(std::mt19937& random) {
    plain::Lanes<T, N> out{};
    for (int k = 0; k < N; ++k) {
        const auto size = static_cast<T>(
            std::ldexp(static_cast<double>(random()) - 2147483648.0, static_cast<int>(random() % 60) - 60));
        const unsigned special = random() % 16;
        out[k] = special == 0 ? T(0) : special == 1 ? -T(0) : special == 2 ? std::numeric_limits<T>::quiet_NaN() : size;
    }
    return out;
}

template <class Register, class T, int N>
void copy_lanes(const plain::Lanes<T, N>& from, Register& to) {
    for (int k = 0; k < N; ++k)
        to[k] = from[k];
}

/// The same bits lane by lane; a NaN's sign and payload are the machine's choice.
template <class T, int N, class Register>
void expect_same(const plain::Lanes<T, N>& a, const Register& b, const char* what) {
    for (int k = 0; k < N; ++k) {
        const T x = a[k], y = b[k];
        EXPECT_TRUE((std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0)
            << what << ", lane " << k << ": " << x << " and " << y;
    }
}

constexpr int kRounds = 2000;

TEST(Simd, DoublesGiveTheSameBitsAsThePlainStruct) {
    std::mt19937 random(1);
    for (int round = 0; round < kRounds; ++round) {
        const auto a = any_numbers<double, 4>(random), b = any_numbers<double, 4>(random),
                   c = any_numbers<double, 4>(random);
        const double s = any_numbers<double, 4>(random)[0];
        Doubles4 x, y, z;
        copy_lanes(a, x);
        copy_lanes(b, y);
        copy_lanes(c, z);
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
        plain::Lanes<double, 4> sum = a;
        Doubles4 total = x;
        sum += b, sum *= s, sum -= c, sum /= b;
        total += y, total *= s, total -= z, total /= y;
        expect_same(sum, total, "assignments");
    }
}

TEST(Simd, FloatsGiveTheSameBitsAsThePlainStruct) {
    std::mt19937 random(2);
    for (int round = 0; round < kRounds; ++round) {
        const auto a = any_numbers<float, 4>(random), b = any_numbers<float, 4>(random);
        const float s = any_numbers<float, 4>(random)[1];
        Floats4 x, y;
        copy_lanes(a, x);
        copy_lanes(b, y);
        expect_same(a + b * s, x + y * s, "+ *");
        expect_same(1.0F - a / b, 1.0F - x / y, "- /");
        expect_same(plain::shuffle<3, 7, 0, 1>(a, b), SELVAGE_SHUFFLE(x, y, 3, 7, 0, 1), "shuffle");
        expect_same(plain::convert<double>(a), SELVAGE_TO_DOUBLES(x), "to doubles");
        EXPECT_EQ(plain::lane_bits(a <= b), lane_bits(x <= y));
        EXPECT_EQ(plain::lane_bits((a <= b) & (b <= a)), lane_bits((x <= y) & (y <= x)));
        Floats4 result;
        take_larger(x, y, result);
        expect_same(plain::select(a > b, a, b), result, "larger");
        take_smaller(x, y, result);
        expect_same(plain::select(a < b, a, b), result, "smaller");
        float memory[5];
        store(x, memory + 1); // not aligned
        load(memory + 1, result);
        expect_same(a, result, "memory");
    }
}

TEST(Simd, EightFloatsGiveTheSameBitsAsThePlainStruct) {
    std::mt19937 random(3);
    for (int round = 0; round < kRounds; ++round) {
        const auto a = any_numbers<float, 8>(random), b = any_numbers<float, 8>(random);
        const float s = any_numbers<float, 8>(random)[1];
        Floats8 x, y, result;
        copy_lanes(a, x);
        copy_lanes(b, y);
        expect_same(a * s + b, x * s + y, "* +");
        expect_same(1.0F - a / b, 1.0F - x / y, "- /");
        take_larger(x, y, result);
        expect_same(plain::select(a > b, a, b), result, "larger");
        take_smaller(x, y, result);
        expect_same(plain::select(a < b, a, b), result, "smaller");
        take_root(x * x, result);
        for (int k = 0; k < 8; ++k)
            EXPECT_TRUE(std::isnan(a[k]) || result[k] == std::sqrt(a[k] * a[k]));
        EXPECT_EQ(plain::lane_bits(a < b), lane_bits(x < y));
        EXPECT_EQ(plain::lane_bits((a <= b) & (b <= a)), lane_bits((x <= y) & (y <= x)));
        float memory[9];
        store(x, memory + 1); // not aligned
        load(memory + 1, result);
        expect_same(a, result, "memory");
        fill(s, result);
        EXPECT_TRUE(std::isnan(s) || result[5] == s);
    }
}

TEST(Simd, PointsAreGatheredByPlaceLoadedAndStored) {
    Floats4 points[16], copied[16] = {};
    for (int i = 0; i < 16; ++i)
        points[i] = Floats4{static_cast<float>(i), 100.0F + i, 200.0F + i, 300.0F + i};
    const int place[8] = {12, 60, 0, 28, 36, 4, 48, 16};
    Points8 gathered, loaded;
    gather(reinterpret_cast<const float*>(points), place, gathered);
    load(points + 5, loaded);
    Points4 four, next;
    Floats4 back[4];
    gather(reinterpret_cast<const float*>(points), place + 2, four);
    load(points + 9, next);
    store(next, back);
    for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(four.x[k], static_cast<float>(place[2 + k] / 4));
        EXPECT_EQ(four.z[k], 200.0F + place[2 + k] / 4);
        EXPECT_EQ(next.w[k], 309.0F + k);
        EXPECT_EQ(back[k][1], 109.0F + k);
    }
    store(loaded, copied + 5);
    Floats4 low, high;
    split(loaded.y, low, high);
    Floats8 joined;
    join(low, high, joined);
    for (int k = 0; k < 8; ++k) {
        EXPECT_EQ(gathered.z[k], 200.0F + place[k] / 4);
        EXPECT_EQ(loaded.w[k], 305.0F + k);
        EXPECT_EQ(copied[5 + k][1], 105.0F + k);
        EXPECT_EQ(joined[k], 105.0F + k);
    }
    EXPECT_EQ(high[0], 109.0F);
    EXPECT_EQ(copied[4][1], 0.0F);
    EXPECT_EQ(copied[13][1], 0.0F);
}

TEST(Simd, PointsAreGatheredAndScatteredByIndex) {
    Floats4 points[16];
    for (int i = 0; i < 16; ++i)
        points[i] = Floats4{static_cast<float>(i), 100.0F + i, 200.0F + i, 300.0F + i};
    const int index[8] = {3, 15, 0, 7, 9, 1, 12, 4};
    Points8 gathered;
    gather(points, index, gathered);
    for (int k = 0; k < 8; ++k) {
        EXPECT_EQ(gathered.x[k], static_cast<float>(index[k]));
        EXPECT_EQ(gathered.y[k], 100.0F + index[k]);
        EXPECT_EQ(gathered.z[k], 200.0F + index[k]);
        EXPECT_EQ(gathered.w[k], 300.0F + index[k]);
    }
    gathered.y += 1000.0F;
    scatter(gathered, index, points);
    for (int i = 0; i < 16; ++i) {
        const bool is_listed = std::find(index, index + 8, i) != index + 8;
        EXPECT_EQ(points[i][0], static_cast<float>(i));
        EXPECT_EQ(points[i][1], (is_listed ? 1100.0F : 100.0F) + i);
        EXPECT_EQ(points[i][3], 300.0F + i);
    }
}

} // namespace
} // namespace selvage
