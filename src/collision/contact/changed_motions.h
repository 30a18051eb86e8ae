#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/vec.h"

namespace selvage {

/// Which vertices move otherwise than when last looked at: what was well and has not changed since need not be asked again.
/// Nothing is kept before it is asked for, so that steps in which all is well at once pay nothing.
class ChangedMotions {
public:
    /// For motions of `count` vertices; others, those of solids, never change.
    explicit ChangedMotions(int count) : kept_(count), has_changed_(count) {}

    /// Until motions are kept everything counts as changed.
    void forget() { has_kept_ = false; }
    void keep(ThreadPool& pool, std::span<const Vec3> motion) {
        has_kept_ = true;
        pool.for_each(static_cast<int>(kept_.size()), [&](int i) { kept_[i] = motion[i]; });
    }
    bool has_kept() const { return has_kept_; }
    /// Compares with what was kept.
    void look(ThreadPool& pool, std::span<const Vec3> motion) {
        asks_all_ = !has_kept_;
        if (has_kept_)
            pool.for_each(static_cast<int>(kept_.size()), [&](int i) { has_changed_[i] = !(motion[i] == kept_[i]); });
    }
    bool has_changed(int vertex) const {
        return asks_all_ || (vertex < static_cast<int>(has_changed_.size()) && has_changed_[vertex] != 0);
    }

private:
    std::vector<Vec3> kept_;
    std::vector<std::uint8_t> has_changed_;
    bool has_kept_ = false, asks_all_ = true;
};

} // namespace selvage
