#include "lab/papers/report.h"

#include <algorithm>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"

namespace selvage {

std::string fixed(double value, int digits) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string brief(double value) {
    char text[48];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string Table::markdown() const {
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text = "|";
        for (const std::string& cell : cells)
            text += " " + cell + " |";
        return text + "\n";
    };
    std::string text = line(head) + "|";
    for (std::size_t i = 0; i < head.size(); ++i)
        text += "---|";
    text += "\n";
    for (const auto& row : rows)
        text += line(row);
    return text + "\n";
}

std::string Table::csv() const {
    std::string text;
    const auto add = [&](const std::vector<std::string>& row) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text += (i > 0 ? "," : "") + (row[i].find(',') == std::string::npos ? row[i] : "\"" + row[i] + "\"");
        text += "\n";
    };
    add(head);
    for (const auto& row : rows)
        add(row);
    return text;
}

Status PaperReport::open() {
    std::error_code code;
    std::filesystem::create_directories(folder_, code);
    if (code) return Error{concat("cannot make the folder: ", code.message()), folder_.string(), ErrorKind::io};
    return Done{};
}

Status PaperReport::save_table(const std::string& name, const Table& table) {
    text_ += table.markdown();
    return write_file(folder_ / (name + ".csv"), table.csv());
}

Status PaperReport::save_plot(const std::string& name, const Plot& plot) {
    text_ += concat("![", plot.title, "](", name, ".png)\n\n");
    return draw_plot(plot).save_png(folder_ / (name + ".png"));
}

void PaperReport::item(const std::string& what, const std::string& reproduced, const std::string& ours,
                       const std::string& print, const std::string& why) {
    items_.rows.push_back({what, reproduced, ours, print, why});
}

Status PaperReport::close() {
    if (!items_.rows.empty()) {
        text_.insert(std::min(text_.find("\n## "), text_.size()),
                     "\n## Item by item\n\n" + items_.markdown().substr(0, items_.markdown().size() - 1));
        if (Status ok = write_file(folder_ / "items.csv", items_.csv()); !ok) return ok;
    }
    return write_file(folder_ / "report.md", text_);
}

} // namespace selvage
