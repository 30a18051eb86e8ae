#include "drawing/drawn_surface.h"

#include <algorithm>

#include "base/atomic_reference.h"
#include "base/concat.h"
#include "geometry/mesh_import.h"
#include "scene/scene_io.h"
#include "sim/keyframes.h"
#include "sim/mesh_source.h"

namespace selvage {

namespace {

/// One cloth of the model as a mesh of its own.
TriangleMesh extract(const ClothModel& model, const ClothPart& part) {
    const TriangleMesh& all = model.mesh;
    TriangleMesh out;
    const auto vertices = all.positions.begin() + part.vertex_begin;
    out.positions.assign(vertices, vertices + part.vertex_count);
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t) {
        const Triangle& c = all.triangles[t];
        out.triangles.push_back({c[0] - part.vertex_begin, c[1] - part.vertex_begin, c[2] - part.vertex_begin});
    }
    if (all.uv.empty()) return out;
    if (all.uv_triangles.empty()) {
        const auto uv = all.uv.begin() + part.vertex_begin;
        out.uv.assign(uv, uv + part.vertex_count);
        return out;
    }
    // The uv this part uses, in their order.
    std::vector<int> used;
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t)
        used.insert(used.end(), all.uv_triangles[t].begin(), all.uv_triangles[t].end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const int index : used)
        out.uv.push_back(all.uv[index]);
    for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t) {
        Triangle corners = all.uv_triangles[t];
        for (int& c : corners)
            c = static_cast<int>(std::lower_bound(used.begin(), used.end(), c) - used.begin());
        out.uv_triangles.push_back(corners);
    }
    return out;
}

void append_shifted(std::vector<Triangle>& out, const std::vector<Triangle>& in, int offset) {
    for (const Triangle& t : in)
        out.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

/// What a plain material can hold of a look: the colours of both yarns, each by the part of the face it covers.
Vec3f face_colour(const FabricLook& look) {
    const double weft = look.construction == Construction::woven
                            ? static_cast<double>(look.weave[0]) / std::max(1, look.weave[0] + look.weave[1])
                            : 0.5;
    return Vec3f(to_vec(look.warp_colour) * (1.0 - weft) + to_vec(look.weft_colour) * weft);
}

void name_fabrics(const SceneDesc& scene, std::vector<ExportPart>& parts) {
    for (std::size_t c = 0; c < parts.size(); ++c) {
        parts[c].fabric = std::filesystem::path(scene.cloths[c].fabric).stem().string();
        parts[c].colour = face_colour(scene.cloths[c].look);
    }
}

} // namespace

Result<DrawnSurface> DrawnSurface::make(const SceneDesc& scene, const ClothModel& model) {
    DrawnSurface out;
    out.model_ = &model;
    for (const ClothDesc& cloth : scene.cloths)
        out.curved_ = out.curved_ || cloth.surface;
    if (!out.curved_) {
        for (const ClothPart& part : model.parts)
            out.parts_.push_back(
                {part.name, part.vertex_begin, part.vertex_count, part.triangle_begin, part.triangle_count});
        name_fabrics(scene, out.parts_);
        return out;
    }
    for (std::size_t c = 0; c < model.parts.size(); ++c) {
        const TriangleMesh mesh = extract(model, model.parts[c]);
        Result<Surface> surface = make_surface(scene.cloths[c], mesh, scene.directory);
        const bool is_file = scene.cloths[c].surface && std::holds_alternative<DrawnMeshDesc>(*scene.cloths[c].surface);
        const std::string pointer = concat("/cloths/", c, "/surface/", is_file ? "mesh/file" : "pn/per_edge");
        if (!surface) return scene_error(scene, pointer, Error{surface.error().text(), {}, surface.error().kind});
        out.surfaces_.push_back(std::move(*surface));
        const Surface& made = out.surfaces_.back();
        const auto* pn = std::get_if<PnSurface>(&made);
        const auto* wrapped = std::get_if<WrappedMesh>(&made);
        const TriangleMesh& drawn = pn ? pn->mesh() : wrapped ? wrapped->mesh() : mesh;
        const long long total = static_cast<long long>(out.mesh_.vertex_count()) + drawn.vertex_count();
        if (total > kMaxVertices)
            return scene_error(scene, pointer,
                               Error{concat("asks for ", total,
                                            " vertices with the cloths before it; expected at most ", kMaxVertices)});
        out.add_part(model.parts[c], drawn);
    }
    name_fabrics(scene, out.parts_);
    out.position_ = out.mesh_.positions;
    out.normal_.resize(out.position_.size());
    out.prepare_clearing();
    return out;
}

Result<DrawnSurface::Surface> DrawnSurface::make_surface(const ClothDesc& cloth, const TriangleMesh& mesh,
                                                         const std::filesystem::path& directory) {
    if (!cloth.surface) return Surface{};
    if (const auto* pn = std::get_if<PnSettings>(&*cloth.surface)) {
        Result<PnSurface> surface = PnSurface::make(mesh, *pn);
        if (!surface) return surface.error();
        return Surface{std::move(*surface)};
    }
    std::vector<std::string> warnings; // about a mesh that nothing depends on but its own picture
    Result<TriangleMesh> fine = read_mesh(directory / std::get<DrawnMeshDesc>(*cloth.surface).file, warnings);
    if (!fine) return fine.error();
    place_points(cloth.place, fine->positions);
    Result<WrappedMesh> wrapped = WrappedMesh::make(mesh, std::move(*fine));
    if (!wrapped) return wrapped.error();
    return Surface{std::move(*wrapped)};
}

void DrawnSurface::add_part(const ClothPart& part, const TriangleMesh& mesh) {
    const int vertex_offset = mesh_.vertex_count(), uv_offset = static_cast<int>(mesh_.uv.size());
    parts_.push_back({part.name, vertex_offset, mesh.vertex_count(), mesh_.triangle_count(), mesh.triangle_count()});
    // Corner indices are needed from the first part on whose uv do not run alongside its vertices.
    const bool aligned = uv_offset == vertex_offset && mesh_.uv_triangles.empty() && mesh.uv_triangles.empty();
    if (!aligned && mesh_.uv_triangles.empty()) mesh_.uv_triangles = mesh_.triangles;
    mesh_.positions.insert(mesh_.positions.end(), mesh.positions.begin(), mesh.positions.end());
    mesh_.uv.insert(mesh_.uv.end(), mesh.uv.begin(), mesh.uv.end());
    if (!aligned)
        append_shifted(mesh_.uv_triangles, mesh.uv_triangles.empty() ? mesh.triangles : mesh.uv_triangles, uv_offset);
    append_shifted(mesh_.triangles, mesh.triangles, vertex_offset);
}

void DrawnSurface::copy_part(std::size_t part, const std::vector<Vec3>& particles, ThreadPool& pool) {
    const int from = model_->parts[part].vertex_begin, to = parts_[part].vertex_begin;
    pool.for_each(parts_[part].vertex_count, [&](int i) {
        position_[to + i] = particles[from + i];
        Vec3 sum;
        for (const int f : model_->vertex_triangles[from + i]) {
            const Triangle& t = model_->mesh.triangles[f];
            sum += doubled_area_normal(particles[t[0]], particles[t[1]], particles[t[2]]);
        }
        normal_[to + i] = Vec3f(normalized(sum));
    });
}

void DrawnSurface::follow_particles(std::size_t c, const std::vector<Vec3>& particles, ThreadPool& pool) {
    const ClothPart& part = model_->parts[c];
    const std::span<const Vec3> own{particles.data() + part.vertex_begin, static_cast<std::size_t>(part.vertex_count)};
    const auto follow = [&](auto& surface) {
        surface.update(own, pool);
        std::copy(surface.positions().begin(), surface.positions().end(), position_.begin() + parts_[c].vertex_begin);
        std::copy(surface.normals().begin(), surface.normals().end(), normal_.begin() + parts_[c].vertex_begin);
    };
    if (auto* pn = std::get_if<PnSurface>(&surfaces_[c]))
        follow(*pn);
    else if (auto* wrapped = std::get_if<WrappedMesh>(&surfaces_[c]))
        follow(*wrapped);
    else
        copy_part(c, particles, pool);
}

/// What keep_clear() looks crossings up in; nothing where no surface asks for it.
void DrawnSurface::prepare_clearing() {
    straight_.resize(surfaces_.size());
    bool any = false;
    for (std::size_t c = 0; c < surfaces_.size(); ++c) {
        const auto* pn = std::get_if<PnSurface>(&surfaces_[c]);
        if (!pn || !pn->keeps_clear()) continue;
        straight_[c].assign(static_cast<std::size_t>(pn->edge_count()), 0);
        any = true;
    }
    if (!any) return;
    std::vector<std::array<int, 3>> sides; // lower vertex, upper, triangle
    for (int t = 0; t < mesh_.triangle_count(); ++t)
        for (int k = 0; k < 3; ++k) {
            const int a = mesh_.triangles[t][k], b = mesh_.triangles[t][(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), t});
        }
    std::sort(sides.begin(), sides.end());
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (i > 0 && sides[i][0] == sides[i - 1][0] && sides[i][1] == sides[i - 1][1]) continue;
        fine_edges_.push_back({sides[i][0], sides[i][1]});
        triangle_of_edge_.push_back(sides[i][2]);
    }
    for (std::size_t c = 0; c < parts_.size(); ++c)
        part_of_triangle_.insert(part_of_triangle_.end(), static_cast<std::size_t>(parts_[c].triangle_count),
                                 static_cast<int>(c));
    crosses_.resize(mesh_.triangles.size());
}

/// Makes the sides of patches that cross something straight. Returns whether any was not so before.
bool DrawnSurface::mark_crossing_patches(ThreadPool& pool) {
    std::fill(crosses_.begin(), crosses_.end(), std::uint8_t{0});
    const auto note = [&](int edge, int triangle) {
        AtomicReference(crosses_[static_cast<std::size_t>(triangle)]).store(1);
        AtomicReference(crosses_[static_cast<std::size_t>(triangle_of_edge_[static_cast<std::size_t>(edge)])]).store(1);
        return true;
    };
    if (crossings_.count(pool, fine_edges_, mesh_.triangles, position_, note).count == 0) return false;
    bool any = false;
    for (std::size_t t = 0; t < crosses_.size(); ++t) {
        const auto c = static_cast<std::size_t>(part_of_triangle_[t]);
        if (!crosses_[t] || straight_[c].empty()) continue;
        const PnSurface& pn = std::get<PnSurface>(surfaces_[c]);
        const int face = (static_cast<int>(t) - parts_[c].triangle_begin) / pn.fine_triangles_of_face();
        for (int side = 0; side < 3; ++side) {
            std::uint8_t& straight = straight_[c][static_cast<std::size_t>(pn.edge_of_face(face, side))];
            any = any || !straight;
            straight = 1;
        }
    }
    return any;
}

/// Flattens patches that pass through others, until none does or all of them are as flat as the triangles. Afresh in
/// every frame, so that a picture does not depend on the ones before.
void DrawnSurface::keep_clear(const std::vector<Vec3>& particles, ThreadPool& pool) {
    if (!std::all_of(position_.begin(), position_.end(), [](const Vec3& p) { return is_finite(p); })) return;
    constexpr int kMostPasses = 12; // each flattens more
    for (int pass = 0; pass < kMostPasses && mark_crossing_patches(pool); ++pass)
        for (std::size_t c = 0; c < surfaces_.size(); ++c)
            if (!straight_[c].empty()) {
                std::get<PnSurface>(surfaces_[c]).set_straight(straight_[c]);
                follow_particles(c, particles, pool);
            }
}

const std::vector<Vec3>& DrawnSurface::update(const std::vector<Vec3>& particles, ThreadPool& pool) {
    if (!curved_) return particles;
    for (std::size_t c = 0; c < surfaces_.size(); ++c) {
        if (!straight_[c].empty()) {
            std::fill(straight_[c].begin(), straight_[c].end(), std::uint8_t{0});
            std::get<PnSurface>(surfaces_[c]).set_straight(straight_[c]);
        }
        follow_particles(c, particles, pool);
    }
    if (!crosses_.empty()) keep_clear(particles, pool);
    return position_;
}

std::vector<std::int8_t> DrawnSurface::history() const {
    std::vector<std::int8_t> out;
    for (const Surface& surface : surfaces_)
        if (const auto* pn = std::get_if<PnSurface>(&surface))
            out.insert(out.end(), pn->wrinkle_sides().begin(), pn->wrinkle_sides().end());
    return out;
}

bool DrawnSurface::set_history(std::span<const std::int8_t> history) {
    std::size_t size = 0;
    for (const Surface& surface : surfaces_)
        if (const auto* pn = std::get_if<PnSurface>(&surface)) size += pn->wrinkle_sides().size();
    if (history.size() != size) return false;
    for (Surface& surface : surfaces_)
        if (auto* pn = std::get_if<PnSurface>(&surface)) {
            pn->set_wrinkle_sides(history.first(pn->wrinkle_sides().size()));
            history = history.subspan(pn->wrinkle_sides().size());
        }
    return true;
}

} // namespace selvage
