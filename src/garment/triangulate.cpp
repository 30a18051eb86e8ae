// An even mesh in four steps: rows of points as in a lattice of equilateral triangles, away from the outline; points at
// the centres of circles where triangles are still too large (Chew 1989); smoothing towards the middle of the neighbours
// (Chen and Xu 2004), with edges flipped in between; and a search for better places around what angles are still small.

#include "garment/triangulate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>

#include "base/concat.h"
#include "garment/triangulation.h"
#include "math/pi.h"

namespace selvage {

namespace {

constexpr double kGoodAngle = 31.0 * kPi / 180.0; // below it the last step tries to do better

class Filler {
public:
    Filler(const std::vector<std::vector<Vec2>>& loops, double edge) : loops_(loops), edge_(edge) {}

    Result<PlaneMesh> run() {
        for (const std::vector<Vec2>& loop : loops_)
            if (loop.size() < 3) return Error{concat("a loop has ", loop.size(), " points; expected at least 3")};
        if (!mesh_.start(loops_)) return Error{"loops cross or touch"};
        find_sizes();
        add_lattice();
        refine();
        for (int round = 0; round < kSmoothings; ++round) {
            smooth();
            mesh_.restore();
            if (round == kSmoothings / 2) refine();
        }
        improve();
        PlaneMesh out;
        out.triangles = mesh_.triangles(out.points);
        return out;
    }

private:
    static constexpr int kSmoothings = 16, kImprovements = 8;

    const Vec2& point(int v) const { return mesh_.points()[v]; }
    bool is_free(int v) const { return v >= mesh_.outline_count() + 3 && !mesh_.is_removed(v); }
    int vertex_count() const { return static_cast<int>(mesh_.points().size()); }

    /// Wanted edge length at each vertex: of the loop's own edges there.
    void find_sizes() {
        size_.assign(mesh_.points().size(), edge_);
        int first = 0;
        for (const std::vector<Vec2>& loop : loops_) {
            const std::size_t n = loop.size();
            for (std::size_t i = 0; i < n; ++i) {
                const double next = length(loop[(i + 1) % n] - loop[i]), last = length(loop[(i + n - 1) % n] - loop[i]);
                size_[first + i] = std::min(edge_, 0.5 * (next + last));
            }
            first += static_cast<int>(n);
        }
    }

    /// Wanted edge length at a point of a face: grows by a third of the way from its corners.
    double size_at(const Vec2& p, int face) const {
        double size = edge_;
        for (const int v : mesh_.faces()[face].vertex)
            size = std::min(size, size_[v] + kGrowth * length(p - point(v)));
        return size;
    }
    static constexpr double kGrowth = 0.3;

    int insert(const Vec2& p, int face) {
        const double size = size_at(p, face);
        const int v = mesh_.insert(p, face);
        size_.push_back(size);
        return v;
    }

    /// Too near a corner of the face or of those beside it, or so near an edge of the outline that its angle there would
    /// be flat.
    bool is_crowded(const Vec2& p, int face, double room) const {
        const auto near_face = [&](int f) {
            const Triangulation::Face& at = mesh_.faces()[f];
            for (int k = 0; k < 3; ++k) {
                if (length(p - point(at.vertex[k])) < room) return true;
                if (!at.fixed[k]) continue;
                const Vec2 &a = point(at.vertex[(k + 1) % 3]), &b = point(at.vertex[(k + 2) % 3]);
                if (dot(a - p, b - p) < 0.0 || distance_to_segment(p, a, b) < 0.7 * room) return true;
            }
            return false;
        };
        if (near_face(face)) return true;
        for (const int other : mesh_.faces()[face].neighbour)
            if (other >= 0 && mesh_.faces()[other].inside && near_face(other)) return true;
        return false;
    }

    void add_lattice() {
        Vec2 low{1e300, 1e300}, high{-1e300, -1e300};
        for (const Vec2& p : loops_.front()) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
        const double rise = edge_ * std::sqrt(0.75);
        int face = some_inside();
        const int rows = static_cast<int>((high.y - low.y) / rise) + 1;
        for (int j = 0; j < rows; ++j)
            for (double x = low.x + (j % 2 == 0 ? 0.25 : 0.75) * edge_; x < high.x; x += edge_) {
                const Vec2 p{x, low.y + (j + 0.5) * rise};
                const int found = find_inside(p, face);
                if (found < 0) continue;
                face = found;
                if (boundary_distance(p) < 0.8 * edge_) continue;
                insert(p, face);
                face = find_inside(p, face);
                if (face < 0) face = some_inside();
            }
    }

    int some_inside() const {
        for (int f = 0; f < static_cast<int>(mesh_.faces().size()); ++f)
            if (mesh_.faces()[f].inside) return f;
        return 0;
    }

    /// The face inside that holds p. A walk ends at the outline, so it may have to begin elsewhere.
    int find_inside(const Vec2& p, int from) const {
        if (from >= 0 && mesh_.faces()[from].inside)
            if (const int f = mesh_.locate(p, from); f >= 0) return f;
        if (!is_inside_loops(p)) return -1;
        for (int f = 0; f < static_cast<int>(mesh_.faces().size()); ++f) {
            const Triangulation::Face& at = mesh_.faces()[f];
            if (at.inside && turn(point(at.vertex[0]), point(at.vertex[1]), p) >= 0 &&
                turn(point(at.vertex[1]), point(at.vertex[2]), p) >= 0 &&
                turn(point(at.vertex[2]), point(at.vertex[0]), p) >= 0)
                return f;
        }
        return -1;
    }

    bool is_inside_loops(const Vec2& p) const {
        bool inside = false;
        for (const std::vector<Vec2>& loop : loops_)
            for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++)
                if ((loop[i].y > p.y) != (loop[j].y > p.y) &&
                    p.x < loop[j].x + (loop[i].x - loop[j].x) * (p.y - loop[j].y) / (loop[i].y - loop[j].y))
                    inside = !inside;
        return inside;
    }

    /// To the loops, through cells as wide as an edge; exact below an edge.
    double boundary_distance(const Vec2& p) {
        const auto cell = [&](const Vec2& q) {
            return std::pair<int, int>(static_cast<int>(std::floor(q.x / edge_)),
                                       static_cast<int>(std::floor(q.y / edge_)));
        };
        if (cells_.empty())
            for (const std::vector<Vec2>& loop : loops_)
                for (std::size_t i = 0; i < loop.size(); ++i) {
                    const Vec2 &a = loop[i], &b = loop[(i + 1) % loop.size()];
                    const int pieces = 1 + static_cast<int>(length(b - a) / (0.5 * edge_));
                    for (int k = 0; k <= pieces; ++k)
                        cells_[cell(mix(a, b, static_cast<double>(k) / pieces))].push_back({a, b});
                }
        double nearest = edge_;
        const auto at = cell(p);
        for (int i = -1; i <= 1; ++i)
            for (int j = -1; j <= 1; ++j)
                if (const auto found = cells_.find({at.first + i, at.second + j}); found != cells_.end())
                    for (const auto& [a, b] : found->second)
                        nearest = std::min(nearest, distance_to_segment(p, a, b));
        return nearest;
    }

    /// Points at the centres of circles that are too large, the largest first.
    void refine() {
        using Entry = std::tuple<double, int, std::array<int, 3>>; // how much too large, face, and its corners then
        std::priority_queue<Entry> queue;
        const auto consider = [&](int f) {
            const Triangulation::Face& at = mesh_.faces()[f];
            if (!at.inside) return;
            const Vec2 &a = point(at.vertex[0]), &b = point(at.vertex[1]), &c = point(at.vertex[2]);
            const double radius = length(circumcentre(a, b, c) - a);
            const double size = (size_[at.vertex[0]] + size_[at.vertex[1]] + size_[at.vertex[2]]) / 3.0;
            const double excess = radius / size;
            if (std::isfinite(excess) && excess > 0.72) queue.push({excess, f, at.vertex});
        };
        for (int f = 0; f < static_cast<int>(mesh_.faces().size()); ++f)
            consider(f);
        while (!queue.empty()) {
            const auto [excess, f, corners] = queue.top();
            queue.pop();
            const Triangulation::Face& at = mesh_.faces()[f];
            if (at.vertex != corners || !at.inside) continue;
            const Vec2 centre = circumcentre(point(corners[0]), point(corners[1]), point(corners[2]));
            const Vec2 middle = (1.0 / 3.0) * (point(corners[0]) + point(corners[1]) + point(corners[2]));
            // Beyond the outline, or crowded: nearer to the triangle itself, if there is room.
            for (const double pull : {0.0, 0.35, 0.7}) {
                const Vec2 p = mix(centre, middle, pull);
                const int home = mesh_.locate(p, f);
                if (home < 0 || is_crowded(p, home, 0.62 * size_at(p, home))) continue;
                const int v = insert(p, home);
                for (const int around : mesh_.star(v))
                    consider(around);
                break;
            }
        }
    }

    double worst_in_star(const std::vector<int>& faces) const {
        double worst = kPi;
        for (const int f : faces) {
            const std::array<int, 3>& v = mesh_.faces()[f].vertex;
            if (turn(point(v[0]), point(v[1]), point(v[2])) <= 0) return -1.0;
            worst = std::min(worst, smallest_angle(point(v[0]), point(v[1]), point(v[2])));
        }
        return worst;
    }

    /// Every free vertex to the mean of the circles' centres around it, by area; not where that makes an angle small.
    void smooth() {
        for (int v = mesh_.outline_count() + 3; v < vertex_count(); ++v) {
            if (!is_free(v)) continue;
            const std::vector<int> faces = mesh_.star(v);
            Vec2 sum;
            double weight = 0.0;
            for (const int f : faces) {
                const std::array<int, 3>& c = mesh_.faces()[f].vertex;
                const Vec2 &a = point(c[0]), &b = point(c[1]), &d = point(c[2]);
                const double area = std::abs(cross(b - a, d - a));
                const double size = (size_[c[0]] + size_[c[1]] + size_[c[2]]) / 3.0;
                const double density = area / (size * size);
                // Half way between the centre of the circle and of gravity: the one alone throws points out of flat
                // triangles.
                const Vec2 centre = mix(circumcentre(a, b, d), (1.0 / 3.0) * (a + b + d), 0.5);
                sum = sum + density * centre;
                weight += density;
            }
            if (!(weight > 0.0)) continue;
            const Vec2 old = point(v);
            const double before = worst_in_star(faces);
            mesh_.move(v, mix(old, (1.0 / weight) * sum, 0.8));
            const double after = worst_in_star(faces);
            if (after < 0.0 || (after < before && after < kGoodAngle)) mesh_.move(v, old);
        }
    }

    /// Around small angles: vertices move to where the smallest angle of their star is largest; crowded ones go.
    void improve() {
        for (int round = 0; round < kImprovements; ++round) {
            std::vector<int> poor;
            for (int f = 0; f < static_cast<int>(mesh_.faces().size()); ++f) {
                const Triangulation::Face& at = mesh_.faces()[f];
                if (!at.inside) continue;
                if (smallest_angle(point(at.vertex[0]), point(at.vertex[1]), point(at.vertex[2])) < kGoodAngle)
                    poor.insert(poor.end(), at.vertex.begin(), at.vertex.end());
            }
            if (poor.empty()) return;
            std::sort(poor.begin(), poor.end());
            poor.erase(std::unique(poor.begin(), poor.end()), poor.end());
            for (const int v : poor)
                if (is_free(v)) improve_place(v);
            mesh_.restore();
            if (round % 2 == 1) remove_crowded();
        }
    }

    void improve_place(int v) {
        const std::vector<int> faces = mesh_.star(v);
        double step = 0.25 * size_[v];
        double best = worst_in_star(faces);
        for (int tries = 0; tries < 10; ++tries) {
            const Vec2 old = point(v);
            Vec2 better = old;
            for (int direction = 0; direction < 8; ++direction) {
                constexpr double kDiagonal = 0.70710678118654752;
                static constexpr double kAcross[8] = {1, kDiagonal, 0, -kDiagonal, -1, -kDiagonal, 0, kDiagonal};
                mesh_.move(v, {old.x + step * kAcross[direction], old.y + step * kAcross[(direction + 6) % 8]});
                if (const double angle = worst_in_star(faces); angle > best) {
                    best = angle;
                    better = point(v);
                }
            }
            mesh_.move(v, better);
            if (better == old) step *= 0.5;
        }
    }

    /// Free vertices whose nearest neighbour is too near; what small triangles they make goes with them.
    void remove_crowded() {
        for (int v = mesh_.outline_count() + 3; v < vertex_count(); ++v) {
            if (!is_free(v)) continue;
            const std::vector<int> faces = mesh_.star(v);
            if (worst_in_star(faces) > 26.0 * kPi / 180.0) continue;
            double nearest = 1e300;
            for (const int f : faces)
                for (const int w : mesh_.faces()[f].vertex)
                    if (w != v) nearest = std::min(nearest, length(point(w) - point(v)));
            if (nearest < 0.75 * size_[v] && mesh_.remove(v)) mesh_.restore();
        }
    }

    const std::vector<std::vector<Vec2>>& loops_;
    double edge_;
    Triangulation mesh_;
    std::vector<double> size_;
    std::map<std::pair<int, int>, std::vector<std::pair<Vec2, Vec2>>> cells_;
};

} // namespace

Result<PlaneMesh> triangulate(const std::vector<std::vector<Vec2>>& loops, double edge) {
    return Filler(loops, edge).run();
}

Result<PlaneMesh> fill_creased(const std::vector<std::vector<Vec2>>& loops,
                               const std::vector<std::array<int, 2>>& creases, double edge) {
    if (creases.empty()) return triangulate(loops, edge);
    const std::vector<Vec2>& outline = loops.front();
    const int n = static_cast<int>(outline.size());
    PlaneMesh out;
    out.points = outline;
    std::vector<std::vector<int>> lines; // vertices of each crease, from its first point to its second
    for (const auto& [top, bottom] : creases) {
        const Vec2 &a = outline[top], &b = outline[bottom];
        const int count = std::max(1, static_cast<int>(std::floor(length(b - a) / edge + 0.5)));
        lines.push_back({top});
        for (int k = 1; k < count; ++k) {
            lines.back().push_back(static_cast<int>(out.points.size()));
            out.points.push_back(mix(a, b, static_cast<double>(k) / count));
        }
        lines.back().push_back(bottom);
    }
    // Strips: along the outline from one crease to the next, down that, along the outline back, and up.
    const auto walk = [&](int from, int to, std::vector<int>& loop) { // without its last vertex
        for (int v = from; v != to; v = (v + 1) % n)
            loop.push_back(v);
    };
    for (std::size_t k = 0; k <= lines.size(); ++k) {
        std::vector<int> strip;
        const bool has_left = k > 0, has_right = k < lines.size();
        if (has_left && has_right) walk(lines[k - 1].front(), lines[k].front(), strip);
        if (!has_left) walk(lines[k].back(), lines[k].front(), strip);
        if (has_right) strip.insert(strip.end(), lines[k].begin(), lines[k].end() - 1);
        if (has_left && has_right) walk(lines[k].back(), lines[k - 1].back(), strip);
        if (!has_right) walk(lines[k - 1].front(), lines[k - 1].back(), strip);
        if (has_left) strip.insert(strip.end(), lines[k - 1].rbegin(), lines[k - 1].rend() - 1);
        std::vector<Vec2> loop;
        for (const int v : strip)
            loop.push_back(out.points[v]);
        const Result<PlaneMesh> mesh = triangulate({loop}, edge);
        if (!mesh) return mesh.error();
        for (std::size_t i = loop.size(); i < mesh->points.size(); ++i) {
            strip.push_back(static_cast<int>(out.points.size()));
            out.points.push_back(mesh->points[i]);
        }
        for (const Triangle& t : mesh->triangles)
            out.triangles.push_back({strip[t[0]], strip[t[1]], strip[t[2]]});
    }
    return out;
}

MeshQuality measure_quality(const PlaneMesh& mesh) {
    MeshQuality quality;
    std::map<std::pair<int, int>, int> edges;
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k)
            ++edges[std::minmax(t[k], t[(k + 1) % 3])];
    const auto is_border = [&](int a, int b) { return edges.at(std::minmax(a, b)) == 1; };
    double sum = 0.0;
    for (const auto& [edge, count] : edges) {
        const double l = length(mesh.points[edge.second] - mesh.points[edge.first]);
        quality.shortest = std::min(quality.shortest, l);
        quality.longest = std::max(quality.longest, l);
        sum += l;
    }
    quality.mean = edges.empty() ? 0.0 : sum / static_cast<double>(edges.size());
    for (const Triangle& t : mesh.triangles) {
        const Vec2 &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
        quality.area += 0.5 * cross(b - a, c - a);
        int borders = 0;
        for (int k = 0; k < 3; ++k)
            borders += is_border(t[k], t[(k + 1) % 3]) ? 1 : 0;
        // Two edges of the outline: the angle between them is the outline's own, and leaves what it leaves.
        if (borders < 2)
            quality.smallest_angle_deg = std::min(quality.smallest_angle_deg, smallest_angle(a, b, c) * 180.0 / kPi);
    }
    return quality;
}

} // namespace selvage
