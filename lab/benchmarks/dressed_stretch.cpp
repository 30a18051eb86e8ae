// Where on a dressed body is cloth stretched most, and when? Runs a scene and lists the triangles whose threads were
// stretched most: when, where on the garment (where the vertex hung before the first frame, and its place in the flat
// pattern), how far from the skin it was then, and how far the skin there was going.
// Usage: dressed_stretch SCENE SECONDS [OVERRIDE...], such as dressed_stretch dressed-walk 10 /cloths/0/mesh/garment/edge=0.0138

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "garment/scene_garments.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

namespace {

using namespace selvage;

constexpr int kListed = 16;

struct Element {
    Triangle vertex;
    Vec2 place;            ///< In the flat pattern [m].
    double a, b, c, d;     ///< f_u = a e1 + b e2, f_v = c e1 + d e2
    double most = 0.0;     ///< Stretch along a thread.
    double time = 0.0;     ///< When [s].
    bool weft = false;     ///< Of that thread.
    double gap = 0.0;      ///< From its middle to the nearest vertex of the skin then [m].
    Vec3 at;               ///< Its middle then.
    double skin_speed = 0; ///< Of that vertex of the skin [m/s].
};

std::vector<Element> elements_of(const Simulation& sim) {
    std::vector<Element> elements;
    for (std::size_t c = 0; c < sim.scene().cloths.size(); ++c) {
        const TriangleMesh& mesh = sim.scene().cloths[c].given_mesh->mesh;
        const int first = sim.model().parts[c].vertex_begin;
        for (int t = 0; t < mesh.triangle_count(); ++t) {
            const Triangle &v = mesh.triangles[t], &w = mesh.uv_triangles[t];
            const Vec2 &p = mesh.uv[w[0]], &q = mesh.uv[w[1]], &r = mesh.uv[w[2]];
            const double u1 = q.x - p.x, v1 = q.y - p.y, u2 = r.x - p.x, v2 = r.y - p.y, det = u1 * v2 - u2 * v1;
            if (!(std::abs(det) > 1e-12)) continue;
            Element e;
            e.vertex = {first + v[0], first + v[1], first + v[2]};
            e.place = {(p.x + q.x + r.x) / 3.0, (p.y + q.y + r.y) / 3.0};
            e.a = v2 / det, e.b = -v1 / det, e.c = -u2 / det, e.d = u1 / det;
            elements.push_back(e);
        }
    }
    return elements;
}

void look(const Simulation& sim, double time, std::span<const Vec3> before, std::vector<Element>& elements) {
    const std::vector<Vec3>& x = sim.state().position;
    const Collider& body = sim.colliders().front();
    for (Element& e : elements) {
        const Vec3 e1 = x[e.vertex[1]] - x[e.vertex[0]], e2 = x[e.vertex[2]] - x[e.vertex[0]];
        const double u = length(e.a * e1 + e.b * e2) - 1.0, v = length(e.c * e1 + e.d * e2) - 1.0;
        if (std::max(u, v) <= e.most) continue;
        e.most = std::max(u, v);
        e.time = time;
        e.weft = v > u;
        e.at = (x[e.vertex[0]] + x[e.vertex[1]] + x[e.vertex[2]]) / 3.0;
        if (e.most < 0.03) continue;
        double nearest = 1e300;
        std::size_t found = 0;
        for (std::size_t k = 0; k < body.points_now.size(); ++k)
            if (const double l2 = length_squared(body.points_now[k] - e.at); l2 < nearest) {
                nearest = l2;
                found = k;
            }
        e.gap = std::sqrt(nearest);
        if (found < before.size()) e.skin_speed = 60.0 * length(body.points_now[found] - before[found]);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: dressed_stretch SCENE SECONDS [OVERRIDE...]\n");
        return 2;
    }
    Result<SceneDesc> scene = load_scene(argv[1], std::vector<std::string>(argv + 3, argv + argc));
    Status dressed = scene ? dress_scene(*scene, 0) : Status{scene.error()};
    Result<Simulation> sim = dressed ? Simulation::make(*scene) : Result<Simulation>{dressed.error()};
    if (!sim) {
        std::fprintf(stderr, "%s\n", sim.error().text().c_str());
        return 2;
    }
    const std::vector<Vec3> start = sim->state().position;
    std::vector<Element> elements = elements_of(*sim);
    const ThreadGauge gauge(sim->model());
    std::vector<Vec3> before;
    const int frames = static_cast<int>(std::lround(60.0 * std::atof(argv[2])));
    for (int frame = 1; frame <= frames; ++frame) {
        before = sim->colliders().front().points_now;
        sim->step_frame();
        look(*sim, frame / 60.0, before, elements);
        if (frame % 30 == 0) {
            const ThreadStrain strain = gauge.measure(sim->state().position);
            const TangleCount count = sim->count_tangles();
            std::printf("%.2f s: threads %.2f %% at most, rms %.2f %%; crossings %d cloth, %d collider, %d inside\n",
                        frame / 60.0, 100.0 * strain.max, 100.0 * strain.rms, count.cloth, count.collider,
                        count.inside);
            std::fflush(stdout);
        }
    }
    std::vector<std::size_t> order(elements.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return elements[a].most > elements[b].most; });
    std::printf(
        "| stretch [%%] | thread | at [s] | began at x y z [m] | then at | in the pattern | from skin [mm] | skin "
        "[m/s] |\n|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < std::min<int>(kListed, static_cast<int>(order.size())); ++k) {
        const Element& e = elements[order[static_cast<std::size_t>(k)]];
        const Vec3 s = (start[e.vertex[0]] + start[e.vertex[1]] + start[e.vertex[2]]) / 3.0;
        std::printf("| %.2f | %s | %.2f | %.3f %.3f %.3f | %.3f %.3f %.3f | %.3f %.3f | %.1f | %.2f |\n",
                    100.0 * e.most, e.weft ? "weft" : "warp", e.time, s.x, s.y, s.z, e.at.x, e.at.y, e.at.z, e.place.x,
                    e.place.y, 1e3 * e.gap, e.skin_speed);
    }
    return 0;
}
