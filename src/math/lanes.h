#pragma once

#include <cmath>

namespace selvage {

/// Square roots, for formulas that are written for a number and for a register of several. By reference, since registers
/// passed by value would tie the calls to one kind of machine.
[[gnu::always_inline]] inline void take_root(const double& of, double& root) {
    root = std::sqrt(of);
}
template <class T>
[[gnu::always_inline]] inline void take_root(const T& of, T& root) {
    for (unsigned k = 0; k < sizeof(T) / sizeof(double); ++k)
        root[k] = std::sqrt(of[k]);
}

} // namespace selvage
