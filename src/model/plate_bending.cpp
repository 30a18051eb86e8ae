#include "model/plate_bending.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "geometry/topology.h"
#include "math/functions.h"

namespace selvage {

namespace {

/// A weighted sum of points.
struct Term {
    int vertex;
    double weight;
};
using Terms = std::vector<Term>;

/// Quadratic surfaces are reproduced to this fraction of a unit gradient.
constexpr double kExact = 1e-6;
/// Sum of weight times distance up to which a gradient is trusted: 1 between two neighbours, 3 on one side of a border.
constexpr double kMostReach = 5.0;
/// In thinner triangles the derivative would amplify what gradients leave.
constexpr double kThinnest = 0.03; // area over the square of the longest edge

using Moments = std::array<double, 5>; // x, y, x^2/2, x y, y^2/2

Moments moments_of(const Vec2& p) {
    return {p.x, p.y, 0.5 * p.x * p.x, p.x * p.y, 0.5 * p.y * p.y};
}

/// Solves the symmetric 5 x 5 system by elimination without pivots; a little is added to its diagonal, since directions
/// that no neighbour tells anything about are to stay out rather than to be divided by.
Moments solve5(std::array<Moments, 5> a, Moments b) {
    double trace = 0.0;
    for (int i = 0; i < 5; ++i)
        trace += a[i][i];
    for (int i = 0; i < 5; ++i)
        a[i][i] += 1e-12 * trace + 1e-300;
    for (int k = 0; k < 5; ++k)
        for (int i = k + 1; i < 5; ++i) {
            const double f = a[i][k] / a[k][k];
            for (int j = k; j < 5; ++j)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    for (int k = 4; k >= 0; --k) {
        for (int j = k + 1; j < 5; ++j)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return b;
}

struct Gradient {
    Terms x, y;
    double error = 0.0, reach = 0.0;
};

bool is_trusted(const Gradient& g) {
    return g.error <= kExact && g.reach <= kMostReach && !g.x.empty();
}

/// The smallest weights (near points cheaper) that are exact for linear and quadratic surfaces, as far as the points
/// allow.
Gradient fit_gradient(std::span<const Vec2> place, int at, std::span<const int> neighbours) {
    const auto offset = [&](int j) { return Vec2{place[j].x - place[at].x, place[j].y - place[at].y}; };
    double size = 0.0; // [m]
    for (const int j : neighbours)
        size += maths::hypot(offset(j).x, offset(j).y) / static_cast<double>(neighbours.size());
    Gradient g;
    if (!(size > 0.0)) return g;
    std::array<Moments, 5> normal{};
    const auto scaled = [&](int j) { return Vec2{offset(j).x / size, offset(j).y / size}; };
    const auto nearness = [](const Vec2& p) { return 1.0 / std::max(1e-6, p.x * p.x + p.y * p.y); };
    for (const int j : neighbours) {
        const Vec2 p = scaled(j);
        const Moments m = moments_of(p);
        for (int r = 0; r < 5; ++r)
            for (int c = 0; c < 5; ++c)
                normal[r][c] += nearness(p) * m[r] * m[c];
    }
    for (int axis = 0; axis < 2; ++axis) {
        Moments want{};
        want[axis] = 1.0;
        const Moments dual = solve5(normal, want);
        Terms& terms = axis == 0 ? g.x : g.y;
        Moments met{};
        double reach = 0.0, sum = 0.0;
        for (const int j : neighbours) {
            const Vec2 p = scaled(j);
            const Moments m = moments_of(p);
            double weight = 0.0;
            for (int r = 0; r < 5; ++r)
                weight += nearness(p) * m[r] * dual[r];
            for (int r = 0; r < 5; ++r)
                met[r] += weight * m[r];
            reach += std::abs(weight) * maths::hypot(p.x, p.y);
            terms.push_back({j, weight / size});
            sum += weight / size;
        }
        terms.push_back({at, -sum});
        for (int r = 0; r < 5; ++r)
            g.error = std::max(g.error, std::abs(met[r] - want[r]));
        g.reach = std::max(g.reach, reach);
    }
    return g;
}

/// From the nearest ring, or with as many of the next points as it takes.
std::vector<Gradient> vertex_gradients(std::span<const Vec2> place, const IndexLists& neighbours) {
    std::vector<Gradient> all(place.size());
    std::vector<int> ring, next;
    for (int v = 0; v < static_cast<int>(place.size()); ++v) {
        ring.assign(neighbours[v].begin(), neighbours[v].end());
        all[v] = fit_gradient(place, v, ring);
        for (int depth = 0; depth < 2 && !is_trusted(all[v]); ++depth) {
            next.clear();
            for (const int j : ring)
                for (const int k : neighbours[j])
                    if (k != v && std::find(ring.begin(), ring.end(), k) == ring.end()) next.push_back(k);
            std::sort(next.begin(), next.end());
            next.erase(std::unique(next.begin(), next.end()), next.end());
            const auto away = [&](int k) { return maths::hypot(place[k].x - place[v].x, place[k].y - place[v].y); };
            // By hand: "nearer by more than rounding" is no order that a library's sort may be given.
            for (auto k = next.begin(); k != next.end(); ++k)
                for (auto j = k; j != next.begin() && away(*j) < away(*(j - 1)) * (1.0 - 1e-9); --j)
                    std::swap(*j, *(j - 1));
            for (std::size_t k = 0; k < next.size(); ++k) {
                ring.push_back(next[k]);
                // Points equally far come together: what is symmetric stays so.
                if (k + 1 < next.size() && away(next[k + 1]) < away(next[k]) * (1.0 + 1e-6)) continue;
                const Gradient wider = fit_gradient(place, v, ring);
                const bool better = wider.error < 0.5 * all[v].error ||
                                    (wider.error < 2.0 * all[v].error + kExact && wider.reach < all[v].reach);
                if (better) all[v] = wider;
                if (is_trusted(all[v])) break;
            }
        }
    }
    return all;
}

void add(Terms& to, const Terms& terms, double factor) {
    for (const Term& t : terms)
        to.push_back({t.vertex, factor * t.weight});
}

/// Terms of one vertex together, in rising order, zeros left out.
Terms collected(Terms terms) {
    std::stable_sort(terms.begin(), terms.end(), [](const Term& p, const Term& q) { return p.vertex < q.vertex; });
    Terms out;
    double largest = 0.0;
    for (const Term& t : terms) {
        if (out.empty() || out.back().vertex != t.vertex) out.push_back({t.vertex, 0.0});
        out.back().weight += t.weight;
    }
    for (const Term& t : out)
        largest = std::max(largest, std::abs(t.weight));
    std::erase_if(out, [&](const Term& t) { return !(std::abs(t.weight) > 1e-12 * largest); });
    return out;
}

struct SecondDerivatives {
    Terms xx, yy, xy; ///< None where gradients are not trusted.
    double area = 0.0;
};

double doubled_area(const Vec2& p0, const Vec2& p1, const Vec2& p2) {
    return (p1.x - p0.x) * (p2.y - p0.y) - (p2.x - p0.x) * (p1.y - p0.y);
}

bool is_thin(std::span<const Vec2> place, const Triangle& t) {
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        const Vec2 &a = place[t[k]], &b = place[t[(k + 1) % 3]];
        longest = std::max(longest, (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    }
    return !(0.5 * std::abs(doubled_area(place[t[0]], place[t[1]], place[t[2]])) > kThinnest * longest);
}

SecondDerivatives second_derivatives(std::span<const Vec2> place, const Triangle& t,
                                     const std::vector<Gradient>& gradient, bool has_h) {
    const Vec2 p0 = place[t[0]], p1 = place[t[1]], p2 = place[t[2]];
    const double doubled = doubled_area(p0, p1, p2);
    SecondDerivatives h;
    h.area = 0.5 * std::abs(doubled);
    if (!has_h) return h;
    const std::array<Vec2, 3> slope = {Vec2{(p1.y - p2.y) / doubled, (p2.x - p1.x) / doubled},
                                       Vec2{(p2.y - p0.y) / doubled, (p0.x - p2.x) / doubled},
                                       Vec2{(p0.y - p1.y) / doubled, (p1.x - p0.x) / doubled}};
    for (int k = 0; k < 3; ++k) {
        const Gradient& g = gradient[t[k]];
        add(h.xx, g.x, slope[k].x);
        add(h.yy, g.y, slope[k].y);
        add(h.xy, g.x, 0.5 * slope[k].y);
        add(h.xy, g.y, 0.5 * slope[k].x);
    }
    h.xx = collected(std::move(h.xx));
    h.yy = collected(std::move(h.yy));
    h.xy = collected(std::move(h.xy));
    return h;
}

/// E = 1/2 sum of stiffness |sum of terms|^2, gathered row by row.
class FormBuilder {
public:
    void add(Terms terms, double stiffness) {
        if (!(stiffness > 0.0) || terms.empty()) return;
        terms_.insert(terms_.end(), terms.begin(), terms.end());
        start_.push_back(static_cast<int>(terms_.size()));
        stiffness_.push_back(stiffness);
    }
    BendingForm build(int vertex_count) const {
        std::vector<int> first(vertex_count + 1, 0);
        for (const Term& t : terms_)
            ++first[t.vertex + 1];
        for (int v = 0; v < vertex_count; ++v)
            first[v + 1] += first[v];
        std::vector<std::pair<int, double>> users(terms_.size()); // of each vertex: sum, weight in it
        std::vector<int> next(first.begin(), first.end() - 1);
        for (int s = 0; s + 1 < static_cast<int>(start_.size()); ++s)
            for (int k = start_[s]; k < start_[s + 1]; ++k)
                users[next[terms_[k].vertex]++] = {s, terms_[k].weight};
        BendingForm form;
        std::vector<double> row(vertex_count, 0.0);
        std::vector<int> touched;
        for (int v = 0; v < vertex_count; ++v) {
            for (int u = first[v]; u < first[v + 1]; ++u) {
                const auto& [s, weight] = users[u];
                for (int k = start_[s]; k < start_[s + 1]; ++k) {
                    if (row[terms_[k].vertex] == 0.0) touched.push_back(terms_[k].vertex);
                    row[terms_[k].vertex] += stiffness_[s] * weight * terms_[k].weight;
                }
            }
            std::sort(touched.begin(), touched.end());
            touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
            for (const int j : touched) {
                if (j != v && std::abs(row[j]) > 1e-12 * row[v]) {
                    form.column.push_back(j);
                    form.value.push_back(row[j]);
                }
                if (j != v) row[j] = 0.0;
            }
            row[v] = 0.0;
            touched.clear();
            form.start.push_back(static_cast<int>(form.column.size()));
        }
        return form;
    }

private:
    std::vector<int> start_{0};
    std::vector<Term> terms_;
    std::vector<double> stiffness_;
};

/// Largest x^T P x / x^T H x, P the form and H the hinges', by steepest ascent from noise.
double largest_ratio(const BendingForm& form, std::span<const PlateHinge> hinges) {
    const int n = static_cast<int>(form.start.size()) - 1;
    std::vector<double> x(n), px(n), hx(n), d(n), pd(n), hd(n), diagonal(n, 0.0);
    const auto by_form = [&](const std::vector<double>& from, std::vector<double>& to) {
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int e = form.start[i]; e < form.start[i + 1]; ++e)
                sum += form.value[e] * (from[form.column[e]] - from[i]);
            to[i] = sum;
        }
    };
    const auto by_hinges = [&](const std::vector<double>& from, std::vector<double>& to) {
        std::fill(to.begin(), to.end(), 0.0);
        for (const PlateHinge& h : hinges) {
            double fold = 0.0;
            for (int k = 0; k < 4; ++k)
                fold += h.stencil[k] * from[h.vertex[k]];
            for (int k = 0; k < 4; ++k)
                to[h.vertex[k]] += h.stiffness * h.stencil[k] * fold;
        }
    };
    const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i)
            sum += a[i] * b[i];
        return sum;
    };
    for (const PlateHinge& h : hinges)
        for (int k = 0; k < 4; ++k)
            diagonal[h.vertex[k]] += h.stiffness * h.stencil[k] * h.stencil[k];
    std::uint32_t noise = 1;
    for (double& value : x) {
        noise = 1664525U * noise + 1013904223U;
        value = static_cast<double>(noise >> 8) / (1 << 24) - 0.5;
    }
    double ratio = 0.0;
    for (int round = 0; round < 40; ++round) {
        by_form(x, px);
        by_hinges(x, hx);
        const double xpx = product(x, px), xhx = product(x, hx);
        if (!(xhx > 0.0)) return ratio;
        ratio = xpx / xhx;
        for (int i = 0; i < n; ++i)
            d[i] = diagonal[i] > 0.0 ? (px[i] - ratio * hx[i]) / diagonal[i] : 0.0;
        by_form(d, pd);
        by_hinges(d, hd);
        // The best x + t d: the larger root of the 2 x 2 problem.
        const double a = xpx, b = product(d, px), c = product(d, pd), e = xhx, f = product(d, hx), g = product(d, hd);
        const double k2 = e * g - f * f, k1 = a * g + c * e - 2.0 * b * f, k0 = a * c - b * b;
        if (!(k2 > 1e-14 * e * g)) break;
        const double most = (k1 + std::sqrt(std::max(0.0, k1 * k1 - 4.0 * k2 * k0))) / (2.0 * k2);
        const double below = c - most * g; // (b - most f) + t (c - most g) = 0
        if (!(std::abs(below) > 0.0)) break;
        const double t = (most * f - b) / below, scale = 1.0 / std::sqrt(xhx);
        for (int i = 0; i < n; ++i)
            x[i] = scale * (x[i] + t * d[i]);
        ratio = std::max(ratio, most);
    }
    return ratio;
}

IndexLists neighbours_in(int vertex_count, std::span<const PlateTriangle> triangles) {
    std::vector<Edge> edges;
    for (const PlateTriangle& t : triangles)
        for (int k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax(t.vertex[k], t.vertex[(k + 1) % 3]);
            edges.push_back({low, high});
        }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return vertex_neighbours(vertex_count, edges);
}

void add_plate(const SecondDerivatives& h, const PlateTriangle& triangle, FormBuilder& form) {
    const double c = triangle.warp.x, s = triangle.warp.y;
    Terms h11, h22, h12;
    const auto turn = [&](Terms& to, double xx, double yy, double xy) {
        add(to, h.xx, xx);
        add(to, h.yy, yy);
        add(to, h.xy, xy);
    };
    turn(h11, c * c, s * s, 2.0 * s * c);
    turn(h22, s * s, c * c, -2.0 * s * c);
    turn(h12, -s * c, s * c, c * c - s * s);
    const PlateRigidity& r = triangle.rigidity;
    // warp (H11 + coupling/warp H22)^2 + (weft - coupling^2/warp) H22^2
    const double across = r.warp > 0.0 ? r.coupling / r.warp : 0.0;
    add(h11, h22, across);
    form.add(collected(std::move(h11)), h.area * r.warp);
    form.add(collected(std::move(h22)), h.area * (r.weft - across * r.coupling));
    form.add(collected(std::move(h12)), h.area * 4.0 * r.twist);
}

/// What the stencil makes of x^2/2, y^2/2 and x y, taken off it by the H of each of its triangles in turn. In a strip cut
/// straight across that gives back the hinges' energy: ((a + b)/2)^2 + ((a - b)/2)^2 = (a^2 + b^2)/2.
void add_hinge(std::span<const Vec2> place, const PlateHinge& hinge, const SecondDerivatives& h1,
               const SecondDerivatives& h2, FormBuilder& form) {
    double of_xx = 0.0, of_yy = 0.0, of_xy = 0.0;
    Terms stencil;
    const Vec2 o = place[hinge.vertex[0]];
    for (int k = 0; k < 4; ++k) {
        const Vec2 p{place[hinge.vertex[k]].x - o.x, place[hinge.vertex[k]].y - o.y};
        of_xx += hinge.stencil[k] * 0.5 * p.x * p.x;
        of_yy += hinge.stencil[k] * 0.5 * p.y * p.y;
        of_xy += hinge.stencil[k] * p.x * p.y;
        stencil.push_back({hinge.vertex[k], hinge.stencil[k]});
    }
    const auto take_off = [&](Terms& from, const SecondDerivatives& h, double fraction) {
        add(from, h.xx, -fraction * of_xx);
        add(from, h.yy, -fraction * of_yy);
        add(from, h.xy, -fraction * of_xy);
    };
    Terms beyond_mean = stencil;
    for (const SecondDerivatives* h : {&h1, &h2}) {
        const double fraction = h->area / (h1.area + h2.area);
        Terms beyond = stencil;
        take_off(beyond, *h, 1.0);
        take_off(beyond_mean, *h, fraction);
        form.add(collected(std::move(beyond)), hinge.stiffness * fraction);
    }
    const bool has_mean = !h1.xx.empty() && !h2.xx.empty();
    if (has_mean && hinge.zigzag > 1.0)
        form.add(collected(std::move(beyond_mean)), (hinge.zigzag - 1.0) * hinge.stiffness);
}

} // namespace

PlateRigidity plate_rigidity(const Material& m) {
    // Along a direction at an angle to the warp: warp c^4 + weft s^4 + 2 mixed s^2 c^2, mixed = coupling + 2 twist.
    const double root = std::sqrt(m.bend_warp * m.bend_weft);
    const double mixed = m.bend_bias > 0.0 ? 0.5 * (4.0 * m.bend_bias - m.bend_warp - m.bend_weft) : root;
    if (mixed >= 0.0) return {m.bend_warp, m.bend_weft, 0.0, 0.5 * mixed};
    return {m.bend_warp, m.bend_weft, std::max(mixed, -root), 0.0};
}

BendingForm plate_bending(std::span<const Vec2> place, std::span<const PlateTriangle> triangles,
                          std::span<const PlateHinge> hinges) {
    const int n = static_cast<int>(place.size());
    const std::vector<Gradient> gradient = vertex_gradients(place, neighbours_in(n, triangles));
    FormBuilder form;
    std::vector<SecondDerivatives> derivative;
    derivative.reserve(triangles.size());
    int left_out = 0;
    for (const PlateTriangle& t : triangles) {
        const bool has_h = !is_thin(place, t.vertex) && std::all_of(t.vertex.begin(), t.vertex.end(),
                                                                    [&](int v) { return is_trusted(gradient[v]); });
        derivative.push_back(second_derivatives(place, t.vertex, gradient, has_h));
        if (has_h)
            add_plate(derivative.back(), t, form);
        else
            ++left_out;
    }
    for (const PlateHinge& hinge : hinges)
        add_hinge(place, hinge, derivative[hinge.first], derivative[hinge.second], form);
    BendingForm result = form.build(n);
    result.over_hinges = largest_ratio(result, hinges);
    result.left_to_hinges = left_out;
    return result;
}

} // namespace selvage
