#pragma once

#include <array>
#include <cmath>

#include "math/double_pair.h"
#include "math/vec.h"

namespace selvage {

namespace detail {

/// A sum of doubles held exactly as a sum of doubles that do not overlap, smallest first (Priest 1991, Shewchuk 1997).
class ExactSum {
public:
    void add(double value) {
        int used = 0;
        for (int i = 0; i < count_; ++i) {
            const double total = value + part_[i];
            const double other = total - value;
            const double lost = (value - (total - other)) + (part_[i] - other);
            if (lost != 0.0) part_[used++] = lost;
            value = total;
        }
        if (value != 0.0) part_[used++] = value;
        count_ = used;
    }
    void add_product(double x, double y, double z) {
        const DoublePair first = exact_product(x, y);
        for (const double half : {first.high, first.low}) {
            const DoublePair product = exact_product(half, z);
            add(product.high);
            add(product.low);
        }
    }
    int sign() const { return count_ == 0 ? 0 : (part_[count_ - 1] > 0.0 ? 1 : -1); }

private:
    std::array<double, 100> part_{}; // 24 products of four parts each
    int count_ = 0;
};

inline int exact_orientation(const std::array<Vec3, 4>& p) {
    ExactSum sum; // det of the rows (x, y, z, 1): all 24 permutations of the points
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 4; ++k) {
                if (i == j || j == k || k == i) continue;
                const int l = 6 - i - j - k;
                const int inversions = (i > j) + (i > k) + (i > l) + (j > k) + (j > l) + (k > l);
                sum.add_product(inversions % 2 == 0 ? p[i].x : -p[i].x, p[j].y, p[k].z);
            }
    return sum.sign();
}

} // namespace detail

/// Sign of the volume (a - d) . ((b - d) x (c - d)): on which side of the plane through a, b and c the point d lies, 0
/// when it lies in it. Exact for any coordinates whose products neither overflow nor underflow.
inline int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 ad = a - d, bd = b - d, cd = c - d;
    const double bc = bd.x * cd.y, cb = cd.x * bd.y, ca = cd.x * ad.y, ac = ad.x * cd.y, ab = ad.x * bd.y,
                 ba = bd.x * ad.y;
    const double det = ad.z * (bc - cb) + bd.z * (ca - ac) + cd.z * (ab - ba);
    const double size = (std::abs(bc) + std::abs(cb)) * std::abs(ad.z) +
                        (std::abs(ca) + std::abs(ac)) * std::abs(bd.z) + (std::abs(ab) + std::abs(ba)) * std::abs(cd.z);
    if (size == 0.0) return 0; // all in a plane of the coordinates, as flat cloth is
    constexpr double kUnit = 0x1p-53;
    const double error = (7.0 + 56.0 * kUnit) * kUnit * size; // Shewchuk's bound on the rounding of det
    if (det > error) return 1;
    if (-det > error) return -1;
    return detail::exact_orientation({a, b, c, d});
}

} // namespace selvage
