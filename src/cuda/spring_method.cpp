#include "cuda/spring_method.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/concat.h"
#include "cuda/device.h"
#include "cuda/spring_contact.h"
#include "cuda/spring_patches.h"
#include "solvers/harmonic_formula.h"

namespace selvage::cuda {

namespace {

constexpr int kChunk = 1024; // vertices of a piece that a block adds up

/// How cloth is cut into patches: vertices of one at most, and rings around it.
struct PatchPlan {
    int own = 0, rings = 1;
};

// With the rings around it a patch fits a block of threads, and shared memory. Measured on an H200; see docs/records/cuda.md.
constexpr int kMostOwn[] = {0, 512, 430}, kOwnOfMany = 256, kLeastOwn = 64;

/// Where one patch for each multiprocessor, or two, hold the cloth, there are as many as that: none waits for another. A
/// large cloth has smaller patches, of which several run on a multiprocessor at once. With two rings a step of
/// implicit-jacobi is one kernel, but works out the first ring of each patch besides: too much in a large cloth.
PatchPlan plan_patches(int vertices, int multiprocessors, int rings) {
    for (const int rounds : {1, 2}) {
        const int own = (vertices + rounds * multiprocessors - 1) / (rounds * multiprocessors);
        if (own <= kMostOwn[rings]) return {std::max(own, kLeastOwn), rings};
    }
    return {kOwnOfMany, 1};
}

/// Pieces cut into chunks, for sums in a fixed order.
struct PieceChunks {
    std::vector<int> vertex, chunk_start{0}, piece_chunks{0}, piece_of;
};

class SpringMethod final : public DeviceMethod {
public:
    enum class Kind { filtered, published, implicit };

    SpringMethod(const ClothModel& model, Kind kind, const ImplicitJacobiSettings& settings,
                 const ContactSource* contact, int multiprocessors);
    void lay_out(DeviceMemory& memory) override;
    void set_held(DeviceQueue& queue, std::span<const int> held) override;
    void set_velocity_damping(DeviceQueue& queue, std::span<const double> rate) override;
    bool must_fit(const StepInput& input) const override { return input.dt != fitted_step_; }
    int prepare(DeviceQueue& queue, const StepInput& input) override;
    void queue_frame(const QueuedFrame& frame, std::span<const int> work, cudaStream_t stream) override;
    void advance(int step_count) override { now_ = (now_ + step_count) % 2; }
    int variant() const override { return now_; }
    void queue_find_diverged(int* found, cudaStream_t stream) override {
        find_diverged(state_[now_], n(), found, stream);
    }
    void queue_unpack(Vec3* position, Vec3* velocity, cudaStream_t stream) override {
        unpack(state_[now_], n(), position, velocity, stream);
    }
    void queue_pack(const Vec3* position, const Vec3* velocity, cudaStream_t stream) override {
        pack(position, velocity, n(), state_[now_], stream);
    }
    void queue_save(DeviceQueue& queue) override { copy(queue, state_[now_], saved_); }
    void queue_restore(DeviceQueue& queue) override { copy(queue, saved_, state_[now_]); }
    int* counts() const override { return contact_ ? contact_->counts() : nullptr; }
    int iterations(int /*work*/) const override { return kind_ == Kind::implicit ? settings_.sweeps : 0; }

private:
    int n() const { return model_.vertex_count(); }
    void build_net();
    void fit(DeviceQueue& queue, double h);
    void find_free_pieces(DeviceQueue& queue);
    void copy(DeviceQueue& queue, const SpringState& from, const SpringState& to) const;

    const ClothModel& model_;
    Kind kind_;
    ImplicitJacobiSettings settings_;
    // On the host.
    std::vector<int> slot_start_{0}, other_, fan_start_{0};
    std::vector<float2> law_, damping_;
    std::vector<int2> fan_;
    std::vector<float> mass_, limit_;
    std::vector<std::uint8_t> is_held_;
    IndexLists pieces_; // of the implicit method, whose drift is removed
    std::optional<HostPatches> patches_;
    std::optional<SpringContact> contact_;
    double fitted_step_ = 0.0;
    // On the device.
    SpringNet net_;
    PatchView patch_view_;
    SpringState state_[2], saved_;
    int now_ = 0; // which state holds the present
    bool is_stiff_ = false;
    JacobiScratch scratch_;
    int *held_ = nullptr, *held_index_ = nullptr, *piece_arrays_[4] = {};
    float *mark_ = nullptr, *limit_on_device_ = nullptr, *velocity_damping_ = nullptr;
    int held_count_ = 0;
};

SpringMethod::SpringMethod(const ClothModel& model, Kind kind, const ImplicitJacobiSettings& settings,
                           const ContactSource* contact, int multiprocessors)
    : model_(model), kind_(kind), settings_(settings), is_held_(model.mass.size(), 0) {
    build_net();
    mass_.assign(model.mass.begin(), model.mass.end());
    limit_.resize(model.mass.size());
    if (kind == Kind::implicit && settings.keep_momentum && !settings.filter_gravity)
        pieces_ = spring_components(model);
    if (kind == Kind::implicit || (kind == Kind::filtered && damping_.empty())) {
        const int rings = kind == Kind::implicit && settings.sweeps == 1 ? 2 : 1;
        const PatchPlan plan = plan_patches(n(), multiprocessors, rings);
        patches_.emplace(model, plan.rings, plan.own);
    }
    if (patches_ && !patches_->fits()) patches_.reset();
    if (contact) contact_.emplace(model, *contact, multiprocessors);
}

void SpringMethod::build_net() {
    bool damped = false;
    for (const ClothPart& part : model_.parts)
        damped = damped || part.damping.axial_time > 0.0 || part.damping.relative > 0.0;
    if (damped) damping_.resize(model_.mass.size());
    for (const ClothPart& part : model_.parts)
        for (int i = part.vertex_begin; damped && i < part.vertex_begin + part.vertex_count; ++i)
            damping_[i] = {static_cast<float>(part.damping.axial_time), static_cast<float>(part.damping.relative)};
    constexpr int kSlice = SpringNet::kSlice;
    std::size_t most = 0; // all slices as long as the longest, where that costs little: their places need no list
    for (int i = 0; i < n(); ++i)
        most = std::max(most, model_.ends_of(i).size());
    if (most * model_.mass.size() <= model_.spring_ends.size() / 10 * 11) net_.slots = static_cast<int>(most);
    for (int first = 0; first < n(); first += kSlice) {
        const int end = std::min(first + kSlice, n());
        std::size_t longest = net_.slots;
        for (int i = first; i < end; ++i)
            longest = std::max(longest, model_.ends_of(i).size());
        for (std::size_t slot = 0; slot < longest; ++slot)
            for (int i = first; i < first + kSlice; ++i) {
                const bool is_there = i < end && slot < model_.ends_of(i).size();
                const SpringEnd spring = is_there ? model_.ends_of(i)[slot] : SpringEnd{std::min(i, n() - 1), -1};
                other_.push_back(spring.other);
                law_.push_back(is_there ? float2{model_.springs[spring.spring].rest_length,
                                                 model_.springs[spring.spring].stiffness}
                                        : float2{0.0F, 0.0F});
            }
        slot_start_.push_back(slot_start_.back() + static_cast<int>(longest));
    }
    for (int i = 0; i < n(); ++i) {
        for (const int t : model_.vertex_triangles[i]) {
            const Triangle& v = model_.mesh.triangles[t];
            const int a = v[0] == i ? 0 : v[1] == i ? 1 : 2;
            fan_.push_back({v[(a + 1) % 3], v[(a + 2) % 3]});
        }
        fan_start_.push_back(static_cast<int>(fan_.size()));
    }
}

void SpringMethod::lay_out(DeviceMemory& memory) {
    const auto count = static_cast<std::size_t>(n());
    net_.vertex_count = n();
    net_.slot_start = memory.copy(slot_start_);
    net_.other = memory.copy(other_);
    net_.law = memory.copy(law_);
    net_.mass = memory.copy(mass_);
    net_.damping = damping_.empty() ? nullptr : memory.copy(damping_);
    net_.area = memory.copy(model_.area);
    net_.fan_start = memory.copy(fan_start_);
    net_.fan = memory.copy(fan_);
    net_.held_index = held_index_ = memory.take<int>(count);
    net_.damping_limit = limit_on_device_ = memory.take<float>(count);
    velocity_damping_ = memory.take<float>(count);
    mark_ = memory.take<float>(count);
    held_ = memory.take<int>(count);
    if (contact_) contact_->lay_out(memory);
    if (patches_) patches_->lay_out(memory, patch_view_);
    for (SpringState* state : {&state_[0], &state_[1], &saved_})
        *state = {memory.take<FinePoint>(count), memory.take<float4>(count)};
    if (kind_ != Kind::implicit) return;
    scratch_.right = memory.take<float4>(count);
    scratch_.inverse = memory.take<float4>(count);
    scratch_.dv[0] = memory.take<float4>(count);
    scratch_.dv[1] = memory.take<float4>(count);
    scratch_.sweeps = settings_.sweeps;
    scratch_.moves_by_mean = settings_.position_update == PositionUpdate::mean_velocity;
    scratch_.filters_gravity = settings_.filter_gravity;
    const std::size_t pieces = pieces_.row_count() + 1, chunks = pieces + count / kChunk + 1;
    scratch_.piece_vertex = piece_arrays_[0] = memory.take<int>(count);
    scratch_.chunk_start = piece_arrays_[1] = memory.take<int>(chunks + 1);
    scratch_.piece_chunks = piece_arrays_[2] = memory.take<int>(pieces + 1);
    scratch_.piece_of = piece_arrays_[3] = memory.take<int>(count);
    scratch_.chunk_sum = memory.take<Double4>(chunks);
    scratch_.drift = memory.take<float4>(pieces);
}

void SpringMethod::set_held(DeviceQueue& queue, std::span<const int> held) {
    std::vector<int> index(model_.mass.size(), -1);
    std::fill(is_held_.begin(), is_held_.end(), std::uint8_t{0});
    for (std::size_t k = 0; k < held.size(); ++k) {
        index[held[k]] = static_cast<int>(k);
        is_held_[held[k]] = 1;
    }
    held_count_ = static_cast<int>(held.size());
    queue.write<int>(held_index_, index, "held points");
    queue.write<int>(held_, held, "held points");
    if (contact_) contact_->set_held(queue, is_held_);
    fitted_step_ = 0.0; // marks say who is held
    if (pieces_.row_count() > 0) find_free_pieces(queue);
}

void SpringMethod::find_free_pieces(DeviceQueue& queue) {
    PieceChunks chunks;
    chunks.piece_of.assign(model_.mass.size(), -1);
    int pieces = 0;
    for (int p = 0; p < pieces_.row_count(); ++p) {
        const std::span<const int> piece = pieces_[p];
        if (piece.size() < 2 || std::any_of(piece.begin(), piece.end(), [&](int i) { return is_held_[i] != 0; }))
            continue;
        for (std::size_t k = 0; k < piece.size(); ++k) {
            chunks.vertex.push_back(piece[k]);
            chunks.piece_of[piece[k]] = pieces;
            if (k + 1 == piece.size() || (k + 1) % kChunk == 0)
                chunks.chunk_start.push_back(static_cast<int>(chunks.vertex.size()));
        }
        chunks.piece_chunks.push_back(static_cast<int>(chunks.chunk_start.size()) - 1);
        ++pieces;
    }
    queue.write<int>(piece_arrays_[0], chunks.vertex, "free pieces");
    queue.write<int>(piece_arrays_[1], chunks.chunk_start, "free pieces");
    queue.write<int>(piece_arrays_[2], chunks.piece_chunks, "free pieces");
    queue.write<int>(piece_arrays_[3], chunks.piece_of, "free pieces");
    scratch_.piece_count = pieces;
    scratch_.chunk_count = static_cast<int>(chunks.chunk_start.size()) - 1;
}

void SpringMethod::set_velocity_damping(DeviceQueue& queue, std::span<const double> rate) {
    net_.velocity_damping = rate.empty() ? nullptr : velocity_damping_;
    queue.write<float>(velocity_damping_, std::vector<float>(rate.begin(), rate.end()), "damping");
}

int SpringMethod::prepare(DeviceQueue& queue, const StepInput& input) {
    if (must_fit(input)) fit(queue, input.dt);
    return 0;
}

/// What the method keeps in v.w, and the room for damping.
void SpringMethod::fit(DeviceQueue& queue, double h) {
    fitted_step_ = h;
    std::vector<double> stiffness(model_.mass.size(), 0.0);
    for (const Spring& s : model_.springs) {
        stiffness[s.a] += s.stiffness;
        stiffness[s.b] += s.stiffness;
    }
    std::vector<float> mark(model_.mass.size(), 1.0F);
    constexpr double kMostForFloat = 1e4; // trace of D over mass, as on the host
    is_stiff_ = false;
    for (int i = 0; i < n(); ++i) {
        is_stiff_ = is_stiff_ || h * h * stiffness[i] > kMostForFloat * model_.mass[i];
        const double omega = std::sqrt(2.0 * stiffness[i] / model_.mass[i]);
        if (kind_ == Kind::filtered) {
            mark[i] = static_cast<float>(stable_fraction(omega, h));
            limit_[i] = static_cast<float>(room_for_damping(omega, h) * model_.mass[i] /
                                           (stiffness[i] > 0.0 ? 2.0 * stiffness[i] : 1.0));
        } else if (kind_ == Kind::published) {
            mark[i] = static_cast<float>(1.0 / model_.mass[i]);
        }
        if (is_held_[i]) mark[i] = kHeldMark;
    }
    queue.write<float>(mark_, mark, "fit to a step");
    queue.write<float>(limit_on_device_, limit_, "fit to a step");
    set_marks(mark_, n(), state_[0], queue.stream());
    set_marks(mark_, n(), state_[1], queue.stream());
}

void SpringMethod::queue_frame(const QueuedFrame& frame, std::span<const int> /*work*/, cudaStream_t stream) {
    SpringStep step{net_,          state_[now_], state_[1 - now_], frame.input, 0, held_count_, frame.h,
                    frame.gravity, false,        frame.has_air,    is_stiff_};
    start_held(step, held_, held_count_, stream);
    for (int k = 0; k < frame.step_count; ++k) {
        step.step = k;
        step.is_last = k + 1 == frame.step_count;
        if (patches_ && kind_ == Kind::filtered)
            step_harmonic(step, patch_view_, stream);
        else if (patches_)
            step_implicit_jacobi(step, scratch_, patch_view_, stream);
        else if (kind_ == Kind::filtered)
            step_harmonic(step, stream);
        else if (kind_ == Kind::published)
            step_harmonic_published(step, stream);
        else
            step_implicit_jacobi(step, scratch_, stream);
        if (contact_) contact_->queue_step(step, stream);
        std::swap(step.from, step.to);
    }
}

void SpringMethod::copy(DeviceQueue& queue, const SpringState& from, const SpringState& to) const {
    queue.copy(to.x, from.x, model_.mass.size(), "saved state");
    queue.copy(to.v, from.v, model_.mass.size(), "saved state");
}

Error no_strain_limit(const std::string& name) {
    return {concat("found a strain_limit of ", name, "; expected 0: on the device there is none yet"),
            "/solver/strain_limit"};
}

} // namespace

Result<std::unique_ptr<DeviceMethod>> make_spring_method(const ClothModel& model, const SolverSettings& settings,
                                                         const ContactSource* contact) {
    using Kind = SpringMethod::Kind;
    const Result<DeviceInfo> device = find_device();
    if (!device) return device.error();
    const auto made = [&](Kind kind, const ImplicitJacobiSettings& jacobi = {}) {
        return std::unique_ptr<DeviceMethod>(
            std::make_unique<SpringMethod>(model, kind, jacobi, contact, device->multiprocessors));
    };
    if (const auto* harmonic = std::get_if<HarmonicSettings>(&settings)) {
        if (harmonic->strain_limit > 0.0) return no_strain_limit("harmonic");
        return made(Kind::filtered);
    }
    if (const auto* jacobi = std::get_if<ImplicitJacobiSettings>(&settings)) {
        if (jacobi->strain_limit > 0.0) return no_strain_limit("implicit-jacobi");
        if (contact && jacobi->position_update == PositionUpdate::mean_velocity)
            return Error{"found \"position_update\": \"mean\"; expected \"new\": on the device contact needs it",
                         "/solver/position_update"};
        return made(Kind::implicit, *jacobi);
    }
    return made(Kind::published);
}

} // namespace selvage::cuda
