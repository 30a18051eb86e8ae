#include "model/plate_bending.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "geometry/topology.h"
#include "math/functions.h"
#include "model/plate_charts.h"

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

/// From the nearest ring, or with as many of the next points as it takes. Only points that `is_placed` count.
template <class Placed>
Gradient vertex_gradient(std::span<const Vec2> place, const IndexLists& neighbours, int v, const Placed& is_placed) {
    std::vector<int> ring, next;
    for (const int j : neighbours[v])
        if (is_placed(j)) ring.push_back(j);
    Gradient best = fit_gradient(place, v, ring);
    for (int depth = 0; depth < 2 && !is_trusted(best); ++depth) {
        next.clear();
        for (const int j : ring)
            for (const int k : neighbours[j])
                if (k != v && is_placed(k) && std::find(ring.begin(), ring.end(), k) == ring.end()) next.push_back(k);
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
            const bool better =
                wider.error < 0.5 * best.error || (wider.error < 2.0 * best.error + kExact && wider.reach < best.reach);
            if (better) best = wider;
            if (is_trusted(best)) break;
        }
    }
    return best;
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

using Corners = std::array<Vec2, 3>;

bool is_thin(const Corners& corner) {
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        const Vec2 &a = corner[k], &b = corner[(k + 1) % 3];
        longest = std::max(longest, (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    }
    return !(0.5 * std::abs(doubled_area(corner[0], corner[1], corner[2])) > kThinnest * longest);
}

/// From the gradients at the corners, in the plane that these are given in.
SecondDerivatives second_derivatives(const Corners& corner, const std::array<const Gradient*, 3>& gradient,
                                     bool has_h) {
    const Vec2 p0 = corner[0], p1 = corner[1], p2 = corner[2];
    const double doubled = doubled_area(p0, p1, p2);
    SecondDerivatives h;
    h.area = 0.5 * std::abs(doubled);
    if (!has_h) return h;
    const std::array<Vec2, 3> slope = {Vec2{(p1.y - p2.y) / doubled, (p2.x - p1.x) / doubled},
                                       Vec2{(p2.y - p0.y) / doubled, (p0.x - p2.x) / doubled},
                                       Vec2{(p0.y - p1.y) / doubled, (p1.x - p0.x) / doubled}};
    for (int k = 0; k < 3; ++k) {
        const Gradient& g = *gradient[k];
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

/// What the stencil makes of x^2/2, y^2/2 and x y, taken off it by the H of each of its triangles in turn, `place` being
/// the hinge in the plane of each. In a strip cut straight across that gives back the hinges' energy:
/// ((a + b)/2)^2 + ((a - b)/2)^2 = (a^2 + b^2)/2.
void add_hinge(const std::array<HingePlace, 2>& place, const PlateHinge& hinge, const SecondDerivatives& h1,
               const SecondDerivatives& h2, FormBuilder& form) {
    Terms stencil;
    for (int k = 0; k < 4; ++k)
        stencil.push_back({hinge.vertex[k], hinge.stencil[k]});
    Terms beyond_mean = stencil;
    for (int side = 0; side < 2; ++side) {
        const SecondDerivatives& h = side == 0 ? h1 : h2;
        double of_xx = 0.0, of_yy = 0.0, of_xy = 0.0;
        for (int k = 0; k < 4; ++k) {
            const Vec2 p{place[side][k].x - place[side][0].x, place[side][k].y - place[side][0].y};
            of_xx += hinge.stencil[k] * 0.5 * p.x * p.x;
            of_yy += hinge.stencil[k] * 0.5 * p.y * p.y;
            of_xy += hinge.stencil[k] * p.x * p.y;
        }
        const auto take_off = [&](Terms& from, double fraction) {
            add(from, h.xx, -fraction * of_xx);
            add(from, h.yy, -fraction * of_yy);
            add(from, h.xy, -fraction * of_xy);
        };
        const double fraction = h.area / (h1.area + h2.area);
        Terms beyond = stencil;
        take_off(beyond, 1.0);
        take_off(beyond_mean, fraction);
        form.add(collected(std::move(beyond)), hinge.stiffness * fraction);
    }
    const bool has_mean = !h1.xx.empty() && !h2.xx.empty();
    if (has_mean && hinge.zigzag > 1.0)
        form.add(collected(std::move(beyond_mean)), (hinge.zigzag - 1.0) * hinge.stiffness);
}

/// The gradient in a triangle's own plane, from that in a vertex' chart.
Gradient turned(const Gradient& g, const std::array<Vec2, 2>& slope) {
    Gradient out;
    out.error = g.error;
    out.reach = g.reach;
    const auto mix = [&](Terms& to, const Vec2& by) {
        add(to, g.x, by.x);
        add(to, g.y, by.y);
    };
    mix(out.x, slope[0]);
    mix(out.y, slope[1]);
    return out;
}

/// `corners` of a triangle, `gradient` at one of them and `hinge_places` of a hinge, each in the planes of the triangles.
template <class CornersOf, class GradientAt, class PlacesOf>
BendingForm bending_form(int vertex_count, std::span<const PlateTriangle> triangles, std::span<const PlateHinge> hinges,
                         const CornersOf& corners, const GradientAt& gradient, const PlacesOf& hinge_places) {
    FormBuilder form;
    std::vector<SecondDerivatives> derivative;
    derivative.reserve(triangles.size());
    int left_out = 0;
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
        const std::array<const Gradient*, 3> at{gradient(t, 0), gradient(t, 1), gradient(t, 2)};
        const Corners corner = corners(t);
        const bool has_h =
            !is_thin(corner) && std::all_of(at.begin(), at.end(), [](const Gradient* g) { return is_trusted(*g); });
        derivative.push_back(second_derivatives(corner, at, has_h));
        if (has_h)
            add_plate(derivative.back(), triangles[t], form);
        else
            ++left_out;
    }
    for (int h = 0; h < static_cast<int>(hinges.size()); ++h)
        add_hinge(hinge_places(h), hinges[h], derivative[hinges[h].first], derivative[hinges[h].second], form);
    BendingForm result = form.build(vertex_count);
    result.over_hinges = largest_ratio(result, hinges);
    result.left_to_hinges = left_out;
    return result;
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
    const IndexLists neighbours = neighbours_in(n, triangles);
    std::vector<Gradient> gradient;
    for (int v = 0; v < n; ++v)
        gradient.push_back(vertex_gradient(place, neighbours, v, [](int) { return true; }));
    return bending_form(
        n, triangles, hinges,
        [&](int t) {
            const Triangle& v = triangles[t].vertex;
            return Corners{place[v[0]], place[v[1]], place[v[2]]};
        },
        [&](int t, int corner) { return &gradient[triangles[t].vertex[corner]]; },
        [&](int h) {
            const auto& v = hinges[h].vertex;
            const HingePlace at{place[v[0]], place[v[1]], place[v[2]], place[v[3]]};
            return std::array<HingePlace, 2>{at, at};
        });
}

BendingForm plate_bending(const JoinedPlates& plates, std::span<const PlateTriangle> triangles,
                          std::span<const PlateHinge> hinges) {
    const int n = plates.vertex_count;
    const IndexLists neighbours = neighbours_in(n, triangles);
    std::vector<Triangle> vertices;
    for (const PlateTriangle& t : triangles)
        vertices.push_back(t.vertex);
    PlateCharts charts(n, vertices, plates.corner);
    std::vector<std::array<Gradient, 3>> gradient(triangles.size());
    for (int v = 0; v < n; ++v) {
        if (!charts.unfold(v)) continue;
        const Gradient own = vertex_gradient(charts.place(), neighbours, v, [&](int k) { return charts.is_placed(k); });
        for (const int t : charts.around(v))
            for (int k = 0; k < 3; ++k)
                if (vertices[t][k] == v) gradient[t][k] = turned(own, charts.slope_in(t));
    }
    return bending_form(
        n, triangles, hinges, [&](int t) { return plates.corner[t]; },
        [&](int t, int corner) { return &gradient[t][corner]; }, [&](int h) { return plates.hinge[h]; });
}

} // namespace selvage
