// Homogenisation: under a strain of the border the energy per area is e C e / 2, where C is the stiffness of the mesh as a
// whole. Three strains give C; a modulus along a direction, free to narrow, is one over an entry of C^-1.

#include "lab/validate/spring_moduli.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/assert.h"
#include "math/conjugate_gradient.h"

namespace selvage {

namespace {

using Three3 = std::array<std::array<double, 3>, 3>;

class Randoms {
public:
    double operator()() { return 2.0 * static_cast<double>(source_() % 1000003) / 1000003.0 - 1.0; }

private:
    std::mt19937 source_{11}; // the same numbers from every standard library
};

struct Cells {
    int columns, rows;
    double width, height, jitter;
    double slant = 0.0, growth = 0.0; ///< x per y; ln of the last cell's size over the first's.
    bool equilateral = false;         ///< Every other row is half a cell further.
};

TriangleMesh make_cells(const Cells& d, Randoms& random) {
    TriangleMesh mesh;
    const auto place = [&](double i, int count) {
        const double f = i / (count - 1);
        return d.growth > 0.0 ? (std::exp(d.growth * f) - 1.0) / (std::exp(d.growth) - 1.0) : f;
    };
    for (int j = 0; j < d.rows; ++j)
        for (int i = 0; i < d.columns; ++i) {
            const bool inside = i > 0 && j > 0 && i < d.columns - 1 && j < d.rows - 1;
            const double a = inside ? d.jitter * random() : 0.0, b = inside ? d.jitter * random() : 0.0;
            const double y = d.height * place(j + b, d.rows);
            const double shift = d.equilateral && j % 2 == 1 ? 0.5 * d.width / (d.columns - 1) : 0.0;
            mesh.positions.push_back({d.width * place(i + a, d.columns) + d.slant * y + shift, y, 0.0});
        }
    for (int j = 0; j + 1 < d.rows; ++j)
        for (int i = 0; i + 1 < d.columns; ++i) {
            const int a = j * d.columns + i, b = a + 1, c = a + d.columns, e = c + 1;
            const bool rising = d.equilateral ? j % 2 == 1 : random() > 0.0;
            if (rising)
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, e}, {a, e, c}});
            else
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {b, e, c}});
        }
    return mesh;
}

std::vector<char> on_border(const TriangleMesh& mesh) {
    std::vector<char> border(mesh.positions.size(), 1);
    const Topology topology = build_topology(mesh);
    std::vector<int> inner_edges(mesh.positions.size(), 0), all_edges(mesh.positions.size(), 0);
    for (const Hinge& h : topology.hinges)
        for (const int v : {h.a, h.b})
            ++inner_edges[v];
    for (const Edge& e : topology.edges)
        for (const int v : e)
            ++all_edges[v];
    for (std::size_t v = 0; v < border.size(); ++v)
        border[v] = inner_edges[v] != all_edges[v];
    return border;
}

/// Displacements under a unit strain: 0 along the warp, 1 along the weft, 2 shear.
Vec3 strained(int strain, const Vec3& p) {
    return strain == 0 ? Vec3{p.x, 0, 0} : strain == 1 ? Vec3{0, p.y, 0} : Vec3{0.5 * p.y, 0.5 * p.x, 0};
}

struct Net {
    std::vector<Vec3> x; ///< Along warp and weft.
    std::vector<char> border;
    std::vector<Spring> springs;
    std::vector<Vec3> direction; ///< Of each spring.
    std::vector<std::vector<int>> springs_of;
};

/// Where all points go under a strain of the border.
std::vector<Vec3> displacements(const Net& net, int strain) {
    const std::size_t n = net.x.size();
    std::vector<Vec3> u(n), force(n), correction(n);
    double stiffest = 0.0;
    for (const Spring& s : net.springs)
        stiffest = std::max(stiffest, static_cast<double>(s.stiffness));
    for (std::size_t i = 0; i < n; ++i)
        u[i] = strained(strain, net.x[i]);
    for (std::size_t s = 0; s < net.springs.size(); ++s) {
        const auto [a, b, l0, k] = net.springs[s];
        const Vec3 f = k * dot(u[b] - u[a], net.direction[s]) * net.direction[s];
        if (!net.border[a]) force[a] += f;
        if (!net.border[b]) force[b] -= f;
    }
    const double least = 1e-9 * stiffest; // keeps what nothing holds where it is
    const auto apply = [&](int i, const std::vector<Vec3>& p) {
        if (net.border[i]) return Vec3{};
        Vec3 sum = least * p[i];
        for (const int s : net.springs_of[i]) {
            const Spring& spring = net.springs[s];
            const Vec3& other = p[spring.a == i ? spring.b : spring.a];
            sum += spring.stiffness * dot(p[i] - other, net.direction[s]) * net.direction[s];
        }
        return sum;
    };
    ThreadPool pool(1);
    CgBuffers buffers;
    buffers.resize(n);
    solve_cg(
        pool, {1e-7, 20000}, apply, [&](int i, const Vec3& r) { return net.border[i] ? Vec3{} : r; }, force, correction,
        buffers);
    for (std::size_t i = 0; i < n; ++i)
        u[i] += correction[i];
    return u;
}

Three3 inverse(const Three3& c) {
    const auto minor = [&](int i, int j) {
        const int a = (i + 1) % 3, b = (i + 2) % 3, d = (j + 1) % 3, e = (j + 2) % 3;
        return c[a][d] * c[b][e] - c[a][e] * c[b][d];
    };
    const double det = c[0][0] * minor(0, 0) + c[0][1] * minor(0, 1) + c[0][2] * minor(0, 2);
    Three3 out{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[i][j] = minor(j, i) / det;
    return out;
}

SpringModuli moduli_of(const Three3& compliance) {
    const auto along = [&](const std::array<double, 3>& stress) {
        double sum = 0.0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                sum += stress[i] * compliance[i][j] * stress[j];
        return 1.0 / sum;
    };
    SpringModuli m;
    m.warp = along({1, 0, 0});
    m.weft = along({0, 1, 0});
    m.shear = along({0, 0, 1});
    const double rising = along({0.5, 0.5, 0.5}), falling = along({0.5, 0.5, -0.5});
    m.bias_least = std::min(rising, falling);
    m.bias_most = std::max(rising, falling);
    return m;
}

} // namespace

SpringModuli measure_moduli(const TriangleMesh& mesh, std::span<const Spring> springs, double grain) {
    Net net;
    const double c = std::cos(grain), s = std::sin(grain);
    double area = 0.0;
    for (int t = 0; t < mesh.triangle_count(); ++t)
        area += triangle_area(mesh, t);
    for (const Vec3& p : mesh.positions)
        net.x.push_back({c * p.x + s * p.y, -s * p.x + c * p.y, 0.0});
    net.border = on_border(mesh);
    net.springs.assign(springs.begin(), springs.end());
    net.springs_of.resize(net.x.size());
    float stiffest = 0.0F;
    for (std::size_t k = 0; k < springs.size(); ++k) {
        net.direction.push_back(normalized(net.x[springs[k].b] - net.x[springs[k].a]));
        net.springs_of[springs[k].a].push_back(static_cast<int>(k));
        net.springs_of[springs[k].b].push_back(static_cast<int>(k));
        stiffest = std::max(stiffest, springs[k].stiffness);
    }
    std::array<std::vector<Vec3>, 3> u;
    for (int strain = 0; strain < 3; ++strain)
        u[strain] = displacements(net, strain);
    Three3 stiffness{};
    for (std::size_t k = 0; k < springs.size(); ++k)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                stiffness[i][j] += springs[k].stiffness *
                                   dot(u[i][springs[k].b] - u[i][springs[k].a], net.direction[k]) *
                                   dot(u[j][springs[k].b] - u[j][springs[k].a], net.direction[k]) / area;
    SpringModuli moduli = moduli_of(inverse(stiffness));
    const std::size_t edges = build_topology(mesh).edges.size();
    const auto firm = std::count_if(springs.begin(), springs.end(),
                                    [&](const Spring& spring) { return spring.stiffness > 1e-6F * stiffest; });
    moduli.slack = 1.0 - static_cast<double>(firm) / static_cast<double>(edges);
    return moduli;
}

SpringModuli fabric_moduli(const Material& material) {
    return moduli_of(
        {{{1.0 / material.stretch_warp, 0, 0}, {0, 1.0 / material.stretch_weft, 0}, {0, 0, 1.0 / material.shear}}});
}

std::vector<NamedMesh> irregular_meshes() {
    Randoms random;
    std::vector<NamedMesh> list;
    list.push_back({"shaken", make_cells({15, 15, 1.0, 1.0, 0.3}, random)});
    list.push_back({"long", make_cells({8, 15, 1.0, 1.0, 0.25}, random)});
    list.push_back({"slanted", make_cells({15, 15, 1.0, 1.0, 0.15, 0.6}, random)});
    list.push_back({"growing", make_cells({15, 15, 1.0, 1.0, 0.2, 0.0, 1.6}, random)});
    DiscDesc rings;
    rings.rings = 7;
    rings.jitter = 0.25;
    list.push_back({"rings", make_disc(rings)->mesh});
    list.back().mesh.uv.clear();
    list.push_back({"equilateral", make_cells({15, 17, 1.0, 0.99, 0.15, 0.0, 0.0, true}, random)});
    return list;
}

void cut_from_cloth(TriangleMesh& mesh, double grain, bool seam) {
    const double c = std::cos(grain), s = std::sin(grain);
    mesh.uv.clear();
    mesh.uv_triangles.clear();
    for (const Vec3& p : mesh.positions)
        mesh.uv.push_back({c * p.x + s * p.y, -s * p.x + c * p.y});
    if (!seam) return;
    const int n = mesh.vertex_count();
    for (int v = 0; v < n; ++v)
        mesh.uv.push_back({mesh.uv[v].x + 3.0, 2.0 - mesh.uv[v].y});
    double middle = 0.0;
    for (const Vec3& p : mesh.positions)
        middle += p.x / n;
    for (const Triangle& t : mesh.triangles) {
        const double x = (mesh.positions[t[0]].x + mesh.positions[t[1]].x + mesh.positions[t[2]].x) / 3.0;
        const int offset = x > middle ? n : 0;
        mesh.uv_triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    }
}

std::vector<Spring> edge_springs(const TriangleMesh& mesh, const Material& material) {
    GeneratedMesh source;
    source.mesh = mesh;
    source.rest = RestShape::uv;
    Material m = material;
    m.bend_warp = m.bend_weft = m.bend_bias = 0.0;
    std::vector<std::string> warnings;
    Result<ClothModel> model = make_cloth_model({{"patch", std::move(source), m, {}}}, warnings);
    SELVAGE_ASSERT(model);
    return std::move(model->springs);
}

} // namespace selvage
