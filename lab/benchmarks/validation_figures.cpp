// validation_figures ROWS.json FOLDER: the plots of docs/records/validation.md from what
// `selvage validate --json ROWS.json` wrote. Lines are the closed forms, marks what the solvers did.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "lab/figure/plot.h"
#include "lab/validate/reference_shapes.h"
#include "scene/json_document.h"

namespace selvage {
namespace {

constexpr double kGravity = 9.81;

struct Row {
    std::string check, solver, parameter; ///< check/solver:parameter
    double expected = 0.0, got = 0.0, error = 0.0, tolerance = 0.0;
};

Row read_row(const Json& json) {
    Row row;
    const std::string name = json["name"];
    const std::size_t slash = name.find('/'), colon = name.find(':', slash);
    row.check = name.substr(0, slash);
    row.solver = name.substr(slash + 1, colon == std::string::npos ? colon : colon - slash - 1);
    if (colon != std::string::npos) row.parameter = name.substr(colon + 1);
    row.expected = json["expected"];
    row.got = json["got"].is_number() ? json["got"].get<double>() : std::nan("");
    row.error = json["error"].is_number() ? json["error"].get<double>() : std::nan("");
    row.tolerance = json["tolerance"];
    return row;
}

/// The number behind `key` in "irregular:gamma-8"; NaN when there is none.
double number_after(const std::string& parameter, const std::string& key) {
    const std::size_t at = parameter.find(key);
    return at == std::string::npos ? std::nan("") : std::atof(parameter.c_str() + at + key.size());
}

Plot make_plot(const std::string& title, const std::string& x_label, const std::string& y_label, bool log_x = false,
               bool log_y = false) {
    Plot plot;
    plot.title = title;
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.log_x = log_x;
    plot.log_y = log_y;
    return plot;
}

std::string last_piece(const std::string& parameter) {
    return parameter.substr(parameter.rfind(':') + 1); // npos + 1 = 0: all of it
}

/// "multilevel, high, irregular" of multilevel:high:irregular:gamma-8: the words, not the numbers.
std::string label_of(const Row& row) {
    std::string label = row.solver, piece;
    for (const char c : row.parameter + ":") {
        if (c != ':') {
            piece += c;
            continue;
        }
        if (!piece.empty() && piece.find('-') == std::string::npos && !(piece[0] >= '0' && piece[0] <= '9'))
            label += ", " + piece;
        piece.clear();
    }
    return label;
}

Series line(const std::string& name, double from, double to, bool logarithmic, const auto& f) {
    Series series{name, {}, {}, true, false};
    constexpr int kPieces = 160;
    for (int k = 0; k <= kPieces; ++k) {
        const double t = static_cast<double>(k) / kPieces;
        const double x = logarithmic ? from * std::pow(to / from, t) : from + t * (to - from);
        series.x.push_back(x);
        series.y.push_back(f(x));
    }
    return series;
}

class Figures {
public:
    Figures(std::vector<Row> rows, std::filesystem::path folder) : rows_(std::move(rows)), folder_(std::move(folder)) {}

    /// Marks of one check by solver (and variant), x from the row.
    void add_marks(Plot& plot, const std::string& check, const auto& x, const auto& label) const {
        std::map<std::string, Series> by_label;
        for (const Row& row : rows_) {
            if (row.check != check || !std::isfinite(x(row))) continue;
            Series& series = by_label[label(row)];
            series.name = label(row);
            series.line = false;
            series.x.push_back(x(row));
            series.y.push_back(row.got);
        }
        for (auto& [unused, series] : by_label)
            plot.series.push_back(std::move(series));
    }
    Status save(const std::string& name, const Plot& plot) const {
        return draw_plot(plot).save_png(folder_ / (name + ".png"));
    }

    Status cantilever() const {
        Plot plot =
            make_plot("Strip bent by its own weight: drop over reach", "Gamma = density g L^3 / B", "H/W", true, true);
        plot.series.push_back(line("heavy elastica", 0.5, 40.0, true, [](double gamma) {
            const HeavyCantilever shape = heavy_cantilever(gamma);
            return shape.drop / shape.reach;
        }));
        add_marks(plot, "cantilever", [](const Row& r) { return number_after(r.parameter, "gamma-"); }, label_of);
        return save("cantilever", plot);
    }
    Status buckling() const {
        Plot plot = make_plot("Deflection of a strip's tip over tilt of gravity, before it buckles",
                              "load / critical load", "deflection", false, true);
        const double stands = self_buckling_gamma(), deep = lateral_buckling_load();
        plot.series.push_back(
            line("standing strip", 0.05, 0.98, false, [&](double x) { return standing_strip_deflection(x * stands); }));
        plot.series.push_back(
            line("deep strip", 0.05, 0.98, false, [&](double x) { return deep_strip_turn(x * deep); }));
        // A row gives the critical load that its deflection at 70 % stands for: that of the closed form at 0.7 expected
        // / got.
        for (const Row& row : rows_) {
            const bool standing = row.check == "self-buckling";
            if (!standing && row.check != "lateral-buckling") continue;
            const double x = 0.7 * row.expected / row.got;
            plot.series.push_back({row.check + ", " + label_of(row),
                                   {0.7},
                                   {standing ? standing_strip_deflection(x * stands) : deep_strip_turn(x * deep)},
                                   false,
                                   true});
        }
        return save("buckling", plot);
    }
    Status catenaries() const {
        Plot plot = make_plot("Sag of a limp strip between two points 1 m apart", "length [m]", "[m]");
        plot.series.push_back(
            line("catenary", 1.01, 2.0, false, [](double length) { return catenary(length, 1.0).sag; }));
        add_marks(plot, "catenary", [](const Row&) { return 1.2; }, label_of);
        return save("catenary", plot);
    }
    Status swings() const {
        Plot plot = make_plot("Periods of a limp sheet of 1 m hung by its top", "mode", "[s]");
        Series modes{"4 pi / j0 sqrt(L/g)", {}, {}, true, false};
        for (int n = 1; n <= 3; ++n) {
            modes.x.push_back(n);
            modes.y.push_back(4.0 * std::numbers::pi / (bessel_zero(n) * std::sqrt(kGravity)));
        }
        plot.series.push_back(modes);
        add_marks(
            plot, "swing-modes", [](const Row& r) { return std::atof(last_piece(r.parameter).c_str()); }, label_of);
        if (const Status ok = save("swing-modes", plot); !ok) return ok;
        Plot decay = make_plot("Decay of the first swing", "step [s]", "[1/s]", true, true);
        const double omega = 0.5 * bessel_zero(1) * std::sqrt(kGravity);
        decay.series.push_back(line("ln(1 + omega^2 h^2) / 2h", 5e-4, 0.05, true,
                                    [&](double h) { return std::log(1.0 + omega * omega * h * h) / (2.0 * h); }));
        add_marks(
            decay, "swing-damping", [](const Row& r) { return 1.0 / number_after(r.parameter, "h-1/"); }, label_of);
        return save("swing-damping", decay);
    }
    Status wind() const {
        Plot plot = make_plot("Angle below the wind of a limp strip of 200 g/m2", "wind [m/s]", "[deg]");
        plot.series.push_back(line("drag against weight", 0.5, 8.0, false, [](double speed) {
            return strip_angle_in_wind(0.2, 1.2, 1.2, speed, kGravity) * 180.0 / std::numbers::pi;
        }));
        add_marks(
            plot, "wind-angle", [](const Row& r) { return std::atof(last_piece(r.parameter).c_str()); }, label_of);
        return save("wind-angle", plot);
    }
    Status friction() const {
        Plot slope = make_plot("Slope at which a sheet starts to slide", "friction coefficient", "[deg]");
        slope.series.push_back(
            line("atan(mu)", 0.05, 1.0, false, [](double mu) { return std::atan(mu) * 180.0 / std::numbers::pi; }));
        add_marks(slope, "incline", [](const Row& r) { return number_after(r.parameter, "mu-"); }, label_of);
        if (const Status ok = save("incline", slope); !ok) return ok;
        Plot roller = make_plot("Pull that half a turn around a roller holds", "friction coefficient", "ratio");
        roller.series.push_back(
            line("e^(mu pi)", 0.05, 0.6, false, [](double mu) { return std::exp(mu * std::numbers::pi); }));
        add_marks(roller, "capstan", [](const Row& r) { return number_after(r.parameter, "mu-"); }, label_of);
        return save("capstan", roller);
    }
    Status drapes() const {
        Plot plot = make_plot("Cusick's drape test: simulated (upwards) against measured bands", "measured", "");
        plot.series.push_back(line("equal", 0.2, 0.9, false, [](double x) { return x; }));
        for (const Row& row : rows_) {
            if (row.check != "drape") continue;
            const double half = row.tolerance * row.expected;
            plot.series.push_back({last_piece(row.parameter),
                                   {row.expected - half, row.expected, row.expected + half},
                                   {row.got, row.got, row.got},
                                   true,
                                   true});
        }
        return save("drape", plot);
    }
    /// All rows: 1 is the tolerance.
    Status errors() const {
        Plot plot = make_plot("Error of every row over its tolerance", "row", "fraction", false, true);
        std::map<std::string, int> order; // of the solvers, by first appearance
        for (const Row& row : rows_) {
            const auto [at, is_new] = order.emplace(row.solver, static_cast<int>(plot.series.size()));
            if (is_new) plot.series.push_back({row.solver, {}, {}, false, true});
            Series& series = plot.series[at->second];
            series.x.push_back(static_cast<double>(&row - rows_.data()));
            series.y.push_back(std::max(1e-6, row.error / row.tolerance));
        }
        plot.series.push_back({"tolerance", {0.0, static_cast<double>(rows_.size())}, {1.0, 1.0}, true, false});
        return save("errors", plot);
    }

    bool has(const std::string& check) const {
        return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.check == check; });
    }

private:
    std::vector<Row> rows_;
    std::filesystem::path folder_;
};

int fail(const Error& error) {
    std::fprintf(stderr, "validation_figures: %s\n", error.text().c_str());
    return 1;
}

int draw(const std::string& rows_file, const std::string& folder) {
    Result<std::string> text = read_file(rows_file);
    if (!text) return fail(text.error());
    const Result<JsonDocument> document = parse_json(std::move(*text), rows_file);
    if (!document) return fail(document.error());
    std::vector<Row> rows;
    for (const Json& json : document->root)
        rows.push_back(read_row(json));
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    const Figures figures(std::move(rows), folder);
    using Draw = Status (Figures::*)() const;
    const std::vector<std::pair<std::string, Draw>> all = {
        {"cantilever", &Figures::cantilever}, {"self-buckling", &Figures::buckling}, {"catenary", &Figures::catenaries},
        {"swing-modes", &Figures::swings},    {"wind-angle", &Figures::wind},        {"incline", &Figures::friction},
        {"drape", &Figures::drapes},
    };
    for (const auto& [check, member] : all)
        if (figures.has(check))
            if (const Status ok = (figures.*member)(); !ok) return fail(ok.error());
    if (const Status ok = figures.errors(); !ok) return fail(ok.error());
    return 0;
}

} // namespace
} // namespace selvage

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: validation_figures ROWS.json FOLDER\n");
        return 2;
    }
    return selvage::draw(argv[1], argv[2]);
}
