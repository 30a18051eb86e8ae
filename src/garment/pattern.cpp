#include "garment/pattern.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

constexpr int kCurvePoints = 48; // chords per curve: a quarter circle of 1 m is then too short by 0.05 mm

Vec2 bezier_point(const Vec2& a, const PatternEdge& edge, double t) {
    const Vec2 p = mix(a, edge.control[0], t), q = mix(edge.control[0], edge.control[1], t),
               r = mix(edge.control[1], edge.to, t);
    return mix(mix(p, q, t), mix(q, r, t), t);
}

void reverse_outline(PatternOutline& outline) {
    std::vector<PatternEdge> reversed;
    Vec2 from = outline.start;
    for (const PatternEdge& edge : outline.edges) {
        PatternEdge back = edge;
        back.to = from;
        std::swap(back.control[0], back.control[1]);
        reversed.insert(reversed.begin(), back);
        from = edge.to;
    }
    outline.start = from;
    outline.edges = std::move(reversed);
}

} // namespace

const PatternPanel* Pattern::find_panel(const std::string& panel) const {
    const auto found =
        std::find_if(panels.begin(), panels.end(), [&](const PatternPanel& p) { return p.name == panel; });
    return found == panels.end() ? nullptr : &*found;
}

std::vector<PatternCrease> creases_of(const PatternPanel& panel) {
    std::vector<PatternCrease> creases;
    for (const PatternDart& pleat : panel.darts) {
        if (!pleat.is_laid()) continue;
        double whole = 0.0;
        for (int e = 0; e < static_cast<int>(panel.outline.edges.size()); ++e)
            if (panel.outline.edges[e].name == pleat.edge) whole = edge_length(panel.outline, e);
        const double half = 0.5 * pleat.width / whole;
        creases.push_back({pleat.under_end ? pleat.at + half : pleat.at - half, true});
        creases.push_back({pleat.at, false});
    }
    std::sort(creases.begin(), creases.end(),
              [](const PatternCrease& a, const PatternCrease& b) { return a.at < b.at; });
    return creases;
}

bool is_creased_to(const PatternPanel& panel, const std::string& edge) {
    return std::any_of(panel.darts.begin(), panel.darts.end(),
                       [&](const PatternDart& pleat) { return pleat.is_laid() && pleat.to == edge; });
}

std::vector<Vec2> edge_points(const PatternOutline& outline, int edge) {
    const Vec2 from = edge == 0 ? outline.start : outline.edges[edge - 1].to;
    const PatternEdge& e = outline.edges[edge];
    if (!e.curved) return {from, e.to};
    std::vector<Vec2> points{from};
    for (int k = 1; k < kCurvePoints; ++k)
        points.push_back(bezier_point(from, e, static_cast<double>(k) / kCurvePoints));
    points.push_back(e.to);
    return points;
}

double edge_length(const PatternOutline& outline, int edge) {
    const std::vector<Vec2> points = edge_points(outline, edge);
    double sum = 0.0;
    for (std::size_t i = 1; i < points.size(); ++i)
        sum += length(points[i] - points[i - 1]);
    return sum;
}

double outline_length(const PatternOutline& outline) {
    double sum = 0.0;
    for (int e = 0; e < static_cast<int>(outline.edges.size()); ++e)
        sum += edge_length(outline, e);
    return sum;
}

double signed_area(const PatternOutline& outline) {
    double doubled = 0.0;
    Vec2 a = outline.start;
    for (const PatternEdge& e : outline.edges) {
        if (e.curved) // the integral of x dy - y dx over the Bernstein polynomials
            doubled += (6.0 * cross(a, e.control[0]) + 3.0 * cross(a, e.control[1]) + cross(a, e.to) +
                        3.0 * cross(e.control[0], e.control[1]) + 3.0 * cross(e.control[0], e.to) +
                        6.0 * cross(e.control[1], e.to)) /
                       10.0;
        else
            doubled += cross(a, e.to);
        a = e.to;
    }
    return 0.5 * doubled;
}

double panel_area(const PatternPanel& panel) {
    double area = std::abs(signed_area(panel.outline));
    for (const PatternOutline& hole : panel.holes)
        area -= std::abs(signed_area(hole));
    for (const PatternDart& dart : panel.darts)
        area -= 0.5 * dart.width * dart.depth;
    return area;
}

void orient_outlines(Pattern& pattern) {
    for (PatternPanel& panel : pattern.panels) {
        if (signed_area(panel.outline) < 0.0) {
            reverse_outline(panel.outline);
            for (PatternDart& dart : panel.darts) {
                dart.at = 1.0 - dart.at;
                if (dart.is_laid()) dart.under_end = !dart.under_end;
            }
        }
        for (PatternOutline& hole : panel.holes)
            if (signed_area(hole) > 0.0) reverse_outline(hole);
    }
}

} // namespace selvage
