#include "model/cloth_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/concat.h"

namespace selvage {

const Fields<NetDesc>& net_fields() {
    static const Fields<NetDesc> fields = {
        choice_field("layout", &NetDesc::layout, {"auto", "lattice", "mesh"},
                     "lattice: springs along the rows of a grid or block; mesh: along edges and across hinges; auto: "
                     "lattice where there is one."),
        {"structural", &NetDesc::structural, kAny, "", "Springs between direct neighbours."},
        {"shear", &NetDesc::shear, kAny, "", "Springs along the diagonals (lattice only)."},
        {"bend", &NetDesc::bend, kAny, "",
         "Springs to the second neighbour, or between the vertices opposite an edge."},
        {"stiffness_times_length",
         &NetDesc::stiffness_times_length,
         {0.0, 1e9, false},
         "N",
         "Stiffness of every spring times its rest length; 0 takes the fabric's numbers."},
        {"relative_damping",
         &NetDesc::relative_damping,
         {0.0, 1e6, false},
         "N s/m",
         "Damping of any relative velocity of a spring's ends."},
    };
    return fields;
}

namespace {

bool is_block(const GeneratedMesh& source) {
    return source.lattice[2] > 1;
}

/// Mass and area per vertex of one cloth. Surfaces: a third of each triangle. Blocks: an eighth of each cell.
void spread_mass(const ClothSource& cloth, std::vector<double>& mass, std::vector<float>& area) {
    const TriangleMesh& mesh = cloth.source.mesh;
    std::vector<double> point_area(mesh.positions.size(), 0.0);
    double total = 0.0;
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const double a = rest_area(mesh, cloth.source.rest, t);
        total += a;
        for (const int v : mesh.triangles[t])
            point_area[v] += a / 3.0;
    }
    area.insert(area.end(), point_area.begin(), point_area.end());
    if (!is_block(cloth.source)) {
        const double mean = total / mesh.vertex_count(); // for points without area, which would otherwise weigh nothing
        for (const double a : point_area)
            mass.push_back(cloth.material.density * (a > 0.0 ? a : mean));
        return;
    }
    const auto [nx, ny, nz] = cloth.source.lattice;
    const Vec3 low = mesh.positions.front();
    const Vec3 edge_x = mesh.positions[1] - low, edge_y = mesh.positions[nx] - low,
               edge_z = mesh.positions[nx * ny] - low;
    const double cell = std::abs(dot(cross(edge_x, edge_y), edge_z));
    const double corner_mass = cloth.material.density / cloth.material.thickness * cell / 8.0;
    const auto cells_along = [](int i, int n) { return i > 0 && i < n - 1 ? 2 : 1; };
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                mass.push_back(corner_mass * cells_along(i, nx) * cells_along(j, ny) * cells_along(k, nz));
}

template <class T>
void append_shifted(std::vector<T>& out, const std::vector<T>& in, int offset) {
    for (T element : in) {
        for (int& v : element)
            v += offset;
        out.push_back(element);
    }
}

void append_mesh(ClothModel& model, const TriangleMesh& mesh, const Topology& topology) {
    const int vertex_offset = model.vertex_count();
    const int uv_offset = static_cast<int>(model.mesh.uv.size());
    TriangleMesh& all = model.mesh;
    // Corner indices are needed from the first part on whose uv do not run alongside its vertices.
    const bool uv_aligned = uv_offset == vertex_offset && mesh.uv_triangles.empty() && all.uv_triangles.empty() &&
                            mesh.uv.size() == mesh.positions.size();
    if (!uv_aligned && all.uv_triangles.empty()) all.uv_triangles = all.triangles;
    all.positions.insert(all.positions.end(), mesh.positions.begin(), mesh.positions.end());
    append_shifted(all.triangles, mesh.triangles, vertex_offset);
    if (mesh.uv.empty()) {
        // One shared point: the format wants a uv for each corner, and these have none to tell.
        all.uv.push_back({});
        all.uv_triangles.resize(all.triangles.size(), Triangle{uv_offset, uv_offset, uv_offset});
    } else {
        all.uv.insert(all.uv.end(), mesh.uv.begin(), mesh.uv.end());
        if (!uv_aligned)
            append_shifted(all.uv_triangles, mesh.uv_triangles.empty() ? mesh.triangles : mesh.uv_triangles, uv_offset);
    }
    append_shifted(model.edges, topology.edges, vertex_offset);
}

/// Sorted by their ends, so that a vertex finds its springs close together; doubled springs add up.
void append_springs(ClothModel& model, std::vector<NetSpring> net, int vertex_offset) {
    for (NetSpring& s : net)
        if (s.spring.a > s.spring.b) std::swap(s.spring.a, s.spring.b);
    // Stiffness last: doubled springs then add up in one order whatever order they came in.
    std::sort(net.begin(), net.end(), [](const NetSpring& x, const NetSpring& y) {
        return std::tie(x.spring.a, x.spring.b, x.kind, x.spring.stiffness, x.spring.rest_length) <
               std::tie(y.spring.a, y.spring.b, y.kind, y.spring.stiffness, y.spring.rest_length);
    });
    const std::size_t first = model.springs.size();
    for (const NetSpring& s : net) {
        Spring spring = s.spring;
        if (!(spring.stiffness > 0.0f)) continue;
        spring.a += vertex_offset;
        spring.b += vertex_offset;
        if (model.springs.size() > first && model.springs.back().a == spring.a && model.springs.back().b == spring.b) {
            model.springs.back().stiffness += spring.stiffness;
            continue;
        }
        model.springs.push_back(spring);
        model.spring_kind.push_back(s.kind);
    }
}

/// Edges of three triangles or more, but for seams through several layers, as pleats have under a waistband: in the
/// pattern every layer has an edge of its own there.
std::vector<Edge> odd_edges(const GeneratedMesh& source, const Topology& topology) {
    const TriangleMesh& mesh = source.mesh;
    if (topology.non_manifold_edges.empty() || source.rest != RestShape::uv || mesh.uv_triangles.empty())
        return topology.non_manifold_edges;
    using Pair = std::pair<int, int>;
    std::map<Pair, std::map<Pair, int>> uses; // of every such edge, by its edges in the pattern
    for (const Edge& edge : topology.non_manifold_edges)
        uses[std::minmax(edge[0], edge[1])];
    for (int t = 0; t < mesh.triangle_count(); ++t)
        for (int k = 0; k < 3; ++k) {
            const auto corner = [&](const Triangle& triangle, int at) { return triangle[(k + at) % 3]; };
            const Triangle &v = mesh.triangles[t], &w = mesh.uv_triangles[t];
            if (const auto found = uses.find(std::minmax(corner(v, 0), corner(v, 1))); found != uses.end())
                ++found->second[std::minmax(corner(w, 0), corner(w, 1))];
        }
    std::vector<Edge> odd;
    for (const Edge& edge : topology.non_manifold_edges) {
        const std::map<Pair, int>& layers = uses.at(std::minmax(edge[0], edge[1]));
        if (std::any_of(layers.begin(), layers.end(), [](const auto& layer) { return layer.second > 2; }))
            odd.push_back(edge);
    }
    return odd;
}

void name_oddities(const ClothSource& cloth, const Topology& topology, std::vector<std::string>& warnings) {
    const std::vector<Edge> odd = odd_edges(cloth.source, topology);
    if (!odd.empty()) {
        const auto [a, b] = odd.front();
        warnings.push_back(concat("cloth \"", cloth.name, "\": ", odd.size(),
                                  " edges belong to three triangles or more, the first between vertices ", a, " and ",
                                  b, "; they stretch but do not resist bending"));
    }
}

/// Lengths of the part's edges at rest, and what a pattern has besides.
void append_lengths(ClothModel& model, const ClothSource& cloth, const Topology& topology, int vertex_offset,
                    std::vector<std::string>& warnings) {
    const TriangleMesh& mesh = cloth.source.mesh;
    const EdgeLengths lengths = rest_lengths(mesh, cloth.source.rest, topology.edges);
    model.edge_length.insert(model.edge_length.end(), lengths.length.begin(), lengths.length.end());
    if (cloth.source.rest == RestShape::mesh) return;
    warn_of_pattern(cloth.name, mesh, lengths, warnings);
    const std::size_t first = model.unfolded.size();
    for (const HingeTriangles& h : hinge_triangles(mesh)) {
        const std::array<Vec3, 4> x = rest_hinge(mesh, cloth.source.rest, h);
        const auto [low, high] = std::minmax(h.hinge.c, h.hinge.d);
        model.unfolded.push_back({{low + vertex_offset, high + vertex_offset}, length(x[3] - x[2])});
    }
    std::sort(model.unfolded.begin() + static_cast<std::ptrdiff_t>(first), model.unfolded.end(),
              [](const UnfoldedPair& a, const UnfoldedPair& b) {
                  return std::tie(a.pair, a.length) < std::tie(b.pair, b.length);
              });
}

} // namespace

double rest_distance(const ClothModel& model, int a, int b) {
    const Edge pair{std::min(a, b), std::max(a, b)};
    const auto edge = std::lower_bound(model.edges.begin(), model.edges.end(), pair);
    if (edge != model.edges.end() && *edge == pair) return model.edge_length[edge - model.edges.begin()];
    const auto unfolded = std::lower_bound(model.unfolded.begin(), model.unfolded.end(), pair,
                                           [](const UnfoldedPair& u, const Edge& wanted) { return u.pair < wanted; });
    if (unfolded != model.unfolded.end() && unfolded->pair == pair) return unfolded->length;
    return length(model.mesh.positions[b] - model.mesh.positions[a]);
}

void index_springs(ClothModel& model) {
    std::vector<int>& start = model.spring_end_start;
    start.assign(model.vertex_count() + 1, 0);
    for (const Spring& s : model.springs) {
        ++start[s.a + 1];
        ++start[s.b + 1];
    }
    for (int i = 0; i < model.vertex_count(); ++i)
        start[i + 1] += start[i];
    model.spring_ends.resize(start.back());
    std::vector<int> next(start.begin(), start.end() - 1);
    for (int s = 0; s < model.spring_count(); ++s) {
        const Spring& spring = model.springs[s];
        model.spring_ends[next[spring.a]++] = {spring.b, s};
        model.spring_ends[next[spring.b]++] = {spring.a, s};
    }
}

IndexLists spring_components(const ClothModel& model) {
    const int n = model.vertex_count();
    std::vector<int> component(n, -1), pending;
    int count = 0;
    for (int start = 0; start < n; ++start) {
        if (component[start] >= 0) continue;
        pending.assign(1, start);
        component[start] = count;
        while (!pending.empty()) {
            const int v = pending.back();
            pending.pop_back();
            for (const SpringEnd& end : model.ends_of(v)) {
                if (component[end.other] >= 0) continue;
                component[end.other] = count;
                pending.push_back(end.other);
            }
        }
        ++count;
    }
    IndexLists lists;
    lists.start.assign(count + 1, 0);
    for (const int c : component)
        ++lists.start[c + 1];
    for (int c = 0; c < count; ++c)
        lists.start[c + 1] += lists.start[c];
    std::vector<int> next(lists.start.begin(), lists.start.end() - 1);
    lists.items.resize(n);
    for (int v = 0; v < n; ++v)
        lists.items[next[component[v]]++] = v;
    return lists;
}

Result<ClothModel> make_cloth_model(std::vector<ClothSource> sources, std::vector<std::string>& warnings) {
    long long vertex_count = 0;
    for (const ClothSource& cloth : sources)
        vertex_count += cloth.source.mesh.vertex_count();
    if (vertex_count == 0) return Error{"the scene has no mass points; expected at least one cloth"};
    if (vertex_count > kMaxVertices)
        return Error{concat("the cloths have ", vertex_count, " vertices together; expected at most ", kMaxVertices)};

    for (const ClothSource& cloth : sources) {
        const Material& m = cloth.material;
        const bool same = m.membrane == MembraneKind::neo_hookean;
        const double most = same ? m.stretch_warp : std::sqrt(m.stretch_warp * m.stretch_weft);
        if (m.membrane != MembraneKind::woven && m.coupling > 0.0 && !(m.coupling < most))
            return Error{concat("cloth \"", cloth.name, "\": coupling is ", m.coupling, " N/m; expected less than ",
                                same ? "stretch_warp, " : "the root of stretch_warp times stretch_weft, ", most,
                                " N/m")};
    }
    ClothModel model;
    for (ClothSource& cloth : sources) {
        const Topology topology = build_topology(cloth.source.mesh);
        name_oddities(cloth, topology, warnings);
        ClothPart part{.name = cloth.name,
                       .material = cloth.material,
                       .vertex_begin = model.vertex_count(),
                       .vertex_count = cloth.source.mesh.vertex_count(),
                       .triangle_begin = model.mesh.triangle_count(),
                       .triangle_count = cloth.source.mesh.triangle_count(),
                       .spring_begin = model.spring_count(),
                       .damping = {cloth.net.stiffness_times_length > 0.0 ? 0.0 : cloth.material.damping,
                                   cloth.net.relative_damping},
                       .net = cloth.net,
                       .is_block = is_block(cloth.source),
                       .rest = cloth.source.rest};
        append_lengths(model, cloth, topology, part.vertex_begin, warnings);
        spread_mass(cloth, model.mass, model.area);
        append_springs(model, make_spring_net(cloth, topology, warnings), part.vertex_begin);
        part.spring_count = model.spring_count() - part.spring_begin;
        append_mesh(model, cloth.source.mesh, topology);
        model.parts.push_back(std::move(part));
        cloth.source = {}; // the parts of a large scene need not be in memory twice
    }
    model.springs.shrink_to_fit();
    model.spring_kind.shrink_to_fit();
    index_springs(model);
    model.vertex_triangles = vertex_triangles(model.mesh);
    return model;
}

} // namespace selvage
