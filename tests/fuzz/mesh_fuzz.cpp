// Meshes as files hold them. SELVAGE_FUZZ_FILE names the format: "fuzz.obj", "fuzz.ply" or "fuzz.glb".

#include <cstdlib>

#include "geometry/mesh_import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace selvage;
    std::vector<std::string> warnings;
    const Result<TriangleMesh> mesh =
        parse_mesh(std::string(reinterpret_cast<const char*>(data), size), SELVAGE_FUZZ_FILE, warnings);
    if (!mesh) {
        if (mesh.error().message.empty()) std::abort(); // refused without a word
        return 0;
    }
    // What was read is safe to simulate.
    for (const Triangle& t : mesh->triangles)
        for (const int v : t)
            if (v < 0 || v >= mesh->vertex_count()) std::abort();
    for (const Vec3& p : mesh->positions)
        if (!is_finite(p)) std::abort();
    for (int t = 0; t < mesh->triangle_count() && !mesh->uv.empty(); ++t)
        for (const int v : mesh->uv_corners(t))
            if (v < 0 || v >= static_cast<int>(mesh->uv.size())) std::abort();
    return 0;
}
