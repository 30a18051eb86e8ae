#pragma once

#include <map>

#include "lab/figure/canvas.h"
#include "render/renderer.h"
#include "sim/simulation.h"

namespace selvage {

/// To be written on and pasted into sheets.
Canvas to_canvas(const Image8& image);

/// A plain red cloth, the same in all reports.
PreparedLook report_look();

/// Pictures of cloth for reports, to be written on and pasted into sheets. Keeps a renderer for each size asked for.
class PictureMaker {
public:
    /// Cloth as its triangles. `normals`: one per vertex; none: area normals. No floor.
    Result<Canvas> draw(const TriangleMesh& mesh, const std::vector<Vec3>& positions, const RenderView& view, int width,
                        int height, std::span<const Vec3f> normals = {}, std::span<const Collider> solids = {});
    /// The same with the mesh's edges drawn over it, hidden ones too: for sheets seen from one side.
    Result<Canvas> draw_net(const TriangleMesh& mesh, const std::vector<Vec3>& positions, const RenderView& view,
                            int width, int height);
    /// The simulated triangles, whatever surface the scene asks for, and the solids.
    Result<Canvas> draw_particles(const Simulation& sim, const RenderView& view, int width, int height);

private:
    PreparedLook look_ = report_look();
    std::map<std::pair<int, int>, Renderer> renderers_;
};

} // namespace selvage
