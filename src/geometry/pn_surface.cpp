// One cubic Bezier triangle per face, from corners P_i and normals N_i:
//
//   b210 = (2 P1 + P2 - ((P2 - P1).N1) N1) / 3   and the five like it: a third of the way along each side, moved into
//                                                the tangent plane of the nearer corner
//   b111 = E + (E - V) / 2                       E the mean of those six, V of the corners
//   x(u) = sum of Bernstein weights + the wrinkles of the three sides, single and in pairs
//
// update() runs in five phases, each a loop that writes only its own element:
//   1 faces, edges   area normals; strains
//   2 vertices       normals, turned to be orthogonal to the elastic forces
//   3 edges          boundary curves, and the height of a wrinkle where one is too short
//   4 edges          points on them, shared by the faces on both sides; normals averaged over those faces
//   5 faces          points inside; normals blended towards those of the sides
// Cost: per_edge square roots per step of Newton's method (4 to 8 steps) for each compressed edge, and 48 multiplied
// vectors per point. The surface is continuous, and smooth inside faces and at particles; across edges its tangent
// plane may break a little, as PN triangles do. Drawn normals do not: on an edge they are the mean of both sides', and
// what that changes fades out across the face, so that no edge of the coarse mesh shows in the shading.

#include "geometry/pn_surface.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"
#include "math/mat.h"

namespace selvage {

namespace {

// Elastic forces are measured as strain. A force of this size turns a normal by half of what it could.
constexpr double kHalfTurnStrain = 0.05;
// Rounds the corner of |F| at F = 0; far below any strain one can see.
constexpr double kNoStrain = 1e-3;
// The fraction of an edge's rest length that a wrinkle may leave missing. Its height would grow like the square root of
// the missing length, infinitely fast at first; leaving up to this much makes it grow in proportion at first.
constexpr double kLengthSlack = 0.0075;
// The same for the two wrinkles of an edge that changes sides; with the other, less than 1 % is missing.
constexpr double kTwinSlack = 0.0025;
// Less is round-off, and no reason to choose a side [rest lengths].
constexpr double kNothingMissing = 1e-9;
// A wrinkle starts towards the back only where the plain curve clearly bulges there [rest lengths].
constexpr double kBackBulge = 1e-3;
// A wrinkle against the plain curve's bulge fades in over this much missing length and bulge [rest lengths].
constexpr double kAgainstLength = 0.02, kAgainstBulge = 0.02;
// Mean of the unit normals around a vertex or edge: below the first there is no telling where the front is.
constexpr double kNoAgreement = 0.1, kAgreement = 0.3;
// A face this small against its rest size has no direction.
constexpr double kDeadArea = 0.02;

/// The fraction of the rest length that a wrinkle makes up when `missing` is lacking: all but `slack` at most.
double gain(double missing, double slack) {
    return missing * missing / (missing + slack);
}

double smooth_step(double from, double to, double x) {
    const double s = std::clamp((x - from) / (to - from), 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

/// A wrinkle's weight at barycentric (u, v) of its side's ends, and derivatives by u and v. It is bump(t) on the side,
/// zero with zero slope on the two others, and even along a fold that crosses several faces (to 5 %).
struct Bump {
    double value = 0.0, by_u = 0.0, by_v = 0.0;
};
Bump side_bump(double u, double v) {
    const double s = u + v;
    if (!(s > 0.0)) return {};
    const double fall = (1.5 - 0.5 * s) / (s * s), fall_slope = -0.5 / (s * s) - 2.0 * fall / s;
    return {16.0 * u * u * v * v * fall, 16.0 * (2.0 * u * v * v * fall + u * u * v * v * fall_slope),
            16.0 * (2.0 * u * u * v * fall + u * u * v * v * fall_slope)};
}

/// The same for two opposite wrinkles: twin_bump(t) on the side.
Bump side_twin_bump(double u, double v) {
    const double s = u + v;
    if (!(s > 0.0)) return {};
    const Bump one = side_bump(u, v);
    const double swing = kTwinBump * (u - v) / s; // 1 - 2 t
    return {swing * one.value, swing * one.by_u + kTwinBump * 2.0 * v / (s * s) * one.value,
            swing * one.by_v - kTwinBump * 2.0 * u / (s * s) * one.value};
}

/// Powers of the barycentric coordinates in each control point's Bernstein polynomial. Corners; then along each side
/// the points near its start and its end; then the middle.
constexpr std::array<std::array<int, 3>, 10> kPowers = {
    {{3, 0, 0}, {0, 3, 0}, {0, 0, 3}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {1, 1, 1}}};
constexpr int kFirstSidePoint = 3, kMiddle = 9, kFirstWrinkle = 10, kFirstTwin = 13;

double power(double x, int n) {
    return n < 0 ? 0.0 : n == 0 ? 1.0 : n == 1 ? x : n == 2 ? x * x : x * x * x;
}

} // namespace

Result<PnSurface> PnSurface::make(const TriangleMesh& rest, const PnSettings& settings) {
    SELVAGE_ASSERT(settings.per_edge >= 1 && settings.per_edge <= kMostPerEdge);
    Result<Subdivision> shape = subdivide(rest.vertex_count(), rest.triangles, settings.per_edge);
    if (!shape) return shape.error();
    PnSurface out;
    out.settings_ = settings;
    out.shape_ = std::move(*shape);
    out.faces_ = rest.triangles;
    out.vertex_faces_ = vertex_triangles(rest);
    out.mesh_.triangles = std::move(out.shape_.triangles);
    if (!rest.uv.empty()) {
        if (rest.uv_triangles.empty()) {
            out.mesh_.uv = interpolate(out.shape_, rest.triangles, rest.uv);
        } else {
            Result<Subdivision> uv = subdivide(static_cast<int>(rest.uv.size()), rest.uv_triangles, settings.per_edge);
            if (!uv) return uv.error();
            out.mesh_.uv = interpolate(*uv, rest.uv_triangles, rest.uv);
            out.mesh_.uv_triangles = std::move(uv->triangles);
        }
    }
    for (const auto& [a, b] : out.shape_.edges)
        out.rest_length_.push_back(length(rest.positions[b] - rest.positions[a]));
    for (const Triangle& t : rest.triangles)
        out.rest_area_.push_back(
            length(doubled_area_normal(rest.positions[t[0]], rest.positions[t[1]], rest.positions[t[2]])));

    const int n = settings.per_edge;
    for (int q = 0; q <= n; ++q)
        for (int p = 0; p + q <= n; ++p) {
            const double u[3] = {static_cast<double>(n - p - q) / n, static_cast<double>(p) / n,
                                 static_cast<double>(q) / n};
            PointWeights w{};
            for (int c = 0; c < kFirstWrinkle; ++c) {
                const auto& e = kPowers[c];
                // 3! / (i! j! k!) for powers that sum to 3
                const double count = c < kFirstSidePoint ? 1.0 : c == kMiddle ? 6.0 : 3.0;
                const auto slope = [&](int axis) {
                    double product = count * e[axis];
                    for (int k = 0; k < 3; ++k)
                        product *= power(u[k], k == axis ? e[k] - 1 : e[k]);
                    return product;
                };
                w.value[c] = count * power(u[0], e[0]) * power(u[1], e[1]) * power(u[2], e[2]);
                w.along_1[c] = slope(1) - slope(0);
                w.along_2[c] = slope(2) - slope(0);
            }
            for (int k = 0; k < 3; ++k) {
                const int end = (k + 1) % 3;
                // Towards corner c, u[c] grows and u[0] shrinks at the same rate.
                const auto slope = [&](const Bump& bump, int c) {
                    const auto rate = [c](int axis) { return (axis == c ? 1.0 : 0.0) - (axis == 0 ? 1.0 : 0.0); };
                    return bump.by_u * rate(k) + bump.by_v * rate(end);
                };
                const auto put = [&](const Bump& bump, int control) {
                    w.value[control] = bump.value;
                    w.along_1[control] = slope(bump, 1);
                    w.along_2[control] = slope(bump, 2);
                };
                put(side_bump(u[k], u[end]), kFirstWrinkle + k);
                put(side_twin_bump(u[k], u[end]), kFirstTwin + k);
            }
            out.weights_.push_back(w);
        }

    out.face_normal_.resize(out.faces_.size());
    out.edge_strain_.resize(out.shape_.edges.size());
    out.corner_.resize(rest.positions.size());
    out.curve_.resize(out.shape_.edges.size());
    out.side_.assign(out.shape_.edges.size(), 0);
    out.straight_.assign(out.shape_.edges.size(), 0);
    out.position_.resize(static_cast<std::size_t>(out.shape_.fine_vertex_count));
    out.normal_.resize(out.position_.size());
    ThreadPool alone(1);
    out.update(rest.positions, alone);
    out.mesh_.positions = out.position_;
    return out;
}

void PnSurface::set_wrinkle_sides(std::span<const std::int8_t> sides) {
    SELVAGE_ASSERT(sides.size() == side_.size());
    std::transform(sides.begin(), sides.end(), side_.begin(),
                   [](std::int8_t side) { return std::clamp<std::int8_t>(side, -1, 1); });
}

void PnSurface::set_straight(std::span<const std::uint8_t> edges) {
    SELVAGE_ASSERT(edges.size() == straight_.size());
    std::copy(edges.begin(), edges.end(), straight_.begin());
}

void PnSurface::update(std::span<const Vec3> coarse, ThreadPool& pool) {
    SELVAGE_ASSERT(coarse.size() == corner_.size());
    measure_faces(coarse, pool);
    turn_normals(coarse, pool);
    bend_edges(coarse, pool);
    place_edge_points(coarse, pool);
    place_face_points(coarse, pool);
}

void PnSurface::measure_faces(std::span<const Vec3> coarse, ThreadPool& pool) {
    pool.for_each(static_cast<int>(faces_.size()), [&](int f) {
        const Triangle& t = faces_[f];
        face_normal_[f] = doubled_area_normal(coarse[t[0]], coarse[t[1]], coarse[t[2]]);
    });
    pool.for_each(edge_count(), [&](int e) {
        const auto [a, b] = shape_.edges[e];
        const double rest = rest_length_[e];
        edge_strain_[e] = rest > 0.0 ? length(coarse[b] - coarse[a]) / rest - 1.0 : 0.0;
    });
}

/// The unit N that minimises  sum over faces of |F_f| (N.F_f/|F_f|)^2 + s |N - N_0|^2, scaled afterwards: orthogonal to
/// the elastic force F_f of each face around as far as they agree, near the area normal N_0 where they are weak. The
/// matrix is positive definite, so N never leaves N_0's side, and nothing here depends on history.
PnSurface::CornerNormal PnSurface::corner_normal(std::span<const Vec3> coarse, int vertex) const {
    Vec3 sum;
    double area = 0.0, rest_area = 0.0;
    SymMat3 matrix = SymMat3::diagonal(kHalfTurnStrain);
    for (const int f : vertex_faces_[vertex]) {
        sum += face_normal_[f];
        area += length(face_normal_[f]);
        rest_area += rest_area_[f];
        if (settings_.normals == PnSettings::Normals::area) continue;
        // Two of the face's sides meet here; each gives half its edge's force to this face.
        Vec3 force;
        for (int k = 0; k < 3; ++k) {
            const int a = faces_[f][k], b = faces_[f][(k + 1) % 3];
            if (a != vertex && b != vertex) continue;
            const Vec3 along = normalized(coarse[a == vertex ? b : a] - coarse[vertex]);
            force += 0.5 * edge_strain_[shape_.faces[f][k].edge] * along;
        }
        const double size = std::sqrt(length_squared(force) + kNoStrain * kNoStrain);
        matrix.add_scaled(0.0, 1.0 / size, force);
    }
    const double agreement = length(sum) / (area + kDeadArea * kDeadArea * rest_area + 1e-300);
    const Vec3 plain = normalized(sum);
    const double trust = smooth_step(kNoAgreement, kAgreement, agreement);
    if (settings_.normals == PnSettings::Normals::area) return {plain, trust};
    return {normalized(inverse(matrix) * plain, plain), trust};
}

void PnSurface::turn_normals(std::span<const Vec3> coarse, ThreadPool& pool) {
    pool.for_each(static_cast<int>(coarse.size()), [&](int i) {
        corner_[i] = corner_normal(coarse, i);
        position_[i] = coarse[i];
        normal_[i] = Vec3f(corner_[i].direction);
    });
}

/// Gives the curve the wrinkle it needs to be drawn as long as at rest.
void PnSurface::raise_wrinkle(int edge, EdgeCurve& curve) {
    const double rest = rest_length_[edge], plain = drawn_length(curve, shape_.per_edge);
    const double missing = rest > 0.0 ? 1.0 - plain / rest : 0.0;
    // Orthogonal to the edge, on the front of the faces there; nothing where they fold back onto each other.
    Vec3 sum;
    const std::span<const int> sides = shape_.edge_sides[edge];
    for (const int side : sides) {
        const int f = side / 3;
        const double dead = kDeadArea * rest_area_[f];
        const double size = std::sqrt(length_squared(face_normal_[f]) + dead * dead);
        // Neighbours with opposite winding run along a shared edge in the same direction.
        const bool same_winding =
            side == sides[0] || shape_.faces[f][side % 3].forward != shape_.faces[sides[0] / 3][sides[0] % 3].forward;
        if (size > 0.0) sum += (same_winding ? 1.0 : -1.0) / size * face_normal_[f];
    }
    const double agreement = length(sum) / static_cast<double>(sides.size());
    const double trust = smooth_step(kNoAgreement, kAgreement, agreement);
    if (!(missing > kNothingMissing) || !(trust > 0.0)) {
        side_[edge] = 0; // no wrinkle left: the next one may choose its side
        return;
    }
    const Vec3 front = normalized(sum);
    const double bulge = dot(curve_point(curve, 0.5) - 0.5 * (curve.p[0] + curve.p[3]), front) / rest;
    // Chosen while the edge is still flat, and unchanged as long as the wrinkle exists.
    if (side_[edge] == 0) side_[edge] = bulge < -kBackBulge ? -1 : 1;
    const double side = side_[edge];

    const double target = plain + gain(missing, kLengthSlack) * rest;
    const double height = wrinkle_height(curve, side * front, target, shape_.per_edge);
    // Against a bulge that came later the height would not vanish with the missing length, so it fades out before. On
    // its path from one side to the other the curve is flat and too short; like a strip that snaps through, it then
    // forms two smaller wrinkles from the missing length.
    const double against = smooth_step(0.0, kAgainstBulge, -side * bulge);
    const double fade = 1.0 - against * (1.0 - smooth_step(0.0, kAgainstLength, missing));
    curve.rise = fade * height * side * front;
    if (fade < 1.0) {
        const double lacking = (target - drawn_length(curve, shape_.per_edge)) / rest;
        const double left = lacking - gain(lacking, kTwinSlack);
        if (lacking > kNothingMissing)
            curve.sway =
                wrinkle_height(curve, front, target - left * rest, shape_.per_edge, WrinkleShape::twin) * front;
    }
    curve.rise = trust * curve.rise;
    curve.sway = trust * curve.sway;
}

void PnSurface::bend_edges(std::span<const Vec3> coarse, ThreadPool& pool) {
    pool.for_chunks(edge_count(), 64, [&](int begin, int end) {
        for (int e = begin; e < end; ++e) {
            const auto [a, b] = shape_.edges[e];
            const Vec3 &pa = coarse[a], &pb = coarse[b];
            const CornerNormal &na = corner_[a], &nb = corner_[b];
            EdgeCurve curve{{pa, (1.0 / 3.0) * (2.0 * pa + pb - na.trust * dot(pb - pa, na.direction) * na.direction),
                             (1.0 / 3.0) * (2.0 * pb + pa - nb.trust * dot(pa - pb, nb.direction) * nb.direction), pb},
                            {},
                            {}};
            if (straight_[e]) {
                curve_[e] = {{pa, (1.0 / 3.0) * (2.0 * pa + pb), (1.0 / 3.0) * (2.0 * pb + pa), pb}, {}, {}};
                continue;
            }
            if (settings_.keep_length && shape_.per_edge > 1) raise_wrinkle(e, curve);
            curve_[e] = curve;
        }
    });
}

void PnSurface::gather_controls(std::span<const Vec3> coarse, int face, Vec3 (&controls)[kControls]) const {
    Vec3 corners, sides;
    for (int k = 0; k < 3; ++k) {
        const Subdivision::Side side = shape_.faces[face][k];
        const EdgeCurve& curve = curve_[side.edge];
        controls[k] = coarse[faces_[face][k]];
        controls[kFirstSidePoint + 2 * k] = curve.p[side.forward ? 1 : 2];
        controls[kFirstSidePoint + 2 * k + 1] = curve.p[side.forward ? 2 : 1];
        controls[kFirstWrinkle + k] = curve.rise;
        controls[kFirstTwin + k] = side.forward ? curve.sway : -1.0 * curve.sway;
        corners += controls[k];
        sides += curve.p[1] + curve.p[2];
    }
    controls[kMiddle] = 0.25 * sides - (1.0 / 6.0) * corners; // E + (E - V) / 2
}

namespace {

template <int Count>
Vec3 combine(const double (&weights)[Count], const Vec3 (&controls)[Count]) {
    Vec3 sum;
    for (int c = 0; c < Count; ++c)
        sum += weights[c] * controls[c];
    return sum;
}

} // namespace

/// Exact, of the patch at one of its points.
Vec3 PnSurface::patch_normal(const PointWeights& w, const Vec3 (&controls)[kControls]) {
    return normalized(cross(combine(w.along_1, controls), combine(w.along_2, controls)));
}

/// Lattice point `along` steps from the start of side k.
int PnSurface::side_point(int k, int along) const {
    const int n = shape_.per_edge;
    return k == 0 ? lattice_index(along, 0) : k == 1 ? lattice_index(n - along, along) : lattice_index(0, n - along);
}

void PnSurface::place_edge_points(std::span<const Vec3> coarse, ThreadPool& pool) {
    const int n = shape_.per_edge;
    if (n == 1) return;
    const int grain = std::max(1, 256 / n);
    pool.for_chunks(edge_count(), grain, [&](int begin, int end) {
        for (int e = begin; e < end; ++e) {
            const int first = shape_.edge_vertex(e, 1);
            for (int step = 1; step < n; ++step) {
                position_[first + step - 1] = curve_point(curve_[e], static_cast<double>(step) / n);
                normal_[first + step - 1] = {};
            }
            for (const int item : shape_.edge_sides[e]) {
                const int f = item / 3, k = item % 3;
                Vec3 controls[kControls];
                gather_controls(coarse, f, controls);
                for (int step = 1; step < n; ++step) {
                    const int along = shape_.faces[f][k].forward ? step : n - step; // from the side's start
                    normal_[first + step - 1] += Vec3f(patch_normal(weights_[side_point(k, along)], controls));
                }
            }
            for (int step = 1; step < n; ++step) {
                Vec3f& normal = normal_[first + step - 1];
                if (straight_[e]) { // between its ends': flat patches would show as facets
                    const double t = static_cast<double>(step) / n;
                    const auto [a, b] = shape_.edges[e];
                    const Vec3 between = (1.0 - t) * corner_[a].direction + t * corner_[b].direction;
                    if (length_squared(between) > 1e-6) normal = Vec3f(between);
                }
                normal = normalized(normal);
            }
        }
    });
}

void PnSurface::place_face_points(std::span<const Vec3> coarse, ThreadPool& pool) {
    const int n = shape_.per_edge, count = shape_.face_points();
    if (count == 0) return;
    const int grain = std::max(1, 512 / count);
    pool.for_chunks(static_cast<int>(faces_.size()), grain, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            Vec3 controls[kControls];
            gather_controls(coarse, f, controls);
            // What the shared normals along each side differ from this face's own; at corners they agree.
            Vec3 change[3][kMostPerEdge + 1];
            for (int k = 0; k < 3; ++k) {
                const Subdivision::Side side = shape_.faces[f][k];
                change[k][0] = change[k][n] = {};
                for (int along = 1; along < n; ++along)
                    change[k][along] = Vec3(normal_[shape_.edge_vertex(side.edge, side.forward ? along : n - along)]) -
                                       patch_normal(weights_[side_point(k, along)], controls);
            }
            int vertex = shape_.face_vertex_begin(f);
            for (int q = 1; q < n; ++q)
                for (int p = 1; p + q < n; ++p, ++vertex) {
                    const PointWeights& w = weights_[lattice_index(p, q)];
                    position_[vertex] = combine(w.value, controls);
                    Vec3 normal = patch_normal(w, controls);
                    const int steps[3] = {n - p - q, p, q};
                    for (int k = 0; k < 3; ++k) {
                        // The point of side k seen from the corner across, between two of its steps.
                        const int from = steps[k], to = steps[(k + 1) % 3];
                        const double at = static_cast<double>(n) * to / (from + to), near = at - std::floor(at);
                        const int step = static_cast<int>(at);
                        const double nearness = static_cast<double>(from + to) / n; // 1 on side k, 0 across
                        normal += nearness * nearness * ((1.0 - near) * change[k][step] + near * change[k][step + 1]);
                    }
                    normal_[vertex] = Vec3f(normalized(normal));
                }
        }
    });
}

} // namespace selvage
