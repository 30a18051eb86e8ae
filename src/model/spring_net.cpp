// How a fabric becomes springs, so that the mesh size does not change how the cloth stretches or falls.
//
// Lattice on a grid with spacing dx, dy (w = width of cloth a spring stands for, halved along the border):
//   shear       k = G d^2 / (2 dx dy) for each of the two diagonals of length d. They also stretch: by G dx^2/dy^2 along
//               x, G dy^2/dx^2 along y, and G between the two.
//   structural  k = (s Y - shear's and bend's part) w / l, where s = (1 + sqrt(1 + 4 G^2/(Yx Yy)))/2 makes up for the
//               coupling, so that a strip free to narrow stretches by exactly Y
//   bend        a spring over two cells shortens by l^3 kappa^2 / 3 under curvature kappa, so its energy grows with
//               kappa^4 and no stiffness matches B kappa^2 / 2 for all kappa. Matched at kappa = 1/c, c the fabric's
//               bending length: k = 9 B w c^2 / l^5.
// Any triangle mesh: on each triangle the three edge springs of edge_fit.h; across each hinge a spring likewise matched to
// B at kappa = 1/c. Exact where edges follow the threads; on other meshes stretch is right on the average and shear too
// stiff (docs/records/spring-fit.md has figures).
// Block: springs to the 6 neighbours and along face and body diagonals; with cubic cells isotropic with Poisson ratio
// 1/4, otherwise with the right modulus along the axes and less shear stiffness. E = stretch / thickness.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/concat.h"
#include "math/functions.h"
#include "model/cloth_model.h"
#include "model/edge_fit.h"

namespace selvage {

namespace {

// Bend springs resist stretch too; beyond this fraction of Y they would determine the fabric's stretch stiffness.
constexpr double kMostBend = 0.3;
// Likewise for the shear springs of a grid.
constexpr double kMostShear = 0.5;
// What holds the middle vertex of a cell in place when the fabric has hardly any shear stiffness.
constexpr double kLeastCentre = 0.01;

class NetBuilder {
public:
    explicit NetBuilder(const ClothSource& source) : source_(source) {}

    void add(int a, int b, double stiffness, SpringKind kind) {
        const std::vector<Vec3>& x = source_.source.mesh.positions;
        add(a, b, length(x[b] - x[a]), stiffness, kind);
    }
    void add(int a, int b, double l0, double stiffness, SpringKind kind) {
        if (!wanted(kind) || a == b) return;
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

/// What the springs of one axis of a grid carry, per width [N/m2].
struct GridAxis {
    double structural, bend;
};

/// `target` is the stretch stiffness to reach, of which the shear springs already carry `shear_part`.
GridAxis grid_axis(const NetBuilder& net, const Material& m, double target, double shear_part, double rigidity,
                   double l) {
    const double c = rigidity > 0.0 ? bending_length(m, rigidity) : 0.0;
    // Two bend springs of length 2 l pass through every cut: they add 4 k l / w to Y.
    double bend = 9.0 * rigidity * c * c / maths::power<5>(l);
    bend = net.wanted(SpringKind::bend) ? std::min(bend, kMostBend * target / (4.0 * l)) : 0.0;
    return {std::max(target - shear_part - 4.0 * bend * l, 0.0) / l, bend};
}

void add_grid_springs(const ClothSource& cloth, NetBuilder& net, std::vector<std::string>& warnings) {
    const int nx = cloth.source.lattice[0], ny = cloth.source.lattice[1];
    const std::vector<Vec3>& x = cloth.source.mesh.positions;
    const Material& m = cloth.material;
    const double dx = length(x[1] - x[0]), dy = length(x[nx] - x[0]), aspect = dx * dx / (dy * dy);
    double shear = net.wanted(SpringKind::shear) ? m.shear : 0.0;
    // Middle vertices hang on the diagonals alone, so these are there in any case.
    const bool centres = cloth.source.cell_centres;
    const SpringKind diagonal_kind = centres ? SpringKind::structural : SpringKind::shear;
    if (centres) shear = std::max(shear, kLeastCentre * std::min(m.stretch_warp, m.stretch_weft));
    // Diagonals of long cells lie along the threads and would carry their stretch: give up shear first.
    const double most = kMostShear * std::min(m.stretch_warp / aspect, m.stretch_weft * aspect);
    if (shear > most && cloth.net.stiffness_times_length == 0.0) {
        warnings.push_back(concat("cloth \"", cloth.name, "\": cells of ", dx, " x ", dy,
                                  " m are too long for its shear springs; shear stiffness lowered from ", shear, " to ",
                                  most, " N/m, so that stretch stays right"));
        shear = most;
    }
    const double shear_k = shear * (dx * dx + dy * dy) / (2.0 * dx * dy);
    const double product = m.stretch_warp * m.stretch_weft;
    const double coupling = product > 0.0 ? 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * shear * shear / product)) : 1.0;
    const GridAxis warp = grid_axis(net, m, coupling * m.stretch_warp, shear * aspect, m.bend_warp, dx);
    const GridAxis weft = grid_axis(net, m, coupling * m.stretch_weft, shear / aspect, m.bend_weft, dy);
    const auto index = [nx](int i, int j) { return j * nx + i; };
    const auto add_diagonal = [&](int a, int b, int centre) {
        if (!centres) return net.add(a, b, shear_k, diagonal_kind);
        net.add(a, centre, 2.0 * shear_k, diagonal_kind); // two halves in a row are half as stiff as one
        net.add(centre, b, 2.0 * shear_k, diagonal_kind);
    };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            const double width_y = (j > 0 && j < ny - 1) ? dy : 0.5 * dy;
            const double width_x = (i > 0 && i < nx - 1) ? dx : 0.5 * dx;
            if (i + 1 < nx) net.add(index(i, j), index(i + 1, j), warp.structural * width_y, SpringKind::structural);
            if (j + 1 < ny) net.add(index(i, j), index(i, j + 1), weft.structural * width_x, SpringKind::structural);
            if (i + 1 < nx && j + 1 < ny) {
                const int centre = nx * ny + j * (nx - 1) + i;
                add_diagonal(index(i, j), index(i + 1, j + 1), centre);
                add_diagonal(index(i + 1, j), index(i, j + 1), centre);
            }
            if (i + 2 < nx) net.add(index(i, j), index(i + 2, j), warp.bend * width_y, SpringKind::bend);
            if (j + 2 < ny) net.add(index(i, j), index(i, j + 2), weft.bend * width_x, SpringKind::bend);
        }
}

/// Diagonal D of a symmetric 3x3 stiffness with the given off-diagonals for which the modulus along each axis, sides
/// free, is `modulus`: each D_a is that plus what the other two axes yield, found by iteration.
std::array<double, 3> uniaxial_diagonal(double modulus, double c01, double c12, double c20) {
    std::array<double, 3> d{1.2 * modulus, 1.2 * modulus, 1.2 * modulus};
    const auto yielding = [](double p, double q, double dp, double dq, double between) {
        return (p * p * dq + q * q * dp - 2.0 * p * q * between) / (dp * dq - between * between);
    };
    for (int round = 0; round < 100; ++round) {
        d[0] = modulus + yielding(c01, c20, d[1], d[2], c12);
        d[1] = modulus + yielding(c01, c12, d[0], d[2], c20);
        d[2] = modulus + yielding(c20, c12, d[0], d[1], c01);
    }
    return d;
}

void add_block_springs(const ClothSource& cloth, NetBuilder& net, std::vector<std::string>& warnings) {
    const int nx = cloth.source.lattice[0], ny = cloth.source.lattice[1], nz = cloth.source.lattice[2];
    const std::vector<Vec3>& x = cloth.source.mesh.positions;
    const std::array<double, 3> d = {length(x[1] - x[0]), length(x[nx] - x[0]), length(x[nx * ny] - x[0])};
    const double modulus = 0.5 * (cloth.material.stretch_warp + cloth.material.stretch_weft) / cloth.material.thickness;
    const double volume = d[0] * d[1] * d[2], body_squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];

    // A bond of stiffness k, length L and direction n adds k L^2 n_a^2 n_b^2 / volume to C_ab. Poisson 1/4 wants
    // C_ab = 0.4 E between axes; in long cells the diagonals lie along one axis, and less keeps that axis right.
    const auto next = [](int a) { return (a + 1) % 3; };
    std::array<double, 3> coupling{}; // C between axis a and the next one
    double body = 1e300;              // a third of the weakest coupling goes to the body diagonals
    for (int a = 0; a < 3; ++a) {
        const double ratio = d[a] * d[a] / (d[next(a)] * d[next(a)]);
        coupling[a] = 0.4 * modulus * std::min(ratio, 1.0 / ratio);
        body = std::min(body, coupling[a] * volume * body_squared / (12.0 * d[a] * d[a] * d[next(a)] * d[next(a)]));
    }
    const std::array<double, 3> diagonal = uniaxial_diagonal(modulus, coupling[0], coupling[1], coupling[2]);
    std::array<double, 3> edge{}, face{}; // face[a]: diagonals between axis a and the next
    for (int a = 0; a < 3; ++a) {
        const double across = d[a] * d[a] * d[next(a)] * d[next(a)];
        face[a] = (coupling[a] * volume - 4.0 * body * across / body_squared) *
                  (d[a] * d[a] + d[next(a)] * d[next(a)]) / (2.0 * across);
    }
    for (int a = 0; a < 3; ++a) {
        const int before = (a + 2) % 3;
        const double fourth = maths::power<4>(d[a]);
        const double carried = 2.0 * face[a] * fourth / (d[a] * d[a] + d[next(a)] * d[next(a)]) +
                               2.0 * face[before] * fourth / (d[a] * d[a] + d[before] * d[before]) +
                               4.0 * body * fourth / body_squared;
        edge[a] = std::max(0.0, diagonal[a] * volume - carried) / (d[a] * d[a]);
    }
    const double longest = *std::max_element(d.begin(), d.end()), shortest = *std::min_element(d.begin(), d.end());
    if (longest > 1.05 * shortest)
        warnings.push_back(concat("cloth \"", cloth.name, "\": its cells are ", longest / shortest,
                                  " times as long as wide; the block shears more easily than one of cubes"));

    const auto index = [nx, ny](int i, int j, int k) { return (k * ny + j) * nx + i; };
    // Cell by cell: an edge lies in four cells, a face diagonal in two; springs named twice add up later. Corner p has
    // bit a set when it lies at the far end of axis a.
    for (int k = 0; k + 1 < nz; ++k)
        for (int j = 0; j + 1 < ny; ++j)
            for (int i = 0; i + 1 < nx; ++i)
                for (unsigned p = 0; p < 8; ++p)
                    for (unsigned q = p + 1; q < 8; ++q) {
                        const auto corner = [&](unsigned bits) {
                            return index(i + static_cast<int>(bits & 1), j + static_cast<int>(bits >> 1 & 1),
                                         k + static_cast<int>(bits >> 2));
                        };
                        // Axes in which the corners differ: 1, 2, 4 an edge; 3, 6, 5 a face between axis a and the
                        // next.
                        constexpr std::array<int, 8> kAxis = {0, 0, 1, 0, 2, 2, 1, 0};
                        const unsigned axes = p ^ q;
                        const int a = kAxis[axes];
                        if (axes == 7)
                            net.add(corner(p), corner(q), body, SpringKind::shear);
                        else if (axes == 1 || axes == 2 || axes == 4)
                            net.add(corner(p), corner(q), edge[a] / 4.0, SpringKind::structural);
                        else
                            net.add(corner(p), corner(q), face[a] / 2.0, SpringKind::shear);
                    }
}

/// Springs along the edges; returns how many triangles have no threads, and the first of them.
std::pair<int, int> add_edge_springs(const ClothSource& cloth, const Topology& topology, NetBuilder& net) {
    const TriangleMesh& mesh = cloth.source.mesh;
    const RestShape shape = cloth.source.rest;
    const Material& m = cloth.material;
    const double mean_stretch = 0.5 * (m.stretch_warp + m.stretch_weft);
    const std::vector<double> lengths = rest_lengths(mesh, shape, topology.edges).length;
    std::pair<int, int> without{0, 0};
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const Triangle& v = mesh.triangles[t];
        const double area = rest_area(mesh, shape, t);
        const RestTriangle rest = rest_triangle(mesh, shape, t);
        const std::array<Vec2, 3> edges = {rest.e1, Vec2{rest.e2.x - rest.e1.x, rest.e2.y - rest.e1.y},
                                           Vec2{-rest.e2.x, -rest.e2.y}};
        std::array<double, 3> k{};
        if (rest.has_threads) {
            k = fit_edges(edges, area, m);
        } else {
            if (without.first++ == 0) without.second = t;
            for (int e = 0; e < 3; ++e) // exact for equilateral triangles, Poisson ratio 1/3 (Van Gelder 1998)
                k[e] = mean_stretch * area /
                       std::max(length_squared(mesh.positions[v[(e + 1) % 3]] - mesh.positions[v[e]]), 1e-18);
        }
        for (int e = 0; e < 3; ++e) {
            const auto [a, b] = std::minmax(v[e], v[(e + 1) % 3]);
            const auto at = std::lower_bound(topology.edges.begin(), topology.edges.end(), Edge{a, b});
            net.add(a, b, lengths[at - topology.edges.begin()], k[e], SpringKind::structural);
        }
    }
    return without;
}

void add_hinge_springs(const ClothSource& cloth, NetBuilder& net) {
    const Material& m = cloth.material;
    const double mean_stretch = 0.5 * (m.stretch_warp + m.stretch_weft);
    const double rigidity = 0.5 * (m.bend_warp + m.bend_weft);
    if (!(rigidity > 0.0)) return;
    const double c = bending_length(m, rigidity);
    for (const HingeTriangles& h : hinge_triangles(cloth.source.mesh)) {
        const std::array<Vec3, 4> x = rest_hinge(cloth.source.mesh, cloth.source.rest, h);
        const double edge = length(x[1] - x[0]), across = length(x[3] - x[2]);
        const double area1 = 0.5 * length(doubled_area_normal(x[0], x[1], x[2]));
        const double area2 = 0.5 * length(doubled_area_normal(x[0], x[1], x[3]));
        if (!(edge > 0.0 && area1 > 0.0 && area2 > 0.0)) continue;
        // Folding by theta brings c and d together by h1 h2 theta^2 / (2 d); theta = kappa (A1 + A2) / edge.
        const double height1 = 2.0 * area1 / edge, height2 = 2.0 * area2 / edge;
        const double k = 4.0 * across * across * rigidity * maths::power<4>(edge) * c * c /
                         (maths::power<3>(area1 + area2) * height1 * height1 * height2 * height2);
        net.add(h.hinge.c, h.hinge.d, across, std::min(k, kMostBend / 4.0 * mean_stretch), SpringKind::bend);
    }
}

void add_mesh_springs(const ClothSource& cloth, const Topology& topology, NetBuilder& net,
                      std::vector<std::string>& warnings) {
    const auto [without, first] = add_edge_springs(cloth, topology, net);
    if (without > 0 && cloth.net.stiffness_times_length == 0.0)
        warnings.push_back(concat(
            "cloth \"", cloth.name, "\": ", without, " of ", cloth.source.mesh.triangle_count(),
            " triangles have no usable uv, the first triangle ", first,
            "; warp and weft are unknown there: springs stretch alike in all directions, and for multilevel the weft "
            "runs level where the cloth stands and along x where it lies"));
    add_hinge_springs(cloth, net);
}

} // namespace

std::vector<NetSpring> make_spring_net(const ClothSource& source, const Topology& topology,
                                       std::vector<std::string>& warnings) {
    NetBuilder net(source);
    const IntTriple& lattice = source.source.lattice;
    const bool on_lattice = lattice[2] > 0 && source.net.layout != NetDesc::Layout::mesh;
    if (lattice[2] > 1)
        add_block_springs(source, net, warnings); // a block has no springs but the lattice's
    else if (on_lattice)
        add_grid_springs(source, net, warnings);
    else
        add_mesh_springs(source, topology, net, warnings);
    return net.take();
}

} // namespace selvage
