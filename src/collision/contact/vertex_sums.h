#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/contact/contact_record.h"

namespace selvage {

/// Displacements, or changes of velocity, that many records add to their vertices at the same time. They are summed in
/// whole numbers of a tiny unit: the order does not matter, so neither do threads. Every vertex also counts the records
/// that act on it.
class VertexSums {
public:
    /// Vertices behind the cloths' are those of solids, which nothing moves.
    VertexSums(int vertex_count, int cloth_vertex_count);

    /// With one thread there is no need for atomics.
    void set_thread_count(int count) { is_single_thread_ = count == 1; }

    /// First every record that will add something counts itself,
    void count_record(const ContactRecord& record);
    /// then it adds an impulse [kg m], or [kg m/s] for velocities. Vertices with inverse mass 0 get nothing.
    void add_impulse(const ContactRecord& record, const Vec3& impulse, std::span<const double> inverse_mass);
    /// Counts and adds for one vertex alone.
    void add_to_vertex(int v, const Vec3& change);

    bool is_empty() const { return touched_count_ == 0; }
    /// Records counted so far at each vertex.
    std::span<const std::int32_t> counts() const { return count_; }

    /// Adds the sums to `to` and starts again. Returns the vertices that were counted, in any order, good until the
    /// next count.
    std::span<const int> apply_sums(ThreadPool& pool, std::span<Vec3> to);
    /// The same with the mean over the records of each vertex; adds it to `also` too, where given.
    void apply_means(ThreadPool& pool, std::span<Vec3> to, std::span<Vec3> also = {});
    /// Starts again when nothing was added after all.
    void drop();

private:
    using Whole = std::array<std::int64_t, 3>;
    void count_vertex(int v);
    void add(int v, const Vec3& change);
    Vec3 take(int v);

    int cloth_vertex_count_;
    std::vector<Whole> sum_;
    std::vector<std::int32_t> count_; // records of each vertex
    std::vector<int> touched_;        // vertices with records, in any order
    std::atomic<int> touched_count_{0};
    bool is_single_thread_ = true;
};

} // namespace selvage
