// multilevel with its state on the device. Set-up is the host's: SheetSystem finds the elements and the rows they add to,
// BlockMultigrid the levels and how they come from each other; here both are copied into the layout of
// multilevel_kernels.h. A small step is the host's, phase by phase (solvers/multilevel.cpp).

#include "cuda/multilevel_method.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/concat.h"
#include "cuda/device.h"
#include "cuda/loop.h"
#include "cuda/multilevel_kernels.h"
#include "cuda/multilevel_layout.h"
#include "solvers/multilevel/block_multigrid.h"
#include "solvers/multilevel/sheet_system.h"
#include "solvers/multilevel/step_work.h"

namespace selvage::cuda {

namespace {

constexpr int kChunk = 1024;    // rows of a piece that a block adds up
constexpr int kSmallRows = 300; // levels of fewer share a block
constexpr int kMostWorks = 256; // kinds of step
constexpr int kMostIterations = 1000;
constexpr double kLongestStep = 10.0; // edge lengths that a linearisation may move a point; as on the host
constexpr int kPowerSteps = 12;
constexpr float kPowerMargin = 1.15F; // for what they leave
constexpr float kSweepDamping = 1.9F; // measured: 0.35 % stretch where 1.6 leaves 0.51 %

class MultilevelMethod final : public DeviceMethod {
public:
    MultilevelMethod(const ClothModel& model, const MultilevelSettings& settings, const ContactSource* contact,
                     const DeviceInfo& device)
        : model_(model), settings_(settings), device_(device),
          system_(model, settings.compression, settings.elements == Elements::springs),
          multigrid_(system_.take_pattern()), levels_(multigrid_), sheet_(model, system_, multigrid_.matrix()) {
        if (contact) contact_.emplace(*contact, system_.place(), system_.edge_length());
    }
    const SheetSystem& system() const { return system_; }
    int level_count() const { return levels_.count(); }

    void lay_out(DeviceMemory& memory) override;
    void set_held(DeviceQueue& queue, std::span<const int> held) override;
    void set_velocity_damping(DeviceQueue& queue, std::span<const double> rate) override;
    bool must_fit(const StepInput& input) const override { return find_work(work_of(input), input.dt) < 0; }
    int prepare(DeviceQueue& queue, const StepInput& input) override;
    void queue_frame(const QueuedFrame& frame, std::span<const int> work, cudaStream_t stream) override;
    void advance(int /*step_count*/) override {}
    int variant() const override { return generation_; }
    void queue_find_diverged(int* found, cudaStream_t stream) override {
        find_diverged(solve_, view_.is_held, vertex_of_, n(), found, stream);
    }
    void queue_unpack(Vec3* position, Vec3* velocity, cudaStream_t stream) override {
        unpack(solve_, vertex_of_, n(), position, velocity, stream);
    }
    void queue_pack(const Vec3* position, const Vec3* velocity, cudaStream_t stream) override {
        pack(position, velocity, vertex_of_, n(), solve_, stream);
    }
    void queue_save(DeviceQueue& queue) override { copy(queue, solve_.start, solve_.v, saved_x_, saved_v_); }
    void queue_restore(DeviceQueue& queue) override { copy(queue, saved_x_, saved_v_, solve_.start, solve_.v); }
    int iterations(int work) const override {
        const StepWork& w = works_[work].work;
        return w.substeps * w.linearisations * w.iterations;
    }
    int small_steps(int work) const override { return works_[work].work.substeps; }
    int* counts() const override { return arrays_.counts; }

private:
    struct Work { // of a kind of step
        StepWork work;
        double h = 0.0;
        std::vector<float> omega; // by level
    };

    int n() const { return model_.vertex_count(); }
    StepWork work_of(const StepInput& input) const;
    int find_work(const StepWork& work, double dt) const; ///< -1: it is new.
    void hold_rows(DeviceQueue& queue, std::span<const std::uint8_t> is_held);
    void find_free_pieces(DeviceQueue& queue);
    int add_work(DeviceQueue& queue, const StepWork& work, double h);
    void write_laws(DeviceQueue& queue, int index, double h);
    std::vector<float> measure(DeviceQueue& queue, int index);
    float measure_level(DeviceQueue& queue, int level);
    void queue_small_step(const SmallStep& step, const StepWork& work, const Hierarchy& hierarchy, bool has_air,
                          cudaStream_t stream) const;
    void queue_touching_step(const SmallStep& step, const SmallPart& part, const StepWork& work,
                             const Hierarchy& hierarchy, bool has_air, cudaStream_t stream) const;
    void copy(DeviceQueue& queue, const Double4* x, const float4* v, Double4* to_x, float4* to_v) const;
    Hierarchy hierarchy_for(const Work& work, int index) const;
    void choose_small_levels();

    const ClothModel& model_;
    MultilevelSettings settings_;
    DeviceInfo device_;
    SheetSystem system_;
    BlockMultigrid multigrid_;
    HostLevels levels_;
    std::optional<HostContact> contact_;
    ContactArrays arrays_; // where there is contact
    HostSheet sheet_;

    SheetView view_;
    LevelViews views_;
    SolveView solve_;
    PieceView pieces_;
    LevelViews* views_on_device_ = nullptr; // one for each work: sweeps are damped differently
    float4* law_ = nullptr;
    int *vertex_of_ = nullptr, *held_row_ = nullptr, *piece_arrays_[4] = {};
    unsigned char *is_held_ = nullptr, *falls_ = nullptr;
    float* velocity_damping_ = nullptr;
    float* base_ = nullptr;
    Double4* saved_x_ = nullptr;
    float4* saved_v_ = nullptr;
    Vec3* held_place_ = nullptr;

    std::vector<std::uint8_t> held_flags_; // by vertex
    std::vector<int> held_;
    std::vector<Vec3> held_position_;
    std::vector<Work> works_;
    int generation_ = 0;
    int first_small_ = 1;
    std::size_t small_bytes_ = 0;
};

void MultilevelMethod::lay_out(DeviceMemory& memory) {
    const std::size_t rows = padded(n());
    sheet_.lay_out(memory, view_);
    levels_.lay_out(memory, views_);
    base_ = const_cast<float*>(views_.level[1].base);
    for (Double4** x : {&solve_.start, &solve_.x, &saved_x_})
        *x = memory.take<Double4>(rows);
    for (float4** v :
         {&solve_.v, &solve_.off, &solve_.r, &solve_.z, &solve_.p[0], &solve_.p[1], &solve_.q, &solve_.dx, &saved_v_})
        *v = memory.take<float4>(rows);
    views_.level[0].b = solve_.r;
    choose_small_levels();
    solve_.block_count = sum_blocks(n(), device_.multiprocessors);
    solve_.partial = memory.take<double>(8 * static_cast<std::size_t>(solve_.block_count));
    solve_.stopped = memory.take<int>(kMostIterations + 1);
    view_.is_held = is_held_ = memory.take<unsigned char>(rows);
    view_.falls = falls_ = memory.take<unsigned char>(rows);
    velocity_damping_ = memory.take<float>(rows);
    vertex_of_ = memory.copy(system_.order());
    held_row_ = memory.take<int>(rows);
    held_place_ = memory.take<Vec3>(rows);
    const std::size_t pieces = system_.pieces().row_count() + 1, chunks = pieces + rows / kChunk + 1;
    pieces_.row = piece_arrays_[0] = memory.take<int>(rows);
    pieces_.chunk_start = piece_arrays_[1] = memory.take<int>(chunks + 1);
    pieces_.piece_chunks = piece_arrays_[2] = memory.take<int>(pieces + 1);
    pieces_.piece_of = piece_arrays_[3] = memory.take<int>(rows);
    pieces_.chunk_sum = memory.take<Double4>(chunks);
    pieces_.shift = memory.take<Double4>(pieces);
    if (contact_) contact_->lay_out(memory, system_.pieces().row_count(), device_.multiprocessors, arrays_);
    law_ = memory.take<float4>(static_cast<std::size_t>(kMostWorks) * std::max(1, view_.part_count));
    views_on_device_ = memory.take<LevelViews>(kMostWorks);
}

/// Flags of rows, and far ties that held points cut, in the finest matrix and in the first coarse one.
void MultilevelMethod::hold_rows(DeviceQueue& queue, std::span<const std::uint8_t> is_held) {
    system_.hold(is_held, multigrid_.matrix(), multigrid_.far());
    multigrid_.gather_far();
    const std::span<const std::uint8_t> flags = system_.held();
    queue.write<unsigned char>(is_held_, flags, "held points");
    queue.write<int2>(views_.level[0].far.tie, HostLevels::ties_of(multigrid_.far()), "held points");
    if (base_) queue.write<float>(base_, HostLevels::far_base(multigrid_), "held points");
}

void MultilevelMethod::set_held(DeviceQueue& queue, std::span<const int> held) {
    held_.assign(held.begin(), held.end());
    held_flags_.assign(model_.mass.size(), 0);
    std::vector<int> rows;
    for (const int v : held) {
        held_flags_[v] = 1;
        rows.push_back(system_.place()[v]);
    }
    queue.write<int>(held_row_, rows, "held points");
    hold_rows(queue, held_flags_);
    find_free_pieces(queue);
    // How far hands go is asked before each step; from here on targets tell where they are.
    held_position_.resize(rows.size());
    find_held(solve_, held_row_, static_cast<int>(rows.size()), held_place_, queue.stream());
    queue.read<Vec3>(held_position_, held_place_, "held points");
}

void MultilevelMethod::find_free_pieces(DeviceQueue& queue) {
    std::vector<int> row, chunk_start{0}, piece_chunks{0}, piece_of(padded(n()), -1);
    std::vector<unsigned char> falls(padded(n()), 1);
    int free = 0;
    for (int p = 0; p < system_.pieces().row_count(); ++p) {
        const std::span<const int> piece = system_.pieces()[p];
        if (std::any_of(piece.begin(), piece.end(), [&](int i) { return system_.is_held(i); })) {
            for (const int i : piece)
                falls[i] = 0;
            continue;
        }
        if (piece.size() < 2) continue; // starts at its solution
        for (std::size_t k = 0; k < piece.size(); ++k) {
            row.push_back(piece[k]);
            piece_of[piece[k]] = free;
            if (k + 1 == piece.size() || (k + 1) % kChunk == 0) chunk_start.push_back(static_cast<int>(row.size()));
        }
        piece_chunks.push_back(static_cast<int>(chunk_start.size()) - 1);
        ++free;
    }
    queue.write<int>(piece_arrays_[0], row, "free pieces");
    queue.write<int>(piece_arrays_[1], chunk_start, "free pieces");
    queue.write<int>(piece_arrays_[2], piece_chunks, "free pieces");
    queue.write<int>(piece_arrays_[3], piece_of, "free pieces");
    queue.write<unsigned char>(falls_, falls, "free pieces");
    pieces_.piece_count = free;
    arrays_.sweep.moves = held_.empty() && arrays_.surface.vertex_count == arrays_.surface.cloth_count;
    pieces_.chunk_count = static_cast<int>(chunk_start.size()) - 1;
}

void MultilevelMethod::set_velocity_damping(DeviceQueue& queue, std::span<const double> rate) {
    std::vector<float> rates;
    for (const int v : system_.order())
        if (!rate.empty()) rates.push_back(static_cast<float>(rate[v]));
    queue.write<float>(velocity_damping_, rates, "damping");
    view_.velocity_damping = rate.empty() ? nullptr : velocity_damping_;
}

StepWork MultilevelMethod::work_of(const StepInput& input) const {
    double farthest = 0.0;
    for (std::size_t k = 0; k < input.held.size(); ++k)
        farthest = std::max(farthest, length(input.held[k].target - held_position_[k]));
    return step_work(settings_, system_, input.dt, input.effort, farthest);
}

int MultilevelMethod::find_work(const StepWork& work, double dt) const {
    for (std::size_t w = 0; w < works_.size(); ++w)
        if (works_[w].h == dt / work.substeps && works_[w].work == work) return static_cast<int>(w);
    return -1;
}

int MultilevelMethod::prepare(DeviceQueue& queue, const StepInput& input) {
    const StepWork work = work_of(input);
    for (std::size_t k = 0; k < input.held.size(); ++k)
        held_position_[k] = input.held[k].target;
    const int found = find_work(work, input.dt);
    return found >= 0 ? found : add_work(queue, work, input.dt / work.substeps);
}

int MultilevelMethod::add_work(DeviceQueue& queue, const StepWork& work, double h) {
    if (works_.size() == kMostWorks) {
        works_.clear();
        ++generation_; // graphs of the old ones are not meant any more
    }
    const int index = static_cast<int>(works_.size());
    works_.push_back({work, h, std::vector<float>(levels_.count(), 0.5F)});
    write_laws(queue, index, h);
    // At rest with nothing held, so that it follows from the step alone.
    const std::vector<std::uint8_t> none(model_.mass.size(), 0);
    hold_rows(queue, none);
    works_[index].omega = measure(queue, index);
    hold_rows(queue, held_flags_);
    const LevelViews damped = hierarchy_for(works_[index], index).view;
    queue.write<LevelViews>(views_on_device_ + index, {&damped, 1}, "fit to a step");
    return index;
}

void MultilevelMethod::write_laws(DeviceQueue& queue, int index, double h) {
    std::vector<float4> laws;
    for (std::size_t p = 0; p < model_.parts.size(); ++p) {
        const SheetSystem::Law law = system_.law_of(static_cast<int>(p), h);
        laws.push_back({static_cast<float>(law.stiffness_scale), static_cast<float>(law.damping_rate),
                        static_cast<float>(model_.parts[p].damping.relative / h), 0.0F});
    }
    queue.write<float4>(law_ + static_cast<std::size_t>(index) * model_.parts.size(), laws, "fit to a step");
}

/// Damping of the sweeps, by power iterations on the cloth at rest; see BlockMultigrid::measure().
std::vector<float> MultilevelMethod::measure(DeviceQueue& queue, int index) {
    std::vector<Double4> rest(padded(n()));
    std::vector<float4> off(padded(n()));
    const double h = works_[index].h;
    for (int i = 0; i < n(); ++i) {
        const int v = system_.order()[i];
        const Vec3& p = model_.mesh.positions[v];
        rest[i] = {p.x, p.y, p.z, 0.0};
        off[i] = {0.0F, 0.0F, 0.0F, static_cast<float>(model_.mass[v] / (h * h))};
    }
    queue.write<Double4>(solve_.x, rest, "fit to a step"); // scratch between steps
    queue.write<float4>(solve_.off, off, "fit to a step");
    const Hierarchy hierarchy = hierarchy_for(works_[index], index);
    const SmallStep step{h, law_ + static_cast<std::size_t>(index) * model_.parts.size(), 0.0F, {}, 0};
    SheetView undamped = view_;
    undamped.damped = false; // damping refers to a start that is the same place
    linearise(undamped, solve_, hierarchy.view.level[0], step, false, queue.stream());
    build_coarse(hierarchy, queue.stream());
    std::vector<float> omega;
    for (int l = 0; l < levels_.count(); ++l)
        omega.push_back(measure_level(queue, l));
    return omega;
}

float MultilevelMethod::measure_level(DeviceQueue& queue, int level) {
    const LevelView& view = views_.level[level];
    // A rough vector to begin with, since the largest modes are rough.
    std::uint32_t seed = 1;
    const auto random = [&seed] {
        seed = seed * 1664525U + 1013904223U;
        return static_cast<float>(seed >> 8) * 0x1p-23F - 1.0F;
    };
    std::vector<float4> rough(view.rows);
    for (float4& r : rough)
        r = {random(), random(), random(), 0.0F};
    float4 *from = view.x, *to = view.out;
    queue.write<float4>(from, rough, "fit to a step");
    const int blocks = sum_blocks(view.rows, device_.multiprocessors);
    std::vector<double> partial(blocks);
    double size = 0.0;
    for (int k = 0; k < kPowerSteps; ++k) {
        apply_sweep(view, from, to, solve_.partial, blocks, queue.stream());
        queue.read<double>(partial, solve_.partial, "fit to a step");
        double squares = 0.0;
        for (const double part : partial)
            squares += part;
        size = std::sqrt(squares);
        if (!(size > 0.0)) break;
        scale(to, static_cast<float>(1.0 / size), view.rows, queue.stream());
        std::swap(from, to);
    }
    return kSweepDamping / (kPowerMargin * static_cast<float>(std::max(size, 1.0)));
}

Hierarchy MultilevelMethod::hierarchy_for(const Work& work, int index) const {
    Hierarchy hierarchy{views_, views_on_device_ + index, first_small_, small_bytes_};
    for (int l = 0; l < levels_.count(); ++l)
        hierarchy.view.level[l].omega = work.omega[l];
    return hierarchy;
}

/// The level from which on one block's shared memory holds all.
void MultilevelMethod::choose_small_levels() {
    for (first_small_ = 1; first_small_ < levels_.count(); ++first_small_) {
        if (views_.level[first_small_].rows > kSmallRows && first_small_ + 1 < levels_.count()) continue;
        small_bytes_ = allow_small_levels(views_, first_small_);
        if (small_bytes_ > 0) return;
    }
}

void MultilevelMethod::queue_small_step(const SmallStep& step, const StepWork& work, const Hierarchy& hierarchy,
                                        bool has_air, cudaStream_t stream) const {
    measure_strains(view_, solve_, stream);
    predict(view_, solve_, step, has_air, stream);
    for (int k = 0; k < work.linearisations; ++k) {
        linearise(view_, solve_, hierarchy.view.level[0], step, k > 0, stream);
        if (k == 0) build_coarse(hierarchy, stream); // as on the host, where nothing touches
        solve_linear(hierarchy, solve_, nullptr, work.iterations, step.farthest, stream);
    }
    add_up_pieces(solve_, pieces_, stream);
    finish_small_step(view_, solve_, pieces_, step, stream);
}

/// The same with contact: it is looked for ahead, is a part of every linear system, and has the last word. Coarse matrices
/// follow every linearisation: old ones let piles burst.
void MultilevelMethod::queue_touching_step(const SmallStep& step, const SmallPart& part, const StepWork& work,
                                           const Hierarchy& hierarchy, bool has_air, cudaStream_t stream) const {
    const int held = static_cast<int>(held_.size());
    start_held(solve_, step.frame, step.step, part, held_row_, held, stream);
    measure_strains(view_, solve_, stream);
    predict(view_, solve_, step, has_air, stream);
    if (part.number + 1 == part.count) place_held(solve_, step.frame, step.step, held_row_, held, stream);
    look_ahead(arrays_, view_, solve_, step, part, stream);
    const auto solve_once = [&](bool moved, cudaStream_t to) {
        linearise(view_, solve_, hierarchy.view.level[0], step, moved, to);
        linearise_contact(arrays_, view_, solve_, pieces_, hierarchy.view.level[0], step, part, to);
        build_coarse(hierarchy, to);
        solve_linear(hierarchy, solve_, &arrays_, work.iterations, step.farthest, to);
    };
    for (int k = 0; k < work.linearisations; ++k)
        solve_once(k > 0, stream);
    const int* more = ask_for_more(arrays_, view_, solve_, stream);
    record_while(stream, more, [&](cudaStream_t inner) {
        solve_once(true, inner);
        ask_for_more(arrays_, view_, solve_, inner);
    });
    settle(arrays_, view_, solve_, pieces_, step, part, stream);
    cut_motions(arrays_, view_, solve_, step, part, stream);
    finish_small_step(view_, solve_, {}, step, stream);
}

void MultilevelMethod::queue_frame(const QueuedFrame& frame, std::span<const int> work, cudaStream_t stream) {
    for (int k = 0; k < frame.step_count; ++k) {
        const Work& own = works_[work[k]];
        const Hierarchy hierarchy = hierarchy_for(own, work[k]);
        const SmallStep step{own.h, law_ + static_cast<std::size_t>(work[k]) * model_.parts.size(),
                             static_cast<float>(kLongestStep * system_.edge_length()), frame.input, k};
        if (contact_) {
            place_solids(arrays_, frame.input, k, stream);
            for (int small = 0; small < own.work.substeps; ++small)
                queue_touching_step(step, {small, own.work.substeps}, own.work, hierarchy, frame.has_air, stream);
            continue;
        }
        start_held(solve_, frame.input, k, {}, held_row_, static_cast<int>(held_.size()), stream);
        for (int small = 0; small < own.work.substeps; ++small)
            queue_small_step(step, own.work, hierarchy, frame.has_air, stream);
        finish_held(solve_, frame.input, k, held_row_, static_cast<int>(held_.size()), stream);
    }
}

void MultilevelMethod::copy(DeviceQueue& queue, const Double4* x, const float4* v, Double4* to_x, float4* to_v) const {
    queue.copy(to_x, x, model_.mass.size(), "saved state");
    queue.copy(to_v, v, model_.mass.size(), "saved state");
}

} // namespace

Result<std::unique_ptr<DeviceMethod>>
make_multilevel_method(const ClothModel& model, const MultilevelSettings& settings, const ContactSource* contact) {
    const Result<DeviceInfo> device = find_device();
    if (!device) return device.error();
    auto method = std::make_unique<MultilevelMethod>(model, settings, contact, *device);
    if (HostSheet::has_elastic(method->system()))
        return Error{"found cloth that is not woven; expected woven cloth: elastic sheets are on the CPU only",
                     "device cuda"};
    if (method->system().yarn().is_present())
        return Error{"found a fabric with \"bend_friction_warp\"; expected 0: friction of bending is on the CPU only",
                     "device cuda"};
    if (method->level_count() > kMostLevels)
        return Error{concat("found ", method->level_count(), " levels; expected at most ", kMostLevels), "device cuda"};
    if (settings.iterations > kMostIterations)
        return Error{concat("found ", settings.iterations, " iterations; expected at most ", kMostIterations),
                     "/solver/iterations"};
    return std::unique_ptr<DeviceMethod>(std::move(method));
}

} // namespace selvage::cuda
