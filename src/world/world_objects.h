#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/scene_desc.h"
#include "sim/collider_motion.h"
#include "sim/simulation.h"
#include "sim/skin_tie.h"

namespace selvage {

struct Island;
struct WorldAttachment;
struct WorldGrab;

/// The box with `by` added on every side [m].
inline Aabb grown(const Aabb& box, double by) {
    return {box.low - by * Vec3{1, 1, 1}, box.high + by * Vec3{1, 1, 1}};
}

/// A vertex that the program holds, and where it goes in the next frame.
struct ProgramPin {
    int vertex = 0; ///< Of its cloth.
    Vec3 from, to;
};

/// Positions, velocities or normals of a cloth in a form that somebody asked for; made anew after a change. Shared, so
/// that who holds a view of it may outlive the cloth.
template <class T>
struct MadeView {
    std::shared_ptr<std::vector<T>> data;
    std::int64_t made_at = -1; ///< World::changes() when it was made.
};

/// A piece of cloth in a world.
struct WorldCloth {
    std::uint64_t handle = 0;
    ClothDesc desc; ///< With the mesh in memory and in place.
    void* user_data = nullptr;
    std::string warnings;
    std::vector<int> unpinned; ///< Vertices of the description's pins that were let go.
    std::vector<ProgramPin> pins;
    std::vector<WorldAttachment*> attachments;
    std::vector<WorldGrab*> grabs;
    Island* island = nullptr;
    int part = 0; ///< Of the island's model.

    mutable MadeView<Vec3f> positions_f, velocities_f, normals_f;
    mutable MadeView<Vec3> normals;

    int vertex_count() const { return desc.given_mesh->mesh.vertex_count(); }
    const ClothPart& model_part() const;
    std::span<const Vec3> positions() const;
    std::span<const Vec3> velocities() const;
    std::span<const YarnMemory> yarn() const; ///< Empty where nothing of its island bends with friction.
};

/// Something that cloth cannot pass.
struct WorldCollider {
    std::uint64_t handle = 0;
    void* user_data = nullptr;
    ColliderMotion motion;
    bool is_driven = false;                   ///< The program moves it; otherwise its scene does.
    Pose from, to;                            ///< At the start and the end of the next frame, when driven.
    std::vector<Vec3> points_from, points_to; ///< Of a mesh whose vertices the program moves; else empty.
    Aabb swept;                               ///< Around its path in the next frame.
    bool moves = false;                       ///< In the next frame.
    mutable MadeView<Vec3> vertices;          ///< Of its mesh.

    /// Tells a motion where the collider is at a fraction of the next frame.
    void drive(ColliderMotion& copy, double fraction) const;
};

/// Vertices of a cloth that follow a collider's mesh, and what it takes to know where that is within a frame.
struct SkinHold {
    std::uint64_t collider = 0;
    std::vector<SkinTie> ties;
    ColliderMotion motion; ///< A copy: islands are stepped side by side.
    Collider now;
};

/// Vertices of a cloth that follow a frame, or a skin.
struct WorldAttachment {
    std::uint64_t handle = 0, cloth = 0;
    std::vector<int> vertices;
    std::vector<Vec3> local; ///< In the frame [m]; of a skin none.
    Pose from, to;
    std::optional<SkinHold> skin;
};

/// A point of a cloth that a hand holds. The triangle it lies on is held like a stiff patch, so that the point itself is exactly
/// where it is wanted, with any solver.
struct WorldGrab {
    std::uint64_t handle = 0, cloth = 0;
    std::array<int, 3> vertices{};
    Vec3 weight;
    std::array<Vec3, 3> offset; ///< Of the vertices from the point [m].
    Vec3 from, to;
};

/// Cloths that may touch each other, simulated together; and the colliders they may meet. The world owns it; who holds
/// a view of its state may share it, and keeps that memory beyond the island's end.
struct Island : std::enable_shared_from_this<Island> {
    explicit Island(Simulation made) : sim(std::move(made)) {}

    Simulation sim;
    std::vector<WorldCloth*> cloths;       ///< In the order of the model's parts.
    std::vector<WorldCollider*> colliders; ///< In the order of the simulation's.
    bool is_scene = false;                 ///< Made from a scene: stays together and keeps the scene's colliders.
    bool is_awake = true;
    bool meets_cloth = false; ///< Some cloth of it keeps off other cloth.
    int rest_frames = 0;
    int number = 0;                  ///< In the world's list, in the present frame.
    std::vector<Vec3> rest_position; ///< Since rest_frames nothing has gone far from here.
    ClothState frame_start;          ///< For taking a frame again.
    Aabb reach;                      ///< Everything is inside, to the end of the next frame as far as can be foreseen.
    std::vector<HeldPoint> held;     ///< Of a substep.

    int vertex_count() const { return sim.model().vertex_count(); }
    Aabb bounds() const;
};

/// The pose a fraction of the way from one to another, turning about a fixed axis.
Pose pose_between(const Pose& from, const Pose& to, double fraction);

} // namespace selvage
