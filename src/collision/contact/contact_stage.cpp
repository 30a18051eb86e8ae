#include "collision/contact/contact_stage.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/stopwatch.h"
#include "collision/contact/contact_cut.h"
#include "collision/contact/contact_data.h"
#include "collision/contact/contact_find.h"
#include "collision/contact/contact_move.h"
#include "collision/contact/contact_pieces.h"
#include "collision/contact/contact_push.h"
#include "collision/contact/contact_untangle.h"

namespace selvage {

namespace {

constexpr int kSolidTurns = 3; // of pushing out of solids and cutting again

/// Milliseconds that `phase` takes.
template <class Phase>
double time_of(const Phase& phase) {
    const Stopwatch clock;
    phase();
    return clock.ms();
}

/// Adds what was searched since `before`.
void count_searches(const NearPairs::Counts& before, const NearPairs::Counts& now, ContactStats& stats) {
    stats.listings += now.listings - before.listings;
    stats.searches += now.searches - before.searches;
}

void push(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> velocities, ContactData& data) {
    if (!data.pairs.any_records()) return;
    push_apart(pool, input.dt, velocities, data);
    push_out_of_solids(pool, data);
}

/// Cutting may take vertices into solids, and pushing them out through planes: a few turns of both. Returns the rounds
/// of cutting.
int cut(ThreadPool& pool, const ContactInput& input, ContactData& data) {
    int rounds = cut_displacements(pool, Cut::apart, data);
    for (int turn = 0; turn < kSolidTurns && data.pairs.any_records() && !is_over_budget(data); ++turn) {
        data.pairs.solids.find_missed(pool, data.solid_search(input.is_held));
        if (!push_out_of_solids(pool, data)) break;
        // The last word has what leaves nothing deeper in a solid than it was.
        rounds += cut_displacements(pool, turn + 1 < kSolidTurns ? Cut::apart : Cut::proportional, data);
    }
    return rounds;
}

} // namespace

ContactStats& ContactStats::operator+=(const ContactStats& other) {
    smallest_gap = smallest_gap == 0.0         ? other.smallest_gap
                   : other.smallest_gap == 0.0 ? smallest_gap
                                               : std::min(smallest_gap, other.smallest_gap);
    solid_depth = std::max(solid_depth, other.solid_depth);
    records += other.records;
    contacts += other.contacts;
    truncated += other.truncated;
    listings += other.listings;
    searches += other.searches;
    rounds += other.rounds;
    tests += other.tests;
    conflicts += other.conflicts;
    overflows += other.overflows;
    solver_ms += other.solver_ms;
    search_ms += other.search_ms;
    narrow_ms += other.narrow_ms;
    response_ms += other.response_ms;
    return *this;
}

ContactStage::ContactStage(ContactSurface surface, std::span<const double> mass)
    : data_(std::make_unique<ContactData>(std::move(surface), mass)) {}

ContactStage::~ContactStage() = default;

std::span<const Edge> ContactStage::edges() const {
    return data_->model.edges;
}
std::span<const Triangle> ContactStage::triangles() const {
    return data_->model.triangles;
}
const ContactSurface& ContactStage::surface() const {
    return data_->model.surface;
}
std::span<const std::vector<ContactRecord>> ContactStage::records() const {
    return data_->pairs.records;
}

bool ContactStage::is_tangled() const {
    return data_->tangles.any || data_->pairs.saw_touching || data_->pairs.saw_squeeze;
}

void ContactStage::forget() {
    for (PlacedSolid& placed : data_->step.placed)
        placed.points_number = 0;
    data_->pairs.has_looked_ahead = false;
    data_->pairs.solids.forget();
    data_->pairs.near.forget();
}

TangleCount ContactStage::find_tangles(ThreadPool& pool, std::span<const Vec3> positions,
                                       std::span<const Collider> colliders) {
    const ContactModel& model = data_->model;
    if (!finder_) finder_ = std::make_unique<TangleFinder>(model.surface, model.patches, model.cloth_vertex_count);
    points_.assign(positions.begin(), positions.end());
    for (const Collider& collider : colliders)
        points_.insert(points_.end(), collider.points_now.begin(), collider.points_now.end());
    SELVAGE_ASSERT(points_.size() == model.surface.rest.size());
    data_->pairs.saw_touching = data_->pairs.saw_squeeze = false;
    return finder_->find(pool, colliders, points_, data_->tangles);
}

std::span<const SurfaceCrossing> ContactStage::crossings() const {
    return finder_->crossings();
}

void ContactStage::start(std::span<const Vec3> positions) {
    data_->pairs.has_looked_ahead = false;
    std::copy(positions.begin(), positions.end(), data_->step.start.begin());
}

bool ContactStage::can_meet(const ContactInput& input) const {
    return !input.colliders.empty() || data_->model.meets_cloth;
}

const ContactView* ContactStage::look_ahead(ThreadPool& pool, const ContactInput& input,
                                            std::span<const Vec3> displacement, ContactStats& stats) {
    if (!can_meet(input)) return nullptr;
    StepMotion& step = data_->step;
    NearPairs& near = data_->pairs.near;
    const NearPairs::Counts before = near.counts();
    Stopwatch clock;
    pool.for_each(step.cloth_vertex_count, [&](int i) { step.displacement[i] = displacement[i]; });
    place_solids(input.colliders, 0, 1, step);
    near.measure(pool, step.start, step.displacement, step.extents);
    if (!is_finite(near.mean_motion())) return nullptr;
    limit_look_ahead(pool, *data_);
    data_->pairs.solids.list_near(pool, data_->solid_search(input.is_held), near_solid_, solid_pairs_);
    stats.narrow_ms += clock.ms();
    stats.search_ms += time_of([&] { near.start_step(pool, step.start); });
    stats.narrow_ms += time_of([&] { gather_records(pool, Gather::anew, *data_); });
    count_searches(before, near.counts(), stats);
    data_->pairs.has_looked_ahead = true;
    view_ = {data_->pairs.records, near_solid_, solid_pairs_, input.colliders, step.start, step.displacement};
    return &view_;
}

ContactStats ContactStage::resolve(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions,
                                   std::span<Vec3> velocities) {
    if (!can_meet(input)) return {};
    read_step(pool, input, positions, *data_);
    if (!is_finite(data_->pairs.near.mean_motion())) return {}; // the solver has diverged, which its caller reports
    const int piece_count = count_pieces(pool, input, positions, velocities, *data_);
    if (piece_count == 1) return resolve_piece(pool, input, positions, velocities);
    ContactStats stats;
    const ContactInput part{input.dt / piece_count, input.is_held, input.colliders};
    start_pieces(pool, piece_count, positions, *data_);
    for (int piece = 0; piece < piece_count; ++piece) {
        start_piece(pool, input, piece, piece_count, positions, *data_);
        stats += resolve_piece(pool, part, positions, velocities);
        finish_piece(pool, input, positions, *data_);
    }
    return stats;
}

/// One step, or a piece of one, whose displacement is measured; `positions` say the same.
ContactStats ContactStage::resolve_piece(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions,
                                         std::span<Vec3> velocities) {
    ContactStats stats;
    StepMotion& step = data_->step;
    ContactPairs& pairs = data_->pairs;
    const NearPairs::Counts before = pairs.near.counts();
    data_->sums.set_thread_count(pool.thread_count());

    stats.narrow_ms = time_of([&] {
        set_inverse_masses(pool, input.is_held, *data_);
        if (data_->tangles.any) untangle(pool, input.dt, *data_);
        pairs.solids.find(pool, data_->solid_search(input.is_held));
        pairs.solids.push(pool, step.displacement, step.correction);
    });
    // For what the solver wants; cutting makes up for what pushes change.
    stats.search_ms = time_of([&] { pairs.near.start_step(pool, step.start); });
    stats.narrow_ms += time_of([&] {
        const bool is_known = std::exchange(pairs.has_looked_ahead, false) && !data_->tangles.any;
        gather_records(pool, is_known ? Gather::again : Gather::anew, *data_);
    });
    if (part_touching_layers(pool, *data_)) {
        pairs.near.start_step(pool, step.start);
        gather_records(pool, Gather::anew, *data_);
    }
    stats.response_ms = time_of([&] {
        push(pool, input, velocities, *data_);
        const std::int64_t tests_before = data_->cuts.tests;
        stats.rounds = cut(pool, input, *data_);
        stats.tests = data_->cuts.tests - tests_before;
        pairs.near.finish_step(pool);
        pairs.solids.finish_step(pool, data_->solid_search(input.is_held));
        write_state(pool, input, positions, velocities, *data_, stats);
    });
    count_searches(before, pairs.near.counts(), stats);
    return stats;
}

} // namespace selvage
