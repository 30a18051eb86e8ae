#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// One object of the exported file. Its triangles use its own vertices only.
struct ExportPart {
    std::string name;
    int vertex_begin = 0, vertex_count = 0;
    int triangle_begin = 0, triangle_count = 0;
    std::string fabric = "cloth";      ///< The material's name.
    Vec3f colour = {0.8f, 0.8f, 0.8f}; ///< Linear reflectance.
};

struct ExportMesh {
    const TriangleMesh* mesh = nullptr; ///< Must outlive the writer.
    std::vector<ExportPart> parts;      ///< Empty: the whole mesh is one part.
    double frames_per_second = 30.0;
    double tolerance = 0.0; ///< By which a .glb may move vertices between its key frames [m]; 0: all frames are keys.
};

/// Takes the frames of a simulation one by one. Destroyed without finish(), it leaves nothing behind (but the finished
/// files of a sequence).
class FrameWriter {
public:
    virtual ~FrameWriter() = default;
    /// Every frame has the mesh's vertex count. Fails on a position that a float cannot hold.
    virtual Status add_frame(std::span<const Vec3> positions) = 0;
    /// The file appears under its name here, whole or not at all. Call once; fails without frames.
    virtual Status finish() = 0;
};

/// By extension: .obj and .ply (last frame), .glb (animated by morph targets), .pc2 and .mdd (vertex caches; of several
/// parts each has a file of its own, export_names.h). An .obj name with %d or %04d writes one file per frame, counted
/// from 0; %% is a percent sign. Fails before any work is done when the extension is unknown or the place cannot be
/// written. Removes what killed programs left of such files.
Result<std::unique_ptr<FrameWriter>> make_frame_writer(const std::filesystem::path& path, const ExportMesh& mesh);

/// The mesh at `positions` as Wavefront OBJ text, one object per part, texture coordinates in metres, colours per
/// vertex as most programs read them (three numbers after the position).
std::string obj_text(const ExportMesh& mesh, std::span<const Vec3> positions);

} // namespace selvage
