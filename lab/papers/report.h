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
    /// A line of the table that opens the report: something the paper shows, whether it is reproduced ("yes", "in part",
    /// "no"), our number, the print's, and why they differ.
    void item(const std::string& what, const std::string& reproduced, const std::string& ours, const std::string& print,
              const std::string& why = "");
    Status save_plot(const std::string& name, const Plot& plot);
    Status close(); ///< Writes report.md, with the table of items before its first section, and items.csv.

    std::filesystem::path folder_;
    Progress progress_;
    std::string text_;
    Table items_{{"item", "reproduced", "ours", "the print's", "why they differ"}, {}};
    PictureMaker pictures_;
};

} // namespace selvage
