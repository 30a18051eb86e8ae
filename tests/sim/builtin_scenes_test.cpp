// What the scenes of the program promise before their first step.

#include <algorithm>

#include "base/concat.h"
#include "collision/search/box_tree.h"
#include "scene/scene_io.h"
#include "sim/report.h"
#include "sim/simulation.h"
#include "support.h"

namespace selvage {
namespace {

TEST(BuiltinScenes, StartFreeOfCrossings) {
    for (const BuiltinFile& file : builtin_scenes()) {
        SCOPED_TRACE(file.name);
        Result<SceneDesc> scene = load_scene(file.name);
        ASSERT_TRUE(scene) << scene.error().text();
        if (std::holds_alternative<GarmentMeshDesc>(scene->cloths[0].mesh)) continue; // SceneGarments dresses these
        scene->solver = XpbdSettings{}; // where cloth starts does not depend on it, and others are slow to set up
        Result<Simulation> sim = Simulation::make(*scene, 2);
        ASSERT_TRUE(sim) << sim.error().text();
        CrossingCounter counter;
        const std::optional<std::string> crossing = first_crossing(*sim, counter);
        EXPECT_FALSE(crossing) << *crossing;
    }
}

TEST(BuiltinScenes, MoveTheirPinsAndSolidsNoFasterThanAHandDoes) {
    for (const BuiltinFile& file : builtin_scenes()) {
        SCOPED_TRACE(file.name);
        const Result<SceneDesc> scene = load_scene(file.name);
        ASSERT_TRUE(scene) << scene.error().text();
        const auto check = [&](const std::vector<KeyframeDesc>& keys, bool smooth, const std::string& what) {
            for (std::size_t k = 1; k < keys.size(); ++k) {
                double way = 0.0;
                for (int axis = 0; axis < 3; ++axis)
                    way = std::hypot(way, keys[k].translate[axis] - keys[k - 1].translate[axis]);
                // Eased motion is at most half as fast again as steady motion: the slope of s^2 (3 - 2 s) is 1.5 at 1/2.
                EXPECT_LT((smooth ? 1.5 : 1.0) * way / (keys[k].t - keys[k - 1].t), 2.0) << what << ", keyframe " << k;
            }
        };
        for (const ClothDesc& cloth : scene->cloths)
            for (const PinDesc& pin : cloth.pins)
                check(pin.keyframes, pin.smooth, concat("a pin of ", cloth.name));
        for (const ColliderDesc& collider : scene->colliders)
            check(collider.keyframes, collider.smooth, "a solid");
    }
}

/// Least distance of two segments, by the closest points of their lines moved into the segments.
double segment_distance(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
    const auto from_point = [](const Vec3& x, const Vec3& a, const Vec3& b) {
        const double t = std::clamp(dot(x - a, b - a) / length_squared(b - a), 0.0, 1.0);
        return length(x - a - t * (b - a));
    };
    double least = std::min(
        {from_point(p, r, s), from_point(q, r, s), from_point(r, p, q), from_point(s, p, q)}); // at an end of one
    const Vec3 d = q - p, e = s - r, w = p - r;
    const double a = dot(d, d), b = dot(d, e), c = dot(e, e), det = a * c - b * b;
    if (det > 0.0) {
        const double t = (b * dot(e, w) - c * dot(d, w)) / det, u = (a * dot(e, w) - b * dot(d, w)) / det;
        if (t >= 0.0 && t <= 1.0 && u >= 0.0 && u <= 1.0) least = std::min(least, length(w + t * d - u * e));
    }
    return least;
}

TEST(ReefKnot, IsTiedLoosely) {
    const Result<SceneDesc> scene = load_scene("reef-knot");
    ASSERT_TRUE(scene) << scene.error().text();
    const Result<Simulation> sim = Simulation::make(*scene, 1);
    ASSERT_TRUE(sim) << sim.error().text();
    const ClothModel& model = sim->model();
    const std::vector<Vec3>& x = sim->state().position;
    const auto box_of = [&](const Edge& edge) {
        Aabb box;
        box.include(x[edge[0]]);
        box.include(x[edge[1]]);
        return box;
    };
    std::vector<Edge> of_ribbon[2];
    for (const Edge& edge : model.edges)
        of_ribbon[edge[0] < model.parts[1].vertex_begin ? 0 : 1].push_back(edge);
    std::vector<Aabb> boxes;
    for (const Edge& edge : of_ribbon[1])
        boxes.push_back(box_of(edge));
    // They stand on edge where they pass each other, so they come nearest border to border.
    double gap = 1.0;
    for (const Edge& edge : of_ribbon[0]) {
        Aabb box = box_of(edge);
        box.include(box.low - Vec3(0.01, 0.01, 0.01));
        box.include(box.high + Vec3(0.01, 0.01, 0.01));
        for (std::size_t k = 0; k < boxes.size(); ++k)
            if (boxes[k].touches(box)) {
                const Edge& other = of_ribbon[1][k];
                gap = std::min(gap, segment_distance(x[edge[0]], x[edge[1]], x[other[0]], x[other[1]]));
            }
    }
    EXPECT_GT(gap, 0.004);
    EXPECT_LT(gap, 0.01); // they do cross over: had the search found nothing, it would be 1

    // Seen along z the two middle lines cross six times; along the first ribbon it lies over, under, over, over, under,
    // over the second. (In a granny knot, the false reef, over and under take turns.)
    const auto middle = [&](int ribbon, int i) { return x[model.parts[ribbon].vertex_begin + 2 * 231 + i]; };
    std::vector<std::pair<double, bool>> crossings; // where along the first ribbon, and whether it is over
    for (int i = 0; i + 1 < 231; ++i)
        for (int j = 0; j + 1 < 231; ++j) {
            const Vec3 p = middle(0, i), d = middle(0, i + 1) - p, r = middle(1, j), e = middle(1, j + 1) - r;
            const double det = e.x * d.y - e.y * d.x;
            const double t = (e.x * (r.y - p.y) - e.y * (r.x - p.x)) / det,
                         u = (d.x * (r.y - p.y) - d.y * (r.x - p.x)) / det;
            if (t >= 0.0 && t < 1.0 && u >= 0.0 && u < 1.0)
                crossings.emplace_back(i + t, p.z + t * d.z > r.z + u * e.z);
        }
    std::sort(crossings.begin(), crossings.end());
    std::vector<bool> over;
    for (const auto& [along, is_over] : crossings)
        over.push_back(is_over);
    EXPECT_EQ(over, (std::vector<bool>{true, false, true, true, false, true}));
}

} // namespace
} // namespace selvage
