// Springs on meshes that have nothing to do with warp and weft. They cannot follow a fabric exactly there; these rows say
// how far they are off at most, and that a seam of the pattern changes nothing.

#include <numbers>

#include "base/concat.h"
#include "lab/validate/spring_moduli.h"
#include "lab/validate/validate_internal.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

/// Bounds on moduli over the fabric's, from docs/records/spring-fit.md.
constexpr double kThreads = 1.0; // twice as stiff at most, and never without stiffness
constexpr double kLeastThreads = 0.45;

} // namespace

std::vector<ValidationRow> spring_moduli() {
    std::vector<ValidationRow> rows;
    const Result<Fabric> poplin = load_fabric("cotton-poplin");
    if (!poplin) return rows;
    const SpringModuli fabric = fabric_moduli(poplin->material);
    for (NamedMesh& named : irregular_meshes())
        for (const int degrees : {0, 15, 30, 45}) {
            const double grain = degrees * std::numbers::pi / 180.0;
            cut_from_cloth(named.mesh, grain, true);
            const SpringModuli sewn = measure_moduli(named.mesh, edge_springs(named.mesh, poplin->material), grain);
            const std::string name = concat("spring-moduli/", named.name, ":grain-", degrees, ":");
            rows.push_back(make_row(name + "warp", 1.0, sewn.warp / fabric.warp, kThreads, "of the fabric's"));
            rows.push_back(make_row(name + "weft", 1.0, sewn.weft / fabric.weft, kThreads, "of the fabric's"));
            for (ValidationRow* row : {&rows[rows.size() - 2], &rows.back()})
                row->pass = row->pass && row->got >= kLeastThreads;
            rows.push_back(make_row(name + "slack", 0.0, sewn.slack, 0.0, "of the edges"));
            cut_from_cloth(named.mesh, grain, false);
            const SpringModuli whole = measure_moduli(named.mesh, edge_springs(named.mesh, poplin->material), grain);
            rows.push_back(make_row(name + "seam", whole.warp, sewn.warp, 1e-4, "N/m"));
        }
    return rows;
}

} // namespace selvage
