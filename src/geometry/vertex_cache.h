#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "geometry/mesh_export.h"

namespace selvage {

// Made by make_frame_writer, which also checks the frames.

/// PC2 point cache (little-endian floats, streamed to the file as frames come).
Result<std::unique_ptr<FrameWriter>> make_pc2_writer(const std::filesystem::path& path, int vertex_count);

/// MDD point cache (big-endian floats with the frames' times ahead, so all frames stay in memory until finish()).
Result<std::unique_ptr<FrameWriter>> make_mdd_writer(const std::filesystem::path& path, int vertex_count,
                                                     double frames_per_second);

/// Where the vertices of a mesh are, frame by frame.
struct VertexCache {
    int vertex_count = 0;
    std::vector<double> times;    ///< Of the frames, rising [s]; at least one.
    std::vector<Vec3f> positions; ///< All vertices of the first frame, then of the next.

    int frame_count() const { return static_cast<int>(times.size()); }
    /// Positions at a time, straight between the frames around it; before the first and after the last they stand
    /// still.
    void sample(double time, std::span<Vec3> out) const;
};

/// Reads a .pc2 or .mdd file and checks all of it. frames_per_second says how fast frames go: a .pc2 file cannot say,
/// and has frame 0 at time 0; 0 takes the times an .mdd file carries.
Result<VertexCache> read_vertex_cache(const std::filesystem::path& path, double frames_per_second);
/// The same from the bytes of such a file; `path` says which of the two it is, and names it in errors.
Result<VertexCache> parse_vertex_cache(const std::string& content, const std::filesystem::path& path,
                                       double frames_per_second);

} // namespace selvage
