#pragma once

/// For a hot function written with vector types: compiles it for AVX2 as well and picks at start-up what the machine has.
/// The operations are the same, so are the bits. Not under sanitizers, whose start-up comes too late for the choice.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SELVAGE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SELVAGE_WIDE
#endif
