#include "solvers/xpbd/near_contacts.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace selvage {

namespace {

constexpr double kSpareInside = 1.2;      // distances kept here, in those kept by the stage after the step
constexpr double kSpareAtSolidEdge = 2.4; // likewise before a collider's edges, where the nearest point travels most
constexpr double kGapFraction = 0.5;      // of a missing distance that a step may restore
constexpr double kGapSpeed = 0.2;         // at which it may do so at most [m/s]
constexpr double kLeastLever = 0.2;       // of a free vertex; less would be flung to make up for what is held
constexpr int kColours = 64;              // the last one is for what has found no other: batches of one contact
constexpr int kGrain = 32;                // batches: a few microseconds

/// The slip of eight contacts in a small step, across the normal.
template <int kPoints>
SELVAGE_INLINE void read_slip(const NearContacts::Batch<kPoints>& batch, const Points8 (&now)[kPoints],
                              const Floats8 (&weight)[kPoints], const Floats8 (&normal)[3], const Floats4* before,
                              Floats8 (&slip)[3]) {
    for (int c = 0; c < 3; ++c) {
        load(batch.plane.carried[c], slip[c]);
        slip[c] = -slip[c];
    }
    for (int p = 0; p < kPoints; ++p) {
        Points8 was;
        gather(before, batch.point[p], was);
        slip[0] += weight[p] * (now[p].x - was.x);
        slip[1] += weight[p] * (now[p].y - was.y);
        slip[2] += weight[p] * (now[p].z - was.z);
    }
    const Floats8 along = slip[0] * normal[0] + slip[1] * normal[1] + slip[2] * normal[2];
    for (int c = 0; c < 3; ++c)
        slip[c] -= along * normal[c];
}

/// Depth by which eight contacts fall short of their target gaps; not positive where they do not.
template <int kPoints>
SELVAGE_INLINE void read_depth(const NearContacts::Batch<kPoints>& batch, const Points8 (&now)[kPoints],
                               const Floats8 (&weight)[kPoints], const Floats8 (&normal)[3], float fraction,
                               Floats8& depth) {
    Floats8 gap, drift, target, opening;
    load(batch.plane.gap, gap);
    load(batch.plane.drift, drift);
    load(batch.plane.target, target);
    load(batch.plane.opening, opening);
    gap += fraction * drift;
    for (int p = 0; p < kPoints; ++p)
        gap += weight[p] * (normal[0] * now[p].x + normal[1] * now[p].y + normal[2] * now[p].z);
    depth = target + fraction * opening - gap;
}

template <int kPoints>
SELVAGE_INLINE void write_points(const Points8& from, const int (&index)[8], unsigned lanes, Floats4* points) {
    Floats4 lane[8];
    constexpr int kAll[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    scatter(from, kAll, lane);
    for (int k = 0; k < 8; ++k)
        if ((lanes >> k & 1U) != 0 && lane[k][3] > 0.0F) points[index[k]] = lane[k];
}

template <int kPoints>
SELVAGE_INLINE void push_apart(const NearContacts::Batch<kPoints>* batches, int count, float fraction,
                               const Floats4* before, Floats4* displacement) {
    Floats8 zero, one, least;
    fill(0.0F, zero);
    fill(1.0F, one);
    fill(1e-30F, least);
    for (int n = 0; n < count; ++n) {
        const NearContacts::Batch<kPoints>& batch = batches[n];
        Points8 now[kPoints];
        Floats8 weight[kPoints], normal[3], depth, friction, inverse, slip[3], push[3];
        for (int p = 0; p < kPoints; ++p) {
            gather(displacement, batch.point[p], now[p]);
            load(batch.weight[p], weight[p]);
        }
        for (int c = 0; c < 3; ++c)
            load(batch.plane.normal[c], normal[c]);
        read_depth<kPoints>(batch, now, weight, normal, fraction, depth);
        const unsigned active = lane_bits(depth > zero);
        if (active == 0) continue;
        take_larger(depth, zero, depth);
        load(batch.plane.friction, friction);
        load(batch.inverse, inverse);
        read_slip<kPoints>(batch, now, weight, normal, before, slip);
        // Coulomb: friction stops a slip of up to mu times the depth, both over the same inverse mass.
        Floats8 size = slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2], stopped;
        take_larger(size, least, size);
        take_root(size, size);
        stopped = friction * depth / size;
        take_smaller(stopped, one, stopped);
        for (int c = 0; c < 3; ++c)
            push[c] = inverse * (depth * normal[c] - stopped * slip[c]);
        for (int p = 0; p < kPoints; ++p) {
            const Floats8 moved = weight[p] * now[p].w;
            now[p].x += moved * push[0], now[p].y += moved * push[1], now[p].z += moved * push[2];
            write_points<kPoints>(now[p], batch.point[p], active, displacement);
        }
    }
}

SELVAGE_WIDE void push_out(const NearContacts::Batch<1>* batches, int count, float fraction, const Floats4* before,
                           Floats4* displacement) {
    push_apart<1>(batches, count, fraction, before, displacement);
}
SELVAGE_WIDE void push_pairs(const NearContacts::Batch<4>* batches, int count, float fraction, const Floats4* before,
                             Floats4* displacement) {
    push_apart<4>(batches, count, fraction, before, displacement);
}
void push_colour(const NearContacts::Batch<1>* batches, int count, float fraction, SmallStepPoints& points) {
    push_out(batches, count, fraction, points.before.data(), points.displacement.data());
}
void push_colour(const NearContacts::Batch<4>* batches, int count, float fraction, SmallStepPoints& points) {
    push_pairs(batches, count, fraction, points.before.data(), points.displacement.data());
}

void copy_lane(const NearContacts::Plane<float>& from, NearContacts::Plane<float[8]>& to, int k) {
    for (int c = 0; c < 3; ++c) {
        to.normal[c][k] = from.normal[c];
        to.carried[c][k] = from.carried[c];
    }
    to.gap[k] = from.gap;
    to.drift[k] = from.drift;
    to.target[k] = from.target;
    to.opening[k] = from.opening;
    to.friction[k] = from.friction;
}

} // namespace

void NearContacts::start(const ContactView* view, std::span<const int> place, const SmallStepPoints& points, double dt,
                         int small_steps) {
    view_ = view;
    place_ = place;
    points_ = &points;
    dt_ = dt;
    per_small_step_ = 1.0 / small_steps;
    contacts_.clear();
    solids_.clear();
    if (view)
        for (const Collider& collider : view->colliders)
            solids_.push_back(MovingSolid::make(collider, 0, 1));
    if (view)
        for (const std::vector<NearSolid>& list : view->near_solid)
            for (const NearSolid& near : list)
                add_touch(near);
    fill_batches(touches_);
    contacts_.clear();
    if (view)
        for (const auto& lists : {view->pairs, view->solid_pairs})
            for (const std::vector<ContactRecord>& list : lists)
                for (const ContactRecord& record : list)
                    add_pair(record);
    fill_batches(pairs_);
}

void NearContacts::add_touch(const NearSolid& near) {
    const int point = place_[near.vertex];
    const float inverse_mass = points_->displacement[point][3];
    if (!(inverse_mass > 0.0F)) return;
    const MovingSolid& solid = solids_[near.solid];
    const Vec3& x = view_->points[near.vertex];
    const SurfacePoint surface = solid.nearest_before(x);
    const Vec3 foot = x - surface.distance * surface.normal;
    Contact& contact = contacts_.emplace_back();
    contact.point[0] = point;
    contact.weight[0] = 1.0F;
    contact.inverse = 1.0F / inverse_mass;
    set_plane(contact, surface.normal, surface.distance, kSpareInside * solid.thickness, solid.friction,
              SolidMotion(solid).at(solid, foot) - points_->frame[point]);
    choose_colour(contact, 1);
}

void NearContacts::add_pair(const ContactRecord& record) {
    if (!record.may_push) return;
    const int n = static_cast<int>(place_.size());
    Contact contact{};
    double inverse = 0.0, lever = 0.0;
    Vec3 middle, carried, frame;
    for (int k = 0; k < 4; ++k) {
        contact.point[k] = unused_;
        if (k >= record.count) continue;
        const int v = record.vertex[k];
        const double w = record.weight[k];
        middle += w * view_->points[v];
        if (v >= n) {
            carried -= w * view_->displacement[v];
            continue;
        }
        contact.point[k] = place_[v];
        frame += w * points_->frame[place_[v]];
        contact.weight[k] = static_cast<float>(w);
        const auto inverse_mass = static_cast<double>(points_->displacement[place_[v]][3]);
        inverse += w * w * inverse_mass;
        if (inverse_mass > 0.0) lever = std::max(lever, std::abs(w));
    }
    if (!(inverse > 0.0) || lever < kLeastLever) return;
    contact.inverse = static_cast<float>(1.0 / inverse);
    double distance = kSpareInside * record.minimum_distance;
    if (record.solid >= 0) {
        const MovingSolid& solid = solids_[record.solid];
        carried = SolidMotion(solid).at(solid, middle - record.gap * record.normal);
        distance = kSpareAtSolidEdge * record.minimum_distance;
    }
    set_plane(contact, record.normal, record.gap, distance, record.friction, carried - frame);
    choose_colour(contact, 4);
    contacts_.push_back(contact);
}

void NearContacts::set_plane(Contact& contact, const Vec3& normal, double gap, double minimum_distance, double friction,
                             const Vec3& carried) const {
    const double missing = std::max(0.0, minimum_distance - gap);
    const Vec3 in_small_step = per_small_step_ * carried;
    const auto as_float = [](double x) { return static_cast<float>(x); };
    contact.plane = {{as_float(normal.x), as_float(normal.y), as_float(normal.z)},
                     as_float(gap),
                     as_float(-dot(normal, carried)),
                     as_float(std::min(minimum_distance, gap)),
                     as_float(std::min(kGapFraction * missing, kGapSpeed * dt_)),
                     as_float(friction),
                     {as_float(in_small_step.x), as_float(in_small_step.y), as_float(in_small_step.z)}};
}

/// The first colour that none of its points has.
void NearContacts::choose_colour(Contact& contact, int count) {
    std::uint64_t used = 0;
    for (int k = 0; k < count; ++k)
        if (contact.point[k] != unused_) used |= colours_at_[contact.point[k]];
    contact.colour = std::min(kColours - 1, std::countr_one(used));
    if (contact.colour == kColours - 1) return;
    for (int k = 0; k < count; ++k)
        if (contact.point[k] != unused_) colours_at_[contact.point[k]] |= std::uint64_t{1} << contact.colour;
}

/// Sorts the contacts by colour, each colour filled up to whole batches with contacts that do nothing.
template <int kPoints>
void NearContacts::fill_batches(Batches<kPoints>& out) {
    colour_next_.assign(kColours + 1, 0);
    for (const Contact& contact : contacts_) {
        ++colour_next_[contact.colour + 1];
        for (int p = 0; p < kPoints; ++p)
            colours_at_[contact.point[p]] = 0;
    }
    out.colour_start.assign(1, 0);
    for (int c = 0; c < kColours; ++c) {
        const int count = colour_next_[c + 1];
        const int in_batch = c == kColours - 1 ? 1 : kBatch;
        colour_next_[c] = out.colour_start.back() * kBatch; // the slot of its next contact
        out.colour_start.push_back(out.colour_start.back() + (count + in_batch - 1) / in_batch);
    }
    out.batches.resize(out.colour_start.back());
    for (Batch<kPoints>& batch : out.batches) {
        batch = {};
        for (int p = 0; p < kPoints; ++p)
            std::fill_n(batch.point[p], kBatch, unused_);
    }
    for (const Contact& contact : contacts_) {
        const int slot = colour_next_[contact.colour];
        colour_next_[contact.colour] += contact.colour == kColours - 1 ? kBatch : 1;
        Batch<kPoints>& batch = out.batches[slot / kBatch];
        const int k = slot % kBatch;
        for (int p = 0; p < kPoints; ++p) {
            batch.point[p][k] = contact.point[p];
            batch.weight[p][k] = contact.weight[p];
        }
        batch.inverse[k] = contact.inverse;
        copy_lane(contact.plane, batch.plane, k);
    }
}

void NearContacts::project(ThreadPool& pool, float fraction, SmallStepPoints& points) const {
    project_colours(pairs_, pool, fraction, points);
    project_colours(touches_, pool, fraction, points);
}

template <int kPoints>
void NearContacts::project_colours(const Batches<kPoints>& list, ThreadPool& pool, float fraction,
                                   SmallStepPoints& points) {
    for (std::size_t c = 0; c + 1 < list.colour_start.size(); ++c) {
        const int first = list.colour_start[c], count = list.colour_start[c + 1] - first;
        const int grain = c + 1 == kColours ? count : kGrain; // the last colour's contacts share points: one by one
        if (count > 0)
            pool.for_chunks(count, grain, [&](int begin, int end) {
                push_colour(list.batches.data() + first + begin, end - begin, fraction, points);
            });
    }
}

std::size_t NearContacts::bytes() const {
    return touches_.batches.capacity() * sizeof(Batch<1>) + pairs_.batches.capacity() * sizeof(Batch<4>) +
           contacts_.capacity() * sizeof(Contact) + colours_at_.size() * sizeof(std::uint64_t);
}

} // namespace selvage
