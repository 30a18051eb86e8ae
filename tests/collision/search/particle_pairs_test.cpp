#include "collision/search/particle_pairs.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "collision/search/pair_hash.h"
#include "collision/search/pair_hierarchy.h"
#include "geometry/generators.h"

namespace selvage {
namespace {

using Rows = std::vector<std::vector<int>>;

Rows rows_of(const PairLists& lists) {
    Rows rows;
    for (int i = 0; i < lists.particle_count(); ++i)
        rows.emplace_back(lists[i].begin(), lists[i].end());
    return rows;
}

std::size_t end_count(const Rows& rows) {
    std::size_t count = 0;
    for (const std::vector<int>& row : rows)
        count += row.size();
    return count;
}

/// A square metre of n x n points, and what a self-collision at `distance` leaves out.
struct Sheet {
    GeneratedMesh source;
    PairFilter filter;

    Sheet(int n, double distance)
        : source(*make_grid({{1, 1}, {n, n}, Diagonals::alternating})),
          filter(source.mesh.positions, std::vector<int>(source.mesh.positions.size(), 0),
                 build_topology(source.mesh).edges, distance) {}
};

Rows by_brute_force(const PairFilter& filter, const std::vector<Vec3>& x, double reach) {
    PairLists lists(filter.particle_count());
    find_pairs_by_brute_force(x, reach, filter, lists);
    return rows_of(lists);
}

/// Both searches on 1 and 3 threads against all pairs. Twice, so that nothing of an earlier search is left.
void expect_equal_to_brute_force(const PairFilter& filter, const std::vector<Vec3>& x, double reach) {
    const Rows expected = by_brute_force(filter, x, reach);
    PairHash hash(filter.particle_count());
    PairHierarchy hierarchy(filter.rest());
    PairLists lists(filter.particle_count());
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        hash.find(pool, x, reach, filter, lists);
        EXPECT_EQ(rows_of(lists), expected) << "hash, " << threads << " threads";
        EXPECT_EQ(lists.pair_count(), end_count(expected) / 2);
        hierarchy.find(pool, x, reach, filter, lists);
        EXPECT_EQ(rows_of(lists), expected) << "hierarchy, " << threads << " threads";
    }
}

/// Rolled up about an axis along y so that layers lie 1 cm apart.
std::vector<Vec3> rolled(const std::vector<Vec3>& flat) {
    std::vector<Vec3> x;
    for (const Vec3& p : flat) {
        const double s = p.x + 0.5, radius = std::sqrt(0.02 * 0.02 + 0.01 * s / 3.14159265), angle = s / radius;
        x.push_back({radius * std::cos(angle), p.y, radius * std::sin(angle)});
    }
    return x;
}

TEST(ParticlePairs, AreThoseOfBruteForceInARandomCloud) {
    const Sheet sheet(23, 0.04);
    for (const double size : {0.08, 0.4, 5.0, 1e7}) {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> any(-size, size);
        std::vector<Vec3> x;
        for (std::size_t i = 0; i < sheet.source.mesh.positions.size(); ++i)
            x.push_back({any(random), any(random), any(random)});
        expect_equal_to_brute_force(sheet.filter, x, 0.05);
    }
}

TEST(ParticlePairs, AreThoseOfBruteForceOnFoldedAndRolledCloth) {
    const Sheet sheet(33, 0.025);
    std::vector<Vec3> folded = sheet.source.mesh.positions;
    for (Vec3& p : folded) // in half, 1 cm between the layers
        if (p.x > 0.0) p = {-p.x, p.y, 0.01};
    const Rows found = by_brute_force(sheet.filter, folded, 0.03);
    EXPECT_GT(end_count(found), 500u);
    expect_equal_to_brute_force(sheet.filter, folded, 0.03);
    EXPECT_GT(end_count(by_brute_force(sheet.filter, rolled(sheet.source.mesh.positions), 0.03)), 2000u);
    expect_equal_to_brute_force(sheet.filter, rolled(sheet.source.mesh.positions), 0.03);
}

TEST(ParticlePairs, FallOnCellBordersAreNotLost) {
    // Points one reach apart less one last digit, on multiples of the reach: rounding at its worst.
    const double reach = 0.1;
    std::vector<Vec3> x;
    for (int i = -40; i < 40; ++i)
        x.push_back({i * std::nextafter(reach, 0.0), -7.3, 1e3 * reach});
    const PairFilter filter(std::vector<Vec3>(x.size()), std::vector<int>(x.size()), {}, 0.0);
    EXPECT_GT(end_count(by_brute_force(filter, x, reach)), 50u);
    expect_equal_to_brute_force(filter, x, reach);
}

TEST(ParticlePairs, OfAFlatSheetAreNone) {
    const Sheet sheet(17, 1.0 / 16.0); // the distance is the spacing: neighbours are left out, diagonals are farther
    EXPECT_EQ(end_count(by_brute_force(sheet.filter, sheet.source.mesh.positions, 1.05 / 16.0)), 0u);
    expect_equal_to_brute_force(sheet.filter, sheet.source.mesh.positions, 1.05 / 16.0);
}

TEST(PairFilter, LeavesOutNeighboursAndWhatIsNearAtRestWithinOnePiece) {
    //   0 --- 1 --- 2     at 0, 1 and 2 m; 3 is of another piece and lies at rest where 0 does
    const std::vector<Edge> edges{{0, 1}, {1, 2}};
    const PairFilter narrow({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 0}}, {0, 0, 0, 1}, edges, 0.5);
    EXPECT_TRUE(narrow.leaves_out(0, 1)); // an edge longer than the distance
    EXPECT_TRUE(narrow.leaves_out(2, 1));
    EXPECT_FALSE(narrow.leaves_out(0, 2));
    EXPECT_FALSE(narrow.leaves_out(0, 3));
    const PairFilter wide({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 0}}, {0, 0, 0, 1}, edges, 2.5);
    EXPECT_TRUE(wide.leaves_out(0, 2)); // nearer at rest than the distance
    EXPECT_FALSE(wide.leaves_out(0, 3));
}

TEST(ParticlePairs, StayFewAndMutualWhenAllPointsAreInOnePlace) {
    const int n = 3000;
    std::vector<int> piece; // each its own, so that none is left out
    for (int i = 0; i < n; ++i)
        piece.push_back(i);
    const PairFilter filter(std::vector<Vec3>(n, Vec3{}), piece, {}, 0.1);
    const std::vector<Vec3> x(n, Vec3{1, 2, 3});
    ThreadPool pool(2);
    PairLists lists(n);
    const auto expect_mutual = [&] {
        EXPECT_LE(lists.pair_count(), static_cast<std::size_t>(n) * PairLists::kMostPartners / 2);
        EXPECT_GT(lists.pair_count(), 0u);
        for (int i = 0; i < n; ++i)
            for (const int j : lists[i]) {
                const std::span<const int> theirs = lists[j];
                ASSERT_TRUE(std::find(theirs.begin(), theirs.end(), i) != theirs.end()) << i << " " << j;
            }
    };
    PairHash(n).find(pool, x, 0.1, filter, lists);
    expect_mutual();
    PairHierarchy(filter.rest()).find(pool, x, 0.1, filter, lists);
    expect_mutual();
}

TEST(ParticlePairs, OfNoneOneAndStrayParticlesAreFoundWithoutHarm) {
    ThreadPool pool(1);
    for (const int n : {0, 1, 2, 5}) {
        const PairFilter filter(std::vector<Vec3>(n, Vec3{}), std::vector<int>(n, 0), {}, 0.0);
        std::vector<Vec3> x(n, Vec3{std::nan(""), 0, 0});
        if (n > 2) x[1] = {1e300, -1e300, 0};
        PairLists lists(n);
        PairHash(n).find(pool, x, 0.1, filter, lists);
        EXPECT_EQ(lists.pair_count(), 0u);
        PairHierarchy(filter.rest()).find(pool, x, 0.1, filter, lists);
        EXPECT_EQ(lists.pair_count(), 0u);
    }
}

} // namespace
} // namespace selvage
