#pragma once

#include <vector>

#include "model/solver.h"

namespace selvage {

/// Pulls springs that are longer than (1 + limit) times their rest length back to that length, both ends about their
/// common centre of mass, a held end not at all (Provot 1995). Springs of one colour share no point, so the passes run
/// in parallel and always in the same order.
class StrainLimiter {
public:
    /// Limits structural and shear springs, as Provot did; bend springs may stretch. The model must outlive it.
    explicit StrainLimiter(const ClothModel& model);

    /// Corrects positions by up to `passes` rounds over all springs and velocities by what the positions moved.
    void apply(ThreadPool& pool, ClothState& state, const StepInput& input, double limit, int passes) const;

private:
    const ClothModel& model_;
    std::vector<int> limited_; // springs, by index
    IndexLists colours_;       // rows of indices into limited_
};

} // namespace selvage
