#include "view/session.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "model/measures.h"

namespace selvage {

namespace {

constexpr std::size_t kNumbersKept = 300; // frames in the plots
constexpr int kCrossingsEvery = 30;       // frames between counts: exact ones cost as much as a frame

Vec3 vec(const Triple& t) {
    return {t[0], t[1], t[2]};
}

} // namespace

Result<std::unique_ptr<Session>> Session::make(const SceneDesc& scene, int threads) {
    std::unique_ptr<Session> session(new Session(scene, threads));
    Result<std::unique_ptr<Lane>> lane = session->make_lane(scene);
    if (!lane) return lane.error();
    session->adopt(std::move(*lane), false);
    session->shown_scene_ = std::make_shared<const SceneDesc>(scene);
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

Result<std::unique_ptr<Session::Lane>> Session::make_lane(const SceneDesc& scene) const {
    Result<Simulation> sim = Simulation::make(scene, threads_);
    if (!sim) return sim.error();
    return std::unique_ptr<Lane>(new Lane{std::move(*sim), {}, scene.substeps});
}

/// Takes the place of the simulation that runs, with its state where that is wanted and fits.
void Session::adopt(std::unique_ptr<Lane> lane, bool keep_state) {
    const std::unique_ptr<Lane> old = std::move(sim_);
    sim_ = std::move(lane);
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
        sim_->hands = old->hands;
        sim_->hands.take_again(sim);
        return;
    }
    frame_ = 0;
    numbers_.clear();
    timeline_.start(sim.state().position.size(), scene_.dt);
    record();
}

bool Session::rebuild(SceneDesc wanted, bool keep_state) {
    const SceneDesc before = std::exchange(scene_, std::move(wanted));
    Result<std::unique_ptr<Lane>> lane = make_lane(simulated_scene());
    if (!lane) {
        scene_ = before;
        say(lane.error().text(), true);
        return false;
    }
    adopt(std::move(*lane), keep_state);
    comparison_.reset(); // it was of another scene
    moving_solid_ = -1;
    ++build_;
    shown_scene_ = std::make_shared<const SceneDesc>(scene_);
    rebuild_rival();
    return true;
}

void Session::rebuild_rival() {
    const std::unique_ptr<Lane> old = std::move(rival_);
    if (rival_solver_.empty()) return;
    SceneDesc scene = simulated_scene();
    if (solver_name(scene.solver) != rival_solver_) choose_solver(scene, find_solver(rival_solver_)->defaults);
    Result<std::unique_ptr<Lane>> lane = make_lane(scene);
    if (!lane) {
        rival_solver_.clear();
        return say(lane.error().text(), true);
    }
    rival_ = std::move(*lane);
    // Both start from the same cloth: the first one's, unless the second has been running already.
    const bool goes_on = old && old->sim.state().position.size() == rival_->sim.state().position.size() &&
                         old->sim.state().time == sim_->sim.state().time;
    const std::int64_t frames = sim_->sim.step_count() / sim_->sim.scene().substeps;
    rival_->sim.set_state(goes_on ? old->sim.state() : sim_->sim.state(), frames * rival_->sim.scene().substeps);
    rival_->hands = sim_->hands;
    rival_->hands.take_again(rival_->sim);
}

void Session::set_playing(bool playing) {
    if (playing && sim_->sim.divergence()) return say("the cloth burst here; choose another solver or restart", true);
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
    for (Lane* lane : {sim_.get(), rival_.get()})
        if (lane) lane->sim.set_substeps(lane->substeps);
}

void Session::carry_solids(Lane& lane, double share) const {
    const int count = std::min(static_cast<int>(lane.sim.colliders().size()), static_cast<int>(shift_.size()));
    for (int c = 0; c < count; ++c)
        lane.sim.shift_collider(c, shift_from_[c] + share * (shift_goal_[c] - shift_from_[c]));
}

void Session::step_lane(Lane& lane) {
    lane.hands.start_frame(lane.sim, scene_.dt);
    lane.sim.step_frame([&](double share) {
        lane.hands.carry(lane.sim, share, lane.sim.step_size());
        carry_solids(lane, share);
    });
}

void Session::advance() {
    if (sim_->sim.divergence()) return set_playing(false);
    for (std::size_t c = 0; c < shift_.size(); ++c)
        shift_goal_[c] = within_reach(shift_from_[c], shift_[c], scene_.dt);
    const Stopwatch clock;
    step_lane(*sim_);
    const double ms = clock.ms();
    if (rival_) step_lane(*rival_);
    shift_from_ = shift_goal_;
    if (sim_->sim.divergence()) {
        playing_ = false;
        return say(sim_->sim.divergence()->text(), true);
    }
    ++frame_;
    record();
    measure(ms);
    keep_budget(ms);
    if (!comparison_) return;
    comparison_->add_frame(sim_->sim.state().position);
    if (comparison_->has_failed()) {
        comparison_.reset();
        say("the reference run failed; no comparison", true);
    }
}

void Session::record() {
    RecordedFrame frame{sim_->sim.state(), {}};
    // Where solids are carried to, whatever part of it the scene already has.
    for (std::size_t c = 0; c < scene_.colliders.size(); ++c)
        frame.shift.push_back(vec(scene_.colliders[c].place.translate) + shift_from_[c]);
    timeline_.add(frame);
}

void Session::measure(double ms) {
    Simulation& sim = sim_->sim;
    FrameNumbers now;
    now.time = sim.state().time;
    const ContactStats& contact = sim.contact_stats();
    now.solver_ms = static_cast<float>(contact.solver_ms);
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
    if (numbers_.size() >= kNumbersKept) numbers_.erase(numbers_.begin());
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
    for (Lane* lane : {sim_.get(), rival_.get()}) // the same share of what each would take
        if (lane) lane->sim.set_substeps(std::max(1, wanted * lane->substeps / sim_->substeps));
}

void Session::restart() {
    rebuild(scene_, false);
    playing_ = true;
}

void Session::scrub(int index) {
    if (timeline_.count() == 0) return;
    playing_ = false;
    comparison_.reset();
    const RecordedFrame& frame = timeline_.go_to(index);
    for (std::size_t c = 0; c < frame.shift.size() && c < scene_.colliders.size(); ++c)
        shift_[c] = frame.shift[c] - vec(scene_.colliders[c].place.translate);
    shift_from_ = shift_goal_ = shift_;
    for (Lane* lane : {sim_.get(), rival_.get()}) {
        if (!lane) continue;
        carry_solids(*lane, 1.0);
        const std::int64_t frames = std::llround(frame.state.time / lane->sim.scene().dt);
        lane->sim.set_state(frame.state, frames * lane->sim.scene().substeps);
        lane->hands.take_again(lane->sim);
    }
}

int Session::take(const ClothHit& hit) {
    if (hit.triangle < 0 || hit.triangle >= sim_->sim.model().mesh.triangle_count() || !is_finite(hit.weight)) return 0;
    if (comparison_) say("the reference feels no hand: comparison ended");
    comparison_.reset();
    const int id = sim_->hands.take(hit, sim_->sim);
    if (rival_) {
        rival_->hands = sim_->hands;
        rival_->hands.take_again(rival_->sim);
    }
    return id;
}

void Session::move_hand(int id, const Vec3& target) {
    for (Lane* lane : {sim_.get(), rival_.get()})
        if (lane) lane->hands.move(id, target);
}

void Session::pin_hand(int id) {
    for (Lane* lane : {sim_.get(), rival_.get()})
        if (lane) lane->hands.set_pinned(id, true);
}

void Session::let_go(int id) {
    for (Lane* lane : {sim_.get(), rival_.get()})
        if (lane) lane->hands.let_go(id, lane->sim);
}

void Session::let_go_of_all() {
    for (Lane* lane : {sim_.get(), rival_.get()})
        if (lane) lane->hands.let_go_of_all(lane->sim);
}

void Session::start_moving_solid(int collider) {
    if (collider < 0 || collider >= static_cast<int>(scene_.colliders.size())) return;
    comparison_.reset();
    moving_solid_ = collider;
    moving_from_ = shift_[collider];
}

void Session::move_solid(const Vec3& shift) {
    if (moving_solid_ >= 0 && is_finite(shift)) shift_[moving_solid_] = moving_from_ + shift;
}

void Session::stop_moving_solid() {
    if (moving_solid_ < 0) return;
    const Vec3 shift = shift_from_[moving_solid_]; // where it got to
    const int collider = moving_solid_;
    moving_solid_ = -1;
    edit("move a solid", [&](SceneDesc& scene) {
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

void Session::set_rival(const std::string& name) {
    rival_solver_ = find_solver(name) ? name : "";
    rival_.reset();
    rebuild_rival();
    ++build_;
}

void Session::set_comparing(bool on) {
    comparison_.reset();
    if (!on) return;
    let_go_of_all();
    poking_ = false;
    restart();
    comparison_ = std::make_unique<LiveComparison>(sim_->sim.scene(), sim_->sim.state().position);
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
    if (rival_) {
        out->rival_model = rival_->sim.shared_model();
        out->rival_position = rival_->sim.state().position;
        out->rival_solver = rival_solver_;
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
    out->hands = sim_->hands.all();
    for (const Hand& hand : out->hands)
        out->hand_points.push_back(point_on(sim.model(), sim.state().position, hand.triangle, hand.weight));
    out->timeline_count = timeline_.count();
    out->timeline_at = timeline_.at();
    if (timeline_.count() > 0) {
        out->timeline_first = timeline_.time(0);
        out->timeline_last = timeline_.time(timeline_.count() - 1);
    }
    out->numbers = numbers_;
    out->comparing = comparison_ != nullptr;
    if (comparison_) out->errors = comparison_->errors();
    out->message = message_;
    out->message_is_error = message_is_error_;
    out->message_number = message_number_;
    out->undo_text = undo_.back_text();
    out->redo_text = undo_.forward_text();
    out->view_number = view_number_;
    return out;
}

} // namespace selvage
