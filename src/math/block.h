#pragma once

#include <cstddef>
#include <vector>

#include "math/simd.h"

namespace selvage {

/// Points of three numbers and a zero. A plain vector of registers would lack their alignment.
class Points {
public:
    void resize(std::size_t n) { slots_.resize(n); }
    std::size_t size() const { return slots_.size(); }
    Doubles4& operator[](int i) { return slots_[i].point; }
    const Doubles4& operator[](int i) const { return slots_[i].point; }
    const Doubles4* data() const { return &slots_.data()->point; }
    Doubles4* data() { return &slots_.data()->point; }

private:
    struct alignas(32) Slot {
        Doubles4 point;
    };
    std::vector<Slot> slots_;
};

/// 3x3 matrix as three columns of four lanes, the last lane zero.
struct Block {
    Floats4 column[3];
};

SELVAGE_INLINE Floats4 product(const Block& m, const Floats4& x) {
    return m.column[0] * x[0] + m.column[1] * x[1] + m.column[2] * x[2];
}

SELVAGE_INLINE void add_scaled(Block& to, const Block& m, float weight) {
    for (int c = 0; c < 3; ++c)
        to.column[c] += m.column[c] * weight;
}

SELVAGE_INLINE Block scaled_identity(float s) {
    return {{Floats4{s, 0, 0, 0}, Floats4{0, s, 0, 0}, Floats4{0, 0, s, 0}}};
}

SELVAGE_INLINE Block transposed(const Block& m) {
    const Floats4 &a = m.column[0], &b = m.column[1], &c = m.column[2];
    const Floats4 low = SELVAGE_SHUFFLE(a, b, 0, 4, 1, 5);  // a0 b0 a1 b1
    const Floats4 high = SELVAGE_SHUFFLE(a, b, 2, 6, 3, 7); // a2 b2 0 0
    const Floats4 zero = {};
    const Floats4 c01 = SELVAGE_SHUFFLE(c, zero, 0, 4, 1, 4); // c0 0 c1 0
    return {{SELVAGE_SHUFFLE(low, c01, 0, 1, 4, 5), SELVAGE_SHUFFLE(low, c01, 2, 3, 6, 7),
             SELVAGE_SHUFFLE(high, c, 0, 1, 6, 7)}};
}

/// x . y of the first three lanes.
SELVAGE_INLINE double dot(const Floats4& x, const Floats4& y) {
    const Floats4 p = x * y;
    return (static_cast<double>(p[0]) + static_cast<double>(p[1])) + static_cast<double>(p[2]);
}

} // namespace selvage
