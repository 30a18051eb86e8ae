#include "sim/collider_motion.h"

#include <algorithm>
#include <limits>

#include "base/concat.h"
#include "base/hash.h"
#include "character/gltf_character.h"
#include "character/mannequin.h"
#include "collision/shapes/height_grid.h"
#include "collision/shapes/solid_mesh.h"
#include "sim/keyframes.h"
#include "sim/mesh_source.h"

namespace selvage {

namespace {

/// In its own frame; infinite for a plane and for ground.
Aabb local_bounds(const ColliderShape& shape) {
    Aabb box;
    if (const auto* solid = std::get_if<MeshSolid>(&shape)) {
        for (const Vec3& p : solid->surface->mesh.positions)
            box.include(p);
        return box;
    }
    constexpr double kEverywhere = std::numeric_limits<double>::infinity();
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
        for (const double side : {-1.0, 1.0}) {
            const std::optional<Vec3> farthest = support_point(shape, side * axis);
            if (!farthest) return {{-kEverywhere, -kEverywhere, -kEverywhere}, {kEverywhere, kEverywhere, kEverywhere}};
            box.include(*farthest);
        }
    return box;
}

/// Puts the shape of a description, with a place's scale applied, into `shape`.
struct ShapeBuilder {
    double scale;
    const std::filesystem::path& directory;
    const std::string& location;
    std::vector<std::string>& warnings;
    ColliderShape& shape;

    Status operator()(const Sphere& d) const { return put(Sphere{scale * d.radius}); }
    Status operator()(const Box& d) const {
        return put(Box{{scale * d.size[0], scale * d.size[1], scale * d.size[2]}});
    }
    Status operator()(const Plane& d) const { return put(d); }
    Status operator()(const Capsule& d) const {
        return put(Capsule{scale * d.radius, scale * d.top_radius, scale * d.length});
    }
    Status operator()(const Cylinder& d) const { return put(Cylinder{scale * d.radius, scale * d.height}); }
    Status operator()(const HeightDesc& d) const {
        std::vector<double> heights = d.heights;
        for (double& h : heights)
            h *= scale;
        Result<HeightGrid> grid = HeightGrid::make({scale * d.size[0], scale * d.size[1]}, d.vertices, heights);
        if (!grid) return grid.error();
        return put(HeightField{std::make_shared<const HeightGrid>(std::move(*grid))});
    }
    Status operator()(const SolidMeshDesc& d) const {
        TriangleMesh mesh;
        if (d.given_mesh) {
            mesh = *d.given_mesh;
        } else {
            Result<GeneratedMesh> source = build_mesh(d.mesh, directory, warnings);
            if (!source) return source.error();
            if (!source->start.empty()) source->mesh.positions = source->start; // a solid rests as it stands
            mesh = std::move(source->mesh);
        }
        for (Vec3& p : mesh.positions)
            p = scale * p;
        Result<SolidMesh> solid = SolidMesh::make(std::move(mesh), location, warnings);
        if (!solid) return solid.error();
        return put(MeshSolid{std::make_shared<const SolidMesh>(std::move(*solid))});
    }

    /// Its vertices are placed by make().
    Status operator()(const CharacterDesc&) const { return Done{}; }

    template <class Shape>
    Status put(Shape made) const {
        shape.emplace<Shape>(std::move(made));
        return Done{};
    }
};

} // namespace

Result<Character> load_character(const CharacterDesc& desc, const std::filesystem::path& directory,
                                 std::vector<std::string>& warnings) {
    if (!desc.file.empty()) return read_character(directory / desc.file, warnings);
    Measurements m =
        desc.height > 0.0 ? measurements_for(desc.figure, desc.height) : standard_measurements(desc.figure);
    for (const MeasurementField& field : measurement_fields())
        if (const auto given = desc.measurements.find(field.key); given != desc.measurements.end())
            m.*field.member = given->second;
    return make_mannequin(m, {desc.triangles});
}

Result<ColliderMotion> ColliderMotion::make(const ColliderDesc& desc, const std::filesystem::path& directory,
                                            const std::string& location, std::vector<std::string>& warnings) {
    ColliderMotion motion;
    motion.desc_ = desc;
    motion.start_ = {to_vec(desc.place.translate), rotation_from_degrees(to_vec(desc.place.rotate_deg))};
    const ShapeBuilder builder{desc.place.scale, directory, location, warnings, motion.shape_};
    if (const Status ok = std::visit(builder, desc.shape); !ok) return ok.error();
    if (const auto* body = std::get_if<CharacterDesc>(&desc.shape)) {
        if (const Status ok = motion.make_character(*body, directory, location, warnings); !ok) return ok.error();
        return motion;
    }
    const auto* mesh = std::get_if<SolidMeshDesc>(&desc.shape);
    if (!mesh || mesh->frames.empty()) return motion;
    Result<VertexCache> cache = read_vertex_cache(directory / mesh->frames, mesh->frames_per_second);
    if (!cache) return cache.error();
    const int vertex_count = std::get<MeshSolid>(motion.shape_).surface->mesh.vertex_count();
    if (cache->vertex_count != vertex_count)
        return Error{concat("moves ", cache->vertex_count, " vertices; expected the mesh's ", vertex_count),
                     (directory / mesh->frames).string()};
    motion.cache_ = std::make_shared<const VertexCache>(std::move(*cache));
    return motion;
}

Status ColliderMotion::make_character(const CharacterDesc& desc, const std::filesystem::path& directory,
                                      const std::string& location, std::vector<std::string>& warnings) {
    Result<Character> body = load_character(desc, directory, warnings);
    if (!body) return body.error();
    const CharacterMotionSettings settings{desc.motion, desc.in_place, desc.loop, desc.start, desc.speed};
    auto shared = std::make_shared<const Character>(std::move(*body));
    Result<CharacterMotion> motion = CharacterMotion::make(shared, settings);
    if (!motion) return motion.error();
    TriangleMesh mesh = shared->mesh;
    motion->place(0.0, mesh.positions);
    for (Vec3& p : mesh.positions)
        p = desc_.place.scale * p;
    Result<SolidMesh> solid = SolidMesh::make(std::move(mesh), location, warnings);
    if (!solid) return solid.error();
    shape_ = MeshSolid{std::make_shared<const SolidMesh>(std::move(*solid))};
    character_ = std::move(*motion);
    return Done{};
}

Pose ColliderMotion::pose(double time) const {
    if (given_pose_) return *given_pose_;
    Pose pose = start_;
    if (!desc_.keyframes.empty()) {
        const KeyframePose key = keyframe_pose(desc_.keyframes, desc_.smooth, time);
        pose = {pose.centre + key.shift, key.turn * pose.turn};
    }
    pose.centre += shift_;
    if (desc_.spin != Triple{0, 0, 0}) pose.turn = rotation_about(time * to_vec(desc_.spin)) * pose.turn;
    return pose;
}

Aabb ColliderMotion::swept_bounds(const Pose& from, const Pose& to, std::span<const Vec3> points_from,
                                  std::span<const Vec3> points_to) const {
    Aabb box;
    if (!points_to.empty()) {
        for (const std::span<const Vec3> points : {points_from, points_to})
            for (const Vec3& p : points)
                box.include(p);
    } else if (character_) {
        constexpr double kEverywhere = std::numeric_limits<double>::infinity();
        return {{-kEverywhere, -kEverywhere, -kEverywhere}, {kEverywhere, kEverywhere, kEverywhere}};
    } else if (cache_) { // wherever its frames may take it, moved by no more than the poses differ
        for (const Vec3f& p : cache_->positions)
            box.include(from.to_world(desc_.place.scale * Vec3(p)));
        for (const Vec3& corner : Aabb(box).corners())
            box.include(to.to_world(from.to_local(corner)));
    } else {
        // A ball about the shape's own box holds it however it turns on the way.
        const Aabb own = local_bounds(shape_);
        const Vec3 middle = 0.5 * (own.low + own.high);
        const double radius = 0.5 * length(own.high - own.low);
        if (!(radius < std::numeric_limits<double>::infinity()))
            return {{-radius, -radius, -radius}, {radius, radius, radius}};
        const bool turns = from.turn.row_x != to.turn.row_x || from.turn.row_y != to.turn.row_y;
        for (const Pose& pose : {from, to}) {
            if (!turns)
                for (const Vec3& corner : own.corners())
                    box.include(pose.to_world(corner));
            else
                box.include(
                    {pose.to_world(middle) - radius * Vec3{1, 1, 1}, pose.to_world(middle) + radius * Vec3{1, 1, 1}});
        }
    }
    const double thickness = desc_.thickness;
    return {box.low - thickness * Vec3{1, 1, 1}, box.high + thickness * Vec3{1, 1, 1}};
}

Collider ColliderMotion::at(double time) const {
    Collider collider{shape_, pose(time), pose(time), desc_.friction, desc_.thickness};
    if (const SolidMesh* solid = collider.mesh()) {
        collider.points_now.resize(solid->mesh.positions.size());
        fill_points(*solid, time, collider.now, collider.points_now);
        collider.points_before = collider.points_now;
        if (has_frames() || !given_.empty()) collider.moved_tree.build(solid->mesh.triangles, collider.points_now);
    }
    return collider;
}

void ColliderMotion::move(Collider& collider, double time) const {
    collider.before = collider.now;
    collider.now = pose(time);
    const SolidMesh* solid = collider.mesh();
    if (!solid) return;
    std::swap(collider.points_before, collider.points_now);
    fill_points(*solid, time, collider.now, collider.points_now);
    if (collider.is_deforming()) collider.moved_tree.refit(solid->mesh.triangles, collider.points_now);
}

void ColliderMotion::fill_points(const SolidMesh& solid, double time, const Pose& pose,
                                 std::vector<Vec3>& points) const {
    if (!given_.empty()) {
        std::copy(given_.begin(), given_.end(), points.begin());
        return;
    }
    if (has_frames()) {
        if (character_)
            character_->place(time, points);
        else
            cache_->sample(time, points);
        for (Vec3& p : points)
            p = pose.to_world(desc_.place.scale * p);
        return;
    }
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = pose.to_world(solid.mesh.positions[i]);
}

Status ColliderMotion::set_points(std::span<const Vec3> world, Collider& collider) {
    const auto* mesh = std::get_if<MeshSolid>(&shape_);
    if (!mesh) return Error{"this collider has no vertices to move; expected one of the kind mesh"};
    const SolidMesh* solid = mesh->surface.get();
    if (world.size() != solid->mesh.positions.size())
        return Error{concat("found ", world.size(), " points; expected ", solid->mesh.positions.size())};
    for (std::size_t i = 0; i < world.size(); ++i)
        if (!is_finite(world[i])) return Error{concat("point ", i, " is not finite")};
    given_.assign(world.begin(), world.end());
    // Here, so that no step allocates.
    if (!collider.is_deforming()) collider.moved_tree.build(solid->mesh.triangles, collider.points_now);
    return Done{};
}

void ColliderMotion::set_points_between(std::span<const Vec3> from, std::span<const Vec3> to, double fraction) {
    given_.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        given_[i] = fraction == 1.0 ? to[i] : from[i] + fraction * (to[i] - from[i]);
}

std::uint64_t ColliderMotion::content_hash(std::uint64_t hash) const {
    if (const auto* solid = std::get_if<MeshSolid>(&shape_)) {
        const TriangleMesh& mesh = solid->surface->mesh;
        hash = hash_bytes(mesh.positions.data(), mesh.positions.size() * sizeof(Vec3), hash);
        hash = hash_bytes(mesh.triangles.data(), mesh.triangles.size() * sizeof(Triangle), hash);
    }
    if (character_)
        for (const Animation& animation : character_->character().animations)
            for (const AnimationChannel& channel : animation.channels)
                for (const std::vector<double>* numbers : {&channel.times, &channel.values})
                    hash = hash_bytes(numbers->data(), numbers->size() * sizeof(double), hash);
    if (cache_) {
        hash = hash_bytes(cache_->times.data(), cache_->times.size() * sizeof(double), hash);
        hash = hash_bytes(cache_->positions.data(), cache_->positions.size() * sizeof(Vec3f), hash);
    }
    return hash;
}

} // namespace selvage
