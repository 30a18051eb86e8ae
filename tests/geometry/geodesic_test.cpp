#include "geometry/geodesic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "geometry/generators.h"
#include "math/pi.h"

namespace selvage {
namespace {

struct Distances {
    std::vector<double> d;
    std::vector<int> nearest;
    std::int64_t windows = 0;
};

Distances distances(const TriangleMesh& mesh, const std::vector<int>& sources, const GeodesicSettings& settings = {}) {
    Distances out{std::vector<double>(mesh.positions.size()), std::vector<int>(mesh.positions.size())};
    Geodesics geodesics(mesh, settings);
    EXPECT_TRUE(geodesics.find(sources, out.d, out.nearest));
    out.windows = geodesics.window_count();
    return out;
}

TriangleMesh irregular_grid(int n) {
    return make_grid({{1, 1}, {n, n}, Diagonals::alternating, 0.25})->mesh;
}

/// A grid bent into hills and saddles: curvature of both signs.
TriangleMesh hilly_grid(int n, double height = 0.1) {
    TriangleMesh mesh = irregular_grid(n);
    for (Vec3& p : mesh.positions)
        p.z = height * std::sin(9.0 * p.x) * std::sin(7.0 * p.y + 1.0);
    return mesh;
}

/// A grid of unit cells without those for which `is_out` says so; vertices as in the full grid.
TriangleMesh cells(int n, const std::function<bool(int, int)>& is_out) {
    TriangleMesh mesh;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
            mesh.positions.push_back({static_cast<double>(i), static_cast<double>(j), 0.0});
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            if (is_out(i, j)) continue;
            const int a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            mesh.triangles.push_back({a, b, (i + j) % 2 == 0 ? d : c});
            mesh.triangles.push_back((i + j) % 2 == 0 ? Triangle{a, d, c} : Triangle{b, d, c});
        }
    return mesh;
}

/// Length of a taut string from p to q in the plane around a rectangle: straight, or over one or two of its corners.
double around_rectangle(const Vec3& p, const Vec3& q, const Vec3& low, const Vec3& high) {
    const auto is_free = [&](const Vec3& a, const Vec3& b) { // the segment does not enter the inside (Liang and Barsky)
        double from = 0.0, to = 1.0;
        for (int axis = 0; axis < 2; ++axis) {
            const double start = axis == 0 ? a.x : a.y, step = (axis == 0 ? b.x : b.y) - start;
            const double first = (axis == 0 ? low.x : low.y) - start, last = (axis == 0 ? high.x : high.y) - start;
            if (step == 0.0) {
                if (first >= 0.0 || last <= 0.0) return true;
                continue;
            }
            from = std::max(from, std::min(first / step, last / step));
            to = std::min(to, std::max(first / step, last / step));
        }
        return from >= to - 1e-12;
    };
    std::vector<Vec3> nodes{p, q, low, {high.x, low.y, 0}, high, {low.x, high.y, 0}};
    std::vector<double> d(nodes.size(), 1e9);
    d[0] = 0.0;
    for (std::size_t round = 0; round < nodes.size(); ++round)
        for (std::size_t a = 0; a < nodes.size(); ++a)
            for (std::size_t b = 0; b < nodes.size(); ++b)
                if (is_free(nodes[a], nodes[b])) d[b] = std::min(d[b], d[a] + length(nodes[b] - nodes[a]));
    return d[1];
}

/// Brute force: every straight line from a vertex, unfolded triangle by triangle, shortest or not.
class StraightLines {
public:
    explicit StraightLines(const TriangleMesh& mesh) : mesh_(mesh) {
        for (int t = 0; t < mesh.triangle_count(); ++t)
            for (int k = 0; k < 3; ++k)
                beside_[std::minmax({mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]})].push_back(t);
    }

    /// Lengths of the shortest chains of straight lines from vertex to vertex.
    std::vector<double> paths_from(int source, double longest) {
        longest_ = longest;
        std::vector<double> d(mesh_.positions.size(), 1e9);
        std::vector<bool> is_known(d.size(), false);
        d[source] = 0.0;
        for (std::size_t round = 0; round < d.size(); ++round) {
            int v = -1;
            for (std::size_t i = 0; i < d.size(); ++i)
                if (!is_known[i] && (v < 0 || d[i] < d[v])) v = static_cast<int>(i);
            is_known[v] = true;
            line_.assign(d.size(), 1e9);
            look_from(v);
            for (std::size_t i = 0; i < d.size(); ++i)
                d[i] = std::min(d[i], d[v] + line_[i]);
        }
        return d;
    }

private:
    double distance(int a, int b) const { return length(mesh_.positions[a] - mesh_.positions[b]); }
    static double turn(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }
    /// The third corner, as far from p and q as it is from their vertices, right of the line from p to q.
    Vec2 lay_down(int a, const Vec2& p, int b, const Vec2& q, int c) const {
        const double l = distance(a, b), ac = distance(a, c), bc = distance(b, c);
        const double along = (l * l + ac * ac - bc * bc) / (2.0 * l);
        const double across = std::sqrt(std::max(ac * ac - along * along, 0.0));
        const Vec2 e{(q.x - p.x) / l, (q.y - p.y) / l};
        return {p.x + along * e.x + across * e.y, p.y + along * e.y - across * e.x};
    }
    void look_from(int v) {
        for (int t = 0; t < mesh_.triangle_count(); ++t)
            for (int k = 0; k < 3; ++k) {
                if (mesh_.triangles[t][k] != v) continue;
                const int a = mesh_.triangles[t][(k + 1) % 3], b = mesh_.triangles[t][(k + 2) % 3];
                line_[a] = std::min(line_[a], distance(v, a));
                line_[b] = std::min(line_[b], distance(v, b));
                // v at the origin, a to the right of b as seen from it
                const Vec2 p{distance(v, a), 0.0};
                const Vec2 q = lay_down(a, p, v, {0, 0}, b);
                look_over(t, b, q, a, p, q, p);
            }
    }
    /// Over the edge from `left` to `right` out of triangle t, between two directions.
    void look_over(int t, int left, const Vec2& p, int right, const Vec2& q, const Vec2& first, const Vec2& last) {
        if (!(turn(last, first) > 1e-12)) return;
        const auto hit = [&](const Vec2& ray) { // where the ray crosses the edge
            const Vec2 e{q.x - p.x, q.y - p.y};
            const double f = turn(p, e) / turn(ray, e);
            return Vec2{f * ray.x, f * ray.y};
        };
        const Vec2 a = hit(first), b = hit(last);
        const double area = std::abs(turn(a, b)), base = std::hypot(b.x - a.x, b.y - a.y);
        if (base > 0.0 && area / base > longest_) return; // the edge's line is farther than that
        for (const int next : beside_[std::minmax({left, right})]) {
            if (next == t) continue;
            int c = -1;
            for (const int v : mesh_.triangles[next])
                if (v != left && v != right) c = v;
            const Vec2 r = lay_down(right, q, left, p, c); // right of q to p is away from the origin
            if (turn(r, first) >= -1e-12 && turn(last, r) >= -1e-12)
                line_[c] = std::min(line_[c], std::hypot(r.x, r.y));
            look_over(next, left, p, c, r, first, turn(last, r) > 0.0 ? r : last);
            look_over(next, c, r, right, q, turn(r, first) > 0.0 ? r : first, last);
        }
    }

    const TriangleMesh& mesh_;
    std::map<std::pair<int, int>, std::vector<int>> beside_;
    std::vector<double> line_;
    double longest_ = 0.0;
};

TEST(Geodesics, AreStraightLinesOnAFlatSheetHoweverItIsCut) {
    for (const double jitter : {0.0, 0.25})
        for (const Diagonals cut : {Diagonals::uniform, Diagonals::alternating, Diagonals::cross}) {
            const TriangleMesh mesh = make_grid({{1.5, 1}, {37, 29}, cut, jitter})->mesh;
            for (const int source : {0, 14 * 37 + 20}) {
                const Distances found = distances(mesh, {source});
                for (int i = 0; i < mesh.vertex_count(); ++i)
                    ASSERT_NEAR(found.d[i], length(mesh.positions[i] - mesh.positions[source]), 1e-9) << i;
            }
        }
}

TEST(Geodesics, NeedAboutOneWindowPerEdgeOfAFlatSheet) {
    const TriangleMesh mesh = irregular_grid(128);
    // Three edges to a vertex. Without merging there would be as many windows on an edge as vertices in the wedge that
    // it shows of the source: about 40 on average.
    EXPECT_LT(distances(mesh, {0}).windows, 2 * 3 * 128 * 128);
}

TEST(Geodesics, GoAroundAHoleLikeATautString) {
    const TriangleMesh mesh = cells(20, [](int i, int j) { return i >= 7 && i < 12 && j >= 6 && j < 15; });
    for (const int source : {0, 10 * 21 + 6, 10 * 21 + 3, 20 * 21 + 9}) {
        const Distances found = distances(mesh, {source});
        for (int i = 0; i < mesh.vertex_count(); ++i) {
            const Vec3 p = mesh.positions[i];
            if (p.x > 7 && p.x < 12 && p.y > 6 && p.y < 15) {
                EXPECT_EQ(found.nearest[i], -1); // in the hole
                continue;
            }
            ASSERT_NEAR(found.d[i], around_rectangle(mesh.positions[source], p, {7, 6, 0}, {12, 15, 0}), 1e-6) << i;
        }
    }
}

TEST(Geodesics, GoAroundTheInnerCornerOfAConcaveOutline) {
    const TriangleMesh mesh = cells(16, [](int i, int j) { return i >= 6 && j >= 4; }); // an L
    const Distances found = distances(mesh, {16 * 17});                                 // the top of its upright arm
    const Vec3 source = mesh.positions[16 * 17], corner{6, 4, 0};
    for (int i = 0; i < mesh.vertex_count(); ++i) {
        const Vec3 p = mesh.positions[i];
        if (p.x > 6 && p.y > 4) continue;
        // Straight where the line passes below the corner.
        const bool sees = cross(corner - source, p - source).z <= 0.0 || p.x <= 6.0;
        const double expected = sees ? length(p - source) : length(corner - source) + length(p - corner);
        ASSERT_NEAR(found.d[i], expected, 1e-6) << i;
    }
}

TEST(Geodesics, UnrollATube) {
    const int around = 24, high = 11;
    const TriangleMesh mesh = make_tube({0.2, 0.2, 0.6, {around, high}})->mesh;
    const Distances found = distances(mesh, {0});
    const double side = 2.0 * 0.2 * std::sin(kPi / around); // of the prism that the tube is
    for (int i = 0; i < mesh.vertex_count(); ++i) {
        const Vec3 p = mesh.positions[i], s = mesh.positions[0];
        const double angle = std::acos(std::clamp((p.x * s.x + p.z * s.z) / 0.04, -1.0, 1.0));
        const double along = std::round(angle / (2.0 * kPi / around)) * side;
        ASSERT_NEAR(found.d[i], std::hypot(along, p.y - s.y), 1e-6) << i;
    }
}

TEST(Geodesics, UnrollACone) {
    // Flat facets from the apex down, 14 of them, apex angle 0.4 rad each: half around is 2.8 rad, less than pi, so
    // that all paths are chords of the unrolled sector and none leads over the apex.
    const int facets = 14, rings = 9;
    const double apex_angle = 0.4, spread = std::sin(0.5 * apex_angle) / std::sin(kPi / facets);
    TriangleMesh mesh;
    mesh.positions.push_back({0, 0, 0});
    for (int r = 1; r <= rings; ++r)
        for (int k = 0; k < facets; ++k) {
            const double angle = 2.0 * kPi * k / facets, slant = 0.1 * r;
            mesh.positions.push_back({slant * spread * std::cos(angle), -slant * std::sqrt(1.0 - spread * spread),
                                      slant * spread * std::sin(angle)});
        }
    const auto at = [&](int r, int k) { return 1 + (r - 1) * facets + k % facets; };
    for (int k = 0; k < facets; ++k) {
        mesh.triangles.push_back({0, at(1, k), at(1, k + 1)});
        for (int r = 1; r < rings; ++r) {
            mesh.triangles.push_back({at(r, k), at(r + 1, k), at(r + 1, k + 1)});
            mesh.triangles.push_back({at(r, k), at(r + 1, k + 1), at(r, k + 1)});
        }
    }
    const Distances found = distances(mesh, {at(6, 0)});
    for (int r = 1; r <= rings; ++r)
        for (int k = 0; k < facets; ++k) {
            const double turned = apex_angle * std::min(k, facets - k);
            const double p = 0.6, q = 0.1 * r, chord = std::sqrt(p * p + q * q - 2.0 * p * q * std::cos(turned));
            ASSERT_NEAR(found.d[at(r, k)], chord, 1e-5 * chord + 1e-12) << r << ' ' << k;
        }
    EXPECT_NEAR(found.d[0], 0.6, 1e-12);
}

TEST(Geodesics, AgreeWithBruteForceOnCurvedMeshes) {
    TriangleMesh bowl = make_disc({1.0, 6})->mesh; // most of a ball
    for (Vec3& p : bowl.positions) {
        const double r = std::sqrt(p.x * p.x + p.y * p.y), polar = 2.6 * r;
        p = r > 0.0 ? Vec3{std::sin(polar) * p.x / r, std::sin(polar) * p.y / r, std::cos(polar)} : Vec3{0, 0, 1};
    }
    for (const TriangleMesh& mesh : {hilly_grid(9), hilly_grid(8, 0.02), hilly_grid(9, 0.3), bowl})
        for (const int source : {0, 17, 40}) {
            const Distances found = distances(mesh, {source});
            const double longest = *std::max_element(found.d.begin(), found.d.end());
            const std::vector<double> oracle = StraightLines(mesh).paths_from(source, 1.01 * longest);
            for (int i = 0; i < mesh.vertex_count(); ++i)
                EXPECT_NEAR(found.d[i], oracle[i], 5e-6 * oracle[i]) << i; // a few merges of 1e-6 each
        }
}

TEST(Geodesics, ChangeByFarLessThanAThousandthThroughMerging) {
    const TriangleMesh mesh = hilly_grid(41);
    GeodesicSettings exact;
    exact.merge_tolerance = 0.0;
    const Distances merged = distances(mesh, {5}), unmerged = distances(mesh, {5}, exact);
    double worst = 0.0, sum = 0.0;
    for (int i = 0; i < mesh.vertex_count(); ++i) {
        if (i == 5) continue;
        const double change = std::abs(merged.d[i] / unmerged.d[i] - 1.0);
        worst = std::max(worst, change);
        sum += change;
    }
    EXPECT_LT(worst, 5e-4); // GeodesicSettings::most_error
    EXPECT_LT(sum / mesh.vertex_count(), 1e-5);
    EXPECT_LT(merged.windows, unmerged.windows);
}

TEST(Geodesics, FindTheNearestOfSeveralSources) {
    const TriangleMesh mesh = hilly_grid(15);
    const std::vector<int> sources{0, 1, 2, 100, 224, 160};
    const Distances all = distances(mesh, sources);
    std::vector<Distances> single;
    for (const int s : sources)
        single.push_back(distances(mesh, {s}));
    for (int i = 0; i < mesh.vertex_count(); ++i) {
        double least = 1e9, of_named = 1e9;
        for (std::size_t k = 0; k < sources.size(); ++k) {
            least = std::min(least, single[k].d[i]);
            if (sources[k] == all.nearest[i]) of_named = single[k].d[i];
        }
        EXPECT_NEAR(all.d[i], least, 1e-5 * least);
        EXPECT_NEAR(of_named, least, 1e-5 * least);
    }
}

TEST(Geodesics, ReachWhatHangsTogetherOnlyAndTakeAnyMesh) {
    TriangleMesh mesh = cells(4, [](int i, int) { return i == 2; }); // two strips
    Distances found = distances(mesh, {0});
    EXPECT_EQ(found.nearest[4], -1);
    EXPECT_FALSE(std::isfinite(found.d[4]));
    EXPECT_NEAR(found.d[4 * 5 + 1], std::hypot(1.0, 4.0), 1e-9);

    mesh = cells(4, [](int, int) { return false; });
    mesh.positions[12] = mesh.positions[13]; // an edge without length, triangles without area
    found = distances(mesh, {0});
    EXPECT_NEAR(found.d[12], std::hypot(3.0, 2.0), 1e-6);
    EXPECT_NEAR(found.d[24], std::hypot(4.0, 4.0), 1e-3);

    // Three leaves on one spine, and two squares that share a corner: the way leads through spine and corner.
    mesh = {};
    mesh.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
    mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
    EXPECT_NEAR(distances(mesh, {2}).d[4], 2.0, 1e-9);
    mesh = cells(4, [](int i, int j) { return (i < 2) != (j < 2); });
    EXPECT_NEAR(distances(mesh, {0}).d[4 * 5 + 3], std::hypot(2, 2) + std::hypot(1, 2), 1e-9);
}

TEST(Geodesics, GiveUpAtTheBound) {
    const TriangleMesh mesh = irregular_grid(9);
    GeodesicSettings settings;
    settings.most_windows = 20;
    std::vector<double> d(81);
    std::vector<int> nearest(81);
    EXPECT_FALSE(Geodesics(mesh, settings).find(std::vector<int>{0}, d, nearest));
}

} // namespace
} // namespace selvage
