#pragma once

#include "cuda/contact_layout.h"
#include "cuda/spring_kernels.h"
#include "model/cloth_model.h"

namespace selvage::cuda {

// Kernels; spring_contact_kernels.cu.
/// Starts and ends of a step of springs, as a small step of multilevel has them after predict().
void foresee_springs(const SpringStep& step, const SheetView& sheet, const SolveView& solve, cudaStream_t stream);
/// The system without contact: m/h^2, and what keeps points from where springs would have them.
void linearise_inertia(const SheetView& sheet, const SolveView& solve, const LevelView& level, cudaStream_t stream);
void finish_touched_springs(const SpringStep& step, const SheetView& sheet, const SolveView& solve,
                            cudaStream_t stream);

/// Contact of the spring methods. What a step of springs alone would do is taken as where points would go; contact is
/// found and solved for as in multilevel, in a system of inertia and contact, without the springs; then motions are cut.
/// A step that nothing touches ends exactly as without contact.
class SpringContact {
public:
    SpringContact(const ClothModel& model, const ContactSource& source, int multiprocessors);
    void lay_out(DeviceMemory& memory);
    /// `is_held` by vertex.
    void set_held(DeviceQueue& queue, std::span<const std::uint8_t> is_held);
    /// After a step of springs from step.from to step.to, which it corrects.
    void queue_step(const SpringStep& step, cudaStream_t stream) const;
    int* counts() const { return arrays_.counts; }

private:
    const ClothModel& model_;
    int multiprocessors_;
    double edge_length_;
    HostContact contact_;
    ContactArrays arrays_;
    SheetView sheet_; // only what contact reads of it
    SolveView solve_;
    Hierarchy hierarchy_; // one level, of blocks on the diagonal
    unsigned char* is_held_ = nullptr;
};

} // namespace selvage::cuda
