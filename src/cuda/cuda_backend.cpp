// A simulation on the device. Steps are gathered until their frame ends; then their parameters go over in one copy and the
// frame runs as one graph: no host in between. What comes back by itself is one number, the first vertex that diverged;
// the state only when somebody reads it.
// A graph is made for each kind of frame (number of steps, work of each) the first time it occurs, and kept.

#include "cuda/cuda_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "cuda/contact_input.h"
#include "cuda/device.h"
#include "cuda/device_queue.h"
#include "cuda/memory.h"
#include "cuda/method.h"
#include "cuda/multilevel_method.h"
#include "cuda/spring_method.h"

namespace selvage::cuda {

namespace {

StepParameters parameters_of(const StepInput& input, double time, int first_target) {
    StepParameters p{};
    p.h = input.dt;
    p.gravity = Vec3f(input.gravity);
    p.first_target = first_target;
    if (!input.air || !input.air->present()) return p;
    const Air& air = *input.air;
    p.air_density = static_cast<float>(air.desc().density);
    p.drag = static_cast<float>(air.desc().drag);
    p.lift = static_cast<float>(air.desc().lift);
    p.mean_wind = Vec3f(air.mean());
    if (!air.gusty()) return p;
    p.wave_count = Air::kWaves;
    static_assert(Air::kWaves <= StepParameters::kWaves);
    for (int w = 0; w < Air::kWaves; ++w) {
        const Air::Wave& wave = air.waves()[w];
        const double phase = wave.phase - time * dot(wave.k, air.mean()); // carried along by the mean wind
        p.wave[w] = {Vec3f(wave.k), Vec3f(wave.amplitude), static_cast<float>(phase - std::floor(phase))};
    }
    return p;
}

class CudaBackend final : public StepBackend {
public:
    CudaBackend(std::shared_ptr<const ClothModel> model, std::unique_ptr<DeviceMethod> method, std::vector<Hull> hulls)
        : model_(std::move(model)), method_(std::move(method)) {
        contact_.set_hulls(std::move(hulls));
    }
    ~CudaBackend() override;
    Status start();

    void upload(const ClothState& state) override;
    void download(ClothState& state) override;
    StepOutcome step(const StepInput& input, double end_time, bool ends_frame) override;
    void save() override;
    void restore() override;

private:
    struct Key { // of a graph
        std::vector<int> work;
        int variant = 0;
        bool has_air = false;
        std::array<double, 4> numbers{}; // step and gravity
        auto operator<=>(const Key&) const = default;
    };

    std::size_t n() const { return model_->mass.size(); }
    bool is_ok() const { return queue_.is_ok(); }
    void wait(const char* where);
    void take_input(const StepInput& input);
    void queue_step(const StepInput& input, double start_time);
    void forget_steps();
    void launch_steps();
    bool has_same_frame(const StepInput& input) const;
    QueuedFrame write_frame();
    cudaGraphExec_t graph_for(const Key& key, const QueuedFrame& frame);
    void forget_graphs();
    bool make_room(std::size_t bytes);
    int find_diverged(ContactStats& stats);

    std::shared_ptr<const ClothModel> model_;
    std::unique_ptr<DeviceMethod> method_;
    DeviceQueue queue_;
    DeviceMemory memory_{queue_};
    PinnedMemory staged_state_, staged_input_, answer_; // the last: the first vertex that diverged, then counts
    std::map<Key, cudaGraphExec_t> graphs_;
    bool is_staged_ = false; // what staged_input_ holds may not have been copied yet
    // On the device.
    Vec3 *position_ = nullptr, *velocity_ = nullptr; // unpacked
    int* diverged_ = nullptr;
    void* input_ = nullptr; // parameters of the frame's steps, then targets
    std::size_t input_bytes_ = 0;
    // Of the frame that is being gathered.
    std::vector<StepParameters> steps_;
    std::vector<Vec3> targets_;
    ContactInput contact_;
    std::vector<int> work_, held_;
    std::span<const double> damping_;
    bool knows_input_ = false;
    double time_ = 0.0, saved_time_ = 0.0;
};

CudaBackend::~CudaBackend() {
    if (queue_.stream()) wait("end"); // nothing is freed that is still in use
    forget_graphs();
    cudaFree(input_);
}

void CudaBackend::wait(const char* where) {
    queue_.wait(where);
    is_staged_ = false;
}

Status CudaBackend::start() {
    const auto lay_out = [&] {
        method_->lay_out(memory_);
        position_ = memory_.take<Vec3>(n());
        velocity_ = memory_.take<Vec3>(n());
        diverged_ = memory_.take<int>(1);
    };
    if (const Status ok = queue_.start(); !ok) return ok;
    lay_out();
    if (const Status ok = memory_.allocate(); !ok) return ok;
    lay_out();
    if (const Status ok = staged_state_.reserve(2 * n() * sizeof(Vec3)); !ok) return ok;
    if (const Status ok = answer_.reserve((1 + kCounts) * sizeof(int)); !ok) return ok;
    wait("set-up");
    return queue_.status();
}

void CudaBackend::upload(const ClothState& state) {
    forget_steps();
    if (!is_ok()) return;
    Vec3* staged = staged_state_.as<Vec3>();
    std::copy(state.position.begin(), state.position.end(), staged);
    std::copy(state.velocity.begin(), state.velocity.end(), staged + n());
    queue_.write<Vec3>(position_, {staged, n()}, "upload");
    queue_.write<Vec3>(velocity_, {staged + n(), n()}, "upload");
    method_->queue_pack(position_, velocity_, queue_.stream());
    method_->queue_save(queue_);
    wait("upload");
    time_ = saved_time_ = state.time;
    knows_input_ = false; // held points are elsewhere
    contact_.forget();
}

void CudaBackend::download(ClothState& state) {
    launch_steps();       // in the middle of a frame
    if (!is_ok()) return; // `state` stays what was read last
    method_->queue_unpack(position_, velocity_, queue_.stream());
    Vec3* staged = staged_state_.as<Vec3>();
    queue_.read<Vec3>({staged, n()}, position_, "download");
    queue_.read<Vec3>({staged + n(), n()}, velocity_, "download");
    is_staged_ = false;
    if (!is_ok()) return;
    std::copy(staged, staged + n(), state.position.begin());
    std::copy(staged + n(), staged + 2 * n(), state.velocity.begin());
    state.time = time_;
}

void CudaBackend::save() {
    launch_steps(); // where a caller's frame does not end with the scene's
    if (!is_ok()) return;
    method_->queue_save(queue_);
    saved_time_ = time_;
}

void CudaBackend::restore() {
    forget_steps();
    if (!is_ok()) return;
    method_->queue_restore(queue_);
    knows_input_ = false; // held points are elsewhere
    contact_.forget();
    time_ = saved_time_;
}

void CudaBackend::forget_steps() {
    steps_.clear();
    targets_.clear();
    contact_.clear();
    work_.clear();
}

/// Kernels of a frame have these in their arguments.
bool CudaBackend::has_same_frame(const StepInput& input) const {
    if (steps_.empty()) return true;
    const bool has_air = input.air && input.air->present();
    return input.dt == steps_.back().h && Vec3f(input.gravity) == steps_.back().gravity &&
           has_air == (steps_.back().air_density > 0.0F);
}

/// What stays for many steps: who is held, and damping. Steps that have other ones are launched first.
void CudaBackend::take_input(const StepInput& input) {
    const auto same = [](const HeldPoint& held, int vertex) { return held.vertex == vertex; };
    const bool same_held =
        knows_input_ && std::equal(input.held.begin(), input.held.end(), held_.begin(), held_.end(), same);
    const bool same_damping = knows_input_ && input.velocity_damping.data() == damping_.data() &&
                              input.velocity_damping.size() == damping_.size();
    if (same_held && same_damping && has_same_frame(input) && !method_->must_fit(input)) return;
    launch_steps();
    if (!same_held) {
        held_.clear();
        for (const HeldPoint& held : input.held)
            held_.push_back(held.vertex);
        method_->set_held(queue_, held_);
    }
    if (!same_damping) {
        damping_ = input.velocity_damping;
        method_->set_velocity_damping(queue_, damping_);
    }
    if (!same_held || !same_damping) forget_graphs();
    knows_input_ = true;
}

void CudaBackend::queue_step(const StepInput& input, double start_time) {
    take_input(input);
    work_.push_back(method_->prepare(queue_, input));
    steps_.push_back(parameters_of(input, start_time, static_cast<int>(targets_.size())));
    for (const HeldPoint& held : input.held)
        targets_.push_back(held.target);
    if (method_->counts()) contact_.add_step(input.colliders, method_->small_steps(work_.back()), steps_.back());
}

bool CudaBackend::make_room(std::size_t bytes) {
    if (is_staged_) wait("input of a frame");
    if (bytes <= input_bytes_) return is_ok();
    wait("input of a frame");
    forget_graphs(); // they know the old place
    cudaFree(input_);
    input_ = nullptr;
    input_bytes_ = 0;
    queue_.check(cudaMalloc(&input_, 2 * bytes), "input of a frame");
    if (const Status ok = staged_input_.reserve(2 * bytes); !ok) queue_.fail(ok.error());
    if (is_ok()) input_bytes_ = 2 * bytes;
    return is_ok();
}

/// One copy: parameters of all steps, their targets, and where colliders are. What may be missing comes last: frames with
/// the same graph have all else in the same places.
QueuedFrame CudaBackend::write_frame() {
    const auto bytes = [](const auto& items) { return items.size() * sizeof(items[0]); };
    const std::size_t at[5] = {0, bytes(steps_), at[1] + bytes(targets_), at[2] + bytes(contact_.poses()),
                               at[3] + bytes(contact_.points())};
    if (!make_room(at[4])) return {};
    char* staged = staged_input_.as<char>();
    std::copy(steps_.begin(), steps_.end(), reinterpret_cast<StepParameters*>(staged));
    std::copy(targets_.begin(), targets_.end(), reinterpret_cast<Vec3*>(staged + at[1]));
    std::copy(contact_.poses().begin(), contact_.poses().end(), reinterpret_cast<SolidPose*>(staged + at[2]));
    std::copy(contact_.points().begin(), contact_.points().end(), reinterpret_cast<Vec3*>(staged + at[3]));
    is_staged_ = true;
    queue_.check(cudaMemcpyAsync(input_, staged, at[4], cudaMemcpyHostToDevice, queue_.stream()), "input of a frame");
    const auto* on_device = static_cast<const char*>(input_);
    return {{reinterpret_cast<const StepParameters*>(on_device), reinterpret_cast<const Vec3*>(on_device + at[1]),
             reinterpret_cast<const SolidPose*>(on_device + at[2]), reinterpret_cast<const Vec3*>(on_device + at[3])},
            static_cast<int>(steps_.size()),
            steps_.front().air_density > 0.0F,
            steps_.front().h,
            steps_.front().gravity};
}

/// One copy and one graph.
void CudaBackend::launch_steps() {
    if (steps_.empty() || !is_ok()) return;
    const QueuedFrame frame = write_frame();
    const Vec3f& g = frame.gravity;
    const Key key{work_, method_->variant(), frame.has_air, {frame.h, g.x, g.y, g.z}};
    if (cudaGraphExec_t graph = graph_for(key, frame)) {
        queue_.check(cudaGraphLaunch(graph, queue_.stream()), "frame");
        method_->advance(frame.step_count);
    }
    forget_steps();
}

cudaGraphExec_t CudaBackend::graph_for(const Key& key, const QueuedFrame& frame) {
    if (!is_ok()) return nullptr;
    if (const auto found = graphs_.find(key); found != graphs_.end()) return found->second;
    constexpr std::size_t kMostGraphs = 32;
    if (graphs_.size() >= kMostGraphs) forget_graphs();
    queue_.check(cudaStreamBeginCapture(queue_.stream(), cudaStreamCaptureModeThreadLocal), "graph");
    if (!is_ok()) return nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t made = nullptr;
    method_->queue_frame(frame, key.work, queue_.stream());
    const cudaError_t launched = cudaGetLastError();
    queue_.check(cudaStreamEndCapture(queue_.stream(), &graph), "graph");
    queue_.check(launched, "kernels of a frame");
    if (is_ok()) queue_.check(cudaGraphInstantiate(&made, graph, 0), "graph");
    if (graph) cudaGraphDestroy(graph);
    if (!is_ok()) return nullptr;
    return graphs_[key] = made;
}

void CudaBackend::forget_graphs() {
    for (const auto& [key, graph] : graphs_)
        cudaGraphExecDestroy(graph); // one that is running goes on to its end
    graphs_.clear();
}

/// The first vertex that is nowhere sensible, or -1. With it comes what contact has counted.
int CudaBackend::find_diverged(ContactStats& stats) {
    if (!is_ok()) return -1;
    queue_.check(cudaMemsetAsync(diverged_, 0x7f, sizeof(int), queue_.stream()), "step"); // more than any vertex
    method_->queue_find_diverged(diverged_, queue_.stream());
    queue_.check(cudaMemcpyAsync(answer_.as<int>(), diverged_, sizeof(int), cudaMemcpyDeviceToHost, queue_.stream()),
                 "step");
    int* counts = answer_.as<int>() + 1;
    if (method_->counts()) {
        queue_.check(
            cudaMemcpyAsync(counts, method_->counts(), kCounts * sizeof(int), cudaMemcpyDeviceToHost, queue_.stream()),
            "step");
        queue_.check(cudaMemsetAsync(method_->counts(), 0, kCounts * sizeof(int), queue_.stream()), "step");
    }
    wait("step");
    if (method_->counts() && is_ok()) {
        stats.records = counts[kListed];
        stats.contacts = counts[kPairs];
        stats.truncated = counts[kCutMotions];
        stats.rounds = counts[kRounds];
        stats.conflicts = counts[kConflicts];
        stats.overflows = counts[kOverflows];
    }
    const bool is_found = is_ok() && *answer_.as<int>() < static_cast<int>(n());
    return is_found ? *answer_.as<int>() : -1;
}

StepOutcome CudaBackend::step(const StepInput& input, double end_time, bool ends_frame) {
    StepOutcome outcome;
    const Stopwatch clock;
    if (is_ok()) queue_step(input, time_);
    if (is_ok()) outcome.solver.iterations = method_->iterations(work_.back());
    time_ = end_time;
    if (ends_frame || !is_ok()) {
        launch_steps();
        outcome.diverged_vertex = find_diverged(outcome.contact);
        outcome.failure = queue_.failure();
    }
    outcome.solver.ms = outcome.contact.solver_ms = clock.ms();
    return outcome;
}

/// Cloth that must not pass through itself, or colliders.
bool needs_contact(const Simulation& sim) {
    const std::vector<ClothDesc>& cloths = sim.scene().cloths;
    return !sim.colliders().empty() ||
           std::any_of(cloths.begin(), cloths.end(), [](const ClothDesc& c) { return c.self_collision; });
}

/// What the device cannot do for any method; empty: nothing.
std::string refused(const Simulation& sim) {
    const std::vector<ClothDesc>& cloths = sim.scene().cloths;
    if (std::any_of(cloths.begin(), cloths.end(), [](const ClothDesc& c) { return c.skinned.has_value(); }))
        return "found cloth that is tied to a skin; expected none: that is on the CPU only";
    if (!needs_contact(sim)) return {};
    const auto* multilevel = std::get_if<MultilevelSettings>(&sim.scene().solver);
    if (multilevel && !multilevel->contact)
        return "found \"contact\": false; expected true: on the device contact is a part of the solve";
    if (sim.is_tangled())
        return "found cloth that starts tangled; expected cloth that passes through nothing: it is untangled on the "
               "CPU "
               "only";
    return {};
}

Result<std::unique_ptr<DeviceMethod>> make_method(const Simulation& sim, std::span<const Hull> hulls) {
    const SolverSettings& solver = sim.scene().solver;
    const ContactSource source{sim.touching_surface(), sim.colliders(), hulls};
    const ContactSource* contact = needs_contact(sim) ? &source : nullptr;
    if (std::holds_alternative<HarmonicSettings>(solver) || std::holds_alternative<HarmonicPublishedSettings>(solver) ||
        std::holds_alternative<ImplicitJacobiSettings>(solver))
        return make_spring_method(sim.model(), solver, contact);
    if (const auto* multilevel = std::get_if<MultilevelSettings>(&solver))
        return make_multilevel_method(sim.model(), *multilevel, contact);
    return Error{concat("found ", solver_name(solver),
                        "; expected multilevel, implicit-jacobi, harmonic or harmonic-published: the others are on the "
                        "CPU only"),
                 concat(sim.scene().name, ": /solver, device cuda")};
}

} // namespace

std::string describe_device() {
    const Result<DeviceInfo> device = find_device();
    return device ? device->text() : concat("none: ", device.error().message);
}

Result<std::unique_ptr<StepBackend>> make_cuda_backend(const Simulation& sim) {
    if (const Result<DeviceInfo> device = find_device(); !device) return device.error();
    if (const std::string found = refused(sim); !found.empty())
        return Error{found, concat(sim.scene().name, ": device cuda")};
    std::vector<Hull> hulls = make_hulls(sim.colliders(), sim.state().position);
    Result<std::unique_ptr<DeviceMethod>> method = make_method(sim, hulls);
    if (!method) return method.error();
    auto backend = std::make_unique<CudaBackend>(sim.shared_model(), std::move(*method), std::move(hulls));
    if (const Status ok = backend->start(); !ok) return ok.error();
    return std::unique_ptr<StepBackend>(std::move(backend));
}

} // namespace selvage::cuda
