#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "api/worlds.h"

namespace selvage_test {

/// Calls the C interface at random, with arguments of which a good part is wrong, and looks after the promises: a call that
/// fails says why, cloth stays finite, and counts are right.
class ApiFuzz {
public:
    explicit ApiFuzz(std::uint64_t seed) : random_(seed * 2654435761u + 1) {}
    /// Chosen by bytes, two for each choice; what is left open at their end is random.
    explicit ApiFuzz(std::span<const std::uint8_t> bytes) : random_(1), bytes_(bytes) {}

    /// The first broken promise; "" when there was none.
    std::string run(int calls) {
        for (int k = 0; k < calls && broken_.empty(); ++k)
            call();
        for (const selvage_world world : worlds_)
            check(selvage_world_destroy(world), "destroy");
        return broken_;
    }
    /// Until the bytes are used up.
    std::string run_all() {
        while (!bytes_.empty() && broken_.empty())
            call();
        return run(0);
    }
    int steps() const { return steps_; }

private:
    std::uint64_t next() {
        if (bytes_.size() >= 2) {
            const std::uint64_t value = bytes_[0] | bytes_[1] << 8;
            bytes_ = bytes_.subspan(2);
            return value;
        }
        bytes_ = {};
        // splitmix64
        std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
    bool chance(int one_in) { return below(one_in) == 0; }
    double number() {
        if (chance(40)) return std::numeric_limits<double>::quiet_NaN();
        if (chance(40)) return std::numeric_limits<double>::infinity();
        if (chance(40)) return 1e300;
        return (below(2001) - 1000) * 1e-3;
    }
    std::array<double, 3> vec() { return {number(), number(), number()}; }
    std::array<double, 4> turn() {
        if (chance(20)) return {0, 0, 0, 0};
        return {number(), number(), number(), 1.0};
    }
    std::uint64_t pick(const std::vector<std::uint64_t>& handles) {
        if (chance(30)) return next(); // nonsense
        if (handles.empty() || chance(60)) return 0;
        return handles[below(static_cast<int>(handles.size()))];
    }
    void broken(const std::string& what) {
        if (broken_.empty()) broken_ = what;
    }
    bool check(selvage_result code, const char* what) {
        if (code == SELVAGE_ERROR_INTERNAL || code == SELVAGE_ERROR_MEMORY || code == SELVAGE_ERROR_BUSY)
            broken(std::string(what) + ": " + selvage_last_error());
        if (code != SELVAGE_OK && selvage_last_error()[0] == '\0') broken(std::string(what) + ": fails without a word");
        return code == SELVAGE_OK;
    }
    void keep(std::vector<std::uint64_t>& handles, std::uint64_t handle, std::size_t most) {
        if (handles.size() < most) // dead ones among them are welcome
            handles.push_back(handle);
        else
            handles[below(static_cast<int>(most))] = handle;
    }

    void call() {
        switch (below(26)) {
        case 0:
            return make_world();
        case 1:
            return add_cloth();
        case 2:
            return add_collider();
        case 3:
        case 4:
            return step();
        case 5:
            check(selvage_collider_move(pick(colliders_), vec().data(), turn().data()), "move");
            return;
        case 6:
            check(selvage_collider_teleport(pick(colliders_), vec().data(), turn().data()), "teleport");
            return;
        case 7:
            return grab();
        case 8:
            check(selvage_grab_move(pick(grabs_), vec().data()), "grab_move");
            return;
        case 9:
            check(selvage_grab_release(pick(grabs_)), "release");
            return;
        case 10:
            return pins();
        case 11:
            return attach();
        case 12:
            check(selvage_attachment_move(pick(attachments_), vec().data(), turn().data()), "attachment");
            return;
        case 13:
            check(selvage_attachment_destroy(pick(attachments_)), "attachment_destroy");
            return;
        case 14:
            return snapshot();
        case 15:
            return restore();
        case 16:
            return read();
        case 17:
            return ray();
        case 18:
            return set_state();
        case 19:
            check(selvage_cloth_teleport(pick(cloths_), turn().data(), vec().data(), below(2)), "cloth_teleport");
            return;
        case 20:
            check(selvage_cloth_reset(pick(cloths_)), "reset");
            return;
        case 21:
            check(chance(2) ? selvage_cloth_sleep(pick(cloths_)) : selvage_cloth_wake(pick(cloths_)), "sleep");
            return;
        case 22:
            if (chance(3)) check(selvage_cloth_destroy(pick(cloths_)), "cloth_destroy");
            return;
        case 23:
            if (chance(3)) check(selvage_collider_destroy(pick(colliders_)), "collider_destroy");
            return;
        case 24:
            return weather();
        default:
            return mesh_points();
        }
    }

    void make_world() {
        if (!worlds_.empty() && !chance(60)) return;
        if (worlds_.size() >= 2) {
            check(selvage_world_destroy(worlds_.front()), "destroy");
            worlds_.erase(worlds_.begin());
        }
        selvage_world_desc desc = selvage_world_desc_default();
        static const char* const solvers[] = {"xpbd",     "multilevel", "verlet", "implicit-jacobi",
                                              "harmonic", "filter",     "none"};
        desc.solver = solvers[below(7)];
        desc.substeps = below(4);
        desc.time_step = chance(10) ? number() : 1.0 / 60.0;
        desc.sleep_time = 0.1;
        selvage_world world = 0;
        if (check(selvage_world_create(&desc, &world), "create")) worlds_.push_back(world);
    }
    selvage_world any_world() { return pick(worlds_); }

    void add_cloth() {
        const selvage_world world = any_world();
        size_t count = 0;
        if (selvage_world_cloths(world, nullptr, 0, &count) == SELVAGE_OK && count >= 5) return;
        selvage_cloth_desc desc = selvage_cloth_desc_default();
        const std::array<double, 3> place = vec();
        const std::array<double, 4> rotation = turn();
        std::copy(place.begin(), place.end(), desc.position);
        std::copy(rotation.begin(), rotation.end(), desc.rotation);
        desc.self_collision = below(2);
        const double points[] = {0, 0, 0, 0.3, 0, 0, 0, 0.3, 0, number(), 0.3, 0.1};
        const std::int32_t faces[] = {0, 1, 2, 1, 3, chance(10) ? below(9) - 2 : 2};
        if (chance(4)) {
            desc.positions = points;
            desc.vertex_count = 4;
            desc.triangles = faces;
            desc.triangle_count = 2;
        } else {
            desc.generator = static_cast<selvage_generator>(1 + below(3));
            desc.size[0] = 0.3, desc.size[1] = 0.2 + 0.1 * number(), desc.size[2] = 0.3;
            desc.resolution[0] = 2 + below(4), desc.resolution[1] = 1 + below(5);
        }
        if (chance(3)) desc.pin_groups = chance(5) ? "nowhere" : "left";
        selvage_cloth cloth = 0;
        if (check(selvage_cloth_create(world, &desc, &cloth), "cloth_create")) keep(cloths_, cloth, 12);
    }

    void add_collider() {
        const selvage_world world = any_world();
        size_t count = 0;
        if (selvage_world_colliders(world, nullptr, 0, &count) == SELVAGE_OK && count >= 5) return;
        selvage_collider_desc desc = selvage_collider_desc_default();
        const std::array<double, 3> place = vec();
        std::copy(place.begin(), place.end(), desc.position);
        desc.shape = static_cast<selvage_shape>(below(8));
        for (double& size : desc.size)
            size = std::abs(number()) * 0.3;
        const double points[] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0.1, 1};
        const std::int32_t faces[] = {0, 2, 1, 0, 3, 2};
        const double heights[] = {0, 0.1, 0.2, number()};
        desc.vertices = points;
        desc.vertex_count = 4;
        desc.triangles = faces;
        desc.triangle_count = 2;
        desc.heights = heights;
        desc.resolution[0] = desc.resolution[1] = 2;
        selvage_collider collider = 0;
        if (check(selvage_collider_create(world, &desc, &collider), "collider_create")) keep(colliders_, collider, 10);
    }

    void step() {
        const selvage_world world = any_world();
        selvage_statistics before{}, after{};
        before.struct_size = after.struct_size = sizeof before;
        const bool known = selvage_world_statistics(world, &before) == SELVAGE_OK;
        const selvage_result code = selvage_world_step(world);
        check(code, "step");
        ++steps_;
        if (known && (code == SELVAGE_OK || code == SELVAGE_ERROR_DIVERGED)) {
            selvage_world_statistics(world, &after);
            if (after.frames != before.frames + 1) broken("a step is no frame");
        }
    }

    void grab() {
        const double weights[][3] = {{1, 0, 0}, {0.2, 0.3, 0.5}, {-1, 1, 1}, {number(), 0, 0}};
        selvage_grab made = 0;
        if (check(selvage_cloth_grab(pick(cloths_), below(40) - 2, weights[below(4)], &made), "grab"))
            keep(grabs_, made, 6);
    }

    void pins() {
        const std::int32_t vertices[] = {below(30) - 2, below(30) - 2, below(8)};
        const std::array<double, 9> targets{number(), number(), number(), number(), number(),
                                            number(), number(), number(), number()};
        const selvage_cloth cloth = pick(cloths_);
        const auto count = static_cast<size_t>(below(4));
        switch (below(3)) {
        case 0:
            check(selvage_cloth_pin(cloth, vertices, count), "pin");
            return;
        case 1:
            check(selvage_cloth_unpin(cloth, chance(4) ? nullptr : vertices, count), "unpin");
            return;
        default:
            check(selvage_cloth_move_pins(cloth, vertices, targets.data(), count), "move_pins");
            return;
        }
    }

    void attach() {
        const std::int32_t vertices[] = {below(12) - 1, below(9), below(9)};
        selvage_attachment made = 0;
        if (check(selvage_cloth_attach(pick(cloths_), vertices, static_cast<size_t>(below(4)), vec().data(),
                                       turn().data(), &made),
                  "attach"))
            keep(attachments_, made, 6);
    }

    void snapshot() {
        size_t size = 0;
        const selvage_world world = any_world();
        if (!check(selvage_world_snapshot_size(world, &size), "snapshot_size")) return;
        snapshot_.resize(size);
        check(selvage_world_snapshot(world, snapshot_.data(), chance(10) ? size / 2 : size, &size), "snapshot");
    }

    void restore() {
        if (snapshot_.empty()) return;
        std::vector<char> bytes = snapshot_;
        if (chance(3))
            bytes[static_cast<std::size_t>(below(static_cast<int>(bytes.size())))] ^= static_cast<char>(below(256));
        if (chance(10)) bytes.resize(bytes.size() / 2);
        check(selvage_world_restore(any_world(), bytes.data(), bytes.size()), "restore");
    }

    void read() {
        const selvage_cloth cloth = pick(cloths_);
        const double* x = nullptr;
        const float* n = nullptr;
        const std::int32_t* t = nullptr;
        size_t vertices = 0, triangles = 0;
        if (!check(selvage_cloth_positions(cloth, &x, &vertices), "positions")) return;
        check(selvage_cloth_normals_f(cloth, &n, &vertices), "normals");
        check(selvage_cloth_triangles(cloth, &t, &triangles), "triangles");
        for (size_t k = 0; k < 3 * vertices; ++k)
            if (!std::isfinite(x[k]) || !std::isfinite(n[k])) return broken("cloth is not finite");
        for (size_t k = 0; k < 3 * triangles; ++k)
            if (t[k] < 0 || t[k] >= static_cast<std::int32_t>(vertices)) return broken("a triangle names no vertex");
    }

    void ray() {
        selvage_hit hit{};
        hit.struct_size = sizeof hit;
        int found = 0;
        check(selvage_world_raycast(any_world(), vec().data(), vec().data(), std::abs(number()) * 5,
                                    static_cast<unsigned>(below(4)), &hit, &found),
              "raycast");
        selvage_debug_line lines[16];
        size_t count = 0;
        check(selvage_world_debug_lines(any_world(), static_cast<unsigned>(below(64)), lines, 16, &count), "lines");
        const selvage_contact_event* events = nullptr;
        check(selvage_world_contact_events(any_world(), &events, &count), "events");
    }

    void set_state() {
        const selvage_cloth cloth = pick(cloths_);
        const double* x = nullptr;
        size_t vertices = 0;
        if (selvage_cloth_positions(cloth, &x, &vertices) != SELVAGE_OK) return;
        std::vector<double> places(x, x + 3 * vertices);
        for (double& p : places)
            p += 0.01 * (below(201) - 100) * 0.01;
        if (chance(5)) places[static_cast<std::size_t>(below(static_cast<int>(places.size())))] = number();
        check(selvage_cloth_set_state(cloth, places.data(), chance(2) ? places.data() : nullptr,
                                      chance(10) ? vertices + 1 : vertices),
              "set_state");
    }

    void weather() {
        selvage_air air = selvage_air_default();
        const std::array<double, 3> wind = vec();
        std::copy(wind.begin(), wind.end(), air.wind);
        air.gust = std::abs(number()) * 0.3;
        check(selvage_world_set_air(any_world(), &air), "air");
        check(selvage_world_set_gravity(any_world(), vec().data()), "gravity");
        if (chance(20))
            check(selvage_world_set_solver(any_world(), "xpbd", nullptr, SELVAGE_QUALITY_LOW, 1 + below(3)), "solver");
        check(selvage_world_advance(any_world(), number() * 0.05, 2, nullptr), "advance");
    }

    void mesh_points() {
        std::array<double, 12> points{};
        for (double& p : points)
            p = number();
        check(selvage_collider_set_vertices(pick(colliders_), points.data(), static_cast<size_t>(3 + below(2))),
              "set_vertices");
    }

    std::uint64_t random_;
    std::span<const std::uint8_t> bytes_;
    std::vector<std::uint64_t> worlds_, cloths_, colliders_, grabs_, attachments_;
    std::vector<char> snapshot_;
    std::string broken_;
    int steps_ = 0;
};

} // namespace selvage_test
