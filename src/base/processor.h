#pragma once

// What the processor can do that C++ has no words for, apart from vectors (math/simd.h).

#include <atomic>
#include <cfenv>
#include <cstdint>

#if defined(__EMSCRIPTEN_PTHREADS__)
#include <emscripten/threading.h>
#endif

#if defined(__x86_64__) || defined(_M_X64) || (defined(__i386__) && defined(__SSE__))
#define SELVAGE_HAS_MXCSR 1
#include <xmmintrin.h>
#else
#define SELVAGE_HAS_MXCSR 0
#endif

namespace selvage {

/// In a loop that waits for another thread: leaves the core to its other half for a moment.
inline void pause_briefly() {
#if SELVAGE_HAS_MXCSR
    _mm_pause();
#endif
}

/// How often a thread looks for work before it sleeps, for about 20 to 50 microseconds. WebAssembly has no pause: there it
/// takes ten times as many looks.
#if defined(__wasm__)
inline constexpr int kLooksBeforeSleep = 40000;
#else
inline constexpr int kLooksBeforeSleep = 4000;
#endif

/// Sleeps until somebody wakes those who sleep on the word, unless it holds another value already; may also return for no
/// reason. Emscripten's library looks at the word again and again after ever longer naps; WebAssembly itself can do better,
/// but not on a page's own thread, which goes on looking.
inline void sleep_while(std::atomic<std::uint64_t>& word, std::uint64_t value) {
#if defined(__EMSCRIPTEN_PTHREADS__)
    static_assert(sizeof word == sizeof value);
    if (emscripten_is_main_browser_thread()) return;
    __builtin_wasm_memory_atomic_wait64(reinterpret_cast<long long*>(&word), static_cast<long long>(value), -1);
#else
    word.wait(value, std::memory_order_acquire);
#endif
}
inline void wake_sleepers(std::atomic<std::uint64_t>& word) {
#if defined(__EMSCRIPTEN_PTHREADS__)
    __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&word), ~0u);
#else
    word.notify_all();
#endif
}

/// How this thread rounds, and what it does with numbers too small to be normal: the processor's own word for it.
using FloatControl = std::uint64_t;

#if SELVAGE_HAS_MXCSR

#if defined(__GNUC__) // the x87 has a word of its own, which the C library's strtod asks how to round
inline FloatControl x87_control() {
    std::uint16_t control = 0;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control;
}
inline void set_x87_control(FloatControl control) {
    const auto word = static_cast<std::uint16_t>(control);
    __asm__ volatile("fldcw %0" : : "m"(word));
}
inline constexpr FloatControl kPlainX87 = 0x37f;
#else
inline FloatControl x87_control() {
    return 0;
}
inline void set_x87_control(FloatControl) {}
inline constexpr FloatControl kPlainX87 = 0;
#endif

/// To nearest, subnormal numbers kept, no traps; the x87's word in the upper half.
inline constexpr FloatControl kPlainFloatControl = 0x1f80 | kPlainX87 << 32;
inline FloatControl float_control() {
    return _mm_getcsr() | x87_control() << 32;
}
inline void set_float_control(FloatControl control) {
    _mm_setcsr(static_cast<unsigned>(control));
    set_x87_control(control >> 32);
}
/// But for the flags that past operations have left.
inline bool is_plain(FloatControl control) {
    constexpr FloatControl kFlags = 0x3f;
    return (control & ~kFlags) == kPlainFloatControl;
}

#elif defined(__aarch64__) && defined(__GNUC__)

inline constexpr FloatControl kPlainFloatControl = 0;
inline FloatControl float_control() {
    FloatControl control = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}
inline void set_float_control(FloatControl control) {
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
inline bool is_plain(FloatControl control) {
    return control == kPlainFloatControl;
}

#else // rounding is all that standard C++ knows of; WebAssembly has no other mode anyway

inline constexpr FloatControl kPlainFloatControl = FE_TONEAREST;
inline FloatControl float_control() {
    return static_cast<FloatControl>(std::fegetround());
}
inline void set_float_control(FloatControl control) {
    std::fesetround(static_cast<int>(control));
}
inline bool is_plain(FloatControl control) {
    return control == kPlainFloatControl;
}

#endif

} // namespace selvage
