#include "collision/contact/tangle_regions.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace selvage {

namespace {
constexpr double kEven = 0.5; // of the larger region's vertices
}

void TangleRegions::find(std::span<const SurfaceCrossing> crossings, std::vector<Depths>& depths) {
    depths.assign(crossings.size(), {});
    order_.resize(crossings.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto pair_of = [&](int k) { return std::tie(crossings[k].edge_body, crossings[k].triangle_body); };
    std::sort(order_.begin(), order_.end(),
              [&](int a, int b) { return pair_of(a) != pair_of(b) ? pair_of(a) < pair_of(b) : a < b; });
    for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
        while (end < order_.size() && pair_of(order_[end]) == pair_of(order_[begin]))
            ++end;
        find_of_pair(crossings, std::span(order_).subspan(begin, end - begin), depths);
    }
}

void TangleRegions::find_of_pair(std::span<const SurfaceCrossing> crossings, std::span<const int> pair,
                                 std::vector<Depths>& depths) {
    list_cut_edges(crossings, pair);
    flood(surface_.bodies[crossings[pair[0]].edge_body]);
    set_depths();
    for (const int k : pair) {
        const Edge& edge = crossings[k].edge;
        const auto [smaller, larger] = std::minmax(size_[region_[edge[0]]], size_[region_[edge[1]]]);
        depths[k] = {std::max(0, depth_[region_[edge[0]]]), std::max(0, depth_[region_[edge[1]]]),
                     smaller > kEven * larger};
    }
    for (const Edge& edge : cut_)
        has_cut_[edge[0]] = has_cut_[edge[1]] = 0;
}

/// The crossings of a pair are sorted by edge.
void TangleRegions::list_cut_edges(std::span<const SurfaceCrossing> crossings, std::span<const int> pair) {
    cut_.clear();
    for (std::size_t begin = 0, end = 0; begin < pair.size(); begin = end) {
        const Edge& edge = crossings[pair[begin]].edge;
        while (end < pair.size() && crossings[pair[end]].edge == edge)
            ++end;
        if ((end - begin) % 2 == 0) continue; // in and out again
        cut_.push_back(edge);
        has_cut_[edge[0]] = has_cut_[edge[1]] = 1;
    }
}

bool TangleRegions::is_cut(int a, int b) const {
    return has_cut_[a] && has_cut_[b] &&
           std::binary_search(cut_.begin(), cut_.end(), Edge{std::min(a, b), std::max(a, b)});
}

void TangleRegions::flood(const ContactBody& body) {
    const int begin = body.vertex_begin, end = begin + body.vertex_count;
    std::fill(region_.begin() + begin, region_.begin() + end, -1);
    size_.clear();
    for (int seed = begin; seed < end; ++seed) {
        if (region_[seed] >= 0) continue;
        const int region = static_cast<int>(size_.size());
        size_.push_back(0);
        open_.assign(1, seed);
        region_[seed] = region;
        while (!open_.empty()) {
            const int v = open_.back();
            open_.pop_back();
            ++size_[region];
            for (const int next : patches_.neighbours(v)) {
                if (region_[next] >= 0 || is_cut(v, next)) continue;
                region_[next] = region;
                open_.push_back(next);
            }
        }
    }
}

/// Breadth first from the largest regions, over cut edges.
void TangleRegions::set_depths() {
    depth_.assign(size_.size(), -1);
    is_bounded_.assign(size_.size(), 0);
    for (const auto& [a, b] : cut_)
        is_bounded_[region_[a]] = is_bounded_[region_[b]] = 1;
    by_size_.resize(size_.size());
    std::iota(by_size_.begin(), by_size_.end(), 0);
    std::erase_if(by_size_, [&](int region) { return !is_bounded_[region]; }); // pieces without crossings
    std::sort(by_size_.begin(), by_size_.end(),
              [&](int a, int b) { return size_[a] != size_[b] ? size_[a] > size_[b] : a < b; });
    for (const int root : by_size_) {
        if (depth_[root] >= 0) continue;
        depth_[root] = 0;
        // As many rounds as regions lie behind each other: few.
        for (int depth = 0, found = 1; found > 0; ++depth) {
            found = 0;
            for (const auto& [a, b] : cut_)
                for (const auto& [from, to] : {std::pair(region_[a], region_[b]), std::pair(region_[b], region_[a])})
                    if (depth_[from] == depth && depth_[to] < 0) {
                        depth_[to] = depth + 1;
                        ++found;
                    }
        }
    }
}

} // namespace selvage
