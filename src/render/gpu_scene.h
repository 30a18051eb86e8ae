#pragma once

#include <map>
#include <vector>

#include "render/gl_objects.h"
#include "render/gl_program.h"
#include "render/render_scene.h"
#include "render/view.h"

namespace selvage {

/// A mesh on the GPU; buffers are kept from picture to picture.
class GpuMesh {
public:
    GpuMesh();
    void set(const SurfaceMesh& mesh);
    void draw() const { array_.draw_triangles(0, count_); }

private:
    GlBuffer vertices_, indices_;
    GlVertexArray array_;
    int count_ = 0;
};

/// Whether it is blended over what lies behind it.
bool is_sheer(const RenderScene::Cloth& cloth);

/// What of a scene lies on the GPU, for either style: meshes, prints and lines.
class GpuScene {
public:
    static Result<GpuScene> make(GlDialect dialect);

    void upload(const RenderScene& scene); ///< All but the ground.
    /// Uploads the triangles of sheer cloths again, the farthest from `eye` first.
    void sort_sheer_cloths(const RenderScene& scene, const Vec3& eye);
    void set_ground(const Vec3& centre, double height, double reach); ///< A square, `reach` metres to each side.
    void forget_prints() { prints_.clear(); }

    const std::vector<GpuMesh>& cloths() const { return cloths_; }
    const std::vector<GpuMesh>& solids() const { return solids_; }
    const GpuMesh& ground() const { return ground_; }
    const GlTexture& print_texture(const Image8* print); ///< By address; white for none.
    void draw_lines(const Mat4f& to_clip);

private:
    explicit GpuScene(GlProgram line);
    std::vector<GpuMesh> cloths_, solids_;
    GpuMesh ground_;
    std::map<const Image8*, GlTexture> prints_;
    GlProgram line_;
    GlBuffer line_buffer_;
    GlVertexArray line_array_;
    int line_count_ = 0;
};

} // namespace selvage
