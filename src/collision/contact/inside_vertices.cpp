#include "collision/contact/inside_vertices.h"

#include <algorithm>
#include <cmath>

#include "collision/contact/crossings.h"
#include "collision/shapes/solid_mesh.h"
#include "math/orientation.h"

namespace selvage {

/// A mesh with the frame in which its tree and points are.
struct InsideVertices::FramedMesh {
    const SolidMesh& mesh;
    const SurfaceTree& tree;
    std::span<const Vec3> points;
    const Pose* pose; // null: the world

    Vec3 to_local(const Vec3& world) const { return pose ? pose->to_local(world) : world; }
    Vec3 turned(const Vec3& local) const { return pose ? pose->turn * local : local; }
};

namespace {

constexpr int kVerticesPerChunk = 64;
constexpr double kAgreeingExits = 0.5; // of the mean of unit vectors: from there on they point to one side

bool is_closed_mesh(const Collider& collider) {
    return std::holds_alternative<MeshSolid>(collider.shape) && collider.mesh()->is_closed;
}

InsideVertices::FramedMesh framed(const Collider& collider) {
    const SolidMesh& mesh = *collider.mesh();
    if (collider.is_deforming()) return {mesh, collider.moved_tree, collider.points_now, nullptr};
    return {mesh, mesh.tree, mesh.mesh.positions, &collider.now};
}

/// Whether some collider has a point inside.
bool is_inside_any(std::span<const Collider> colliders, const Vec3& world) {
    return std::any_of(colliders.begin(), colliders.end(), [&](const Collider& collider) {
        if (is_closed_mesh(collider)) return winding_number(collider, world) > 0;
        return !collider.mesh() && collider.nearest(world).distance < 0.0;
    });
}

} // namespace

int winding_number(const Collider& collider, const Vec3& world) {
    if (!is_closed_mesh(collider)) return 0;
    const InsideVertices::FramedMesh solid = framed(collider);
    const Vec3 p = solid.to_local(world);
    const Aabb bounds = solid.tree.bounds();
    if (!bounds.touches({p, p})) return 0;
    // Along x and a little off it, so that edges along the axes are not met end on.
    const double reach = 1.01 * (bounds.high.x - p.x) + 1e-3;
    const Vec3 far = p + reach * Vec3{1.0, 1.2347e-3, 0.7713e-3};
    Aabb ray;
    ray.include(p);
    ray.include(far);
    int winding = 0;
    solid.tree.for_touching(ray, [&](int index) {
        const Triangle& t = solid.mesh.mesh.triangles[index];
        const Vec3 &a = solid.points[t[0]], &b = solid.points[t[1]], &c = solid.points[t[2]];
        if (segment_crosses_triangle(p, far, a, b, c)) winding += dot(cross(b - a, c - a), far - p) > 0.0 ? 1 : -1;
    });
    return winding;
}

std::span<const InsideVertex> InsideVertices::find(ThreadPool& pool, std::span<const Collider> colliders,
                                                   std::span<const Vec3> x) {
    found_.clear();
    first_vertex_.assign(1, cloth_vertex_count_);
    for (const Collider& collider : colliders)
        first_vertex_.push_back(first_vertex_.back() + static_cast<int>(collider.points_now.size()));
    by_chunk_.resize(static_cast<std::size_t>((cloth_vertex_count_ + kVerticesPerChunk - 1) / kVerticesPerChunk));
    for (int c = 0; c < static_cast<int>(colliders.size()); ++c) {
        if (!is_closed_mesh(colliders[c])) continue;
        pool.for_chunks(cloth_vertex_count_, kVerticesPerChunk, [&](int begin, int end) {
            std::vector<InsideVertex>& found = by_chunk_[begin / kVerticesPerChunk];
            found.clear();
            for (int v = begin; v < end; ++v) {
                const int winding = winding_number(colliders[c], x[v]);
                if (winding > 0) found.push_back({v, c, winding > 1});
            }
        });
        for (const std::vector<InsideVertex>& found : by_chunk_)
            found_.insert(found_.end(), found.begin(), found.end());
    }
    return found_;
}

/// Pieces of one collider after the other; the vertices of found_ that are joined by edges have one number.
void InsideVertices::number_pieces() {
    piece_.assign(found_.size(), -1);
    pieces_.clear();
    for (std::size_t begin = 0, end = 0; begin < found_.size(); begin = end) {
        for (; end < found_.size() && found_[end].collider == found_[begin].collider; ++end)
            place_[found_[end].vertex] = static_cast<int>(end);
        for (std::size_t seed = begin; seed < end; ++seed) {
            if (piece_[seed] >= 0) continue;
            const int piece = static_cast<int>(pieces_.size());
            pieces_.emplace_back();
            piece_[seed] = piece;
            open_.assign(1, static_cast<int>(seed));
            while (!open_.empty()) {
                const int at = open_.back();
                open_.pop_back();
                for (const int next : patches_.neighbours(found_[at].vertex)) {
                    const int k = place_[next];
                    if (k < 0 || piece_[k] >= 0) continue;
                    piece_[k] = piece;
                    open_.push_back(k);
                }
            }
        }
        for (std::size_t k = begin; k < end; ++k)
            place_[found_[k].vertex] = -1;
    }
}

Vec3 InsideVertices::cloth_normal(int vertex, std::span<const Vec3> x) const {
    Vec3 sum;
    for (const int index : vertex_triangles_[vertex]) {
        const Triangle& t = surface_.triangles[index];
        sum += doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]);
    }
    return normalized(sum);
}

void InsideVertices::measure_pieces(std::span<const Vec3> x, std::span<const ContactRecord> pulls) {
    for (std::size_t k = 0; k < found_.size(); ++k) {
        Piece& piece = pieces_[piece_[k]];
        const Vec3 &out = nearest_[k].normal, normal = cloth_normal(found_[k].vertex, x);
        piece.out += out;
        piece.cloth_normal += normal;
        piece.aligned += std::abs(dot(out, normal));
        piece.turned += dot(out, normal);
        ++piece.count;
        place_[found_[k].vertex] = static_cast<int>(k); // of the last collider, where there are several
    }
    for (const ContactRecord& pull : pulls) {
        if (pull.vertex[0] < cloth_vertex_count_) continue; // not by a collider's edge
        for (int k = 1; k < 4; ++k)
            if (const int at = place_[pull.vertex[k]]; at >= 0) {
                pieces_[piece_[at]].pulled += -pull.normal;
                ++pieces_[piece_[at]].pull_count;
            }
    }
    for (const InsideVertex& inside : found_)
        place_[inside.vertex] = -1;
}

/// A vertex before the nearest point of a collider. `place.surface` is in the collider's frame.
ContactRecord InsideVertices::record_at(int vertex, int collider, const FramedMesh& solid,
                                        const MeshPoint& place) const {
    const Triangle& t = solid.mesh.mesh.triangles[place.triangle];
    const int offset = first_vertex_[collider];
    ContactRecord record;
    record.count = 4;
    record.side_count = 1;
    record.vertex = {vertex, offset + t[0], offset + t[1], offset + t[2]};
    record.weight = {1.0, -place.weight.x, -place.weight.y, -place.weight.z};
    record.normal = solid.turned(place.surface.normal);
    return record;
}

void InsideVertices::find_nearest(std::span<const Collider> colliders, std::span<const Vec3> x) {
    nearest_.resize(found_.size());
    for (std::size_t k = 0; k < found_.size(); ++k) {
        InsideVertex& inside = found_[k];
        const Collider& collider = colliders[inside.collider];
        const FramedMesh solid = framed(collider);
        const Vec3& p = x[inside.vertex];
        const MeshPoint at = solid.mesh.nearest(solid.tree, solid.points, solid.to_local(p));
        ContactRecord& exit = nearest_[k];
        exit = record_at(inside.vertex, inside.collider, solid, at);
        inside.depth = std::abs(at.surface.distance);
        exit.target_gap = inside.depth + collider.thickness;
        inside.is_pinched = inside.is_pinched || is_inside_any(colliders, p + exit.target_gap * exit.normal);
    }
}

void InsideVertices::find_exits(std::span<const Collider> colliders, std::span<const Vec3> x,
                                std::span<const ContactRecord> pulls, std::vector<ContactRecord>& exits) {
    if (found_.empty()) return;
    if (vertex_triangles_.items.empty()) {
        TriangleMesh mesh;
        mesh.positions.resize(surface_.rest.size());
        mesh.triangles = surface_.triangles;
        vertex_triangles_ = selvage::vertex_triangles(mesh);
    }
    find_nearest(colliders, x);
    number_pieces();
    measure_pieces(x, pulls);
    for (std::size_t k = 0; k < found_.size(); ++k) {
        if (found_[k].is_pinched) continue;
        const Piece& piece = pieces_[piece_[k]];
        ContactRecord exit = nearest_[k];
        const double count = piece.count;
        if (length(piece.out) < kAgreeingExits * count && piece.aligned < kAgreeingExits * count) {
            const bool is_pulled = length(piece.pulled) > kAgreeingExits * piece.pull_count;
            exit.normal = is_pulled ? normalized(piece.pulled)
                                    : normalized(piece.turned < 0.0 ? -piece.cloth_normal : piece.cloth_normal);
            exit.target_gap = 1e300; // as far as it takes
        }
        if (length_squared(exit.normal) > 0.0) exits.push_back(exit);
    }
}

void InsideVertices::find_supports(std::span<const Collider> colliders, std::span<const Vec3> x,
                                   std::span<const std::uint8_t> ignores_solids, std::vector<ContactRecord>& exits) {
    for (const InsideVertex& inside : found_)
        place_[inside.vertex] = 0;
    for (int v = 0; v < cloth_vertex_count_; ++v) {
        if (!ignores_solids[v] || place_[v] >= 0) continue;
        double reach = 0.0; // an edge: nothing goes farther until somebody looks again
        for (const int next : patches_.neighbours(v))
            reach = std::max(reach, length(surface_.rest[next] - surface_.rest[v]));
        for (int c = 0; c < static_cast<int>(colliders.size()); ++c) {
            if (!is_closed_mesh(colliders[c])) continue;
            const FramedMesh solid = framed(colliders[c]);
            const MeshPoint at = solid.mesh.nearest(solid.tree, solid.points, solid.to_local(x[v]), reach);
            if (at.triangle < 0 || !(at.surface.distance > 0.0)) continue;
            exits.push_back(record_at(v, c, solid, at));
            exits.back().target_gap = colliders[c].thickness - at.surface.distance;
        }
    }
    for (const InsideVertex& inside : found_)
        place_[inside.vertex] = -1;
}

} // namespace selvage
