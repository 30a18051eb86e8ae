#include "collision/contact/vertex_sums.h"

#include <algorithm>
#include <cmath>

#include "base/atomic_reference.h"

namespace selvage {

namespace {

constexpr double kUnit = 1.0 / (1LL << 44); // of the sums [m]: 5.7e-14, up to half a million metres
constexpr double kMostPart = 64.0;          // [m]; of points flung far apart thousands still add up without overflow

} // namespace

VertexSums::VertexSums(int vertex_count, int cloth_vertex_count)
    : cloth_vertex_count_(cloth_vertex_count), sum_(vertex_count), count_(vertex_count), touched_(vertex_count) {}

void VertexSums::count_record(const ContactRecord& record) {
    for (int k = 0; k < record.count; ++k)
        count_vertex(record.vertex[k]);
}

void VertexSums::count_vertex(int v) {
    const int before = is_single_thread_ ? count_[v]++ : AtomicReference(count_[v]).fetch_add(1);
    if (before == 0) touched_[touched_count_.fetch_add(1, std::memory_order_relaxed)] = v;
}

void VertexSums::add_impulse(const ContactRecord& record, const Vec3& impulse, std::span<const double> inverse_mass) {
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        if (inverse_mass[v] > 0.0) add(v, (record.weight[k] * inverse_mass[v]) * impulse);
    }
}

void VertexSums::add_to_vertex(int v, const Vec3& change) {
    count_vertex(v);
    add(v, change);
}

void VertexSums::add(int v, const Vec3& change) {
    const double parts[3] = {change.x, change.y, change.z};
    for (int axis = 0; axis < 3; ++axis) {
        std::int64_t& sum = sum_[v][axis];
        const double bounded = std::clamp(parts[axis], -kMostPart, kMostPart);
        const auto part = static_cast<std::int64_t>(std::llrint(bounded / kUnit));
        if (is_single_thread_)
            sum += part;
        else
            AtomicReference(sum).fetch_add(part);
    }
}

/// The sum of a vertex, which starts again.
Vec3 VertexSums::take(int v) {
    const Whole sum = sum_[v];
    sum_[v] = {};
    count_[v] = 0;
    return kUnit * Vec3{static_cast<double>(sum[0]), static_cast<double>(sum[1]), static_cast<double>(sum[2])};
}

std::span<const int> VertexSums::apply_sums(ThreadPool& pool, std::span<Vec3> to) {
    const int count = touched_count_;
    pool.for_each(count, [&](int k) {
        const int v = touched_[k];
        const Vec3 change = take(v);
        if (v < cloth_vertex_count_) to[v] += change;
    });
    touched_count_ = 0;
    return std::span(touched_).first(static_cast<std::size_t>(count));
}

void VertexSums::apply_means(ThreadPool& pool, std::span<Vec3> to, std::span<Vec3> also) {
    pool.for_each(touched_count_, [&](int k) {
        const int v = touched_[k];
        const auto count = static_cast<double>(count_[v]);
        const Vec3 change = take(v) / count;
        if (v >= cloth_vertex_count_) return;
        to[v] += change;
        if (!also.empty()) also[v] += change;
    });
    touched_count_ = 0;
}

void VertexSums::drop() {
    for (int k = 0; k < touched_count_; ++k)
        count_[touched_[k]] = 0;
    touched_count_ = 0;
}

} // namespace selvage
