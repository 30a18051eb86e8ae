// Cusick's drape test for the fabrics whose kind has published readings. Nothing is fitted: a fabric's numbers go in,
// and what comes out stands beside the band.

#include <algorithm>
#include <cmath>

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

constexpr double kScatter = 0.05; // of a reading: the instrument's, the sample's, and which of many folds it falls into

ValidationRow pair_row(const DrapeTest& test, const DrapePair& pair, int threads) {
    const DrapeResult result = run_drape_test(test, pair.material, threads);
    return make_row(concat("drape-pair/", solver_name(test.solver), ":", pair.name), pair.coefficient,
                    result.coefficient, kScatter / pair.coefficient, "coefficient");
}

/// Three cells to the radius of the fabric's folds, or limp cloth drapes as a stiffer one.
int rings_for(const Material& m, double radius) {
    const double fold = bending_length(m, std::sqrt(m.bend_warp * m.bend_weft));
    return std::clamp(static_cast<int>(std::ceil(3.0 * radius / fold)), 20, 48);
}

} // namespace

std::vector<ValidationRow> drape() {
    std::vector<ValidationRow> rows;
    for (const DrapeBand& band : published_drapes())
        rows.push_back(drape_row(DrapeTest{}, band, 0));
    return rows;
}

/// Cloth whose numbers and drape were measured together.
std::vector<ValidationRow> paired_drape() {
    std::vector<ValidationRow> rows;
    for (const DrapePair& pair : drape_pairs()) {
        DrapeTest test;
        test.rings = rings_for(pair.material, test.cloth_radius);
        rows.push_back(pair_row(test, pair, 0));
    }
    return rows;
}

/// The stiffest on a coarse mesh.
std::vector<ValidationRow> coarse_paired_drape() {
    DrapeTest test;
    test.rings = 10;
    const DrapePair* stiffest = &drape_pairs().front();
    for (const DrapePair& pair : drape_pairs())
        if (pair.material.bend_warp > stiffest->material.bend_warp) stiffest = &pair;
    return {pair_row(test, *stiffest, 1)};
}

std::vector<ValidationRow> coarse_drape() {
    DrapeTest test;
    test.rings = 10;
    return {drape_row(test, *published_drape("wool-suiting"), 1)};
}

} // namespace selvage
