// How a fabric becomes springs, so that the mesh size does not change how the cloth stretches or falls.
//
// Lattice on a grid with spacing dx, dy (w = width of cloth a spring stands for, halved along the border):
//   structural  k = Y w / l, less what the shear and bend springs add in the same direction
//   shear       k = G d^2 / (2 dx dy) for each of the two diagonals of length d
//   bend        a spring over two cells shortens by l^3 kappa^2 / 3 under curvature kappa, so its energy grows with
//               kappa^4 and no stiffness matches B kappa^2 / 2 for all kappa. Matched at kappa = 1/c, c the fabric's
//               bending length: k = 9 B w c^2 / l^5.
// Any triangle mesh: on each triangle the three edge springs that come closest to the orthotropic energy; across each
// hinge a spring matched to B at kappa = 1/c in the same way.
// Block: springs to the 6 neighbours and along face and body diagonals in the ratio that makes the lattice isotropic
// (Poisson ratio 1/4), E = stretch / thickness.

#include <algorithm>
#include <array>
#include <cmath>

#include "model/cloth_model.h"

namespace selvage {

namespace {

// Bend springs stretch too; beyond this share of Y they would be the fabric's stretch stiffness.
constexpr double kMostBendShare = 0.3;
// What is left to structural springs when shear and bend springs already carry the stretch.
constexpr double kLeastStructuralShare = 0.05;

class NetBuilder {
public:
    explicit NetBuilder(const ClothSource& source) : source_(source) {}

    void add(int a, int b, double stiffness, SpringKind kind) {
        if (!wanted(kind) || a == b) return;
        const std::vector<Vec3>& x = source_.source.mesh.positions;
        const double l0 = length(x[b] - x[a]);
        const double law = source_.net.stiffness_times_length;
        // A spring without length has no direction; as a stiff joint it would only make noise.
        if (!(l0 > 1e-9)) return;
        springs_.push_back(
            {{a, b, static_cast<float>(l0), static_cast<float>(law > 0.0 ? law / l0 : stiffness)}, kind});
    }
    bool wanted(SpringKind kind) const {
        const NetDesc& net = source_.net;
        return kind == SpringKind::structural ? net.structural : kind == SpringKind::shear ? net.shear : net.bend;
    }
    std::vector<NetSpring> take() { return std::move(springs_); }

private:
    const ClothSource& source_;
    std::vector<NetSpring> springs_;
};

void add_grid_springs(const ClothSource& cloth, NetBuilder& net) {
    const int nx = cloth.source.lattice[0], ny = cloth.source.lattice[1];
    const std::vector<Vec3>& x = cloth.source.mesh.positions;
    const Material& m = cloth.material;
    const double dx = length(x[1] - x[0]), dy = length(x[nx] - x[0]);
    const double diagonal_squared = dx * dx + dy * dy;
    const double shear_k = m.shear * diagonal_squared / (2.0 * dx * dy);

    // Per unit width along one axis: spring stiffness times l / w, i.e. its share of Y.
    struct Axis {
        double structural, bend; // k per width [N/m per m]
    };
    const auto axis = [&](double stretch, double rigidity, double l, double across) {
        const double c = rigidity > 0.0 ? bending_length(m, rigidity) : 0.0;
        // Two bend springs of length 2 l pass through every cut: they add 4 k l / w to Y.
        double bend = 9.0 * rigidity * c * c / std::pow(l, 5);
        bend = net.wanted(SpringKind::bend) ? std::min(bend, kMostBendShare * stretch / (4.0 * l)) : 0.0;
        const double shear_share = net.wanted(SpringKind::shear) ? m.shear * (l * l) / (across * across) : 0.0;
        const double rest = std::max(stretch - shear_share - 4.0 * bend * l, kLeastStructuralShare * stretch);
        return Axis{rest / l, bend};
    };
    const Axis warp = axis(m.stretch_warp, m.bend_warp, dx, dy), weft = axis(m.stretch_weft, m.bend_weft, dy, dx);
    const auto index = [nx](int i, int j) { return j * nx + i; };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            const double width_y = (j > 0 && j < ny - 1) ? dy : 0.5 * dy,
                         width_x = (i > 0 && i < nx - 1) ? dx : 0.5 * dx;
            if (i + 1 < nx) net.add(index(i, j), index(i + 1, j), warp.structural * width_y, SpringKind::structural);
            if (j + 1 < ny) net.add(index(i, j), index(i, j + 1), weft.structural * width_x, SpringKind::structural);
            if (i + 1 < nx && j + 1 < ny) {
                net.add(index(i, j), index(i + 1, j + 1), shear_k, SpringKind::shear);
                net.add(index(i + 1, j), index(i, j + 1), shear_k, SpringKind::shear);
            }
            if (i + 2 < nx) net.add(index(i, j), index(i + 2, j), warp.bend * width_y, SpringKind::bend);
            if (j + 2 < ny) net.add(index(i, j), index(i, j + 2), weft.bend * width_x, SpringKind::bend);
        }
}

void add_block_springs(const ClothSource& cloth, NetBuilder& net) {
    const int nx = cloth.source.lattice[0], ny = cloth.source.lattice[1], nz = cloth.source.lattice[2];
    const std::vector<Vec3>& x = cloth.source.mesh.positions;
    const double dx = length(x[1] - x[0]), dy = length(x[nx] - x[0]), dz = length(x[nx * ny] - x[0]);
    const double modulus = 0.5 * (cloth.material.stretch_warp + cloth.material.stretch_weft) / cloth.material.thickness;
    // Isotropic cubic lattice of spacing a: C11 = (k1 + 2 k2 + 4/3 k3)/a, C12 = C44 = (k2 + 4/3 k3)/a, with Poisson 1/4
    // C12 = 0.4 E and k1 = k2 + 8/3 k3. One number is free: k3 = 0.1 E a.
    const double ea = modulus * std::cbrt(dx * dy * dz);
    const double k_body = 0.1 * ea, k_face = (0.4 - 4.0 / 3.0 * 0.1) * ea, k_edge = k_face + 8.0 / 3.0 * k_body;
    const auto index = [nx, ny](int i, int j, int k) { return (k * ny + j) * nx + i; };
    // Cell by cell: an edge lies in four cells, a face diagonal in two; springs named twice add up later.
    constexpr std::array<std::array<int, 3>, 8> kCorner = {
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
    for (int k = 0; k + 1 < nz; ++k)
        for (int j = 0; j + 1 < ny; ++j)
            for (int i = 0; i + 1 < nx; ++i)
                for (int p = 0; p < 8; ++p)
                    for (int q = p + 1; q < 8; ++q) {
                        const int a = index(i + kCorner[p][0], j + kCorner[p][1], k + kCorner[p][2]);
                        const int b = index(i + kCorner[q][0], j + kCorner[q][1], k + kCorner[q][2]);
                        const int differing = __builtin_popcount(static_cast<unsigned>(p ^ q));
                        if (differing == 1) net.add(a, b, k_edge / 4.0, SpringKind::structural);
                        if (differing == 2) net.add(a, b, k_face / 2.0, SpringKind::shear);
                        if (differing == 3) net.add(a, b, k_body, SpringKind::shear);
                    }
}

/// Stiffnesses k >= 0 of a triangle's three edges whose energy sum k (edge elongation)^2 / 2 comes closest to
/// area (Yu eu^2 + Yv ev^2 + G gamma^2) / 2. An edge in direction (c, s) of the cloth elongates by
/// l (c^2, s^2, c s) . (eu, ev, gamma).
std::array<double, 3> fit_edges(const std::array<Vec2, 3>& edge, double area, const Material& m) {
    const double target[3] = {m.stretch_warp, m.stretch_weft, m.shear};
    // Off-diagonal terms (Poisson coupling) are not asked for, only discouraged: threads come first.
    constexpr double kCouplingWeight = 1e-3;
    std::array<std::array<double, 3>, 3> q{};
    std::array<double, 3> length_squared_of{};
    for (int e = 0; e < 3; ++e) {
        const double l2 = edge[e].x * edge[e].x + edge[e].y * edge[e].y;
        if (!(l2 > 0.0)) return {0.0, 0.0, 0.0};
        length_squared_of[e] = l2;
        q[e] = {edge[e].x * edge[e].x / l2, edge[e].y * edge[e].y / l2, edge[e].x * edge[e].y / l2};
    }
    // Normal equations over the entries of the 3x3 stiffness matrix, in unknowns k l^2 / area.
    double normal[3][3] = {}, right[3] = {};
    for (int e = 0; e < 3; ++e) {
        for (int f = 0; f < 3; ++f)
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    normal[e][f] += (a == b ? 1.0 : kCouplingWeight) * q[e][a] * q[e][b] * q[f][a] * q[f][b];
        for (int a = 0; a < 3; ++a)
            right[e] += q[e][a] * q[e][a] * target[a];
    }
    // Non-negative least squares by coordinate descent: three unknowns, converges to round-off long before 200 rounds.
    std::array<double, 3> k{};
    for (int round = 0; round < 200; ++round)
        for (int e = 0; e < 3; ++e) {
            double rest = right[e];
            for (int f = 0; f < 3; ++f)
                if (f != e) rest -= normal[e][f] * k[f];
            k[e] = std::max(0.0, rest / normal[e][e]);
        }
    for (int e = 0; e < 3; ++e)
        k[e] *= area / length_squared_of[e];
    return k;
}

void add_mesh_springs(const ClothSource& cloth, const Topology& topology, NetBuilder& net) {
    const TriangleMesh& mesh = cloth.source.mesh;
    const Material& m = cloth.material;
    const double mean_stretch = 0.5 * (m.stretch_warp + m.stretch_weft);
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const Triangle& v = mesh.triangles[t];
        const double area = triangle_area(mesh, t);
        std::array<double, 3> k{};
        if (!mesh.uv.empty()) {
            const Triangle& c = mesh.uv_corners(t);
            std::array<Vec2, 3> edge;
            for (int e = 0; e < 3; ++e) {
                const Vec2 from = mesh.uv[c[e]], to = mesh.uv[c[(e + 1) % 3]];
                edge[e] = {to.x - from.x, to.y - from.y};
            }
            k = fit_edges(edge, area, m);
        } else {
            for (int e = 0; e < 3; ++e) // exact for equilateral triangles, Poisson ratio 1/3 (Van Gelder 1998)
                k[e] = mean_stretch * area /
                       std::max(length_squared(mesh.positions[v[(e + 1) % 3]] - mesh.positions[v[e]]), 1e-18);
        }
        for (int e = 0; e < 3; ++e)
            net.add(v[e], v[(e + 1) % 3], k[e], SpringKind::structural);
    }
    const double rigidity = 0.5 * (m.bend_warp + m.bend_weft);
    if (!(rigidity > 0.0)) return;
    const double c = bending_length(m, rigidity);
    for (const Hinge& h : topology.hinges) {
        const std::vector<Vec3>& x = mesh.positions;
        const double edge = length(x[h.b] - x[h.a]), across = length(x[h.d] - x[h.c]);
        const double area1 = 0.5 * length(doubled_area_normal(x[h.a], x[h.b], x[h.c]));
        const double area2 = 0.5 * length(doubled_area_normal(x[h.a], x[h.b], x[h.d]));
        if (!(edge > 0.0 && area1 > 0.0 && area2 > 0.0)) continue;
        // Folding by theta brings c and d together by h1 h2 theta^2 / (2 d); theta = kappa (A1 + A2) / edge.
        const double height1 = 2.0 * area1 / edge, height2 = 2.0 * area2 / edge;
        const double k = 4.0 * across * across * rigidity * std::pow(edge, 4) * c * c /
                         (std::pow(area1 + area2, 3) * height1 * height1 * height2 * height2);
        net.add(h.c, h.d, std::min(k, kMostBendShare / 4.0 * mean_stretch), SpringKind::bend);
    }
}

} // namespace

std::vector<NetSpring> make_spring_net(const ClothSource& source, const Topology& topology) {
    NetBuilder net(source);
    const IntTriple& lattice = source.source.lattice;
    const bool on_lattice = lattice[2] > 0 && source.net.layout != NetDesc::Layout::mesh;
    if (lattice[2] > 1)
        add_block_springs(source, net); // a block has no springs but the lattice's
    else if (on_lattice)
        add_grid_springs(source, net);
    else
        add_mesh_springs(source, topology, net);
    return net.take();
}

} // namespace selvage
