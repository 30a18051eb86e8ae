#include "lab/figure/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace selvage {

namespace {

struct Axis {
    bool logarithmic;
    double low, high; // in plotted units: log10 where logarithmic
    std::vector<double> ticks;
    double from, to; // pixels

    double shown(double value) const { return logarithmic ? std::log10(value) : value; }
    bool can_show(double value) const { return std::isfinite(value) && (!logarithmic || value > 0.0); }
    double pixel(double value) const { return from + (shown(value) - low) / (high - low) * (to - from); }
};

std::string tick_label(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

Axis make_axis(const Plot& plot, bool vertical, double from, double to) {
    Axis axis{vertical ? plot.log_y : plot.log_x, 1e300, -1e300, {}, from, to};
    for (const Series& s : plot.series)
        for (const double value : vertical ? s.y : s.x) {
            if (!axis.can_show(value)) continue;
            axis.low = std::min(axis.low, axis.shown(value));
            axis.high = std::max(axis.high, axis.shown(value));
        }
    if (axis.low > axis.high) axis.low = 0.0, axis.high = 1.0; // nothing to show
    if (axis.logarithmic) {
        axis.low = std::floor(axis.low + 1e-9);
        axis.high = std::max(axis.low + 1.0, std::ceil(axis.high - 1e-9));
        const int decades = static_cast<int>(std::lround(axis.high - axis.low));
        for (int d = 0; d <= decades; ++d)
            axis.ticks.push_back(std::pow(10.0, axis.low + d));
        return axis;
    }
    const double span = axis.high > axis.low ? axis.high - axis.low : std::max(1e-12, std::abs(axis.high));
    const double raw = span / 6.0, power = std::pow(10.0, std::floor(std::log10(raw)));
    double spacing = 10.0 * power; // the first of 1, 2, 5, 10 that leaves at most about seven ticks
    for (const double nice : {1.0, 2.0, 5.0})
        if (nice * power >= raw) {
            spacing = nice * power;
            break;
        }
    axis.low = spacing * std::floor(axis.low / spacing + 1e-9);
    axis.high = std::max(axis.low + spacing, spacing * std::ceil(axis.high / spacing - 1e-9));
    const int intervals = static_cast<int>(std::lround((axis.high - axis.low) / spacing));
    for (int i = 0; i <= intervals; ++i) {
        const double tick = axis.low + i * spacing;
        axis.ticks.push_back(std::abs(tick) < 1e-9 * spacing ? 0.0 : tick);
    }
    return axis;
}

} // namespace

Canvas draw_plot(const Plot& plot) {
    Canvas canvas(plot.width, plot.height);
    const double left = 96, right = plot.width - 24.0, top = 48, bottom = plot.height - 64.0;
    const Axis x = make_axis(plot, false, left, right), y = make_axis(plot, true, bottom, top);
    canvas.draw_text(left, 16, plot.title, kBlack, 1.8);
    for (const double tick : x.ticks) {
        const double px = x.pixel(tick);
        canvas.draw_line(px, top, px, bottom, 1.0, kPale);
        const std::string label = tick_label(tick);
        canvas.draw_text(px - 0.5 * Canvas::text_width(label), bottom + 10, label, kBlack);
    }
    for (const double tick : y.ticks) {
        const double py = y.pixel(tick);
        canvas.draw_line(left, py, right, py, 1.0, kPale);
        const std::string label = tick_label(tick);
        canvas.draw_text(left - 10 - Canvas::text_width(label), py - 6, label, kBlack);
    }
    canvas.draw_line(left, top, left, bottom, 1.5, kBlack);
    canvas.draw_line(left, bottom, right, bottom, 1.5, kBlack);
    canvas.draw_text(0.5 * (left + right) - 0.5 * Canvas::text_width(plot.x_label), plot.height - 26.0, plot.x_label,
                     kBlack);
    canvas.draw_text(8, 18, plot.y_label, kBlack);

    for (std::size_t s = 0; s < plot.series.size(); ++s) {
        const Series& series = plot.series[s];
        const Colour colour = series_colour(static_cast<int>(s));
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            if (!x.can_show(series.x[i]) || !y.can_show(series.y[i])) continue;
            const double px = x.pixel(series.x[i]), py = y.pixel(series.y[i]);
            if (series.markers) canvas.draw_disc(px, py, 3.5, colour);
            if (series.line && i > 0 && x.can_show(series.x[i - 1]) && y.can_show(series.y[i - 1]))
                canvas.draw_line(x.pixel(series.x[i - 1]), y.pixel(series.y[i - 1]), px, py, 2.0, colour);
        }
    }
    // The legend goes into the corner that hides the fewest points.
    double widest = 0.0;
    for (const Series& series : plot.series)
        widest = std::max(widest, Canvas::text_width(series.name));
    const double box_width = widest + 52, box_height = 18.0 * static_cast<double>(plot.series.size()) + 6;
    double legend_x = 0.0, legend_y = 0.0;
    int fewest = std::numeric_limits<int>::max();
    for (const double corner_y : {top + 8, bottom - box_height - 6})
        for (const double corner_x : {right - box_width, left + 14}) {
            int hidden = 0;
            for (const Series& series : plot.series)
                for (std::size_t i = 0; i < series.x.size(); ++i) {
                    if (!x.can_show(series.x[i]) || !y.can_show(series.y[i])) continue;
                    const double px = x.pixel(series.x[i]), py = y.pixel(series.y[i]);
                    hidden += px > corner_x - 12 && px < corner_x + box_width && py > corner_y - 10 &&
                              py < corner_y + box_height;
                }
            if (hidden < fewest) fewest = hidden, legend_x = corner_x, legend_y = corner_y;
        }
    canvas.fill_rectangle(legend_x - 8, legend_y - 6, legend_x + box_width - 6, legend_y + box_height - 6, kWhite);
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
        const double row = legend_y + 18.0 * static_cast<double>(s);
        const Colour colour = series_colour(static_cast<int>(s));
        if (plot.series[s].line) canvas.draw_line(legend_x, row + 5, legend_x + 28, row + 5, 2.0, colour);
        if (plot.series[s].markers) canvas.draw_disc(legend_x + 14, row + 5, 3.5, colour);
        canvas.draw_text(legend_x + 36, row, plot.series[s].name, kBlack);
    }
    return canvas;
}

} // namespace selvage
