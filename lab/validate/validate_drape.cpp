// Cusick's drape test for the fabrics whose kind has published readings. Nothing is fitted: a fabric's numbers go in,
// and what comes out stands beside the band.

#include "base/concat.h"
#include "lab/validate/fabric_card.h"
#include "lab/validate/validate_internal.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

ValidationRow drape_row(const DrapeTest& test, const DrapeBand& band, int threads) {
    const DrapeResult result = run_drape_test(test, load_fabric(band.fabric)->material, threads);
    const double middle = 0.5 * (band.low + band.high);
    return make_row(concat("drape/", solver_name(test.solver), ":", band.fabric), middle, result.coefficient,
                    0.5 * (band.high - band.low) / middle, "coefficient");
}

} // namespace

std::vector<ValidationRow> drape() {
    std::vector<ValidationRow> rows;
    for (const DrapeBand& band : published_drapes())
        rows.push_back(drape_row(DrapeTest{}, band, 0));
    return rows;
}

std::vector<ValidationRow> coarse_drape() {
    DrapeTest test;
    test.rings = 10;
    return {drape_row(test, *published_drape("wool-suiting"), 1)};
}

} // namespace selvage
