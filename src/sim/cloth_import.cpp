#include "sim/cloth_import.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "geometry/mesh_import.h"
#include "geometry/weld.h"

namespace selvage {

namespace {

constexpr double kLongestCloth = 10.0,
                 kShortestCloth = 0.01; // [m]; a cloth beyond is in another unit more often than not
constexpr double kNearBorders = 0.01;   // [m]; pieces farther apart are meant to be

std::string prefix(const ImportDesc& desc) {
    return concat("cloth \"", desc.cloth, "\" (", desc.file, "): ");
}

/// Three digits are enough to be told.
double brief(double value) {
    if (!(value > 0.0)) return value;
    double unit = 1.0;
    while (value < 100.0 * unit)
        unit *= 0.1;
    while (value >= 1000.0 * unit)
        unit *= 10.0;
    return std::round(value / unit) / std::round(1.0 / unit);
}

Status weld(const ImportDesc& desc, GeneratedMesh& mesh, std::vector<std::string>& warnings) {
    const double distance = desc.weld > 0.0 ? desc.weld / desc.scale : desc.weld;
    Result<Weld> done = weld_borders(mesh.mesh, distance);
    if (!done) return Error{concat(desc.file, ": ", done.error().message)};
    if (done->joined > 0) {
        if (desc.weld < 0.0)
            warnings.push_back(concat(prefix(desc), "joined ", done->joined,
                                      " border vertices that coincide but for rounding (weld 0 leaves them apart)"));
        mesh.vertex_of_file = std::move(done->vertex_of);
    }
    if (desc.weld == 0.0) return Done{}; // whoever says so wants them apart
    const LooseBorders loose = find_loose_borders(mesh.mesh, kNearBorders / desc.scale);
    if (loose.pieces > 1 && loose.gap > 0.0) {
        const double gap = loose.gap * desc.scale;
        warnings.push_back(concat(prefix(desc), loose.pieces, " pieces, the largest gap between borders ",
                                  brief(1000.0 * gap), " mm; weld ", brief(1.05 * gap), " joins them"));
    }
    return Done{};
}

void warn_of_size(const ImportDesc& desc, const TriangleMesh& mesh, std::vector<std::string>& warnings) {
    Vec3 low = mesh.positions[0], high = low;
    for (const Vec3& p : mesh.positions) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const double size = desc.scale * std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    if (size > kLongestCloth)
        warnings.push_back(concat(prefix(desc), "is ", brief(size),
                                  " m long; where the file is in centimetres, place.scale ", 0.01 * desc.scale,
                                  " makes it ", brief(0.01 * size), " m"));
    if (size < kShortestCloth)
        warnings.push_back(concat(prefix(desc), "is ", brief(1000.0 * size), " mm long; place.scale makes it larger"));
}

/// Rests as another file has it, vertex by vertex.
Status rest_as_file(const ImportDesc& desc, GeneratedMesh& mesh, std::vector<std::string>& warnings) {
    Result<TriangleMesh> rest = read_mesh(desc.directory / desc.rest, warnings);
    if (!rest) return rest.error();
    const int expected =
        mesh.vertex_of_file.empty() ? mesh.mesh.vertex_count() : static_cast<int>(mesh.vertex_of_file.size());
    if (rest->vertex_count() != expected || rest->triangle_count() != mesh.mesh.triangle_count())
        return Error{concat("rest \"", desc.rest, "\" has ", rest->vertex_count(), " vertices and ",
                            rest->triangle_count(), " triangles; expected those of \"", desc.file, "\", ", expected,
                            " and ", mesh.mesh.triangle_count())};
    mesh.start = mesh.mesh.positions;
    std::vector<char> is_set(mesh.start.size(), 0);
    for (int v = 0; v < expected; ++v) {
        const int to = mesh.vertex_of_file.empty() ? v : mesh.vertex_of_file[v];
        Vec3& place = mesh.mesh.positions[to];
        if (is_set[to] && length(place - rest->positions[v]) > 1e-6)
            return Error{concat("rest \"", desc.rest, "\" has vertex ", v,
                                " apart from one that it is joined with; expected panels sewn together there too, "
                                "weld 0, or rest \"uv\"")};
        place = rest->positions[v];
        is_set[to] = 1;
    }
    return Done{};
}

} // namespace

UvRatio measure_uv(const TriangleMesh& mesh) {
    UvRatio out;
    std::vector<double> ratio;
    for (int t = 0; !mesh.uv.empty() && t < mesh.triangle_count(); ++t) {
        const Triangle &v = mesh.triangles[t], &c = mesh.uv_corners(t);
        for (int k = 0; k < 3; ++k) {
            const Vec2 a = mesh.uv[c[k]], b = mesh.uv[c[(k + 1) % 3]];
            const double l = length(mesh.positions[v[(k + 1) % 3]] - mesh.positions[v[k]]);
            if (l > 0.0) ratio.push_back(std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)) / l);
            out.beyond_unit = out.beyond_unit || std::min(a.x, a.y) < -0.02 || std::max(a.x, a.y) > 1.02;
        }
    }
    if (ratio.empty()) return out;
    std::sort(ratio.begin(), ratio.end());
    const auto at = [&](double part) {
        return ratio[static_cast<std::size_t>(part * static_cast<double>(ratio.size() - 1))];
    };
    out.low = at(0.1);
    out.median = at(0.5);
    out.high = at(0.9);
    // Nearly isometric: it is the pattern, or as good as one. Otherwise textures fill the unit square at any scale, so
    // only what leaves it can be in metres. Garments are modelled around a body with ease, up to 2.5 times their pattern
    // and hardly anywhere below it; what is longer in uv than in the mesh is a texture's stretching.
    const bool isometric = out.low > 0.8 && out.high < 1.25;
    const bool roomy = out.beyond_unit && out.median > 0.4 && out.low > 0.2 && out.high < 1.25;
    out.is_pattern = isometric || roomy;
    return out;
}

Status finish_import(const ImportDesc& desc, GeneratedMesh& mesh, std::vector<std::string>& warnings) {
    if (const Status ok = weld(desc, mesh, warnings); !ok) return ok;
    warn_of_size(desc, mesh.mesh, warnings);
    if (desc.rest == kRestMesh) return Done{};
    const bool automatic = desc.rest == kRestAutomatic;
    if (!automatic && desc.rest != kRestUv) return rest_as_file(desc, mesh, warnings);
    if (mesh.mesh.uv.empty())
        return automatic ? Status{Done{}}
                         : Status{Error{concat("rest is \"uv\", but \"", desc.file,
                                               "\" has no uv; expected a file with "
                                               "texture coordinates, or rest \"mesh\"")}};
    const UvRatio ratio = measure_uv(mesh.mesh);
    if (!automatic && !(ratio.median > 0.0))
        return Error{
            concat("rest is \"uv\", but the uv of \"", desc.file, "\" have no size; expected a pattern in metres")};
    if (automatic && !ratio.is_pattern) return Done{};
    mesh.rest = RestShape::uv;
    warnings.push_back(concat(prefix(desc), "rests as its uv, flat and in metres; edges of the mesh are ",
                              brief(1.0 / ratio.median), " times as long (median; ", brief(1.0 / ratio.high), " to ",
                              brief(1.0 / ratio.low),
                              automatic ? "); rest \"mesh\" takes the modelled shape instead" : ")"));
    return Done{};
}

} // namespace selvage
