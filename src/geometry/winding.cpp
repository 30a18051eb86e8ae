#include "geometry/winding.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/concat.h"

namespace selvage {

namespace {

struct HalfEdge {
    int low, high; // vertices
    int triangle;
    bool forward; // from low to high

    friend bool operator<(const HalfEdge& a, const HalfEdge& b) {
        return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    }
};

/// Two triangles over one edge; they agree when they run along it in opposite directions.
struct Neighbours {
    int a, b;
    bool agree;
};

std::vector<Neighbours> find_neighbours(const std::vector<Triangle>& triangles) {
    std::vector<HalfEdge> halves;
    halves.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const int from = triangles[t][k], to = triangles[t][(k + 1) % 3];
            halves.push_back({std::min(from, to), std::max(from, to), static_cast<int>(t), from < to});
        }
    std::sort(halves.begin(), halves.end());
    std::vector<Neighbours> out;
    for (std::size_t i = 0; i < halves.size();) {
        std::size_t end = i + 1;
        while (end < halves.size() && halves[end].low == halves[i].low && halves[end].high == halves[i].high)
            ++end;
        if (end - i == 2) // more meet without an order
            out.push_back({halves[i].triangle, halves[i + 1].triangle, halves[i].forward != halves[i + 1].forward});
        i = end;
    }
    return out;
}

void turn_over(Triangle& t) {
    std::swap(t[1], t[2]);
}

} // namespace

void make_winding_consistent(TriangleMesh& mesh, const std::string& location, std::vector<std::string>& warnings) {
    const std::vector<Neighbours> neighbours = find_neighbours(mesh.triangles);
    if (std::all_of(neighbours.begin(), neighbours.end(), [](const Neighbours& n) { return n.agree; })) return;

    // The neighbours of every triangle, one after the other.
    const std::size_t count = mesh.triangles.size();
    std::vector<int> start(count + 1, 0), links(2 * neighbours.size());
    for (const Neighbours& n : neighbours)
        ++start[n.a + 1], ++start[n.b + 1];
    for (std::size_t t = 0; t < count; ++t)
        start[t + 1] += start[t];
    std::vector<int> next = start;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        links[next[neighbours[i].a]++] = static_cast<int>(i);
        links[next[neighbours[i].b]++] = static_cast<int>(i);
    }

    // From piece to piece: all that can be reached must agree with its first triangle.
    std::vector<char> seen(count, 0), turned(count, 0);
    int turned_count = 0;
    std::vector<int> piece;
    for (std::size_t first = 0; first < count; ++first) {
        if (std::exchange(seen[first], 1)) continue;
        piece.assign(1, static_cast<int>(first));
        std::size_t turned_in_piece = 0;
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const int t = piece[i];
            turned_in_piece += turned[t];
            for (int k = start[t]; k < start[t + 1]; ++k) {
                const Neighbours& n = neighbours[links[k]];
                const int other = n.a == t ? n.b : n.a;
                if (std::exchange(seen[other], 1)) continue;
                turned[other] = n.agree ? turned[t] : static_cast<char>(1 - turned[t]);
                piece.push_back(other);
            }
        }
        const bool most_are_turned = 2 * turned_in_piece > piece.size();
        for (const int t : piece) {
            if (most_are_turned) turned[t] = static_cast<char>(1 - turned[t]);
            turned_count += turned[t];
        }
    }
    int unsettled = 0;
    for (const Neighbours& n : neighbours)
        unsettled += n.agree != (turned[n.a] == turned[n.b]);
    for (std::size_t t = 0; t < count; ++t) {
        if (!turned[t]) continue;
        turn_over(mesh.triangles[t]);
        if (!mesh.uv_triangles.empty()) turn_over(mesh.uv_triangles[t]);
    }
    if (turned_count > 0)
        warnings.push_back(concat(location, ": turned over ", turned_count, " of ", count,
                                  " triangles whose front was their neighbours' back"));
    if (unsettled > 0)
        warnings.push_back(
            concat(location, ": ", unsettled, " edges lie between a front and a back: the surface has one side only"));
}

} // namespace selvage
