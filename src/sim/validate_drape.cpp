// Cusick's drape test for the fabrics whose kind has published readings. Nothing is fitted: a fabric's numbers go in, and what
// comes out stands beside the band.

#include "base/concat.h"
#include "scene/scene_io.h"
#include "sim/fabric_card.h"
#include "sim/validate_internal.h"

namespace selvage {

std::vector<ValidationRow> drape() {
    std::vector<ValidationRow> rows;
    for (const DrapeBand& band : published_drapes()) {
        const DrapeTest test;
        const DrapeResult result = run_drape_test(test, load_fabric(band.fabric)->material, 0);
        const double middle = 0.5 * (band.low + band.high);
        rows.push_back(make_row(concat("drape/", solver_name(test.solver), ":", band.fabric), middle,
                                result.coefficient, 0.5 * (band.high - band.low) / middle, "coefficient"));
    }
    return rows;
}

} // namespace selvage
