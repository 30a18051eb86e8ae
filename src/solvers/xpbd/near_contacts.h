#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/contact/contact_view.h"
#include "collision/contact/moving_solid.h"
#include "solvers/xpbd/link_blocks.h"

namespace selvage {

/// Contact inside the small steps of xpbd: what a look ahead has found near, each with the plane, the weights and the gap
/// that it has where the step starts. Small steps push vertices out of colliders and features apart along these planes,
/// with friction. What that misses is left to the contact stage after the step, which keeps the promise.
class NearContacts {
public:
    static constexpr int kBatch = 8;
    /// One number, or those of eight contacts.
    template <class T>
    struct Plane {
        T normal[3];
        T gap, drift;      ///< Where the step starts; what the other side's motion adds to it over the step [m].
        T target, opening; ///< Gap to be kept; what is added to it over the step [m].
        T friction;
        T carried[3]; ///< Displacement of the other side in a small step [m].
    };
    /// Eight contacts between planes and up to kPoints points each; no point twice, nor in another batch of the colour.
    template <int kPoints>
    struct alignas(32) Batch {
        int point[kPoints][kBatch]; ///< Where there are fewer: one that is never written.
        float weight[kPoints][kBatch];
        float inverse[kBatch]; ///< 1 / sum of the squared weights times inverse masses.
        Plane<float[kBatch]> plane;
    };

    /// `unused`: a point that nothing moves.
    NearContacts(int point_count, int unused) : colours_at_(static_cast<std::size_t>(point_count)), unused_(unused) {}

    /// `view` may be null: there is no contact then. `place`: the point of each vertex; `points` has the inverse masses.
    void start(const ContactView* view, std::span<const int> place, const SmallStepPoints& points, double dt,
               int small_steps);
    bool any() const { return !touches_.batches.empty() || !pairs_.batches.empty(); }
    /// When `fraction` of the step is over.
    void project(ThreadPool& pool, float fraction, SmallStepPoints& points) const;

    std::size_t bytes() const;

private:
    struct Contact {
        int point[4];
        float weight[4];
        float inverse;
        Plane<float> plane;
        int colour;
    };
    template <int kPoints>
    struct Batches {
        std::vector<Batch<kPoints>> batches;
        std::vector<int> colour_start; // batches of each colour
    };

    void add_touch(const NearSolid& near);
    void add_pair(const ContactRecord& record);
    void set_plane(Contact& contact, const Vec3& normal, double gap, double minimum_distance, double friction,
                   const Vec3& carried) const;
    void choose_colour(Contact& contact, int count);
    template <int kPoints>
    void fill_batches(Batches<kPoints>& out);
    template <int kPoints>
    static void project_colours(const Batches<kPoints>& list, ThreadPool& pool, float fraction,
                                SmallStepPoints& points);

    const ContactView* view_ = nullptr;
    std::span<const int> place_;
    const SmallStepPoints* points_ = nullptr;
    double dt_ = 0.0, per_small_step_ = 1.0;
    std::vector<MovingSolid> solids_;
    std::vector<Contact> contacts_; // while batches are filled
    std::vector<int> coloured_, colour_next_;
    std::vector<std::uint64_t> colours_at_; // by point
    int unused_;
    Batches<1> touches_; // vertices before colliders that have a distance function
    Batches<4> pairs_;   // features
};

} // namespace selvage
