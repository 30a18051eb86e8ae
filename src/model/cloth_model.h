#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/fields.h"
#include "geometry/generators.h"
#include "geometry/topology.h"
#include "model/material.h"
#include "model/rest_shape.h"
#include "model/spring.h"

namespace selvage {

/// Which springs join the mass points, and how stiff they are.
struct NetDesc {
    enum class Layout { automatic, lattice, mesh };
    Layout layout = Layout::automatic; ///< automatic: lattice springs on grids and blocks, mesh springs elsewhere.
    bool structural = true, shear = true, bend = true;
    double stiffness_times_length = 0.0; ///< k = this / rest length for all springs [N]; 0: from the fabric.
    double relative_damping = 0.0;       ///< Damping of any relative velocity of a spring's ends [N s/m].
};

const Fields<NetDesc>& net_fields();

/// One piece of cloth inside the model: a range of each array.
struct ClothPart {
    std::string name;
    Material material;
    int vertex_begin = 0, vertex_count = 0;
    int triangle_begin = 0, triangle_count = 0;
    int spring_begin = 0, spring_count = 0;
    SpringDamping damping;
    NetDesc net = {};
    bool is_block = false; ///< A solid lattice; its triangles are its skin.
    RestShape rest = RestShape::mesh;
};

/// Two vertices opposite an edge, laid in one plane.
struct UnfoldedPair {
    Edge pair;
    double length; ///< [m].
};

/// The far end of a spring as seen from a mass point. The point is the spring's end a when `other` is larger than it.
struct SpringEnd {
    int other;
    int spring;
};

/// All that is fixed during a run and shared by the solvers. All cloths of a scene lie in the same arrays.
struct ClothModel {
    TriangleMesh mesh;               ///< At rest, in the world; parts that rest as their uv: where they start.
    std::vector<Edge> edges;         ///< Of the triangles, each once, sorted.
    std::vector<double> edge_length; ///< Of the edges at rest [m].
    /// Vertices opposite an edge of parts that rest as their uv, and how far apart they are in the pattern; sorted.
    std::vector<UnfoldedPair> unfolded;
    std::vector<double> mass;    ///< [kg].
    std::vector<float> area;     ///< Of the surface, per vertex [m2].
    std::vector<Spring> springs; ///< Sorted by (a, b) within each part.
    std::vector<SpringKind> spring_kind;
    std::vector<int> spring_end_start; ///< Row starts of spring_ends, one per vertex and one more.
    std::vector<SpringEnd> spring_ends;
    IndexLists vertex_triangles;
    std::vector<ClothPart> parts;

    int vertex_count() const { return mesh.vertex_count(); }
    int spring_count() const { return static_cast<int>(springs.size()); }
    std::span<const SpringEnd> ends_of(int vertex) const {
        return {spring_ends.data() + spring_end_start[vertex],
                static_cast<std::size_t>(spring_end_start[vertex + 1] - spring_end_start[vertex])};
    }
};

/// Distance at rest of two vertices of one triangle, or opposite an edge [m].
double rest_distance(const ClothModel& model, int a, int b);

/// Fills spring_end_start and spring_ends from the springs.
void index_springs(ClothModel& model);

/// The vertices of each piece that springs hold together; a mesh file may have several.
IndexLists spring_components(const ClothModel& model);

/// One cloth before it joins the model. `source.mesh` is at rest and already in place.
struct ClothSource {
    std::string name;
    GeneratedMesh source;
    Material material;
    NetDesc net;
};

/// Joins the cloths, spreads mass over the points and builds the springs. Oddities are named in `warnings`.
Result<ClothModel> make_cloth_model(std::vector<ClothSource> sources, std::vector<std::string>& warnings);

/// Springs of one cloth, indices local to it, unsorted. The one place where a fabric becomes spring coefficients. What
/// a mesh cannot carry is named in `warnings`.
struct NetSpring {
    Spring spring;
    SpringKind kind;
};
std::vector<NetSpring> make_spring_net(const ClothSource& source, const Topology& topology,
                                       std::vector<std::string>& warnings);

} // namespace selvage
