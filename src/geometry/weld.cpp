// Panels of a garment come out of files side by side: their borders coincide, but each has its own vertices. Vertices are
// found through a grid of cells as wide as the distance, in the order of their indices, so the result depends on the
// mesh alone.

#include "geometry/weld.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "base/concat.h"
#include "geometry/topology.h"

namespace selvage {

namespace {

constexpr double kMostRounding = 1e-3; // [m]; files with fewer digits than that are welded by hand

/// Sets of vertices that become one; the smallest index leads.
class Groups {
public:
    explicit Groups(int count) : leader_(static_cast<std::size_t>(count)) {
        std::iota(leader_.begin(), leader_.end(), 0);
    }
    int find(int v) {
        while (leader_[v] != v)
            v = leader_[v] = leader_[leader_[v]];
        return v;
    }
    void join(int a, int b) {
        a = find(a);
        b = find(b);
        leader_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<int> leader_;
};

std::vector<char> on_border(const TriangleMesh& mesh) {
    std::vector<std::pair<Edge, int>> edges;
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k)
            edges.push_back({{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}, 0});
    std::sort(edges.begin(), edges.end());
    std::vector<char> border(mesh.positions.size(), 0);
    for (std::size_t i = 0, end = 0; i < edges.size(); i = end) {
        while (end < edges.size() && edges[end].first == edges[i].first)
            ++end;
        if (end - i == 1) border[edges[i].first[0]] = border[edges[i].first[1]] = 1;
    }
    return border;
}

std::vector<int> piece_of(const TriangleMesh& mesh) {
    Groups groups(mesh.vertex_count());
    for (const Triangle& t : mesh.triangles) {
        groups.join(t[0], t[1]);
        groups.join(t[0], t[2]);
    }
    std::vector<int> piece(mesh.positions.size());
    for (int v = 0; v < mesh.vertex_count(); ++v)
        piece[v] = groups.find(v);
    return piece;
}

/// Calls visit(a, b, distance) for pairs a < b of the listed points that are no farther apart than `reach`, in order.
template <class Visit>
void for_each_near(const std::vector<Vec3>& x, const std::vector<int>& points, double reach, const Visit& visit) {
    using Cell = std::array<long long, 3>;
    const double size = std::max(reach, 1e-12);
    const auto cell_of = [&](const Vec3& p) {
        return Cell{static_cast<long long>(std::floor(p.x / size)), static_cast<long long>(std::floor(p.y / size)),
                    static_cast<long long>(std::floor(p.z / size))};
    };
    std::map<Cell, std::vector<int>> cells;
    for (const int b : points) { // ascending, and so are the lists in the cells
        const Cell at = cell_of(x[b]);
        for (long long i = -1; i <= 1; ++i)
            for (long long j = -1; j <= 1; ++j)
                for (long long k = -1; k <= 1; ++k) {
                    const auto found = cells.find({at[0] + i, at[1] + j, at[2] + k});
                    if (found == cells.end()) continue;
                    for (const int a : found->second)
                        if (const double d = length(x[b] - x[a]); d <= reach) visit(a, b, d);
                }
        cells[at].push_back(b);
    }
}

/// What one in the last digit of the coordinates is worth: the coarsest power of ten that all are multiples of, or the
/// precision of a float where there is none.
double last_digit(const std::vector<Vec3>& x) {
    double largest = 0.0;
    for (const Vec3& p : x)
        largest = std::max({largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    const double precision = 1.2e-7 * largest;
    double unit = 1.0;
    for (int digits = 0; digits <= 7 && unit > precision; ++digits, unit *= 0.1) {
        const auto is_multiple = [&](double value) {
            return std::abs(value - std::round(value / unit) * unit) <= precision;
        };
        if (std::all_of(x.begin(), x.end(),
                        [&](const Vec3& p) { return is_multiple(p.x) && is_multiple(p.y) && is_multiple(p.z); }))
            return unit;
    }
    return precision;
}

/// Pairs of pieces that lie on one another: inner vertices coincide as well, so these are layers, not neighbours.
std::vector<std::array<int, 2>> layered_pieces(const TriangleMesh& mesh, const std::vector<char>& border,
                                               const std::vector<int>& piece, double reach) {
    std::vector<int> inner;
    for (int v = 0; v < mesh.vertex_count(); ++v)
        if (!border[v]) inner.push_back(v);
    std::vector<std::array<int, 2>> layers;
    for_each_near(mesh.positions, inner, reach, [&](int a, int b, double) {
        if (piece[a] != piece[b]) layers.push_back({std::min(piece[a], piece[b]), std::max(piece[a], piece[b])});
    });
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    return layers;
}

struct NearPair {
    int a, b;
    double distance;
};

/// Border vertices that coincide but for rounding. Pairs a digit apart count only where most pairs coincide altogether:
/// borders that all lie beside each other are layers.
std::vector<NearPair> rounded_pairs(const TriangleMesh& mesh, const std::vector<char>& border,
                                    const std::vector<int>& points) {
    const double digit = last_digit(mesh.positions), reach = std::min(std::sqrt(3.0) * digit * 1.001, kMostRounding);
    const std::vector<int> piece = piece_of(mesh);
    const std::vector<std::array<int, 2>> layers = layered_pieces(mesh, border, piece, 0.1 * digit);
    std::vector<NearPair> pairs;
    std::size_t exact = 0;
    for_each_near(mesh.positions, points, reach, [&](int a, int b, double d) {
        const std::array<int, 2> both{std::min(piece[a], piece[b]), std::max(piece[a], piece[b])};
        if (std::binary_search(layers.begin(), layers.end(), both)) return;
        exact += d <= 0.1 * digit;
        pairs.push_back({a, b, d});
    });
    if (2 * exact < pairs.size()) std::erase_if(pairs, [&](const NearPair& p) { return p.distance > 0.1 * digit; });
    return pairs;
}

/// Triangles two of whose vertices are in one group.
std::vector<int> collapsed(const TriangleMesh& mesh, Groups& groups) {
    std::vector<int> list;
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        const int i = groups.find(a), j = groups.find(b), k = groups.find(c);
        if (i == j || j == k || k == i) list.push_back(t);
    }
    return list;
}

/// Renumbers the vertices: groups go to the mean of their places, and the order of the first of each stays.
Weld merge(TriangleMesh& mesh, Groups& groups) {
    Weld weld;
    weld.vertex_of.resize(mesh.positions.size());
    std::vector<Vec3> place;
    std::vector<int> count;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
        const int leader = groups.find(v);
        if (leader == v) {
            weld.vertex_of[v] = static_cast<int>(place.size());
            place.push_back(mesh.positions[v]);
            count.push_back(1);
        } else {
            const int to = weld.vertex_of[v] = weld.vertex_of[leader];
            place[to] += (mesh.positions[v] - place[to]) / ++count[to]; // exact where they coincide
        }
    }
    weld.joined = mesh.vertex_count() - static_cast<int>(place.size());
    if (!mesh.uv.empty() && mesh.uv_triangles.empty()) mesh.uv_triangles = mesh.triangles;
    mesh.positions = std::move(place);
    for (Triangle& t : mesh.triangles)
        for (int& v : t)
            v = weld.vertex_of[v];
    return weld;
}

} // namespace

Result<Weld> weld_borders(TriangleMesh& mesh, double distance) {
    if (distance == 0.0) return Weld{};
    const std::vector<char> border = on_border(mesh);
    std::vector<int> points;
    for (int v = 0; v < mesh.vertex_count(); ++v)
        if (border[v]) points.push_back(v);
    std::vector<NearPair> pairs;
    if (distance > 0.0)
        for_each_near(mesh.positions, points, distance, [&](int a, int b, double d) { pairs.push_back({a, b, d}); });
    else
        pairs = rounded_pairs(mesh, border, points);
    if (pairs.empty()) return Weld{};
    Groups groups(mesh.vertex_count());
    double largest = 0.0;
    for (const NearPair& pair : pairs) {
        groups.join(pair.a, pair.b);
        largest = std::max(largest, pair.distance);
    }
    if (const std::vector<int> flat = collapsed(mesh, groups); !flat.empty()) {
        if (distance < 0.0) return Weld{}; // triangles as small as the rounding: nothing can be said about such a mesh
        double shortest = 1e300;
        for (const int t : flat)
            for (int k = 0; k < 3; ++k)
                shortest = std::min(shortest, length(mesh.positions[mesh.triangles[t][k]] -
                                                     mesh.positions[mesh.triangles[t][(k + 1) % 3]]));
        return Error{concat("weld ", distance, " would join vertices of one triangle in ", flat.size(),
                            " triangles, the first triangle ", flat.front(),
                            "; expected less than their shortest edge, ", shortest, " m")};
    }
    Weld weld = merge(mesh, groups);
    weld.distance = largest;
    return weld;
}

LooseBorders find_loose_borders(const TriangleMesh& mesh, double reach) {
    LooseBorders loose;
    const std::vector<int> piece = piece_of(mesh);
    std::vector<char> leads(mesh.positions.size(), 0);
    for (const Triangle& t : mesh.triangles)
        leads[piece[t[0]]] = 1;
    loose.pieces = static_cast<int>(std::count(leads.begin(), leads.end(), 1));
    if (loose.pieces < 2) return loose;
    const std::vector<char> border = on_border(mesh);
    std::vector<int> points;
    for (int v = 0; v < mesh.vertex_count(); ++v)
        if (border[v]) points.push_back(v);
    std::vector<double> nearest(mesh.positions.size(), reach);
    std::vector<char> has(mesh.positions.size(), 0);
    for_each_near(mesh.positions, points, reach, [&](int a, int b, double d) {
        if (piece[a] == piece[b]) return;
        for (const int v : {a, b}) {
            nearest[v] = has[v] ? std::min(nearest[v], d) : d;
            has[v] = 1;
        }
    });
    for (const int v : points)
        if (has[v]) loose.gap = std::max(loose.gap, nearest[v]);
    return loose;
}

} // namespace selvage
