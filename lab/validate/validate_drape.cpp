// Cusick's drape test for the fabrics whose kind has published readings. Nothing is fitted: a fabric's numbers go in,
// and what comes out stands beside the band.

#include "base/concat.h"
#include "lab/validate/drape_pairs.h"
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

/// Cloth whose numbers and drape were measured together. A point of the coefficient in either direction comes from the
/// instrument (2 %), the sample (10 % of its rigidity changes the coefficient by 3 %) and which of many folds the disc
/// falls into (2 to 3 %, of cloth and of simulated cloth): 5 % of the area in all.
std::vector<ValidationRow> paired_drape() {
    constexpr double kScatter = 0.05;
    std::vector<ValidationRow> rows;
    const DrapeTest test;
    for (const DrapePair& pair : drape_pairs()) {
        const DrapeResult result = run_drape_test(test, pair.material, 0);
        rows.push_back(make_row(concat("drape-pair/", solver_name(test.solver), ":", pair.name), pair.coefficient,
                                result.coefficient, kScatter / pair.coefficient, "coefficient"));
    }
    return rows;
}

std::vector<ValidationRow> coarse_paired_drape() {
    DrapeTest test;
    test.rings = 10;
    const DrapePair& pair = drape_pairs().front();
    const DrapeResult result = run_drape_test(test, pair.material, 1);
    return {make_row(concat("drape-pair/", solver_name(test.solver), ":", pair.name), pair.coefficient,
                     result.coefficient, 0.05 / pair.coefficient, "coefficient")};
}

std::vector<ValidationRow> coarse_drape() {
    DrapeTest test;
    test.rings = 10;
    return {drape_row(test, *published_drape("wool-suiting"), 1)};
}

} // namespace selvage
