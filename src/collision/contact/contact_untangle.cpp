#include "collision/contact/contact_untangle.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "collision/contact/contact_push.h"

namespace selvage {

namespace {

constexpr double kPullSpeed = 1.0; // [m/s]; what is tangled parts no faster,
// nor by more than so many edges a second [1/s]: through cloth, and out of a collider.
constexpr double kPullRate = 40.0, kExitRate = 8.0;
// Stretch of the edges at a vertex from which on it is pulled more slowly, and from which on not at all.
constexpr double kSlowAt = 0.1, kStopAt = 0.35;
constexpr int kPullRounds = 4; // neighbours share vertices: what one changes another sees in the next round
// Distance by which layers in one place are parted [m]: enough to tell them apart for certain, too little to see.
constexpr double kPartLayers = 2e-5;

/// Of the edges at a cloth's vertex where the step starts: the mean length at rest [m], and the largest stretch of those
/// that a displacement in a direction makes longer.
struct EdgesAround {
    double length = 0.0, stretch = 0.0;
};

EdgesAround edges_around(int v, const Vec3& direction, const ContactData& data) {
    EdgesAround edges;
    const std::span<const int> neighbours = data.model.patches.neighbours(v);
    for (const int next : neighbours) {
        const double rest = length(data.model.surface.rest[next] - data.model.surface.rest[v]);
        edges.length += rest / static_cast<double>(neighbours.size());
        const Vec3 edge = data.step.start[next] - data.step.start[v];
        if (rest > 0.0 && dot(edge, direction) < 0.0)
            edges.stretch = std::max(edges.stretch, length(edge) / rest - 1.0);
    }
    return edges;
}

/// Speeds for this step. Cloth that is stretched already is not pulled further: its other parts must follow first.
void set_speeds(ThreadPool& pool, ContactData& data) {
    const auto set_speed = [&](ContactRecord& pull, double rate) {
        EdgesAround most;
        for (const int v : pull.vertex) {
            if (v >= data.model.cloth_vertex_count) continue;
            const EdgesAround edges = edges_around(v, v == pull.vertex[0] ? pull.normal : -pull.normal, data);
            most = {std::max(most.length, edges.length), std::max(most.stretch, edges.stretch)};
        }
        pull.separation_speed = std::min(kPullSpeed, rate * most.length) *
                                std::clamp((kStopAt - most.stretch) / (kStopAt - kSlowAt), 0.0, 1.0);
    };
    std::vector<ContactRecord>&pulls = data.tangles.pulls, &exits = data.tangles.exits;
    pool.for_each(static_cast<int>(pulls.size()), [&](int k) { set_speed(pulls[k], kPullRate); });
    pool.for_each(static_cast<int>(exits.size()), [&](int k) { set_speed(exits[k], kExitRate); });
}

/// Impulses until the vertices go at least as fast along the pulls as they should, as against the faces. They become
/// velocities: what is pulled through drags the rest of its cloth along.
void pull_back(ThreadPool& pool, double dt, ContactData& data) {
    std::vector<ContactRecord>& pulls = data.tangles.pulls;
    const StepView step = data.step.view();
    const int n = static_cast<int>(pulls.size());
    const auto missing = [&](const ContactRecord& pull) {
        return dt * pull.separation_speed - dot(pull.normal, relative(pull, step.displacement));
    };
    for (int round = 0; round < kPullRounds; ++round) {
        std::atomic<bool> any{false};
        pool.for_each(n, [&](int k) {
            ContactRecord& pull = pulls[k];
            pull.is_active = pull.separation_speed > 0.0 && missing(pull) > 0.0;
            if (!pull.is_active) return;
            data.sums.count_record(pull);
            any.store(true, std::memory_order_relaxed);
        });
        if (!any) return;
        pool.for_each(n, [&](int k) {
            const ContactRecord& pull = pulls[k];
            if (!pull.is_active) return;
            const double mass = effective_mass(pull, step.inverse_mass, data.sums.counts());
            data.sums.add_impulse(pull, (mass * missing(pull)) * pull.normal, step.inverse_mass);
        });
        data.sums.apply_sums(pool, step.displacement);
    }
}

/// Out of colliders. What that adds to a displacement is no velocity, so that nothing flies off; what it takes away is.
void come_out(ThreadPool& pool, double dt, ContactData& data) {
    std::vector<ContactRecord>& exits = data.tangles.exits;
    const StepView step = data.step.view();
    pool.for_each(static_cast<int>(exits.size()), [&](int k) {
        ContactRecord& exit = exits[k];
        const int v = exit.vertex[0];
        if (!(step.inverse_mass[v] > 0.0)) return;
        const double wanted = std::min(dt * exit.separation_speed, exit.target_gap);
        const double along = dot(exit.normal, relative(exit, step.displacement)), needed = wanted - along;
        if (needed > 0.0) {
            const double approach = std::clamp(-along, 0.0, needed);
            step.displacement[v] += needed * exit.normal;
            step.correction[v] += (needed - approach) * exit.normal;
        }
        exit.target_gap -= std::max(along, wanted);
    });
}

} // namespace

void untangle(ThreadPool& pool, double dt, ContactData& data) {
    set_speeds(pool, data);
    come_out(pool, dt, data);
    pull_back(pool, dt, data);
    data.pairs.near.measure(pool, data.step.start, data.step.displacement, data.step.extents);
}

bool part_touching_layers(ThreadPool& pool, ContactData& data) {
    if (!data.pairs.touching.any) return false;
    TouchingLayers& touching = data.pairs.touching;
    const StepView step = data.step.view();
    pool.for_each(step.cloth_vertex_count, [&](int v) {
        const int below = touching.below[v], above = touching.above[v];
        if (below + above == 0 || !(step.inverse_mass[v] > 0.0)) return;
        const Triangle& t = data.model.patches.faces()[touching.lowest_face[v]].v;
        const Vec3 normal = normalized(doubled_area_normal(step.start[t[0]], step.start[t[1]], step.start[t[2]]));
        const Vec3 apart = (kPartLayers * (below - above) / (below + above)) * normal;
        step.displacement[v] += apart;
        step.correction[v] += apart;
    });
    data.pairs.near.measure(pool, step.start, step.displacement, data.step.extents);
    return true;
}

} // namespace selvage
