#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "character/body_field.h"
#include "character/mannequin.h"

namespace selvage {

namespace {

using EdgeKey = std::pair<int, int>;

/// The section of a mesh by a plane, as closed loops of points.
std::vector<std::vector<Vec3>> section_loops(const TriangleMesh& mesh, const Vec3& origin, const Vec3& normal) {
    const auto height = [&](int v) {
        const double h = dot(mesh.positions[v] - origin, normal);
        return h == 0.0 ? 1e-15 : h; // a vertex in the plane counts as above
    };
    std::map<EdgeKey, std::vector<EdgeKey>> next;
    for (const Triangle& t : mesh.triangles) {
        std::vector<EdgeKey> cut;
        for (int k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3];
            if ((height(a) < 0.0) != (height(b) < 0.0)) cut.push_back({std::min(a, b), std::max(a, b)});
        }
        if (cut.size() != 2) continue;
        next[cut[0]].push_back(cut[1]);
        next[cut[1]].push_back(cut[0]);
    }
    const auto point = [&](const EdgeKey& e) {
        const double a = height(e.first), b = height(e.second);
        const Vec3 &p = mesh.positions[e.first], &q = mesh.positions[e.second];
        return p + (a / (a - b)) * (q - p);
    };
    std::vector<std::vector<Vec3>> loops;
    std::map<EdgeKey, bool> seen;
    for (const auto& [start, unused] : next) {
        if (seen[start]) continue;
        std::vector<Vec3> loop;
        for (EdgeKey at = start; !seen[at];) {
            seen[at] = true;
            loop.push_back(point(at));
            for (const EdgeKey& other : next[at])
                if (!seen[other]) {
                    at = other;
                    break;
                }
        }
        if (loop.size() >= 3) loops.push_back(std::move(loop));
    }
    return loops;
}

bool contains(const std::vector<Vec2>& loop, const Vec2& p) {
    bool inside = false;
    for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++) {
        const Vec2 &a = loop[i], &b = loop[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside;
}

} // namespace

BodyLevel measure_level(const TriangleMesh& mesh, const Vec3& inside, const Vec3& normal) {
    const Vec3 n = normalized(normal), axis = normalized(cross(n, Vec3{0, 0, 1}), Vec3{1, 0, 0}),
               other = cross(axis, n);
    BodyLevel level;
    level.centre = inside;
    for (const std::vector<Vec3>& loop : section_loops(mesh, inside, n)) {
        std::vector<Vec2> flat;
        Vec3 low = loop.front(), high = loop.front();
        for (const Vec3& p : loop) {
            flat.push_back({dot(p - inside, axis), dot(p - inside, other)});
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        if (!contains(flat, {0.0, 0.0})) continue;
        const double girth = hull_length(std::move(flat));
        if (girth <= level.girth) continue;
        level = {0.5 * (low + high), girth, 0.5 * (high.x - low.x), high.z, low.z};
    }
    return level;
}

} // namespace selvage
