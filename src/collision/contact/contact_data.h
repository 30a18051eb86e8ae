#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "collision/contact/changed_displacements.h"
#include "collision/contact/contact_record.h"
#include "collision/contact/solid_contact.h"
#include "collision/contact/tangles.h"
#include "collision/contact/vertex_sums.h"
#include "collision/search/near_pairs.h"
#include "collision/search/surface_patches.h"
#include "math/simd.h"

// What the phases of the contact stage work on. Arrays with an entry per vertex have the cloths' vertices first and
// behind them those of every collider that is a mesh.

namespace selvage {

/// Fixed for a run.
struct ContactModel {
    /// The cloths come first in the surface, one mass per vertex [kg].
    ContactModel(ContactSurface contact_surface, std::span<const double> mass);

    ContactSurface surface;
    SurfacePatches patches;
    std::vector<Edge> edges;          ///< Of the cloths, each once, sorted.
    std::vector<Triangle> triangles;  ///< Of the cloths.
    std::vector<double> inverse_mass; ///< 0 for solids [1/kg].
    std::vector<int> vertex_body;     ///< Of the surface's bodies.
    int cloth_vertex_count;
    bool meets_cloth = false; ///< Some cloth is kept off itself or others.
};

/// A step, or a piece of one, as the formulas of the phases see it. Trivially copyable, so that a kernel can take it by
/// value.
struct StepView {
    std::span<const Vec3> start;
    std::span<Vec3> displacement, correction;
    std::span<const double> inverse_mass;
    int cloth_vertex_count = 0;
};
static_assert(std::is_trivially_copyable_v<StepView> && std::is_trivially_copyable_v<ContactRecord> &&
              std::is_trivially_copyable_v<SolidPoint> && std::is_trivially_copyable_v<MovingSolid>);

/// What is known of a collider that is a mesh where the step has it: so that one that rests costs nothing.
struct PlacedSolid {
    int body = -1, vertex_begin = 0;
    std::uint64_t points_number = 0; ///< Of Collider; 0: must be placed anew.
    bool is_whole = false;           ///< Placed for a whole step, not for a piece.
    Aabb bounds;                     ///< Around it where the step ends [m].
    double farthest = 0.0;           ///< Longest displacement of a vertex, squared [m2].
};

/// A step, or a piece of one.
struct StepMotion {
    explicit StepMotion(const ContactModel& model);

    std::vector<Vec3> start;          ///< Positions where it starts [m].
    std::vector<Vec3> displacement;   ///< [m].
    std::vector<Vec3> correction;     ///< Position correction: the part of the displacement that is no velocity [m].
    std::vector<double> inverse_mass; ///< 0 for what is held, too [1/kg].
    std::vector<MovingSolid> solids;
    std::vector<PlacedSolid> placed;  ///< Colliders that are meshes, in order.
    std::vector<SolidExtent> extents; ///< By body of the surface.
    int cloth_vertex_count;

    StepView view() { return {start, displacement, correction, inverse_mass, cloth_vertex_count}; }
};

/// Layers of cloth in one place, so that nothing but their order says which side is which. By vertex of the cloths.
struct TouchingLayers {
    std::vector<int> below, above; ///< Records with bodies that come earlier, and later.
    std::vector<int> lowest_face;  ///< The first face of these records.
    bool any = false;

    void clear(std::size_t vertex_count) {
        for (std::vector<int>* list : {&below, &above})
            list->assign(vertex_count, 0);
        lowest_face.assign(vertex_count, std::numeric_limits<int>::max());
        any = false;
    }
};

/// Of a chunk of records.
struct ChunkSummary {
    bool any_solid = false;                                        ///< Some are with solids.
    double smallest_gap = std::numeric_limits<double>::infinity(); ///< [m].
};

/// A record that may push, as rounds of pushing see it that need not look at it.
struct PushLook {
    static constexpr float kPushes = -1.0F;

    std::array<int, 4> vertex; ///< Of the record; where that has fewer, its first again.
    /// How far these may be displaced in all rounds together, their lengths added up, before the record must be looked
    /// at [m]; kPushes: it pushes. Most records are only near.
    float slack = 0.0F;
    std::uint32_t record = 0; ///< Of its chunk.
};

/// By chunk, of ContactPairs::records and of those of its solids.
struct PushLooks {
    std::vector<std::vector<PushLook>> own, solid;

    void clear() { // keeps the memory
        for (std::vector<std::vector<PushLook>>* lists : {&own, &solid})
            for (std::vector<PushLook>& list : *lists)
                list.clear();
    }
};

/// What may meet in the step.
struct ContactPairs {
    explicit ContactPairs(const ContactModel& model);

    NearPairs near;                                  ///< Candidates, kept from step to step.
    SolidContact solids;                             ///< Against solids given by distance functions.
    std::vector<std::vector<ContactRecord>> records; ///< Of features, by chunk of patch pairs.
    std::vector<ChunkSummary> summary;               ///< Of their chunks.
    std::vector<std::vector<ContactRecord>> known;   ///< By thread: those of a chunk while they are made again.
    bool has_looked_ahead = false;                   ///< The records are of this step's start, and untouched.
    PushLooks looks;                                 ///< Of the records that were there when pushing began.
    std::vector<std::uint8_t> is_touching;           ///< Vertices of features at distance 0: no plane separates those.
    bool saw_touching = false;                       ///< There were some since the last look for tangles.
    bool saw_squeeze = false; ///< Since then a collider's mesh has left cloth no room, which may now pass through it.
    TouchingLayers touching;
    ChangedDisplacements since_push_out, since_cut; ///< Since records were last tested for these.

    bool any_records() const;
    std::int64_t record_count() const; ///< Those with solids too.
    /// visit(record) for all records, those with solids too; on many threads.
    template <class Visit>
    void for_records(ThreadPool& pool, const Visit& visit) {
        const int own = static_cast<int>(records.size());
        const std::span<std::vector<ContactRecord>> solid = solids.records();
        pool.for_chunks(own + static_cast<int>(solid.size()), 1, [&](int chunk, int) {
            for (ContactRecord& record : chunk < own ? records[chunk] : solid[chunk - own])
                visit(record);
        });
    }
    /// visit(record, look) for the records that is_wanted(look) says.
    template <class IsWanted, class Visit>
    void for_looks(ThreadPool& pool, const IsWanted& is_wanted, const Visit& visit) {
        constexpr std::size_t kAtOnce = 32; // on their way from memory, which takes longer than to work on one
        const int own = static_cast<int>(looks.own.size());
        const std::span<std::vector<ContactRecord>> of_solids = solids.records();
        pool.for_chunks(own + static_cast<int>(looks.solid.size()), 1, [&](int chunk, int) {
            std::vector<PushLook>& list = chunk < own ? looks.own[chunk] : looks.solid[chunk - own];
            std::vector<ContactRecord>& found = chunk < own ? records[chunk] : of_solids[chunk - own];
            std::array<PushLook*, kAtOnce> wanted;
            for (std::size_t k = 0; k < list.size();) {
                std::size_t count = 0;
                for (; k < list.size() && count < kAtOnce; ++k) {
                    if (!is_wanted(list[k])) continue;
                    prefetch(&found[list[k].record], sizeof(ContactRecord));
                    wanted[count++] = &list[k];
                }
                for (PushLook* look : std::span(wanted).first(count))
                    visit(found[look->record], *look);
            }
        });
    }
    /// visit(record) for those that push.
    template <class Visit>
    void for_pushing(ThreadPool& pool, const Visit& visit) {
        for_looks(
            pool, [](const PushLook& look) { return look.slack < 0.0F; },
            [&](ContactRecord& record, PushLook&) { visit(record); });
    }
};

/// What cutting leaves of the displacements.
struct DisplacementCuts {
    explicit DisplacementCuts(std::size_t vertex_count) : fraction(vertex_count, 1.0), is_cut(vertex_count) {}

    std::vector<double> fraction; ///< Left in this round of cutting.
    std::vector<std::uint8_t> is_cut;
    std::int64_t tests = 0; ///< Of records in this step, all its pieces and rounds together.
};

/// How a long step goes on from piece to piece.
struct StepPieces {
    explicit StepPieces(std::size_t vertex_count)
        : displacement(vertex_count), target(vertex_count), wanted(vertex_count), is_stopped(vertex_count) {}

    std::vector<Vec3> displacement; ///< Of the next piece [m]: that of the last one without its position correction.
    std::vector<Vec3> target;       ///< Where the solver wants to end [m].
    std::vector<Vec3> wanted;       ///< Where this piece would end without contact [m].
    std::vector<std::uint8_t> is_stopped; ///< Held vertices that cloth has stopped.
};

struct ContactData {
    ContactData(ContactSurface surface, std::span<const double> mass)
        : model(std::move(surface), mass), step(model), pairs(model),
          sums(static_cast<int>(step.start.size()), model.cloth_vertex_count), cuts(step.start.size()),
          pieces(step.start.size()), pushed_from(static_cast<std::size_t>(model.cloth_vertex_count)),
          pushed_by(step.start.size()) {}
    ContactData(const ContactData&) = delete; // its parts refer to each other
    ContactData& operator=(const ContactData&) = delete;

    ContactModel model;
    StepMotion step;
    ContactPairs pairs;
    VertexSums sums;
    DisplacementCuts cuts;
    StepPieces pieces;
    Tangles tangles;
    std::vector<Vec3> pushed_from; ///< Displacements of the cloths' vertices at the last look at what was pushed [m].
    std::vector<double> pushed_by; ///< By vertex: how far rounds of pushing have displaced it so far, or more [m].

    SolidSearch solid_search(std::span<const std::uint8_t> is_held) const {
        const double edge = pairs.near.mean_edge(); // 0: single points, which tear at nothing
        return {step.solids,       step.start,
                step.displacement, pairs.near.patch_motion(),
                is_held,           edge > 0.0 ? edge : std::numeric_limits<double>::infinity()};
    }
};

} // namespace selvage
