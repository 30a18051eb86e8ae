#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "geometry/mesh_export.h"

namespace selvage {

// Made by make_frame_writer, which also checks the frames.

/// PC2 point cache (little-endian floats, streamed to the file as frames come).
Result<std::unique_ptr<FrameWriter>> make_pc2_writer(const std::filesystem::path& path, const ExportMesh& mesh);

/// MDD point cache (big-endian floats with the frames' times ahead, so all frames stay in memory until finish()).
Result<std::unique_ptr<FrameWriter>> make_mdd_writer(const std::filesystem::path& path, const ExportMesh& mesh);

} // namespace selvage
