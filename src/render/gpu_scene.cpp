#include "render/gpu_scene.h"

#include <algorithm>

namespace selvage {

namespace {

/// The same triangles, the farthest first.
SurfaceMesh sorted_from_far(const SurfaceMesh& mesh, const Vec3& eye) {
    SurfaceMesh sorted{mesh.vertices, {}};
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t t = 0; t + 2 < mesh.indices.size(); t += 3) {
        Vec3 middle;
        for (std::size_t k = 0; k < 3; ++k)
            middle += Vec3(mesh.vertices[mesh.indices[t + k]].position) / 3.0;
        order.emplace_back(-length_squared(middle - eye), t);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [distance, t] : order)
        sorted.indices.insert(sorted.indices.end(), {mesh.indices[t], mesh.indices[t + 1], mesh.indices[t + 2]});
    return sorted;
}

SurfaceMesh make_floor(const Vec3& centre, double height, double reach) {
    constexpr int kCells = 16; // small enough that no triangle spans the whole depth range
    SurfaceMesh floor;
    for (int j = 0; j <= kCells; ++j)
        for (int i = 0; i <= kCells; ++i) {
            const auto at = [&](int k) { return reach * (2.0 * k / kCells - 1.0); };
            SurfaceVertex v;
            v.position = Vec3f(Vec3{centre.x + at(i), height, centre.z + at(j)});
            v.normal = {0, 1, 0};
            floor.vertices.push_back(v);
        }
    for (std::uint32_t j = 0; j < kCells; ++j)
        for (std::uint32_t i = 0; i < kCells; ++i) {
            const std::uint32_t a = j * (kCells + 1) + i, b = a + 1, c = a + kCells + 1, d = c + 1;
            floor.indices.insert(floor.indices.end(), {a, c, b, b, c, d});
        }
    return floor;
}

} // namespace

GpuMesh::GpuMesh() : indices_(GlBuffer::Use::indices) {
    constexpr int kStride = sizeof(SurfaceVertex);
    array_.add(vertices_, {{0, 3, kStride, 0},
                           {1, 3, kStride, 12},
                           {2, 3, kStride, 24},
                           {3, 3, kStride, 36},
                           {4, 2, kStride, 48},
                           {5, 3, kStride, 56}});
    array_.set_indices(indices_);
}

void GpuMesh::set(const SurfaceMesh& mesh) {
    vertices_.set(std::span<const SurfaceVertex>(mesh.vertices));
    indices_.set(std::span<const std::uint32_t>(mesh.indices));
    array_.set_indices(indices_);
    count_ = static_cast<int>(mesh.indices.size());
}

bool is_sheer(const RenderScene::Cloth& cloth) {
    return cloth.look->look.openness > 0.0 && !cloth.heat_map;
}

GpuScene::GpuScene(GlProgram line) : line_(std::move(line)) {
    line_array_.add(line_buffer_, {{0, 3, 24, 0}, {1, 3, 24, 12}});
}

Result<GpuScene> GpuScene::make(GlDialect dialect) {
    Result<GlProgram> line = GlProgram::make(dialect, "line.vert.glsl", "line.frag.glsl");
    if (!line) return line.error();
    return GpuScene(std::move(*line));
}

void GpuScene::upload(const RenderScene& scene) {
    const auto put = [](std::vector<GpuMesh>& meshes, const auto& things) {
        meshes.resize(things.size());
        for (std::size_t i = 0; i < things.size(); ++i)
            meshes[i].set(*things[i].mesh);
    };
    put(cloths_, scene.cloths);
    put(solids_, scene.solids);
    line_count_ = static_cast<int>(scene.lines.size());
    if (line_count_ > 0) line_buffer_.set(std::span<const RenderScene::LineEnd>(scene.lines));
}

void GpuScene::sort_sheer_cloths(const RenderScene& scene, const Vec3& eye) {
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        if (is_sheer(scene.cloths[i])) cloths_[i].set(sorted_from_far(*scene.cloths[i].mesh, eye));
}

void GpuScene::set_ground(const Vec3& centre, double height, double reach) {
    ground_.set(make_floor(centre, height, reach));
}

const GlTexture& GpuScene::print_texture(const Image8* print) {
    const auto [place, is_new] = prints_.try_emplace(print);
    if (!is_new) return place->second;
    const Image8 white{1, 1, {255, 255, 255}};
    const Image8& image = print ? *print : white;
    std::vector<unsigned char> rgba;
    for (int y = image.height - 1; y >= 0; --y) // v runs up
        for (int x = 0; x < image.width; ++x) {
            const auto [r, g, b] = image.at(x, y);
            rgba.insert(rgba.end(), {r, g, b, 255});
        }
    place->second = GlTexture::from_rgba8(image.width, image.height, rgba, true, true);
    return place->second;
}

void GpuScene::draw_lines(const Mat4f& to_clip) {
    if (line_count_ == 0) return;
    line_.use();
    line_.set("u_to_clip", to_clip);
    line_array_.draw_lines(0, line_count_);
}

} // namespace selvage
