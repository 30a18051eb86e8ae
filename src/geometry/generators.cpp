#include "geometry/generators.h"

#include <cmath>
#include <numbers>
#include <random>

#include "base/concat.h"
#include "geometry/path_curve.h"
#include "math/functions.h"

namespace selvage {

namespace {

Status check_count(long long count, const std::string& what) {
    if (count > kMaxVertices)
        return Error{concat(what, " asks for ", count, " vertices; expected at most ", kMaxVertices)};
    return Done{};
}

Status check_at_least(int value, int least, const std::string& what) {
    if (value < least) return Error{concat(what, " is ", value, "; expected at least ", least)};
    return Done{};
}

/// Numbers that are the same on every machine, which the standard's distributions are not.
class Shaker {
public:
    explicit Shaker(double reach) : reach_(reach) {}
    bool active() const { return reach_ > 0.0; }
    double shift() { return active() ? reach_ * (2.0 * uniform() - 1.0) : 0.0; } ///< Uniform in [-reach, reach].
    bool coin() { return uniform() < 0.5; }

private:
    double uniform() { return static_cast<double>(random_()) / 4294967296.0; }
    std::mt19937 random_{20260u};
    double reach_;
};

double turn_of(const Vec3& a, const Vec3& b, const Vec3& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Row by row, then the middles of the cells where they have one.
void add_grid_points(const GridDesc& desc, Shaker& shaker, TriangleMesh& mesh) {
    const int nx = desc.vertices[0], ny = desc.vertices[1];
    const auto add_point = [&](double i, double j) {
        // Drawn for every point, so that moving one edge's points does not change all others.
        const double di = shaker.shift(), dj = shaker.shift();
        if (i > 0 && i < nx - 1) i += di;
        if (j > 0 && j < ny - 1) j += dj;
        const double u = desc.size[0] * i / (nx - 1), v = desc.size[1] * j / (ny - 1);
        mesh.positions.emplace_back(u - 0.5 * desc.size[0], v - 0.5 * desc.size[1], 0.0);
        mesh.uv.push_back({u, v});
    };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
            add_point(i, j);
    if (desc.diagonals != Diagonals::cross) return;
    for (int j = 0; j + 1 < ny; ++j)
        for (int i = 0; i + 1 < nx; ++i) {
            if (!shaker.active()) {
                add_point(i + 0.5, j + 0.5);
                continue;
            }
            Vec3 middle; // of the shaken corners
            for (const int corner : {j * nx + i, j * nx + i + 1, (j + 1) * nx + i, (j + 1) * nx + i + 1})
                middle += 0.25 * mesh.positions[corner];
            mesh.positions.push_back(middle);
            mesh.uv.push_back({middle.x + 0.5 * desc.size[0], middle.y + 0.5 * desc.size[1]});
        }
}

/// Two triangles per cell, or four about its middle.
//   d---c
//   |   |   uniform cuts b-d everywhere, alternating a-c in every other cell; a shaken cell may allow one cut only
//   a---b
void add_grid_triangles(const GridDesc& desc, Shaker& shaker, TriangleMesh& mesh) {
    const int nx = desc.vertices[0], ny = desc.vertices[1];
    for (int j = 0; j + 1 < ny; ++j)
        for (int i = 0; i + 1 < nx; ++i) {
            const int a = j * nx + i, b = a + 1, d = a + nx, c = d + 1;
            if (desc.diagonals == Diagonals::cross) {
                const int m = nx * ny + j * (nx - 1) + i;
                for (const Triangle& t : {Triangle{a, b, m}, {b, c, m}, {c, d, m}, {d, a, m}})
                    mesh.triangles.push_back(t);
                continue;
            }
            bool cut_ac = desc.diagonals == Diagonals::alternating && (i + j) % 2 == 1;
            if (shaker.active()) {
                const std::vector<Vec3>& x = mesh.positions;
                const bool allows_ac = turn_of(x[a], x[b], x[c]) > 0.0 && turn_of(x[a], x[c], x[d]) > 0.0;
                const bool allows_bd = turn_of(x[a], x[b], x[d]) > 0.0 && turn_of(x[b], x[c], x[d]) > 0.0;
                cut_ac = allows_ac && (!allows_bd || shaker.coin());
            }
            if (cut_ac) {
                mesh.triangles.push_back({a, b, c});
                mesh.triangles.push_back({a, c, d});
            } else {
                mesh.triangles.push_back({a, b, d});
                mesh.triangles.push_back({b, c, d});
            }
        }
}

void name_grid_borders(int nx, int ny, GeneratedMesh& out) {
    out.edges = {{"left", {}}, {"right", {}}, {"bottom", {}}, {"top", {}}};
    for (int j = 0; j < ny; ++j) {
        out.edges[0].vertices.push_back(j * nx);
        out.edges[1].vertices.push_back(j * nx + nx - 1);
    }
    for (int i = 0; i < nx; ++i) {
        out.edges[2].vertices.push_back(i);
        out.edges[3].vertices.push_back((ny - 1) * nx + i);
    }
    out.corners = {
        {"bottom-left", {0}}, {"bottom-right", {nx - 1}}, {"top-left", {(ny - 1) * nx}}, {"top-right", {ny * nx - 1}}};
}

} // namespace

Result<GeneratedMesh> make_grid(const GridDesc& desc) {
    const int nx = desc.vertices[0], ny = desc.vertices[1];
    for (const int n : desc.vertices)
        if (const Status ok = check_at_least(n, 2, "grid vertices per side"); !ok) return ok.error();
    const long long corners = static_cast<long long>(nx) * ny, cells = static_cast<long long>(nx - 1) * (ny - 1);
    const bool cross = desc.diagonals == Diagonals::cross;
    const long long centres = cross ? cells : 0;
    if (const Status ok = check_count(corners + centres, "grid"); !ok) return ok.error();

    GeneratedMesh out;
    out.mesh.positions.reserve(corners + centres);
    out.mesh.uv.reserve(corners + centres);
    out.mesh.triangles.reserve(2 * (cells + centres));
    Shaker shaker(desc.jitter);
    add_grid_points(desc, shaker, out.mesh);
    add_grid_triangles(desc, shaker, out.mesh);
    name_grid_borders(nx, ny, out);
    if (!shaker.active()) {
        out.lattice = {nx, ny, 1};
        out.cell_centres = cross;
    }
    return out;
}

Result<GeneratedMesh> make_disc(const DiscDesc& desc) {
    if (const Status ok = check_at_least(desc.rings, 1, "disc rings"); !ok) return ok.error();
    const long long rings = desc.rings;
    if (const Status ok = check_count(1 + 3 * rings * (rings + 1), "disc"); !ok) return ok.error();

    GeneratedMesh out;
    TriangleMesh& mesh = out.mesh;
    mesh.positions.emplace_back();
    Shaker shaker(desc.jitter);
    for (int r = 1; r <= desc.rings; ++r)
        for (int s = 0; s < 6 * r; ++s) {
            const double along = shaker.shift(), across = r < desc.rings ? shaker.shift() : 0.0;
            const double angle = 2.0 * std::numbers::pi * (s + along) / (6.0 * r);
            const double radius = desc.radius * (r + across) / desc.rings;
            mesh.positions.emplace_back(radius * maths::cos(angle), radius * maths::sin(angle), 0.0);
        }
    for (const Vec3& p : mesh.positions)
        mesh.uv.push_back({p.x + desc.radius, p.y + desc.radius});

    // Each sixth of ring r holds r outer and r - 1 inner segments; walk them like a triangle strip.
    const auto index = [](int ring, int s) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + s % (6 * ring); };
    for (int r = 1; r <= desc.rings; ++r)
        for (int sector = 0; sector < 6; ++sector)
            for (int s = 0; s < r; ++s) {
                const int outer = sector * r + s, inner = sector * (r - 1) + s;
                mesh.triangles.push_back({index(r, outer), index(r, outer + 1), index(r - 1, inner)});
                if (s + 1 < r)
                    mesh.triangles.push_back({index(r - 1, inner), index(r, outer + 1), index(r - 1, inner + 1)});
            }
    VertexGroup rim{"rim", {}};
    for (int s = 0; s < 6 * desc.rings; ++s)
        rim.vertices.push_back(index(desc.rings, s));
    out.edges = {rim};
    out.corners = {{"centre", {0}}};
    return out;
}

Result<GeneratedMesh> make_tube(const TubeDesc& desc) {
    const int around = desc.vertices[0], along = desc.vertices[1];
    if (const Status ok = check_at_least(around, 3, "tube vertices around"); !ok) return ok.error();
    if (const Status ok = check_at_least(along, 2, "tube vertices along"); !ok) return ok.error();
    if (const Status ok = check_count(static_cast<long long>(around) * along, "tube"); !ok) return ok.error();

    GeneratedMesh out;
    TriangleMesh& mesh = out.mesh;
    const double mean_radius = 0.5 * (desc.radius + desc.top_radius);
    for (int j = 0; j < along; ++j)
        for (int i = 0; i < around; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / around;
            const double t = static_cast<double>(j) / (along - 1);
            const double radius = desc.radius + t * (desc.top_radius - desc.radius);
            mesh.positions.emplace_back(radius * maths::sin(angle), desc.height * (t - 0.5),
                                        radius * maths::cos(angle));
        }
    // uv per corner: the seam's far side continues at u = circumference instead of jumping back to 0.
    for (int j = 0; j < along; ++j)
        for (int i = 0; i <= around; ++i)
            mesh.uv.push_back({2.0 * std::numbers::pi * mean_radius * i / around, desc.height * j / (along - 1)});
    for (int j = 0; j + 1 < along; ++j)
        for (int i = 0; i < around; ++i) {
            const int next = (i + 1) % around;
            const int a = j * around + i, b = j * around + next, c = b + around, d = a + around;
            const int ua = j * (around + 1) + i, ub = ua + 1, uc = ub + around + 1, ud = ua + around + 1;
            if ((i + j) % 2 == 0) {
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
                mesh.uv_triangles.insert(mesh.uv_triangles.end(), {{ua, ub, ud}, {ub, uc, ud}});
            } else {
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
                mesh.uv_triangles.insert(mesh.uv_triangles.end(), {{ua, ub, uc}, {ua, uc, ud}});
            }
        }
    out.edges = {{"bottom", {}}, {"top", {}}};
    for (int i = 0; i < around; ++i) {
        out.edges[0].vertices.push_back(i);
        out.edges[1].vertices.push_back((along - 1) * around + i);
    }
    return out;
}

Result<GeneratedMesh> make_block(const BlockDesc& desc) {
    const int nx = desc.vertices[0], ny = desc.vertices[1], nz = desc.vertices[2];
    for (const int n : desc.vertices)
        if (const Status ok = check_at_least(n, 2, "block vertices per side"); !ok) return ok.error();
    // Two factors first: three ints can overflow 64 bits.
    const long long layer = static_cast<long long>(nx) * ny;
    if (const Status ok = check_count(layer, "block"); !ok) return ok.error();
    if (const Status ok = check_count(layer * nz, "block"); !ok) return ok.error();

    GeneratedMesh out;
    TriangleMesh& mesh = out.mesh;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                mesh.positions.emplace_back(desc.size[0] * (static_cast<double>(i) / (nx - 1) - 0.5),
                                            desc.size[1] * (static_cast<double>(j) / (ny - 1) - 0.5),
                                            desc.size[2] * (static_cast<double>(k) / (nz - 1) - 0.5));
    const auto index = [nx, ny](int i, int j, int k) { return (k * ny + j) * nx + i; };
    const auto add_quad = [&](int a, int b, int c, int d) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
    };
    for (int j = 0; j + 1 < ny; ++j)
        for (int i = 0; i + 1 < nx; ++i) {
            add_quad(index(i, j, 0), index(i, j + 1, 0), index(i + 1, j + 1, 0), index(i + 1, j, 0));
            const int k = nz - 1;
            add_quad(index(i, j, k), index(i + 1, j, k), index(i + 1, j + 1, k), index(i, j + 1, k));
        }
    for (int k = 0; k + 1 < nz; ++k)
        for (int i = 0; i + 1 < nx; ++i) {
            add_quad(index(i, 0, k), index(i + 1, 0, k), index(i + 1, 0, k + 1), index(i, 0, k + 1));
            const int j = ny - 1;
            add_quad(index(i, j, k), index(i, j, k + 1), index(i + 1, j, k + 1), index(i + 1, j, k));
        }
    for (int k = 0; k + 1 < nz; ++k)
        for (int j = 0; j + 1 < ny; ++j) {
            add_quad(index(0, j, k), index(0, j, k + 1), index(0, j + 1, k + 1), index(0, j + 1, k));
            const int i = nx - 1;
            add_quad(index(i, j, k), index(i, j + 1, k), index(i, j + 1, k + 1), index(i, j, k + 1));
        }
    // The six faces, by the direction they look in.
    out.edges = {{"left", {}}, {"right", {}}, {"bottom", {}}, {"top", {}}, {"back", {}}, {"front", {}}};
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                const bool on_face[6] = {i == 0, i == nx - 1, j == 0, j == ny - 1, k == 0, k == nz - 1};
                for (int face = 0; face < 6; ++face)
                    if (on_face[face]) out.edges[face].vertices.push_back(index(i, j, k));
            }
    out.lattice = {nx, ny, nz};
    return out;
}

Result<GeneratedMesh> make_ribbon(const RibbonDesc& desc) {
    Result<GeneratedMesh> ribbon = make_grid({desc.size, desc.vertices, desc.diagonals});
    if (!ribbon) return ribbon;
    std::vector<Vec3> points;
    points.reserve(desc.path.size());
    for (const Triple& p : desc.path)
        points.emplace_back(p[0], p[1], p[2]);
    const Result<PathCurve> curve = PathCurve::make(points, {desc.normal[0], desc.normal[1], desc.normal[2]});
    if (!curve) return curve.error();
    // A path meant to be exactly as long may come out a little shorter by rounding.
    if (!(curve->length() > (1.0 - 1e-9) * desc.size[0]))
        return Error{concat("path is ", curve->length(), " m long; expected at least the ribbon's length, ",
                            desc.size[0], " m")};
    ribbon->start.reserve(ribbon->mesh.uv.size());
    for (const Vec2& uv : ribbon->mesh.uv) {
        const CurveFrame frame = curve->at(uv.x);
        // Along, across and front are x, y and z of the flat strip.
        const Vec3 sideways = cross(frame.normal, frame.tangent);
        ribbon->start.push_back(frame.point + (uv.y - 0.5 * desc.size[1]) * sideways);
    }
    return ribbon;
}

} // namespace selvage
