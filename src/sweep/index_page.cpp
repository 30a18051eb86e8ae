#include "sweep/index_page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/numbers.h"
#include "sweep/svg_plot.h"
#include "sweep/thumbnails.h"

namespace selvage {

namespace {

constexpr char kStyle[] = R"(
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5d6b7c;--line:#dde3ea;--paper:#fff;--card:#f6f8fa;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#9aa7b5;--line:#313a45;--paper:#14181d;--card:#1d232a;--bad:#ff8a80}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 64px}h1{font-size:28px;margin:0}h2{font-size:18px;margin:40px 0 12px}
.sub{color:var(--soft);margin:2px 0 20px}.cards{display:flex;flex-wrap:wrap;gap:12px}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 18px}
.card b{display:block;font-size:24px;font-variant-numeric:tabular-nums}.card span{color:var(--soft);font-size:13px}.bad b{color:var(--bad)}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(340px,1fr));gap:16px}
.plots figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:8px}
svg{width:100%;height:auto;display:block}.grid{stroke:var(--line);stroke-width:1}.tick{font-size:11px;fill:var(--soft)}.label{font-size:12.5px;fill:var(--ink)}
.line{fill:none;stroke-width:1.6}.dot{fill-opacity:.85}
.shots{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:14px}
.shots figure{margin:0;border:1px solid var(--line);border-radius:10px;overflow:hidden;background:var(--card)}
.shots img{width:100%;display:block}.shots figcaption{padding:7px 10px;font-size:12.5px;color:var(--soft);overflow-wrap:anywhere}
.shots b{color:var(--ink)}.key{font-size:12.5px;color:var(--soft);padding:0 8px 4px}.key span{white-space:nowrap}.key i{display:inline-block;width:10px;height:10px;border-radius:5px;margin:0 4px 0 10px}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:10px}table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:6px 12px;border-bottom:1px solid var(--line);white-space:nowrap}th{color:var(--soft);font-weight:600}tr:last-child td{border:0}
td.why{white-space:normal;color:var(--bad)}code{font-size:13px}
)";
constexpr const char* kColours[] = {"#2f6fde", "#e07b39", "#2a9d6f", "#c0409c",
                                    "#8a63d2", "#b8860b", "#2aa5b8", "#d0454c"};

struct Measure {
    const char* column;
    const char* label;
};
constexpr Measure kMeasures[] = {{"height_m", "height at the end [m]"},
                                 {"width_m", "width at the end [m]"},
                                 {"elastic_j", "elastic energy at the end [J]"},
                                 {"strain_max", "largest strain at the end"}};

/// The manifest as columns.
struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows; // of jobs that are done

    std::size_t column(const std::string& name) const {
        return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    }
    std::optional<double> number(std::size_t row, std::size_t column) const {
        const std::string& text = rows[row][column];
        double value = 0.0;
        if (text.empty() || read_number(text, value) != text.size() || !std::isfinite(value)) return std::nullopt;
        return value;
    }
};

/// At most as many rows as a page can show, evenly chosen.
Table table_of(const SweepSpec& spec, const JobRows& rows) {
    constexpr std::size_t kMost = 3000;
    Table table{csv_fields(manifest_header(spec)), {}};
    std::vector<const JobRow*> done;
    for (const JobRow& row : rows)
        if (row.status == JobStatus::done) done.push_back(&row);
    const std::size_t count = std::min(kMost, done.size());
    for (std::size_t i = 0; i < count; ++i)
        table.rows.push_back(csv_fields(done[i * done.size() / count]->manifest));
    return table;
}

/// One thing that varies, as the plots see it.
struct PlotAxis {
    std::string pointer;
    std::size_t column;
    bool is_log = false;
    std::set<double> values;     // of numbers
    std::set<std::string> texts; // of everything
    bool is_number() const { return values.size() > 1; }
};

std::vector<PlotAxis> plot_axes(const SweepSpec& spec, const Table& table) {
    std::vector<PlotAxis> axes;
    for (const std::string& pointer : spec.columns()) {
        PlotAxis axis{pointer, table.column(pointer), false, {}, {}};
        bool all = true;
        for (std::size_t r = 0; r < table.rows.size(); ++r) {
            axis.texts.insert(table.rows[r][axis.column]);
            if (const std::optional<double> value = table.number(r, axis.column))
                axis.values.insert(*value);
            else
                all = false;
        }
        if (!all) axis.values.clear();
        constexpr double kDecades = 20.0; // a range this wide is read by its logarithm
        axis.is_log = axis.values.size() > 1 && *axis.values.begin() > 0.0 &&
                      *axis.values.rbegin() / *axis.values.begin() >= kDecades;
        if (axis.texts.size() > 1) axes.push_back(std::move(axis));
    }
    return axes;
}

/// Whether two axes go together, row by row: then one of them says it all.
bool go_together(const PlotAxis& a, const PlotAxis& b, const Table& table) {
    std::set<std::pair<std::string, std::string>> pairs;
    for (const std::vector<std::string>& row : table.rows)
        pairs.emplace(row[a.column], row[b.column]);
    return pairs.size() <= std::max(a.texts.size(), b.texts.size());
}

/// The axis whose few values are told apart by colour.
const PlotAxis* colour_axis(const std::vector<PlotAxis>& axes, const PlotAxis& x, const Table& table) {
    constexpr std::size_t kColoured = 8;
    for (const PlotAxis& axis : axes) {
        if (axis.pointer == x.pointer || axis.texts.size() > kColoured) continue;
        if (!go_together(x, axis, table)) return &axis;
    }
    return nullptr;
}

std::string figure_of(const Table& table, const PlotAxis& x, const PlotAxis* colour, const Measure& measure) {
    std::map<std::string, PlotSeries> series;
    const std::size_t y = table.column(measure.column);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const std::optional<double> at = table.number(r, x.column), value = table.number(r, y);
        if (!at || !value) continue;
        const std::string name = colour ? table.rows[r][colour->column] : "";
        series[name].name = name;
        series[name].points.push_back({*at, *value, concat("job ", table.rows[r][0], ": ", short_number(*value))});
    }
    std::vector<PlotSeries> ordered;
    for (auto& [unused, one] : series)
        ordered.push_back(std::move(one));
    const auto by_number = [](const PlotSeries& a, const PlotSeries& b) {
        double first = 0.0, second = 0.0;
        if (!read_number(a.name, first) || !read_number(b.name, second)) return a.name < b.name;
        return first < second;
    };
    std::sort(ordered.begin(), ordered.end(), by_number);
    bool one_each = true; // several jobs at one x are a cloud, not a line
    for (PlotSeries& one : ordered) {
        std::sort(one.points.begin(), one.points.end(),
                  [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
        for (std::size_t i = 1; i < one.points.size(); ++i)
            one_each = one_each && one.points[i].x > one.points[i - 1].x;
    }
    const bool is_drawn_by_hand =
        one_each && x.values.size() <= 60 && ordered.size() * x.values.size() <= 2 * table.rows.size();
    std::string key;
    if (colour) key = concat("<div class=\"key\"><code>", escaped(colour->pointer), "</code>");
    for (std::size_t s = 0; colour && s < ordered.size(); ++s)
        key += concat("<span><i style=\"background:", kColours[s % 8], "\"></i>", escaped(ordered[s].name), "</span> ");
    if (colour) key += "</div>";
    return concat("<figure>", svg(SvgPlot{x.pointer, measure.label, ordered, x.is_log, is_drawn_by_hand}), key,
                  "</figure>\n");
}

std::string heat_map_of(const Table& table, const PlotAxis& x, const PlotAxis& y, const Measure& measure) {
    SvgHeatMap map{x.pointer, y.pointer, measure.label, {}, {}, {}};
    for (const double value : x.values)
        map.x.push_back(short_number(value));
    for (const double value : y.values)
        map.y.push_back(short_number(value));
    map.values.assign(map.x.size() * map.y.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> sum(map.values.size()), count(map.values.size());
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto column =
            static_cast<std::size_t>(std::distance(x.values.begin(), x.values.find(*table.number(r, x.column))));
        const auto row =
            static_cast<std::size_t>(std::distance(y.values.begin(), y.values.find(*table.number(r, y.column))));
        sum[row * map.x.size() + column] += table.number(r, table.column(measure.column)).value_or(0.0);
        count[row * map.x.size() + column] += 1.0;
    }
    for (std::size_t i = 0; i < sum.size(); ++i)
        if (count[i] > 0.0) map.values[i] = sum[i] / count[i];
    return concat("<figure>", svg(map), "<div class=\"key\">colour: ", measure.label, "</div></figure>\n");
}

std::string plots_of(const SweepSpec& spec, const Table& table) {
    constexpr std::size_t kAxes = 3, kCells = 40;
    const std::vector<PlotAxis> axes = plot_axes(spec, table);
    std::vector<const PlotAxis*> numbers;
    for (const PlotAxis& axis : axes)
        if (axis.is_number() && numbers.size() < kAxes &&
            std::none_of(numbers.begin(), numbers.end(), [&](const PlotAxis* other) {
                return axis.texts.size() < table.rows.size() && go_together(*other, axis, table);
            }))
            numbers.push_back(&axis);
    std::string out;
    for (const PlotAxis* x : numbers)
        for (const Measure& measure : kMeasures)
            out += figure_of(table, *x, colour_axis(axes, *x, table), measure);
    for (std::size_t i = 1; i < numbers.size(); ++i)
        if (const PlotAxis &a = *numbers[0], &b = *numbers[i]; a.values.size() <= kCells && b.values.size() <= kCells &&
                                                               a.values.size() * b.values.size() <= table.rows.size())
            for (const Measure& measure : {kMeasures[0], kMeasures[2]})
                out += heat_map_of(table, a, b, measure);
    return out.empty() ? "" : concat("<h2>Measures</h2>\n<div class=\"plots\">\n", out, "</div>\n");
}

std::string base64(const std::string& bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k > bytes.size() ? '=' : kDigits[word >> (18 - 6 * k) & 63u];
    }
    return out;
}

std::string caption(const SweepSpec& spec, const SweepJob& job) {
    std::string text = concat("<b>job ", job.index, "</b>");
    const std::vector<std::string> columns = spec.columns();
    for (std::size_t c = columns.size() > 1 ? 1 : 0; c < columns.size(); ++c) {
        const std::string name = columns[c].substr(columns[c].rfind('/') + 1);
        const Json& value = job.values[c];
        text += concat("<br>", escaped(name), " ",
                       escaped(value.is_string()         ? value.get<std::string>()
                               : value.is_number_float() ? short_number(value.get<double>())
                                                         : value.dump()));
    }
    return text;
}

/// Pictures of jobs spread evenly over the sweep. None where nothing can be drawn: the page does without.
std::string pictures_of(const SweepSpec& spec, const SweepFolder& folder, const JobRows& rows,
                        const SweepRequest& request) {
    std::vector<std::int64_t> done;
    for (const JobRow& row : rows)
        if (row.status == JobStatus::done) done.push_back(row.job);
    const std::size_t count = std::min(done.size(), static_cast<std::size_t>(request.thumbnails));
    if (count == 0) return "";
    Result<ThumbnailStudio> studio = ThumbnailStudio::make(400, 300);
    if (!studio) {
        request.say(concat("no pictures in the index: ", studio.error().text()));
        return "";
    }
    std::string out;
    for (std::size_t i = 0; i < count && !request.stopped(); ++i) {
        const std::int64_t job = done[count > 1 ? i * (done.size() - 1) / (count - 1) : 0];
        const Result<std::string> png = studio->draw(spec, folder, job);
        if (png)
            out += concat("<figure><img loading=\"lazy\" alt=\"job ", job, "\" src=\"data:image/png;base64,",
                          base64(*png), "\"><figcaption>", caption(spec, spec.job(job)), "</figcaption></figure>\n");
        else
            request.say(concat("no picture of job ", job, ": ", png.error().text()));
    }
    const std::string title = count < done.size() ? concat(count, " of ", done.size(), " jobs, as they ended")
                                                  : std::string("The jobs as they ended");
    return concat("<h2>", title, "</h2>\n<div class=\"shots\">\n", out, "</div>\n");
}

std::string failures_of(const JobRows& rows) {
    constexpr int kMost = 200;
    std::string out;
    int count = 0;
    for (const JobRow& row : rows)
        if (row.status == JobStatus::failed && count++ < kMost)
            out += concat("<tr><td>", row.job, "</td><td class=\"why\">", escaped(csv_fields(row.manifest).back()),
                          "</td></tr>\n");
    if (out.empty()) return "";
    return concat("<h2>Failed</h2>\n<div class=\"wide\"><table><tr><th>job</th><th>why</th></tr>\n", out,
                  "</table></div>\n");
}

std::string axes_table(const SweepSpec& spec) {
    std::string out =
        "<h2>What varies</h2>\n<div class=\"wide\"><table><tr><th>value</th><th>how</th><th>values</th></tr>\n";
    const auto rows = [&](const std::vector<SweepAxis>& axes, const char* how) {
        for (const SweepAxis& axis : axes) {
            constexpr std::size_t kShown = 8;
            std::string values = axis.kind == SweepAxis::Kind::range
                                     ? concat("drawn from ", short_number(axis.from), " to ", short_number(axis.to),
                                              axis.is_log ? ", by its logarithm" : "")
                                     : std::string();
            for (std::size_t v = 0; v < std::min(kShown, axis.values.size()); ++v)
                values += concat(v ? ", " : "", axis.values[v].is_string() ? axis.values[v].get<std::string>()
                                                                           : axis.values[v].dump());
            if (axis.values.size() > kShown) values += concat(", ... (", axis.values.size(), " in all)");
            out += concat("<tr><td><code>", escaped(axis.pointer), "</code></td><td>", how, "</td><td>",
                          escaped(values), "</td></tr>\n");
        }
    };
    rows(spec.grid, "every combination");
    rows(spec.list, "row by row");
    rows(spec.random, "at random");
    return out + "</table></div>\n";
}

std::string cards_of(const SweepSpec& spec, const JobRows& rows) {
    std::int64_t done = 0, failed = 0;
    std::vector<double> seconds;
    for (const JobRow& row : rows) {
        done += row.status == JobStatus::done;
        failed += row.status == JobStatus::failed;
        const std::vector<std::string> timing = csv_fields(row.timing);
        constexpr std::size_t kProcessorTime = 4; // column of timings.csv
        double value = 0.0;
        if (timing.size() > kProcessorTime && read_number(timing[kProcessorTime], value) > 0) seconds.push_back(value);
    }
    double sum = 0.0;
    for (const double value : seconds)
        sum += value;
    const auto card = [](const std::string& value, const char* what, bool is_bad = false) {
        return concat("<div class=\"card", is_bad ? " bad" : "", "\"><b>", value, "</b><span>", what,
                      "</span></div>\n");
    };
    std::string out = card(concat(spec.job_count()), "jobs") + card(concat(done), "done");
    if (failed > 0) out += card(concat(failed), "failed", true);
    if (const std::int64_t left = spec.job_count() - done - failed; left > 0) out += card(concat(left), "left", true);
    if (!seconds.empty())
        out += card(short_number(sum / static_cast<double>(seconds.size())), "seconds of processor time per job");
    return concat("<div class=\"cards\">\n", out, "</div>\n");
}

} // namespace

Status write_index_page(const SweepSpec& spec, const SweepFolder& folder, const JobRows& rows,
                        const SweepRequest& request) {
    std::string colours;
    for (std::size_t i = 0; i < 8; ++i)
        colours += concat(".s", i, "{fill:", kColours[i], "}.line.s", i, "{fill:none;stroke:", kColours[i], "}");
    const std::string page = concat(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>",
        escaped(spec.name), "</title><style>", kStyle, colours, "</style></head><body><main>\n<h1>", escaped(spec.name),
        "</h1>\n<p class=\"sub\">", spec.scene.empty() ? "" : concat("Scene ", escaped(spec.scene), " &middot; "),
        "Selvage ", request.version, " &middot; the data are in <code>manifest.csv</code> and <code>jobs/</code></p>\n",
        cards_of(spec, rows), axes_table(spec), failures_of(rows), plots_of(spec, table_of(spec, rows)),
        pictures_of(spec, folder, rows, request), "</main></body></html>\n");
    if (request.stopped()) return Done{}; // half a page is no page
    return write_file(folder.index(), page);
}

} // namespace selvage
