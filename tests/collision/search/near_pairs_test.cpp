#include "collision/search/near_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "collision/contact/contact_samples.h"
#include "collision/search/proximity.h"

namespace selvage {
namespace {

ContactSurface three_bodies() {
    ContactSurface surface;
    add_sheet(surface, 9, 0.4, {0, 0, 0});
    add_sheet(surface, 6, 0.3, {0.02, 0.01, 0.03});
    surface.bodies.back().meets_itself = false;
    surface.bodies.back().distance = 0.003;
    add_sheet(surface, 5, 0.4, {0, 0, -0.05});
    surface.bodies.back().is_solid = true;
    surface.bodies.back().meets_itself = false;
    surface.bodies.back().distance = 0.004;
    return surface;
}

TEST(SurfacePatches, HoldEveryVertexEdgeAndTriangleOnce) {
    ContactSurface surface = three_bodies();
    add_loose(surface, {{1, 0, 0}, {1, 1, 0}});
    surface.rest.push_back({2, 0, 0}); // a vertex without triangles in a body that has some
    ++surface.bodies.back().vertex_count;
    surface.triangles.push_back(surface.triangles[0]); // and a triangle that is there twice, in a body of its own
    surface.bodies.push_back(
        {static_cast<int>(surface.rest.size()), 0, static_cast<int>(surface.triangles.size()) - 1, 1});
    const SurfacePatches patches(surface);

    std::vector<int> vertex_owners(surface.rest.size()), listed(surface.rest.size());
    std::map<Edge, int> edge_owners;
    std::map<Triangle, int> faces;
    int at = 0;
    for (const SurfacePatches::Patch& patch : patches.patches()) {
        EXPECT_EQ(patch.face_begin, at);
        EXPECT_LE(patch.face_count, SurfacePatches::kMostTriangles);
        at += patch.face_count;
        const std::span<const int> vertices = patches.vertices(patch);
        std::set<int> once(vertices.begin(), vertices.end());
        EXPECT_EQ(once.size(), vertices.size());
        for (int k = 0; k < patch.vertex_count; ++k)
            if (k < patch.own_count) ++listed[vertices[k]];
        for (int f = patch.face_begin; f < patch.face_begin + patch.face_count; ++f) {
            const SurfacePatches::Face& face = patches.faces()[f];
            ++faces[face.v];
            for (int k = 0; k < 3; ++k)
                EXPECT_EQ(vertices[face.place[k]], face.v[k]);
            for (int k = 0; k < face.own_vertex_count; ++k) {
                ++vertex_owners[face.own_vertex[k]];
                EXPECT_TRUE(std::find(face.v.begin(), face.v.end(), face.own_vertex[k]) != face.v.end());
            }
            for (int k = 0; k < face.own_edge_count; ++k) {
                const int corner = face.own_edge_corner[k];
                const int a = face.v[corner], b = face.v[(corner + 1) % 3];
                EXPECT_EQ(face.own_edge[k], (Edge{std::min(a, b), std::max(a, b)}));
                ++edge_owners[face.own_edge[k]];
            }
        }
    }
    EXPECT_EQ(at, static_cast<int>(surface.triangles.size()));
    std::map<Triangle, int> expected_faces;
    std::set<Edge> expected_edges;
    std::vector<int> has_triangle(surface.rest.size());
    for (const Triangle& t : surface.triangles) {
        ++expected_faces[t];
        for (int k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3];
            expected_edges.insert({std::min(a, b), std::max(a, b)});
            has_triangle[a] = 1;
        }
    }
    EXPECT_EQ(faces, expected_faces);
    EXPECT_EQ(vertex_owners, has_triangle);
    EXPECT_EQ(listed, std::vector<int>(surface.rest.size(), 1)); // loose ones are listed, though no face has them
    EXPECT_EQ(edge_owners.size(), expected_edges.size());
    for (const auto& [edge, owners] : edge_owners)
        EXPECT_EQ(owners, 1);
}

/// The claim under test, by looking at all pairs: whatever comes nearer than it may within the step is listed, and is
/// rechecked.
class BruteForce {
public:
    BruteForce(const ContactSurface& surface, const SurfacePatches& patches) : surface_(surface), patches_(patches) {
        for (const SurfacePatches::Patch& patch : patches.patches())
            for (int k = 0; k < patch.face_count; ++k)
                body_.push_back(patch.body);
    }

    /// Steps from x by `motion`; returns how many pairs come near.
    int check(NearPairs& near, const std::vector<Vec3>& x, const std::vector<Vec3>& motion) {
        read_lists(near);
        const std::span<const SurfacePatches::Face> faces = patches_.faces();
        const int n = static_cast<int>(faces.size());
        std::vector<Aabb> swept(n);
        for (int f = 0; f < n; ++f)
            for (const int v : faces[f].v) {
                swept[f].include(x[v]);
                swept[f].include(x[v] + motion[v]);
            }
        int met = 0;
        for (int f = 0; f < n; ++f)
            for (int g = 0; g < n; ++g) {
                constexpr double kMost = 0.004; // of the bodies' distances
                if (!may_meet(body_[f], body_[g])) continue;
                const Vec3 r{kMost, kMost, kMost};
                if (!swept[f].touches({swept[g].low - r, swept[g].high + r})) continue;
                for (int k = 0; k < faces[f].own_vertex_count; ++k)
                    if (!has_vertex(faces[g].v, faces[f].own_vertex[k]))
                        met += check_vertex(faces[f].own_vertex[k], g, wanted(body_[f], body_[g]), body_[f] == body_[g],
                                            x, motion);
                if (g <= f) continue;
                for (int k = 0; k < faces[f].own_edge_count; ++k)
                    for (int l = 0; l < faces[g].own_edge_count; ++l)
                        met += check_edges(3 * f + k, 3 * g + l, wanted(body_[f], body_[g]), body_[f] == body_[g], x,
                                           motion);
            }
        return met;
    }

private:
    struct Listed {
        float recheck_at, until, minimum_distance;
    };

    static bool has_vertex(const Triangle& t, int v) { return t[0] == v || t[1] == v || t[2] == v; }
    bool may_meet(int a, int b) const {
        const ContactBody &p = surface_.bodies[a], &q = surface_.bodies[b];
        if (p.is_solid && q.is_solid) return false;
        if (a == b) return p.meets_itself;
        return p.is_solid || q.is_solid || p.meets_itself || q.meets_itself;
    }
    double wanted(int a, int b) const {
        const ContactBody &p = surface_.bodies[a], &q = surface_.bodies[b];
        return p.is_solid ? p.distance : q.is_solid ? q.distance : 0.5 * (p.distance + q.distance);
    }
    static double limited(double wanted, double rest_distance) {
        return rest_distance < 2.0 * wanted ? 0.5 * rest_distance : wanted;
    }

    void read_lists(NearPairs& near) {
        vertex_.clear();
        edge_.clear();
        for (const int listed : near.listed()) {
            const PatchPair& pair = near.pair(listed);
            const CandidateBucket& bucket = near.bucket(pair);
            for (std::size_t k = 0; k < bucket.candidates.size(); ++k) {
                const FeatureCandidate& c = bucket.candidates[k];
                const bool is_vertex = static_cast<int>(k) < bucket.vertex_count;
                const int face = is_vertex ? c.b : c.a / 3, other = is_vertex ? c.b : c.b / 3;
                if (!is_vertex) {
                    EXPECT_TRUE(may_meet(body_[face], body_[other]));
                }
                const bool is_new =
                    (is_vertex ? vertex_ : edge_)
                        .insert({{c.a, c.b},
                                 {bucket.recheck_at[k], pair.moved_since_search + pair.allowance, c.minimum_distance}})
                        .second;
                EXPECT_TRUE(is_new) << "listed twice";
            }
        }
    }

    int check_vertex(int v, int face, double wanted, bool same_body, const std::vector<Vec3>& x,
                     const std::vector<Vec3>& motion) {
        const Triangle& t = patches_.faces()[face].v;
        const auto distance = [&](const auto& at) {
            return std::sqrt(closest_points(at(v), at(t[0]), at(t[1]), at(t[2])).distance_squared);
        };
        const double minimum = same_body ? limited(wanted, distance([&](int i) { return surface_.rest[i]; })) : wanted;
        return check_path(distance, minimum, vertex_, v, face, x, motion);
    }
    int check_edges(int e, int f, double wanted, bool same_body, const std::vector<Vec3>& x,
                    const std::vector<Vec3>& motion) {
        const Edge a = patches_.faces()[e / 3].own_edge[e % 3], b = patches_.faces()[f / 3].own_edge[f % 3];
        if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) return 0;
        const auto distance = [&](const auto& at) {
            return std::sqrt(closest_points_of_segments(at(a[0]), at(a[1]), at(b[0]), at(b[1])).distance_squared);
        };
        // Edges keep half of what vertices keep.
        const double minimum =
            0.5 * (same_body ? limited(wanted, distance([&](int i) { return surface_.rest[i]; })) : wanted);
        if (edge_.count({f, e})) std::swap(e, f);
        return check_path(distance, minimum, edge_, e, f, x, motion);
    }
    template <class Distance>
    int check_path(const Distance& distance, double minimum, const std::map<std::array<int, 2>, Listed>& lists, int a,
                   int b, const std::vector<Vec3>& x, const std::vector<Vec3>& motion) {
        double least = 1e300;
        for (const double t : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
            least = std::min(least, distance([&](int i) { return x[i] + t * motion[i]; }));
        if (!(least < minimum * (1.0 - 1e-5))) return 0;
        const auto found = lists.find({a, b});
        EXPECT_TRUE(found != lists.end())
            << "not listed: " << a << " " << b << " come to " << least << " of " << minimum;
        if (found == lists.end()) return 1;
        EXPECT_LT(found->second.recheck_at, found->second.until)
            << "not rechecked: " << a << " " << b << " come to " << least;
        EXPECT_NEAR(found->second.minimum_distance, minimum, 1e-6 * minimum);
        return 1;
    }

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    std::vector<int> body_; // of the faces
    std::map<std::array<int, 2>, Listed> vertex_, edge_;
};

/// A surface whose lists are minimum over many steps, and checked in each.
struct Walk {
    explicit Walk(ContactSurface s) : surface(std::move(s)), patches(surface), near(surface, patches) {
        x = surface.rest;
        motion.resize(x.size());
    }
    /// One step: announced as `motion`, then changed by `change` in the middle, as contact does.
    template <class Motion, class Change>
    void step(const Motion& of, const Change& change) {
        for (std::size_t i = 0; i < x.size(); ++i)
            motion[i] = of(static_cast<int>(i));
        near.measure(pool, x, motion, gives_extents ? take_extents() : std::span<const SolidExtent>{});
        near.start_step(pool, x);
        met += brute.check(near, x, motion);
        for (int round = 0; round < 2; ++round) {
            for (std::size_t i = 0; i < x.size(); ++i)
                if (!gives_extents || !is_of_solid(static_cast<int>(i))) motion[i] += change(static_cast<int>(i));
            near.extend_step(pool, x, motion);
            met += brute.check(near, x, motion);
        }
        near.finish_step(pool);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += motion[i];
    }

    bool is_of_solid(int vertex) const {
        return std::any_of(surface.bodies.begin(), surface.bodies.end(), [&](const ContactBody& body) {
            return body.is_solid && vertex >= body.vertex_begin && vertex < body.vertex_begin + body.vertex_count;
        });
    }
    /// What whoever moves the solids would say.
    std::span<const SolidExtent> take_extents() {
        extents.resize(surface.bodies.size());
        for (std::size_t b = 0; b < surface.bodies.size(); ++b) {
            const ContactBody& body = surface.bodies[b];
            Aabb box;
            for (int v = body.vertex_begin; v < body.vertex_begin + body.vertex_count; ++v)
                box.include(motion[v]);
            const bool rests = box.low == Vec3{} && box.high == Vec3{};
            if (!rests) ++place;
            extents[b] = {box, rests ? place : 0};
        }
        return extents;
    }

    ContactSurface surface;
    SurfacePatches patches;
    NearPairs near;
    bool gives_extents = false;
    std::uint64_t place = 1;
    std::vector<SolidExtent> extents;
    BruteForce brute{surface, patches};
    ThreadPool pool{2};
    std::vector<Vec3> x, motion;
    int met = 0; // pairs that came near, over all checks
};

/// Folded along x like a curtain, 5 mm between the folds, and crumpled a little.
void fold(std::vector<Vec3>& x, const ContactBody& body, Dice& dice) {
    for (int i = body.vertex_begin; i < body.vertex_begin + body.vertex_count; ++i) {
        Vec3& p = x[i];
        const double turn = 40.0 * p.x;
        p = Vec3{0.04 * std::sin(turn), p.y, p.z + 0.03 * p.x} + dice.vector(0.002);
    }
}

TEST(NearPairs, MissNothingWhenEveryVertexGoesItsOwnWay) {
    for (const double size : {1e-4, 2e-3, 0.02, 0.2}) {
        SCOPED_TRACE(size);
        Walk walk(three_bodies());
        Dice dice(7);
        fold(walk.x, walk.surface.bodies[0], dice);
        for (int k = 0; k < 5; ++k)
            walk.step([&](int) { return dice.vector(size); }, [&](int) { return dice.vector(0.2 * size); });
        EXPECT_GT(walk.met, 100);
    }
}

// Patches that turn and travel as one cost nothing, but what passes them by must be found; and a motion that is little
// by little must add up.
TEST(NearPairs, MissNothingWhenBodiesTravelAndTurnThroughEachOther) {
    Walk walk(three_bodies());
    Dice dice(8);
    fold(walk.x, walk.surface.bodies[0], dice);
    const ContactBody& moving = walk.surface.bodies[1];
    for (int k = 0; k < 20; ++k) {
        const Vec3 shift = dice.vector(0.004) + Vec3{0, 0, k < 10 ? -0.005 : 0.005}, spin = dice.vector(0.05);
        const Vec3 common{0.15, -0.1, 0.02}; // all together fast
        walk.step(
            [&](int i) {
                const bool is_moving = i >= moving.vertex_begin && i < moving.vertex_begin + moving.vertex_count;
                return common + (is_moving ? shift : Vec3{}) + cross(spin, walk.x[i] - walk.x[0]);
            },
            [&](int) { return dice.vector(1e-5); });
    }
    EXPECT_GT(walk.met, 100);
}

// A solid that is said to rest is measured once, and only where cloth is near: what it does when it moves again, and what
// comes near of it from afar, must be found all the same.
TEST(NearPairs, MissNothingOfSolidsThatRestAndMoveInTurn) {
    Walk walk(three_bodies());
    walk.gives_extents = true;
    Dice dice(11);
    fold(walk.x, walk.surface.bodies[0], dice);
    for (int k = 0; k < 40; ++k) {
        const bool rests = k / 5 % 2 == 0;
        const Vec3 shift = (k / 10 % 2 ? -1.0 : 1.0) * Vec3{0.01, 0, 0.012}, spin = dice.vector(0.1);
        walk.step(
            [&](int i) {
                if (!walk.is_of_solid(i)) return dice.vector(1e-3);
                return rests ? Vec3{} : shift + cross(spin, walk.x[i]);
            },
            [&](int) { return dice.vector(2e-4); });
    }
    EXPECT_GT(walk.met, 100);
}

// From beyond any search, in steps that are each well within what a search allows for: only the sum of them tells.
// Straight on, so that what is taken off the budget is what was made and has nothing to spare.
TEST(NearPairs, MissNothingThatComesFromAfar) {
    for (const double step : {2e-3, 1e-2}) {
        SCOPED_TRACE(step);
        ContactSurface surface;
        add_sheet(surface, 6, 0.3, {0, 0, 0});
        add_sheet(surface, 5, 0.2, {0.013, 0.017, 0.4});
        Walk walk(std::move(surface));
        Dice dice(12);
        for (Vec3& p : walk.x)
            p += dice.vector(1e-3);
        const auto none = [](int) { return Vec3{}; };
        const auto down = [&](int i) { return Vec3{0, 0, i >= 36 ? -step : 0.0}; };
        for (double gap = 0.4; gap > -0.03; gap -= step)
            walk.step(down, none);
        EXPECT_GT(walk.met, 20);
    }
}

// One sheet over another, sideways: what comes near was at the edge of the reach of the search before.
TEST(NearPairs, MissNothingThatSlidesBy) {
    ContactSurface surface;
    add_sheet(surface, 6, 0.3, {0, 0, 0});
    add_sheet(surface, 6, 0.2, {0.013, 0.017, 0.0002});
    Dice dice(14);
    for (int i = 36; i < 72; ++i)
        surface.rest[i] += Vec3{dice.number(0.01), dice.number(0.01), 0.0};
    Walk walk(std::move(surface));
    const auto none = [](int) { return Vec3{}; };
    for (int k = 0; k < 80; ++k)
        walk.step([&](int i) { return i >= 36 ? Vec3{7e-4, 0, 0} : Vec3{}; }, none);
    EXPECT_GT(walk.met, 1000);
}

// Contact may make of a small motion a large one.
TEST(NearPairs, MissNothingWhenTheMotionGrowsWithinTheStep) {
    Walk walk(three_bodies());
    Dice dice(13);
    for (int k = 0; k < 6; ++k)
        walk.step([&](int) { return dice.vector(1e-4); },
                  [&](int i) { return (i % 7 == 0 ? 1.0 : 0.1) * dice.vector(0.03); });
    EXPECT_GT(walk.met, 100);
}

TEST(NearPairs, MissNothingInALongRunOfSmallSteps) {
    Walk walk(three_bodies());
    Dice dice(9);
    fold(walk.x, walk.surface.bodies[0], dice);
    std::vector<Vec3> drift(walk.x.size());
    for (Vec3& d : drift)
        d = dice.vector(4e-4);
    for (int k = 0; k < 60; ++k) // every step is small against the reach of a search; their sum is not
        walk.step([&](int i) { return drift[i]; }, [&](int) { return dice.vector(2e-5); });
    EXPECT_GT(walk.met, 100);
    EXPECT_GT(walk.near.counts().searches, 0);
}

TEST(NearPairs, SearchNothingAgainAtRestOrWhenAllMovesAsOne) {
    Walk walk(three_bodies());
    const auto none = [](int) { return Vec3{}; };
    Dice dice(9);
    fold(walk.x, walk.surface.bodies[0], dice);
    walk.step(none, none);
    const NearPairs::Counts first = walk.near.counts();
    EXPECT_GT(first.searches, 0);
    for (int k = 0; k < 6; ++k)
        walk.step(none, none);
    for (int k = 0; k < 6; ++k)
        walk.step([](int) { return Vec3{0.5, -0.25, 1.0}; }, none);
    EXPECT_EQ(walk.near.counts().looks, first.looks);
    EXPECT_EQ(walk.near.counts().listings, first.listings);
}

TEST(NearPairs, SearchAgainAfterBeingToldToForget) {
    Walk walk(three_bodies());
    Dice dice(10);
    const auto none = [](int) { return Vec3{}; };
    for (int k = 0; k < 5; ++k) {
        walk.step(none, none);
        fold(walk.x, walk.surface.bodies[0], dice); // an edit, not a motion
        walk.near.forget();
    }
    walk.step(none, none);
    EXPECT_GT(walk.met, 0);
}

// Far from the origin floats are coarse: boxes must be rounded outwards.
TEST(NearPairs, MissNothingFarFromTheOrigin) {
    ContactSurface surface = three_bodies();
    for (Vec3& p : surface.rest)
        p += Vec3{3000, -1000, 2000};
    Walk walk(std::move(surface));
    Dice dice(11);
    for (int k = 0; k < 10; ++k)
        walk.step([&](int) { return dice.vector(0.01); }, [&](int) { return dice.vector(0.002); });
    EXPECT_GT(walk.met, 100);
}

TEST(NearPairs, TakeSurfacesWithoutTriangles) {
    ContactSurface surface;
    add_loose(surface, {{0, 0, 0}, {0, 0, 1e-6}, {1, 0, 0}});
    Walk walk(std::move(surface));
    for (int k = 0; k < 3; ++k)
        walk.step([](int i) { return Vec3{0.01 * i, 0, 0}; }, [](int) { return Vec3{}; });
    EXPECT_EQ(walk.met, 0);
    EXPECT_EQ(walk.near.listed().size(), 0u);
}

} // namespace
} // namespace selvage
