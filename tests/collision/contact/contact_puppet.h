#pragma once

#include <algorithm>

#include "collision/contact/contact_samples.h"
#include "collision/contact/contact_stage.h"
#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"

namespace selvage {

/// Cloth that does what it is told, but for contact: no forces of its own.
struct Puppet {
    explicit Puppet(ContactSurface surface, int threads = 1, std::vector<double> masses = {})
        : mass(masses.empty() ? std::vector<double>(surface.rest.size(), 0.001) : std::move(masses)),
          contact(std::move(surface), mass), pool(threads) {
        x = contact.surface().rest;
        v.resize(x.size());
        held.resize(x.size());
        TriangleMesh mesh;
        mesh.positions = x;
        mesh.triangles = contact.surface().triangles;
        edges = build_topology(mesh).edges;
    }

    /// From x, a solver says positions and velocities; contact has the last word.
    template <class Solver>
    ContactStats step(double dt, const Solver& solve) {
        contact.start(x);
        start = x;
        solve();
        return contact.resolve(pool, {dt, held, colliders}, x, v);
    }
    /// The solver that knows gravity only.
    ContactStats fall(double dt, const Vec3& gravity = {0, -9.81, 0}) {
        return step(dt, [&] {
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (held[i]) continue;
                v[i] += dt * gravity;
                x[i] += dt * v[i];
            }
        });
    }
    /// The same with edges that keep their lengths, about.
    ContactStats fall_as_cloth(double dt) {
        return step(dt, [&] {
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] += dt * (v[i] + dt * Vec3{0, -9.81, 0});
            keep_lengths(10);
            for (std::size_t i = 0; i < x.size(); ++i)
                v[i] = (x[i] - start[i]) / dt;
        });
    }
    void keep_lengths(int rounds) {
        for (int round = 0; round < rounds; ++round)
            for (const auto& [a, b] : edges) {
                const Vec3 d = x[b] - x[a];
                const double size = length(d), want = length(contact.surface().rest[b] - contact.surface().rest[a]);
                const Vec3 off = (0.5 * (1.0 - want / std::max(size, 1e-9))) * d;
                x[a] += off;
                x[b] -= off;
            }
    }
    int crossings() { return counter.count(pool, edges, contact.surface().triangles, x).count; }
    int solid_crossings() {
        return count_collider_crossings(pool, colliders, edges, contact.surface().triangles, x).count;
    }
    /// A solver that wants a vertex to go so far in 1/60 s.
    void go(std::size_t i, const Vec3& displacement) {
        x[i] += displacement;
        v[i] = 60.0 * displacement;
    }
    bool is_finite_everywhere() const {
        const auto finite = [](const Vec3& p) { return is_finite(p); };
        return std::all_of(x.begin(), x.end(), finite) && std::all_of(v.begin(), v.end(), finite);
    }
    Vec3 momentum() const {
        Vec3 sum;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += mass[i] * v[i];
        return sum;
    }
    std::span<Vec3> velocities(int body) {
        const ContactBody& b = contact.surface().bodies[body];
        return {v.data() + b.vertex_begin, static_cast<std::size_t>(b.vertex_count)};
    }
    void hold(int body) {
        const ContactBody& b = contact.surface().bodies[body];
        std::fill_n(held.begin() + b.vertex_begin, b.vertex_count, std::uint8_t{1});
    }

    std::vector<double> mass;
    ContactStage contact;
    ThreadPool pool;
    std::vector<Vec3> x, v, start;
    std::vector<std::uint8_t> held;
    std::vector<Collider> colliders;
    std::vector<Edge> edges;
    CrossingCounter counter;
};

/// Lies in the x-z plane.
inline ContactSurface lying(ContactSurface surface) {
    for (Vec3& p : surface.rest)
        p = {p.x, p.z, -p.y};
    return surface;
}

} // namespace selvage
