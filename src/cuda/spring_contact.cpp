#include "cuda/spring_contact.h"

#include <numeric>

#include "cuda/loop.h"

namespace selvage::cuda {

namespace {

// An impact travels about a sheet for each iteration. Further linearisations follow where pairs ask for them.
constexpr int kLinearisations = 2, kIterations = 4;
constexpr double kLongestStep = 10.0; // edge lengths that a linearisation may move a point

std::vector<int> counted(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

double mean_edge_length(const ClothModel& model) {
    const std::vector<double>& length = model.edge_length;
    return length.empty() ? 0.0
                          : std::accumulate(length.begin(), length.end(), 0.0) / static_cast<double>(length.size());
}

} // namespace

SpringContact::SpringContact(const ClothModel& model, const ContactSource& source, int multiprocessors)
    : model_(model), multiprocessors_(multiprocessors), edge_length_(mean_edge_length(model)),
      contact_(source, counted(model.vertex_count()), edge_length_) {}

void SpringContact::lay_out(DeviceMemory& memory) {
    const int n = model_.vertex_count(), slices = (n + kSliceRows - 1) / kSliceRows;
    const auto rows = static_cast<std::size_t>(slices) * kSliceRows;
    contact_.lay_out(memory, 1, multiprocessors_, arrays_);
    sheet_.rows = n;
    sheet_.is_held = is_held_ = memory.take<unsigned char>(rows);
    sheet_.mass = memory.copy(std::vector<float>(model_.mass.begin(), model_.mass.end()));
    solve_.start = memory.take<Double4>(rows);
    solve_.x = memory.take<Double4>(rows);
    for (float4** v : {&solve_.v, &solve_.off, &solve_.r, &solve_.z, &solve_.p[0], &solve_.p[1], &solve_.q, &solve_.dx})
        *v = memory.take<float4>(rows);
    solve_.block_count = sum_blocks(n, multiprocessors_);
    solve_.partial = memory.take<double>(8 * static_cast<std::size_t>(solve_.block_count));
    solve_.stopped = memory.take<int>(kIterations + 1);
    hierarchy_.view.count = 1;
    LevelView& level = hierarchy_.view.level[0];
    level.rows = n;
    level.omega = 1.0F; // the blocks are all there is
    level.start = memory.copy(counted(slices + 1));
    level.block = memory.take<float4>(3 * rows);
    level.inverse = memory.take<float4>(2 * rows);
    level.x = memory.take<float4>(rows);
    level.b = solve_.r;
}

void SpringContact::set_held(DeviceQueue& queue, std::span<const std::uint8_t> is_held) {
    queue.write<unsigned char>(is_held_, is_held, "held points");
    bool holds = false;
    for (const std::uint8_t held : is_held)
        holds = holds || held != 0;
    arrays_.sweep.moves = !holds && arrays_.surface.vertex_count == arrays_.surface.cloth_count;
}

void SpringContact::queue_step(const SpringStep& step, cudaStream_t stream) const {
    const LevelView& level = hierarchy_.view.level[0];
    const SmallStep small{step.h, nullptr, static_cast<float>(kLongestStep * edge_length_), step.frame, step.step};
    const SmallPart whole;
    place_solids(arrays_, step.frame, step.step, stream);
    foresee_springs(step, sheet_, solve_, stream);
    look_ahead(arrays_, sheet_, solve_, small, whole, stream);
    const auto solve_once = [&](cudaStream_t to) {
        linearise_inertia(sheet_, solve_, level, to);
        linearise_contact(arrays_, sheet_, solve_, {}, level, small, whole, to);
        solve_linear(hierarchy_, solve_, &arrays_, kIterations, small.farthest, to);
    };
    for (int k = 0; k < kLinearisations; ++k)
        solve_once(stream);
    const int* more = ask_for_more(arrays_, sheet_, solve_, stream);
    record_while(stream, more, [&](cudaStream_t inner) {
        solve_once(inner);
        ask_for_more(arrays_, sheet_, solve_, inner);
    });
    settle(arrays_, sheet_, solve_, {}, small, whole, stream);
    cut_motions(arrays_, sheet_, solve_, small, whole, stream);
    finish_touched_springs(step, sheet_, solve_, stream);
}

} // namespace selvage::cuda
