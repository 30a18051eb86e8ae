#pragma once

#include <string>
#include <vector>

namespace selvage {

struct PlotPoint {
    double x, y;
    std::string title; ///< Shown when the pointer rests on it.
};

/// Points of one colour.
struct PlotSeries {
    std::string name;
    std::vector<PlotPoint> points;
};

struct SvgPlot {
    std::string x_label, y_label;
    std::vector<PlotSeries> series;
    bool is_log = false;    ///< Of x.
    bool is_joined = false; ///< Lines from point to point.
};

/// A table of colours: a value for each pair of two axes.
struct SvgHeatMap {
    std::string x_label, y_label, value_label;
    std::vector<std::string> x, y;
    std::vector<double> values; ///< Row by row from the first y; NaN where there is none.
};

/// SVG elements for a page; colours are the page's (classes s0 to s7).
std::string svg(const SvgPlot& plot);
std::string svg(const SvgHeatMap& map);

/// Three or four digits, for people.
std::string short_number(double value);
/// For use in HTML text and attributes.
std::string escaped(const std::string& text);

} // namespace selvage
