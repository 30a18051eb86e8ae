#include "model/membrane.h"

#include <algorithm>
#include <cmath>

namespace selvage {

MembraneTriangle make_membrane_triangle(const Vec2& e1, const Vec2& e2, double stretch_u, double stretch_v,
                                        double shear) {
    const double determinant = e1.x * e2.y - e2.x * e1.y; // twice the area
    const double longest = std::max(e1.x * e1.x + e1.y * e1.y, e2.x * e2.x + e2.y * e2.y);
    // Thinner than a millionth of its length: its strains would be noise.
    if (!(std::abs(determinant) > 1e-6 * longest)) return {};
    const double area = 0.5 * std::abs(determinant);
    return {e2.y / determinant, -e2.x / determinant, -e1.y / determinant, e1.x / determinant,
            area * stretch_u,   area * stretch_v,    area * shear};
}

double membrane_energy(const MembraneTriangle& t, const Vec3& e1, const Vec3& e2, const MembraneLaw& law) {
    const MembraneResponse r = respond(t, e1, e2, {law.compression, 0.0}, {});
    return 0.5 * (r.tension_u * r.strain.u + r.tension_v * r.strain.v + r.tension_shear * r.strain.shear);
}

std::array<double, 81> membrane_hessian(const MembraneTriangle& t, const Vec3& e1, const Vec3& e2,
                                        const MembraneLaw& law, MembraneHessian kind) {
    const MembraneResponse r = respond(t, e1, e2, law, {});
    const bool exact = kind == MembraneHessian::exact;
    const Vec3 fu = r.length_u * r.warp, fv = r.length_v * r.weft;
    const double across_u = (exact ? r.tension_u : std::max(0.0, r.tension_u)) / std::max(r.length_u, kLeastStretch);
    const double across_v = (exact ? r.tension_v : std::max(0.0, r.tension_v)) / std::max(r.length_v, kLeastStretch);
    const std::array<double, 3> u{-t.u1 - t.u2, t.u1, t.u2}, v{-t.v1 - t.v2, t.v1, t.v2};
    const auto entries = [](const Vec3& p) { return std::array<double, 3>{p.x, p.y, p.z}; };
    std::array<double, 81> h{};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            const double uu = u[a] * u[b], vv = v[a] * v[b];
            const auto qa = entries(u[a] * fv + v[a] * fu), qb = entries(u[b] * fv + v[b] * fu);
            const auto nu = entries(r.warp), nv = entries(r.weft);
            double equal = across_u * uu + across_v * vv;
            // The shear tension s couples f_u and f_v by [[0, s], [s, 0]], whose positive half is |s|/2 [[1, 1], [1,
            // 1]] up to the sign of s off the diagonal.
            const double shear = exact ? r.tension_shear : 0.5 * r.tension_shear;
            equal += shear * (u[a] * v[b] + v[a] * u[b]);
            if (!exact) equal += std::abs(shear) * (uu + vv);
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    h[(3 * a + i) * 9 + 3 * b + j] = (r.stiffness_u - across_u) * uu * nu[i] * nu[j] +
                                                     (r.stiffness_v - across_v) * vv * nv[i] * nv[j] +
                                                     r.stiffness_shear * qa[i] * qb[j] + (i == j ? equal : 0.0);
        }
    return h;
}

} // namespace selvage
