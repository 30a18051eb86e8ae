#include "solvers/parts/rigid_motion.h"

#include <array>
#include <utility>

namespace selvage {

namespace {

struct Linear {
    double mass = 0.0;
    Vec3 moment, momentum; // sum m x, sum m v
    Linear& operator+=(const Linear& other) {
        mass += other.mass;
        moment += other.moment;
        momentum += other.momentum;
        return *this;
    }
};

struct Angular {
    Vec3 moment;       // sum m r: the round-off of the centre
    Vec3 momentum;     // sum m r x v
    double xx, yy, zz; // sum m r_x^2, ...
    double xy, yz, zx;
    Angular& operator+=(const Angular& other) {
        moment += other.moment;
        momentum += other.momentum;
        xx += other.xx;
        yy += other.yy;
        zz += other.zz;
        xy += other.xy;
        yz += other.yz;
        zx += other.zx;
        return *this;
    }
};

/// A solution of I omega = l for a positive semidefinite I whose null space l avoids: elimination with the largest
/// pivot first, rows that vanish left out. Any solution will do, as those rotations move no point.
Vec3 solve_semidefinite(const Angular& a) {
    std::array<std::array<double, 4>, 3> m = {{{a.yy + a.zz, -a.xy, -a.zx, a.momentum.x},
                                               {-a.xy, a.zz + a.xx, -a.yz, a.momentum.y},
                                               {-a.zx, -a.yz, a.xx + a.yy, a.momentum.z}}};
    // Below this fraction of the trace a pivot is round-off: the points lie on a line to 1e-6 of their extent.
    const double least = 1e-12 * (a.xx + a.yy + a.zz);
    std::array<int, 3> order = {0, 1, 2};
    std::array<double, 3> omega{};
    int rank = 0;
    for (; rank < 3; ++rank) {
        int best = rank;
        for (int i = rank + 1; i < 3; ++i)
            if (m[order[i]][order[i]] > m[order[best]][order[best]]) best = i;
        std::swap(order[rank], order[best]);
        const int p = order[rank];
        if (!(m[p][p] > least)) break;
        for (int i = rank + 1; i < 3; ++i) {
            const int q = order[i];
            const double factor = m[q][p] / m[p][p];
            for (int j = 0; j < 4; ++j)
                m[q][j] -= factor * m[p][j];
        }
    }
    for (int k = rank; k-- > 0;) {
        const int p = order[k];
        double sum = m[p][3];
        for (int j = k + 1; j < rank; ++j)
            sum -= m[p][order[j]] * omega[order[j]];
        omega[p] = sum / m[p][p];
    }
    return {omega[0], omega[1], omega[2]};
}

} // namespace

void remove_rigid_motion(ThreadPool& pool, const std::vector<double>& mass, const std::vector<Vec3>& x,
                         std::span<const int> points, std::vector<Vec3>& v) {
    const int n = static_cast<int>(points.size());
    const Linear linear = pool.sum<Linear>(n, [&](int k) {
        const int i = points[k];
        return Linear{mass[i], mass[i] * x[i], mass[i] * v[i]};
    });
    if (!(linear.mass > 0.0)) return;
    const Vec3 centre = linear.moment / linear.mass, mean = linear.momentum / linear.mass;
    const Angular angular = pool.sum<Angular>(n, [&](int k) {
        const int i = points[k];
        const Vec3 r = x[i] - centre, mr = mass[i] * r;
        return Angular{mr,        cross(mr, v[i] - mean), mr.x * r.x, mr.y * r.y, mr.z * r.z, mr.x * r.y, mr.y * r.z,
                       mr.z * r.x};
    });
    const Vec3 omega = solve_semidefinite(angular);
    // Far from the origin the centre is rounded in the same direction every time; rotating about the wrong point would
    // add up to a drift.
    const Vec3 shift = mean - cross(omega, angular.moment / linear.mass);
    pool.for_each(n, [&](int k) { v[points[k]] -= shift + cross(omega, x[points[k]] - centre); });
}

} // namespace selvage
