#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/contact/contact_record.h"
#include "collision/search/surface_patches.h"
#include "collision/shapes/collider.h"

namespace selvage {

struct MeshPoint;

/// How many times a closed mesh winds around a point as the collider is now: 0 outside, 1 inside, 2 and more where
/// parts of it overlap. 0 for every other shape.
int winding_number(const Collider& collider, const Vec3& world);

/// A vertex of the cloth inside a collider.
struct InsideVertex {
    int vertex = 0, collider = 0;
    bool is_pinched = false; ///< Its nearest way out leads into a collider again: it must wait until they part.
    double depth = 0.0;      ///< [m].
};

/// Finds the cloth inside closed meshes and how it gets out.
class InsideVertices {
public:
    InsideVertices(const ContactSurface& surface, const SurfacePatches& patches, int cloth_vertex_count)
        : surface_(surface), patches_(patches), cloth_vertex_count_(cloth_vertex_count),
          place_(surface.rest.size(), -1) {}

    /// Positions of the cloths come first in x. Sorted by collider, then vertex.
    std::span<const InsideVertex> find(ThreadPool& pool, std::span<const Collider> colliders, std::span<const Vec3> x);
    /// After find(): adds a record for every vertex that can come out: how far (target_gap) and along which normal,
    /// against the nearest face of the collider. Vertices of one piece inside go the nearest way where these ways agree
    /// or lead out of the plane of the cloth, and otherwise all one way, which `pulls` on faces there or else the
    /// cloth's normal says: neighbours that came out on opposite sides would never meet again.
    void find_exits(std::span<const Collider> colliders, std::span<const Vec3> x, std::span<const ContactRecord> pulls,
                    std::vector<ContactRecord>& exits);

    /// After find(): vertices that ignore colliders though they are outside, as their neighbours are not, must not get
    /// in: adds a record for those near the surface. target_gap is what they have to go, or may go if negative.
    void find_supports(std::span<const Collider> colliders, std::span<const Vec3> x,
                       std::span<const std::uint8_t> ignores_solids, std::vector<ContactRecord>& exits);

    struct FramedMesh;

private:
    struct Piece { // of cloth that hangs together inside of a collider
        Vec3 out, cloth_normal, pulled;
        double aligned = 0.0, turned = 0.0;
        int count = 0, pull_count = 0;
    };
    ContactRecord record_at(int vertex, int collider, const FramedMesh& solid, const MeshPoint& place) const;
    void find_nearest(std::span<const Collider> colliders, std::span<const Vec3> x);
    void number_pieces();
    void measure_pieces(std::span<const Vec3> x, std::span<const ContactRecord> pulls);
    Vec3 cloth_normal(int vertex, std::span<const Vec3> x) const;

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    int cloth_vertex_count_;
    std::vector<std::vector<InsideVertex>> by_chunk_;
    std::vector<InsideVertex> found_;
    std::vector<int> first_vertex_;      // of each collider's mesh
    std::vector<ContactRecord> nearest_; // of found_
    std::vector<int> place_;             // of a vertex in found_, for the collider at hand; -1: outside
    std::vector<int> piece_;             // of found_
    std::vector<Piece> pieces_;
    std::vector<int> open_;
    IndexLists vertex_triangles_;
};

} // namespace selvage
