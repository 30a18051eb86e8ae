#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "character/half_surface.h"

namespace selvage {

namespace {

using Link = std::array<int, 2>;

class HalfRemesher {
public:
    HalfRemesher(TriangleMesh& mesh, const RemeshSettings& settings)
        : p_(mesh.positions), t_(mesh.triangles), settings_(settings) {
        around_.resize(p_.size());
        for (std::size_t t = 0; t < t_.size(); ++t)
            for (const int v : t_[t])
                around_[v].push_back(static_cast<int>(t));
        wanted_.resize(p_.size());
        for (std::size_t v = 0; v < p_.size(); ++v)
            wanted_[v] = settings_.edge_length(p_[v]);
    }

    void run() {
        for (int round = 0; round < settings_.rounds; ++round) {
            split_long();
            collapse_short();
            flip();
            relax();
        }
        compact();
    }

private:
    bool is_border(int v) const { return p_[v].x == 0.0; }
    double wanted(int a, int b) const { return 0.5 * (wanted_[a] + wanted_[b]); }
    static bool has(const Triangle& t, int v) { return t[0] == v || t[1] == v || t[2] == v; }

    std::vector<Link> links() const {
        std::vector<Link> out;
        for (const Triangle& t : t_)
            if (t[0] >= 0)
                for (int k = 0; k < 3; ++k) {
                    const int a = t[k], b = t[(k + 1) % 3];
                    out.push_back({std::min(a, b), std::max(a, b)});
                }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
    /// Triangles with the edge; -1 where there is none.
    std::array<int, 3> sides(int a, int b) const {
        std::array<int, 3> found{-1, -1, -1};
        int n = 0;
        for (const int t : around_[a])
            if (has(t_[t], b) && n < 3) found[n++] = t;
        return found;
    }
    int third(int t, int a, int b) const {
        for (const int v : t_[t])
            if (v != a && v != b) return v;
        return -1;
    }
    std::vector<int> neighbours(int v) const {
        std::vector<int> out;
        for (const int t : around_[v])
            for (const int w : t_[t])
                if (w != v) out.push_back(w);
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
    void detach(int t, int v) { around_[v].erase(std::find(around_[v].begin(), around_[v].end(), t)); }

    void split_long() {
        for (const Link& e : links()) {
            const int a = e[0], b = e[1];
            if (length(p_[a] - p_[b]) < 4.0 / 3.0 * wanted(a, b)) continue;
            const std::array<int, 3> side = sides(a, b);
            if (side[0] < 0 || side[2] >= 0) continue;
            const int m = static_cast<int>(p_.size());
            const Vec3 middle = 0.5 * (p_[a] + p_[b]);
            if (side[1] >= 0 && middle.x == 0.0) continue; // an inner edge across from border to border
            p_.push_back(settings_.project(middle));
            wanted_.push_back(settings_.edge_length(p_[m]));
            around_.emplace_back();
            for (int k = 0; k < 2 && side[k] >= 0; ++k) {
                const int t = side[k], c = third(t, a, b), fresh = static_cast<int>(t_.size());
                t_.push_back(t_[t]);
                std::replace(t_[t].begin(), t_[t].end(), b, m);         // keeps a
                std::replace(t_[fresh].begin(), t_[fresh].end(), a, m); // keeps b
                detach(t, b);
                around_[b].push_back(fresh);
                around_[c].push_back(fresh);
                around_[m].push_back(t);
                around_[m].push_back(fresh);
            }
        }
    }

    void collapse_short() {
        for (const Link& e : links()) {
            int keep = e[0], drop = e[1];
            if (around_[keep].empty() || around_[drop].empty()) continue;
            const double limit = 0.8 * wanted(keep, drop);
            if (length(p_[keep] - p_[drop]) > limit) continue;
            const std::array<int, 3> side = sides(keep, drop);
            if (side[0] < 0 || side[2] >= 0) continue;
            if (is_border(keep) && is_border(drop) && side[1] >= 0) continue; // would pinch the border
            if (is_border(drop) && !is_border(keep)) std::swap(keep, drop);
            Vec3 place = p_[keep];
            if (is_border(keep) == is_border(drop)) place = settings_.project(0.5 * (p_[keep] + p_[drop]));
            if (!may_collapse(keep, drop, side[1] >= 0 ? 2u : 1u, place, 4.0 / 3.0 * wanted(keep, drop))) continue;
            for (int k = 0; k < 2 && side[k] >= 0; ++k) {
                for (const int v : t_[side[k]])
                    detach(side[k], v);
                t_[side[k]] = {-1, -1, -1};
            }
            for (const int t : around_[drop]) {
                std::replace(t_[t].begin(), t_[t].end(), drop, keep);
                around_[keep].push_back(t);
            }
            around_[drop].clear();
            p_[keep] = place;
            wanted_[keep] = settings_.edge_length(place);
        }
    }
    bool may_collapse(int keep, int drop, std::size_t shared, const Vec3& place, double longest) const {
        const std::vector<int> a = neighbours(keep), b = neighbours(drop);
        std::vector<int> both;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        if (both.size() != shared) return false;
        for (const std::vector<int>* list : {&a, &b})
            for (const int v : *list)
                if (v != keep && v != drop && length(p_[v] - place) > longest) return false;
        for (const int from : {keep, drop})
            for (const int t : around_[from]) {
                if (has(t_[t], keep) && has(t_[t], drop)) continue;
                std::array<Vec3, 3> now, then;
                for (int k = 0; k < 3; ++k) {
                    now[k] = then[k] = p_[t_[t][k]];
                    if (t_[t][k] == from) then[k] = place;
                }
                const Vec3 n0 = cross(now[1] - now[0], now[2] - now[0]),
                           n1 = cross(then[1] - then[0], then[2] - then[0]);
                if (dot(n0, n1) < 0.3 * length(n0) * length(n1)) return false;
            }
        return true;
    }

    int excess(int v) const {
        const int degree = static_cast<int>(around_[v].size()) + (is_border(v) ? 1 : 0);
        return degree - (is_border(v) ? 4 : 6);
    }
    void flip() {
        for (const Link& e : links()) {
            const int a = e[0], b = e[1];
            const std::array<int, 3> side = sides(a, b);
            if (side[1] < 0 || side[2] >= 0) continue;
            const int c = third(side[0], a, b), d = third(side[1], a, b);
            if (is_border(c) && is_border(d)) continue;
            const auto square = [](int n) { return n * n; };
            const int before = square(excess(a)) + square(excess(b)) + square(excess(c)) + square(excess(d));
            const int after =
                square(excess(a) - 1) + square(excess(b) - 1) + square(excess(c) + 1) + square(excess(d) + 1);
            if (after >= before || sides(c, d)[0] >= 0) continue;
            // side[0] holds a b c in some order, turned so that it reads a, b, c.
            const int s0 = side[0], s1 = side[1];
            const bool forward = follows(t_[s0], a, b);
            const Triangle first = forward ? Triangle{a, d, c} : Triangle{d, a, c};
            const Triangle second = forward ? Triangle{d, b, c} : Triangle{b, d, c};
            const Vec3 old = normalized(normal(t_[s0])) + normalized(normal(t_[s1]));
            const Vec3 n0 = normal(first), n1 = normal(second);
            if (dot(n0, old) < length(n0) || dot(n1, old) < length(n1)) continue;
            t_[s0] = first;
            t_[s1] = second;
            detach(s0, b);
            detach(s1, a);
            around_[c].push_back(s1);
            around_[d].push_back(s0);
        }
    }
    static bool follows(const Triangle& t, int a, int b) {
        for (int k = 0; k < 3; ++k)
            if (t[k] == a && t[(k + 1) % 3] == b) return true;
        return false;
    }
    Vec3 normal(const Triangle& t) const { return cross(p_[t[1]] - p_[t[0]], p_[t[2]] - p_[t[0]]); }

    void relax() {
        std::vector<Vec3> moved = p_;
        for (std::size_t i = 0; i < p_.size(); ++i) {
            const int v = static_cast<int>(i);
            if (around_[v].empty()) continue;
            Vec3 sum;
            double weight = 0.0;
            for (const int w : neighbours(v)) {
                if (is_border(v) && (!is_border(w) || sides(v, w)[1] >= 0)) continue;
                const double size = 1.0 / (wanted_[w] * wanted_[w]);
                sum += size * p_[w];
                weight += size;
            }
            if (weight == 0.0) continue;
            const Vec3 n = normalized(settings_.normal(p_[v]));
            Vec3 step = sum / weight - p_[v];
            step -= dot(step, n) * n;
            if (is_border(v)) step.x = 0.0;
            Vec3 goal = p_[v] + 0.6 * step;
            if (!is_border(v) && goal.x < 1e-4) goal.x = 1e-4;
            moved[v] = settings_.project(goal);
            if (!is_border(v) && !(moved[v].x > 0.0)) moved[v] = p_[v];
            wanted_[v] = settings_.edge_length(moved[v]);
        }
        p_ = std::move(moved);
    }

    void compact() {
        std::vector<int> index(p_.size(), -1);
        std::vector<Vec3> kept;
        for (std::size_t v = 0; v < p_.size(); ++v)
            if (!around_[v].empty()) {
                index[v] = static_cast<int>(kept.size());
                kept.push_back(p_[v]);
            }
        std::vector<Triangle> triangles;
        for (const Triangle& t : t_)
            if (t[0] >= 0) triangles.push_back({index[t[0]], index[t[1]], index[t[2]]});
        p_ = std::move(kept);
        t_ = std::move(triangles);
    }

    std::vector<Vec3>& p_;
    std::vector<Triangle>& t_;
    const RemeshSettings& settings_;
    std::vector<std::vector<int>> around_; // triangles of each vertex; empty: it is gone
    std::vector<double> wanted_;
};

} // namespace

void remesh_half(TriangleMesh& mesh, const RemeshSettings& settings) {
    HalfRemesher(mesh, settings).run();
}

} // namespace selvage
