#pragma once

#include <string>
#include <vector>

#include "model/material.h"

namespace selvage {

/// A piece of cloth whose numbers and whose drape were measured in one study.
struct DrapePair {
    std::string name;
    Material material;        ///< In SI units; what was not measured is said in `assumed`.
    double coefficient = 0.0; ///< By Cusick's test, disc 30 cm, plate 18 cm.
    std::string origin;       ///< Study, tables, sample.
    std::string assumed;
};

/// Published pairs. None was used to choose a number.
const std::vector<DrapePair>& drape_pairs();

} // namespace selvage
