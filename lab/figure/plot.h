#pragma once

#include <string>
#include <vector>

#include "lab/figure/canvas.h"

namespace selvage {

struct Series {
    std::string name;
    std::vector<double> x, y;
    bool line = true;
    bool markers = true;
};

struct Plot {
    std::string title, x_label, y_label;
    bool log_x = false, log_y = false;
    std::vector<Series> series;
    int width = 900, height = 560;
};

/// Axes chosen from the data; points that a logarithm cannot show are left out.
Canvas draw_plot(const Plot& plot);

} // namespace selvage
