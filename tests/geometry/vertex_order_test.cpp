#include "geometry/vertex_order.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::vector<Edge> grid_pairs(int side, const std::vector<int>& number) {
    std::vector<Edge> pairs;
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            if (i + 1 < side) pairs.push_back({number[j * side + i], number[j * side + i + 1]});
            if (j + 1 < side) pairs.push_back({number[j * side + i], number[(j + 1) * side + i]});
        }
    return pairs;
}

int farthest(const std::vector<int>& order, const std::vector<Edge>& pairs) {
    std::vector<int> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        place[order[k]] = static_cast<int>(k);
    int most = 0;
    for (const auto& [a, b] : pairs)
        most = std::max(most, std::abs(place[a] - place[b]));
    return most;
}

// Row by row the ends of an edge are at most a row apart; breadth first, at most two levels, each a diagonal or a row.
TEST(VertexOrder, BringsNeighboursOfAShuffledGridTogether) {
    const int side = 30;
    std::vector<int> number(side * side);
    std::iota(number.begin(), number.end(), 0);
    EXPECT_EQ(local_order(side * side, grid_pairs(side, number)), number); // good as it is
    std::shuffle(number.begin(), number.end(), std::mt19937(4));
    const std::vector<Edge> pairs = grid_pairs(side, number);
    std::vector<int> order = local_order(side * side, pairs);
    EXPECT_LE(farthest(order, pairs), 2 * side);
    std::sort(order.begin(), order.end());
    std::iota(number.begin(), number.end(), 0);
    EXPECT_EQ(order, number); // each vertex once
}

TEST(VertexOrder, TakesLooseVerticesAndNone) {
    EXPECT_TRUE(local_order(0, {}).empty());
    EXPECT_EQ(local_order(3, {}).size(), 3U);
    const std::vector<Edge> apart = {{0, 5}, {1, 4}};
    EXPECT_EQ(local_order(6, apart).size(), 6U);
}

} // namespace
} // namespace selvage
