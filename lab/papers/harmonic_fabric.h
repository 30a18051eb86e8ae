#pragma once

#include "lab/papers/report.h"

namespace selvage {

/// The figures of woven fabric in Kang and Cho 2012: 3, 5 and 6 are drawn by the CPU from the formulas, 8 to 11 by the
/// renderer. Texts and tables go into `text`.
class FabricFigures {
public:
    explicit FabricFigures(std::filesystem::path folder) : folder_(std::move(folder)) {}

    Status distributions(std::string& text); ///< Figs. 3 and 5.
    Status bumps(std::string& text);         ///< Fig. 6.
    /// Normal mapping against rotation in numbers.
    static Table measure_rotation();
    Status snapshot(std::string& text); ///< Fig. 1.
    Status drapes(std::string& text);   ///< Figs. 8 and 9.
    Status weaves(std::string& text);   ///< Fig. 10.
    /// Fig. 11, and by how much the pictures differ.
    Result<std::string> twists(std::string& text);

private:
    std::filesystem::path folder_;
};

} // namespace selvage
