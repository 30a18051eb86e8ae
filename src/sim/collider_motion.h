#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "character/character_motion.h"
#include "collision/shapes/collider.h"
#include "geometry/vertex_cache.h"
#include "scene/scene_desc.h"

namespace selvage {

/// The mannequin that a description asks for, or the character of its file.
Result<Character> load_character(const CharacterDesc& desc, const std::filesystem::path& directory,
                                 std::vector<std::string>& warnings);

/// A solid and how it moves.
class ColliderMotion {
public:
    /// Makes or reads the solid; file names start at `directory`. `location` names it in warnings.
    static Result<ColliderMotion> make(const ColliderDesc& desc, const std::filesystem::path& directory,
                                       const std::string& location, std::vector<std::string>& warnings);

    const ColliderShape& shape() const { return shape_; } ///< With the place's scale applied.
    Pose pose(double time) const;
    bool has_frames() const { return cache_ || character_; } ///< Its vertices move by themselves.
    const Character* character() const {
        return character_ ? &character_->character() : nullptr;
    } ///< Null: it is none.
    /// Around a path from one pose to another; of a mesh whose points are given, from some to others. Infinite for
    /// ground, and for a character, which may walk anywhere.
    Aabb swept_bounds(const Pose& from, const Pose& to, std::span<const Vec3> points_from,
                      std::span<const Vec3> points_to) const;

    void set_shift(const Vec3& shift) { shift_ = shift; } ///< Carries it aside by hand from the next move on [m].

    /// From the next move on it is at this pose; its own motion has no say any more.
    void set_pose(const Pose& pose) { given_pose_ = pose; }
    void forget_pose() { given_pose_.reset(); } ///< Its own motion has its say again.
    void forget_points() { given_.clear(); }    ///< The pose has its say again, over the mesh's own shape.
    /// From the next move on the mesh's vertices are this fraction of the straight path between two places of the world. Both
    /// have a point per vertex. Allocates only the first time.
    void set_points_between(std::span<const Vec3> from, std::span<const Vec3> to, double fraction);

    Collider at_start() const { return at(0.0); }
    Collider at(double time) const; ///< As it is at that time, standing still.
    /// Goes on to `time`: what was now becomes before. Allocates nothing.
    void move(Collider& collider, double time) const;

    /// From the next move on the mesh's vertices are at these places of the world, and stay there until told otherwise; files
    /// and poses have no say any more. Fails, with nothing changed, when this is no mesh, or points are missing or not finite.
    Status set_points(std::span<const Vec3> world, Collider& collider);

    /// Of what came from files, so that a run is not resumed with other ones.
    std::uint64_t content_hash(std::uint64_t hash) const;

private:
    Status make_character(const CharacterDesc& desc, const std::filesystem::path& directory,
                          const std::string& location, std::vector<std::string>& warnings);
    void fill_points(const SolidMesh& solid, double time, const Pose& pose, std::vector<Vec3>& points) const;

    ColliderDesc desc_;
    ColliderShape shape_;
    Pose start_;
    Vec3 shift_;
    std::optional<Pose> given_pose_;
    std::shared_ptr<const VertexCache> cache_;         // null: the mesh keeps its shape
    mutable std::optional<CharacterMotion> character_; // its own of every copy: posing it needs scratch memory
    std::vector<Vec3> given_;                          // empty until set_points
};

} // namespace selvage
