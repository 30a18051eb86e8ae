// Layout, little-endian: magic, format, scene hash, vertex count, step count, time, first energy, number of recent
// strains, number of wrinkles, number of yarn memories, strains of edges and of threads, positions, velocities, yarns,
// wrinkles, and last a hash of everything before it.

#include "sim/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/hash.h"
#include "scene/json_fields.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"

namespace selvage {

namespace {

struct Header {
    char magic[8] = {'S', 'E', 'L', 'V', 'A', 'G', 'E', 'C'};
    std::uint64_t format = 4;
    std::uint64_t scene = 0;
    std::uint64_t vertex_count = 0;
    std::int64_t step_count = 0;
    double time = 0.0;
    double first_energy = 0.0;
    std::uint64_t strain_count = 0;
    std::uint64_t surface_count = 0;
    std::uint64_t yarn_count = 0; ///< As many as vertices, or none.
};
static_assert(sizeof(Header) == 80 && sizeof(YarnMemory) == 24 && sizeof(Vec3) == 24);

constexpr double kFarthest = 1e12; // [m]; also the most of a speed [m/s]: far beyond divergence, far from overflow

bool is_possible(const ClothState& state) {
    const auto is_near = [](const Vec3& v) {
        return is_finite(v) && std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) <= kFarthest;
    };
    return std::isfinite(state.time) && std::all_of(state.position.begin(), state.position.end(), is_near) &&
           std::all_of(state.velocity.begin(), state.velocity.end(), is_near) &&
           std::all_of(state.yarn.begin(), state.yarn.end(), [](const YarnMemory& yarn) { return yarn.is_possible(); });
}

/// What must be equal for the run to go on as it would have: the whole scene but its length, its words and its view.
std::uint64_t scene_hash(const Simulation& sim) {
    Json json = scene_json(sim.scene());
    for (const char* key : {"seconds", "description", "name", "camera", "render"})
        json.erase(key);
    for (Json& cloth : json["cloths"]) {
        cloth.erase("surface"); // only drawn
        if (cloth["fabric"].is_object()) cloth["fabric"].erase("look");
    }
    // The fabric's numbers and the meshes themselves, not only their file names.
    for (const ClothDesc& cloth : sim.scene().cloths)
        write_fields(json["materials"].emplace_back(), material_fields(), cloth.material);
    const TriangleMesh& mesh = sim.model().mesh;
    std::uint64_t hash = hash_text(json.dump());
    // A garment starts as it was draped, which the run does not depend on any more, unless it is tied to skin there.
    for (std::size_t c = 0; c < sim.model().parts.size(); ++c) {
        const ClothDesc& cloth = sim.scene().cloths[c];
        const ClothPart& part = sim.model().parts[c];
        if (cloth.skinned || !std::holds_alternative<GarmentMeshDesc>(cloth.mesh))
            hash = hash_bytes(mesh.positions.data() + part.vertex_begin,
                              static_cast<std::size_t>(part.vertex_count) * sizeof(Vec3), hash);
    }
    hash = hash_bytes(mesh.triangles.data(), mesh.triangles.size() * sizeof(Triangle), hash);
    hash = hash_bytes(mesh.uv.data(), mesh.uv.size() * sizeof(Vec2), hash);
    hash = hash_bytes(mesh.uv_triangles.data(), mesh.uv_triangles.size() * sizeof(Triangle), hash);
    for (const ColliderMotion& motion : sim.collider_motions())
        hash = motion.content_hash(hash);
    return hash;
}

template <class T>
void append(std::string& out, const T* data, std::size_t count) {
    out.append(reinterpret_cast<const char*>(data), count * sizeof(T));
}

} // namespace

Status save_checkpoint(const std::filesystem::path& path, const Simulation& sim, const RunHistory& history) {
    const ClothState& state = sim.state();
    Header header;
    header.scene = scene_hash(sim);
    header.vertex_count = state.position.size();
    header.step_count = sim.step_count();
    header.time = state.time;
    header.first_energy = history.first_energy;
    header.strain_count = history.recent_strain.size();
    header.surface_count = history.surface.size();
    header.yarn_count = state.yarn.size();
    SELVAGE_ASSERT(history.recent_threads.size() == history.recent_strain.size());
    std::string out;
    append(out, &header, 1);
    append(out, history.recent_strain.data(), history.recent_strain.size());
    append(out, history.recent_threads.data(), history.recent_threads.size());
    append(out, state.position.data(), state.position.size());
    append(out, state.velocity.data(), state.velocity.size());
    append(out, state.yarn.data(), state.yarn.size());
    append(out, history.surface.data(), history.surface.size());
    const std::uint64_t check = hash_text(out);
    append(out, &check, 1);
    return write_file(path, out);
}

Result<RunHistory> load_checkpoint(const std::filesystem::path& path, Simulation& sim) {
    const Result<std::string> content = read_file(path);
    if (!content) return content.error();
    return parse_checkpoint(*content, path.string(), sim);
}

Result<RunHistory> parse_checkpoint(const std::string& content, const std::string& location, Simulation& sim) {
    const auto fail = [&](const std::string& message) { return Error{message, location}; };
    Header header;
    const Header expected;
    if (content.size() < sizeof header || std::memcmp(content.data(), expected.magic, sizeof expected.magic) != 0)
        return fail("is not a Selvage checkpoint");
    std::memcpy(&header, content.data(), sizeof header);
    if (header.format != expected.format)
        return fail(concat("has checkpoint format ", header.format, "; expected ", expected.format));
    // Counts are compared with the file's size before anything trusts them.
    const std::uint64_t words = (content.size() - sizeof header) / 8;
    const bool sane = header.vertex_count < words && header.strain_count < words &&
                      header.surface_count < content.size() &&
                      (header.yarn_count == 0 || header.yarn_count == header.vertex_count);
    const std::uint64_t size = sizeof header + 16 * header.strain_count + 48 * header.vertex_count +
                               24 * header.yarn_count + header.surface_count + 8;
    if (!sane || content.size() != size)
        return fail(concat("has ", content.size(), " bytes where its header asks for ", sane ? concat(size) : "more",
                           "; it was cut short or damaged"));
    std::uint64_t check = 0;
    std::memcpy(&check, content.data() + size - 8, 8);
    if (check != hash_bytes(content.data(), size - 8)) return fail("is damaged: its check sum does not match");
    if (header.scene != scene_hash(sim) || header.vertex_count != sim.state().position.size())
        return fail(concat("belongs to another scene, solver or step size than \"", sim.scene().name,
                           "\" as given; resume with the scene and flags it was made with"));
    RunHistory history{header.first_energy, std::vector<double>(header.strain_count),
                       std::vector<std::int8_t>(header.surface_count), std::vector<double>(header.strain_count)};
    ClothState state{std::vector<Vec3>(header.vertex_count), std::vector<Vec3>(header.vertex_count), header.time,
                     std::vector<YarnMemory>(header.yarn_count)};
    const char* at = content.data() + sizeof header;
    const auto take = [&](auto& out) {
        if (out.empty()) return; // memcpy wants no null, not even for nothing
        std::memcpy(out.data(), at, out.size() * sizeof(out[0]));
        at += out.size() * sizeof(out[0]);
    };
    take(history.recent_strain);
    take(history.recent_threads);
    take(state.position);
    take(state.velocity);
    take(state.yarn);
    take(history.surface);
    if (!is_possible(state) || header.step_count < 0)
        return fail(concat("holds a state that no run reaches; expected finite places within ", kFarthest,
                           " m, speeds and a time"));
    sim.set_state(std::move(state), header.step_count);
    return history;
}

} // namespace selvage
