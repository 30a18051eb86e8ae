#include "api/descriptions.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/suggest.h"
#include "geometry/mesh_import.h"
#include "scene/json_text.h"
#include "scene/scene_fields.h"
#include "scene/scene_io.h"
#include "sim/keyframes.h"
#include "sim/mesh_source.h"

namespace selvage {

namespace {

Error bad(std::string message) {
    return {std::move(message), {}, ErrorKind::work}; // a wrong argument, not wrong data; see registry.cpp
}

// Nobody's cloth is farther from the origin [m]; beyond it a double no longer tells a thread from its neighbour.
constexpr double kFarthest = 1e6;

bool is_place(const Vec3& v) {
    return is_finite(v) && std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) <= kFarthest;
}

Status check_range(double value, double low, double high, const char* what, const char* unit = "") {
    if (value >= low && value <= high) return Done{};
    return bad(concat(what, " is ", value, unit, "; expected ", low, " to ", high, unit));
}

PinDesc pin_of(std::vector<int> vertices) {
    PinDesc pin;
    pin.select = std::move(vertices);
    return pin;
}

template <std::size_t N>
Triple triple(const double (&numbers)[N]) {
    return {numbers[0], numbers[1], numbers[2]};
}

} // namespace

selvage_world_desc default_world_desc() {
    selvage_world_desc desc{};
    const WorldSettings settings;
    desc.struct_size = sizeof desc;
    desc.gravity[1] = settings.gravity.y;
    desc.time_step = settings.dt;
    desc.quality = SELVAGE_QUALITY_LOW;
    desc.threads = settings.threads;
    desc.sleeping = settings.sleeping ? 1 : 0;
    desc.sleep_distance = settings.sleep_distance;
    desc.sleep_time = settings.sleep_time;
    return desc;
}

selvage_cloth_desc default_cloth_desc() {
    selvage_cloth_desc desc{};
    desc.struct_size = sizeof desc;
    desc.rotation[3] = 1.0;
    desc.self_collision = 1;
    return desc;
}

selvage_collider_desc default_collider_desc() {
    selvage_collider_desc desc{};
    const ColliderDesc usual{};
    desc.struct_size = sizeof desc;
    std::fill(std::begin(desc.size), std::end(desc.size), Sphere{}.radius);
    desc.rotation[3] = 1.0;
    desc.friction = usual.friction;
    desc.thickness = usual.thickness;
    return desc;
}

selvage_air default_air() {
    const AirDesc usual;
    selvage_air air{};
    air.struct_size = sizeof air;
    air.density = 1.2;
    air.drag = usual.drag;
    air.lift = usual.lift;
    air.gust_length = usual.gust_length;
    air.seed = usual.seed;
    return air;
}

Result<Vec3> to_vec3(const double numbers[3], const char* what) {
    if (!numbers) return bad(concat(what, " is null; expected 3 numbers"));
    const Vec3 v{numbers[0], numbers[1], numbers[2]};
    if (!is_place(v))
        return bad(
            concat(what, " is (", v.x, ", ", v.y, ", ", v.z, "); expected finite numbers of at most ", kFarthest));
    return v;
}

Result<Rotation> to_rotation(const double quaternion[4]) {
    if (!quaternion) return bad("the rotation is null; expected a quaternion of 4 numbers");
    const double size = std::sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] +
                                  quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]);
    if (!(size > 1e-6 && size < 1e6))
        return bad(concat("the rotation is the quaternion (", quaternion[0], ", ", quaternion[1], ", ", quaternion[2],
                          ", ", quaternion[3], "); expected one of about unit length"));
    const double x = quaternion[0] / size, y = quaternion[1] / size, z = quaternion[2] / size, w = quaternion[3] / size;
    return Rotation{{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
                    {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
                    {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}};
}

std::array<double, 4> to_quaternion(const Rotation& r) {
    // The largest of the four comes from the diagonal; the others follow from it without loss.
    const double xx = r.row_x.x, yy = r.row_y.y, zz = r.row_z.z;
    const std::array<double, 4> four_squares{1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz,
                                             1.0 + xx + yy + zz};
    const auto largest = std::max_element(four_squares.begin(), four_squares.end()) - four_squares.begin();
    const double root = std::sqrt(four_squares[largest]), f = 0.5 / root;
    const double yz = r.row_z.y - r.row_y.z, zx = r.row_x.z - r.row_z.x, xy = r.row_y.x - r.row_x.y;
    const double s_xy = r.row_x.y + r.row_y.x, s_xz = r.row_x.z + r.row_z.x, s_yz = r.row_y.z + r.row_z.y;
    switch (largest) {
    case 0:
        return {0.5 * root, f * s_xy, f * s_xz, f * yz};
    case 1:
        return {f * s_xy, 0.5 * root, f * s_yz, f * zx};
    case 2:
        return {f * s_xz, f * s_yz, 0.5 * root, f * xy};
    default:
        return {f * yz, f * zx, f * xy, 0.5 * root};
    }
}

Result<Pose> to_pose(const double position[3], const double quaternion[4]) {
    const Result<Vec3> centre = to_vec3(position, "the position");
    if (!centre) return centre.error();
    const Result<Rotation> turn = to_rotation(quaternion);
    if (!turn) return turn.error();
    return Pose{*centre, *turn};
}

Status check_indices(std::span<const int> indices, int count, const char* what) {
    for (std::size_t k = 0; k < indices.size(); ++k)
        if (indices[k] < 0 || indices[k] >= count)
            return bad(concat(what, " ", k, " names vertex ", indices[k], "; expected 0 to ", count - 1));
    return Done{};
}

namespace {

template <class Number>
Result<std::vector<Vec3>> points_from(const Number* xyz, std::size_t count, const char* what) {
    std::vector<Vec3> points(count);
    for (std::size_t k = 0; k < count; ++k) {
        points[k] = {xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]};
        if (!is_place(points[k])) return bad(concat(what, " ", k, " is not finite, or larger than ", kFarthest));
    }
    return points;
}

} // namespace

Result<std::vector<Vec3>> to_points(const double* xyz, std::size_t count, const char* what) {
    return points_from(xyz, count, what);
}

Result<std::vector<Vec3>> to_points(const float* xyz, std::size_t count, const char* what) {
    return points_from(xyz, count, what);
}

Result<SolverSettings> to_solver(const char* solver, const char* settings, int quality) {
    const std::string name = solver ? solver : solver_name(MultilevelSettings{});
    if (quality < SELVAGE_QUALITY_LOW || quality > SELVAGE_QUALITY_HIGH)
        return bad(concat("the quality is ", quality, "; expected 0 (low) to 2 (high)"));
    return parse_solver(name, settings ? settings : "{}", std::array{"low", "default", "high"}[quality]);
}

Result<int> to_substeps(const SolverSettings& solver, int substeps) {
    if (substeps < 0 || substeps > static_cast<int>(kSubsteps.max))
        return bad(concat("substeps is ", substeps, "; expected 0 (as usual) to ", static_cast<int>(kSubsteps.max)));
    if (substeps > 0) return substeps;
    if (const auto* multilevel = std::get_if<MultilevelSettings>(&solver))
        return multilevel->quality == Quality::low ? 4 : multilevel->quality == Quality::standard ? 10 : 20;
    return usual_substeps()[kOtherSolvers];
}

Result<WorldSettings> to_settings(const selvage_world_desc& desc) {
    WorldSettings out;
    const Result<Vec3> gravity = to_vec3(desc.gravity, "gravity");
    if (!gravity) return gravity.error();
    out.gravity = *gravity;
    if (const Status ok = check_range(length(*gravity), 0.0, 1e4, "gravity", " m/s2"); !ok) return ok.error();
    if (const Status ok = check_range(desc.time_step, 1e-6, 1.0, "time_step", " s"); !ok) return ok.error();
    if (const Status ok = check_range(desc.threads, 0, ThreadPool::kMaxThreads, "threads"); !ok) return ok.error();
    if (const Status ok = check_range(desc.sleep_distance, 0.0, 1.0, "sleep_distance", " m"); !ok) return ok.error();
    if (const Status ok = check_range(desc.sleep_time, 0.0, 1e6, "sleep_time", " s"); !ok) return ok.error();
    if (const Status ok = check_range(desc.velocity_damping, 0.0, 1e4, "velocity_damping", " /s"); !ok)
        return ok.error();
    if (const Status ok = check_range(desc.budget_ms, 0.0, 1e6, "budget_ms", " ms"); !ok) return ok.error();
    const Result<SolverSettings> solver = to_solver(desc.solver, desc.solver_settings, number_in(desc.quality));
    if (!solver) return solver.error();
    const Result<int> substeps = to_substeps(*solver, desc.substeps);
    if (!substeps) return substeps.error();
    out.dt = desc.time_step;
    out.solver = *solver;
    out.substeps = *substeps;
    out.threads = desc.threads;
    out.jobs = {desc.parallel_for, desc.parallel_user};
    out.sleeping = desc.sleeping != 0;
    out.sleep_distance = desc.sleep_distance;
    out.sleep_time = desc.sleep_time;
    out.velocity_damping = desc.velocity_damping;
    out.budget_ms = desc.budget_ms;
    return out;
}

Result<AirDesc> to_air(const selvage_air& air) {
    AirDesc out{air.density, air.drag, air.lift, triple(air.wind), air.gust, air.gust_length, air.seed};
    const Result<Vec3> wind = to_vec3(air.wind, "the wind");
    if (!wind) return wind.error();
    if (const Status ok = check_range(length(*wind), 0.0, 1e3, "the wind's speed", " m/s"); !ok) return ok.error();
    for (const auto* fields : {&air_fields(), &wind_fields()})
        for (const Field& field : *fields)
            if (const auto* member = std::get_if<Place<double>>(&field.member)) {
                const double value = member->in(&out);
                if (!(value >= field.range.min && value <= field.range.max) ||
                    (field.range.open_min && !(value > field.range.min)))
                    return bad(concat(field.key, " is ", value, "; expected ", field.range.open_min ? "more than " : "",
                                      field.range.min, " to ", field.range.max));
            }
    return out;
}

selvage_air from_air(const AirDesc& air) {
    return {sizeof(selvage_air), air.density, air.drag, air.lift, {air.wind[0], air.wind[1], air.wind[2]}, air.gust,
            air.gust_length,     air.seed};
}

const VertexGroup* find_group(const GeneratedMesh& mesh, const std::string& name) {
    for (const auto* groups : {&mesh.edges, &mesh.corners})
        for (const VertexGroup& group : *groups)
            if (group.name == name) return &group;
    return nullptr;
}

std::string unknown_group(const GeneratedMesh& mesh, const std::string& name) {
    std::vector<std::string> known;
    for (const auto* groups : {&mesh.edges, &mesh.corners})
        for (const VertexGroup& group : *groups)
            known.push_back(group.name);
    return concat("found the group \"", printable(name), "\"; expected ",
                  known.empty() ? "none, since this mesh has no named edges" : concat("one of: ", join(known)));
}

Result<Material> to_material(const selvage_material& m, const Material& start) {
    Material out = start;
    out.density = m.density;
    out.thickness = m.thickness;
    out.stretch_warp = m.stretch_warp;
    out.stretch_weft = m.stretch_weft;
    out.shear = m.shear;
    out.bend_warp = m.bend_warp;
    out.bend_weft = m.bend_weft;
    out.bend_bias = m.bend_bias;
    out.damping = m.damping;
    out.friction = m.friction;
    for (const Field& field : material_fields())
        if (const auto* member = std::get_if<Place<double>>(&field.member))
            if (const double value = member->in(&out); !(value >= field.range.min && value <= field.range.max))
                return bad(concat("the material's ", field.key, " is ", value, "; expected ", field.range.min, " to ",
                                  field.range.max, " ", field.unit));
    return out;
}

selvage_material from_material(const Material& m) {
    return {sizeof(selvage_material),
            m.density,
            m.thickness,
            m.stretch_warp,
            m.stretch_weft,
            m.shear,
            m.bend_warp,
            m.bend_weft,
            m.bend_bias,
            m.damping,
            m.friction};
}

namespace {

Result<TriangleMesh> to_mesh(const double* positions, std::size_t vertex_count, const std::int32_t* triangles,
                             std::size_t triangle_count) {
    if (!positions || !triangles) return bad("positions or triangles are null; expected both");
    if (vertex_count == 0 || vertex_count > static_cast<std::size_t>(kMaxVertices))
        return bad(concat("vertex_count is ", vertex_count, "; expected 1 to ", kMaxVertices));
    if (triangle_count == 0 || triangle_count > 4 * static_cast<std::size_t>(kMaxVertices))
        return bad(concat("triangle_count is ", triangle_count, "; expected 1 to ", 4 * kMaxVertices));
    TriangleMesh mesh;
    Result<std::vector<Vec3>> points = to_points(positions, vertex_count, "vertex");
    if (!points) return points.error();
    mesh.positions = std::move(*points);
    mesh.triangles.resize(triangle_count);
    std::memcpy(mesh.triangles.data(), triangles, triangle_count * sizeof(Triangle));
    for (std::size_t t = 0; t < triangle_count; ++t)
        for (const int v : mesh.triangles[t])
            if (v < 0 || v >= static_cast<int>(vertex_count))
                return bad(concat("triangle ", t, " names vertex ", v, "; expected 0 to ", vertex_count - 1));
    return mesh;
}

Result<GeneratedMesh> mesh_from_arrays(const selvage_cloth_desc& desc) {
    const double* rest = desc.rest_positions ? desc.rest_positions : desc.positions;
    Result<TriangleMesh> mesh = to_mesh(rest, desc.vertex_count, desc.triangles, desc.triangle_count);
    if (!mesh) return mesh.error();
    GeneratedMesh out;
    out.mesh = std::move(*mesh);
    if (desc.rest_positions) {
        if (!desc.positions) return bad("positions are null beside rest_positions; expected both");
        Result<std::vector<Vec3>> start = to_points(desc.positions, desc.vertex_count, "vertex");
        if (!start) return start.error();
        out.start = std::move(*start);
    }
    for (std::size_t k = 0; desc.uv && k < desc.vertex_count; ++k) {
        out.mesh.uv.push_back({desc.uv[2 * k], desc.uv[2 * k + 1]});
        if (!std::isfinite(desc.uv[2 * k]) || !std::isfinite(desc.uv[2 * k + 1]))
            return bad(concat("uv ", k, " is not finite"));
    }
    std::vector<std::string> dropped; // degenerate and repeated triangles go without a word, as documented
    if (const Status ok = check_mesh(out.mesh, "cloth", dropped); !ok) return ok.error();
    return out;
}

Result<GeneratedMesh> mesh_from_generator(const selvage_cloth_desc& desc) {
    const auto [first, second] = std::array{desc.resolution[0], desc.resolution[1]};
    const int least = desc.generator == SELVAGE_GENERATOR_DISC ? 1 : 2;
    if (first < least || (desc.generator != SELVAGE_GENERATOR_DISC && second < 2))
        return bad(concat("the resolution is ", first, " x ", second, "; expected at least ", least, " each"));
    if (static_cast<double>(first) * std::max(second, desc.generator == SELVAGE_GENERATOR_DISC ? 3 * first : 1) >
        static_cast<double>(kMaxVertices))
        return bad(
            concat("the resolution is ", first, " x ", second, "; expected at most ", kMaxVertices, " vertices"));
    const int sizes = desc.generator == SELVAGE_GENERATOR_DISC ? 1 : desc.generator == SELVAGE_GENERATOR_GRID ? 2 : 3;
    for (int k = 0; k < sizes; ++k)
        if (const Status ok = check_range(desc.size[k], 1e-6, 1e4, "the size", " m"); !ok) return ok.error();
    switch (desc.generator) {
    case SELVAGE_GENERATOR_GRID:
        return make_grid({{desc.size[0], desc.size[1]}, {first, second}});
    case SELVAGE_GENERATOR_DISC:
        return make_disc({desc.size[0], first});
    default: // all others were refused before
        return make_tube({desc.size[0], desc.size[1], desc.size[2], {first, second}});
    }
}

Result<TriangleMesh> read_existing(const char* file, std::vector<std::string>& warnings) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code))
        return Error{"cannot be read; expected a file", file, ErrorKind::io};
    return read_mesh(file, warnings);
}

Result<GeneratedMesh> mesh_from_file(const char* file) {
    std::vector<std::string> warnings;
    Result<TriangleMesh> mesh = read_existing(file, warnings);
    if (!mesh) return mesh.error();
    GeneratedMesh out;
    out.mesh = std::move(*mesh);
    return out;
}

Status add_pin_groups(const char* names, const GeneratedMesh& mesh, std::vector<PinDesc>& pins) {
    const std::string_view all = names;
    for (std::size_t begin = 0; begin <= all.size();) {
        const std::size_t end = std::min(all.find(',', begin), all.size());
        std::string name(all.substr(begin, end - begin));
        std::erase(name, ' ');
        begin = end + 1;
        if (name.empty()) continue;
        const VertexGroup* found = find_group(mesh, name);
        if (!found) return bad(concat("pin_groups: ", unknown_group(mesh, name)));
        pins.push_back(pin_of(found->vertices));
    }
    return Done{};
}

Result<GeneratedMesh> to_generated(const selvage_cloth_desc& desc) {
    if (const int generator = number_in(desc.generator);
        generator < SELVAGE_GENERATOR_NONE || generator > SELVAGE_GENERATOR_TUBE)
        return bad(concat("the generator is ", generator, "; expected 0 to 3"));
    const int sources = (desc.positions || desc.triangles || desc.rest_positions ? 1 : 0) + (desc.file ? 1 : 0) +
                        (desc.generator != SELVAGE_GENERATOR_NONE ? 1 : 0);
    if (sources != 1)
        return bad(
            concat("the mesh comes from ", sources, " places; expected exactly one of: arrays, file, generator"));
    if (desc.file) return mesh_from_file(desc.file);
    return desc.generator != SELVAGE_GENERATOR_NONE ? mesh_from_generator(desc) : mesh_from_arrays(desc);
}

} // namespace

Result<ClothDesc> to_cloth(const selvage_cloth_desc& desc) {
    ClothDesc out;
    if (desc.name) out.name = printable(desc.name);
    const Result<Pose> pose = to_pose(desc.position, desc.rotation);
    if (!pose) return pose.error();
    Result<GeneratedMesh> mesh = to_generated(desc);
    if (!mesh) return mesh.error();
    for (std::vector<Vec3>* points : {&mesh->mesh.positions, &mesh->start})
        for (Vec3& p : *points)
            p = pose->to_world(p);
    if (desc.fabric) out.fabric = desc.fabric;
    const Result<Fabric> fabric = load_fabric(out.fabric);
    if (!fabric) return fabric.error();
    out.material = fabric->material;
    out.look = fabric->look;
    if (desc.material) {
        selvage_material given = from_material(out.material);
        if (!read_sized(desc.material, given)) return bad("the material's struct_size is wrong; expected its sizeof");
        const Result<Material> material = to_material(given, out.material);
        if (!material) return material.error();
        out.material = *material;
        out.inline_fabric = true;
    }
    if (desc.pin_count > 0) {
        if (!desc.pins) return bad("pins are null; expected pin_count vertices");
        const std::span<const int> pins(desc.pins, desc.pin_count);
        if (const Status ok = check_indices(pins, mesh->mesh.vertex_count(), "pin"); !ok) return ok.error();
        out.pins.push_back(pin_of(std::vector<int>(pins.begin(), pins.end())));
    }
    if (desc.pin_groups)
        if (const Status ok = add_pin_groups(desc.pin_groups, *mesh, out.pins); !ok) return ok.error();
    if (const Status ok = check_range(desc.contact_distance, 0.0, 1.0, "contact_distance", " m"); !ok)
        return ok.error();
    if (const Status ok = check_range(desc.velocity_damping, 0.0, 1e4, "velocity_damping", " /s"); !ok)
        return ok.error();
    const Result<Vec3> velocity = to_vec3(desc.velocity, "the velocity");
    if (!velocity) return velocity.error();
    if (const Status ok = check_range(length(*velocity), 0.0, 1e3, "the speed", " m/s"); !ok) return ok.error();
    out.velocity = triple(desc.velocity);
    out.self_collision = desc.self_collision != 0;
    out.contact_distance = desc.contact_distance;
    out.velocity_damping = desc.velocity_damping;
    out.given_mesh = std::make_shared<const GeneratedMesh>(std::move(*mesh));
    return out;
}

namespace {

Status read_shape(const selvage_collider_desc& desc, ColliderDesc& out) {
    const int sizes[] = {1, 3, 3, 2, 0, 2, 0};
    if (const int shape = number_in(desc.shape); shape < SELVAGE_SHAPE_SPHERE || shape > SELVAGE_SHAPE_MESH)
        return bad(concat("the shape is ", shape, "; expected 0 to 6"));
    for (int k = 0; k < sizes[desc.shape]; ++k) {
        const double least = desc.shape == SELVAGE_SHAPE_CAPSULE && k == 2 ? 0.0 : 1e-6; // a ball is a capsule too
        if (const Status ok = check_range(desc.size[k], least, 1e4, "the size", " m"); !ok) return ok.error();
    }
    switch (desc.shape) {
    case SELVAGE_SHAPE_SPHERE:
        out.shape = Sphere{desc.size[0]};
        break;
    case SELVAGE_SHAPE_BOX:
        out.shape = Box{triple(desc.size)};
        break;
    case SELVAGE_SHAPE_CAPSULE:
        out.shape = Capsule{desc.size[0], desc.size[1], desc.size[2]};
        break;
    case SELVAGE_SHAPE_CYLINDER:
        out.shape = Cylinder{desc.size[0], desc.size[1]};
        break;
    case SELVAGE_SHAPE_PLANE:
        out.shape = Plane{};
        break;
    case SELVAGE_SHAPE_HEIGHT: {
        const auto [columns, rows] = std::array{desc.resolution[0], desc.resolution[1]};
        if (!desc.heights) return bad("heights are null; expected resolution[0] x resolution[1] numbers");
        if (columns < 2 || rows < 2 || columns > kMaxVertices / rows)
            return bad(concat("the resolution is ", columns, " x ", rows, "; expected 2 or more each, and at most ",
                              kMaxVertices, " together"));
        HeightDesc height{{desc.size[0], desc.size[1]}, {columns, rows}, {}};
        height.heights.assign(desc.heights, desc.heights + static_cast<std::size_t>(columns) * rows);
        for (const double h : height.heights)
            if (!(h >= kHeight.min && h <= kHeight.max))
                return bad(concat("a height is ", h, " m; expected ", kHeight.min, " to ", kHeight.max, " m"));
        out.shape = std::move(height);
        break;
    }
    case SELVAGE_SHAPE_MESH: {
        if (desc.file && (desc.vertices || desc.triangles))
            return bad("the mesh comes from a file and from arrays; expected one of them");
        Result<TriangleMesh> mesh = [&]() -> Result<TriangleMesh> {
            if (!desc.file) return to_mesh(desc.vertices, desc.vertex_count, desc.triangles, desc.triangle_count);
            std::vector<std::string> warnings;
            return read_existing(desc.file, warnings);
        }();
        if (!mesh) return mesh.error();
        SolidMeshDesc shape;
        shape.given_mesh = std::make_shared<const TriangleMesh>(std::move(*mesh));
        out.shape = std::move(shape);
        break;
    }
    }
    return Done{};
}

} // namespace

Result<ColliderInput> to_collider(const selvage_collider_desc& desc) {
    ColliderInput out;
    const Result<Pose> pose = to_pose(desc.position, desc.rotation);
    if (!pose) return pose.error();
    out.pose = *pose;
    if (const Status ok = check_range(desc.friction, 0.0, 10.0, "friction"); !ok) return ok.error();
    if (const Status ok = check_range(desc.thickness, 0.0, 1.0, "thickness", " m"); !ok) return ok.error();
    out.desc.friction = desc.friction;
    out.desc.thickness = desc.thickness;
    if (const Status ok = read_shape(desc, out.desc); !ok) return ok.error();
    return out;
}

Result<SceneDesc> to_scene(const char* scene) {
    if (!scene) return bad("the scene is null; expected a name, a path or JSON text");
    const std::string text = scene;
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        return bad("the scene is empty; expected a name, a path or JSON text");
    if (text[text.find_first_not_of(" \t\r\n")] != '{') return load_scene(text);
    return parse_scene(text, "scene");
}

} // namespace selvage
