#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "geometry/topology.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// A detailed mesh that follows a coarse, moving one: simulate a thousand vertices, draw fifty thousand with pockets and
/// buttons. Each of its vertices is tied to the nearest place of the coarse mesh, with its distance from there in a frame
/// of edge and smooth normal. So it turns and bends with the coarse mesh, and where that has not moved it is itself.
class WrappedMesh {
public:
    /// Ties `fine` to `coarse` where both are. Fails when they are not in the same place, and names how far they are apart.
    static Result<WrappedMesh> make(const TriangleMesh& coarse, TriangleMesh fine);

    const TriangleMesh& mesh() const { return fine_; }
    /// Follows the coarse vertices. Same bits on any number of threads; allocates nothing.
    void update(std::span<const Vec3> coarse, ThreadPool& pool);
    const std::vector<Vec3>& positions() const { return position_; }
    const std::vector<Vec3f>& normals() const { return normal_; }

private:
    struct Tie {
        Triangle corners; // of the coarse mesh
        Vec3 weight;      // of the corners
        Vec3 offset;      // along the frame's axes
    };
    /// Of the surface at a tie, from the coarse vertices and their normals.
    struct Frame {
        Vec3 centre, along, across, normal;
    };

    WrappedMesh() = default;
    Frame frame_at(const Tie& tie, std::span<const Vec3> coarse) const;
    void measure_normals(std::span<const Vec3> coarse, ThreadPool& pool);

    TriangleMesh fine_;
    std::vector<Triangle> coarse_triangles_;
    IndexLists coarse_faces_, fine_faces_; // around each vertex
    std::vector<Tie> ties_;
    // Per update.
    std::vector<Vec3> coarse_normal_;
    std::vector<Vec3> position_;
    std::vector<Vec3f> normal_;
};

} // namespace selvage
