#pragma once

#include <cmath>
#include <vector>

#include "base/thread_pool.h"
#include "math/vec.h"

namespace selvage {

struct CgSettings {
    double tolerance = 1e-6; ///< Stop when the preconditioned residual norm has shrunk by this factor.
    int max_iterations = 500;
};

struct CgResult {
    int iterations = 0;
    double residual = 0.0; ///< Final preconditioned residual norm relative to the first.
    bool definite = true;  ///< False when a direction of negative curvature stopped the run.
};

/// Scratch of one solve, sized once.
struct CgBuffers {
    std::vector<Vec3> residual, preconditioned, direction, product;
    void resize(std::size_t n) {
        for (std::vector<Vec3>* buffer : {&residual, &preconditioned, &direction, &product})
            buffer->resize(n);
    }
};

/// Solves A x = b for symmetric positive definite A, starting from x = 0. `apply(i, p)` is row i of A p and
/// `precondition(i, r)` row i of the preconditioned residual; both must return zero for rows that are held, which
/// filters those out of the system. Dots are added in a fixed order: the answer does not depend on the threads.
template <class Apply, class Precondition>
CgResult solve_cg(ThreadPool& pool, const CgSettings& settings, const Apply& apply, const Precondition& precondition,
                  const std::vector<Vec3>& b, std::vector<Vec3>& x, CgBuffers& buffers) {
    const int n = static_cast<int>(b.size());
    // No structured binding: clang before 16 captures none.
    std::vector<Vec3>&r = buffers.residual, &z = buffers.preconditioned, &p = buffers.direction, &q = buffers.product;
    // Each pass writes its rows and returns their share of the dot that follows.
    double rz = pool.sum<double>(n, [&](int i) {
        x[i] = {};
        r[i] = b[i];
        p[i] = z[i] = precondition(i, b[i]);
        return dot(r[i], z[i]);
    });
    const double first = rz;
    CgResult result;
    // rz is a squared norm, so the factor is squared as well.
    const double enough = settings.tolerance * settings.tolerance * first;
    while (rz > enough && result.iterations < settings.max_iterations) {
        const double curvature = pool.sum<double>(n, [&](int i) {
            q[i] = apply(i, p);
            return dot(p[i], q[i]);
        });
        if (!(curvature > 0.0)) {
            result.definite = false;
            break;
        }
        const double alpha = rz / curvature;
        const double next = pool.sum<double>(n, [&](int i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            z[i] = precondition(i, r[i]);
            return dot(r[i], z[i]);
        });
        const double beta = next / rz;
        rz = next;
        pool.for_each(n, [&](int i) { p[i] = z[i] + beta * p[i]; });
        ++result.iterations;
    }
    result.residual = first > 0.0 ? std::sqrt(rz / first) : 0.0;
    return result;
}

} // namespace selvage
