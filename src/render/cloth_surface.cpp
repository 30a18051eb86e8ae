#include "render/cloth_surface.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numbers>
#include <set>

#include "base/assert.h"

namespace selvage {

namespace {

constexpr int kRound = 4;                    // segments around the edge
constexpr int kSection = 2 * 3 + kRound + 1; // points across a hem: lip, raised, half on either side, and the round
constexpr int kSeamSection = 2 * 5;          // points across one side of a seam, front and back
constexpr float kRise = 0.7f;                // fraction of the width, from the border, at which the lip has risen

Vec3f mix(const Vec3f& a, const Vec3f& b, float fraction) {
    return a + fraction * (b - a);
}

} // namespace

ClothSurface::ClothSurface(const TriangleMesh& rest, int triangle_begin, int triangle_count,
                           const ClothSurfaceSettings& settings)
    : settings_(settings) {
    TriangleMesh part;
    part.positions = rest.positions;
    part.uv = rest.uv;
    const auto range = [&](const std::vector<Triangle>& all) {
        return std::vector<Triangle>(all.begin() + triangle_begin, all.begin() + triangle_begin + triangle_count);
    };
    part.triangles = range(rest.triangles);
    if (!rest.uv_triangles.empty()) part.uv_triangles = range(rest.uv_triangles);
    const Grain grain = make_grain(part);
    grain_is_derived_ = grain.is_derived;

    std::map<std::array<int, 2>, int> corner_of; // (vertex, uv)
    for (int t = 0; t < triangle_count; ++t) {
        Triangle corners{};
        for (int k = 0; k < 3; ++k) {
            const std::array<int, 2> key{part.triangles[t][k], grain.corners[t][k]};
            const auto [place, is_new] = corner_of.try_emplace(key, static_cast<int>(vertex_.size()));
            if (is_new) {
                vertex_.push_back(key[0]);
                uv_.push_back(grain.uv[key[1]]);
            }
            corners[k] = place->second;
        }
        triangles_.push_back(corners);
    }
    middle_.resize(vertex_.size());
    std::vector<SurfaceEdge> border, seams;
    find_neighbours(border, seams);
    build_band(border, settings_.hem, false, hem_);
    if (settings_.seam > 0.0) build_band(seams, settings_.seam, true, seams_);

    const auto corners = static_cast<std::uint32_t>(vertex_.size());
    mesh_.vertices.resize(2 * vertex_.size() + hem_.size() * kSection + seams_.size() * kSeamSection);
    std::vector<std::uint32_t> surface;
    for (const Triangle& t : triangles_) {
        const auto [a, b, c] = std::array{static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]),
                                          static_cast<std::uint32_t>(t[2])};
        surface.insert(surface.end(), {a, b, c, corners + a, corners + c, corners + b});
    }
    // The strips were put down by build_band, between sections.
    mesh_.indices.insert(mesh_.indices.begin(), surface.begin(), surface.end());
}

/// Borders are edges of one triangle only, by vertices; seams those of two that do not share their corners.
void ClothSurface::find_neighbours(std::vector<SurfaceEdge>& border, std::vector<SurfaceEdge>& seams) {
    struct Side {
        int triangle, edge;
    };
    std::map<std::array<int, 2>, std::vector<Side>> by_vertices, by_corners;
    const auto sorted = [](int a, int b) { return std::array{std::min(a, b), std::max(a, b)}; };
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t)
        for (int k = 0; k < 3; ++k) {
            const int a = triangles_[t][k], b = triangles_[t][(k + 1) % 3];
            by_vertices[sorted(vertex_[a], vertex_[b])].push_back({t, k});
            by_corners[sorted(a, b)].push_back({t, k});
        }
    neighbour_.assign(triangles_.size(), {-1, -1, -1});
    for (const auto& [edge, sides] : by_corners)
        if (sides.size() == 2) {
            neighbour_[sides[0].triangle][sides[0].edge] = sides[1].triangle;
            neighbour_[sides[1].triangle][sides[1].edge] = sides[0].triangle;
        }
    for (const auto& [edge, sides] : by_vertices)
        for (const Side& side : sides) {
            const Triangle& t = triangles_[side.triangle];
            const SurfaceEdge found{t[side.edge], t[(side.edge + 1) % 3]};
            if (sides.size() == 1) border.push_back(found);
            if (sides.size() == 2 && neighbour_[side.triangle][side.edge] < 0) seams.push_back(found);
        }
}

namespace {

/// Edges one behind the other, as far as they go on from corner to corner: those that nothing leads to first, then loops.
std::vector<std::size_t> in_order(const std::vector<std::array<int, 2>>& edges) {
    std::multimap<int, std::size_t> from;
    std::set<int> ends;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        from.emplace(edges[e][0], e);
        ends.insert(edges[e][1]);
    }
    std::vector<std::size_t> order;
    std::vector<char> is_done(edges.size(), 0);
    const auto walk = [&](std::size_t e) {
        while (!is_done[e]) {
            is_done[e] = 1;
            order.push_back(e);
            const auto [begin, end] = from.equal_range(edges[e][1]);
            const auto next = std::find_if(begin, end, [&](const auto& entry) { return !is_done[entry.second]; });
            if (next != end) e = next->second;
        }
    };
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (!ends.count(edges[e][0])) walk(e);
    for (std::size_t e = 0; e < edges.size(); ++e)
        walk(e);
    return order;
}

} // namespace

void ClothSurface::build_band(const std::vector<SurfaceEdge>& edges, double width, bool is_seam,
                              std::vector<BandSection>& out) {
    std::map<int, Vec2> inward;             // per corner: sum of its edges' unit normals, in uv
    std::map<int, std::vector<int>> around; // per corner: its triangles
    const auto length_of = [&](const SurfaceEdge& edge) {
        return std::hypot(uv_[edge[1]].x - uv_[edge[0]].x, uv_[edge[1]].y - uv_[edge[0]].y);
    };
    for (const SurfaceEdge& edge : edges)
        for (const int corner : edge)
            inward.try_emplace(corner);
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t)
        for (const int corner : triangles_[t])
            if (inward.count(corner)) around[corner].push_back(t);
    for (const SurfaceEdge& edge : edges) {
        const auto [a, b] = edge;
        const double du = uv_[b].x - uv_[a].x, dv = uv_[b].y - uv_[a].y, size = length_of(edge);
        if (!(size > 0.0)) continue;
        const auto own = std::find_if(around[a].begin(), around[a].end(), [&](int t) {
            return std::count(triangles_[t].begin(), triangles_[t].end(), b) > 0;
        });
        const Triangle& t = triangles_[*own];
        const int c = t[0] + t[1] + t[2] - a - b;
        const double side = du * (uv_[c].y - uv_[a].y) - dv * (uv_[c].x - uv_[a].x) < 0.0 ? -1.0 : 1.0;
        for (const int corner : {a, b}) {
            inward[corner].x -= side * dv / size;
            inward[corner].y += side * du / size;
        }
    }
    const std::size_t points = is_seam ? kSeamSection : kSection;
    const std::size_t first = 2 * vertex_.size() + (is_seam ? hem_.size() * kSection : 0);
    const auto add = [&](int corner, float along) {
        out.push_back(section_at(corner, inward[corner], around[corner], width));
        out.back().along = along;
        return static_cast<std::uint32_t>(first + (out.size() - 1) * points);
    };
    std::uint32_t to = 0;
    for (const std::size_t e : in_order(edges)) {
        const auto [a, b] = edges[e];
        const bool goes_on = !out.empty() && out.back().corner == a;
        const std::uint32_t from = goes_on ? to : add(a, 0.0f);
        to = add(b, out.back().along + static_cast<float>(length_of(edges[e])));
        for (std::uint32_t k = 0; k + 1 < points; ++k)
            if (!is_seam || k + 1 != points / 2) // a seam is open between its front and its back
                mesh_.indices.insert(mesh_.indices.end(),
                                     {from + k, from + k + 1, to + k, to + k, from + k + 1, to + k + 1});
    }
}

ClothSurface::BandSection ClothSurface::section_at(int corner, const Vec2& inward, const std::vector<int>& around,
                                                   double width) const {
    const SurfacePlace here{{corner, corner, corner}, {1, 0, 0}};
    BandSection made{corner, inward, here, here};
    const double l2 = inward.x * inward.x + inward.y * inward.y;
    if (!(width > 0.0 && l2 > 0.5)) return made; // a sharper corner than this would stretch the band over itself
    // The point as far from both edges as the band is wide: the sum of two unit normals, or one of them.
    const double reach = width * (l2 > 1.0 ? 2.0 / l2 : 1.0);
    const auto target = [&](double fraction) {
        return Vec2{uv_[corner].x + fraction * reach * inward.x, uv_[corner].y + fraction * reach * inward.y};
    };
    float half_found = 0.0f, found = 0.0f;
    made.half = find_inside(corner, around, target(0.5), half_found);
    made.lip = find_inside(corner, around, target(1.0), found);
    if (half_found > 0.0f && found > 0.0f) made.width = found;
    return made;
}

ClothSurface::SurfacePlace ClothSurface::find_inside(int corner, const std::vector<int>& around, const Vec2& target,
                                                     float& found) const {
    // Outwards from the corner, triangle by triangle of the same piece of uv, until one holds the target.
    constexpr std::size_t kMost = 400;
    std::deque<int> next(around.begin(), around.end());
    std::set<int> seen(around.begin(), around.end());
    while (!next.empty()) {
        const int t = next.front();
        next.pop_front();
        const Vec2 &a = uv_[triangles_[t][0]], &b = uv_[triangles_[t][1]], &c = uv_[triangles_[t][2]];
        const double d = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if (std::abs(d) > 1e-20) {
            const double wb = ((target.x - a.x) * (c.y - a.y) - (c.x - a.x) * (target.y - a.y)) / d;
            const double wc = ((b.x - a.x) * (target.y - a.y) - (target.x - a.x) * (b.y - a.y)) / d;
            constexpr double kSlack = -1e-6; // a target on an edge belongs to both triangles
            if (wb >= kSlack && wc >= kSlack && wb + wc <= 1.0 - kSlack) {
                found = static_cast<float>(std::hypot(target.x - uv_[corner].x, target.y - uv_[corner].y));
                return {{triangles_[t][0], triangles_[t][1], triangles_[t][2]},
                        {static_cast<float>(1.0 - wb - wc), static_cast<float>(wb), static_cast<float>(wc)}};
            }
        }
        for (const int n : neighbour_[t])
            if (n >= 0 && seen.size() < kMost && seen.insert(n).second) next.push_back(n);
    }
    found = 0.0f;
    return {{corner, corner, corner}, {1, 0, 0}};
}

void ClothSurface::update_frames(std::span<const Vec3> positions, std::span<const Vec3f> normals) {
    for (std::size_t i = 0; i < middle_.size(); ++i) {
        SurfaceVertex& m = middle_[i];
        m.position = Vec3f(positions[vertex_[i]]);
        m.normal = normalized(normals[vertex_[i]], {0, 1, 0});
        m.warp = m.weft = {};
        m.u = static_cast<float>(uv_[i].x);
        m.v = static_cast<float>(uv_[i].y);
    }
    for (const Triangle& t : triangles_) {
        const Vec2 &a = uv_[t[0]], &b = uv_[t[1]], &c = uv_[t[2]];
        const auto u1 = static_cast<float>(b.x - a.x), v1 = static_cast<float>(b.y - a.y);
        const auto u2 = static_cast<float>(c.x - a.x), v2 = static_cast<float>(c.y - a.y);
        const Vec3f e1 = middle_[t[1]].position - middle_[t[0]].position;
        const Vec3f e2 = middle_[t[2]].position - middle_[t[0]].position;
        // Derivatives by u and v times the triangle's uv area: large triangles say more. Mirrored uv turn both round.
        const float sign = u1 * v2 - u2 * v1 < 0.0f ? -1.0f : 1.0f;
        const Vec3f along_u = sign * (v2 * e1 - v1 * e2), along_v = sign * (u1 * e2 - u2 * e1);
        for (const int corner : t) {
            middle_[corner].warp += along_u;
            middle_[corner].weft += along_v;
        }
    }
    for (SurfaceVertex& m : middle_) {
        const Vec3f& n = m.normal;
        // Into the tangent plane; where the uv say nothing, any direction in it.
        const Vec3f any = std::abs(n.x) < 0.9f ? Vec3f{1, 0, 0} : Vec3f{0, 0, 1};
        m.warp = normalized(m.warp - dot(m.warp, n) * n, normalized(any - dot(any, n) * n));
        m.weft = normalized(m.weft - dot(m.weft, n) * n, cross(n, m.warp));
    }
}

SurfaceVertex ClothSurface::vertex_at(const SurfacePlace& place, const SurfaceVertex& edge) const {
    SurfaceVertex p = edge;
    p.position = p.normal = {};
    p.u = p.v = 0.0f;
    for (int k = 0; k < 3; ++k) {
        const SurfaceVertex& c = middle_[place.corner[k]];
        p.position += place.weight[k] * c.position;
        p.normal += place.weight[k] * c.normal;
        p.u += place.weight[k] * c.u;
        p.v += place.weight[k] * c.v;
    }
    p.normal = normalized(p.normal, edge.normal);
    return p;
}

/// Out of the cloth across its edge, in its tangent plane.
Vec3f ClothSurface::outward_of(const BandSection& section) const {
    const SurfaceVertex& edge = middle_[section.corner];
    const Vec3f across =
        static_cast<float>(-section.inward.x) * edge.warp + static_cast<float>(-section.inward.y) * edge.weft;
    return normalized(across - dot(across, edge.normal) * edge.normal, edge.warp);
}

void ClothSurface::write_seam(const BandSection& section, bool shows_measure, SurfaceVertex* out) const {
    const SurfaceVertex& edge = middle_[section.corner];
    const SurfaceVertex half = vertex_at(section.half, edge), lip = vertex_at(section.lip, edge);
    const auto thickness = static_cast<float>(settings_.thickness);
    const Vec3f outward = outward_of(section);
    const auto between = [](const SurfaceVertex& a, const SurfaceVertex& b, float t) {
        SurfaceVertex v = a;
        v.position = mix(a.position, b.position, t);
        v.normal = normalized(mix(a.normal, b.normal, t), a.normal);
        v.u += t * (b.u - a.u);
        v.v += t * (b.v - a.v);
        return v;
    };
    struct Point {
        SurfaceVertex base;
        float height, tilt, hem; // times the thickness; towards the seam; 0 at the lip to -1 at the seam
    };
    // A hair below a hem, which lies over the seam's end.
    const float full = section.width > 0.0f ? 0.9f : 0.5f;
    const Point points[] = {{lip, 0.4f, -0.3f, 0.0f},
                            {between(half, lip, 0.6f), full, -0.15f, -0.2f},
                            {half, full, 0.0f, -0.5f},
                            {between(edge, half, 0.3f), full, 0.15f, -0.85f},
                            {edge, 0.55f, 0.6f, -1.0f}};
    constexpr int kPoints = kSeamSection / 2;
    for (int k = 0; k < kPoints; ++k)
        for (const float side : {1.0f, -1.0f}) {
            const Point& p = points[k];
            SurfaceVertex v = p.base;
            v.position += side * p.height * thickness * p.base.normal;
            v.normal = section.width > 0.0f ? normalized(side * p.base.normal + p.tilt * outward) : side * v.normal;
            v.side = side;
            v.hem = section.width > 0.0f ? p.hem : 0.0f;
            if (!shows_measure) v.measure = section.along;
            out[side > 0.0f ? k : kSeamSection - 1 - k] = v;
        }
}

void ClothSurface::write_hem(const BandSection& section, bool shows_measure, SurfaceVertex* out) const {
    const SurfaceVertex& edge = middle_[section.corner];
    const SurfaceVertex half = vertex_at(section.half, edge), lip = vertex_at(section.lip, edge);
    const auto thickness = static_cast<float>(settings_.thickness);
    const bool has_hem = section.width > 0.0f;
    // A folded hem is two layers here; without one the edge is as thick as the cloth.
    const float height = has_hem ? thickness : 0.5f * thickness;
    const Vec3f outward = outward_of(section);

    int k = 0;
    const auto put = [&](const SurfaceVertex& base, const Vec3f& offset, const Vec3f& normal, float side, float hem) {
        SurfaceVertex v = base;
        v.position += offset;
        v.normal = normal;
        v.side = side;
        v.hem = hem;
        if (!shows_measure) v.measure = section.along;
        out[k++] = v;
    };
    SurfaceVertex raised = lip;
    raised.position = mix(half.position, lip.position, 2.0f * kRise - 1.0f);
    raised.u = half.u + (2.0f * kRise - 1.0f) * (lip.u - half.u);
    raised.v = half.v + (2.0f * kRise - 1.0f) * (lip.v - half.v);
    // The lip's own slope: a steeper normal on so thin a line would sparkle.
    const float slope = has_hem ? 0.6f * thickness / ((1.0f - kRise) * section.width) : 0.0f;
    const auto lip_normal = [&](float side) { return normalized(side * lip.normal - slope * outward); };
    const auto flank = [&](float side) {
        if (side > 0.0f) put(lip, 0.4f * thickness * lip.normal, lip_normal(side), side, 0.0f);
        if (side > 0.0f) put(raised, height * lip.normal, normalized(lip_normal(side) + lip.normal), side, 1 - kRise);
        put(half, side * height * half.normal, side * half.normal, side, 0.5f);
        if (side < 0.0f) put(raised, -height * lip.normal, normalized(lip_normal(side) - lip.normal), side, 1 - kRise);
        if (side < 0.0f) put(lip, -0.4f * thickness * lip.normal, lip_normal(side), side, 0.0f);
    };
    flank(1.0f);
    for (int s = 0; s <= kRound; ++s) {
        const float angle = std::numbers::pi_v<float> * (0.5f - static_cast<float>(s) / kRound);
        const Vec3f direction = std::sin(angle) * edge.normal + std::cos(angle) * outward;
        const float side = s <= kRound / 2 ? 1.0f : -1.0f;
        // Yarns that run across the border turn around it with the normal.
        const Vec3f turned = side * (std::sin(angle) * outward - std::cos(angle) * edge.normal);
        SurfaceVertex base = edge;
        base.warp += dot(edge.warp, outward) * (turned - outward);
        base.weft += dot(edge.weft, outward) * (turned - outward);
        put(base, height * direction, direction, side, 1.0f);
    }
    flank(-1.0f);
    SELVAGE_ASSERT(k == kSection);
}

const SurfaceMesh& ClothSurface::update(std::span<const Vec3> positions, std::span<const Vec3f> normals,
                                        std::span<const float> measure) {
    SELVAGE_ASSERT(normals.size() == positions.size());
    update_frames(positions, normals);
    if (!measure.empty())
        for (std::size_t i = 0; i < middle_.size(); ++i)
            middle_[i].measure = measure[vertex_[i]];
    const float offset = 0.5f * static_cast<float>(settings_.thickness);
    const std::size_t count = middle_.size();
    for (std::size_t i = 0; i < count; ++i) {
        SurfaceVertex& front = mesh_.vertices[i] = middle_[i];
        SurfaceVertex& back = mesh_.vertices[count + i] = middle_[i];
        front.position += offset * front.normal;
        back.position -= offset * back.normal;
        back.normal = -back.normal;
        back.side = -1.0f;
    }
    for (std::size_t h = 0; h < hem_.size(); ++h)
        write_hem(hem_[h], !measure.empty(), &mesh_.vertices[2 * count + h * kSection]);
    const std::size_t first = 2 * count + hem_.size() * kSection;
    for (std::size_t s = 0; s < seams_.size(); ++s)
        write_seam(seams_[s], !measure.empty(), &mesh_.vertices[first + s * kSeamSection]);
    return mesh_;
}

SurfaceMesh make_solid_surface(const TriangleMesh& mesh) {
    SurfaceMesh out;
    const std::vector<Vec3f> normals = vertex_normals(mesh, mesh.positions);
    out.vertices.resize(mesh.positions.size());
    for (std::size_t i = 0; i < out.vertices.size(); ++i) {
        out.vertices[i].position = Vec3f(mesh.positions[i]);
        out.vertices[i].normal = normalized(normals[i], {0, 1, 0});
    }
    for (const Triangle& t : mesh.triangles)
        for (const int corner : t)
            out.indices.push_back(static_cast<std::uint32_t>(corner));
    return out;
}

} // namespace selvage
