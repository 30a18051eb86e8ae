#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "geometry/mesh_export.h"

namespace selvage {

inline constexpr std::uint64_t kGlbMaxBytes = 0xFFFFFFFFu; // the container's sizes have 32 bits
inline constexpr int kGlbMaxFrames = 4096;                 // the weights' table grows with the frames squared

/// Binary glTF 2.0: one node, mesh and material per part, one morph target per key frame after the first, one animation
/// that plays them. Key frames are chosen so that straight motion between them keeps to `mesh.tolerance`, and stored in
/// 12 bytes per vertex instead of 24 where it allows (KHR_mesh_quantization). They stay in memory until finish(). `max_bytes` bounds the file. Made by make_frame_writer, which also
/// checks the frames.
Result<std::unique_ptr<FrameWriter>> make_glb_writer(const std::filesystem::path& path, const ExportMesh& mesh,
                                                     std::uint64_t max_bytes = kGlbMaxBytes);

} // namespace selvage
