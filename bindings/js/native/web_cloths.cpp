// Cloths: how they are made, and what a page draws of them beside positions and normals.

#include <cmath>
#include <cstring>
#include <map>

#include "web_module.h"

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

namespace {

/// Views of a cloth that are made when asked for, and valid until they are asked for again.
struct MadeViews {
    std::vector<float> strain, tangents, uv;
    std::vector<std::uint8_t> touching;
    std::vector<std::int32_t> held;
};

std::map<selvage_cloth, MadeViews>& made_views() {
    static std::map<selvage_cloth, MadeViews> views;
    return views;
}

const TriangleMesh& mesh_of(const WorldCloth& cloth) {
    return cloth.desc.given_mesh->mesh;
}

/// Pattern coordinates of every vertex; on a seam those of one of its sides.
std::vector<Vec2> vertex_uv(const TriangleMesh& mesh) {
    std::vector<Vec2> uv(mesh.positions.size());
    for (int t = 0; t < mesh.triangle_count(); ++t)
        for (int k = 0; k < 3; ++k)
            uv[mesh.triangles[t][k]] = mesh.uv[mesh.uv_corners(t)[k]];
    return uv;
}

/// Directions of u and v in space, summed over the triangles around each vertex by their areas in the pattern.
struct ThreadDirections {
    std::vector<Vec3> warp, weft;
};

ThreadDirections thread_directions(const TriangleMesh& mesh, std::span<const Vec3> x) {
    ThreadDirections sums{std::vector<Vec3>(x.size()), std::vector<Vec3>(x.size())};
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const Triangle &corner = mesh.triangles[t], &at = mesh.uv_corners(t);
        const auto flat = [&](int k) {
            const Vec3& p = mesh.positions[corner[k]];
            return mesh.uv.empty() ? Vec2{p.x, p.y} : mesh.uv[at[k]];
        };
        const Vec2 a{flat(1).x - flat(0).x, flat(1).y - flat(0).y}, b{flat(2).x - flat(0).x, flat(2).y - flat(0).y};
        const double area = a.x * b.y - b.x * a.y, sign = area < 0.0 ? -1.0 : 1.0;
        const Vec3 p = x[corner[1]] - x[corner[0]], q = x[corner[2]] - x[corner[0]];
        const Vec3 warp = sign * (b.y * p - a.y * q), weft = sign * (a.x * q - b.x * p);
        for (const int v : corner) {
            sums.warp[v] += warp;
            sums.weft[v] += weft;
        }
    }
    return sums;
}

} // namespace

/// `numbers`: generator, size (3), resolution (2), position (3), rotation (4), self-collision, contact distance,
/// velocity (3), velocity damping, whether a material follows, its 10 numbers. Texts that are empty are not given.
SELVAGE_WEB selvage_result web_cloth_create(selvage_world world, const double* numbers, const double* positions,
                                            size_t vertex_count, const std::int32_t* triangles, size_t triangle_count,
                                            const double* rest, const double* uv, const std::int32_t* pins,
                                            size_t pin_count, const char* const* texts, selvage_cloth* cloth) {
    selvage_cloth_desc desc = selvage_cloth_desc_default();
    desc.name = web::text_or_null(texts[0]);
    desc.file = web::text_or_null(texts[1]);
    desc.fabric = web::text_or_null(texts[2]);
    desc.pin_groups = web::text_or_null(texts[3]);
    desc.positions = positions, desc.vertex_count = vertex_count;
    desc.triangles = triangles, desc.triangle_count = triangle_count;
    desc.rest_positions = rest, desc.uv = uv;
    desc.pins = pins, desc.pin_count = pin_count;
    const int generator = static_cast<int>(numbers[0]);
    std::memcpy(&desc.generator, &generator, sizeof generator);
    std::copy(numbers + 1, numbers + 4, desc.size);
    desc.resolution[0] = static_cast<int>(numbers[4]), desc.resolution[1] = static_cast<int>(numbers[5]);
    std::copy(numbers + 6, numbers + 9, desc.position);
    std::copy(numbers + 9, numbers + 13, desc.rotation);
    desc.self_collision = numbers[13] != 0.0 ? 1 : 0;
    desc.contact_distance = numbers[14];
    std::copy(numbers + 15, numbers + 18, desc.velocity);
    desc.velocity_damping = numbers[18];
    selvage_material material{};
    material.struct_size = sizeof material;
    if (numbers[19] != 0.0) {
        double* const fields[] = {&material.density,      &material.thickness, &material.stretch_warp,
                                  &material.stretch_weft, &material.shear,     &material.bend_warp,
                                  &material.bend_weft,    &material.bend_bias, &material.damping,
                                  &material.friction};
        for (int k = 0; k < 10; ++k)
            *fields[k] = numbers[20 + k];
        desc.material = &material;
    }
    return selvage_cloth_create(world, &desc, cloth);
}

/// `out`: the material's 10 numbers, then those of write_look().
SELVAGE_WEB selvage_result web_cloth_fabric(selvage_cloth cloth, double* out, const char** name, const char** print) {
    return with_cloth(cloth, Mode::reader, [&](const World&, const WorldCloth& c) -> selvage_result {
        const selvage_material m = from_material(c.desc.material);
        const double numbers[] = {m.density,   m.thickness, m.stretch_warp, m.stretch_weft, m.shear,
                                  m.bend_warp, m.bend_weft, m.bend_bias,    m.damping,      m.friction};
        std::copy(std::begin(numbers), std::end(numbers), out);
        web::write_look(c.desc.look, out + 10);
        *name = c.desc.fabric.c_str();
        *print = c.desc.look.print.c_str();
        return SELVAGE_OK;
    });
}

/// The largest strain of the edges around each vertex, by size.
SELVAGE_WEB selvage_result web_cloth_strain(selvage_cloth cloth, web::Range* out) {
    return with_cloth(cloth, Mode::reader, [&](const World&, const WorldCloth& c) -> selvage_result {
        const ClothModel& model = c.island->sim.model();
        const std::vector<Vec3>& x = c.island->sim.state().position;
        const ClothPart& part = c.model_part();
        std::vector<float>& strain = made_views()[cloth].strain;
        strain.assign(static_cast<std::size_t>(part.vertex_count), 0.0f);
        for (std::size_t e = 0; e < model.edges.size(); ++e) {
            const auto& [a, b] = model.edges[e];
            if (a < part.vertex_begin || a >= part.vertex_begin + part.vertex_count) continue;
            const double rest = model.edge_length[e];
            const auto now = static_cast<float>(rest > 0.0 ? length(x[b] - x[a]) / rest - 1.0 : 0.0);
            for (const int v : {a, b}) {
                float& most = strain[static_cast<std::size_t>(v - part.vertex_begin)];
                if (std::abs(now) > std::abs(most)) most = now;
            }
        }
        web::give_range(std::span<const float>(strain), out);
        return SELVAGE_OK;
    });
}

/// 4 floats per vertex: the warp's direction in the surface, and on which side of it the weft is.
SELVAGE_WEB selvage_result web_cloth_tangents(selvage_cloth cloth, web::Range* out) {
    return with_cloth(cloth, Mode::reader, [&](const World& w, const WorldCloth& c) -> selvage_result {
        const std::span<const Vec3> normals = w.normals(c);
        const ThreadDirections threads = thread_directions(mesh_of(c), c.positions());
        std::vector<float>& tangents = made_views()[cloth].tangents;
        tangents.clear();
        for (std::size_t v = 0; v < normals.size(); ++v) {
            const Vec3 n = normals[v];
            Vec3 warp = threads.warp[v] - dot(threads.warp[v], n) * n;
            if (!(length(warp) > 1e-20)) warp = cross(std::abs(n.y) < 0.9 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, n);
            warp = normalized(warp);
            const double side = dot(cross(n, warp), threads.weft[v]) < 0.0 ? -1.0 : 1.0;
            for (const double number : {warp.x, warp.y, warp.z, side})
                tangents.push_back(static_cast<float>(number));
        }
        web::give_range(std::span<const float>(tangents), out);
        return SELVAGE_OK;
    });
}

/// 2 floats per vertex; no elements where the mesh has no pattern.
SELVAGE_WEB selvage_result web_cloth_vertex_uv(selvage_cloth cloth, web::Range* out) {
    return with_cloth(cloth, Mode::reader, [&](const World&, const WorldCloth& c) -> selvage_result {
        std::vector<float>& uv = made_views()[cloth].uv;
        uv.clear();
        if (!mesh_of(c).uv.empty())
            for (const Vec2& p : vertex_uv(mesh_of(c))) {
                uv.push_back(static_cast<float>(p.x));
                uv.push_back(static_cast<float>(p.y));
            }
        web::give_range(std::span<const float>(uv), out);
        return SELVAGE_OK;
    });
}

/// A byte per vertex: 1 where it touches something after the last frame.
SELVAGE_WEB selvage_result web_cloth_touching(selvage_cloth cloth, web::Range* out) {
    return with_cloth(cloth, Mode::reader, [&](const World&, const WorldCloth& c) -> selvage_result {
        constexpr double kTouching = 1.1, kTouchingExtra = 1e-4; // as for contact events
        const ClothPart& part = c.model_part();
        const Simulation& sim = c.island->sim;
        std::vector<std::uint8_t>& touching = made_views()[cloth].touching;
        touching.assign(static_cast<std::size_t>(part.vertex_count), 0);
        for (const std::vector<ContactRecord>& records : sim.contact_records())
            for (const ContactRecord& record : records) {
                if (record.gap > kTouching * record.minimum_distance + kTouchingExtra) continue;
                for (const int v : record.vertex)
                    if (v >= part.vertex_begin && v < part.vertex_begin + part.vertex_count)
                        touching[static_cast<std::size_t>(v - part.vertex_begin)] = 1;
            }
        const std::span<const Vec3> x = c.positions();
        for (const Collider& collider : sim.colliders())
            for (std::size_t v = 0; v < x.size(); ++v)
                if (!touching[v] && collider.may_touch(x[v]) &&
                    collider.nearest(x[v]).distance <= kTouching * collider.thickness + kTouchingExtra)
                    touching[v] = 1;
        web::give_range(std::span<const std::uint8_t>(touching), out);
        return SELVAGE_OK;
    });
}

/// Vertices that are held: by pins of the scene or the program, by attachments and by hands.
SELVAGE_WEB selvage_result web_cloth_held(selvage_cloth cloth, web::Range* out) {
    return with_cloth(cloth, Mode::reader, [&](const World&, const WorldCloth& c) -> selvage_result {
        const ClothPart& part = c.model_part();
        std::vector<std::int32_t>& held = made_views()[cloth].held;
        held.clear();
        for (const HeldPoint& point : c.island->sim.held_points())
            if (point.vertex >= part.vertex_begin && point.vertex < part.vertex_begin + part.vertex_count)
                held.push_back(point.vertex - part.vertex_begin);
        web::give_range(std::span<const std::int32_t>(held), out);
        return SELVAGE_OK;
    });
}

SELVAGE_WEB selvage_result web_cloth_destroy(selvage_cloth cloth) {
    const selvage_result code = selvage_cloth_destroy(cloth);
    if (code == SELVAGE_OK) made_views().erase(cloth);
    return code;
}

SELVAGE_WEB selvage_result web_world_destroy(selvage_world world) {
    std::vector<selvage_cloth> cloths;
    const selvage_result listed = with_world(world, Mode::reader, [&](World& w) -> selvage_result {
        for (const WorldCloth* cloth : w.cloths().in_order())
            cloths.push_back(cloth->handle);
        return SELVAGE_OK;
    });
    if (listed != SELVAGE_OK) return listed;
    const selvage_result code = selvage_world_destroy(world);
    if (code == SELVAGE_OK)
        for (const selvage_cloth cloth : cloths)
            made_views().erase(cloth);
    return code;
}
