#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collision/contact/contact_stats.h"
#include "collision/contact/contact_view.h"
#include "collision/contact/tangles.h"
#include "collision/search/contact_surface.h"

namespace selvage {

struct ContactData;

/// Keeps cloth off itself, off other cloth and out of colliders: a stage between a solver's answer and the next state,
/// the same for all solvers. Given a start free of intersections of cloth with cloth, no answer of a solver can lead to
/// one.
/// The data (contact_data.h) are plain arrays: the surface, its patches and masses, fixed for a run; positions,
/// displacements, position corrections and inverse masses of a step; the pairs that may meet in it; sums per vertex.
/// The phases are free functions over them, and a step is the list of them (resolve and resolve_piece):
///   contact_pieces  a step in which something goes far is taken in pieces, each from where the last one ended
///   contact_find    pairs of features that may meet are found where the step starts, with a plane between their sides
///   contact_push    impulses push them apart, plastic and with friction; displacements push vertices out of colliders
///   contact_cut     displacements that would take a feature through its plane are cut short: this makes the guarantee
///   contact_move    positions and velocities are written
/// Formulas of one record (contact_record.h, friction.h) take a record and a StepView, both trivially copyable, and
/// keep nothing between calls, so that a device can run the same phases over its own arrays.
class ContactStage {
public:
    /// The cloths come first in the surface, one mass per vertex [kg]; behind them the mesh of every collider that has
    /// one.
    ContactStage(ContactSurface surface, std::span<const double> mass);
    ~ContactStage();

    /// Looks for cloth that passes through cloth or through the mesh of a collider, or lies inside one that is closed.
    /// Such places are left alone by what keeps cloth apart, which would keep them tangled, and pulled apart instead,
    /// until this is called again and finds them free. What it decides depends on positions alone. `colliders` are
    /// those of resolve(), as they are now.
    TangleCount find_tangles(ThreadPool& pool, std::span<const Vec3> positions,
                             std::span<const Collider> colliders = {});
    std::span<const SurfaceCrossing> crossings() const; ///< Of the last find_tangles(), which must have been called.
    /// Something was tangled when last looked for, features of cloth were in one place, or a collider left no room.
    bool is_tangled() const;

    /// Before the solver's step, with the state it starts from.
    void start(std::span<const Vec3> positions);
    /// After start(): what may meet in a step of about this displacement per vertex [m]; null when nothing ever can.
    /// Good until resolve(), which looks again. Adds the time it took and what was searched to `stats`.
    const ContactView* look_ahead(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> displacement,
                                  ContactStats& stats);
    /// After the solver's step.
    ContactStats resolve(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions,
                         std::span<Vec3> velocities);
    /// After an edit of the state.
    void forget();

    std::span<const Edge> edges() const; ///< Of the cloths, each once, sorted.
    std::span<const Triangle> triangles() const;
    const ContactSurface& surface() const;
    std::span<const std::vector<ContactRecord>> records() const; ///< Of the last resolve().

private:
    bool can_meet(const ContactInput& input) const;
    ContactStats resolve_piece(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions,
                               std::span<Vec3> velocities);

    std::unique_ptr<ContactData> data_;
    std::unique_ptr<TangleFinder> finder_;                // made when first needed
    std::vector<Vec3> points_;                            // of cloths and meshes, for it
    std::vector<std::vector<NearSolid>> near_solid_;      // looking ahead, by chunk of patches
    std::vector<std::vector<ContactRecord>> solid_pairs_; // likewise
    ContactView view_;
};

} // namespace selvage
