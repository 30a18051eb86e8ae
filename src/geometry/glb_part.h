#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "geometry/mesh_export.h"
#include "geometry/motion_keys.h"

namespace selvage {

// What is written to a .glb file (glb_export.cpp says how): the numbers, and the JSON that describes them.

inline constexpr std::uint64_t kVec3Bytes = 12, kVec2Bytes = 8, kScalarBytes = 4;
inline constexpr std::uint64_t kSmallPosition = 8, kSmallNormal = 4; // three numbers of 2 bytes or 1, filled up to 4
inline constexpr double kShortMost = 32767.0, kByteMost = 127.0;

struct GlbBounds {
    Vec3f min, max;

    void add(const Vec3f& p) {
        min = {std::min(min.x, p.x), std::min(min.y, p.y), std::min(min.z, p.z)};
        max = {std::max(max.x, p.x), std::max(max.y, p.y), std::max(max.z, p.z)};
    }
};

/// One frame of a part as the file holds it: the first as it is, the others as differences to it.
struct GlbKey {
    int frame = 0;
    std::vector<Vec3f> positions, normals;
    GlbBounds bounds;
};

/// A part as the file has it. A vertex where texture coordinates break appears once for each of them.
struct GlbPart {
    ExportPart source;
    std::vector<int> sources; ///< The mesh's vertex behind each of the part's.
    std::vector<Vec2> uv;     ///< Empty when the mesh has none.
    std::vector<std::uint32_t> indices;
    std::vector<GlbKey> keys;
    std::vector<Vec3f> first_positions, first_normals;
    MotionKeys chooser{0.0};

    bool is_small = false; ///< Targets are small numbers.
    double scale = 1.0;    ///< Of the node then [m].

    std::uint64_t key_count() const { return keys.size(); }
    std::uint64_t vertex_count() const { return sources.size(); }
    std::uint64_t target_count() const { return keys.empty() ? 0 : key_count() - 1; }
    std::uint64_t index_bytes() const { return kScalarBytes * indices.size(); }
    std::uint64_t first_bytes() const { return 2 * kVec3Bytes * vertex_count(); }
    std::uint64_t target_bytes() const {
        return target_count() * vertex_count() * (is_small ? kSmallPosition + kSmallNormal : 2 * kVec3Bytes);
    }
    std::uint64_t uv_bytes() const { return kVec2Bytes * uv.size(); }
    std::uint64_t animation_bytes() const { return key_count() > 1 ? kScalarBytes * key_count() * key_count() : 0; }
    std::uint64_t bytes() const {
        return index_bytes() + first_bytes() + target_bytes() + uv_bytes() + animation_bytes();
    }
};

/// The JSON half of the file, padded to the 4 bytes that a chunk asks for.
std::string glb_json(const std::vector<GlbPart>& parts, double frames_per_second);

} // namespace selvage
