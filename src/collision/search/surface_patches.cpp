#include "collision/search/surface_patches.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collision/search/aabb.h"
#include "math/mat.h"
#include "math/simd.h"

namespace selvage {

namespace {

/// The vertex nearest to the middle.
int middle_vertex(const std::vector<Vec3>& x, std::span<const int> vertices) {
    Vec3 middle;
    for (const int v : vertices)
        middle += x[v] / static_cast<double>(vertices.size());
    return *std::min_element(vertices.begin(), vertices.end(), [&](int a, int b) {
        return length_squared(x[a] - middle) < length_squared(x[b] - middle);
    });
}

using Four = Doubles4;
constexpr int kMeasuredPerChunk = 16; // patches
constexpr int kMostFours = (3 * SurfacePatches::kMostTriangles + 3) / 4;

/// Positions from the centre and displacements of a patch's vertices, four by four; nothing behind the last.
struct Gathered {
    int fours = 0;
    Four arm_x[kMostFours], arm_y[kMostFours], arm_z[kMostFours], move_x[kMostFours], move_y[kMostFours],
        move_z[kMostFours];
};

double sum_of(const Four& a) {
    return (a[0] + a[2]) + (a[1] + a[3]);
}
double largest_of(const Four& a) {
    return std::max(std::max(a[0], a[2]), std::max(a[1], a[3]));
}

/// Sums over a patch's vertices, by lanes.
struct MotionSums {
    Four arm_x, arm_y, arm_z, move_x, move_y, move_z;
    Four xx, yy, zz, xy, xz, yz; // products of the arm's parts
    Four spin_x, spin_y, spin_z; // arm times displacement
    Four radius;                 // the largest arm, squared
};

// The hot loops alone are compiled twice (see SELVAGE_WIDE): they call nothing.

SELVAGE_WIDE void add_up(const Gathered& all, MotionSums& sums) {
    const Four zero{};
    Four arm_x = zero, arm_y = zero, arm_z = zero, move_x = zero, move_y = zero, move_z = zero;
    Four xx = zero, yy = zero, zz = zero, xy = zero, xz = zero, yz = zero;
    Four spin_x = zero, spin_y = zero, spin_z = zero, radius = zero;
    for (int k = 0; k < all.fours; ++k) {
        const Four ax = all.arm_x[k], ay = all.arm_y[k], az = all.arm_z[k];
        const Four wx = all.move_x[k], wy = all.move_y[k], wz = all.move_z[k];
        arm_x += ax, arm_y += ay, arm_z += az;
        move_x += wx, move_y += wy, move_z += wz;
        const Four ax2 = ax * ax, ay2 = ay * ay, az2 = az * az, l2 = ax2 + ay2 + az2;
        xx += ax2, yy += ay2, zz += az2;
        xy += ax * ay, xz += ax * az, yz += ay * az;
        spin_x += ay * wz - az * wy;
        spin_y += az * wx - ax * wz;
        spin_z += ax * wy - ay * wx;
        radius = SELVAGE_SELECT(radius > l2, radius, l2);
    }
    sums = {arm_x, arm_y, arm_z, move_x, move_y, move_z, xx, yy, zz, xy, xz, yz, spin_x, spin_y, spin_z, radius};
}

/// The largest square, by lanes, of what a displacement by `mean` and a turn leave.
SELVAGE_WIDE void find_farthest(const Gathered& all, const Vec3& mean, const Vec3& turn, Four& squared) {
    Four farthest{};
    for (int k = 0; k < all.fours; ++k) {
        const Four ax = all.arm_x[k], ay = all.arm_y[k], az = all.arm_z[k];
        const Four dx = all.move_x[k] - mean.x - (turn.y * az - turn.z * ay);
        const Four dy = all.move_y[k] - mean.y - (turn.z * ax - turn.x * az);
        const Four dz = all.move_z[k] - mean.z - (turn.x * ay - turn.y * ax);
        const Four d2 = dx * dx + dy * dy + dz * dz;
        farthest = SELVAGE_SELECT(farthest > d2, farthest, d2);
    }
    squared = farthest;
}

/// The rigid motion nearest to the given ones, by least squares, and what it leaves.
SurfacePatches::Motion fit_rigid_motion(const Vec3& centre, int count, Gathered& all) {
    MotionSums sums;
    add_up(all, sums);
    const double per_vertex = 1.0 / count;
    const Vec3 mean_arm = per_vertex * Vec3{sum_of(sums.arm_x), sum_of(sums.arm_y), sum_of(sums.arm_z)};
    const Vec3 mean_move = per_vertex * Vec3{sum_of(sums.move_x), sum_of(sums.move_y), sum_of(sums.move_z)};
    // About the vertices' mean: sum of |a|^2 - a a^T.
    const double sx = sum_of(sums.xx) - count * mean_arm.x * mean_arm.x,
                 sy = sum_of(sums.yy) - count * mean_arm.y * mean_arm.y,
                 sz = sum_of(sums.zz) - count * mean_arm.z * mean_arm.z;
    const SymMat3 inertia{
        sy + sz, count * mean_arm.x * mean_arm.y - sum_of(sums.xy), count * mean_arm.x * mean_arm.z - sum_of(sums.xz),
        sx + sz, count * mean_arm.y * mean_arm.z - sum_of(sums.yz), sx + sy};
    const Vec3 spin = Vec3{sum_of(sums.spin_x), sum_of(sums.spin_y), sum_of(sums.spin_z)} -
                      static_cast<double>(count) * cross(mean_arm, mean_move);
    Vec3 turn = inverse(inertia) * spin;
    if (!(length_squared(turn) < 1.0)) turn = {}; // of a patch drawn out to a line, or torn apart
    const Vec3 mean = mean_move - cross(turn, mean_arm);

    for (int k = count; k < 4 * all.fours; ++k) { // no farther than the first
        all.arm_x[k / 4][k % 4] = all.arm_x[0][0], all.move_x[k / 4][k % 4] = all.move_x[0][0];
        all.arm_y[k / 4][k % 4] = all.arm_y[0][0], all.move_y[k / 4][k % 4] = all.move_y[0][0];
        all.arm_z[k / 4][k % 4] = all.arm_z[0][0], all.move_z[k / 4][k % 4] = all.move_z[0][0];
    }
    Four farthest;
    find_farthest(all, mean, turn, farthest);
    return {centre, mean, turn, std::sqrt(largest_of(sums.radius)), std::sqrt(largest_of(farthest))};
}

} // namespace

/// What the cut has to remember.
struct SurfacePatches::Cut {
    const ContactSurface& surface;
    std::vector<Vec3> centre = {};                 // of the triangles at rest, times three
    std::vector<char> vertex_taken = {};           // belongs to a face already
    std::vector<int> vertex_patch = {};            // the last patch that lists it
    std::vector<std::vector<int>> upper_ends = {}; // by lower end: of the edges that belong to a face already
    int body = 0;

    /// Halves across the longest side, whole blocks on the left; the number on the left.
    std::size_t halve(std::span<int> triangles) const;
    /// Halves on, down to single blocks.
    void sort_blocks(std::span<int> triangles) const;
    bool take_edge(const Edge& edge);
};

std::size_t SurfacePatches::Cut::halve(std::span<int> triangles) const {
    Aabb box;
    for (const int t : triangles)
        box.include(centre[t]);
    const Vec3 size = box.high - box.low;
    const auto along = [&](int t) {
        const Vec3& c = centre[t];
        return size.x >= size.y && size.x >= size.z ? c.x : size.y >= size.z ? c.y : c.z;
    };
    const std::size_t half = (triangles.size() / 2 + kBlock - 1) / kBlock * kBlock;
    std::nth_element(triangles.begin(), triangles.begin() + static_cast<std::ptrdiff_t>(half), triangles.end(),
                     [&](int a, int b) { return std::pair(along(a), a) < std::pair(along(b), b); });
    return half;
}

void SurfacePatches::Cut::sort_blocks(std::span<int> triangles) const {
    if (triangles.size() <= kBlock) {
        // Halving decides which triangles lie here; their order in the block is the library's choice.
        std::sort(triangles.begin(), triangles.end());
        return;
    }
    const std::size_t half = halve(triangles);
    sort_blocks(triangles.first(half));
    sort_blocks(triangles.subspan(half));
}

bool SurfacePatches::Cut::take_edge(const Edge& edge) {
    std::vector<int>& ends = upper_ends[edge[0]];
    if (std::find(ends.begin(), ends.end(), edge[1]) != ends.end()) return false;
    ends.push_back(edge[1]);
    return true;
}

SurfacePatches::SurfacePatches(const ContactSurface& surface) {
    Cut cut{surface};
    const std::vector<Vec3>& x = surface.rest;
    for (const Triangle& t : surface.triangles)
        cut.centre.push_back(x[t[0]] + x[t[1]] + x[t[2]]);
    cut.vertex_taken.resize(x.size());
    cut.vertex_patch.assign(x.size(), -1);
    cut.upper_ends.resize(x.size());
    face_.reserve(surface.triangles.size());
    std::vector<int> order;
    for (const ContactBody& body : surface.bodies) {
        order.clear();
        for (int k = 0; k < body.triangle_count; ++k)
            order.push_back(body.triangle_begin + k);
        split(cut, order);
        add_loose_vertices(cut);
        ++cut.body;
    }
    link_neighbours(static_cast<int>(x.size()));
}

void SurfacePatches::link_neighbours(int vertex_count) {
    struct Side { // of a triangle
        Edge edge;
        int face, corner;
    };
    std::vector<Side> sides;
    std::vector<Edge> edges;
    for (int f = 0; f < static_cast<int>(face_.size()); ++f)
        for (int k = 0; k < 3; ++k) {
            const int a = face_[f].v[k], b = face_[f].v[(k + 1) % 3];
            sides.push_back({{std::min(a, b), std::max(a, b)}, f, k});
        }
    std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.edge < b.edge; });
    for (std::size_t k = 0; k < sides.size(); ++k) {
        if (k > 0 && sides[k - 1].edge == sides[k].edge) {
            const Side &a = sides[k - 1], &b = sides[k];
            face_[a.face].across[a.corner] = face_[b.face].v[(b.corner + 2) % 3];
            face_[b.face].across[b.corner] = face_[a.face].v[(a.corner + 2) % 3];
        } else {
            edges.push_back(sides[k].edge);
        }
    }
    neighbours_ = vertex_neighbours(vertex_count, edges);
}

void SurfacePatches::split(Cut& cut, std::span<int> triangles) {
    if (static_cast<int>(triangles.size()) <= kMostTriangles) {
        if (!triangles.empty()) add_patch(cut, triangles);
        return;
    }
    const std::size_t half = cut.halve(triangles);
    split(cut, triangles.first(half));
    split(cut, triangles.subspan(half));
}

/// Vertices without triangles meet solids, though nothing else: patches without faces.
void SurfacePatches::add_loose_vertices(Cut& cut) {
    const ContactBody& body = cut.surface.bodies[cut.body];
    Patch patch;
    patch.body = cut.body;
    patch.is_solid = cut.surface.bodies[cut.body].is_solid;
    patch.face_begin = static_cast<int>(face_.size());
    const auto finish = [&] {
        if (patch.own_count > 0) patch_.push_back(patch);
    };
    for (int v = body.vertex_begin; v < body.vertex_begin + body.vertex_count; ++v) {
        if (cut.vertex_taken[v]) continue;
        if (patch.own_count == 0 || patch.own_count == kMostTriangles) {
            finish();
            patch.vertex_begin = static_cast<int>(vertex_.size());
            patch.own_count = patch.vertex_count = 0;
        }
        if (patch.own_count == 0) patch.middle = v;
        vertex_.push_back(v);
        ++patch.own_count;
        ++patch.vertex_count;
    }
    finish();
}

/// Sorts the triangles on, down to blocks, and gives them what no earlier face has.
void SurfacePatches::add_patch(Cut& cut, std::span<int> triangles) {
    cut.sort_blocks(triangles);
    Patch patch;
    patch.body = cut.body;
    patch.is_solid = cut.surface.bodies[cut.body].is_solid;
    patch.face_begin = static_cast<int>(face_.size());
    patch.face_count = static_cast<int>(triangles.size());
    patch.vertex_begin = static_cast<int>(vertex_.size());
    std::vector<int> others; // vertices that an earlier patch has
    for (const int t : triangles)
        face_.push_back(take_face(cut, cut.surface.triangles[t], patch, others));
    vertex_.insert(vertex_.end(), others.begin(), others.end());
    patch.vertex_count = static_cast<int>(vertex_.size()) - patch.vertex_begin;
    const std::span<const int> listed = vertices(patch);
    for (int f = patch.face_begin; f < patch.face_begin + patch.face_count; ++f)
        for (int k = 0; k < 3; ++k)
            face_[f].place[k] =
                static_cast<std::uint8_t>(std::find(listed.begin(), listed.end(), face_[f].v[k]) - listed.begin());
    patch.edge_length /= 3.0 * patch.face_count;
    patch.middle = middle_vertex(cut.surface.rest, listed);
    patch_.push_back(patch);
}

/// A face of the next patch with the vertices and edges that no earlier face has. Lists its vertices: new ones as the
/// patch's own, those that only an earlier patch has in `others`. Adds the lengths of its sides to patch.edge_length.
SurfacePatches::Face SurfacePatches::take_face(Cut& cut, const Triangle& triangle, Patch& patch,
                                               std::vector<int>& others) {
    const int number = static_cast<int>(patch_.size());
    Face face{triangle};
    for (int k = 0; k < 3; ++k) {
        const int v = face.v[k], w = face.v[(k + 1) % 3];
        patch.edge_length += length(cut.surface.rest[v] - cut.surface.rest[w]);
        const Edge edge{std::min(v, w), std::max(v, w)};
        if (cut.take_edge(edge)) {
            face.own_edge[face.own_edge_count] = edge;
            face.own_edge_corner[face.own_edge_count++] = static_cast<std::uint8_t>(k);
        }
        if (!cut.vertex_taken[v]) {
            face.own_vertex[face.own_vertex_count++] = v;
            cut.vertex_taken[v] = 1;
            vertex_.push_back(v);
            ++patch.own_count;
        } else if (cut.vertex_patch[v] != number) {
            others.push_back(v);
        }
        cut.vertex_patch[v] = number;
    }
    return face;
}

void SurfacePatches::measure(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement,
                             std::span<Motion> patch_motion) const {
    pool.for_chunks(static_cast<int>(patch_motion.size()), kMeasuredPerChunk, [&](int begin, int end) {
        for (int p = begin; p < end; ++p)
            patch_motion[p] = measure_patch(x, displacement, p);
    });
}

SurfacePatches::Motion SurfacePatches::measure_patch(std::span<const Vec3> x, std::span<const Vec3> displacement,
                                                     int patch) const {
    Gathered all;
    const std::span<const int> listed = vertices(patch_[patch]);
    const int count = static_cast<int>(listed.size());
    const Vec3& centre = x[patch_[patch].middle];
    all.fours = (count + 3) / 4;
    for (int k = 0; k < 4 * all.fours; ++k) {
        const Vec3 arm = k < count ? x[listed[k]] - centre : Vec3{},
                   move = k < count ? displacement[listed[k]] : Vec3{};
        all.arm_x[k / 4][k % 4] = arm.x, all.arm_y[k / 4][k % 4] = arm.y, all.arm_z[k / 4][k % 4] = arm.z;
        all.move_x[k / 4][k % 4] = move.x, all.move_y[k / 4][k % 4] = move.y, all.move_z[k / 4][k % 4] = move.z;
    }
    return fit_rigid_motion(centre, count, all);
}

} // namespace selvage
