#include "collision/search/flat_bounds.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "collision/contact/contact_samples.h"
#include "collision/search/proximity.h"

namespace selvage {
namespace {

/// The smallest distance of features of two patches that share no vertex, by looking at all of them.
double nearest_features(const SurfacePatches& patches, int p, int q, const std::vector<Vec3>& x) {
    double least = 1e300;
    const auto take = [&](double distance_squared) { least = std::min(least, std::sqrt(distance_squared)); };
    const auto has = [](const auto& list, int v) { return std::find(list.begin(), list.end(), v) != list.end(); };
    const auto faces_of = [&](int patch) {
        return patches.faces().subspan(static_cast<std::size_t>(patches.patches()[patch].face_begin),
                                       static_cast<std::size_t>(patches.patches()[patch].face_count));
    };
    for (const SurfacePatches::Face& f : faces_of(p))
        for (const SurfacePatches::Face& g : faces_of(q)) {
            for (const auto& [one, other] : {std::pair(&f, &g), std::pair(&g, &f)})
                for (int k = 0; k < one->own_vertex_count; ++k) {
                    const Triangle& t = other->v;
                    const int v = one->own_vertex[k];
                    if (!has(t, v)) take(closest_points(x[v], x[t[0]], x[t[1]], x[t[2]]).distance_squared);
                }
            for (int k = 0; k < f.own_edge_count; ++k)
                for (int l = 0; l < g.own_edge_count; ++l) {
                    const Edge &a = f.own_edge[k], &b = g.own_edge[l];
                    if (has(b, a[0]) || has(b, a[1])) continue;
                    take(closest_points_of_segments(x[a[0]], x[a[1]], x[b[0]], x[b[1]]).distance_squared);
                }
        }
    return least;
}

/// At rest neither regular nor quite flat.
ContactSurface uneven_sheet() {
    ContactSurface surface;
    add_sheet(surface, 12, 0.4, {0.3, -0.2, 0.1});
    Dice dice(3);
    for (Vec3& p : surface.rest)
        p += dice.vector(0.003);
    return surface;
}

struct BentSheet {
    ContactSurface surface = uneven_sheet();
    SurfacePatches patches{surface};
    FlatBounds bounds{surface, patches};

    /// How many pairs have a bound at x; each is compared with the true distance.
    int count_bounds(const std::vector<Vec3>& x) {
        const int n = static_cast<int>(patches.patches().size());
        int known = 0;
        for (int p = 0; p < n; ++p)
            bounds.fit(x, p);
        for (int p = 0; p < n; ++p)
            for (int q = p; q < n; ++q) {
                const double gap = bounds.gap(x, p, q, bounds.rest_gap(p, q, 1.0));
                EXPECT_LE(gap, nearest_features(patches, p, q, x)) << p << " " << q;
                if (gap > 0.0) ++known;
            }
        return known;
    }
    int pair_count() const {
        const int n = static_cast<int>(patches.patches().size());
        return n * (n + 1) / 2;
    }
};

// A bound may say little but never too much: it is compared with the distances of all features, for cloth that is
// rolled up ever tighter, crumpled, stretched, turned, or folded onto itself.
TEST(FlatBounds, NeverExceedTheTrueDistance) {
    Dice dice(5);
    for (const double curl : {0.0, 2.0, 5.0, 12.0, 40.0})
        for (const double crumple : {0.0, 0.002, 0.02}) {
            SCOPED_TRACE(curl);
            SCOPED_TRACE(crumple);
            BentSheet sheet;
            std::vector<Vec3> x = sheet.surface.rest;
            const Vec3 shift = dice.vector(10.0);
            for (Vec3& p : x) {
                if (curl > 0.0) p = {std::sin(curl * p.x) / curl, 0.8 * p.y, p.z + (1.0 - std::cos(curl * p.x)) / curl};
                p = Vec3{p.z, 0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y} + shift + dice.vector(crumple);
            }
            sheet.count_bounds(x);
        }
}

TEST(FlatBounds, KnowGentlyBentClothAndSayNothingOfFolds) {
    BentSheet sheet;
    EXPECT_EQ(sheet.count_bounds(sheet.surface.rest), sheet.pair_count());
    std::vector<Vec3> x = sheet.surface.rest;
    for (Vec3& p : x) // on a cylinder of 0.4 m: an arc of a radian
        p = {0.4 * std::sin(p.x / 0.4), p.y, p.z - 0.4 * (1.0 - std::cos(p.x / 0.4))};
    EXPECT_EQ(sheet.count_bounds(x), sheet.pair_count());

    for (std::size_t i = 0; i < x.size(); ++i) { // folded in the middle: the halves lie on each other
        x[i] = sheet.surface.rest[i];
        x[i].x = std::abs(x[i].x - 0.3);
    }
    EXPECT_LT(sheet.count_bounds(x), sheet.pair_count());
}

// Seen from the side a sheet is a line: nothing can be told, and nothing may be.
TEST(FlatBounds, TellNothingOfClothWithoutWidth) {
    BentSheet sheet;
    std::vector<Vec3> x = sheet.surface.rest;
    for (Vec3& p : x)
        p.y = 0.0;
    EXPECT_EQ(sheet.count_bounds(x), 0);
    EXPECT_EQ(sheet.count_bounds(std::vector<Vec3>(x.size())), 0);
}

} // namespace
} // namespace selvage
