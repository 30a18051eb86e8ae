#pragma once

// The one place that knows what compilers and machines offer beyond standard C++: registers of four numbers, functions
// compiled twice, inlining that must happen. Without these (SELVAGE_PLAIN_VECTORS, or a compiler that has none) the same
// names stand for plain structs, whose operations are the same lane by lane, and so are the bits.

#include <cmath>

#ifndef __has_builtin // MSVC
#define __has_builtin(name) 0
#endif
#ifndef __has_feature // gcc
#define __has_feature(name) 0
#endif

#if !defined(SELVAGE_PLAIN_VECTORS) && __has_builtin(__builtin_shufflevector) && __has_builtin(__builtin_convertvector)
#define SELVAGE_VECTORS 1
#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#else
#define SELVAGE_VECTORS 0
#endif

/// For small functions of hot loops that lose their registers when they are called.
#if defined(__GNUC__)
#define SELVAGE_INLINE [[gnu::always_inline]] inline
#elif defined(_MSC_VER)
#define SELVAGE_INLINE __forceinline
#else
#define SELVAGE_INLINE inline
#endif

/// For a hot function written with vector types: compiles it for AVX2 as well and picks at start-up what the machine has.
/// The operations are the same, so are the bits. It must be defined before its first use, and call no inline function that
/// nothing else calls: clang does not emit those, so it gets no clones without optimisation. The choice at start-up is the
/// loader's work, which only ELF's does, and comes too early under sanitizers. SELVAGE_NO_CLONES leaves the second version
/// out.
#if defined(__x86_64__) && defined(__GNUC__) && defined(__ELF__) && SELVAGE_VECTORS && !defined(SELVAGE_NO_CLONES) &&  \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !__has_feature(address_sanitizer) &&            \
    !__has_feature(thread_sanitizer) && (!defined(__clang__) || defined(__OPTIMIZE__))
#define SELVAGE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SELVAGE_WIDE
#endif

namespace selvage {

/// Four numbers in standard C++.
namespace plain {

struct Flags4 {
    bool lane[4];
    friend Flags4 operator&(const Flags4& a, const Flags4& b) {
        return {{a.lane[0] && b.lane[0], a.lane[1] && b.lane[1], a.lane[2] && b.lane[2], a.lane[3] && b.lane[3]}};
    }
};

template <class T>
struct alignas(4 * sizeof(T)) Four {
    T lane[4];

    T& operator[](int k) { return lane[k]; }
    const T& operator[](int k) const { return lane[k]; }

    friend Four operator+(const Four& a, const Four& b) {
        return {{a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}};
    }
    friend Four operator-(const Four& a, const Four& b) {
        return {{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]}};
    }
    friend Four operator*(const Four& a, const Four& b) {
        return {{a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]}};
    }
    friend Four operator/(const Four& a, const Four& b) {
        return {{a[0] / b[0], a[1] / b[1], a[2] / b[2], a[3] / b[3]}};
    }
    friend Four operator-(const Four& a) { return {{-a[0], -a[1], -a[2], -a[3]}}; }
    friend Four operator+(const Four& a, T s) { return a + all(s); }
    friend Four operator-(const Four& a, T s) { return a - all(s); }
    friend Four operator*(const Four& a, T s) { return a * all(s); }
    friend Four operator/(const Four& a, T s) { return a / all(s); }
    friend Four operator+(T s, const Four& a) { return all(s) + a; }
    friend Four operator-(T s, const Four& a) { return all(s) - a; }
    friend Four operator*(T s, const Four& a) { return all(s) * a; }
    friend Four operator/(T s, const Four& a) { return all(s) / a; }
    template <class U>
    Four& operator+=(const U& b) {
        return *this = *this + b;
    }
    template <class U>
    Four& operator-=(const U& b) {
        return *this = *this - b;
    }
    template <class U>
    Four& operator*=(const U& b) {
        return *this = *this * b;
    }
    template <class U>
    Four& operator/=(const U& b) {
        return *this = *this / b;
    }
    friend Flags4 operator<(const Four& a, const Four& b) {
        return {{a[0] < b[0], a[1] < b[1], a[2] < b[2], a[3] < b[3]}};
    }
    friend Flags4 operator>(const Four& a, const Four& b) { return b < a; }
    friend Flags4 operator<=(const Four& a, const Four& b) {
        return {{a[0] <= b[0], a[1] <= b[1], a[2] <= b[2], a[3] <= b[3]}};
    }
    friend Flags4 operator>=(const Four& a, const Four& b) { return b <= a; }
    friend Flags4 operator==(const Four& a, const Four& b) {
        return {{a[0] == b[0], a[1] == b[1], a[2] == b[2], a[3] == b[3]}};
    }

private:
    static Four all(T s) { return {{s, s, s, s}}; }
};

template <int i, int j, int k, int l, class T>
Four<T> shuffle(const Four<T>& a, const Four<T>& b) {
    const auto at = [&](int n) { return n < 4 ? a[n] : b[n - 4]; };
    return {{at(i), at(j), at(k), at(l)}};
}

template <class To, class From>
Four<To> convert(const Four<From>& a) {
    return {{static_cast<To>(a[0]), static_cast<To>(a[1]), static_cast<To>(a[2]), static_cast<To>(a[3])}};
}

template <class T>
Four<T> select(const Flags4& which, const Four<T>& a, const Four<T>& b) {
    const auto at = [&](int k) { return which.lane[k] ? a[k] : b[k]; };
    return {{at(0), at(1), at(2), at(3)}};
}

inline double select(bool which, double a, double b) {
    return which ? a : b;
}

inline unsigned lane_bits(const Flags4& flags) {
    return (flags.lane[0] ? 1U : 0U) | (flags.lane[1] ? 2U : 0U) | (flags.lane[2] ? 4U : 0U) |
           (flags.lane[3] ? 8U : 0U);
}

} // namespace plain

#if SELVAGE_VECTORS

/// Four numbers, or three and a zero, as one register. Passing floats by value is fine: every x86-64 has such registers.
using Floats4 = float __attribute__((vector_size(16)));
using Doubles4 =
    double __attribute__((vector_size(32)));         ///< By reference only: as values the calls would depend on AVX.
using Flags4 = int __attribute__((vector_size(16))); ///< What comparing Floats4 gives.

// Macros, since a function cannot return Doubles4: see there. Lanes 0 to 3 are of a, 4 to 7 of b.
#define SELVAGE_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define SELVAGE_TO_FLOATS(doubles) __builtin_convertvector(doubles, selvage::Floats4)
#define SELVAGE_TO_DOUBLES(floats) __builtin_convertvector(floats, selvage::Doubles4)
/// Lane by lane `a` where the comparison holds, else `b`; also for plain numbers.
#define SELVAGE_SELECT(comparison, a, b) ((comparison) ? (a) : (b))

/// Bit k is set where lane k holds.
inline unsigned lane_bits(const Flags4& flags) {
#if defined(__SSE__)
    return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(flags)));
#else
    return static_cast<unsigned>((flags[0] & 1) | (flags[1] & 2) | (flags[2] & 4) | (flags[3] & 8));
#endif
}

#else

using Floats4 = plain::Four<float>;
using Doubles4 = plain::Four<double>;
using Flags4 = plain::Flags4;

#define SELVAGE_SHUFFLE(a, b, i, j, k, l) selvage::plain::shuffle<i, j, k, l>(a, b)
#define SELVAGE_TO_FLOATS(doubles) selvage::plain::convert<float>(doubles)
#define SELVAGE_TO_DOUBLES(floats) selvage::plain::convert<double>(floats)
#define SELVAGE_SELECT(comparison, a, b) selvage::plain::select(comparison, a, b)

using plain::lane_bits;

#endif

/// Square roots, for formulas that are written for a number and for a register of several. By reference: see Doubles4.
SELVAGE_INLINE void take_root(const double& of, double& root) {
    root = std::sqrt(of);
}
SELVAGE_INLINE void take_root(const Doubles4& of, Doubles4& root) {
    for (int k = 0; k < 4; ++k)
        root[k] = std::sqrt(of[k]);
}

} // namespace selvage
