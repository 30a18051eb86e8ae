#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/vec.h"

namespace selvage {

/// Which vertices move otherwise than at the last test: what passed it and has not changed since need not be tested
/// again. Nothing is copied before store(), so that steps in which all is well at once pay nothing.
class ChangedDisplacements {
public:
    /// For displacements of `count` vertices; others, those of solids, never change.
    explicit ChangedDisplacements(int count) : stored_(count), has_changed_(count) {}

    /// Until displacements are stored everything counts as changed.
    void forget() { has_stored_ = false; }
    void store(ThreadPool& pool, std::span<const Vec3> displacement) {
        has_stored_ = true;
        pool.for_each(static_cast<int>(stored_.size()), [&](int i) { stored_[i] = displacement[i]; });
    }
    bool has_stored() const { return has_stored_; }
    /// Compares with what was stored.
    void compare(ThreadPool& pool, std::span<const Vec3> displacement) {
        all_changed_ = !has_stored_;
        if (has_stored_)
            pool.for_each(static_cast<int>(stored_.size()),
                          [&](int i) { has_changed_[i] = !(displacement[i] == stored_[i]); });
    }
    bool has_changed(int vertex) const {
        return all_changed_ || (vertex < static_cast<int>(has_changed_.size()) && has_changed_[vertex] != 0);
    }

private:
    std::vector<Vec3> stored_;
    std::vector<std::uint8_t> has_changed_;
    bool has_stored_ = false, all_changed_ = true;
};

} // namespace selvage
