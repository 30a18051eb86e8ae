#include "collision/contact/contact_untangle.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "collision/contact/contact_push.h"

namespace selvage {

namespace {

constexpr int kPullRounds = 4; // neighbours share vertices: what one changes another sees in the next round
// Distance by which layers in one place are parted [m]: enough to tell them apart for certain, too little to see.
constexpr double kPartLayers = 2e-5;

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
        exit.target_gap = std::max(0.0, exit.target_gap - std::max(along, wanted));
    });
}

} // namespace

void untangle(ThreadPool& pool, double dt, ContactData& data) {
    come_out(pool, dt, data);
    pull_back(pool, dt, data);
    data.pairs.near.measure(pool, data.step.start, data.step.displacement);
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
    data.pairs.near.measure(pool, step.start, step.displacement);
    return true;
}

} // namespace selvage
