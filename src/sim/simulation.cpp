#include "sim/simulation.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/float_environment.h"
#include "base/stopwatch.h"
#include "base/suggest.h"
#include "collision/shapes/solid_mesh.h"
#include "model/bend_friction.h"
#include "scene/scene_io.h"
#include "sim/keyframes.h"
#include "sim/mesh_source.h"
#include "sim/painted_reach.h"

namespace selvage {

namespace {

Result<std::vector<int>> named_vertices(const std::vector<VertexGroup>& groups, const std::string& name,
                                        const std::string& what) {
    std::vector<std::string> names;
    for (const VertexGroup& group : groups) {
        if (group.name == name) return group.vertices;
        names.push_back(group.name);
    }
    if (names.empty())
        return Error{concat("pins by ", what, " \"", name, "\", but this mesh has none; expected vertices or box")};
    return Error{concat("unknown ", what, " \"", name, "\"; expected one of: ", join(names))};
}

Result<std::vector<int>> select_vertices(const PinSelection& select, const GeneratedMesh& source) {
    const std::vector<Vec3>& x = start_positions(source);
    if (const auto* edge = std::get_if<EdgeName>(&select)) return named_vertices(source.edges, edge->name, "edge");
    if (const auto* corner = std::get_if<CornerName>(&select))
        return named_vertices(source.corners, corner->name, "corner");
    if (const auto* list = std::get_if<std::vector<int>>(&select)) {
        const std::vector<int>& joined = source.vertex_of_file; // scenes count vertices as the file does
        const std::size_t count = joined.empty() ? x.size() : joined.size();
        std::vector<int> vertices;
        for (const int v : *list) {
            if (v < 0 || v >= static_cast<int>(count))
                return Error{
                    concat("pins vertex ", v, ", which is outside the mesh; it has vertices 0 to ", count - 1)};
            const int vertex = joined.empty() ? v : joined[v];
            if (joined.empty() || std::find(vertices.begin(), vertices.end(), vertex) == vertices.end())
                vertices.push_back(vertex);
        }
        return vertices;
    }
    const BoxDesc& box = std::get<BoxDesc>(select);
    std::vector<int> inside;
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
        const Triple p{x[i].x, x[i].y, x[i].z};
        bool in = true;
        for (int axis = 0; axis < 3; ++axis)
            in = in && p[axis] >= box.min[axis] && p[axis] <= box.max[axis];
        if (in) inside.push_back(i);
    }
    if (inside.empty())
        return Error{"pins by a box that holds no vertex; expected it to reach the mesh where it starts"};
    return inside;
}

/// Velocities at the start: the given one, and a spin about the part's centre of mass.
void start_moving(const ClothDesc& cloth, const ClothPart& part, const ClothModel& model, ClothState& state) {
    Vec3 centre;
    double mass = 0.0;
    for (int i = part.vertex_begin; i < part.vertex_begin + part.vertex_count; ++i) {
        centre += model.mass[i] * state.position[i];
        mass += model.mass[i];
    }
    centre = centre / mass;
    for (int i = part.vertex_begin; i < part.vertex_begin + part.vertex_count; ++i)
        state.velocity[i] = to_vec(cloth.velocity) + cross(to_vec(cloth.spin), state.position[i] - centre);
}

/// Distance kept between layers: the scene's, or that of the fabric. Real thickness is far below what a mesh can
/// resolve, and thin gaps cost searches, so it grows with the mesh's edges up to a millimetre and a half.
double contact_distance(const ClothDesc& cloth, const ClothPart& part, const ClothModel& model) {
    if (cloth.contact_distance > 0.0) return cloth.contact_distance;
    double sum = 0.0;
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            sum += length(model.mesh.positions[model.mesh.triangles[t][k]] -
                          model.mesh.positions[model.mesh.triangles[t][(k + 1) % 3]]);
    const double edge = part.triangle_count > 0 ? sum / (3.0 * part.triangle_count) : 0.0;
    constexpr double kShareOfEdge = 0.08, kMost = 0.0015; // [m]
    return std::max(part.material.thickness, std::min(kShareOfEdge * edge, kMost));
}

ContactSurface contact_surface(const SceneDesc& scene, const ClothModel& model, std::span<const Collider> colliders) {
    ContactSurface surface{model.mesh.positions, model.mesh.triangles, {}};
    for (std::size_t c = 0; c < model.parts.size(); ++c) {
        const ClothPart& part = model.parts[c];
        surface.bodies.push_back({part.vertex_begin, part.vertex_count, part.triangle_begin, part.triangle_count,
                                  contact_distance(scene.cloths[c], part, model), part.material.friction,
                                  scene.cloths[c].self_collision});
    }
    for (const Collider& collider : colliders) {
        const SolidMesh* solid = collider.mesh();
        if (!solid) continue;
        const int vertex_begin = static_cast<int>(surface.rest.size());
        const int triangle_begin = static_cast<int>(surface.triangles.size());
        surface.rest.insert(surface.rest.end(), collider.points_now.begin(), collider.points_now.end());
        for (const Triangle& t : solid->mesh.triangles)
            surface.triangles.push_back({t[0] + vertex_begin, t[1] + vertex_begin, t[2] + vertex_begin});
        surface.bodies.push_back({vertex_begin, static_cast<int>(collider.points_now.size()), triangle_begin,
                                  static_cast<int>(solid->mesh.triangles.size()), collider.thickness, collider.friction,
                                  false, true});
    }
    return surface;
}

} // namespace

std::string Divergence::text() const {
    if (!failure.empty())
        return concat("stopped at step ", step, " (t = ", time, " s): ", failure,
                      "; the last state that was read is kept");
    return concat("diverged at step ", step, " (t = ", time, " s), first at vertex ", vertex, " of cloth \"", cloth,
                  "\"; the last good frame is kept. Try a smaller dt, more substeps or another solver");
}

PinGroup::PinGroup(const PinDesc& desc, std::vector<int> vertices, const std::vector<Vec3>& positions,
                   int vertex_offset)
    : desc_(desc), vertices_(std::move(vertices)) {
    for (int& v : vertices_) {
        start_.push_back(positions[v]);
        centre_ += positions[v];
        v += vertex_offset;
    }
    centre_ = centre_ / static_cast<double>(vertices_.size());
}

void PinGroup::release(int vertex) {
    const auto found = std::find(vertices_.begin(), vertices_.end(), vertex);
    if (found == vertices_.end()) return;
    start_.erase(start_.begin() + (found - vertices_.begin()));
    vertices_.erase(found);
}

Vec3 PinGroup::target(int index, double time) const {
    if (desc_.keyframes.empty()) return start_[index];
    const KeyframePose pose = keyframe_pose(desc_.keyframes, desc_.smooth, time);
    return centre_ + pose.shift + pose.turn * (start_[index] - centre_);
}

Result<Simulation> Simulation::make(const SceneDesc& scene, int threads) {
    const FloatEnvironment plain;
    std::vector<std::string> warnings;
    std::vector<ColliderMotion> colliders;
    for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
        const std::string location = concat(scene.name, ": /colliders/", c);
        Result<ColliderMotion> motion = ColliderMotion::make(scene.colliders[c], scene.directory, location, warnings);
        if (!motion)
            return motion.error().location.empty() ? scene_error(scene, concat("/colliders/", c), motion.error())
                                                   : motion.error();
        colliders.push_back(std::move(*motion));
    }
    Result<Simulation> sim = make(scene, std::make_shared<ThreadPool>(threads), std::move(colliders));
    if (sim) sim->warnings_.insert(sim->warnings_.end(), warnings.begin(), warnings.end());
    return sim;
}

Result<Simulation> Simulation::make(const SceneDesc& scene, std::shared_ptr<ThreadPool> pool,
                                    std::vector<ColliderMotion> colliders) {
    const FloatEnvironment plain;
    Simulation sim;
    sim.scene_ = scene;
    sim.pool_ = std::move(pool);
    std::vector<ClothSource> sources;
    if (const Status ok = sim.add_cloths(sources); !ok) return ok.error();
    Result<ClothModel> model = make_cloth_model(std::move(sources), sim.warnings_);
    if (!model) return Error{model.error().message, scene.name, model.error().kind};
    sim.model_ = std::make_shared<const ClothModel>(std::move(*model));
    sim.air_ = std::make_unique<Air>(scene.air);
    sim.solver_ = make_solver(*sim.model_, scene.solver, *sim.pool_);
    sim.motions_ = std::move(colliders);
    if (const Status ok = sim.finish_make(); !ok) return ok.error();
    return sim;
}

/// Builds the meshes, puts them in place and finds what is pinned.
Status Simulation::add_cloths(std::vector<ClothSource>& sources) {
    int vertex_offset = 0;
    for (std::size_t c = 0; c < scene_.cloths.size(); ++c) {
        const ClothDesc& cloth = scene_.cloths[c];
        const auto at = [&](const std::string& rest, const Error& error) {
            return error.location.empty() ? scene_error(scene_, concat("/cloths/", c, rest), error) : error;
        };
        Result<GeneratedMesh> mesh = build_placed_mesh(cloth, scene_.directory, warnings_);
        if (!mesh) return at("/mesh", mesh.error());
        const std::vector<Vec3>& start = start_positions(*mesh);
        for (std::size_t p = 0; p < cloth.pins.size(); ++p) {
            Result<std::vector<int>> vertices = select_vertices(cloth.pins[p].select, *mesh);
            if (!vertices) return at(concat("/pins/", p), vertices.error());
            pins_.emplace_back(cloth.pins[p], std::move(*vertices), start, vertex_offset);
        }
        chosen_.emplace_back();
        for (std::size_t a = 0; cloth.skinned && a < cloth.skinned->attach.size(); ++a) {
            Result<std::vector<int>> vertices = select_vertices(cloth.skinned->attach[a], *mesh);
            if (!vertices) return at(concat("/skinned/attach/", a), vertices.error());
            chosen_.back().attached.insert(chosen_.back().attached.end(), vertices->begin(), vertices->end());
        }
        if (cloth.skinned)
            if (const Status ok = read_painted(cloth, scene_.directory, start, chosen_.back()); !ok)
                return at("/skinned", ok.error());
        vertex_offset += mesh->mesh.vertex_count();
        state_.position.insert(state_.position.end(), start.begin(), start.end());
        sources.push_back({cloth.name, std::move(*mesh), cloth.material, cloth.net});
    }
    return Done{};
}

Status Simulation::finish_make() {
    const std::size_t n = model_->mass.size();
    state_.velocity.assign(n, Vec3{});
    for (std::size_t c = 0; c < scene_.cloths.size(); ++c)
        start_moving(scene_.cloths[c], model_->parts[c], *model_, state_);
    fit_yarn(state_);
    for (const ClothDesc& cloth : scene_.cloths)
        if (yarn_law(cloth.material).is_present() && !solver_->remembers_bending())
            warnings_.push_back(concat("cloth \"", cloth.name,
                                       "\" bends without its friction (bend_friction_warp, "
                                       "bend_friction_weft): \"multilevel\" alone has it, on triangles"));
    last_good_ = state_;
    is_held_.assign(n, 0);
    motion_ahead_.resize(n);
    reserve_held();
    spread_damping();
    for (const ColliderMotion& motion : motions_)
        colliders_.push_back(motion.at_start());
    if (const Status ok = tie_to_skin(); !ok) return ok;
    contact_ = std::make_unique<ContactStage>(contact_surface(scene_, *model_, colliders_), model_->mass);
    warn_of_tangles();
    hold_points(step_size());
    solver_->prepare(step_input(step_size()));
    budget_ = FrameBudget(scene_.budget_ms);
    return Done{};
}

void Simulation::grab(int vertex, const Vec3& target) {
    SELVAGE_ASSERT(vertex >= 0 && vertex < model_->vertex_count());
    if (!is_finite(target)) return;
    for (HeldPoint& grab : grabs_)
        if (grab.vertex == vertex) {
            grab.target = target;
            return;
        }
    grabs_.push_back({vertex, target});
    reserve_held();
}

/// So that no step allocates.
void Simulation::reserve_held() {
    std::size_t most = grabs_.size();
    for (const PinGroup& group : pins_)
        most += group.vertices().size();
    for (const SkinnedCloth& cloth : skinned_)
        most += cloth.attached_count();
    held_.reserve(most);
}

void Simulation::set_grabs(std::span<const HeldPoint> grabs) {
    grabs_.assign(grabs.begin(), grabs.end());
    if (held_.capacity() < grabs_.size() + held_.size()) reserve_held();
}

void Simulation::unpin(int vertex) {
    for (PinGroup& group : pins_)
        group.release(vertex);
}

void Simulation::release(int vertex) {
    std::erase_if(grabs_, [&](const HeldPoint& grab) { return grab.vertex == vertex; });
}

Status Simulation::set_collider_points(int collider, std::span<const Vec3> world) {
    SELVAGE_ASSERT(collider >= 0 && collider < static_cast<int>(colliders_.size()));
    return motions_[collider].set_points(world, colliders_[collider]);
}

void Simulation::shift_collider(int collider, const Vec3& shift) {
    SELVAGE_ASSERT(collider >= 0 && collider < static_cast<int>(colliders_.size()));
    if (is_finite(shift)) motions_[collider].set_shift(shift);
}

void Simulation::set_colliders(std::vector<ColliderMotion> colliders, int same) {
    set_backend(nullptr);
    motions_ = std::move(colliders);
    std::erase_if(skinned_, [&](const SkinnedCloth& cloth) { return cloth.collider() >= same; });
    std::erase_if(lags_, [&](const BodyLag& lag) { return lag.collider() >= same; });
    colliders_.clear();
    for (const ColliderMotion& motion : motions_)
        colliders_.push_back(motion.at(state_.time));
    if (!lags_.empty()) restore_lags();
    contact_ = std::make_unique<ContactStage>(contact_surface(scene_, *model_, colliders_), model_->mass);
    contact_->find_tangles(*pool_, state_.position, colliders_);
}

void Simulation::set_gravity(const Vec3& gravity) {
    scene_.gravity = {gravity.x, gravity.y, gravity.z};
}

void Simulation::set_air(const AirDesc& air) {
    scene_.air = air;
    *air_ = Air(air);
}

/// The scene's rate and the cloth's, vertex by vertex, where there is any.
void Simulation::spread_damping() {
    const auto damps = [](const ClothDesc& cloth) { return cloth.velocity_damping > 0.0; };
    if (!(scene_.velocity_damping > 0.0) && std::none_of(scene_.cloths.begin(), scene_.cloths.end(), damps)) return;
    damping_.resize(model_->mass.size());
    for (std::size_t c = 0; c < scene_.cloths.size(); ++c) {
        const auto first = damping_.begin() + model_->parts[c].vertex_begin;
        std::fill(first, first + model_->parts[c].vertex_count,
                  scene_.velocity_damping + scene_.cloths[c].velocity_damping);
    }
}

/// All that the solver is given but contact and colliders.
StepInput Simulation::step_input(double dt) const {
    StepInput input{dt, to_vec(scene_.gravity), air_.get(), held_, is_held_};
    input.velocity_damping = damping_;
    input.effort = effort_;
    return input;
}

void Simulation::set_solver(const SolverSettings& solver, int substeps) {
    set_backend(nullptr);
    set_substeps(substeps);
    scene_.solver = solver;
    solver_ = make_solver(*model_, solver, *pool_);
    fit_yarn(state_);
    fit_yarn(last_good_);
    hold_points(state_.time + step_size());
    solver_->prepare(step_input(step_size()));
}

/// One per vertex for a solver that keeps it, else none.
void Simulation::fit_yarn(ClothState& state) const {
    state.yarn.resize(solver_->remembers_bending() ? state.position.size() : 0);
}

void Simulation::set_step_count(std::int64_t step_count) {
    SELVAGE_ASSERT(step_count % scene_.substeps == 0);
    step_count_ = last_good_step_ = step_count;
    edit_state().time = last_good_.time = static_cast<double>(step_count) * step_size();
    move_colliders(state_.time);
    move_colliders(state_.time); // twice: nothing is moving yet
    for (SkinnedCloth& cloth : skinned_)
        cloth.forget_frame();
}

void Simulation::set_substeps(int substeps) {
    SELVAGE_ASSERT(substeps > 0 && step_count_ % scene_.substeps == 0);
    step_count_ = step_count_ / scene_.substeps * substeps;
    last_good_step_ = step_count_;
    scene_.substeps = substeps;
}

void Simulation::hold_points(double time) {
    for (const HeldPoint& held : held_)
        is_held_[held.vertex] = 0;
    held_.clear();
    for (const HeldPoint& grab : grabs_) {
        if (is_held_[grab.vertex]) continue; // the first that names a vertex has it
        is_held_[grab.vertex] = 1;
        held_.push_back(grab);
    }
    for (const PinGroup& group : pins_) {
        if (!group.holds(time)) continue;
        for (int k = 0; k < static_cast<int>(group.vertices().size()); ++k) {
            const int v = group.vertices()[k];
            if (is_held_[v]) continue;
            is_held_[v] = 1;
            held_.push_back({v, group.target(k, time)});
        }
    }
    for (const SkinnedCloth& cloth : skinned_)
        cloth.hold(held_, is_held_);
}

void Simulation::move_colliders(double time) {
    for (std::size_t c = 0; c < colliders_.size(); ++c)
        motions_[c].move(colliders_[c], time);
    for (SkinnedCloth& cloth : skinned_)
        cloth.follow(colliders_[cloth.collider()]);
}

std::span<const Collider> Simulation::colliders() const {
    for (Collider& collider : colliders_)
        collider.fit_tree();
    return colliders_;
}

Energy Simulation::energy() const {
    Energy energy = measure_energy(*model_, state(), to_vec(scene_.gravity));
    energy.elastic = solver_->elastic_energy(state()).value_or(energy.elastic);
    return energy;
}

void Simulation::set_budget(double ms) {
    budget_ = FrameBudget(ms);
    effort_ = 1.0;
}

/// Steps of at most 1/240 s for a solver that can do less; the others need all of them.
int Simulation::steps_at(double effort) const {
    if (effort >= 1.0 || solver_->small_steps(step_size(), effort) == 0) return scene_.substeps;
    constexpr double kLongest = 1.0 / 240.0; // [s]; longer ones cost contact what they save the solver
    const auto fewest = static_cast<int>(std::ceil(scene_.dt / kLongest - 1e-6));
    return std::min(scene_.substeps, std::max(static_cast<int>(std::ceil(effort * scene_.substeps)), fewest));
}

void Simulation::add_times(LevelTimes& times) const {
    LevelTimes::SmallSteps small_steps{};
    for (int level = 0; level < FrameBudget::kWorkLevels; ++level) {
        const double effort = FrameBudget::kWork[level];
        const int steps = steps_at(effort);
        small_steps[level] = steps * solver_->small_steps(scene_.dt / steps, effort);
    }
    const ContactStats& last = contact_stats_;
    times.add(last.solver_ms, last.search_ms + last.narrow_ms + last.response_ms, small_steps);
}

StepStats Simulation::step() {
    const FloatEnvironment plain; // the length of the step is rounded too
    return step_to(static_cast<double>(step_count_ + 1), step_size());
}

StepStats Simulation::step_to(double end_step, double dt) {
    if (divergence_) return {};
    // Counted, not summed: the time of step n is the same however the run was cut into pieces.
    const double end = end_step * step_size();
    move_colliders(end);
    carry_over_jumps(end);
    hold_points(end);
    if (!backend_) // one does not take cloth that is tied to skin
        for (SkinnedCloth& cloth : skinned_)
            cloth.go_along(colliders_[cloth.collider()], dt, is_held_, state_);
    StepInput input = step_input(dt);
    input.colliders = solver_->wants_distances() ? colliders() : colliders_;
    step_count_ = static_cast<std::int64_t>(end_step);
    const bool ends_frame = step_count_ % scene_.substeps == 0;
    const HostStep host{*model_, *pool_, *solver_, *contact_, motion_ahead_, colliders_, skinned_};
    const StepOutcome outcome =
        backend_ ? backend_->step(input, end, ends_frame) : step_on_host(host, state_, input, end, ends_frame);
    is_stale_ = backend_ != nullptr;
    is_tangled_ = outcome.is_tangled;
    contact_stats_ += outcome.contact;
    if (const int vertex = outcome.diverged_vertex; vertex >= 0)
        divergence_ = Divergence{step_count_, end, vertex, cloth_of(vertex)};
    if (!outcome.failure.empty()) divergence_ = Divergence{step_count_, end, 0, cloth_of(0), outcome.failure};
    return outcome.solver;
}

StepStats Simulation::step_frame(const std::function<void(double fraction)>& before_step) {
    if (!budget_.is_on()) return take_frame(before_step);
    if (budget_.drops_frame()) {
        contact_stats_ = {};
        dropped_seconds_ += scene_.dt;
        return {};
    }
    effort_ = budget_.effort();
    const Stopwatch clock;
    const StepStats stats = take_frame(before_step);
    LevelTimes times(budget_.work_level());
    add_times(times);
    budget_.add_frame(times.of_frame(clock.ms()));
    return stats;
}

StepStats Simulation::take_frame(const std::function<void(double fraction)>& before_step) {
    const FloatEnvironment plain;
    StepStats total;
    contact_stats_ = {};
    const int steps = steps_per_frame();
    const auto start = static_cast<double>(step_count_);
    for (int k = 1; k <= steps && !divergence_; ++k) {
        if (before_step) before_step(static_cast<double>(k) / steps);
        const StepStats stats = step_to(start + static_cast<double>(scene_.substeps) * k / steps, scene_.dt / steps);
        total.ms += stats.ms;
        total.iterations += stats.iterations;
        total.residual = stats.residual;
    }
    if (divergence_) {
        go_back();
        return total;
    }
    last_good_step_ = step_count_;
    if (backend_) {
        backend_->save();
        return total;
    }
    pool_->for_each(model_->vertex_count(), [&](int i) {
        last_good_.position[i] = state_.position[i];
        last_good_.velocity[i] = state_.velocity[i];
        if (!state_.yarn.empty()) last_good_.yarn[i] = state_.yarn[i];
    });
    last_good_.time = state_.time;
    return total;
}

/// To the last good frame.
void Simulation::go_back() {
    if (divergence_ && !divergence_->failure.empty()) { // what the backend had is lost: state_ is what was read last
        is_stale_ = false;
        step_count_ = last_good_step_ = static_cast<std::int64_t>(std::llround(state_.time / step_size()));
        return;
    }
    step_count_ = last_good_step_;
    is_stale_ = backend_ != nullptr;
    if (backend_)
        backend_->restore();
    else
        state_ = last_good_;
}

const ClothState& Simulation::state() const {
    if (is_stale_) backend_->download(state_);
    is_stale_ = false;
    return state_;
}

ClothState& Simulation::edit_state() {
    state(); // as it is now
    return state_;
}

void Simulation::set_backend(std::unique_ptr<StepBackend> backend) {
    if (!backend && !backend_) return;
    last_good_ = state(); // between frames it is a good one
    if (!backend) {
        solver_->reset(state_);
        contact_->forget();
        contact_->find_tangles(*pool_, state_.position, colliders());
    }
    is_tangled_ = contact_->is_tangled();
    backend_ = std::move(backend);
    if (backend_) backend_->upload(state_);
}

void Simulation::set_state(ClothState state, std::int64_t step_count) {
    SELVAGE_ASSERT(state.position.size() == state_.position.size());
    SELVAGE_ASSERT(state.velocity.size() == state_.velocity.size());
    state_ = std::move(state);
    fit_yarn(state_);
    fit_yarn(last_good_);
    step_count_ = step_count;
    restart();
}

void Simulation::restore(std::span<const Vec3> positions, std::span<const Vec3> velocities, std::int64_t step_count,
                         bool known_clean, std::span<const YarnMemory> yarn) {
    SELVAGE_ASSERT(positions.size() == state_.position.size() && velocities.size() == state_.velocity.size());
    std::copy(positions.begin(), positions.end(), state_.position.begin());
    std::copy(velocities.begin(), velocities.end(), state_.velocity.begin());
    if (yarn.size() == state_.yarn.size())
        std::copy(yarn.begin(), yarn.end(), state_.yarn.begin());
    else
        std::fill(state_.yarn.begin(), state_.yarn.end(), YarnMemory{});
    step_count_ = step_count;
    state_.time = static_cast<double>(step_count) * step_size();
    restart(known_clean);
}

void Simulation::restart(bool known_clean) {
    std::copy(state_.position.begin(), state_.position.end(), last_good_.position.begin());
    std::copy(state_.velocity.begin(), state_.velocity.end(), last_good_.velocity.begin());
    last_good_.yarn = state_.yarn;
    last_good_.time = state_.time;
    last_good_step_ = step_count_;
    divergence_.reset();
    move_colliders(state_.time);
    move_colliders(state_.time); // twice: nothing is moving yet
    restore_lags();
    solver_->reset(state_);
    contact_->forget();
    if (!known_clean || contact_->is_tangled()) contact_->find_tangles(*pool_, state_.position, colliders());
    is_stale_ = false;
    is_tangled_ = contact_->is_tangled();
    if (backend_) backend_->upload(state_);
}

void Simulation::warn_of_tangles() {
    start_tangles_ = contact_->find_tangles(*pool_, state_.position, colliders());
    const auto warn = [&](const auto&... parts) { warnings_.push_back(concat(scene_.name, ": ", parts...)); };
    const auto place = [](const Vec3& at) { return concat(" near (", at.x, ", ", at.y, ", ", at.z, ")"); };
    const auto crossings = [](int count) { return concat(count, count == 1 ? " crossing" : " crossings"); };
    const auto solid_of = [&](int vertex) { // which collider a vertex behind the cloths' belongs to
        int collider = 0;
        for (int v = vertex - model_->vertex_count(); v >= static_cast<int>(colliders_[collider].points_now.size());)
            v -= static_cast<int>(colliders_[collider++].points_now.size());
        return concat("collider ", collider);
    };
    const auto owner = [&](int vertex) {
        return vertex < model_->vertex_count() ? concat("cloth \"", cloth_of(vertex), "\"") : solid_of(vertex);
    };
    const auto describe = [&](const SurfaceCrossing& first) {
        const Triangle& t = contact_->surface().triangles[first.triangle];
        return concat(", the first of edge ", first.edge[0], "-", first.edge[1], " of ", owner(first.edge[0]),
                      place(first.point), " through triangle ", first.triangle, " (", t[0], ", ", t[1], ", ", t[2],
                      ") of ", owner(t[0]));
    };
    if (start_tangles_.cloth > 0)
        warn("the cloth starts tangled: ", crossings(start_tangles_.cloth), describe(start_tangles_.first_cloth),
             "; it is pulled apart");
    if (start_tangles_.collider > 0)
        warn("the cloth starts in a collider: ", crossings(start_tangles_.collider),
             describe(start_tangles_.first_collider), "; it is pulled out");
    if (const InsideVertex& first = start_tangles_.first_inside; start_tangles_.inside > 0)
        warn("the cloth starts in a collider: ", start_tangles_.inside, " vertices, the first is ", first.vertex,
             " of cloth \"", cloth_of(first.vertex), "\"", place(state_.position[first.vertex]), " in collider ",
             first.collider, "; they are pushed out");
}

const std::string& Simulation::cloth_of(int vertex) const {
    const ClothPart* found = &model_->parts.front();
    for (const ClothPart& part : model_->parts)
        if (vertex >= part.vertex_begin) found = &part;
    return found->name;
}

} // namespace selvage
