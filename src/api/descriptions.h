#pragma once

#include <cstring>
#include <span>

#include "base/result.h"
#include "scene/scene_desc.h"
#include "selvage/selvage.h"
#include "sim/simulation.h"
#include "world/world.h"

namespace selvage {

/// Reads a struct that may come from an older or newer header: what it lacks stays as in `out`, what we do not know is
/// left out. False when its size cannot be right.
template <class S>
bool read_sized(const S* in, S& out) {
    constexpr std::size_t kAbsurd = 65536;
    if (in->struct_size < sizeof(std::size_t) || in->struct_size > kAbsurd) return false;
    std::memcpy(&out, in, std::min(in->struct_size, sizeof(S)));
    out.struct_size = sizeof(S);
    return true;
}

/// The number behind an enum of the C interface: a C program may put any there, and C++ may not even look at a wrong one.
template <class E>
int number_in(const E& choice) {
    static_assert(sizeof(E) == sizeof(int));
    int number = 0;
    std::memcpy(&number, &choice, sizeof number);
    return number;
}

/// Writes as much of a struct as the caller has room for; its size stays.
template <class S>
bool write_sized(const S& from, S* out) {
    constexpr std::size_t kAbsurd = 65536;
    if (out->struct_size < sizeof(std::size_t) || out->struct_size > kAbsurd) return false;
    const std::size_t size = out->struct_size;
    std::memcpy(out, &from, std::min(size, sizeof(S)));
    out->struct_size = size;
    return true;
}

selvage_world_desc default_world_desc();
selvage_cloth_desc default_cloth_desc();
selvage_collider_desc default_collider_desc();
selvage_air default_air();

// From what users give to what the engine takes; each fails with what was found and what was expected.
Result<WorldSettings> to_settings(const selvage_world_desc& desc);
Result<SolverSettings> to_solver(const char* solver, const char* settings, int quality);
Result<int> to_substeps(const SolverSettings& solver, int substeps);
Result<AirDesc> to_air(const selvage_air& air);
selvage_air from_air(const AirDesc& air);
Result<ClothDesc> to_cloth(const selvage_cloth_desc& desc);
Result<Material> to_material(const selvage_material& material, const Material& start);
selvage_material from_material(const Material& material);
struct ColliderInput {
    ColliderDesc desc;
    Pose pose;
};
Result<ColliderInput> to_collider(const selvage_collider_desc& desc);
Result<SceneDesc> to_scene(const char* scene);
Result<Rotation> to_rotation(const double quaternion[4]);
Result<Pose> to_pose(const double position[3], const double quaternion[4]);
Result<Vec3> to_vec3(const double numbers[3], const char* what);
std::array<double, 4> to_quaternion(const Rotation& rotation);

/// An edge or corner of a generated mesh; null when there is none of that name, and then what to say about it.
const VertexGroup* find_group(const GeneratedMesh& mesh, const std::string& name);
std::string unknown_group(const GeneratedMesh& mesh, const std::string& name);

/// Indices into `count` things.
Status check_indices(std::span<const int> indices, int count, const char* what);
/// Points given as triples; fails when one is not finite.
Result<std::vector<Vec3>> to_points(const double* xyz, std::size_t count, const char* what);
Result<std::vector<Vec3>> to_points(const float* xyz, std::size_t count, const char* what);

} // namespace selvage
