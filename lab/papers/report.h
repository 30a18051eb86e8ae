#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/figure/plot.h"
#include "lab/papers/pictures.h"
#include "terminal/progress.h"

namespace selvage {

std::string fixed(double value, int digits);
std::string brief(double value); ///< Three digits.

/// A table that goes into the report as Markdown and beside it as CSV.
struct Table {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;

    std::string markdown() const;
    std::string csv() const;
};

/// A folder with a report.md and the tables and pictures it shows; what a paper's reproduction derives from.
class PaperReport {
protected:
    PaperReport(std::filesystem::path folder, const std::string& what, bool quiet)
        : folder_(std::move(folder)), progress_(what, quiet) {}

    Status open(); ///< Makes the folder.
    Status save_table(const std::string& name, const Table& table);
    Status save_plot(const std::string& name, const Plot& plot);
    Status close(); ///< Writes report.md.

    std::filesystem::path folder_;
    Progress progress_;
    std::string text_;
    PictureMaker pictures_;
};

} // namespace selvage
