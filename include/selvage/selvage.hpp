/** @file selvage.hpp
 *  Selvage for C++20: owning objects, spans and results over selvage.h. Header only, so that the library's binary
 *  interface stays that of C. What selvage.h says about units, threads, handles and the lifetime of arrays holds here
 *  too.
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
    /** A code and its sentence. */
    Error(selvage_result code, std::string message) : code_(code), message_(std::move(message)) {}
    /** Which kind of error it is. */
    selvage_result code() const noexcept { return code_; }
    /** What was found, and what was expected. */
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
class [[nodiscard]] Status {
public:
    /** Takes the message of a failed call from selvage_last_error(). */
    Status(selvage_result code) : code_(code) {
        if (code != SELVAGE_OK) message_ = selvage_last_error();
    }
    /** True when the call worked. */
    explicit operator bool() const { return code_ == SELVAGE_OK; }
    /** SELVAGE_OK when the call worked. */
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
    /** A value. */
    Result(T value) : value_(std::move(value)), status_(SELVAGE_OK) {}
    /** Why there is none. */
    Result(Status status) : status_(std::move(status)) {}
    /** True when there is a value. */
    explicit operator bool() const { return value_.has_value(); }
    /** Whether the call worked, and if not why. */
    const Status& status() const { return status_; }
    /** "" when it worked. */
    const std::string& message() const { return status_.message(); }
    /** The value; there must be one. */
    T& operator*() { return *value_; }
    /** The value; there must be one. */
    const T& operator*() const { return *value_; }
    /** The value; there must be one. */
    T* operator->() { return &*value_; }
    /** The value; there must be one. */
    const T* operator->() const { return &*value_; }
    /** The value; throws when there is none. */
    T& value() & {
        status_.value();
        return *value_;
    }
    /** The value, moved out; throws when there is none. */
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
    double x = 0.0; /**< Along x. */
    double y = 0.0; /**< Along y. */
    double z = 0.0; /**< Along z. */
    /** The numbers as the C interface takes them. */
    const double* data() const { return &x; }
    /** The numbers as the C interface takes them. */
    double* data() { return &x; }
    /** Equal in every number. */
    friend bool operator==(const Vec3&, const Vec3&) = default;
};
/** Three floats. */
struct Vec3f {
    float x = 0.0f; /**< Along x. */
    float y = 0.0f; /**< Along y. */
    float z = 0.0f; /**< Along z. */
    /** Equal in every number. */
    friend bool operator==(const Vec3f&, const Vec3f&) = default;
};
/** A rotation; the default is none. */
struct Quaternion {
    double x = 0.0; /**< Sine of half the angle times the axis. */
    double y = 0.0; /**< Likewise. */
    double z = 0.0; /**< Likewise. */
    double w = 1.0; /**< Cosine of half the angle. */
    /** The numbers as the C interface takes them: x, y, z, w. */
    const double* data() const { return &x; }
    /** The numbers as the C interface takes them: x, y, z, w. */
    double* data() { return &x; }
    /** Equal in every number. */
    friend bool operator==(const Quaternion&, const Quaternion&) = default;
};
/** A place and a rotation: first turned, then moved. */
struct Pose {
    Vec3 position;       /**< [m]. */
    Quaternion rotation; /**< Before the move, about the origin. */
};
/** Vertex indices of a triangle. */
using Triangle = std::array<std::int32_t, 3>;
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Vec3f) == 3 * sizeof(float));
static_assert(sizeof(Triangle) == 3 * sizeof(std::int32_t));

/** Fabric numbers in SI units. */
using Material = selvage_material;
/** What a ray met first. */
using Hit = selvage_hit;
/** What the last frame cost and did. */
using Statistics = selvage_statistics;
/** A cloth and what it touches. */
using ContactEvent = selvage_contact_event;
/** A line to draw. */
using DebugLine = selvage_debug_line;
/** How much work a frame may cost. */
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

/** A piece of cloth to be made; as selvage_cloth_desc, with containers. What it refers to must live until the cloth is
 *  made. */
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
    /** Where the origin of the mesh goes [m], and how the mesh is turned first. */
    ClothDesc& at(const Vec3& place, const Quaternion& turn = {}) {
        for (int k = 0; k < 3; ++k)
            position[k] = place.data()[k];
        for (int k = 0; k < 4; ++k)
            rotation[k] = turn.data()[k];
        return *this;
    }
    /** The fabric: a built-in name or a file. */
    ClothDesc& of(const char* fabric_name) {
        fabric = fabric_name;
        return *this;
    }
    /** Edges and corners of a generated mesh to pin, such as "top-left,top-right". */
    ClothDesc& pin(const char* groups) {
        pin_groups = groups;
        return *this;
    }
    /** Vertices to pin. */
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

    /** A ball about the origin. */
    static ColliderDesc sphere(double radius) { return made(SELVAGE_SHAPE_SPHERE, radius, 0.0, 0.0); }
    /** A box about the origin, by its edge lengths. */
    static ColliderDesc box(double x, double y, double z) { return made(SELVAGE_SHAPE_BOX, x, y, z); }
    /** Two balls and what lies between them; `length` is the distance of their centres along y. */
    static ColliderDesc capsule(double radius, double top_radius, double length) {
        return made(SELVAGE_SHAPE_CAPSULE, radius, top_radius, length);
    }
    /** A cylinder along y, about the origin. */
    static ColliderDesc cylinder(double radius, double height) {
        return made(SELVAGE_SHAPE_CYLINDER, radius, height, 0.0);
    }
    /** All below y = 0. */
    static ColliderDesc plane() { return made(SELVAGE_SHAPE_PLANE, 0.0, 0.0, 0.0); }
    /** Triangles: a solid when closed, else a surface with two sides. */
    static ColliderDesc mesh(std::span<const Vec3> points, std::span<const Triangle> faces) {
        ColliderDesc desc = made(SELVAGE_SHAPE_MESH, 0.0, 0.0, 0.0);
        desc.vertices = points.empty() ? nullptr : points.data()->data();
        desc.vertex_count = points.size();
        desc.triangles = faces.empty() ? nullptr : faces.data()->data();
        desc.triangle_count = faces.size();
        return desc;
    }
    /** Where its origin goes [m], and how it is turned first. */
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
    /** Takes a handle of the C interface. */
    explicit Attachment(selvage_attachment handle) : handle_(handle) {}
    /** For the C interface; 0 names nothing. */
    selvage_attachment handle() const { return handle_; }
    /** Moves the frame over the next step. */
    Status move(const Pose& pose) {
        return selvage_attachment_move(handle_, pose.position.data(), pose.rotation.data());
    }
    /** Lets the vertices go. */
    Status destroy() { return selvage_attachment_destroy(handle_); }

private:
    selvage_attachment handle_ = 0;
};

/** A point of a cloth held by a hand. A plain name. */
class Grab {
public:
    Grab() = default;
    /** Takes a handle of the C interface. */
    explicit Grab(selvage_grab handle) : handle_(handle) {}
    /** For the C interface; 0 names nothing. */
    selvage_grab handle() const { return handle_; }
    /** Takes the point to `target` over the next frame [m], and holds it there. */
    Status move(const Vec3& target) { return selvage_grab_move(handle_, target.data()); }
    /** Where the grabbed point is now [m]. */
    Result<Vec3> position() const {
        Vec3 point;
        if (const selvage_result code = selvage_grab_position(handle_, point.data()); code != SELVAGE_OK)
            return Status(code);
        return point;
    }
    /** Lets go. */
    Status release() { return selvage_grab_release(handle_); }

private:
    selvage_grab handle_ = 0;
};

class Collider;

/** A piece of cloth in a world. A plain name: copying it copies no cloth. Views of a cloth that is gone are empty. */
class Cloth {
public:
    Cloth() = default;
    /** Takes a handle of the C interface. */
    explicit Cloth(selvage_cloth handle) : handle_(handle) {}
    /** For the C interface; 0 names nothing. */
    selvage_cloth handle() const { return handle_; }
    /** Whether both name the same cloth. */
    friend bool operator==(const Cloth&, const Cloth&) = default;

    /** Of every vertex [m]. No copy is made; valid until the next call that changes the world, as all views are. */
    std::span<const Vec3> positions() const { return view<Vec3>(selvage_cloth_positions); }
    /** Of every vertex [m/s]. */
    std::span<const Vec3> velocities() const { return view<Vec3>(selvage_cloth_velocities); }
    /** Area-weighted unit normals of every vertex, computed once per frame when asked for. */
    std::span<const Vec3> normals() const { return view<Vec3>(selvage_cloth_normals); }
    /** Positions as floats, rounded once per frame when asked for. */
    std::span<const Vec3f> positions_f() const { return view<Vec3f>(selvage_cloth_positions_f); }
    /** Velocities as floats, rounded once per frame when asked for. */
    std::span<const Vec3f> velocities_f() const { return view<Vec3f>(selvage_cloth_velocities_f); }
    /** Normals as floats. */
    std::span<const Vec3f> normals_f() const { return view<Vec3f>(selvage_cloth_normals_f); }
    /** As the engine uses them: degenerate and repeated ones of the input are left out. */
    std::span<const Triangle> triangles() const { return view<Triangle>(selvage_cloth_triangles); }
    /** The vertices of a named edge or corner of a generated mesh; empty when there is none of that name. */
    std::span<const std::int32_t> group(const char* group_name) const {
        const std::int32_t* data = nullptr;
        size_t count = 0;
        if (selvage_cloth_group(handle_, group_name, &data, &count) != SELVAGE_OK) return {};
        return {data, count};
    }
    /** Low and high corner of the box around the cloth [m]. */
    Result<std::pair<Vec3, Vec3>> bounds() const {
        std::pair<Vec3, Vec3> box;
        if (const selvage_result code = selvage_cloth_bounds(handle_, box.first.data(), box.second.data());
            code != SELVAGE_OK)
            return Status(code);
        return box;
    }
    /** 0 for a cloth that is gone. */
    std::size_t vertex_count() const { return positions().size(); }
    /** Valid until the cloth is destroyed. */
    std::string_view name() const {
        const char* text = "";
        selvage_cloth_name(handle_, &text);
        return text;
    }
    /** What was odd about the cloth when it was made, one line each; "" when nothing. */
    std::string_view warnings() const {
        const char* text = "";
        selvage_cloth_warnings(handle_, &text);
        return text;
    }
    /** What was given when the cloth was made. */
    void* user_data() const {
        void* data = nullptr;
        selvage_cloth_user_data(handle_, &data);
        return data;
    }

    /** Replaces all positions, and velocities unless empty. Wakes the cloth. */
    Status set_state(std::span<const Vec3> new_positions, std::span<const Vec3> new_velocities = {}) {
        if (!new_velocities.empty() && new_velocities.size() != new_positions.size())
            return selvage_cloth_set_state(handle_, nullptr, nullptr, 0); // says what is wrong with the counts
        return selvage_cloth_set_state(handle_, new_positions.empty() ? nullptr : new_positions.data()->data(),
                                       new_velocities.empty() ? nullptr : new_velocities.data()->data(),
                                       new_positions.size());
    }
    /** Moves the cloth with its pins and attachments rigidly, without sweeping through what lies between: turned about
     *  the origin, then moved. Velocities are turned too, or set to 0 when `stop` is true. */
    Status teleport(const Pose& by, bool stop = false) {
        return selvage_cloth_teleport(handle_, by.rotation.data(), by.position.data(), stop ? 1 : 0);
    }
    /** Puts the cloth back to where it was added. Also after it diverged. */
    Status reset() { return selvage_cloth_reset(handle_); }
    /** Pins vertices where they are. */
    Status pin(std::span<const std::int32_t> vertices) {
        return selvage_cloth_pin(handle_, vertices.data(), vertices.size());
    }
    /** Moves pins to new places over the next frame [m]; vertices not pinned yet become so. */
    Status move_pins(std::span<const std::int32_t> vertices, std::span<const Vec3> targets) {
        if (vertices.size() != targets.size()) return selvage_cloth_move_pins(handle_, nullptr, nullptr, 1);
        return selvage_cloth_move_pins(handle_, vertices.data(), targets.empty() ? nullptr : targets.data()->data(),
                                       vertices.size());
    }
    /** Lets these pinned vertices go. */
    Status unpin(std::span<const std::int32_t> vertices) {
        return vertices.empty() ? Status(SELVAGE_OK) : selvage_cloth_unpin(handle_, vertices.data(), vertices.size());
    }
    /** Lets all pinned vertices go. */
    Status unpin_all() { return selvage_cloth_unpin(handle_, nullptr, 0); }
    /** Attaches vertices to a frame that the program moves, such as a bone; `pose` is where the frame is now. */
    Result<Attachment> attach(std::span<const std::int32_t> vertices, const Pose& pose) {
        selvage_attachment made = 0;
        if (const selvage_result code = selvage_cloth_attach(handle_, vertices.data(), vertices.size(),
                                                             pose.position.data(), pose.rotation.data(), &made);
            code != SELVAGE_OK)
            return Status(code);
        return Attachment(made);
    }
    /** Attaches vertices to the skin of a mesh or a character: they keep their places on its nearest triangles. */
    Result<Attachment> attach_to_skin(std::span<const std::int32_t> vertices, const Collider& collider);
    /** Takes hold of the point of a triangle given by its weights, as in Hit. */
    Result<Grab> grab(int triangle, const Vec3& weights) {
        selvage_grab made = 0;
        if (const selvage_result code = selvage_cloth_grab(handle_, triangle, weights.data(), &made);
            code != SELVAGE_OK)
            return Status(code);
        return Grab(made);
    }
    /** Wakes the cloth. */
    Status wake() { return selvage_cloth_wake(handle_); }
    /** Puts the cloth to sleep, with all that touches it. */
    Status sleep() { return selvage_cloth_sleep(handle_); }
    /** False for a cloth that is gone. */
    bool is_awake() const {
        int awake = 0;
        selvage_cloth_is_awake(handle_, &awake);
        return awake != 0;
    }
    /** Removes the cloth with its attachments and grabs. */
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
    /** Takes a handle of the C interface. */
    explicit Collider(selvage_collider handle) : handle_(handle) {}
    /** For the C interface; 0 names nothing. */
    selvage_collider handle() const { return handle_; }
    /** Whether both name the same collider. */
    friend bool operator==(const Collider&, const Collider&) = default;

    /** Moves to a new pose over the next frame, pushing and dragging cloth on its path. */
    Status move(const Pose& pose) { return selvage_collider_move(handle_, pose.position.data(), pose.rotation.data()); }
    /** Goes somewhere else at once, without sweeping through what lies between. */
    Status teleport(const Pose& pose) {
        return selvage_collider_teleport(handle_, pose.position.data(), pose.rotation.data());
    }
    /** Moves the vertices of a mesh over the next frame, in world space [m]. From then on its pose has no say. */
    Status set_vertices(std::span<const Vec3> points) {
        return selvage_collider_set_vertices(handle_, points.empty() ? nullptr : points.data()->data(), points.size());
    }
    /** The same from floats. */
    Status set_vertices(std::span<const Vec3f> points) {
        return selvage_collider_set_vertices_f(handle_, points.empty() ? nullptr : &points.data()->x, points.size());
    }
    /** Where the vertices of a mesh or a character are now, 3 numbers each; empty when it is none. Valid until the next
     *  change of the world. */
    std::span<const double> vertices() const {
        const double* data = nullptr;
        std::size_t count = 0;
        if (selvage_collider_vertices(handle_, &data, &count) != SELVAGE_OK) return {};
        return {data, 3 * count};
    }
    /** Its triangles, 3 vertex indices each; empty when it is no mesh. */
    std::span<const std::int32_t> triangles() const {
        const std::int32_t* data = nullptr;
        std::size_t count = 0;
        if (selvage_collider_triangles(handle_, &data, &count) != SELVAGE_OK) return {};
        return {data, 3 * count};
    }
    /** Where it is now. */
    Result<Pose> pose() const {
        Pose pose;
        if (const selvage_result code = selvage_collider_pose(handle_, pose.position.data(), pose.rotation.data());
            code != SELVAGE_OK)
            return Status(code);
        return pose;
    }
    /** What was given when the collider was made. */
    void* user_data() const {
        void* data = nullptr;
        selvage_collider_user_data(handle_, &data);
        return data;
    }
    /** Removes the collider and wakes cloth near it. */
    Status destroy() { return selvage_collider_destroy(handle_); }

private:
    selvage_collider handle_ = 0;
};

inline Result<Attachment> Cloth::attach_to_skin(std::span<const std::int32_t> vertices, const Collider& collider) {
    selvage_attachment made = 0;
    if (const selvage_result code =
            selvage_cloth_attach_to_skin(handle_, vertices.data(), vertices.size(), collider.handle(), &made);
        code != SELVAGE_OK)
        return Status(code);
    return Attachment(made);
}

/** A world of cloths and colliders. Owns them; may be moved, not copied. */
class World {
public:
    /** An empty world. */
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
    /** Leaves `other` without a world. */
    World(World&& other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    /** Destroys the world that was here; leaves `other` without one. */
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
    /** For the C interface; 0 after a move. */
    selvage_world handle() const { return handle_; }

    /** Advances by one frame. Fails with SELVAGE_ERROR_DIVERGED when a cloth diverged; see selvage_world_step(). */
    Status step() { return selvage_world_step(handle_); }
    /** For a game loop: adds `seconds` to an accumulator and takes as many frames out of it as fit, at most
     *  `max_steps`. */
    Result<selvage_advance> advance(double seconds, int max_steps = 4) {
        selvage_advance done{};
        done.struct_size = sizeof done;
        if (const selvage_result code = selvage_world_advance(handle_, seconds, max_steps, &done); code != SELVAGE_OK)
            return Status(code);
        return done;
    }
    /** Simulated [s]. */
    double time() const {
        double seconds = 0.0;
        selvage_world_time(handle_, &seconds);
        return seconds;
    }

    /** Adds a cloth. Cloths that it does not touch go on bit for bit as they would have without it. */
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
    /** Adds a collider and wakes cloth near it. */
    Result<Collider> add(const ColliderDesc& desc) {
        selvage_collider made = 0;
        if (const selvage_result code = selvage_collider_create(handle_, &desc, &made); code != SELVAGE_OK)
            return Status(code);
        return Collider(made);
    }
    /** An entry of "colliders" as in a scene file, such as a character that plays an animation of its file. */
    Result<Collider> add_collider_json(const std::string& json, const std::string& directory = ".") {
        selvage_collider made = 0;
        if (const selvage_result code =
                selvage_collider_create_from_json(handle_, json.c_str(), directory.c_str(), &made);
            code != SELVAGE_OK)
            return Status(code);
        return Collider(made);
    }
    /** In the order they were added. */
    std::vector<Cloth> cloths() const { return all<Cloth>(selvage_world_cloths); }
    /** In the order they were added. */
    std::vector<Collider> colliders() const { return all<Collider>(selvage_world_colliders); }
    /** The first cloth of that name; fails when there is none. */
    Result<Cloth> find_cloth(const std::string& name) const {
        selvage_cloth found = 0;
        if (const selvage_result code = selvage_world_find_cloth(handle_, name.c_str(), &found); code != SELVAGE_OK)
            return Status(code);
        return Cloth(found);
    }

    /** [m/s2]. Wakes all cloth. */
    Status set_gravity(const Vec3& gravity) { return selvage_world_set_gravity(handle_, gravity.data()); }
    /** Replaces the air and wakes all cloth. */
    Status set_air(const Air& air) { return selvage_world_set_air(handle_, &air); }
    /** Changes the mean wind [m/s] and wakes all cloth. A world without air gets that near the ground. */
    Status set_wind(const Vec3& velocity) {
        Air air, now; // what there is, or still air where there was none
        if (selvage_world_air(handle_, &now) == SELVAGE_OK && now.density > 0.0) air = now;
        for (int k = 0; k < 3; ++k)
            air.wind[k] = velocity.data()[k];
        return set_air(air);
    }
    /** Sets the time that a frame should keep to [ms]; 0: none. Over it frames do less work: `budget_level` of
     *  statistics(). Results depend on the speed of the machine then. */
    Status set_budget(double ms) { return selvage_world_set_budget(handle_, ms); }
    /** Replaces the solver between frames; all cloth keeps its state. `substeps` 0: the usual number of that solver. */
    Status set_solver(const std::string& solver, Quality quality = SELVAGE_QUALITY_LOW, int substeps = 0,
                      const char* settings = nullptr) {
        return selvage_world_set_solver(handle_, solver.c_str(), settings, quality, substeps);
    }

    /** What the last frame cost and did. Costs a pass over all edges. */
    Statistics statistics() const {
        Statistics statistics{};
        statistics.struct_size = sizeof statistics;
        selvage_world_statistics(handle_, &statistics);
        return statistics;
    }
    /** Of time, positions and velocities: equal on every platform for equal runs. */
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
    /** Of the last frame. Valid until the next call that changes the world. */
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
    /** Goes back to a snapshot of this world, or of one made the same way. */
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
