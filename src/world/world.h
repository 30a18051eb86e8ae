#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "selvage/selvage.h"
#include "sim/picking.h"
#include "world/slot_map.h"
#include "world/world_objects.h"

namespace selvage {

struct WorldSettings {
    Vec3 gravity{0, -9.81, 0}; ///< [m/s2].
    double dt = 1.0 / 60.0;    ///< Length of a frame [s].
    SolverSettings solver = MultilevelSettings{.quality = Quality::low};
    int substeps = 4;
    AirDesc air;
    double velocity_damping = 0.0; ///< [1/s].
    int threads = 1;
    JobSystem jobs;
    bool sleeping = true;
    double sleep_distance = 0.001; ///< [m].
    double sleep_time = 1.0;       ///< [s].
    double budget_ms = 0.0;        ///< Time that a frame should keep to [ms]; 0: any.
};

struct WorldStatistics {
    int awake_cloths = 0, awake_islands = 0;
    std::int64_t contacts = 0, limited = 0;
    double frame_ms = 0.0, solver_ms = 0.0, contact_ms = 0.0;
};

struct RayHit {
    std::uint64_t cloth = 0, collider = 0; ///< Handles; one of them is 0.
    ClothHit hit;
};

enum class DebugLines : unsigned { edges = 1, pins = 2, contacts = 4, bounds = 8, colliders = 16, velocities = 32 };

/// Cloths and colliders that come and go, simulated in islands: cloths that may touch share one Simulation, others have one
/// each, so that they neither disturb nor wait for each other, and those at rest can sleep. A frame reads top to bottom in step().
class World {
public:
    /// `index` becomes part of the handles.
    World(const WorldSettings& settings, int index);
    static Result<std::unique_ptr<World>> from_scene(const SceneDesc& scene, WorldSettings settings, int index);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// One frame. Fails when a cloth has diverged; the others have advanced. Under a budget a frame may be left out:
    /// nothing moves, and time stands still.
    Status step();
    /// As many frames as fit into what has piled up; see selvage_world_advance().
    struct Advance {
        int steps = 0;
        double alpha = 0.0, dropped = 0.0;
    };
    Result<Advance> advance(double seconds, int max_steps);

    Result<std::uint64_t> add_cloth(ClothDesc desc, const std::filesystem::path& directory, void* user_data);
    void remove_cloth(WorldCloth& cloth);
    Result<std::uint64_t> add_collider(const ColliderDesc& desc, const Pose& pose, void* user_data);
    /// One that moves as its description says, until the program moves it. File names start at `directory`.
    Result<std::uint64_t> add_moving_collider(const ColliderDesc& desc, const std::filesystem::path& directory);
    Result<std::uint64_t> add_mesh_collider(const ColliderDesc& desc, TriangleMesh mesh, const Pose& pose,
                                            void* user_data);
    void remove_collider(WorldCollider& collider);

    void set_gravity(const Vec3& gravity);
    void set_air(const AirDesc& air);
    void set_solver(const SolverSettings& solver, int substeps);
    void set_budget(double ms); ///< 0: none.
    const WorldSettings& settings() const { return settings_; }

    // Of cloths; each wakes its cloth.
    void set_state(WorldCloth& cloth, std::span<const Vec3> positions, std::span<const Vec3> velocities,
                   std::span<const YarnMemory> yarn = {});
    void teleport(WorldCloth& cloth, const Rotation& turn, const Vec3& translation, bool stop);
    void reset(WorldCloth& cloth);
    void pin(WorldCloth& cloth, std::span<const int> vertices);
    void move_pins(WorldCloth& cloth, std::span<const int> vertices, std::span<const Vec3> targets);
    void unpin(WorldCloth& cloth, std::span<const int> vertices);
    void unpin_all(WorldCloth& cloth);
    WorldAttachment* attach(WorldCloth& cloth, std::span<const int> vertices, const Pose& pose); ///< Null when full.
    Result<WorldAttachment*> attach_to_skin(WorldCloth& cloth, std::span<const int> vertices, WorldCollider& collider);
    void move_attachment(WorldAttachment& attachment, const Pose& pose);
    void remove_attachment(WorldAttachment& attachment);
    WorldGrab* grab(WorldCloth& cloth, int triangle, const Vec3& weight); ///< Null when full.
    void move_grab(WorldGrab& grab, const Vec3& target);
    void release(WorldGrab& grab);
    void wake(WorldCloth& cloth);
    void sleep(WorldCloth& cloth);

    // Of colliders; each wakes cloth nearby.
    void move_collider(WorldCollider& collider, const Pose& pose);
    void teleport_collider(WorldCollider& collider, const Pose& pose);
    Status check_collider_points(const WorldCollider& collider, std::size_t count) const;
    void set_collider_points(WorldCollider& collider, std::span<const Vec3> world); ///< Of the right count.
    Pose collider_pose(const WorldCollider& collider) const;

    SlotMap<WorldCloth>& cloths() { return cloths_; }
    SlotMap<WorldCollider>& colliders() { return colliders_; }
    SlotMap<WorldAttachment>& attachments() { return attachments_; }
    SlotMap<WorldGrab>& grabs() { return grabs_; }
    std::size_t island_count() const { return islands_.size(); }

    double time() const;
    std::int64_t frames() const { return frame_; }
    std::int64_t changes() const { return changes_; } ///< Goes up whenever some cloth may have moved.
    std::uint64_t hash() const;
    const WorldStatistics& statistics() const { return statistics_; }
    const FrameBudget& budget() const { return budget_; }
    double dropped_seconds() const { return dropped_seconds_; } ///< Of frames left out.
    double largest_stretch() const;
    std::span<const selvage_contact_event> contact_events() const { return events_; }
    std::optional<RayHit> raycast(const Ray& ray, double reach, bool cloth, bool colliders) const;
    std::size_t debug_lines(unsigned what,
                            std::span<selvage_debug_line> lines) const; ///< Returns how many there are in all.
    Vec3 point_of(const WorldGrab& grab) const;

    /// Views that are made when asked for; safe to be called by several threads.
    std::span<const Vec3> collider_vertices(const WorldCollider& collider) const; ///< Empty: it is no mesh.
    std::span<const Vec3f> positions_f(const WorldCloth& cloth) const;
    std::span<const Vec3f> velocities_f(const WorldCloth& cloth) const;
    std::span<const Vec3> normals(const WorldCloth& cloth) const;
    std::span<const Vec3f> normals_f(const WorldCloth& cloth) const;

    /// All cloths as one scene, with their meshes in memory and without colliders: for who draws the world.
    SceneDesc scene() const { return scene_of(cloths_.in_order()); }
    std::vector<Collider> colliders_now() const; ///< In the order they were added.

    std::size_t snapshot_size() const;
    std::size_t snapshot(std::span<char> buffer) const; ///< The buffer must be large enough.
    Status restore(std::span<const char> buffer);       ///< Fails with nothing changed.

private:
    friend class SnapshotReader;
    static constexpr double kTouch = 0.05; // [m]; cloth this near to what moves, comes or goes is woken

    SceneDesc scene_of(std::span<WorldCloth* const> cloths) const;
    Result<std::shared_ptr<Island>> build_island(std::vector<WorldCloth*> cloths,
                                                 std::span<WorldCollider* const> colliders);
    void adopt(std::shared_ptr<Island> island);
    bool regroup(std::vector<WorldCloth*> cloths);
    void drop_island(Island* island);
    /// Yarns forget how they were bent where `yarn` is empty.
    void write_state(Island& island, const WorldCloth& cloth, std::span<const Vec3> positions,
                     std::span<const Vec3> velocities, std::span<const YarnMemory> yarn) const;
    void wake(Island& island);
    void wake_near(const Aabb& box);
    void wake_all();
    std::int64_t step_count() const { return frame_ * settings_.substeps; }
    SkinHold hold_on(WorldCollider& collider) const;
    ColliderMotion motion_at(const WorldCollider& collider, double fraction) const;
    void put_colliders(Island& island, std::vector<WorldCollider*> colliders);
    void place_again(WorldCollider& collider);
    void pin_held(WorldCloth& cloth);
    void unpin_described(WorldCloth& cloth);
    void take_over(WorldCollider& collider);
    std::vector<ProgramPin>::iterator find_pin(WorldCloth& cloth, int vertex);
    std::uint64_t add_collider(std::unique_ptr<WorldCollider> collider);

    // The phases of a frame: world_step.cpp.
    bool drop_frame();
    void sweep_colliders();
    void foresee_reach();
    void wake_by_colliders();
    void join_islands();
    void find_meetings();
    void give_colliders();
    void step_islands();
    void step_island(Island& island);
    void drive(Island& island, double fraction);
    void take_missed_again();
    void finish_frame();
    void find_rest();
    void part_islands();
    void list_contacts();
    void carry_contacts();
    void keep_budget();
    Status diverged() const;

    WorldSettings settings_;
    std::shared_ptr<ThreadPool> pool_;
    SlotMap<WorldCloth> cloths_;
    SlotMap<WorldCollider> colliders_;
    SlotMap<WorldAttachment> attachments_;
    SlotMap<WorldGrab> grabs_;
    std::vector<std::shared_ptr<Island>> islands_;
    std::int64_t frame_ = 0, changes_ = 0;
    double pending_ = 0.0; // of advance() [s]
    WorldStatistics statistics_;
    FrameBudget budget_;
    double dropped_seconds_ = 0.0;
    std::vector<selvage_contact_event> events_, events_before_;
    std::vector<Island*> by_low_, small_, large_; // of a frame
    std::vector<int> group_;                      // islands that meet have the same one
    mutable std::mutex view_mutex_;
};

} // namespace selvage
