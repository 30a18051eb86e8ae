// Contact events: who touches whom after a frame, and since when.

#include <algorithm>

#include "world/world.h"

namespace selvage {

namespace {

// Surfaces touch when they are no farther apart than this many minimum distances, and a little for rounding.
constexpr double kTouching = 1.1, kTouchingExtra = 1e-4; // [m]

/// Pairs of one island, summed up as they are found.
class PairSums {
public:
    PairSums(std::vector<selvage_contact_event>& events) : events_(events), first_(events.size()) {}

    void add(std::uint64_t cloth, std::uint64_t other, std::uint64_t collider, const Vec3& point, const Vec3& normal) {
        const auto is_same = [&](const selvage_contact_event& event) {
            return event.cloth == cloth && event.other_cloth == other && event.collider == collider;
        };
        if (last_ >= events_.size() || !is_same(events_[last_])) {
            const auto found =
                std::find_if(events_.begin() + static_cast<std::ptrdiff_t>(first_), events_.end(), is_same);
            last_ = static_cast<std::size_t>(found - events_.begin());
            if (found == events_.end())
                events_.push_back({SELVAGE_CONTACT_BEGIN, cloth, other, collider, 0, {0, 0, 0}, {0, 0, 0}});
        }
        selvage_contact_event& event = events_[last_];
        ++event.points;
        const double at[3] = {point.x, point.y, point.z}, along[3] = {normal.x, normal.y, normal.z};
        for (int k = 0; k < 3; ++k) {
            event.point[k] += at[k];
            event.normal[k] += along[k];
        }
    }

    /// Turns the sums into means.
    void finish() {
        for (std::size_t e = first_; e < events_.size(); ++e) {
            selvage_contact_event& event = events_[e];
            const Vec3 normal = normalized(Vec3{event.normal[0], event.normal[1], event.normal[2]});
            for (double& x : event.point)
                x /= event.points;
            event.normal[0] = normal.x, event.normal[1] = normal.y, event.normal[2] = normal.z;
        }
    }

private:
    std::vector<selvage_contact_event>& events_;
    std::size_t first_, last_ = ~std::size_t{0};
};

/// The cloth of an island that a vertex belongs to; null for a vertex of a mesh collider.
const WorldCloth* cloth_of(const Island& island, int vertex) {
    const std::vector<ClothPart>& parts = island.sim.model().parts;
    for (std::size_t part = 0; part < parts.size(); ++part)
        if (vertex < parts[part].vertex_begin + parts[part].vertex_count) return island.cloths[part];
    return nullptr;
}

/// The mesh collider that a vertex of the contact surface, behind those of the cloths, belongs to.
const WorldCollider* collider_of(const Island& island, int vertex) {
    int end = island.vertex_count();
    for (std::size_t c = 0; c < island.colliders.size(); ++c) {
        end += static_cast<int>(island.sim.colliders()[c].points_now.size());
        if (vertex < end) return island.colliders[c];
    }
    return nullptr;
}

void add_pair(const Island& island, const ContactRecord& record, PairSums& sums) {
    if (!record.has_two_sides()) return; // a collider given by distance; see add_near_colliders
    if (record.gap > kTouching * record.minimum_distance + kTouchingExtra) return;
    const std::vector<Vec3>& x = island.sim.state().position;
    const int a = record.vertex[0], b = record.vertex[record.side_count];
    const WorldCloth *first = cloth_of(island, a), *second = cloth_of(island, b);
    const Vec3 at = x[first ? a : b];
    if (!first || !second) {
        const WorldCloth* cloth = first ? first : second;
        const WorldCollider* collider = collider_of(island, first ? b : a);
        if (cloth && collider) sums.add(cloth->handle, 0, collider->handle, at, first ? record.normal : -record.normal);
    } else if (first->part <= second->part) {
        sums.add(first->handle, second->handle, 0, at, record.normal);
    } else {
        sums.add(second->handle, first->handle, 0, at, -record.normal);
    }
}

void add_near_colliders(const Island& island, PairSums& sums) {
    const std::vector<Vec3>& x = island.sim.state().position;
    for (std::size_t c = 0; c < island.colliders.size(); ++c) {
        const Collider& collider = island.sim.colliders()[c];
        if (std::holds_alternative<MeshSolid>(collider.shape)) continue; // among the pairs
        const double reach = kTouching * collider.thickness + kTouchingExtra;
        const Aabb box = collider.bounds();
        const Aabb near{box.low - reach * Vec3{1, 1, 1}, box.high + reach * Vec3{1, 1, 1}};
        for (std::size_t v = 0; v < x.size(); ++v) {
            if (!near.touches({x[v], x[v]})) continue;
            const SurfacePoint point = collider.nearest(x[v]);
            if (point.distance > reach) continue;
            sums.add(cloth_of(island, static_cast<int>(v))->handle, 0, island.colliders[c]->handle, x[v], point.normal);
        }
    }
}

bool is_same_pair(const selvage_contact_event& a, const selvage_contact_event& b) {
    return a.cloth == b.cloth && a.other_cloth == b.other_cloth && a.collider == b.collider;
}

} // namespace

void World::list_contacts() {
    std::swap(events_, events_before_);
    events_.clear();
    for (const std::shared_ptr<Island>& island : islands_) {
        if (!island->is_awake) continue;
        PairSums sums(events_);
        for (const std::vector<ContactRecord>& records : island->sim.contact_records())
            for (const ContactRecord& record : records)
                add_pair(*island, record, sums);
        add_near_colliders(*island, sums);
        sums.finish();
    }
    const std::size_t found = events_.size();
    for (const selvage_contact_event& before : events_before_) {
        if (before.phase == SELVAGE_CONTACT_END) continue;
        const auto now = std::find_if(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(found),
                                      [&](const auto& event) { return is_same_pair(event, before); });
        if (now != events_.begin() + static_cast<std::ptrdiff_t>(found)) {
            now->phase = SELVAGE_CONTACT_STAY;
            continue;
        }
        const WorldCloth* cloth = cloths_.find(before.cloth);
        events_.push_back(before);
        // What sleeps goes on touching what it touched.
        const bool sleeps = cloth && !cloth->island->is_awake && (!before.collider || colliders_.find(before.collider));
        events_.back().phase = sleeps ? SELVAGE_CONTACT_STAY : SELVAGE_CONTACT_END;
        if (!sleeps) events_.back().points = 0;
    }
}

/// After a frame in which nothing moved: all goes on touching what it touched, but for what is no longer there.
void World::carry_contacts() {
    std::erase_if(events_, [](const selvage_contact_event& event) { return event.phase == SELVAGE_CONTACT_END; });
    for (selvage_contact_event& event : events_) {
        const bool is_there = cloths_.find(event.cloth) && (!event.other_cloth || cloths_.find(event.other_cloth)) &&
                              (!event.collider || colliders_.find(event.collider));
        event.phase = is_there ? SELVAGE_CONTACT_STAY : SELVAGE_CONTACT_END;
        if (!is_there) event.points = 0;
    }
}

} // namespace selvage
