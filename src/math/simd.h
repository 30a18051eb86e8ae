#pragma once

// The one place that knows what compilers and machines offer beyond standard C++: registers of several numbers, functions
// compiled twice, inlining that must happen. Without these (SELVAGE_PLAIN_VECTORS, or a compiler that has none) the same
// names stand for plain structs, whose operations are the same lane by lane, and so are the bits.

#include <cmath>
#include <cstddef>
#include <cstring>

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
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
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

/// Asks for so many bytes from memory, which will be read soon. The address may be anything.
inline void prefetch(const void* at, std::size_t bytes) {
#if defined(__GNUC__)
    for (std::size_t byte = 0; byte < bytes; byte += 64)
        __builtin_prefetch(static_cast<const char*>(at) + byte);
#else
    (void)at, (void)bytes;
#endif
}

/// Registers of N numbers in standard C++.
namespace plain {

template <int N>
struct Flags {
    bool lane[N];
    friend Flags operator&(const Flags& a, const Flags& b) {
        Flags both;
        for (int k = 0; k < N; ++k)
            both.lane[k] = a.lane[k] && b.lane[k];
        return both;
    }
};

template <class T, int N>
struct alignas(N * sizeof(T)) Lanes {
    T lane[N];

    T& operator[](int k) { return lane[k]; }
    const T& operator[](int k) const { return lane[k]; }

    friend Lanes operator+(const Lanes& a, const Lanes& b) {
        return combined(a, b, [](T x, T y) { return x + y; });
    }
    friend Lanes operator-(const Lanes& a, const Lanes& b) {
        return combined(a, b, [](T x, T y) { return x - y; });
    }
    friend Lanes operator*(const Lanes& a, const Lanes& b) {
        return combined(a, b, [](T x, T y) { return x * y; });
    }
    friend Lanes operator/(const Lanes& a, const Lanes& b) {
        return combined(a, b, [](T x, T y) { return x / y; });
    }
    friend Lanes operator-(const Lanes& a) {
        return combined(a, a, [](T x, T) { return -x; });
    }
    friend Lanes operator+(const Lanes& a, T s) { return a + all(s); }
    friend Lanes operator-(const Lanes& a, T s) { return a - all(s); }
    friend Lanes operator*(const Lanes& a, T s) { return a * all(s); }
    friend Lanes operator/(const Lanes& a, T s) { return a / all(s); }
    friend Lanes operator+(T s, const Lanes& a) { return all(s) + a; }
    friend Lanes operator-(T s, const Lanes& a) { return all(s) - a; }
    friend Lanes operator*(T s, const Lanes& a) { return all(s) * a; }
    friend Lanes operator/(T s, const Lanes& a) { return all(s) / a; }
    template <class U>
    Lanes& operator+=(const U& b) {
        return *this = *this + b;
    }
    template <class U>
    Lanes& operator-=(const U& b) {
        return *this = *this - b;
    }
    template <class U>
    Lanes& operator*=(const U& b) {
        return *this = *this * b;
    }
    template <class U>
    Lanes& operator/=(const U& b) {
        return *this = *this / b;
    }
    friend Flags<N> operator<(const Lanes& a, const Lanes& b) {
        return compared(a, b, [](T x, T y) { return x < y; });
    }
    friend Flags<N> operator>(const Lanes& a, const Lanes& b) { return b < a; }
    friend Flags<N> operator<=(const Lanes& a, const Lanes& b) {
        return compared(a, b, [](T x, T y) { return x <= y; });
    }
    friend Flags<N> operator>=(const Lanes& a, const Lanes& b) { return b <= a; }
    friend Flags<N> operator==(const Lanes& a, const Lanes& b) {
        return compared(a, b, [](T x, T y) { return x == y; });
    }
    friend Flags<N> operator<(const Lanes& a, T s) { return a < all(s); }
    friend Flags<N> operator>(const Lanes& a, T s) { return a > all(s); }

private:
    static Lanes all(T s) {
        Lanes out;
        for (int k = 0; k < N; ++k)
            out[k] = s;
        return out;
    }
    template <class F>
    static Lanes combined(const Lanes& a, const Lanes& b, const F& f) {
        Lanes out;
        for (int k = 0; k < N; ++k)
            out[k] = f(a[k], b[k]);
        return out;
    }
    template <class F>
    static Flags<N> compared(const Lanes& a, const Lanes& b, const F& f) {
        Flags<N> out;
        for (int k = 0; k < N; ++k)
            out.lane[k] = f(a[k], b[k]);
        return out;
    }
};

template <int i, int j, int k, int l, class T>
Lanes<T, 4> shuffle(const Lanes<T, 4>& a, const Lanes<T, 4>& b) {
    const auto at = [&](int n) { return n < 4 ? a[n] : b[n - 4]; };
    return {{at(i), at(j), at(k), at(l)}};
}

template <class To, class From>
Lanes<To, 4> convert(const Lanes<From, 4>& a) {
    return {{static_cast<To>(a[0]), static_cast<To>(a[1]), static_cast<To>(a[2]), static_cast<To>(a[3])}};
}

template <class T, int N>
Lanes<T, N> select(const Flags<N>& which, const Lanes<T, N>& a, const Lanes<T, N>& b) {
    Lanes<T, N> out;
    for (int k = 0; k < N; ++k)
        out[k] = which.lane[k] ? a[k] : b[k];
    return out;
}

inline double select(bool which, double a, double b) {
    return which ? a : b;
}

template <int N>
unsigned lane_bits(const Flags<N>& flags) {
    unsigned bits = 0;
    for (int k = 0; k < N; ++k)
        bits |= flags.lane[k] ? 1U << k : 0U;
    return bits;
}

} // namespace plain

#if SELVAGE_VECTORS

/// Four numbers, or three and a zero, as one register. Passing floats by value is fine: every x86-64 has such registers.
using Floats4 = float __attribute__((vector_size(16)));
using Doubles4 =
    double __attribute__((vector_size(32)));         ///< By reference only: as values the calls would depend on AVX.
using Flags4 = int __attribute__((vector_size(16))); ///< What comparing Floats4 gives.
// Eight numbers; by reference only, like Doubles4. Their alignment is stated, since without AVX a compiler gives them
// half of what functions compiled for AVX2 rely on.
using Floats8 = float __attribute__((vector_size(32), aligned(32)));
using Flags8 = int __attribute__((vector_size(32), aligned(32))); ///< What comparing Floats8 gives.

// Macros, since a function cannot return Doubles4: see there. Lanes 0 to 3 are of a, 4 to 7 of b.
#define SELVAGE_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#if defined(__wasm_simd128__)
#define SELVAGE_TO_FLOATS(doubles) selvage::floats_of(doubles)
#define SELVAGE_TO_DOUBLES(floats) selvage::doubles_of(floats)
/// The compiler gives up lanes that nobody reads, and engines know a shuffle as one instruction only where it is whole:
/// without this it takes them eight.
SELVAGE_INLINE Floats4 kept_whole(Floats4 lanes) {
    __asm__("" : "+r"(lanes));
    return lanes;
}
using Doubles2 = double __attribute__((vector_size(16)));
/// Two doubles as floats, and two zeros. The compiler must not look through it: it would convert all four one by one.
inline Floats4 two_floats(v128_t doubles) {
    Floats4 floats = reinterpret_cast<Floats4>(wasm_f32x4_demote_f64x2_zero(doubles));
    __asm__("" : "+r"(floats));
    return floats;
}
inline Floats4 floats_of(const Doubles4& doubles) {
    const Floats4 low = two_floats(reinterpret_cast<v128_t>(__builtin_shufflevector(doubles, doubles, 0, 1)));
    const Floats4 high = two_floats(reinterpret_cast<v128_t>(__builtin_shufflevector(doubles, doubles, 2, 3)));
    return __builtin_shufflevector(low, high, 0, 1, 4, 5);
}
SELVAGE_INLINE Doubles4 doubles_of(Floats4 floats) {
    const Floats4 last = kept_whole(__builtin_shufflevector(floats, floats, 2, 3, 2, 3));
    const v128_t low = wasm_f64x2_promote_low_f32x4(reinterpret_cast<v128_t>(floats));
    const v128_t high = wasm_f64x2_promote_low_f32x4(reinterpret_cast<v128_t>(last));
    return __builtin_shufflevector(reinterpret_cast<Doubles2>(low), reinterpret_cast<Doubles2>(high), 0, 1, 2, 3);
}
#else
#define SELVAGE_TO_FLOATS(doubles) __builtin_convertvector(doubles, selvage::Floats4)
#define SELVAGE_TO_DOUBLES(floats) __builtin_convertvector(floats, selvage::Doubles4)
SELVAGE_INLINE Floats4 kept_whole(Floats4 lanes) {
    return lanes;
}
#endif
/// Lane by lane `a` where the comparison holds, else `b`; also for plain numbers.
#define SELVAGE_SELECT(comparison, a, b) ((comparison) ? (a) : (b))

/// Bit k is set where lane k holds.
inline unsigned lane_bits(const Flags4& flags) {
#if defined(__SSE__)
    return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(flags)));
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask(reinterpret_cast<v128_t>(flags));
#else
    return static_cast<unsigned>((flags[0] & 1) | (flags[1] & 2) | (flags[2] & 4) | (flags[3] & 8));
#endif
}
SELVAGE_INLINE unsigned lane_bits(const Flags8& flags) {
    const Flags4 low = __builtin_shufflevector(flags, flags, 0, 1, 2, 3);
    const Flags4 high = __builtin_shufflevector(flags, flags, 4, 5, 6, 7);
    return lane_bits(low) | lane_bits(high) << 4;
}

#else

using Floats4 = plain::Lanes<float, 4>;
using Doubles4 = plain::Lanes<double, 4>;
using Flags4 = plain::Flags<4>;
using Floats8 = plain::Lanes<float, 8>;
using Flags8 = plain::Flags<8>;

#define SELVAGE_SHUFFLE(a, b, i, j, k, l) selvage::plain::shuffle<i, j, k, l>(a, b)
#define SELVAGE_TO_FLOATS(doubles) selvage::plain::convert<float>(doubles)
#define SELVAGE_TO_DOUBLES(floats) selvage::plain::convert<double>(floats)
#define SELVAGE_SELECT(comparison, a, b) selvage::plain::select(comparison, a, b)

using plain::lane_bits;

inline Floats4 kept_whole(const Floats4& lanes) {
    return lanes;
}

#endif

/// Square roots, for formulas that are written for a number and for a register of several. By reference: see Doubles4.
SELVAGE_INLINE void take_root(const double& of, double& root) {
    root = std::sqrt(of);
}
SELVAGE_INLINE void take_root(const Doubles4& of, Doubles4& root) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    const Doubles2 low = __builtin_shufflevector(of, of, 0, 1), high = __builtin_shufflevector(of, of, 2, 3);
    root = __builtin_shufflevector(reinterpret_cast<Doubles2>(wasm_f64x2_sqrt(reinterpret_cast<v128_t>(low))),
                                   reinterpret_cast<Doubles2>(wasm_f64x2_sqrt(reinterpret_cast<v128_t>(high))), 0, 1, 2,
                                   3);
#else
    for (int k = 0; k < 4; ++k)
        root[k] = std::sqrt(of[k]);
#endif
}
SELVAGE_INLINE void take_root(const Floats8& of, Floats8& root) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    const Floats4 low = __builtin_shufflevector(of, of, 0, 1, 2, 3), high = __builtin_shufflevector(of, of, 4, 5, 6, 7);
    root = __builtin_shufflevector(reinterpret_cast<Floats4>(wasm_f32x4_sqrt(reinterpret_cast<v128_t>(low))),
                                   reinterpret_cast<Floats4>(wasm_f32x4_sqrt(reinterpret_cast<v128_t>(high))), 0, 1, 2,
                                   3, 4, 5, 6, 7);
#else
    for (int k = 0; k < 8; ++k)
        root[k] = std::sqrt(of[k]);
#endif
}

/// Eight or four numbers from memory of any alignment, and back.
SELVAGE_INLINE void load(const float* from, Floats8& to) {
    std::memcpy(&to, from, sizeof(to));
}
SELVAGE_INLINE void load(const float* from, Floats4& to) {
    std::memcpy(&to, from, sizeof(to));
}
SELVAGE_INLINE void store(const Floats8& from, float* to) {
    std::memcpy(to, &from, sizeof(from));
}
SELVAGE_INLINE void store(const Floats4& from, float* to) {
    std::memcpy(to, &from, sizeof(from));
}

/// The same number in all lanes.
SELVAGE_INLINE void fill(float value, Floats8& to) {
    to = Floats8{value, value, value, value, value, value, value, value};
}

/// Lane by lane the larger, or the smaller, of two; b where they are equal or cannot be compared.
SELVAGE_INLINE void take_larger(const Floats4& a, const Floats4& b, Floats4& larger) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    larger = reinterpret_cast<Floats4>(wasm_f32x4_pmax(reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(a)));
#else
    larger = SELVAGE_SELECT(a > b, a, b);
#endif
}
SELVAGE_INLINE void take_smaller(const Floats4& a, const Floats4& b, Floats4& smaller) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    smaller = reinterpret_cast<Floats4>(wasm_f32x4_pmin(reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(a)));
#else
    smaller = SELVAGE_SELECT(a < b, a, b);
#endif
}
SELVAGE_INLINE void take_larger(const Floats8& a, const Floats8& b, Floats8& larger) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    Floats4 low, high;
    take_larger(__builtin_shufflevector(a, a, 0, 1, 2, 3), __builtin_shufflevector(b, b, 0, 1, 2, 3), low);
    take_larger(__builtin_shufflevector(a, a, 4, 5, 6, 7), __builtin_shufflevector(b, b, 4, 5, 6, 7), high);
    larger = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    larger = SELVAGE_SELECT(a > b, a, b);
#endif
}
SELVAGE_INLINE void take_smaller(const Floats8& a, const Floats8& b, Floats8& smaller) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    Floats4 low, high;
    take_smaller(__builtin_shufflevector(a, a, 0, 1, 2, 3), __builtin_shufflevector(b, b, 0, 1, 2, 3), low);
    take_smaller(__builtin_shufflevector(a, a, 4, 5, 6, 7), __builtin_shufflevector(b, b, 4, 5, 6, 7), high);
    smaller = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    smaller = SELVAGE_SELECT(a < b, a, b);
#endif
}

/// Eight or four points of four numbers, with one register for each of the four.
struct Points8 {
    Floats8 x, y, z, w;
};
struct Points4 {
    Floats4 x, y, z, w;
};

/// Two registers of four as one of eight, and back.
SELVAGE_INLINE void join(const Floats4& low, const Floats4& high, Floats8& to) {
#if SELVAGE_VECTORS
    to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    for (int k = 0; k < 4; ++k)
        to[k] = low[k], to[k + 4] = high[k];
#endif
}
SELVAGE_INLINE void split(const Floats8& from, Floats4& low, Floats4& high) {
#if SELVAGE_VECTORS
    low = __builtin_shufflevector(from, from, 0, 1, 2, 3);
    high = __builtin_shufflevector(from, from, 4, 5, 6, 7);
#else
    for (int k = 0; k < 4; ++k)
        low[k] = from[k], high[k] = from[k + 4];
#endif
}

/// Points of four numbers with one register for each of the four.
SELVAGE_INLINE void turn(const Floats4& a, const Floats4& b, const Floats4& c, const Floats4& d, Points4& to) {
    const Floats4 ab_xy = kept_whole(SELVAGE_SHUFFLE(a, b, 0, 4, 1, 5));
    const Floats4 cd_xy = kept_whole(SELVAGE_SHUFFLE(c, d, 0, 4, 1, 5));
    const Floats4 ab_zw = kept_whole(SELVAGE_SHUFFLE(a, b, 2, 6, 3, 7));
    const Floats4 cd_zw = kept_whole(SELVAGE_SHUFFLE(c, d, 2, 6, 3, 7));
    to.x = SELVAGE_SHUFFLE(ab_xy, cd_xy, 0, 1, 4, 5);
    to.y = SELVAGE_SHUFFLE(ab_xy, cd_xy, 2, 3, 6, 7);
    to.z = SELVAGE_SHUFFLE(ab_zw, cd_zw, 0, 1, 4, 5);
    to.w = SELVAGE_SHUFFLE(ab_zw, cd_zw, 2, 3, 6, 7);
}
SELVAGE_INLINE void turn(const Floats4& a, const Floats4& b, const Floats4& c, const Floats4& d, const Floats4& e,
                         const Floats4& f, const Floats4& g, const Floats4& h, Points8& to) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    Points4 low, high;
    turn(a, b, c, d, low);
    turn(e, f, g, h, high);
    join(low.x, high.x, to.x), join(low.y, high.y, to.y), join(low.z, high.z, to.z), join(low.w, high.w, to.w);
#elif SELVAGE_VECTORS
    const Floats8 ae = __builtin_shufflevector(a, e, 0, 1, 2, 3, 4, 5, 6, 7);
    const Floats8 bf = __builtin_shufflevector(b, f, 0, 1, 2, 3, 4, 5, 6, 7);
    const Floats8 cg = __builtin_shufflevector(c, g, 0, 1, 2, 3, 4, 5, 6, 7);
    const Floats8 dh = __builtin_shufflevector(d, h, 0, 1, 2, 3, 4, 5, 6, 7);
    const Floats8 ab_xy = __builtin_shufflevector(ae, bf, 0, 8, 1, 9, 4, 12, 5, 13);
    const Floats8 ab_zw = __builtin_shufflevector(ae, bf, 2, 10, 3, 11, 6, 14, 7, 15);
    const Floats8 cd_xy = __builtin_shufflevector(cg, dh, 0, 8, 1, 9, 4, 12, 5, 13);
    const Floats8 cd_zw = __builtin_shufflevector(cg, dh, 2, 10, 3, 11, 6, 14, 7, 15);
    to.x = __builtin_shufflevector(ab_xy, cd_xy, 0, 1, 8, 9, 4, 5, 12, 13);
    to.y = __builtin_shufflevector(ab_xy, cd_xy, 2, 3, 10, 11, 6, 7, 14, 15);
    to.z = __builtin_shufflevector(ab_zw, cd_zw, 0, 1, 8, 9, 4, 5, 12, 13);
    to.w = __builtin_shufflevector(ab_zw, cd_zw, 2, 3, 10, 11, 6, 7, 14, 15);
#else
    const Floats4* const point[8] = {&a, &b, &c, &d, &e, &f, &g, &h};
    for (int k = 0; k < 8; ++k) {
        const Floats4& p = *point[k];
        to.x[k] = p[0], to.y[k] = p[1], to.z[k] = p[2], to.w[k] = p[3];
    }
#endif
}

/// The points of eight indices into Points8, and back. The indices differ, or are of points that nothing is written to.
SELVAGE_INLINE void gather(const Floats4* points, const int* index, Points8& to) {
    turn(points[index[0]], points[index[1]], points[index[2]], points[index[3]], points[index[4]], points[index[5]],
         points[index[6]], points[index[7]], to);
}
/// The points that begin at eight places of an array of numbers: a machine needs no shift to find them. Each place is a
/// multiple of four, the array aligned as Floats4 is.
SELVAGE_INLINE void gather(const float* numbers, const int* place, Points8& to) {
    const auto at = [&](int k) -> const Floats4& { return *reinterpret_cast<const Floats4*>(numbers + place[k]); };
    turn(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), to);
}
SELVAGE_INLINE void gather(const float* numbers, const int* place, Points4& to) {
    const auto at = [&](int k) -> const Floats4& { return *reinterpret_cast<const Floats4*>(numbers + place[k]); };
    turn(at(0), at(1), at(2), at(3), to);
}
/// Points that follow one another.
SELVAGE_INLINE void load(const Floats4* p, Points8& to) {
    turn(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], to);
}
SELVAGE_INLINE void load(const Floats4* p, Points4& to) {
    turn(p[0], p[1], p[2], p[3], to);
}
SELVAGE_INLINE void scatter(const Points8& from, const int* index, Floats4* points) {
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
    Points4 low, high, a, e;
    split(from.x, low.x, high.x), split(from.y, low.y, high.y), split(from.z, low.z, high.z);
    split(from.w, low.w, high.w);
    turn(low.x, low.y, low.z, low.w, a);
    turn(high.x, high.y, high.z, high.w, e);
    points[index[0]] = a.x, points[index[1]] = a.y, points[index[2]] = a.z, points[index[3]] = a.w;
    points[index[4]] = e.x, points[index[5]] = e.y, points[index[6]] = e.z, points[index[7]] = e.w;
#elif SELVAGE_VECTORS
    const Floats8 xy_low = __builtin_shufflevector(from.x, from.y, 0, 8, 1, 9, 4, 12, 5, 13); // x0 y0 x1 y1 x4 ...
    const Floats8 xy_high = __builtin_shufflevector(from.x, from.y, 2, 10, 3, 11, 6, 14, 7, 15);
    const Floats8 zw_low = __builtin_shufflevector(from.z, from.w, 0, 8, 1, 9, 4, 12, 5, 13);
    const Floats8 zw_high = __builtin_shufflevector(from.z, from.w, 2, 10, 3, 11, 6, 14, 7, 15);
    const Floats8 ae = __builtin_shufflevector(xy_low, zw_low, 0, 1, 8, 9, 4, 5, 12, 13);
    const Floats8 bf = __builtin_shufflevector(xy_low, zw_low, 2, 3, 10, 11, 6, 7, 14, 15);
    const Floats8 cg = __builtin_shufflevector(xy_high, zw_high, 0, 1, 8, 9, 4, 5, 12, 13);
    const Floats8 dh = __builtin_shufflevector(xy_high, zw_high, 2, 3, 10, 11, 6, 7, 14, 15);
    points[index[0]] = __builtin_shufflevector(ae, ae, 0, 1, 2, 3);
    points[index[1]] = __builtin_shufflevector(bf, bf, 0, 1, 2, 3);
    points[index[2]] = __builtin_shufflevector(cg, cg, 0, 1, 2, 3);
    points[index[3]] = __builtin_shufflevector(dh, dh, 0, 1, 2, 3);
    points[index[4]] = __builtin_shufflevector(ae, ae, 4, 5, 6, 7);
    points[index[5]] = __builtin_shufflevector(bf, bf, 4, 5, 6, 7);
    points[index[6]] = __builtin_shufflevector(cg, cg, 4, 5, 6, 7);
    points[index[7]] = __builtin_shufflevector(dh, dh, 4, 5, 6, 7);
#else
    for (int k = 0; k < 8; ++k)
        points[index[k]] = Floats4{{from.x[k], from.y[k], from.z[k], from.w[k]}};
#endif
}
SELVAGE_INLINE void store(const Points8& from, Floats4* to) {
    constexpr int kInOrder[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    scatter(from, kInOrder, to);
}
SELVAGE_INLINE void store(const Points4& from, Floats4* to) {
    Points4 back;
    turn(from.x, from.y, from.z, from.w, back);
    to[0] = back.x, to[1] = back.y, to[2] = back.z, to[3] = back.w;
}

/// For loops that keep very many numbers alive: as many lanes as the machine's registers have. Twice as many, done in
/// halves, would be put aside in memory and read again.
#if SELVAGE_VECTORS && defined(__wasm_simd128__)
using OwnFloats = Floats4;
using OwnPoints = Points4;
#else
using OwnFloats = Floats8;
using OwnPoints = Points8;
#endif

} // namespace selvage
