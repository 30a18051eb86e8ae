#include "sim/painted_reach.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/concat.h"
#include "geometry/vertex_scalar.h"
#include "scene/scene_fields.h"
#include "sim/mesh_source.h"

namespace selvage {

namespace {

/// The file's value at every vertex. What was joined where it lay apart has that of the nearest of the file's points;
/// where several lie in one place the smallest counts.
std::vector<double> values_at(const VertexScalar& scalar, const std::vector<Vec3>& vertices) {
    std::map<std::tuple<double, double, double>, double> known;
    for (std::size_t i = 0; i < scalar.points.size(); ++i) {
        const Vec3& p = scalar.points[i];
        const auto [found, is_new] = known.try_emplace({p.x + 0.0, p.y + 0.0, p.z + 0.0}, scalar.values[i]);
        if (!is_new) found->second = std::min(found->second, scalar.values[i]);
    }
    std::vector<double> out;
    for (const Vec3& v : vertices) {
        if (const auto found = known.find({v.x + 0.0, v.y + 0.0, v.z + 0.0}); found != known.end()) {
            out.push_back(found->second);
            continue;
        }
        const auto nearest =
            std::min_element(scalar.points.begin(), scalar.points.end(), [&](const Vec3& a, const Vec3& b) {
                return length_squared(a - v) < length_squared(b - v);
            });
        out.push_back(scalar.values[static_cast<std::size_t>(nearest - scalar.points.begin())]);
    }
    return out;
}

/// In metres: `unit` is what a full stroke stands for; below zero the values are metres already.
Status read_reach(const ClothDesc& cloth, const std::filesystem::path& directory, const std::vector<Vec3>& start,
                  const std::string& name, double unit, std::vector<double>& out) {
    const auto* file = std::get_if<FileMeshDesc>(&cloth.mesh);
    if (!file || cloth.given_mesh)
        return Error{
            concat("names the scalar \"", name, "\", but this cloth's mesh is not from a file; expected a list")};
    Result<VertexScalar> scalar = read_vertex_scalar(directory / file->file, name);
    if (!scalar) return scalar.error();
    place_points(cloth.place, scalar->points);
    out = values_at(*scalar, start);
    for (std::size_t v = 0; v < out.size(); ++v) {
        if (unit >= 0.0) out[v] *= unit;
        if (!(out[v] >= kReach.min && out[v] <= kReach.max))
            return Error{concat(name, " of \"", file->file, "\" is ", out[v], " m at vertex ", v, "; expected ",
                                kReach.min, " to ", kReach.max)};
    }
    return Done{};
}

} // namespace

Status read_painted(const ClothDesc& cloth, const std::filesystem::path& directory, const std::vector<Vec3>& start,
                    SkinSelection& out) {
    const SkinnedDesc& skinned = *cloth.skinned;
    if (const std::string& name = skinned.max_distance_scalar; !name.empty())
        if (const Status ok = read_reach(cloth, directory, start, name, skinned.max_distance, out.max_distances); !ok)
            return ok;
    if (const std::string& name = skinned.backstop_scalar; !name.empty())
        return read_reach(cloth, directory, start, name, skinned.backstop, out.backstops);
    return Done{};
}

} // namespace selvage
