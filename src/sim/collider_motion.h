#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "collision/shapes/collider.h"
#include "geometry/vertex_cache.h"
#include "scene/scene_desc.h"

namespace selvage {

/// A solid and how it moves.
class ColliderMotion {
public:
    /// Makes or reads the solid; file names start at `directory`. `location` names it in warnings.
    static Result<ColliderMotion> make(const ColliderDesc& desc, const std::filesystem::path& directory,
                                       const std::string& location, std::vector<std::string>& warnings);

    const ColliderShape& shape() const { return shape_; } ///< With the place's scale applied.
    Pose pose(double time) const;

    void set_shift(const Vec3& shift) { shift_ = shift; } ///< Carries it aside by hand from the next move on [m].

    Collider at_start() const; ///< As it is at time 0, standing still.
    /// Goes on to `time`: what was now becomes before. Allocates nothing.
    void move(Collider& collider, double time) const;

    /// From the next move on the mesh's vertices are at these places of the world, and stay there until told otherwise; files
    /// and poses have no say any more. Fails, with nothing changed, when this is no mesh, or points are missing or not finite.
    Status set_points(std::span<const Vec3> world, Collider& collider);

    /// Of what came from files, so that a run is not resumed with other ones.
    std::uint64_t content_hash(std::uint64_t hash) const;

private:
    void fill_points(const SolidMesh& solid, double time, const Pose& pose, std::vector<Vec3>& points) const;

    ColliderDesc desc_;
    ColliderShape shape_;
    Pose start_;
    Vec3 shift_;
    std::shared_ptr<const VertexCache> cache_; // null: the mesh keeps its shape
    std::vector<Vec3> given_;                  // empty until set_points
};

} // namespace selvage
