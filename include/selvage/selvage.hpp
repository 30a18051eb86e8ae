/** @file selvage.hpp
 *  Selvage for C++20: owning objects, spans and results over selvage.h. Header only, so that the library's binary interface
 *  stays that of C. What selvage.h says about units, threads, handles and the lifetime of arrays holds here too.
 *
 *  Errors: what can fail returns a Status or a Result<T>. Test it, or call value(), which throws selvage::Error; a
 *  program built without exceptions is ended instead, with the message on stderr.
 */
#ifndef SELVAGE_SELVAGE_HPP
#define SELVAGE_SELVAGE_HPP

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selvage/selvage.h"

// Inline, so that these names never meet the library's own in a program that links it statically.
namespace selvage {
inline namespace api {

/** What went wrong: a code and a sentence. */
class Error : public std::exception {
public:
    Error(selvage_result code, std::string message) : code_(code), message_(std::move(message)) {}
    selvage_result code() const noexcept { return code_; }
    const char* what() const noexcept override { return message_.c_str(); }

private:
    selvage_result code_;
    std::string message_;
};

namespace detail {
[[noreturn]] inline void fail(const Error& error) {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    throw error;
#else
    std::fprintf(stderr, "selvage: %s\n", error.what());
    std::abort();
#endif
}
} // namespace detail

/** Whether a call worked. */
class Status {
public:
    Status(selvage_result code) : code_(code) {
        if (code != SELVAGE_OK) message_ = selvage_last_error();
    }
    explicit operator bool() const { return code_ == SELVAGE_OK; }
    selvage_result code() const { return code_; }
    const std::string& message() const { return message_; } /**< "" when it worked. */
    /** Does nothing when the call worked; throws otherwise. */
    void value() const {
        if (code_ != SELVAGE_OK) detail::fail({code_, message_});
    }

private:
    selvage_result code_;
    std::string message_;
};

/** A value, or why there is none. */
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)), status_(SELVAGE_OK) {}
    Result(Status status) : status_(std::move(status)) {}
    explicit operator bool() const { return value_.has_value(); }
    const Status& status() const { return status_; }
    const std::string& message() const { return status_.message(); }
    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }
    T* operator->() { return &*value_; }
    const T* operator->() const { return &*value_; }
    /** The value; throws when there is none. */
    T& value() & {
        status_.value();
        return *value_;
    }
    T value() && {
        status_.value();
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
    Status status_;
};

/** Three numbers; laid out like the arrays of the C interface. */
struct Vec3 {
    double x = 0.0, y = 0.0, z = 0.0;
    const double* data() const { return &x; }
    double* data() { return &x; }
    friend bool operator==(const Vec3&, const Vec3&) = default;
};
/** Three floats. */
struct Vec3f {
    float x = 0.0f, y = 0.0f, z = 0.0f;
    friend bool operator==(const Vec3f&, const Vec3f&) = default;
};
/** A rotation; the default is none. */
struct Quaternion {
    double x = 0.0, y = 0.0, z = 0.0, w = 1.0;
    const double* data() const { return &x; }
    double* data() { return &x; }
    friend bool operator==(const Quaternion&, const Quaternion&) = default;
};
/** A place and a rotation: first turned, then moved. */
struct Pose {
    Vec3 position;
    Quaternion rotation;
};
/** Vertex indices of a triangle. */
using Triangle = std::array<std::int32_t, 3>;
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Vec3f) == 3 * sizeof(float));
static_assert(sizeof(Triangle) == 3 * sizeof(std::int32_t));

/** Fabric numbers in SI units. */
using Material = selvage_material;
using Hit = selvage_hit;
using Statistics = selvage_statistics;
using ContactEvent = selvage_contact_event;
using DebugLine = selvage_debug_line;
using Quality = selvage_quality;

/** The numbers of a fabric, by name or file. */
inline Result<Material> fabric_material(const std::string& fabric) {
    Material material{};
    material.struct_size = sizeof material;
    if (const selvage_result code = selvage_fabric_material(fabric.c_str(), &material); code != SELVAGE_OK)
        return Status(code);
    return material;
}

/** How a world is made; as selvage_world_desc. */
struct WorldDesc : selvage_world_desc {
    WorldDesc() : selvage_world_desc(selvage_world_desc_default()) {}
};
/** The air; as selvage_air. */
struct Air : selvage_air {
    Air() : selvage_air(selvage_air_default()) {}
};

/** A piece of cloth to be made; as selvage_cloth_desc, with containers. What it refers to must live until the cloth is made. */
struct ClothDesc : selvage_cloth_desc {
    ClothDesc() : selvage_cloth_desc(selvage_cloth_desc_default()) {}

    /** A rectangle in the x-y plane, centred on the origin. */
    static ClothDesc grid(double width, double height, int columns, int rows) {
        return made(SELVAGE_GENERATOR_GRID, {width, height, 0.0}, columns, rows);
    }
    /** A disc in the x-y plane. */
    static ClothDesc disc(double radius, int rings) {
        return made(SELVAGE_GENERATOR_DISC, {radius, 0.0, 0.0}, rings, 1);
    }
    /** An open tube about the y axis. */
    static ClothDesc tube(double radius, double top_radius, double height, int around, int along) {
        return made(SELVAGE_GENERATOR_TUBE, {radius, top_radius, height}, around, along);
    }
    /** A mesh in memory. */
    static ClothDesc mesh(std::span<const Vec3> points, std::span<const Triangle> faces) {
        ClothDesc desc;
        desc.positions = points.empty() ? nullptr : points.data()->data();
        desc.vertex_count = points.size();
        desc.triangles = faces.empty() ? nullptr : faces.data()->data();
        desc.triangle_count = faces.size();
        return desc;
    }
    ClothDesc& at(const Vec3& place, const Quaternion& turn = {}) {
        for (int k = 0; k < 3; ++k)
            position[k] = place.data()[k];
        for (int k = 0; k < 4; ++k)
            rotation[k] = turn.data()[k];
        return *this;
    }
    ClothDesc& of(const char* fabric_name) {
        fabric = fabric_name;
        return *this;
    }
    ClothDesc& pin(const char* groups) {
        pin_groups = groups;
        return *this;
    }
    ClothDesc& pin(std::span<const std::int32_t> vertices) {
        pins = vertices.data();
        pin_count = vertices.size();
        return *this;
    }

private:
    static ClothDesc made(selvage_generator generator, const std::array<double, 3>& size, int first, int second) {
        ClothDesc desc;
        desc.generator = generator;
        for (int k = 0; k < 3; ++k)
            desc.size[k] = size[k];
        desc.resolution[0] = first, desc.resolution[1] = second;
        return desc;
    }
};

/** A collider to be made; as selvage_collider_desc. What it refers to must live until the collider is made. */
struct ColliderDesc : selvage_collider_desc {
    ColliderDesc() : selvage_collider_desc(selvage_collider_desc_default()) {}

    static ColliderDesc sphere(double radius) { return made(SELVAGE_SHAPE_SPHERE, radius, 0.0, 0.0); }
    static ColliderDesc box(double x, double y, double z) { return made(SELVAGE_SHAPE_BOX, x, y, z); }
    static ColliderDesc capsule(double radius, double top_radius, double length) {
        return made(SELVAGE_SHAPE_CAPSULE, radius, top_radius, length);
    }
    static ColliderDesc cylinder(double radius, double height) {
        return made(SELVAGE_SHAPE_CYLINDER, radius, height, 0.0);
    }
    static ColliderDesc plane() { return made(SELVAGE_SHAPE_PLANE, 0.0, 0.0, 0.0); }
    static ColliderDesc mesh(std::span<const Vec3> points, std::span<const Triangle> faces) {
        ColliderDesc desc = made(SELVAGE_SHAPE_MESH, 0.0, 0.0, 0.0);
        desc.vertices = points.empty() ? nullptr : points.data()->data();
        desc.vertex_count = points.size();
        desc.triangles = faces.empty() ? nullptr : faces.data()->data();
        desc.triangle_count = faces.size();
        return desc;
    }
    ColliderDesc& at(const Vec3& place, const Quaternion& turn = {}) {
        for (int k = 0; k < 3; ++k)
            position[k] = place.data()[k];
        for (int k = 0; k < 4; ++k)
            rotation[k] = turn.data()[k];
        return *this;
    }

private:
    static ColliderDesc made(selvage_shape shape, double a, double b, double c) {
        ColliderDesc desc;
        desc.shape = shape;
        desc.size[0] = a, desc.size[1] = b, desc.size[2] = c;
        return desc;
    }
};

/** A frame that vertices of a cloth follow. A plain name: copying it copies no object. */
class Attachment {
public:
    Attachment() = default;
    explicit Attachment(selvage_attachment handle) : handle_(handle) {}
    selvage_attachment handle() const { return handle_; }
    Status move(const Pose& pose) {
        return selvage_attachment_move(handle_, pose.position.data(), pose.rotation.data());
    }
    Status destroy() { return selvage_attachment_destroy(handle_); }

private:
    selvage_attachment handle_ = 0;
};

/** A point of a cloth held by a hand. A plain name. */
class Grab {
public:
    Grab() = default;
    explicit Grab(selvage_grab handle) : handle_(handle) {}
    selvage_grab handle() const { return handle_; }
    Status move(const Vec3& target) { return selvage_grab_move(handle_, target.data()); }
    Result<Vec3> position() const {
        Vec3 point;
        if (const selvage_result code = selvage_grab_position(handle_, point.data()); code != SELVAGE_OK)
            return Status(code);
        return point;
    }
    Status release() { return selvage_grab_release(handle_); }

private:
    selvage_grab handle_ = 0;
};

/** A piece of cloth in a world. A plain name: copying it copies no cloth. Views of a cloth that is gone are empty. */
class Cloth {
public:
    Cloth() = default;
    explicit Cloth(selvage_cloth handle) : handle_(handle) {}
    selvage_cloth handle() const { return handle_; }
    friend bool operator==(const Cloth&, const Cloth&) = default;

    std::span<const Vec3> positions() const { return view<Vec3>(selvage_cloth_positions); }
    std::span<const Vec3> velocities() const { return view<Vec3>(selvage_cloth_velocities); }
    std::span<const Vec3> normals() const { return view<Vec3>(selvage_cloth_normals); }
    std::span<const Vec3f> positions_f() const { return view<Vec3f>(selvage_cloth_positions_f); }
    std::span<const Vec3f> velocities_f() const { return view<Vec3f>(selvage_cloth_velocities_f); }
    std::span<const Vec3f> normals_f() const { return view<Vec3f>(selvage_cloth_normals_f); }
    std::span<const Triangle> triangles() const { return view<Triangle>(selvage_cloth_triangles); }
    std::size_t vertex_count() const { return positions().size(); }
    std::string_view name() const {
        const char* text = "";
        selvage_cloth_name(handle_, &text);
        return text;
    }
    std::string_view warnings() const {
        const char* text = "";
        selvage_cloth_warnings(handle_, &text);
        return text;
    }
    void* user_data() const {
        void* data = nullptr;
        selvage_cloth_user_data(handle_, &data);
        return data;
    }

    Status set_state(std::span<const Vec3> new_positions, std::span<const Vec3> new_velocities = {}) {
        if (!new_velocities.empty() && new_velocities.size() != new_positions.size())
            return selvage_cloth_set_state(handle_, nullptr, nullptr, 0); // says what is wrong with the counts
        return selvage_cloth_set_state(handle_, new_positions.empty() ? nullptr : new_positions.data()->data(),
                                       new_velocities.empty() ? nullptr : new_velocities.data()->data(),
                                       new_positions.size());
    }
    Status teleport(const Pose& by, bool stop = false) {
        return selvage_cloth_teleport(handle_, by.rotation.data(), by.position.data(), stop ? 1 : 0);
    }
    Status reset() { return selvage_cloth_reset(handle_); }
    Status pin(std::span<const std::int32_t> vertices) {
        return selvage_cloth_pin(handle_, vertices.data(), vertices.size());
    }
    Status move_pins(std::span<const std::int32_t> vertices, std::span<const Vec3> targets) {
        if (vertices.size() != targets.size()) return selvage_cloth_move_pins(handle_, nullptr, nullptr, 1);
        return selvage_cloth_move_pins(handle_, vertices.data(), targets.empty() ? nullptr : targets.data()->data(),
                                       vertices.size());
    }
    Status unpin(std::span<const std::int32_t> vertices) {
        return vertices.empty() ? Status(SELVAGE_OK) : selvage_cloth_unpin(handle_, vertices.data(), vertices.size());
    }
    Status unpin_all() { return selvage_cloth_unpin(handle_, nullptr, 0); }
    Result<Attachment> attach(std::span<const std::int32_t> vertices, const Pose& pose) {
        selvage_attachment made = 0;
        if (const selvage_result code = selvage_cloth_attach(handle_, vertices.data(), vertices.size(),
                                                             pose.position.data(), pose.rotation.data(), &made);
            code != SELVAGE_OK)
            return Status(code);
        return Attachment(made);
    }
    Result<Grab> grab(int triangle, const Vec3& weights) {
        selvage_grab made = 0;
        if (const selvage_result code = selvage_cloth_grab(handle_, triangle, weights.data(), &made);
            code != SELVAGE_OK)
            return Status(code);
        return Grab(made);
    }
    Status wake() { return selvage_cloth_wake(handle_); }
    Status sleep() { return selvage_cloth_sleep(handle_); }
    bool is_awake() const {
        int awake = 0;
        selvage_cloth_is_awake(handle_, &awake);
        return awake != 0;
    }
    Status destroy() { return selvage_cloth_destroy(handle_); }

private:
    template <class T, class Number>
    std::span<const T> view(selvage_result (*get)(selvage_cloth, const Number**, size_t*)) const {
        const Number* data = nullptr;
        size_t count = 0;
        if (get(handle_, &data, &count) != SELVAGE_OK) return {};
        return {reinterpret_cast<const T*>(data), count};
    }

    selvage_cloth handle_ = 0;
};

/** Something that cloth cannot pass. A plain name. */
class Collider {
public:
    Collider() = default;
    explicit Collider(selvage_collider handle) : handle_(handle) {}
    selvage_collider handle() const { return handle_; }
    friend bool operator==(const Collider&, const Collider&) = default;

    Status move(const Pose& pose) { return selvage_collider_move(handle_, pose.position.data(), pose.rotation.data()); }
    Status teleport(const Pose& pose) {
        return selvage_collider_teleport(handle_, pose.position.data(), pose.rotation.data());
    }
    Status set_vertices(std::span<const Vec3> points) {
        return selvage_collider_set_vertices(handle_, points.empty() ? nullptr : points.data()->data(), points.size());
    }
    Status set_vertices(std::span<const Vec3f> points) {
        return selvage_collider_set_vertices_f(handle_, points.empty() ? nullptr : &points.data()->x, points.size());
    }
    Result<Pose> pose() const {
        Pose pose;
        if (const selvage_result code = selvage_collider_pose(handle_, pose.position.data(), pose.rotation.data());
            code != SELVAGE_OK)
            return Status(code);
        return pose;
    }
    void* user_data() const {
        void* data = nullptr;
        selvage_collider_user_data(handle_, &data);
        return data;
    }
    Status destroy() { return selvage_collider_destroy(handle_); }

private:
    selvage_collider handle_ = 0;
};

/** A world of cloths and colliders. Owns them; may be moved, not copied. */
class World {
public:
    static Result<World> make(const WorldDesc& desc = {}) {
        selvage_world made = 0;
        if (const selvage_result code = selvage_world_create(&desc, &made); code != SELVAGE_OK) return Status(code);
        return World(made);
    }
    /** A built-in scene, a scene file, or the text of one. */
    static Result<World> from_scene(const std::string& scene, const WorldDesc& desc = {}) {
        selvage_world made = 0;
        if (const selvage_result code = selvage_world_create_from_scene(scene.c_str(), &desc, &made);
            code != SELVAGE_OK)
            return Status(code);
        return World(made);
    }
    World(World&& other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    World& operator=(World&& other) noexcept {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, 0);
        }
        return *this;
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { destroy(); }
    selvage_world handle() const { return handle_; }

    Status step() { return selvage_world_step(handle_); }
    Result<selvage_advance> advance(double seconds, int max_steps = 4) {
        selvage_advance done{};
        done.struct_size = sizeof done;
        if (const selvage_result code = selvage_world_advance(handle_, seconds, max_steps, &done); code != SELVAGE_OK)
            return Status(code);
        return done;
    }
    double time() const {
        double seconds = 0.0;
        selvage_world_time(handle_, &seconds);
        return seconds;
    }

    Result<Cloth> add(const ClothDesc& desc) {
        selvage_cloth made = 0;
        if (const selvage_result code = selvage_cloth_create(handle_, &desc, &made); code != SELVAGE_OK)
            return Status(code);
        return Cloth(made);
    }
    /** An entry of "cloths" as in a scene file. */
    Result<Cloth> add_cloth_json(const std::string& json, const std::string& directory = ".") {
        selvage_cloth made = 0;
        if (const selvage_result code = selvage_cloth_create_from_json(handle_, json.c_str(), directory.c_str(), &made);
            code != SELVAGE_OK)
            return Status(code);
        return Cloth(made);
    }
    Result<Collider> add(const ColliderDesc& desc) {
        selvage_collider made = 0;
        if (const selvage_result code = selvage_collider_create(handle_, &desc, &made); code != SELVAGE_OK)
            return Status(code);
        return Collider(made);
    }
    std::vector<Cloth> cloths() const { return all<Cloth>(selvage_world_cloths); }
    std::vector<Collider> colliders() const { return all<Collider>(selvage_world_colliders); }
    Result<Cloth> find_cloth(const std::string& name) const {
        selvage_cloth found = 0;
        if (const selvage_result code = selvage_world_find_cloth(handle_, name.c_str(), &found); code != SELVAGE_OK)
            return Status(code);
        return Cloth(found);
    }

    Status set_gravity(const Vec3& gravity) { return selvage_world_set_gravity(handle_, gravity.data()); }
    Status set_air(const Air& air) { return selvage_world_set_air(handle_, &air); }
    Status set_wind(const Vec3& velocity) {
        Air air;
        for (int k = 0; k < 3; ++k)
            air.wind[k] = velocity.data()[k];
        return set_air(air);
    }
    Status set_solver(const std::string& solver, Quality quality = SELVAGE_QUALITY_LOW, int substeps = 0,
                      const char* settings = nullptr) {
        return selvage_world_set_solver(handle_, solver.c_str(), settings, quality, substeps);
    }

    Statistics statistics() const {
        Statistics statistics{};
        statistics.struct_size = sizeof statistics;
        selvage_world_statistics(handle_, &statistics);
        return statistics;
    }
    std::uint64_t state_hash() const {
        std::uint64_t hash = 0;
        selvage_world_state_hash(handle_, &hash);
        return hash;
    }
    /** The first thing along a ray, if any. */
    std::optional<Hit> raycast(const Vec3& origin, const Vec3& direction, double max_distance = 1e3,
                               unsigned flags = SELVAGE_RAY_ALL) const {
        Hit hit{};
        hit.struct_size = sizeof hit;
        int found = 0;
        selvage_world_raycast(handle_, origin.data(), direction.data(), max_distance, flags, &hit, &found);
        return found ? std::optional<Hit>(hit) : std::nullopt;
    }
    std::span<const ContactEvent> contact_events() const {
        const ContactEvent* events = nullptr;
        size_t count = 0;
        if (selvage_world_contact_events(handle_, &events, &count) != SELVAGE_OK) return {};
        return {events, count};
    }
    /** Reuses the memory of `lines`. */
    Status debug_lines(unsigned flags, std::vector<DebugLine>& lines) const {
        size_t count = 0;
        lines.resize(lines.capacity());
        selvage_result code = selvage_world_debug_lines(handle_, flags, lines.data(), lines.size(), &count);
        if (code == SELVAGE_OK && count > lines.size()) {
            lines.resize(count);
            code = selvage_world_debug_lines(handle_, flags, lines.data(), lines.size(), &count);
        }
        lines.resize(code == SELVAGE_OK ? count : 0);
        return code;
    }

    /** Reuses the memory of `bytes`. */
    Status snapshot(std::vector<std::byte>& bytes) const {
        size_t size = 0;
        if (const selvage_result code = selvage_world_snapshot_size(handle_, &size); code != SELVAGE_OK) return code;
        bytes.resize(size);
        return selvage_world_snapshot(handle_, bytes.data(), bytes.size(), &size);
    }
    Status restore(std::span<const std::byte> bytes) {
        return selvage_world_restore(handle_, bytes.data(), bytes.size());
    }

private:
    explicit World(selvage_world handle) : handle_(handle) {}
    void destroy() {
        if (handle_ != 0) selvage_world_destroy(std::exchange(handle_, 0));
    }
    template <class T>
    std::vector<T> all(selvage_result (*get)(selvage_world, std::uint64_t*, size_t, size_t*)) const {
        std::vector<std::uint64_t> handles;
        size_t count = 0;
        while (get(handle_, handles.data(), handles.size(), &count) == SELVAGE_OK && count > handles.size())
            handles.resize(count);
        std::vector<T> out;
        for (const std::uint64_t handle : handles)
            out.emplace_back(handle);
        return out;
    }

    selvage_world handle_ = 0;
};

} // namespace api
} // namespace selvage

#endif // SELVAGE_SELVAGE_HPP
