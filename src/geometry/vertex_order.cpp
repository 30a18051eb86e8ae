#include "geometry/vertex_order.h"

#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace selvage {

namespace {

/// All vertices in the order in which a breadth-first search from `first` meets them; what it does not reach is searched
/// from its first vertex in turn.
std::vector<int> breadth_first(const IndexLists& neighbours, int first) {
    const int n = neighbours.row_count();
    std::vector<int> order;
    order.reserve(n);
    std::vector<std::uint8_t> seen(n, 0);
    const auto visit = [&](int v) {
        if (seen[v]) return;
        seen[v] = 1;
        order.push_back(v);
    };
    std::size_t next = 0;
    for (int start = first, root = 0; root <= n; start = root++) {
        visit(start);
        for (; next < order.size(); ++next)
            for (const int w : neighbours[order[next]])
                visit(w);
        if (root == n) break;
    }
    return order;
}

/// How far apart the ends of the pairs stand, added up.
std::int64_t spread(std::span<const int> order, std::span<const Edge> pairs) {
    std::vector<int> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        place[order[k]] = static_cast<int>(k);
    std::int64_t sum = 0;
    for (const auto& [a, b] : pairs)
        sum += std::abs(place[a] - place[b]);
    return sum;
}

} // namespace

std::vector<int> local_order(int vertex_count, std::span<const Edge> pairs) {
    std::vector<int> given(vertex_count);
    std::iota(given.begin(), given.end(), 0);
    if (vertex_count == 0) return given;
    const IndexLists neighbours = vertex_neighbours(vertex_count, pairs);
    // The vertex met last lies on the rim: from there the levels of the search are short.
    const int rim = breadth_first(neighbours, 0).back();
    std::vector<int> searched = breadth_first(neighbours, rim);
    return spread(searched, pairs) < spread(given, pairs) ? searched : given;
}

} // namespace selvage
