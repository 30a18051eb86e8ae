#pragma once

#include <cstdio>
#include <cstdlib>

/// A broken precondition is a bug in the caller: stop at once and say where. Stays on in Release; keep it out of hot loops.
#define SELVAGE_ASSERT(condition)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition);                     \
            std::abort();                                                                                              \
        }                                                                                                              \
    } while (false)
