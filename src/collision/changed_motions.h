#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/vec.h"

namespace selvage {

/// Which vertices move otherwise than when last looked at: what was well and has not changed since need not be asked again.
class ChangedMotions {
public:
    /// For motions of `count` vertices; others, those of solids, never change.
    explicit ChangedMotions(int count) : seen_(count), has_changed_(count) {}

    /// From here to the next look everything counts as changed.
    void forget() { knows_ = false; }
    void look(ThreadPool& pool, std::span<const Vec3> motion) {
        pool.for_each(static_cast<int>(motion.size()), [&](int i) {
            has_changed_[i] = !knows_ || !(motion[i] == seen_[i]);
            seen_[i] = motion[i];
        });
        knows_ = true;
    }
    bool has_changed(int vertex) const {
        return vertex < static_cast<int>(has_changed_.size()) && has_changed_[vertex] != 0;
    }

private:
    std::vector<Vec3> seen_;
    std::vector<std::uint8_t> has_changed_;
    bool knows_ = false;
};

} // namespace selvage
