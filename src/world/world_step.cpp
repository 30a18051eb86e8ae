// A frame of a World, phase by phase.

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "world/world.h"

namespace selvage {

namespace {

constexpr double kMargin = 0.05;       // [m]; cloths whose boxes come this near are simulated together
constexpr double kPartMargin = 0.15;   // [m]; and apart again when they are farther than this
constexpr double kColliderKept = 0.25; // [m]; an island gives up a collider beyond this
constexpr int kPartEvery = 30;         // [frames]
constexpr int kLargeIsland = 2000;     // [vertices]; worth all threads by itself
constexpr int kMostRepeats = 4;        // of a frame in which cloth went farther than foreseen

bool contains(const Aabb& outer, const Aabb& inner) {
    return outer.low.x <= inner.low.x && outer.low.y <= inner.low.y && outer.low.z <= inner.low.z &&
           inner.high.x <= outer.high.x && inner.high.y <= outer.high.y && inner.high.z <= outer.high.z;
}

double fastest(std::span<const Vec3> velocities) {
    double most = 0.0;
    for (const Vec3& v : velocities)
        most = std::max(most, length_squared(v));
    return std::sqrt(most);
}

/// The first of a chain of groups; chains are shortened on the way.
int find_group(std::vector<int>& group, int i) {
    while (group[i] != i)
        i = group[i] = group[group[i]];
    return i;
}

} // namespace

Status World::step() {
    const Stopwatch clock;
    if (drop_frame()) return diverged();
    sweep_colliders();
    foresee_reach();
    wake_by_colliders();
    join_islands();
    give_colliders();
    step_islands();
    take_missed_again();
    finish_frame();
    find_rest();
    part_islands();
    list_contacts();
    statistics_.frame_ms = clock.ms();
    keep_budget();
    return diverged();
}

/// Leaves the frame out where the budget leaves no time for it. What the program moved goes there in the next one.
bool World::drop_frame() {
    if (!budget_.drops_frame()) return false;
    dropped_seconds_ += settings_.dt;
    statistics_ = {};
    carry_contacts();
    return true;
}

/// Tells the budget what the frame took, and would have taken with more or less work.
void World::keep_budget() {
    if (!budget_.is_on()) return;
    LevelTimes times(budget_.work_level());
    for (const std::shared_ptr<Island>& island : islands_)
        if (island->is_awake) island->sim.add_times(times);
    budget_.add_frame(times.of_frame(statistics_.frame_ms));
}

Result<World::Advance> World::advance(double seconds, int max_steps) {
    Advance out;
    pending_ += seconds;
    // A little early rather than a frame late: sums of 1/60 fall short of whole frames by rounding.
    const double enough = settings_.dt * (1.0 - 1e-9);
    Status status = Done{};
    const double dropped_before = dropped_seconds_;
    for (int k = 0; pending_ >= enough && k < max_steps && status; ++k) {
        pending_ = std::max(0.0, pending_ - settings_.dt);
        const std::int64_t before = frame_;
        status = step();
        out.steps += static_cast<int>(frame_ - before);
    }
    out.dropped = dropped_seconds_ - dropped_before;
    if (pending_ >= enough) {
        const double rest = settings_.dt * std::floor(pending_ / settings_.dt + 1e-9);
        pending_ = std::max(0.0, pending_ - rest);
        out.dropped += rest;
    }
    if (!status) return status.error();
    out.alpha = std::min(pending_ / settings_.dt, 1.0 - 1e-9);
    return out;
}

/// Where colliders are and go in this frame.
void World::sweep_colliders() {
    const double now = time(), end = now + settings_.dt;
    for (WorldCollider* collider : colliders_.in_order()) {
        const auto& c = *collider;
        const Pose from = c.is_driven ? c.from : c.motion.pose(now), to = c.is_driven ? c.to : c.motion.pose(end);
        const bool turns = from.turn.row_x != to.turn.row_x || from.turn.row_y != to.turn.row_y;
        collider->moves = from.centre != to.centre || turns || c.points_from != c.points_to || c.motion.has_frames();
        collider->swept = c.motion.swept_bounds(from, to, c.points_from, c.points_to);
    }
}

/// How far cloth can come in this frame: as fast as it is now, with what gravity adds, and wherever it is taken by hand.
void World::foresee_reach() {
    const double h = settings_.dt, fall = h * h * length(settings_.gravity);
    for (const std::shared_ptr<Island>& island : islands_) {
        if (!island->is_awake) continue;
        const ClothState& state = island->sim.state();
        std::copy(state.position.begin(), state.position.end(), island->frame_start.position.begin());
        std::copy(state.velocity.begin(), state.velocity.end(), island->frame_start.velocity.begin());
        island->frame_start.yarn = state.yarn;
        drive(*island, 1.0);
        Aabb box = island->bounds();
        for (const HeldPoint& held : island->held)
            box.include(held.target);
        island->reach = grown(box, kMargin + 1.5 * h * fastest(state.velocity) + fall);
    }
}

void World::wake_by_colliders() {
    const std::vector<WorldCollider*>& all = colliders_.in_order();
    if (std::none_of(all.begin(), all.end(), [](const WorldCollider* collider) { return collider->moves; })) return;
    for (const std::shared_ptr<Island>& island : islands_) {
        if (island->is_awake) continue;
        for (const WorldCollider* collider : colliders_.in_order())
            if (collider->moves && grown(island->reach, kMargin).touches(collider->swept)) {
                wake(*island);
                break;
            }
    }
}

/// Islands that may meet in this frame get the same group.
void World::find_meetings() {
    by_low_.clear();
    group_.clear();
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        by_low_.push_back(islands_[i].get());
        group_.push_back(static_cast<int>(i));
        islands_[i]->number = static_cast<int>(i);
    }
    const auto is_awake = [](const Island* island) { return island->is_awake; };
    if (std::none_of(by_low_.begin(), by_low_.end(), is_awake)) return;
    std::sort(by_low_.begin(), by_low_.end(), [](const Island* a, const Island* b) {
        return a->reach.low.x != b->reach.low.x ? a->reach.low.x < b->reach.low.x : a->number < b->number;
    });
    for (std::size_t a = 0; a < by_low_.size(); ++a)
        for (std::size_t b = a + 1; b < by_low_.size() && by_low_[b]->reach.low.x <= by_low_[a]->reach.high.x; ++b) {
            const Island &first = *by_low_[a], &second = *by_low_[b];
            if (!first.is_awake && !second.is_awake) continue;
            if (!first.meets_cloth && !second.meets_cloth) continue;
            if (!first.reach.touches(second.reach)) continue;
            group_[find_group(group_, first.number)] = find_group(group_, second.number);
        }
}

/// Cloths that may meet are simulated together.
void World::join_islands() {
    find_meetings();
    std::vector<std::vector<WorldCloth*>> joined; // allocates only when there is something to join
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        const int first = find_group(group_, static_cast<int>(i));
        if (first == static_cast<int>(i)) continue;
        if (joined.empty()) joined.resize(islands_.size());
        joined[first].insert(joined[first].end(), islands_[i]->cloths.begin(), islands_[i]->cloths.end());
    }
    for (std::size_t i = 0; i < joined.size(); ++i)
        if (!joined[i].empty())
            joined[i].insert(joined[i].end(), islands_[i]->cloths.begin(), islands_[i]->cloths.end());
    bool any = false;
    for (std::vector<WorldCloth*>& cloths : joined) {
        if (cloths.empty()) continue;
        for (const WorldCloth* cloth : cloths)
            wake(*cloth->island);
        any = regroup(std::move(cloths)) || any;
    }
    if (any) foresee_reach();
}

/// Each island that moves has the colliders it may meet in this frame, and keeps them a little longer.
void World::give_colliders() {
    for (const std::shared_ptr<Island>& island : islands_) {
        if (!island->is_awake) continue;
        std::size_t wanted = 0;
        bool same = true;
        const auto is_wanted = [&](const WorldCollider* collider, bool has) {
            if (has && island->is_scene) return true;
            return grown(island->reach, has ? kColliderKept : 0.0).touches(collider->swept);
        };
        const auto has = [&](const WorldCollider* collider) {
            return std::find(island->colliders.begin(), island->colliders.end(), collider) != island->colliders.end();
        };
        for (WorldCollider* collider : colliders_.in_order()) {
            if (!is_wanted(collider, has(collider))) continue;
            same = same && wanted < island->colliders.size() && island->colliders[wanted] == collider;
            ++wanted;
        }
        if (same && wanted == island->colliders.size()) continue;
        std::vector<WorldCollider*> colliders;
        for (WorldCollider* collider : colliders_.in_order())
            if (is_wanted(collider, has(collider))) colliders.push_back(collider);
        put_colliders(*island, std::move(colliders));
    }
}

void World::step_islands() {
    statistics_ = {};
    small_.clear();
    large_.clear();
    for (const std::shared_ptr<Island>& island : islands_) {
        if (!island->is_awake) continue;
        ++statistics_.awake_islands;
        statistics_.awake_cloths += static_cast<int>(island->cloths.size());
        (island->vertex_count() >= kLargeIsland ? large_ : small_).push_back(island.get());
    }
    for (Island* island : large_) // all threads work on each
        step_island(*island);
    pool_->for_chunks(static_cast<int>(small_.size()), 1, [&](int k, int) { step_island(*small_[k]); });
    for (const std::vector<Island*>* list : {&large_, &small_})
        for (const Island* island : *list) {
            const ContactStats& stats = island->sim.contact_stats();
            statistics_.contacts += stats.contacts;
            statistics_.limited += stats.truncated;
            statistics_.solver_ms += stats.solver_ms;
            statistics_.contact_ms += stats.search_ms + stats.narrow_ms + stats.response_ms;
        }
}

void World::step_island(Island& island) {
    island.sim.set_effort(budget_.effort());
    island.sim.step_frame([&](double fraction) { drive(island, fraction); });
}

/// Takes colliders and held points on to a fraction of the frame.
void World::drive(Island& island, double fraction) {
    for (std::size_t c = 0; c < island.colliders.size(); ++c)
        island.colliders[c]->drive(island.sim.collider_motion(static_cast<int>(c)), fraction);
    std::vector<HeldPoint>& held = island.held;
    held.clear();
    const auto between = [&](const Vec3& from, const Vec3& to) {
        return fraction == 1.0 ? to : from + fraction * (to - from);
    };
    for (const WorldCloth* cloth : island.cloths) { // a hand is stronger than an attachment, and that than a pin
        const int begin = cloth->model_part().vertex_begin;
        for (const WorldGrab* grab : cloth->grabs)
            for (int k = 0; k < 3; ++k)
                held.push_back({begin + grab->vertices[k], between(grab->from, grab->to) + grab->offset[k]});
        for (WorldAttachment* attachment : cloth->attachments) {
            if (attachment->skin) {
                SkinHold& skin = *attachment->skin;
                colliders_.find(skin.collider)->drive(skin.motion, fraction);
                skin.motion.move(skin.now, time() + fraction * settings_.dt);
                for (std::size_t k = 0; k < attachment->vertices.size(); ++k)
                    held.push_back(
                        {begin + attachment->vertices[k], place_on_skin(skin.ties[k], skin.now.points_now).at});
                continue;
            }
            const Pose pose = pose_between(attachment->from, attachment->to, fraction);
            for (std::size_t k = 0; k < attachment->vertices.size(); ++k)
                held.push_back({begin + attachment->vertices[k], pose.to_world(attachment->local[k])});
        }
        for (const ProgramPin& pin : cloth->pins)
            held.push_back({begin + pin.vertex, between(pin.from, pin.to)});
    }
    island.sim.set_grabs(held);
}

/// Cloth that went farther than foreseen, to where other cloth is, takes the frame again together with it.
void World::take_missed_again() {
    for (int repeat = 0; repeat < kMostRepeats; ++repeat) {
        bool any = false;
        for (const std::shared_ptr<Island>& island : islands_) {
            if (!island->is_awake || island->sim.divergence()) continue;
            const Aabb now = grown(island->bounds(), 0.5 * kMargin);
            if (contains(island->reach, now)) continue;
            island->reach.include(now);
            any = true;
        }
        if (!any) return;
        find_meetings();
        std::vector<WorldCloth*> again;
        for (std::size_t i = 0; i < islands_.size() && again.empty(); ++i) {
            const int first = find_group(group_, static_cast<int>(i));
            for (std::size_t j = 0; j < islands_.size(); ++j)
                if (j != i && find_group(group_, static_cast<int>(j)) == first) {
                    if (again.empty()) again = islands_[i]->cloths;
                    again.insert(again.end(), islands_[j]->cloths.begin(), islands_[j]->cloths.end());
                }
        }
        if (again.empty()) return;
        for (const WorldCloth* cloth : again)
            if (cloth->island->is_awake)
                cloth->island->sim.restore(cloth->island->frame_start.position, cloth->island->frame_start.velocity,
                                           step_count(), false, cloth->island->frame_start.yarn);
        Island* home = again.front()->island;
        if (!regroup(again)) return;
        home = again.front()->island;
        give_colliders();
        step_island(*home);
        home->reach = grown(home->bounds(), kMargin);
    }
}

void World::finish_frame() {
    ++frame_;
    ++changes_;
    for (WorldCollider* collider : colliders_.in_order()) {
        collider->from = collider->to;
        if (collider->moves)
            std::copy(collider->points_to.begin(), collider->points_to.end(), collider->points_from.begin());
    }
    for (WorldAttachment* attachment : attachments_.in_order())
        attachment->from = attachment->to;
    for (WorldGrab* grab : grabs_.in_order())
        grab->from = grab->to;
    for (WorldCloth* cloth : cloths_.in_order())
        for (ProgramPin& pin : cloth->pins)
            pin.from = pin.to;
}

/// Cloth of which nothing has gone far for a while sleeps.
void World::find_rest() {
    if (!settings_.sleeping) return;
    const double most = settings_.sleep_distance * settings_.sleep_distance;
    for (const std::shared_ptr<Island>& island : islands_) {
        if (!island->is_awake) continue;
        const std::vector<Vec3>& x = island->sim.state().position;
        bool rests = true;
        for (std::size_t i = 0; i < x.size() && rests; ++i)
            rests = length_squared(x[i] - island->rest_position[i]) <= most;
        if (!rests) {
            std::copy(x.begin(), x.end(), island->rest_position.begin());
            island->rest_frames = 0;
        } else if (++island->rest_frames * settings_.dt >= settings_.sleep_time && !island->sim.divergence()) {
            sleep(*island->cloths.front());
        }
    }
}

/// Cloths that have gone apart are simulated apart again.
void World::part_islands() {
    if (frame_ % kPartEvery != 0) return;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        Island& island = *islands_[i];
        if (island.cloths.size() < 2 || island.is_scene || !island.is_awake) continue;
        const double margin = kPartMargin + 2.0 * settings_.dt * fastest(island.sim.state().velocity);
        std::vector<Aabb> box(island.cloths.size());
        std::vector<int> group;
        for (std::size_t c = 0; c < box.size(); ++c) {
            for (const Vec3& p : island.cloths[c]->positions())
                box[c].include(p);
            group.push_back(static_cast<int>(c));
        }
        for (std::size_t a = 0; a < box.size(); ++a)
            for (std::size_t b = a + 1; b < box.size(); ++b)
                if (grown(box[a], margin).touches(box[b]))
                    group[find_group(group, static_cast<int>(a))] = find_group(group, static_cast<int>(b));
        std::vector<WorldCloth*> leaving;
        for (std::size_t c = 0; c < box.size(); ++c)
            if (find_group(group, static_cast<int>(c)) != find_group(group, 0)) leaving.push_back(island.cloths[c]);
        if (!leaving.empty()) regroup(std::move(leaving)); // the rest may part further next time
    }
}

Status World::diverged() const {
    for (const std::shared_ptr<Island>& island : islands_)
        if (const auto& divergence = island->sim.divergence()) return Error{divergence->text(), {}, ErrorKind::work};
    return Done{};
}

} // namespace selvage
