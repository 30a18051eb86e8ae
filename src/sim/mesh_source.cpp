#include "sim/mesh_source.h"

#include "geometry/mesh_import.h"

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
    };
    return std::visit(Builder{directory, warnings}, desc);
}

} // namespace selvage
