#include "character/half_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace selvage {

namespace {

class TetrahedraMarch {
public:
    TetrahedraMarch(const std::function<double(const Vec3&)>& field, const Vec3& low, const Vec3& high, double spacing)
        : field_(field), low_(low), spacing_(spacing) {
        const Vec3 size = high - low;
        nodes_ = {count(size.x), count(size.y), count(size.z)};
        value_.assign(static_cast<std::size_t>(nodes_[0]) * nodes_[1] * nodes_[2],
                      std::numeric_limits<double>::quiet_NaN());
    }

    TriangleMesh run() {
        constexpr int kBlock = 4;                                            // cells that are looked at together
        const double reach = 1.8 * 0.5 * kBlock * spacing_ * std::sqrt(3.0); // the field rises no steeper
        for (int k = 0; k + 1 < nodes_[2]; k += kBlock)
            for (int j = 0; j + 1 < nodes_[1]; j += kBlock)
                for (int i = 0; i + 1 < nodes_[0]; i += kBlock) {
                    const double half = 0.5 * kBlock * spacing_;
                    if (std::abs(field_(place(i, j, k) + Vec3{half, half, half})) > reach) continue;
                    for (int c = k; c < std::min(k + kBlock, nodes_[2] - 1); ++c)
                        for (int b = j; b < std::min(j + kBlock, nodes_[1] - 1); ++b)
                            for (int a = i; a < std::min(i + kBlock, nodes_[0] - 1); ++a)
                                cell(a, b, c);
                }
        return std::move(mesh_);
    }

private:
    int count(double size) const { return static_cast<int>(std::ceil(size / spacing_)) + 1; }
    Vec3 place(int i, int j, int k) const {
        return low_ + spacing_ * Vec3{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
    }
    int node(int i, int j, int k) const { return (k * nodes_[1] + j) * nodes_[0] + i; }
    Vec3 place(int n) const { return place(n % nodes_[0], n / nodes_[0] % nodes_[1], n / nodes_[0] / nodes_[1]); }
    double value(int n) {
        double& v = value_[n];
        if (v != v) v = field_(place(n));
        return v;
    }

    void cell(int i, int j, int k) {
        std::array<int, 8> corner;
        int inside = 0;
        for (int c = 0; c < 8; ++c) {
            corner[c] = node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1));
            inside += value(corner[c]) < 0.0 ? 1 : 0;
        }
        if (inside == 0 || inside == 8) return;
        // Six around the diagonal from 0 to 7, which agree on every face with the neighbours'.
        constexpr int kTetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                           {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
        for (const auto& t : kTetrahedra)
            tetrahedron({corner[t[0]], corner[t[1]], corner[t[2]], corner[t[3]]});
    }
    void tetrahedron(const std::array<int, 4>& n) {
        std::vector<int> in, out;
        for (const int v : n)
            (value(v) < 0.0 ? in : out).push_back(v);
        if (in.empty() || out.empty()) return;
        const Vec3 outwards = mean(out) - mean(in);
        if (in.size() == 1) return add(edge(in[0], out[0]), edge(in[0], out[1]), edge(in[0], out[2]), outwards);
        if (out.size() == 1) return add(edge(out[0], in[0]), edge(out[0], in[1]), edge(out[0], in[2]), outwards);
        const int a = edge(in[0], out[0]), b = edge(in[0], out[1]), c = edge(in[1], out[1]), d = edge(in[1], out[0]);
        add(a, b, c, outwards);
        add(a, c, d, outwards);
    }
    Vec3 mean(const std::vector<int>& nodes) const {
        Vec3 sum;
        for (const int n : nodes)
            sum += place(n);
        return sum / static_cast<double>(nodes.size());
    }
    int edge(int a, int b) {
        if (a > b) std::swap(a, b);
        const auto [found, is_new] = points_.try_emplace({a, b}, mesh_.vertex_count());
        if (is_new) {
            // Off the corners, where triangles would have no size.
            const double t = std::clamp(value(a) / (value(a) - value(b)), 0.06, 0.94);
            const Vec3 p = place(a), q = place(b);
            mesh_.positions.push_back(p + t * (q - p));
        }
        return found->second;
    }
    void add(int a, int b, int c, const Vec3& outwards) {
        const std::vector<Vec3>& p = mesh_.positions;
        if (dot(cross(p[b] - p[a], p[c] - p[a]), outwards) < 0.0) std::swap(b, c);
        mesh_.triangles.push_back({a, b, c});
    }

    const std::function<double(const Vec3&)>& field_;
    Vec3 low_;
    double spacing_;
    std::array<int, 3> nodes_{};
    std::vector<double> value_; // not a number: not asked for yet
    std::map<std::pair<int, int>, int> points_;
    TriangleMesh mesh_;
};

} // namespace

TriangleMesh half_surface(const std::function<double(const Vec3&)>& field, const Vec3& low, const Vec3& high,
                          double spacing) {
    return TetrahedraMarch(field, {0.0, low.y, low.z}, high, spacing).run();
}

TriangleMesh mirror_half(const TriangleMesh& half) {
    TriangleMesh whole = half;
    std::vector<int> other(half.positions.size());
    for (std::size_t v = 0; v < other.size(); ++v) {
        const Vec3& p = half.positions[v];
        other[v] = static_cast<int>(v);
        if (p.x == 0.0) continue;
        other[v] = whole.vertex_count();
        whole.positions.push_back({-p.x, p.y, p.z});
    }
    for (const Triangle& t : half.triangles)
        whole.triangles.push_back({other[t[0]], other[t[2]], other[t[1]]});
    return whole;
}

} // namespace selvage
