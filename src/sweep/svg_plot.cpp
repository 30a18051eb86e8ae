#include "sweep/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/concat.h"
#include "base/numbers.h"

namespace selvage {

namespace {

constexpr double kWidth = 420, kHeight = 280, kPlotLeft = 62, kPlotRight = 14, kTop = 14, kBottom = 46; // [px]

/// One axis of a plot: numbers to pixels.
struct PlotScale {
    double low = 0.0, high = 1.0, from = 0.0, to = 1.0;
    bool is_log = false;

    double at(double value) const {
        const auto t = [&](double v) { return is_log ? std::log(v) : v; };
        return from + (to - from) * (t(value) - t(low)) / (t(high) - t(low));
    }
    /// Round numbers within, about five.
    std::vector<double> ticks() const {
        std::vector<double> found;
        if (is_log) {
            const bool is_wide = high > 30.0 * low; // then powers of ten are enough
            for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high * 1.001; decade *= 10.0)
                for (const double digit : {1.0, 2.0, 5.0})
                    if (decade * digit >= low * 0.999 && decade * digit <= high * 1.001 && (digit == 1.0 || !is_wide))
                        found.push_back(decade * digit);
            return found;
        }
        const double rough = (high - low) / 5.0, decade = std::pow(10.0, std::floor(std::log10(rough)));
        double step = decade;
        for (const double digit : {2.0, 5.0, 10.0})
            if (step < rough) step = decade * digit;
        for (double tick = std::ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step)
            found.push_back(std::abs(tick) < 1e-9 * step ? 0.0 : tick);
        return found;
    }
};

PlotScale scale_of(double low, double high, bool is_log, double from, double to) {
    if (!(high > low)) { // one value: in the middle
        const double half = low == 0.0 ? 1.0 : 0.1 * std::abs(low);
        low -= half, high += half;
    } else if (!is_log) {
        const double margin = 0.05 * (high - low);
        low -= margin, high += margin;
    }
    return {low, high, from, to, is_log && low > 0.0};
}

std::string px(double value) {
    std::string text;
    append_number(text, std::round(10.0 * value) / 10.0, 6);
    return text;
}

std::string axes(const PlotScale& x, const PlotScale& y, const std::string& x_label, const std::string& y_label) {
    std::string out;
    for (const double tick : y.ticks())
        out += concat("<path class=\"grid\" d=\"M", px(kPlotLeft), " ", px(y.at(tick)), "H", px(kWidth - kPlotRight),
                      "\"/><text class=\"tick\" text-anchor=\"end\" x=\"", px(kPlotLeft - 6), "\" y=\"",
                      px(y.at(tick) + 4), "\">", short_number(tick), "</text>");
    for (const double tick : x.ticks())
        out += concat("<path class=\"grid\" d=\"M", px(x.at(tick)), " ", px(kTop), "V", px(kHeight - kBottom),
                      "\"/><text class=\"tick\" text-anchor=\"middle\" x=\"", px(x.at(tick)), "\" y=\"",
                      px(kHeight - kBottom + 16), "\">", short_number(tick), "</text>");
    out += concat("<text class=\"label\" text-anchor=\"middle\" x=\"", px(0.5 * (kPlotLeft + kWidth - kPlotRight)),
                  "\" y=\"", px(kHeight - 8), "\">", escaped(x_label), "</text>");
    return out + concat("<text class=\"label\" text-anchor=\"middle\" transform=\"translate(13,",
                        px(0.5 * (kTop + kHeight - kBottom)), ") rotate(-90)\">", escaped(y_label), "</text>");
}

std::string drawn(const PlotSeries& series, std::size_t index, bool is_joined, const PlotScale& x, const PlotScale& y) {
    const std::string colour = concat("s", index % 8);
    std::string line, dots;
    for (const PlotPoint& p : series.points) {
        line += concat(line.empty() ? "M" : "L", px(x.at(p.x)), " ", px(y.at(p.y)));
        dots += concat("<circle class=\"dot ", colour, "\" cx=\"", px(x.at(p.x)), "\" cy=\"", px(y.at(p.y)),
                       "\" r=\"3\"><title>", escaped(p.title), "</title></circle>");
    }
    return (is_joined ? concat("<path class=\"line ", colour, "\" d=\"", line, "\"/>") : "") + dots;
}

/// Dark blue to yellow, evenly in brightness.
std::string heat_colour(double t) {
    constexpr double kStops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    const double scaled = std::clamp(t, 0.0, 1.0) * 4.0;
    const auto i = static_cast<std::size_t>(std::min(3.0, std::floor(scaled)));
    std::string colour = "rgb(";
    for (std::size_t c = 0; c < 3; ++c)
        colour += concat(c ? "," : "", std::lround(kStops[i][c] + (scaled - static_cast<double>(i)) *
                                                                      (kStops[i + 1][c] - kStops[i][c])));
    return colour + ")";
}

} // namespace

std::string short_number(double value) {
    std::string text;
    append_number(text, value, 4);
    return text;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text)
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    return out;
}

std::string svg(const SvgPlot& plot) {
    constexpr double kMost = std::numeric_limits<double>::max();
    double x_low = kMost, x_high = -kMost, y_low = kMost, y_high = -kMost;
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& p : series.points) {
            x_low = std::min(x_low, p.x), x_high = std::max(x_high, p.x);
            y_low = std::min(y_low, p.y), y_high = std::max(y_high, p.y);
        }
    const PlotScale x = scale_of(x_low, x_high, plot.is_log, kPlotLeft + 8, kWidth - kPlotRight - 8);
    const PlotScale y = scale_of(y_low, y_high, false, kHeight - kBottom, kTop);
    std::string out = concat("<svg viewBox=\"0 0 ", kWidth, " ", kHeight, "\" role=\"img\">");
    out += axes(x, y, plot.x_label, plot.y_label);
    for (std::size_t s = 0; s < plot.series.size(); ++s)
        out += drawn(plot.series[s], s, plot.is_joined, x, y);
    return out + "</svg>";
}

std::string svg(const SvgHeatMap& map) {
    double low = std::numeric_limits<double>::max(), high = -low;
    for (const double value : map.values)
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    const double cell_width = (kWidth - kPlotLeft - kPlotRight - 60) / static_cast<double>(map.x.size());
    const double cell_height = (kHeight - kTop - kBottom) / static_cast<double>(map.y.size());
    std::string out = concat("<svg viewBox=\"0 0 ", kWidth, " ", kHeight, "\" role=\"img\">");
    for (std::size_t i = 0; i < map.values.size(); ++i) {
        const double column = static_cast<double>(i % map.x.size()), row = static_cast<double>(i / map.x.size());
        if (!std::isfinite(map.values[i])) continue;
        out += concat("<rect x=\"", px(kPlotLeft + column * cell_width), "\" y=\"",
                      px(kHeight - kBottom - (row + 1) * cell_height), "\" width=\"", px(cell_width + 0.3),
                      "\" height=\"", px(cell_height + 0.3), "\" fill=\"",
                      heat_colour(high > low ? (map.values[i] - low) / (high - low) : 0.5), "\"><title>",
                      escaped(concat(map.value_label, " ", short_number(map.values[i]), " at ", map.x[i % map.x.size()],
                                     ", ", map.y[i / map.x.size()])),
                      "</title></rect>");
    }
    const std::size_t every_x = (map.x.size() + 5) / 6, every_y = (map.y.size() + 6) / 7;
    for (std::size_t i = 0; i < map.x.size(); i += every_x)
        out += concat("<text class=\"tick\" text-anchor=\"middle\" x=\"",
                      px(kPlotLeft + (static_cast<double>(i) + 0.5) * cell_width), "\" y=\"",
                      px(kHeight - kBottom + 16), "\">", escaped(map.x[i]), "</text>");
    for (std::size_t i = 0; i < map.y.size(); i += every_y)
        out += concat("<text class=\"tick\" text-anchor=\"end\" x=\"", px(kPlotLeft - 6), "\" y=\"",
                      px(kHeight - kBottom - (static_cast<double>(i) + 0.5) * cell_height + 4), "\">",
                      escaped(map.y[i]), "</text>");
    constexpr int kSteps = 24; // of the key
    const double key = (kHeight - kTop - kBottom) / kSteps;
    for (int i = 0; i < kSteps; ++i)
        out +=
            concat("<rect x=\"", px(kWidth - kPlotRight - 46), "\" y=\"", px(kHeight - kBottom - (i + 1) * key),
                   "\" width=\"10\" height=\"", px(key + 0.3), "\" fill=\"", heat_colour((i + 0.5) / kSteps), "\"/>");
    out += concat("<text class=\"tick\" x=\"", px(kWidth - kPlotRight - 32), "\" y=\"", px(kHeight - kBottom), "\">",
                  short_number(low), "</text><text class=\"tick\" x=\"", px(kWidth - kPlotRight - 32), "\" y=\"",
                  px(kTop + 10), "\">", short_number(high), "</text>");
    out += concat("<text class=\"label\" text-anchor=\"middle\" x=\"", px(0.5 * (kPlotLeft + kWidth - kPlotRight - 60)),
                  "\" y=\"", px(kHeight - 8), "\">", escaped(map.x_label), "</text>");
    return out + concat("<text class=\"label\" text-anchor=\"middle\" transform=\"translate(13,",
                        px(0.5 * (kTop + kHeight - kBottom)), ") rotate(-90)\">", escaped(map.y_label),
                        "</text></svg>");
}

} // namespace selvage
