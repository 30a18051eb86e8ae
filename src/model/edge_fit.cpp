// Three springs along the edges of a triangle of woven cloth.
//
// An edge of length l in direction (c, s) of the cloth elongates by l q . (eu, ev, gamma), q = (c^2, s^2, c s). Springs k
// along the edges therefore give the triangle the stiffness  C = sum x q q^T,  x = k l^2 / area,  where the fabric has
// diag(Yu, Yv, G). Three numbers cannot give the six of C, so two fits are made:
//   at equal strain  C comes closest to the fabric's. Exact where edges follow the threads. Elsewhere edges between the
//                    threads come out slack, the triangle narrows as it is pulled, and the cloth yields too easily.
//   at equal stress  C^-1 = sum p p^T / x, p the rows of (q1 q2 q3)^-1, comes closest to 1/Yu, 1/Yv, 1/G: pulled alone,
//                    the triangle stretches along each thread as the fabric does. In a mesh it is too stiff, since its
//                    neighbours keep it from narrowing.
// The triangles of a mesh share neither strain nor stress, and the truth lies between, as for the grains of a metal
// (Hill 1952). Geometric mean; the farther the first fit alone yields, the more counts the second. Moduli that whole
// meshes come out with: docs/records/spring-fit.md.

#include "model/edge_fit.h"

#include <algorithm>

#include "math/functions.h"

namespace selvage {

namespace {

using Three = std::array<double, 3>;
using Three3 = std::array<Three, 3>;

constexpr double kMostEdge = 20.0;       // times the fabric's stiffness along the edge; springs beyond only cost steps
constexpr double kStressPart = 0.6;      // of the fit at equal stress, where the other yields altogether; measured
constexpr double kEnough = 0.85;         // of the fabric's stiffness: then the first fit stands alone
constexpr double kShearWeight = 1e-3;    // threads come first
constexpr double kCouplingWeight = 1e-3; // likewise: off-diagonal terms are not asked for, only discouraged
constexpr double kEvenness = 1e-3;       // weight of the fabric's stiffness along each edge, where others do not decide
constexpr double kLeastDeterminant = 1e-6; // determinant of the directions q; below it edges are parallel

double determinant(const Three3& m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// Least of x . normal x / 2 - right . x within the bounds. Every unknown is free or at one of its bounds: of those 27
/// answers the best is taken that keeps to the bounds.
struct BoundedFit {
    Three3 normal{};
    Three right{}, low{}, high{};

    double value(const Three& x) const {
        double sum = 0.0;
        for (int e = 0; e < 3; ++e) {
            sum -= right[e] * x[e];
            for (int f = 0; f < 3; ++f)
                sum += 0.5 * x[e] * normal[e][f] * x[f];
        }
        return sum;
    }
    /// `state[e]`: 0 at the lower bound, 1 at the upper, 2 free.
    bool solve(const std::array<int, 3>& state, Three& x) const {
        Three3 m = normal;
        Three r = right;
        for (int e = 0; e < 3; ++e) {
            if (state[e] == 2) continue;
            m[e] = {};
            m[e][e] = 1.0;
            r[e] = state[e] == 0 ? low[e] : high[e];
        }
        const double det = determinant(m);
        double size = 1.0;
        for (int e = 0; e < 3; ++e)
            size *= m[e][e];
        if (!(std::abs(det) > 1e-13 * std::abs(size))) return false; // no single answer: one at a bound is as good
        for (int e = 0; e < 3; ++e) {
            Three3 replaced = m;
            for (int row = 0; row < 3; ++row)
                replaced[row][e] = r[row];
            x[e] = state[e] == 2 ? determinant(replaced) / det : r[e];
            if (!(x[e] >= low[e] && x[e] <= high[e])) return false;
        }
        return true;
    }
    Three best() const {
        Three found = low;
        double least = value(found);
        for (int n = 1; n < 27; ++n) {
            Three x{};
            if (!solve({n % 3, n / 3 % 3, n / 9}, x)) continue;
            const double v = value(x);
            if (v < least) {
                least = v;
                found = x;
            }
        }
        return found;
    }
};

/// x for which C comes closest to the fabric's.
Three fit_at_equal_strain(const Three3& q, const Three& target, const Three& along) {
    BoundedFit fit;
    for (int e = 0; e < 3; ++e) {
        for (int f = 0; f < 3; ++f)
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    fit.normal[e][f] += (a == b ? 1.0 : kCouplingWeight) * q[e][a] * q[e][b] * q[f][a] * q[f][b];
        for (int a = 0; a < 3; ++a)
            fit.right[e] += q[e][a] * q[e][a] * target[a];
        fit.low[e] = kLeastEdge * along[e];
        fit.high[e] = kMostEdge * along[e];
    }
    return fit.best();
}

/// x for which the diagonal of C^-1, times the fabric's numbers, comes closest to ones.
Three fit_at_equal_stress(const Three3& q, double det, const Three& target, const Three& along) {
    Three3 share{}; // [edge][a]: of 1/x in the diagonal entry a
    for (int e = 0; e < 3; ++e)
        for (int a = 0; a < 3; ++a) {
            const int f = (e + 1) % 3, g = (e + 2) % 3, b = (a + 1) % 3, c = (a + 2) % 3;
            const double p = (q[f][b] * q[g][c] - q[f][c] * q[g][b]) / det;
            share[e][a] = p * p * target[a];
        }
    BoundedFit fit;
    for (int e = 0; e < 3; ++e) {
        for (int a = 0; a < 3; ++a) {
            const double weight = a == 2 ? kShearWeight : 1.0;
            fit.right[e] += weight * share[e][a] / along[e];
            for (int f = 0; f < 3; ++f)
                fit.normal[e][f] += weight * share[e][a] / along[e] * share[f][a] / along[f];
        }
        // Of two edges that mirror each other only the sum counts: the same for both, then.
        fit.normal[e][e] += kEvenness;
        fit.right[e] += kEvenness;
        fit.low[e] = 1.0 / kMostEdge; // of along / x
        fit.high[e] = 1.0 / kLeastEdge;
    }
    Three x = fit.best();
    for (int e = 0; e < 3; ++e)
        x[e] = along[e] / x[e];
    return x;
}

/// Of the fabric's stiffness along the thread that yields more, how much the triangle has when pulled alone.
double weaker_thread(const Three3& q, const Three& x, const Three& target) {
    Three3 c{};
    for (int e = 0; e < 3; ++e)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                c[a][b] += x[e] * q[e][a] * q[e][b];
    const double det = determinant(c);
    const double along_warp = det / (c[1][1] * c[2][2] - c[1][2] * c[2][1]);
    const double along_weft = det / (c[0][0] * c[2][2] - c[0][2] * c[2][0]);
    const double least = std::min(along_warp / target[0], along_weft / target[1]);
    return least > 0.0 ? std::min(least, 1.0) : 0.0; // 0 for what rounding makes of no stiffness at all
}

} // namespace

std::array<double, 3> fit_edges(const std::array<Vec2, 3>& edge, double area, const Material& material) {
    const Three target = {material.stretch_warp, material.stretch_weft, material.shear};
    Three3 q{};
    Three squared{}, along{};
    for (int e = 0; e < 3; ++e) {
        squared[e] = edge[e].x * edge[e].x + edge[e].y * edge[e].y;
        if (!(squared[e] > 0.0)) return {0.0, 0.0, 0.0};
        q[e] = {edge[e].x * edge[e].x / squared[e], edge[e].y * edge[e].y / squared[e],
                edge[e].x * edge[e].y / squared[e]};
        along[e] = target[0] * q[e][0] + target[1] * q[e][1];
    }
    Three x = fit_at_equal_strain(q, target, along);
    const double det = determinant(q);
    const bool stiff = std::min({target[0], target[1], along[0], along[1], along[2]}) > 0.0;
    if (stiff && std::abs(det) > kLeastDeterminant) {
        const double part = kStressPart * std::max(0.0, 1.0 - weaker_thread(q, x, target) / kEnough);
        const Three y = fit_at_equal_stress(q, det, target, along);
        for (int e = 0; e < 3; ++e)
            x[e] = maths::pow(x[e], 1.0 - part) * maths::pow(y[e], part);
    }
    for (int e = 0; e < 3; ++e)
        x[e] *= area / squared[e];
    return x;
}

} // namespace selvage
