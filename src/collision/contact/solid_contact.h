#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/contact/contact_view.h"
#include "collision/contact/moving_solid.h"
#include "collision/search/surface_patches.h"

namespace selvage {

/// A vertex that a solid must push in this step. One vertex moves, so that pushes are displacements, not impulses.
struct SolidPoint {
    int vertex = 0, solid = 0;
    Vec3 normal;                      ///< Out of the solid.
    double least_displacement = 0.0;  ///< How far along the normal the vertex must go at least [m].
    double left_inside = 0.0;         ///< Of its depth where the step starts, what later steps must push [m].
    Vec3 solid_displacement;          ///< Of the solid there in the step [m].
    double friction = 0.0;            ///< Coulomb coefficient.
    double normal_displacement = 0.0; ///< By which it was stopped so far in this step [m].
    Vec3 friction_displacement;       ///< By friction, likewise.
};

/// What a search for solids is given: a step, or a piece of one.
struct SolidSearch {
    std::span<const MovingSolid> solids;
    std::span<const Vec3> x;            ///< Where the step starts [m].
    std::span<const Vec3> displacement; ///< [m].
    std::span<const SurfacePatches::Motion> patch_motion;
    std::span<const std::uint8_t> is_held; ///< Vertices that are left alone.
    double most_correction = 0.0; ///< By which a vertex that starts inside is brought nearer to the surface [m].
};

/// Finds where the vertices, edges and faces of a surface meet solids given by distance functions. Every patch has a
/// motion budget with every solid: it is not looked at again until it may have come near.
class SolidContact {
public:
    SolidContact(const SurfacePatches& patches, int vertex_count, int cloth_vertex_count);

    /// Vertices that may come near a solid in a step of about the patches' motion, and edges and faces near solids with
    /// edges of their own; by chunk of patches. The search needs no displacement.
    void list_near(ThreadPool& pool, const SolidSearch& search, std::vector<std::vector<NearSolid>>& near,
                   std::vector<std::vector<ContactRecord>>& records);
    void find(ThreadPool& pool, const SolidSearch& search);
    /// Adds vertices that a displacement changed since then takes to solids where the first one did not.
    void find_missed(ThreadPool& pool, const SolidSearch& search);
    /// Keeps the found vertices out, with plastic contact and Coulomb friction. `correction` is the part of the
    /// displacement that is no velocity.
    void push(ThreadPool& pool, std::span<Vec3> displacement, std::span<Vec3> correction);
    /// The same again for these vertices only, whose displacement has changed.
    void push_vertices(ThreadPool& pool, std::span<const int> vertices, std::span<Vec3> displacement,
                       std::span<Vec3> correction);
    /// Takes the motion that was really made off the budgets.
    void finish_step(ThreadPool& pool, const SolidSearch& search);

    /// By chunk of patches; a vertex's points lie together.
    std::span<const std::vector<SolidPoint>> points() const { return points_; }
    /// Edges and faces, by chunk of patches.
    std::span<std::vector<ContactRecord>> records() { return records_; }
    std::span<const std::vector<ContactRecord>> records() const { return records_; }
    bool any_points() const;
    /// After an edit of the state: look at everything again.
    void forget();

private:
    struct Budget {              // of a patch with a solid
        double remaining = -1.0; // motion until they could meet [m]
        double radius = 0.0;     // of the patch about its first vertex [m]
    };
    struct Step;

    Budget& budget(int patch, int solid) { return budget_[patch * solid_count_ + solid]; }
    void fit_budgets(std::size_t solid_count);
    const Vec3& first_vertex(const SolidSearch& search, int patch) const;
    double relative_motion(const SolidSearch& search, const Step& step, int patch) const;
    template <class Visit>
    void for_patches(const SolidSearch& search, int begin, int end, const Visit& visit);
    void list_near_patch(const SolidSearch& search, const Step& step, int patch, std::vector<NearSolid>& list,
                         std::vector<ContactRecord>& records);
    void find_in_patch(const SolidSearch& search, const Step& step, int patch, std::vector<SolidPoint>& points,
                       std::vector<ContactRecord>& records);
    void find_missed_in_patch(const SolidSearch& search, const Step& step, int patch, std::ptrdiff_t known_count,
                              std::vector<SolidPoint>& points) const;
    static void add_point(const SolidSearch& search, const Step& step, int v, double distance, double reserve,
                          std::vector<SolidPoint>& points);
    template <class IsWanted>
    void push_points(ThreadPool& pool, std::span<Vec3> displacement, std::span<Vec3> correction,
                     const IsWanted& is_wanted);

    const SurfacePatches& patches_;
    int cloth_patch_count_ = 0, cloth_vertex_count_ = 0; // those of meshes come behind
    std::vector<Vec3> searched_;                         // displacements of the cloths' vertices in the last find()
    std::size_t solid_count_ = 0;
    std::vector<Budget> budget_; // by patch, then solid
    std::vector<std::vector<SolidPoint>> points_;
    std::vector<std::vector<ContactRecord>> records_;
    std::vector<std::uint8_t> is_flagged_; // vertices that push_vertices() is for
};

} // namespace selvage
