#include "geometry/topology.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace selvage {

namespace {

/// Counting sort of (row, item) pairs into lists; items keep the order in which for_each_pair names them.
template <class ForEachPair>
IndexLists make_lists(int row_count, const ForEachPair& for_each_pair) {
    IndexLists lists;
    lists.start.assign(row_count + 1, 0);
    for_each_pair([&](int row, int) { ++lists.start[row + 1]; });
    for (int row = 0; row < row_count; ++row)
        lists.start[row + 1] += lists.start[row];
    lists.items.resize(lists.start.back());
    std::vector<int> next(lists.start.begin(), lists.start.end() - 1);
    for_each_pair([&](int row, int item) { lists.items[next[row]++] = item; });
    return lists;
}

struct EdgeCorner {
    int a, b; // a < b
    int opposite;
    int triangle;
    bool forward; // the triangle runs from a to b
};

/// The corners opposite each edge, edge by edge.
std::vector<EdgeCorner> sorted_corners(const TriangleMesh& mesh) {
    std::vector<EdgeCorner> corners;
    corners.reserve(3 * mesh.triangles.size());
    for (int index = 0; index < mesh.triangle_count(); ++index) {
        const Triangle& t = mesh.triangles[index];
        for (int k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3], opposite = t[(k + 2) % 3];
            corners.push_back({std::min(a, b), std::max(a, b), opposite, index, a < b});
        }
    }
    std::sort(corners.begin(), corners.end(), [](const EdgeCorner& x, const EdgeCorner& y) {
        return std::tie(x.a, x.b, x.triangle, x.opposite) < std::tie(y.a, y.b, y.triangle, y.opposite);
    });
    return corners;
}

/// Calls visit(first, count) for the corners of each edge.
template <class Visit>
void for_each_edge(const std::vector<EdgeCorner>& corners, const Visit& visit) {
    for (std::size_t begin = 0; begin < corners.size();) {
        std::size_t end = begin + 1;
        while (end < corners.size() && corners[end].a == corners[begin].a && corners[end].b == corners[begin].b)
            ++end;
        visit(&corners[begin], end - begin);
        begin = end;
    }
}

HingeTriangles hinge_of(const EdgeCorner* pair) {
    const EdgeCorner &first = pair[0], &second = pair[1];
    // c belongs to the triangle that runs a -> b
    if (first.forward) return {{first.a, first.b, first.opposite, second.opposite}, first.triangle, second.triangle};
    return {{first.a, first.b, second.opposite, first.opposite}, second.triangle, first.triangle};
}

} // namespace

IndexLists lists_of(int row_count, std::span<const std::pair<int, int>> pairs) {
    return make_lists(row_count, [&](const auto& visit) {
        for (const auto& [row, item] : pairs)
            visit(row, item);
    });
}

Topology build_topology(const TriangleMesh& mesh) {
    Topology topology;
    for_each_edge(sorted_corners(mesh), [&](const EdgeCorner* corner, std::size_t count) {
        topology.edges.push_back({corner->a, corner->b});
        if (count == 2) topology.hinges.push_back(hinge_of(corner).hinge);
        if (count > 2) topology.non_manifold_edges.push_back({corner->a, corner->b});
    });
    topology.edges.shrink_to_fit();
    topology.hinges.shrink_to_fit();
    return topology;
}

std::vector<HingeTriangles> hinge_triangles(const TriangleMesh& mesh) {
    std::vector<HingeTriangles> hinges;
    for_each_edge(sorted_corners(mesh), [&](const EdgeCorner* corner, std::size_t count) {
        if (count == 2) hinges.push_back(hinge_of(corner));
    });
    return hinges;
}

IndexLists vertex_triangles(const TriangleMesh& mesh) {
    return make_lists(mesh.vertex_count(), [&](const auto& visit) {
        for (int t = 0; t < mesh.triangle_count(); ++t)
            for (const int v : mesh.triangles[t])
                visit(v, t);
    });
}

IndexLists vertex_neighbours(int vertex_count, std::span<const Edge> edges) {
    return make_lists(vertex_count, [&](const auto& visit) {
        for (const auto& [a, b] : edges) {
            visit(a, b);
            visit(b, a);
        }
    });
}

IndexLists colour_pairs(int vertex_count, std::span<const Edge> pairs) {
    // A bit per colour and vertex; beyond 64 colours (a hub with dozens of springs) a second word is opened.
    std::vector<std::vector<std::uint64_t>> used(1, std::vector<std::uint64_t>(vertex_count, 0));
    std::vector<int> colour(pairs.size());
    int colour_count = 0;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const auto [a, b] = pairs[p];
        std::size_t word = 0;
        while (word < used.size() && (used[word][a] | used[word][b]) == ~std::uint64_t{0})
            ++word;
        if (word == used.size()) used.emplace_back(vertex_count, 0);
        int bit = 0;
        while (((used[word][a] | used[word][b]) >> bit) & 1)
            ++bit;
        used[word][a] |= std::uint64_t{1} << bit;
        used[word][b] |= std::uint64_t{1} << bit;
        colour[p] = static_cast<int>(word) * 64 + bit;
        colour_count = std::max(colour_count, colour[p] + 1);
    }
    return make_lists(colour_count, [&](const auto& visit) {
        for (std::size_t p = 0; p < pairs.size(); ++p)
            visit(colour[p], static_cast<int>(p));
    });
}

} // namespace selvage
