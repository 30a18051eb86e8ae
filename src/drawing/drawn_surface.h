#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "collision/contact/crossings.h"
#include "drawing/wrapped_mesh.h"
#include "geometry/mesh_export.h"
#include "geometry/pn_surface.h"
#include "model/cloth_model.h"
#include "scene/scene_desc.h"

namespace selvage {

/// What is drawn and exported of a scene: all its cloths in one mesh, each as its triangles or, where its file asks for
/// a surface, as that. The triangles are fixed; positions and normals follow the particles. Call update() once per
/// frame from the start of a run on: on which side a wrinkle stands is decided when it begins.
class DrawnSurface {
public:
    /// Fails where a cloth's surface would be too large to hold. `model` is the scene's, and must outlive it.
    static Result<DrawnSurface> make(const SceneDesc& scene, const ClothModel& model);

    const TriangleMesh& mesh() const { return curved_ ? mesh_ : model_->mesh; }
    const std::vector<ExportPart>& parts() const { return parts_; }
    bool is_curved() const { return curved_; } ///< Some cloth is more than its triangles.

    /// Positions of mesh()'s vertices for these particles; valid until the next update, and as long as `particles`.
    /// Allocates nothing, but for memory of surfaces that keep clear of each other.
    const std::vector<Vec3>& update(const std::vector<Vec3>& particles, ThreadPool& pool);
    const std::vector<Vec3>& update(std::vector<Vec3>&& particles, ThreadPool& pool) = delete; // they must live on
    /// Of the last update; empty when nothing is curved, and area normals serve.
    const std::vector<Vec3f>& normals() const { return normal_; }

    /// All that depends on earlier frames: the sides of all wrinkles, cloth by cloth.
    std::vector<std::int8_t> history() const;
    /// Puts it back. False, with nothing changed, when it is not this surface's.
    bool set_history(std::span<const std::int8_t> history);

private:
    void follow_particles(std::size_t part, const std::vector<Vec3>& particles, ThreadPool& pool);
    void keep_clear(const std::vector<Vec3>& particles, ThreadPool& pool);
    void prepare_clearing();
    bool mark_crossing_patches(ThreadPool& pool);
    void add_part(const ClothPart& part, const TriangleMesh& mesh);
    void copy_part(std::size_t part, const std::vector<Vec3>& particles, ThreadPool& pool);

    const ClothModel* model_ = nullptr;
    using Surface = std::variant<std::monostate, PnSurface, WrappedMesh>;
    static Result<Surface> make_surface(const ClothDesc& cloth, const TriangleMesh& mesh,
                                        const std::filesystem::path& directory);
    std::vector<Surface> surfaces_; // per cloth; none: its triangles
    std::vector<ExportPart> parts_;
    bool curved_ = false;
    TriangleMesh mesh_; // only when something is curved
    std::vector<Vec3> position_;
    std::vector<Vec3f> normal_;
    // Of surfaces that keep clear.
    std::vector<std::vector<std::uint8_t>> straight_; // per cloth and edge of it
    std::vector<Edge> fine_edges_;
    std::vector<int> triangle_of_edge_, part_of_triangle_;
    std::vector<std::uint8_t> crosses_; // per fine triangle
    CrossingCounter crossings_;
};

} // namespace selvage
