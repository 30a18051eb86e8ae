#include "view/session.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "model/measures.h"

namespace selvage {

namespace {

constexpr std::size_t kMostNumbers = 300; // frames in the plots
constexpr int kCrossingsEvery = 30;       // frames between counts: exact ones cost as much as a frame

Vec3 vec(const Triple& t) {
    return {t[0], t[1], t[2]};
}

} // namespace

Result<std::unique_ptr<Session>> Session::make(const SceneDesc& scene, int threads, Device device) {
    std::unique_ptr<Session> session(new Session(scene, threads, std::move(device)));
    Result<std::unique_ptr<Run>> run = session->make_run(scene);
    if (!run) return run.error();
    session->adopt(std::move(*run), false);
    session->set_budget(scene.budget_ms);
    session->shown_scene_ = std::make_shared<const SceneDesc>(scene);
    session->say_where_it_is();
    return session;
}

SceneDesc Session::simulated_scene() const {
    SceneDesc scene = scene_;
    if (!poking_) return scene;
    ColliderDesc ball;
    ball.shape = Sphere{poke_radius_};
    ball.place.translate = {poke_place_.x, poke_place_.y, poke_place_.z};
    scene.colliders.push_back(ball);
    return scene;
}

Result<std::unique_ptr<Session::Run>> Session::make_run(const SceneDesc& scene) const {
    Result<Simulation> sim = Simulation::make(scene, threads_);
    if (!sim) return sim.error();
    sim->set_budget(0.0); // the session keeps its own
    std::unique_ptr<Run> run(new Run{std::move(*sim), {}, scene.substeps});
    place(*run);
    return run;
}

/// To where the user wants it, as far as that can be.
void Session::place(Run& run) const {
    const Status placed = move_to(device_, run.sim);
    run.refusal = placed ? "" : placed.error().text();
}

/// Replaces the running simulation. Its state is carried over where that is wanted and the mesh is the same.
void Session::adopt(std::unique_ptr<Run> run, bool keep_state) {
    const std::unique_ptr<Run> old = std::move(sim_);
    sim_ = std::move(run);
    Simulation& sim = sim_->sim;
    const bool fits = keep_state && old && old->sim.model().vertex_count() == sim.model().vertex_count() &&
                      old->sim.model().mesh.triangles == sim.model().mesh.triangles;
    shift_.assign(sim.colliders().size(), Vec3{});
    shift_from_ = shift_goal_ = shift_;
    if (fits) {
        ClothState state = old->sim.state();
        const std::int64_t frames = std::llround(state.time / sim.scene().dt);
        const std::int64_t steps = frames * sim.scene().substeps;
        state.time = static_cast<double>(steps) * sim.step_size();
        sim.set_state(std::move(state), steps);
        sim_->grabs = old->grabs;
        sim_->grabs.grab_again(sim);
        return;
    }
    frame_ = 0;
    numbers_.clear();
    timeline_.start(sim.state().position.size(), scene_.dt);
    record();
}

bool Session::rebuild(SceneDesc wanted, bool keep_state) {
    const SceneDesc before = std::exchange(scene_, std::move(wanted));
    Result<std::unique_ptr<Run>> run = make_run(simulated_scene());
    if (!run) {
        scene_ = before;
        say(run.error().text(), true);
        return false;
    }
    adopt(std::move(*run), keep_state);
    reference_.reset(); // it was of another scene
    moving_collider_ = -1;
    // A solver beside itself shows nothing: the two change places.
    if (compared_solver_ == solver_name(scene_.solver)) {
        compared_solver_ = solver_name(before.solver);
        if (compared_solver_ == solver_name(scene_.solver)) compared_solver_.clear();
    }
    ++build_;
    shown_scene_ = std::make_shared<const SceneDesc>(scene_);
    rebuild_compared();
    return true;
}

void Session::rebuild_compared() {
    const std::unique_ptr<Run> old = std::move(compared_);
    if (compared_solver_.empty()) return;
    SceneDesc scene = simulated_scene();
    if (solver_name(scene.solver) != compared_solver_) choose_solver(scene, find_solver(compared_solver_)->defaults);
    Result<std::unique_ptr<Run>> run = make_run(scene);
    if (!run) {
        compared_solver_.clear();
        return say(run.error().text(), true);
    }
    compared_ = std::move(*run);
    // Both start from the same cloth: the first one's, unless the second has been running already.
    const bool goes_on = old && old->sim.state().position.size() == compared_->sim.state().position.size() &&
                         old->sim.state().time == sim_->sim.state().time;
    const std::int64_t frames = sim_->sim.step_count() / sim_->sim.scene().substeps;
    compared_->sim.set_state(goes_on ? old->sim.state() : sim_->sim.state(), frames * compared_->sim.scene().substeps);
    compared_->grabs = sim_->grabs;
    compared_->grabs.grab_again(compared_->sim);
}

void Session::set_playing(bool playing) {
    if (playing && sim_->sim.divergence())
        return say("the simulation diverged here; choose another solver or restart", true);
    playing_ = playing;
}

void Session::set_speed(double speed) {
    if (std::isfinite(speed)) speed_ = std::clamp(speed, 0.01, 4.0);
}

void Session::set_budget(double ms) {
    if (!std::isfinite(ms)) return;
    budget_ms_ = std::clamp(ms, 0.0, 1000.0);
    recent_ms_ = 0.0;
    if (budget_ms_ > 0.0) return;
    for (Run* run : {sim_.get(), compared_.get()})
        if (run) run->sim.set_substeps(run->substeps);
}

void Session::move_colliders(Run& run, double fraction) const {
    const int count = std::min(static_cast<int>(run.sim.colliders().size()), static_cast<int>(shift_.size()));
    for (int c = 0; c < count; ++c)
        run.sim.shift_collider(c, shift_from_[c] + fraction * (shift_goal_[c] - shift_from_[c]));
}

void Session::step_run(Run& run) {
    run.grabs.start_frame(run.sim, scene_.dt);
    run.sim.step_frame([&](double fraction) {
        run.grabs.advance(run.sim, fraction, run.sim.step_size());
        move_colliders(run, fraction);
    });
}

/// A device that is lost ends its simulations at the states that were read last, which are those of the frame before.
/// They go on from there on the CPU.
void Session::leave_lost_device() {
    const std::string why = (sim_->has_lost_device() ? sim_ : compared_)->sim.divergence()->failure;
    set_device(DeviceChoice::cpu);
    rebuild_compared(); // one of the two may be a frame ahead
    say(concat("the device failed, and the CPU goes on: ", why), true);
}

void Session::advance() {
    if (sim_->sim.divergence()) return set_playing(false);
    for (std::size_t c = 0; c < shift_.size(); ++c)
        shift_goal_[c] = moved_towards(shift_from_[c], shift_[c], scene_.dt);
    const Stopwatch clock;
    step_run(*sim_);
    const double ms = clock.ms();
    if (compared_) step_run(*compared_);
    const bool is_lost = sim_->has_lost_device();
    if (is_lost || (compared_ && compared_->has_lost_device())) leave_lost_device();
    if (is_lost) return;
    shift_from_ = shift_goal_;
    if (sim_->sim.divergence()) {
        playing_ = false;
        return say(sim_->sim.divergence()->text(), true);
    }
    ++frame_;
    record();
    measure(ms);
    keep_budget(ms);
    if (!reference_) return;
    reference_->add_frame(sim_->sim.state().position);
    if (reference_->has_failed()) {
        reference_.reset();
        say("the reference run failed; no comparison", true);
    }
}

void Session::record() {
    RecordedFrame frame{sim_->sim.state(), {}};
    // Where colliders were moved to, whatever part of it the scene already has.
    for (std::size_t c = 0; c < scene_.colliders.size(); ++c)
        frame.shift.push_back(vec(scene_.colliders[c].place.translate) + shift_from_[c]);
    timeline_.add(frame);
}

void Session::measure(double ms) {
    Simulation& sim = sim_->sim;
    FrameNumbers now;
    now.time = sim.state().time;
    const ContactStats& contact = sim.contact_stats();
    const bool is_told = !sim.is_on_device() || contact.solver_ms > 0.0; // a device need not say what took its time
    now.solver_ms = static_cast<float>(is_told ? contact.solver_ms : ms);
    now.search_ms = static_cast<float>(contact.search_ms);
    now.narrow_ms = static_cast<float>(contact.narrow_ms);
    now.response_ms = static_cast<float>(contact.response_ms);
    now.total_ms = static_cast<float>(ms);
    const Energy energy = sim.energy();
    now.energy = static_cast<float>(energy.kinetic + energy.elastic);
    now.strain = static_cast<float>(largest_strain(sim.pool(), sim.model(), sim.state()));
    now.crossings = numbers_.empty() ? 0.0f : numbers_.back().crossings;
    if (frame_ % kCrossingsEvery == 0)
        now.crossings = static_cast<float>(
            counter_.count(sim.pool(), sim.model().edges, sim.model().mesh.triangles, sim.state().position).count);
    if (numbers_.size() >= kMostNumbers) numbers_.erase(numbers_.begin());
    numbers_.push_back(now);
}

void Session::keep_budget(double ms) {
    recent_ms_ = recent_ms_ > 0.0 ? 0.8 * recent_ms_ + 0.2 * ms : ms;
    constexpr int kEvery = 5; // frames; the mean needs some to follow
    if (!(budget_ms_ > 0.0) || frame_ % kEvery != 0) return;
    const int now = sim_->sim.scene().substeps;
    int wanted = now;
    if (recent_ms_ > budget_ms_) wanted = static_cast<int>(now * budget_ms_ / recent_ms_);
    if (recent_ms_ < 0.7 * budget_ms_) wanted = now + 1;
    wanted = std::clamp(wanted, 1, sim_->substeps);
    if (wanted == now) return;
    for (Run* run : {sim_.get(), compared_.get()}) // the same fraction of what each would take
        if (run) run->sim.set_substeps(std::max(1, wanted * run->substeps / sim_->substeps));
}

void Session::restart() {
    rebuild(scene_, false);
    playing_ = true;
}

void Session::scrub(int index) {
    if (timeline_.count() == 0) return;
    playing_ = false;
    reference_.reset();
    const RecordedFrame& frame = timeline_.go_to(index);
    for (std::size_t c = 0; c < frame.shift.size() && c < scene_.colliders.size(); ++c)
        shift_[c] = frame.shift[c] - vec(scene_.colliders[c].place.translate);
    shift_from_ = shift_goal_ = shift_;
    for (Run* run : {sim_.get(), compared_.get()}) {
        if (!run) continue;
        move_colliders(*run, 1.0);
        const std::int64_t frames = std::llround(frame.state.time / run->sim.scene().dt);
        run->sim.set_state(frame.state, frames * run->sim.scene().substeps);
        run->grabs.grab_again(run->sim);
    }
}

int Session::grab(const ClothHit& hit) {
    if (hit.triangle < 0 || hit.triangle >= sim_->sim.model().mesh.triangle_count() || !is_finite(hit.weight)) return 0;
    if (reference_) say("the reference run has no grabs: comparison ended");
    reference_.reset();
    const int id = sim_->grabs.grab(hit, sim_->sim);
    if (compared_) {
        compared_->grabs = sim_->grabs;
        compared_->grabs.grab_again(compared_->sim);
    }
    return id;
}

void Session::move_grab(int id, const Vec3& target) {
    for (Run* run : {sim_.get(), compared_.get()})
        if (run) run->grabs.move(id, target);
}

void Session::pin_grab(int id) {
    for (Run* run : {sim_.get(), compared_.get()})
        if (run) run->grabs.set_pinned(id, true);
}

void Session::release(int id) {
    for (Run* run : {sim_.get(), compared_.get()})
        if (run) run->grabs.release(id, run->sim);
}

void Session::release_all() {
    for (Run* run : {sim_.get(), compared_.get()})
        if (run) run->grabs.release_all(run->sim);
}

void Session::start_moving_collider(int collider) {
    if (collider < 0 || collider >= static_cast<int>(scene_.colliders.size())) return;
    reference_.reset();
    moving_collider_ = collider;
    moving_from_ = shift_[collider];
}

void Session::move_collider(const Vec3& shift) {
    if (moving_collider_ >= 0 && is_finite(shift)) shift_[moving_collider_] = moving_from_ + shift;
}

void Session::stop_moving_collider() {
    if (moving_collider_ < 0) return;
    const Vec3 shift = shift_from_[moving_collider_]; // what it has reached
    const int collider = moving_collider_;
    moving_collider_ = -1;
    edit("move a collider", [&](SceneDesc& scene) {
        Triple& place = scene.colliders[collider].place.translate;
        place = {place[0] + shift.x, place[1] + shift.y, place[2] + shift.z};
    });
    end_gesture();
}

void Session::set_poking(bool poking, double radius, const Vec3& place) {
    if (!is_finite(place) || !(radius > 1e-3 && radius < 10.0)) return;
    if (!poking && !poking_) return;
    poking_ = poking;
    poke_radius_ = radius;
    poke_place_ = place;
    rebuild(scene_, true);
}

void Session::move_poker(const Vec3& place) {
    if (poking_ && is_finite(place) && !shift_.empty()) shift_.back() = place - poke_place_;
}

void Session::edit(const std::string& what, const std::function<void(SceneDesc&)>& change) {
    const SceneDesc before = scene_;
    SceneDesc wanted = scene_;
    change(wanted);
    if (rebuild(wanted, true)) undo_.remember(before, what);
}

void Session::set_solver(const std::string& name) {
    const SolverEntry* entry = find_solver(name);
    if (!entry || name == solver_name(scene_.solver)) return;
    edit("solver " + name, [&](SceneDesc& scene) { choose_solver(scene, entry->defaults); });
    end_gesture();
}

void Session::set_device(DeviceChoice choice) {
    device_.choice = choice;
    for (Run* run : {sim_.get(), compared_.get()}) {
        if (!run) continue;
        place(*run);
        if (!run->has_lost_device()) continue;
        run->sim.edit_state(); // what was read last is good
        run->sim.restart();
        run->grabs.grab_again(run->sim);
    }
    say_where_it_is();
}

/// Only where that is not as the user said.
void Session::say_where_it_is() {
    if (device_.choice == DeviceChoice::cuda && !sim_->refusal.empty()) say("on the CPU: " + sim_->refusal, true);
}

void Session::set_compared_solver(const std::string& name) {
    if (name == solver_name(scene_.solver)) return say(concat(name, " is the solver already shown"), true);
    compared_solver_ = find_solver(name) ? name : "";
    compared_.reset();
    rebuild_compared();
    ++build_;
}

void Session::set_comparing(bool on) {
    reference_.reset();
    if (!on) return;
    release_all();
    poking_ = false;
    restart();
    reference_ = std::make_unique<LiveComparison>(sim_->sim.scene(), sim_->sim.state().position);
    say("E and S against implicit-cg in steps a quarter as long, computed in the background");
}

void Session::undo() {
    const std::string what = undo_.back_text();
    const std::optional<SceneDesc> earlier = undo_.back(scene_);
    if (!earlier) return say("nothing to undo");
    if (rebuild(*earlier, true)) say("undone: " + what);
}

void Session::redo() {
    const std::string what = undo_.forward_text();
    const std::optional<SceneDesc> later = undo_.forward(scene_);
    if (!later) return say("nothing to redo");
    if (rebuild(*later, true)) say("done again: " + what);
}

void Session::say(const std::string& text, bool is_error) {
    message_ = text;
    message_is_error_ = is_error;
    ++message_number_;
}

std::shared_ptr<Snapshot> Session::snapshot(double real_time_factor, double frames_per_second) {
    const Simulation& sim = sim_->sim;
    auto out = std::make_shared<Snapshot>();
    out->number = ++number_;
    out->build = build_;
    out->scene = shown_scene_;
    out->model = sim.shared_model();
    out->position = sim.state().position;
    out->colliders.assign(sim.colliders().begin(), sim.colliders().end());
    if (compared_) {
        out->compared_model = compared_->sim.shared_model();
        out->compared_position = compared_->sim.state().position;
        out->compared_solver = compared_solver_;
    }
    out->time = sim.state().time;
    out->frame = frame_;
    out->playing = playing_;
    out->speed = speed_;
    out->real_time_factor = real_time_factor;
    out->frames_per_second = frames_per_second;
    out->budget_ms = budget_ms_;
    out->substeps = sim.scene().substeps;
    out->diverged = sim.divergence().has_value();
    out->poking = poking_;
    out->device = device_.choice;
    out->on_device = sim.is_on_device();
    out->device_refusal = sim_->refusal;
    out->grabs = sim_->grabs.all();
    for (const Grab& grab : out->grabs)
        out->grab_points.push_back(point_on(sim.model(), sim.state().position, grab.triangle, grab.weight));
    out->timeline_count = timeline_.count();
    out->timeline_at = timeline_.at();
    if (timeline_.count() > 0) {
        out->timeline_first = timeline_.time(0);
        out->timeline_last = timeline_.time(timeline_.count() - 1);
    }
    out->numbers = numbers_;
    out->comparing = reference_ != nullptr;
    if (reference_) out->errors = reference_->errors();
    out->message = message_;
    out->message_is_error = message_is_error_;
    out->message_number = message_number_;
    out->undo_text = undo_.back_text();
    out->redo_text = undo_.forward_text();
    out->view_number = view_number_;
    return out;
}

} // namespace selvage
