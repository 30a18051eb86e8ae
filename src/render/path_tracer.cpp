// Paths start at the eye. At every surface they meet, the key light is asked for at a random place of its disc, and the
// path goes on in a direction drawn by the cosine on either side of the cloth; where it leaves the scene it takes the
// map's radiance. Nothing is approximated but the number of paths and of bounces.
#include "render/path_tracer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "math/pi.h"
#include "render/shading/fabric_shading.h"

namespace selvage {

namespace {

// Rays start this far off the surface, on the side they leave to: through cloth, which has a thickness, they must clear
// its other face [m].
constexpr double kLift = 0.0015;

struct Ray {
    Vec3 from, to; ///< `to` is a unit direction.
};

struct Hit {
    double distance = std::numeric_limits<double>::infinity();
    int triangle = -1;
    double b = 0.0, c = 0.0; ///< Weights of the second and third corner.
};

/// All cloths' triangles in a tree of boxes, split at the middle triangle of the longest side.
class TriangleTree {
public:
    explicit TriangleTree(std::span<const RenderScene::Cloth> cloths) {
        for (std::size_t k = 0; k < cloths.size(); ++k) {
            const SurfaceMesh& mesh = *cloths[k].mesh;
            for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
                Corner corner;
                corner.cloth = static_cast<int>(k);
                for (std::size_t j = 0; j < 3; ++j)
                    corner.vertex[j] = &mesh.vertices[mesh.indices[i + j]];
                triangles_.push_back(corner);
            }
        }
        if (!triangles_.empty()) build(0, static_cast<int>(triangles_.size()));
    }

    struct Corner {
        std::array<const SurfaceVertex*, 3> vertex;
        int cloth = 0;
        Vec3 point(int j) const { return Vec3(vertex[static_cast<std::size_t>(j)]->position); }
    };
    const Corner& triangle(int index) const { return triangles_[static_cast<std::size_t>(index)]; }

    Hit nearest(const Ray& ray, bool any = false) const {
        Hit hit;
        if (nodes_.empty()) return hit;
        const Vec3 inverse{1 / ray.to.x, 1 / ray.to.y, 1 / ray.to.z};
        std::array<int, 64> open;
        int count = 0;
        open[static_cast<std::size_t>(count++)] = 0;
        while (count > 0) {
            const Node& node = nodes_[static_cast<std::size_t>(open[static_cast<std::size_t>(--count)])];
            if (!touches(node, ray.from, inverse, hit.distance)) continue;
            if (node.right > 0) {
                open[static_cast<std::size_t>(count++)] = node.right;
                open[static_cast<std::size_t>(count++)] = static_cast<int>(&node - nodes_.data()) + 1;
                continue;
            }
            for (int k = node.first; k < node.first + node.count; ++k)
                meet(ray, k, hit);
            if (any && hit.triangle >= 0) return hit;
        }
        return hit;
    }

private:
    struct Node {
        Vec3 low, high;
        int first = 0, count = 0;
        int right = 0; ///< 0 for a leaf; the left child is the next node.
    };

    int build(int first, int count) {
        const int index = static_cast<int>(nodes_.size());
        Node node;
        node.low = node.high = triangles_[static_cast<std::size_t>(first)].point(0);
        for (int k = first; k < first + count; ++k)
            for (int j = 0; j < 3; ++j) {
                const Vec3 p = triangles_[static_cast<std::size_t>(k)].point(j);
                node.low = {std::min(node.low.x, p.x), std::min(node.low.y, p.y), std::min(node.low.z, p.z)};
                node.high = {std::max(node.high.x, p.x), std::max(node.high.y, p.y), std::max(node.high.z, p.z)};
            }
        node.first = first, node.count = count;
        nodes_.push_back(node);
        if (count <= 4) return index;
        const Vec3 size = node.high - node.low;
        const auto key = [&](const Corner& c) {
            const Vec3 p = c.point(0) + c.point(1) + c.point(2);
            return size.x >= size.y && size.x >= size.z ? p.x : size.y >= size.z ? p.y : p.z;
        };
        std::nth_element(triangles_.begin() + first, triangles_.begin() + first + count / 2,
                         triangles_.begin() + first + count,
                         [&](const Corner& a, const Corner& b) { return key(a) < key(b); });
        build(first, count / 2);
        const int right = build(first + count / 2, count - count / 2);
        nodes_[static_cast<std::size_t>(index)].right = right;
        return index;
    }

    static bool touches(const Node& node, const Vec3& from, const Vec3& inverse, double farthest) {
        double enter = 0.0, leave = farthest;
        const auto slab = [&](double low, double high, double start, double scale) {
            const double a = (low - start) * scale, b = (high - start) * scale;
            enter = std::max(enter, std::min(a, b));
            leave = std::min(leave, std::max(a, b));
        };
        slab(node.low.x, node.high.x, from.x, inverse.x);
        slab(node.low.y, node.high.y, from.y, inverse.y);
        slab(node.low.z, node.high.z, from.z, inverse.z);
        return enter <= leave * (1 + 1e-12) + 1e-12;
    }

    /// Moeller and Trumbore 1997.
    void meet(const Ray& ray, int index, Hit& hit) const {
        const Corner& t = triangles_[static_cast<std::size_t>(index)];
        const Vec3 a = t.point(0), ab = t.point(1) - a, ac = t.point(2) - a;
        const Vec3 p = cross(ray.to, ac);
        const double det = dot(ab, p);
        if (std::abs(det) < 1e-18) return; // seen edge on, or without area
        const Vec3 s = ray.from - a, q = cross(s, ab);
        const double b = dot(s, p) / det, c = dot(ray.to, q) / det, distance = dot(ac, q) / det;
        if (b < 0 || c < 0 || b + c > 1 || distance <= 0 || distance >= hit.distance) return;
        hit = {distance, index, b, c};
    }

    std::vector<Corner> triangles_;
    std::vector<Node> nodes_;
};

/// Small and even; one per pixel, so that pictures do not depend on threads. (Splitmix64, Steele, Lea and Flood 2014.)
class Random {
public:
    explicit Random(std::uint64_t seed)
        : state_(mixed(seed)) {} // mixed: streams of neighbours must not be shifted copies
    double next() {
        state_ += 0x9e3779b97f4a7c15u;
        return static_cast<double>(mixed(state_) >> 11) * 0x1p-53;
    }

private:
    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

Vec3 times(const Vec3& a, const Vec3& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}

/// Two unit vectors that make axes with `n`.
std::pair<Vec3, Vec3> axes_around(const Vec3& n) {
    const Vec3 u = normalized(cross(std::abs(n.y) < 0.9 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, n));
    return {u, cross(n, u)};
}

class Tracer {
public:
    Tracer(std::span<const RenderScene::Cloth> cloths, const Environment& environment, int bounces, double pixel_angle)
        : cloths_(cloths), environment_(environment), tree_(cloths), bounces_(bounces), pixel_angle_(pixel_angle) {}

    /// Radiance along a ray from the eye; nothing where it meets no cloth.
    std::optional<Vec3> radiance(Ray ray, Random& random) const {
        Vec3 sum, throughput{1, 1, 1};
        for (int bounce = 0; bounce < bounces_; ++bounce) {
            const Hit hit = tree_.nearest(ray);
            if (hit.triangle < 0) {
                if (bounce == 0) return std::nullopt;
                return sum + times(throughput, Vec3(map_radiance(environment_.map, Vec3f(ray.to))));
            }
            const Surface at = surface(ray, hit, bounce);
            const PreparedLook& look = *cloths_[static_cast<std::size_t>(tree_.triangle(hit.triangle).cloth)].look;
            const Vec3 view = at.local(-ray.to);
            sum += times(throughput, key_light(at, look, view, random));

            // Onwards by the cosine, on the side of the view or through the cloth.
            const bool back = random.next() < kThrough;
            const double probability = back ? kThrough : 1 - kThrough;
            const double s = random.next(), turn = 2 * kPi * random.next(), r = std::sqrt(s);
            Vec3 light{r * std::cos(turn), r * std::sin(turn), std::sqrt(1 - s)};
            const double cosine = std::max(light.z, 1e-6);
            if ((view.z < 0) != back) light.z = -light.z;
            throughput =
                times(throughput, fabric_radiance(look, at.site, view, light) * (kPi / (probability * cosine)));
            if (throughput.x + throughput.y + throughput.z <= 0) break;
            ray = at.leaving(light);
        }
        return sum;
    }

private:
    static constexpr double kThrough =
        0.25; // of the paths, whatever the translucency: any fraction is right on average

    struct Surface {
        Vec3 point, warp, weft, front;
        FabricSite site;

        Vec3 local(const Vec3& d) const { return {dot(d, warp), dot(d, weft), dot(d, front)}; }
        Ray leaving(const Vec3& light) const {
            return {point + front * (light.z > 0 ? kLift : -kLift), warp * light.x + weft * light.y + front * light.z};
        }
    };

    /// As cloth.frag.glsl sets it up.
    Surface surface(const Ray& ray, const Hit& hit, int bounce) const {
        const TriangleTree::Corner& t = tree_.triangle(hit.triangle);
        const SurfaceVertex &a = *t.vertex[0], &b = *t.vertex[1], &c = *t.vertex[2];
        const double wa = 1 - hit.b - hit.c;
        const auto blend = [&](const Vec3f& x, const Vec3f& y, const Vec3f& z) {
            return Vec3(x) * wa + Vec3(y) * hit.b + Vec3(z) * hit.c;
        };
        Surface at;
        at.point = ray.from + ray.to * hit.distance;
        Vec3 n = normalized(blend(a.normal, b.normal, c.normal), Vec3{0, 0, 1});
        n = normalized(n - ray.to * std::max(0.02 + dot(n, ray.to), 0.0)); // tilted back to the viewer
        at.front = n * (a.side >= 0 ? 1.0 : -1.0);
        const Vec3 warp = blend(a.warp, b.warp, c.warp);
        at.warp = normalized(warp - at.front * dot(warp, at.front), Vec3{1, 0, 0});
        at.weft = cross(at.front, at.warp);
        if (dot(at.weft, blend(a.weft, b.weft, c.weft)) < 0) at.weft = -at.weft;
        at.site.uv = {a.u * wa + b.u * hit.b + c.u * hit.c, a.v * wa + b.v * hit.b + c.v * hit.c};
        // What the eye resolves; on later surfaces nothing of the weave is left.
        const double footprint = bounce == 0 ? hit.distance * pixel_angle_ : 1.0;
        at.site.footprint = {footprint, footprint};
        return at;
    }

    Vec3 key_light(const Surface& at, const PreparedLook& look, const Vec3& view, Random& random) const {
        const Vec3 middle(environment_.key.direction);
        const auto [u, v] = axes_around(middle);
        const double r = environment_.key.tan_radius * std::sqrt(random.next()), turn = 2 * kPi * random.next();
        const Vec3 light = at.local(normalized(middle + u * (r * std::cos(turn)) + v * (r * std::sin(turn))));
        const Vec3 sent = fabric_radiance(look, at.site, view, light);
        if (sent.x + sent.y + sent.z <= 0) return {};
        if (tree_.nearest(at.leaving(light), true).triangle >= 0) return {};
        return times(sent, Vec3(environment_.key.irradiance));
    }

    std::span<const RenderScene::Cloth> cloths_;
    const Environment& environment_;
    TriangleTree tree_;
    int bounces_;
    double pixel_angle_;
};

} // namespace

ImageF trace_paths(ThreadPool& pool, std::span<const RenderScene::Cloth> cloths, const Environment& environment,
                   const RenderView& view, const PathTracerSettings& settings) {
    const ViewCamera camera(view, settings.width, settings.height);
    const Tracer tracer(cloths, environment, settings.bounces, 2 * camera.tan_half_y() / settings.height);
    ImageF image{settings.width, settings.height, {}};
    image.rgba.resize(static_cast<std::size_t>(settings.width) * settings.height);
    pool.for_chunks(settings.height, 1, [&](int begin, int end) {
        for (int y = begin; y < end; ++y)
            for (int x = 0; x < settings.width; ++x) {
                const std::size_t index = static_cast<std::size_t>(y) * settings.width + x;
                Random random(index + 1);
                Vec3 sum;
                int met = 0;
                for (int k = 0; k < settings.samples; ++k) {
                    const double px = 2 * (x + random.next()) / settings.width - 1;
                    const double py = 1 - 2 * (y + random.next()) / settings.height;
                    const Vec3 to = normalized(camera.forward() + camera.right() * (px * camera.tan_half_x()) +
                                               camera.up() * (py * camera.tan_half_y()));
                    if (const std::optional<Vec3> radiance = tracer.radiance({camera.eye(), to}, random)) {
                        sum += *radiance;
                        ++met;
                    }
                }
                const double scale = 1.0 / std::max(met, 1);
                image.rgba[index] = {static_cast<float>(sum.x * scale), static_cast<float>(sum.y * scale),
                                     static_cast<float>(sum.z * scale),
                                     static_cast<float>(met) / static_cast<float>(settings.samples)};
            }
    });
    return image;
}

} // namespace selvage
