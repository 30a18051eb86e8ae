#include "world/world.h"

#include <algorithm>

#include "base/concat.h"
#include "base/hash.h"
#include "collision/shapes/solid_mesh.h"
#include "sim/keyframes.h"
#include "sim/mesh_source.h"

namespace selvage {

namespace {

std::shared_ptr<ThreadPool> make_pool(const WorldSettings& settings) {
    return settings.jobs.parallel_for ? std::make_shared<ThreadPool>(settings.jobs, settings.threads)
                                      : std::make_shared<ThreadPool>(settings.threads);
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

} // namespace

World::World(const WorldSettings& settings, int index)
    : settings_(settings), pool_(make_pool(settings)), cloths_(HandleKind::cloth, index),
      colliders_(HandleKind::collider, index), attachments_(HandleKind::attachment, index),
      grabs_(HandleKind::grab, index), budget_(settings.budget_ms) {}

World::~World() = default;

Result<std::unique_ptr<World>> World::from_scene(const SceneDesc& scene, WorldSettings settings, int index) {
    settings.gravity = to_vec(scene.gravity);
    settings.dt = scene.dt;
    settings.solver = scene.solver;
    settings.substeps = scene.substeps;
    settings.air = scene.air;
    settings.velocity_damping = scene.velocity_damping;
    if (scene.budget_ms > 0.0) settings.budget_ms = scene.budget_ms;
    auto world = std::make_unique<World>(settings, index);
    std::vector<std::string> warnings;
    std::vector<WorldCollider*> colliders;
    for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
        Result<ColliderMotion> motion =
            ColliderMotion::make(scene.colliders[c], scene.directory, concat(scene.name, ": /colliders/", c), warnings);
        if (!motion) return motion.error();
        auto collider = std::make_unique<WorldCollider>();
        collider->motion = std::move(*motion);
        colliders.push_back(&world->colliders_.add(std::move(collider)));
    }
    std::vector<WorldCloth*> cloths;
    for (const ClothDesc& desc : scene.cloths) {
        auto cloth = std::make_unique<WorldCloth>();
        cloth->desc = desc;
        Result<GeneratedMesh> mesh = build_placed_mesh(desc, scene.directory, warnings);
        if (!mesh) return mesh.error();
        cloth->desc.given_mesh = std::make_shared<const GeneratedMesh>(std::move(*mesh));
        cloths.push_back(&world->cloths_.add(std::move(cloth)));
    }
    Result<std::shared_ptr<Island>> island = world->build_island(cloths, colliders);
    if (!island) return island.error();
    warnings.insert(warnings.end(), (*island)->sim.warnings().begin(), (*island)->sim.warnings().end());
    cloths.front()->warnings = joined(warnings);
    (*island)->is_scene = true;
    world->put_colliders(**island, std::move(colliders));
    world->adopt(std::move(*island));
    return world;
}

SceneDesc World::scene_of(std::span<WorldCloth* const> cloths) const {
    SceneDesc scene;
    scene.name = "world";
    scene.gravity = {settings_.gravity.x, settings_.gravity.y, settings_.gravity.z};
    scene.dt = settings_.dt;
    scene.substeps = settings_.substeps;
    scene.solver = settings_.solver;
    scene.air = settings_.air;
    scene.velocity_damping = settings_.velocity_damping;
    for (const WorldCloth* cloth : cloths)
        scene.cloths.push_back(cloth->desc);
    return scene;
}

/// A new island of these cloths, where they started; nobody belongs to it yet. Cloth that is tied to the skin of a body
/// finds it among the colliders, which are as in its scene, perhaps with more after them.
Result<std::shared_ptr<Island>> World::build_island(std::vector<WorldCloth*> cloths,
                                                    std::span<WorldCollider* const> colliders) {
    std::vector<ColliderMotion> bodies;
    if (std::any_of(cloths.begin(), cloths.end(), [](const WorldCloth* cloth) { return cloth->desc.skinned; }))
        for (const WorldCollider* collider : colliders)
            bodies.push_back(motion_at(*collider, 0.0));
    const bool has_bodies = !bodies.empty();
    Result<Simulation> sim = Simulation::make(scene_of(cloths), pool_, std::move(bodies));
    if (!sim) return sim.error();
    auto island = std::make_shared<Island>(std::move(*sim));
    if (has_bodies) island->colliders.assign(colliders.begin(), colliders.end());
    for (std::size_t part = 0; part < cloths.size(); ++part) {
        const WorldCloth& cloth = *cloths[part];
        island->meets_cloth = island->meets_cloth || cloth.desc.self_collision;
        for (const int v : cloth.unpinned)
            island->sim.unpin(island->sim.model().parts[part].vertex_begin + v);
    }
    island->cloths = std::move(cloths);
    island->sim.set_step_count(step_count());
    island->frame_start = island->sim.state();
    island->rest_position = island->sim.state().position;
    return island;
}

/// Makes the island part of the world, and its cloths' home.
void World::adopt(std::shared_ptr<Island> island) {
    for (std::size_t part = 0; part < island->cloths.size(); ++part) {
        island->cloths[part]->island = island.get();
        island->cloths[part]->part = static_cast<int>(part);
    }
    islands_.push_back(std::move(island));
    by_low_.reserve(islands_.size());
    small_.reserve(islands_.size());
    large_.reserve(islands_.size());
    group_.reserve(islands_.size());
    ++changes_;
}

void World::drop_island(Island* island) {
    std::erase_if(islands_, [&](const std::shared_ptr<Island>& other) { return other.get() == island; });
    ++changes_;
}

void World::write_state(Island& island, const WorldCloth& cloth, std::span<const Vec3> positions,
                        std::span<const Vec3> velocities, std::span<const YarnMemory> yarn) const {
    std::size_t part = 0;
    while (island.cloths[part] != &cloth)
        ++part;
    const int begin = island.sim.model().parts[part].vertex_begin;
    ClothState& state = island.sim.edit_state();
    std::copy(positions.begin(), positions.end(), state.position.begin() + begin);
    std::copy(velocities.begin(), velocities.end(), state.velocity.begin() + begin);
    if (state.yarn.empty()) return;
    if (yarn.empty())
        std::fill_n(state.yarn.begin() + begin, positions.size(), YarnMemory{});
    else
        std::copy(yarn.begin(), yarn.end(), state.yarn.begin() + begin);
}

/// Puts cloths, wherever they are now, into one island of their own. The islands they leave keep the rest. False, with nothing
/// changed, when they cannot be simulated together.
bool World::regroup(std::vector<WorldCloth*> cloths) {
    const std::vector<WorldCloth*>& order = cloths_.in_order();
    const auto rank = [&](const WorldCloth* cloth) { return std::find(order.begin(), order.end(), cloth); };
    std::sort(cloths.begin(), cloths.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); });
    // In the world's order, in which those of a scene come first.
    std::vector<WorldCollider*> colliders;
    for (WorldCollider* collider : colliders_.in_order())
        if (std::any_of(cloths.begin(), cloths.end(), [&](const WorldCloth* cloth) {
                const std::vector<WorldCollider*>& has = cloth->island->colliders;
                return std::find(has.begin(), has.end(), collider) != has.end();
            }))
            colliders.push_back(collider);
    Result<std::shared_ptr<Island>> made = build_island(cloths, colliders);
    if (!made) return false;
    Island& island = **made;
    for (const WorldCloth* cloth : cloths) {
        write_state(island, *cloth, cloth->positions(), cloth->velocities(), cloth->yarn());
        island.is_scene = island.is_scene || cloth->island->is_scene;
    }
    island.sim.restart();
    put_colliders(island, std::move(colliders));
    island.rest_position = island.frame_start.position = island.sim.state().position;
    island.frame_start.velocity = island.sim.state().velocity;
    island.frame_start.yarn = island.sim.state().yarn;
    std::vector<Island*> left;
    for (const WorldCloth* cloth : cloths)
        if (std::find(left.begin(), left.end(), cloth->island) == left.end()) left.push_back(cloth->island);
    adopt(std::move(*made));
    for (Island* old : left) {
        std::vector<WorldCloth*> rest;
        for (WorldCloth* cloth : old->cloths)
            if (cloth->island == old) rest.push_back(cloth);
        if (!rest.empty())
            regroup(std::move(rest));
        else
            drop_island(old);
    }
    return true;
}

Result<std::uint64_t> World::add_cloth(ClothDesc desc, const std::filesystem::path& directory, void* user_data) {
    if (cloths_.is_full()) return Error{"the world has as many cloths as it can have", {}, ErrorKind::work};
    std::vector<std::string> warnings;
    auto cloth = std::make_unique<WorldCloth>();
    Result<GeneratedMesh> mesh = build_placed_mesh(desc, directory, warnings);
    if (!mesh) return mesh.error();
    desc.given_mesh = std::make_shared<const GeneratedMesh>(std::move(*mesh));
    cloth->desc = std::move(desc);
    cloth->user_data = user_data;
    Result<std::shared_ptr<Island>> island = build_island({cloth.get()}, {});
    if (!island) return island.error();
    warnings.insert(warnings.end(), (*island)->sim.warnings().begin(), (*island)->sim.warnings().end());
    cloth->warnings = joined(warnings);
    WorldCloth& added = cloths_.add(std::move(cloth));
    (*island)->cloths = {&added};
    adopt(std::move(*island));
    return added.handle;
}

void World::remove_cloth(WorldCloth& cloth) {
    for (const WorldAttachment* attachment : cloth.attachments)
        attachments_.remove(attachment->handle);
    for (const WorldGrab* grab : cloth.grabs)
        grabs_.remove(grab->handle);
    Island* island = cloth.island;
    wake_near(grown(island->bounds(), kTouch));
    std::vector<WorldCloth*> rest = island->cloths;
    std::erase(rest, &cloth);
    if (!rest.empty()) regroup(std::move(rest)); // leaves an island of this cloth alone
    drop_island(cloth.island);
    cloths_.remove(cloth.handle);
}

std::uint64_t World::add_collider(std::unique_ptr<WorldCollider> collider) {
    const Aabb box = collider->motion.at(time()).bounds();
    const std::uint64_t handle = colliders_.add(std::move(collider)).handle;
    wake_near(grown(box, kTouch));
    return handle;
}

Result<std::uint64_t> World::add_collider(const ColliderDesc& desc, const Pose& pose, void* user_data) {
    if (colliders_.is_full()) return Error{"the world has as many colliders as it can have", {}, ErrorKind::work};
    std::vector<std::string> warnings;
    Result<ColliderMotion> motion = ColliderMotion::make(desc, {}, "collider", warnings);
    if (!motion) return motion.error();
    auto collider = std::make_unique<WorldCollider>();
    collider->motion = std::move(*motion);
    collider->motion.set_pose(pose);
    collider->is_driven = true;
    collider->from = collider->to = pose;
    collider->user_data = user_data;
    return add_collider(std::move(collider));
}

Result<std::uint64_t> World::add_moving_collider(const ColliderDesc& desc, const std::filesystem::path& directory) {
    if (colliders_.is_full()) return Error{"the world has as many colliders as it can have", {}, ErrorKind::work};
    std::vector<std::string> warnings;
    Result<ColliderMotion> motion = ColliderMotion::make(desc, directory, "collider", warnings);
    if (!motion) return motion.error();
    auto collider = std::make_unique<WorldCollider>();
    collider->motion = std::move(*motion);
    collider->from = collider->to = collider->motion.pose(time());
    return add_collider(std::move(collider));
}

Result<std::uint64_t> World::add_mesh_collider(const ColliderDesc& desc, TriangleMesh mesh, const Pose& pose,
                                               void* user_data) {
    ColliderDesc given = desc;
    SolidMeshDesc shape;
    shape.given_mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
    given.shape = std::move(shape);
    return add_collider(given, pose, user_data);
}

void World::remove_collider(WorldCollider& collider) {
    const std::vector<WorldAttachment*> attachments = attachments_.in_order();
    for (WorldAttachment* attachment : attachments) // what hung on it is let go
        if (attachment->skin && attachment->skin->collider == collider.handle) remove_attachment(*attachment);
    const double now = time();
    wake_near(grown(motion_at(collider, 0.0).at(now).bounds(), kTouch));
    // Cloth that is tied to it hangs free from now on, and so does what is tied to a later one, whose number changes.
    const std::vector<WorldCollider*>& all = colliders_.in_order();
    const auto number = static_cast<int>(std::find(all.begin(), all.end(), &collider) - all.begin());
    for (WorldCloth* cloth : cloths_.in_order())
        if (cloth->desc.skinned && cloth->desc.skinned->collider >= number) cloth->desc.skinned.reset();
    for (const std::shared_ptr<Island>& island : islands_) {
        if (std::find(island->colliders.begin(), island->colliders.end(), &collider) == island->colliders.end())
            continue;
        std::vector<WorldCollider*> rest = island->colliders;
        std::erase(rest, &collider);
        put_colliders(*island, std::move(rest));
    }
    colliders_.remove(collider.handle);
}

ColliderMotion World::motion_at(const WorldCollider& collider, double fraction) const {
    ColliderMotion motion = collider.motion;
    collider.drive(motion, fraction);
    return motion;
}

void World::put_colliders(Island& island, std::vector<WorldCollider*> colliders) {
    std::vector<ColliderMotion> motions;
    for (const WorldCollider* collider : colliders)
        motions.push_back(motion_at(*collider, 0.0));
    std::size_t same = 0;
    while (same < colliders.size() && same < island.colliders.size() && colliders[same] == island.colliders[same])
        ++same;
    island.sim.set_colliders(std::move(motions), static_cast<int>(same));
    island.colliders = std::move(colliders);
}

void World::wake(Island& island) {
    island.rest_frames = 0;
    if (island.is_awake) return;
    island.is_awake = true;
    for (std::size_t c = 0; c < island.colliders.size(); ++c)
        island.colliders[c]->drive(island.sim.collider_motion(static_cast<int>(c)), 0.0);
    island.sim.set_step_count(step_count());
}

void World::wake_near(const Aabb& box) {
    for (const std::shared_ptr<Island>& island : islands_)
        if (!island->is_awake && island->bounds().touches(box)) wake(*island);
}

void World::wake_all() {
    for (const std::shared_ptr<Island>& island : islands_)
        wake(*island);
}

void World::wake(WorldCloth& cloth) {
    wake(*cloth.island);
}

void World::sleep(WorldCloth& cloth) {
    Island& island = *cloth.island;
    if (!island.is_awake) return;
    std::fill(island.sim.edit_state().velocity.begin(), island.sim.edit_state().velocity.end(), Vec3{});
    island.sim.restart(true);
    island.is_awake = false;
    island.reach = grown(island.bounds(), kTouch); // what comes nearer wakes it
    ++changes_;
}

void World::set_gravity(const Vec3& gravity) {
    settings_.gravity = gravity;
    for (const std::shared_ptr<Island>& island : islands_)
        island->sim.set_gravity(gravity);
    wake_all();
}

void World::set_air(const AirDesc& air) {
    settings_.air = air;
    for (const std::shared_ptr<Island>& island : islands_)
        island->sim.set_air(air);
    wake_all();
}

void World::set_solver(const SolverSettings& solver, int substeps) {
    wake_all(); // all count steps alike
    settings_.solver = solver;
    settings_.substeps = substeps;
    for (const std::shared_ptr<Island>& island : islands_)
        island->sim.set_solver(solver, substeps);
}

void World::set_budget(double ms) {
    settings_.budget_ms = ms;
    budget_ = FrameBudget(ms);
}

void World::set_state(WorldCloth& cloth, std::span<const Vec3> positions, std::span<const Vec3> velocities,
                      std::span<const YarnMemory> yarn) {
    wake(cloth);
    write_state(*cloth.island, cloth, positions, velocities, yarn);
    cloth.island->sim.restart();
    ++changes_;
}

void World::reset(WorldCloth& cloth) {
    const std::vector<Vec3>& start = start_positions(*cloth.desc.given_mesh);
    const std::vector<Vec3> velocities(start.size(), to_vec(cloth.desc.velocity));
    set_state(cloth, start, velocities);
}

/// From now on the program holds what the cloth's own pins hold.
void World::pin_held(WorldCloth& cloth) {
    const int begin = cloth.model_part().vertex_begin;
    for (const PinGroup& group : cloth.island->sim.pins())
        for (const int v : group.vertices())
            if (group.holds(time()) && v >= begin && v < begin + cloth.vertex_count()) {
                const Vec3 place = cloth.positions()[v - begin];
                if (find_pin(cloth, v - begin) == cloth.pins.end()) cloth.pins.push_back({v - begin, place, place});
            }
    unpin_described(cloth);
}

void World::unpin_described(WorldCloth& cloth) {
    const int begin = cloth.model_part().vertex_begin;
    cloth.unpinned.clear();
    for (int v = 0; v < cloth.vertex_count(); ++v) {
        cloth.unpinned.push_back(v);
        cloth.island->sim.unpin(begin + v);
    }
}

void World::teleport(WorldCloth& cloth, const Rotation& turn, const Vec3& translation, bool stop) {
    const auto place = [&](const Vec3& p) { return translation + turn * p; };
    pin_held(cloth);
    std::vector<Vec3> positions(cloth.positions().begin(), cloth.positions().end());
    std::vector<Vec3> velocities(cloth.velocities().begin(), cloth.velocities().end());
    for (Vec3& p : positions)
        p = place(p);
    for (Vec3& v : velocities)
        v = stop ? Vec3{} : turn * v;
    for (ProgramPin& pin : cloth.pins)
        pin.from = pin.to = place(pin.to);
    for (WorldAttachment* attachment : cloth.attachments)
        attachment->from = attachment->to = {place(attachment->to.centre), turn * attachment->to.turn};
    for (WorldGrab* grab : cloth.grabs) {
        grab->from = grab->to = place(grab->to);
        for (Vec3& offset : grab->offset)
            offset = turn * offset;
    }
    wake_near(grown(cloth.island->bounds(), kTouch)); // what lay on it
    if (cloth.island->cloths.size() > 1 && !cloth.island->is_scene) regroup({&cloth});
    const std::vector<YarnMemory> yarn(cloth.yarn().begin(), cloth.yarn().end());
    set_state(cloth, positions, velocities, yarn);
}

std::vector<ProgramPin>::iterator World::find_pin(WorldCloth& cloth, int vertex) {
    return std::find_if(cloth.pins.begin(), cloth.pins.end(),
                        [&](const ProgramPin& pin) { return pin.vertex == vertex; });
}

void World::pin(WorldCloth& cloth, std::span<const int> vertices) {
    const int begin = cloth.model_part().vertex_begin;
    const auto is_described = [&](int v) {
        const std::span<const PinGroup> groups = cloth.island->sim.pins();
        return std::any_of(groups.begin(), groups.end(), [&](const PinGroup& group) {
            return std::find(group.vertices().begin(), group.vertices().end(), begin + v) != group.vertices().end();
        });
    };
    for (const int v : vertices) {
        const Vec3 place = cloth.positions()[v];
        if (find_pin(cloth, v) == cloth.pins.end() && !is_described(v)) cloth.pins.push_back({v, place, place});
    }
    wake(cloth);
}

void World::move_pins(WorldCloth& cloth, std::span<const int> vertices, std::span<const Vec3> targets) {
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        auto pin = find_pin(cloth, vertices[k]);
        if (pin == cloth.pins.end()) {
            const Vec3 place = cloth.positions()[vertices[k]];
            pin = cloth.pins.insert(pin, {vertices[k], place, place});
        }
        pin->to = targets[k];
    }
    wake(cloth);
}

void World::unpin(WorldCloth& cloth, std::span<const int> vertices) {
    for (const int v : vertices) {
        std::erase_if(cloth.pins, [&](const ProgramPin& pin) { return pin.vertex == v; });
        if (std::find(cloth.unpinned.begin(), cloth.unpinned.end(), v) == cloth.unpinned.end())
            cloth.unpinned.push_back(v);
        cloth.island->sim.unpin(cloth.model_part().vertex_begin + v);
    }
    wake(cloth);
}

void World::unpin_all(WorldCloth& cloth) {
    cloth.pins.clear();
    unpin_described(cloth);
    wake(cloth);
}

WorldAttachment* World::attach(WorldCloth& cloth, std::span<const int> vertices, const Pose& pose) {
    if (attachments_.is_full()) return nullptr;
    auto attachment = std::make_unique<WorldAttachment>();
    attachment->cloth = cloth.handle;
    attachment->vertices.assign(vertices.begin(), vertices.end());
    for (const int v : vertices)
        attachment->local.push_back(pose.to_local(cloth.positions()[v]));
    attachment->from = attachment->to = pose;
    wake(cloth);
    cloth.attachments.push_back(&attachments_.add(std::move(attachment)));
    return cloth.attachments.back();
}

/// Where the collider's mesh is now, and how to know where it will be.
SkinHold World::hold_on(WorldCollider& collider) const {
    SkinHold hold;
    hold.collider = collider.handle;
    hold.motion = motion_at(collider, 0.0);
    hold.now = hold.motion.at(time());
    return hold;
}

Result<WorldAttachment*> World::attach_to_skin(WorldCloth& cloth, std::span<const int> vertices,
                                               WorldCollider& collider) {
    if (attachments_.is_full()) return Error{"the world has as many attachments as it can have", {}, ErrorKind::work};
    auto attachment = std::make_unique<WorldAttachment>();
    attachment->cloth = cloth.handle;
    attachment->vertices.assign(vertices.begin(), vertices.end());
    attachment->skin = hold_on(collider);
    const Collider& now = attachment->skin->now;
    const SolidMesh* solid = now.mesh();
    if (!solid || !std::holds_alternative<MeshSolid>(now.shape))
        return Error{"the collider has no skin; expected a mesh or a character"};
    SurfaceTree tree;
    tree.build(solid->mesh.triangles, now.points_now);
    for (const int v : vertices)
        attachment->skin->ties.push_back(tie_to_skin(*solid, tree, now.points_now, cloth.positions()[v]));
    wake(cloth);
    cloth.attachments.push_back(&attachments_.add(std::move(attachment)));
    return cloth.attachments.back();
}

void World::move_attachment(WorldAttachment& attachment, const Pose& pose) {
    attachment.to = pose;
    wake(*cloths_.find(attachment.cloth));
}

void World::remove_attachment(WorldAttachment& attachment) {
    WorldCloth& cloth = *cloths_.find(attachment.cloth);
    wake(cloth);
    std::erase(cloth.attachments, &attachment);
    attachments_.remove(attachment.handle);
}

WorldGrab* World::grab(WorldCloth& cloth, int triangle, const Vec3& weight) {
    if (grabs_.is_full()) return nullptr;
    auto grab = std::make_unique<WorldGrab>();
    grab->cloth = cloth.handle;
    grab->vertices = cloth.desc.given_mesh->mesh.triangles[triangle];
    grab->weight = weight;
    grab->from = grab->to = point_of(*grab);
    for (int k = 0; k < 3; ++k)
        grab->offset[k] = cloth.positions()[grab->vertices[k]] - grab->to;
    wake(cloth);
    cloth.grabs.push_back(&grabs_.add(std::move(grab)));
    return cloth.grabs.back();
}

Vec3 World::point_of(const WorldGrab& grab) const {
    const std::span<const Vec3> x = cloths_.find(grab.cloth)->positions();
    return grab.weight.x * x[grab.vertices[0]] + grab.weight.y * x[grab.vertices[1]] +
           grab.weight.z * x[grab.vertices[2]];
}

void World::move_grab(WorldGrab& grab, const Vec3& target) {
    grab.to = target;
    wake(*cloths_.find(grab.cloth));
}

void World::release(WorldGrab& grab) {
    WorldCloth& cloth = *cloths_.find(grab.cloth);
    wake(cloth);
    std::erase(cloth.grabs, &grab);
    grabs_.remove(grab.handle);
}

/// A collider of a scene starts to be the program's where it is.
void World::take_over(WorldCollider& collider) {
    if (collider.is_driven) return;
    collider.from = collider.to = collider.motion.pose(time());
    collider.is_driven = true;
}

void World::move_collider(WorldCollider& collider, const Pose& pose) {
    take_over(collider);
    collider.to = pose;
}

void World::teleport_collider(WorldCollider& collider, const Pose& pose) {
    wake_near(grown(motion_at(collider, 0.0).at(time()).bounds(), kTouch));
    take_over(collider);
    collider.from = collider.to = pose;
    collider.points_from.clear();
    collider.points_to.clear();
    collider.motion.forget_points();
    place_again(collider);
    wake_near(grown(motion_at(collider, 0.0).at(time()).bounds(), kTouch));
}

/// For islands that have it: stands still where it is now.
void World::place_again(WorldCollider& collider) {
    for (const std::shared_ptr<Island>& island : islands_)
        if (std::find(island->colliders.begin(), island->colliders.end(), &collider) != island->colliders.end())
            put_colliders(*island, island->colliders);
}

Status World::check_collider_points(const WorldCollider& collider, std::size_t count) const {
    const auto* mesh = std::get_if<MeshSolid>(&collider.motion.shape());
    if (!mesh)
        return Error{"this collider has no vertices to move; expected one of the kind mesh", {}, ErrorKind::work};
    const std::size_t expected = mesh->surface->mesh.positions.size();
    if (count != expected)
        return Error{concat("found ", count, " vertices; expected the collider's ", expected), {}, ErrorKind::work};
    return Done{};
}

void World::set_collider_points(WorldCollider& collider, std::span<const Vec3> world) {
    if (collider.points_to.empty()) {
        const Collider now = motion_at(collider, 0.0).at(time());
        take_over(collider);
        collider.points_from = collider.points_to = now.points_now;
        place_again(collider); // a mesh that bends needs other structures
    }
    std::copy(world.begin(), world.end(), collider.points_to.begin());
}

Pose World::collider_pose(const WorldCollider& collider) const {
    return collider.is_driven ? collider.from : collider.motion.pose(time());
}

double World::time() const {
    return static_cast<double>(step_count()) * (settings_.dt / settings_.substeps);
}

std::uint64_t World::hash() const {
    const double now = time();
    std::uint64_t hash = hash_bytes(&now, sizeof now);
    for (const WorldCloth* cloth : cloths_.in_order())
        hash = hash_bytes(cloth->positions().data(), cloth->positions().size_bytes(), hash);
    for (const WorldCloth* cloth : cloths_.in_order())
        hash = hash_bytes(cloth->velocities().data(), cloth->velocities().size_bytes(), hash);
    return hash;
}

} // namespace selvage
