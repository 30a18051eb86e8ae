#include "model/elastic_membrane.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

/// Below this J a triangle has no normal.
constexpr double kNoArea = 1e-9;

void add_outer(Matrix9& m, double factor, const Vec3& a, const Vec3& b) {
    const std::array<double, 3> p = {a.x, a.y, a.z}, q = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m[3 * i + j] += factor * p[i] * q[j];
}

void add_identity(Matrix9& m, double factor) {
    for (int i = 0; i < 3; ++i)
        m[4 * i] += factor;
}

/// factor [n]x, for which [n]x b = n x b.
void add_cross(Matrix9& m, double factor, const Vec3& n) {
    m[1] -= factor * n.z;
    m[2] += factor * n.y;
    m[3] += factor * n.z;
    m[5] -= factor * n.x;
    m[6] -= factor * n.y;
    m[7] += factor * n.x;
}

/// A symmetric 2 x 2 matrix without its negative part.
struct Form2 {
    double uu, uv, vv;
};
Form2 positive_part(const Form2& m) {
    const double mean = 0.5 * (m.uu + m.vv), half = 0.5 * (m.uu - m.vv);
    const double radius = std::sqrt(half * half + m.uv * m.uv);
    if (mean >= radius) return m;
    if (mean <= -radius) return {0.0, 0.0, 0.0};
    // The part of the positive eigenvalue: (mean + radius)/2 (1 + deviator/radius).
    const double s = 0.5 * (mean + radius);
    return {s * (1.0 + half / radius), s * m.uv / radius, s * (1.0 - half / radius)};
}

/// Adds stresses s by Green's strain and moduli c: gradients to p_u, p_v, derivatives to `r`.
struct Moduli {
    double c11, c12, c22, c33;
};
void add_green(const Vec3& fu, const Vec3& fv, const GreenStrain& s, const Moduli& c, bool exact, Vec3& pu, Vec3& pv,
               ElasticResponse& r) {
    pu += s.e11 * fu + s.shear * fv;
    pv += s.e22 * fv + s.shear * fu;
    Form2 stress{s.e11, s.shear, s.e22};
    if (!exact) stress = positive_part(stress);
    add_identity(r.uu, stress.uu);
    add_identity(r.uv, stress.uv);
    add_identity(r.vv, stress.vv);
    add_outer(r.uu, c.c11, fu, fu);
    add_outer(r.uu, c.c33, fv, fv);
    add_outer(r.uv, c.c12, fu, fv);
    add_outer(r.uv, c.c33, fv, fu);
    add_outer(r.vv, c.c22, fv, fv);
    add_outer(r.vv, c.c33, fu, fu);
}

GreenStrain stress_of(const Moduli& c, const GreenStrain& e) {
    return {c.c11 * e.e11 + c.c12 * e.e22, c.c12 * e.e11 + c.c22 * e.e22, c.c33 * e.shear};
}

void add_neo_hookean(const Vec3& fu, const Vec3& fv, double mu, double lambda, bool exact, Vec3& pu, Vec3& pv,
                     ElasticResponse& r) {
    const double rest = 1.0 + mu / lambda;
    const Vec3 across = cross(fu, fv);
    const double j = length(across), uu = length_squared(fu), vv = length_squared(fv), uv = dot(fu, fv);
    const double s = lambda * (j - rest); // dE/dJ
    r.energy += 0.5 * mu * (uu + vv - 2.0) + 0.5 * lambda * (j - rest) * (j - rest) - 0.5 * mu * mu / lambda;
    pu += mu * fu;
    pv += mu * fv;
    if (!(j > kNoArea)) {
        add_identity(r.uu, mu);
        add_identity(r.vv, mu);
        return;
    }
    const Vec3 n = across / j, ju = cross(fv, n), jv = cross(n, fu); // dJ/df
    pu += s * ju;
    pv += s * jv;
    // In the plane d2J is +-1 on four orthogonal motions: with |s| up to mu nothing is negative. Out of it J grows by
    // (|f_v|^2 a^2 - 2 f_u.f_v a b + |f_u|^2 b^2)/(2 J) for f_u + a n, f_v + b n.
    const double turn = exact ? s : std::clamp(s, -mu, mu);
    Form2 out{mu + s * vv / j, -s * uv / j, mu + s * uu / j};
    if (!exact) out = positive_part(out);
    add_identity(r.uu, mu);
    add_identity(r.vv, mu);
    add_outer(r.uu, out.uu - mu, n, n);
    add_outer(r.uv, out.uv, n, n);
    add_outer(r.vv, out.vv - mu, n, n);
    add_outer(r.uu, lambda, ju, ju);
    add_outer(r.uv, lambda, ju, jv);
    add_outer(r.vv, lambda, jv, jv);
    add_cross(r.uv, -turn, n); // n . (a x b) = -a . (n x b)
}

} // namespace

ElasticTriangle make_elastic_triangle(const MembraneTriangle& shape, double area, const Material& m) {
    ElasticTriangle t{shape.u1, shape.v1, shape.u2, shape.v2, m.membrane};
    t.c11 = area * m.stretch_warp;
    t.c12 = area * m.coupling;
    t.c22 = area * m.stretch_weft;
    t.c33 = area * m.shear;
    if (m.membrane == MembraneKind::neo_hookean) {
        t.c22 = t.c11;
        t.c33 = 0.5 * (t.c11 - t.c12);
    }
    return t;
}

ElasticResponse respond(const ElasticTriangle& t, const Vec3& e1, const Vec3& e2, double scale, double damping_rate,
                        const GreenStrain& before, MembraneHessian kind) {
    const bool exact = kind == MembraneHessian::exact;
    const Vec3 fu = t.u1 * e1 + t.u2 * e2, fv = t.v1 * e1 + t.v2 * e2;
    const Moduli c{scale * t.c11, scale * t.c12, scale * t.c22, scale * t.c33};
    const GreenStrain e{0.5 * (length_squared(fu) - 1.0), 0.5 * (length_squared(fv) - 1.0), dot(fu, fv)};
    ElasticResponse r;
    Vec3 pu, pv;
    if (t.kind == MembraneKind::neo_hookean) {
        if (c.c33 > 0.0) add_neo_hookean(fu, fv, c.c33, c.c12 + c.c33, exact, pu, pv, r);
    } else {
        const GreenStrain s = stress_of(c, e);
        r.energy = 0.5 * (s.e11 * e.e11 + s.e22 * e.e22 + s.shear * e.shear);
        add_green(fu, fv, s, c, exact, pu, pv, r);
    }
    if (damping_rate > 0.0) {
        const Moduli d{damping_rate * c.c11, damping_rate * c.c12, damping_rate * c.c22, damping_rate * c.c33};
        add_green(fu, fv, stress_of(d, {e.e11 - before.e11, e.e22 - before.e22, e.shear - before.shear}), d, exact, pu,
                  pv, r);
    }
    r.force1 = -(t.u1 * pu + t.v1 * pv);
    r.force2 = -(t.u2 * pu + t.v2 * pv);
    return r;
}

} // namespace selvage
