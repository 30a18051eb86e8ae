#include "sim/mesh_source.h"

#include "base/concat.h"
#include "geometry/mesh_import.h"
#include "sim/cloth_import.h"
#include "sim/keyframes.h"

namespace selvage {

Result<GeneratedMesh> build_mesh(const MeshDesc& desc, const std::filesystem::path& directory,
                                 std::vector<std::string>& warnings) {
    struct Builder {
        const std::filesystem::path& directory;
        std::vector<std::string>& warnings;
        Result<GeneratedMesh> operator()(const GridDesc& d) const { return make_grid(d); }
        Result<GeneratedMesh> operator()(const DiscDesc& d) const { return make_disc(d); }
        Result<GeneratedMesh> operator()(const TubeDesc& d) const { return make_tube(d); }
        Result<GeneratedMesh> operator()(const BlockDesc& d) const { return make_block(d); }
        Result<GeneratedMesh> operator()(const RibbonDesc& d) const { return make_ribbon(d); }
        Result<GeneratedMesh> operator()(const FileMeshDesc& d) const {
            Result<TriangleMesh> mesh = read_mesh(directory / d.file, warnings);
            if (!mesh) return mesh.error();
            GeneratedMesh out;
            out.mesh = std::move(*mesh);
            return out;
        }
        Result<GeneratedMesh> operator()(const GarmentMeshDesc& d) const {
            return Error{concat("found the garment \"", d.pattern,
                                "\"; expected a mesh here: `selvage dress` writes it as one")};
        }
    };
    return std::visit(Builder{directory, warnings}, desc);
}

void place_points(const PlaceDesc& place, std::vector<Vec3>& points) {
    const Rotation turn = rotation_from_degrees(to_vec(place.rotate_deg));
    for (Vec3& p : points)
        p = to_vec(place.translate) + turn * (place.scale * p);
}

namespace {

/// uv is in metres of cloth, so it scales along.
void place_mesh(const PlaceDesc& place, GeneratedMesh& source) {
    place_points(place, source.mesh.positions);
    place_points(place, source.start);
    for (Vec2& uv : source.mesh.uv)
        uv = {place.scale * uv.x, place.scale * uv.y};
}

} // namespace

Result<GeneratedMesh> build_placed_mesh(const ClothDesc& cloth, const std::filesystem::path& directory,
                                        std::vector<std::string>& warnings) {
    if (cloth.given_mesh) return *cloth.given_mesh;
    Result<GeneratedMesh> mesh = build_mesh(cloth.mesh, directory, warnings);
    if (!mesh) return mesh;
    if (const auto* file = std::get_if<FileMeshDesc>(&cloth.mesh)) {
        const ImportDesc import{cloth.name, file->file, cloth.rest, cloth.weld, cloth.place.scale, directory};
        if (const Status ok = finish_import(import, *mesh, warnings); !ok) return ok.error();
    }
    place_mesh(cloth.place, *mesh);
    return mesh;
}

} // namespace selvage
