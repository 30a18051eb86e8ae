#pragma once

#include <vector>

#include "model/solver.h"

namespace selvage {

/// When the rounds of a strain limit end: whichever comes first.
struct StrainStop {
    int passes;             ///< Rounds over all springs at most.
    double error = 0.0;     ///< No spring is stretched by more than this beyond the limit.
    double budget_ms = 0.0; ///< Time used; 0: no bound. With a bound results depend on the machine.

    StrainStop(int passes_, double error_ = 0.0, double budget_ms_ = 0.0)
        : passes(passes_), error(error_), budget_ms(budget_ms_) {}
};

struct StrainLimitResult {
    int passes = 0;      ///< Rounds made, the last of which may have found nothing to do.
    double excess = 0.0; ///< Largest stretch beyond the limit that the last round met; it has corrected it since.
};

/// Pulls springs that are longer than (1 + limit) times their rest length back to that length, both ends about their
/// common centre of mass, a held end not at all (Provot 1995). Springs of one colour share no point, so the passes run
/// in parallel and always in the same order.
class StrainLimiter {
public:
    /// Limits structural and shear springs, as Provot did; bend springs may stretch. The model must outlive it.
    explicit StrainLimiter(const ClothModel& model);

    /// Corrects positions in rounds over all springs and velocities by what the positions moved. Springs between two
    /// held points cannot be helped and do not count, nor do springs without rest length.
    StrainLimitResult apply(ThreadPool& pool, ClothState& state, const StepInput& input, double limit,
                            StrainStop stop) const;

private:
    const ClothModel& model_;
    std::vector<int> limited_; // springs, by index
    IndexLists colours_;       // rows of indices into limited_
};

} // namespace selvage
