#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scene/json_document.h"

namespace selvage {

/// One comparison with an answer known beforehand.
struct ValidationRow {
    std::string name; ///< check/solver.
    double expected = 0.0;
    double got = 0.0;
    double tolerance = 0.0; ///< On `error`.
    std::string unit;
    double error = 0.0; ///< |got - expected| / |expected|, or |got| where 0 is expected.
    bool pass = false;
};

ValidationRow make_row(std::string name, double expected, double got, double tolerance, std::string unit);
Json validation_json(const std::vector<ValidationRow>& rows);

struct ValidationCheck {
    std::string name;
    std::string source; ///< Where the expected number comes from.
    std::function<std::vector<ValidationRow>()> run;
    /// Those of its rows that a test can afford, where all take too long; may give none.
    std::function<std::vector<ValidationRow>()> quick = {};
};

/// Every check, in the order of docs/explanation/validation.md.
const std::vector<ValidationCheck>& validation_checks();

} // namespace selvage
