#include "garment/cut_panel.h"

#include <algorithm>

namespace selvage {

namespace {

constexpr double kShortestRest = 2e-6; // [m]; of an edge after its last pleat, which rounding may leave
constexpr double kNarrowest = 0.35;    // of the wanted edge: meshes do not follow a panel into every corner

void measure_arc(CutPiece& piece) {
    piece.arc.assign(1, 0.0);
    for (std::size_t i = 1; i < piece.points.size(); ++i)
        piece.arc.push_back(piece.arc.back() + length(piece.points[i] - piece.points[i - 1]));
}

/// Linear between the values at the two points around s.
template <class T, class Mix>
T value_at(const CutPiece& piece, const std::vector<T>& values, double s, const Mix& between) {
    const auto after = std::upper_bound(piece.arc.begin(), piece.arc.end(), s);
    if (after == piece.arc.begin()) return values.front();
    if (after == piece.arc.end()) return values.back();
    const std::size_t i = static_cast<std::size_t>(after - piece.arc.begin());
    const double span = piece.arc[i] - piece.arc[i - 1];
    return between(values[i - 1], values[i], span > 0.0 ? (s - piece.arc[i - 1]) / span : 0.0);
}

/// Part of a piece between two lengths.
CutPiece part_of(const CutPiece& whole, double from, double to) {
    CutPiece part{whole.loop, whole.edge, {whole.point_at(from)}, {}, {}};
    for (std::size_t i = 0; i < whole.points.size(); ++i)
        if (whole.arc[i] > from + 1e-9 && whole.arc[i] < to - 1e-9) part.points.push_back(whole.points[i]);
    part.points.push_back(whole.point_at(to));
    measure_arc(part);
    return part;
}

CutPiece straight_piece(const Vec2& a, const Vec2& b) {
    CutPiece piece{0, -1, {a, b}, {}, {}};
    measure_arc(piece);
    return piece;
}

/// An edge that creases run to is cut where they end.
void add_crease_ends(const PatternPanel& panel, const CutPiece& whole, CutPanel& cut) {
    std::vector<double> ends{0.0};
    for (const PatternCrease& crease :
         creases_of(panel)) // backwards along this edge: the outline turns round in between
        ends.insert(ends.begin() + 1, (1.0 - crease.at) * whole.length());
    ends.push_back(whole.length());
    for (std::size_t k = 1; k < ends.size(); ++k)
        cut.pieces.push_back(part_of(whole, ends[k - 1], ends[k]));
}

/// A laid pleat, whose fold lies under what is beside it. `at` is where the pieces so far end, and end then.
void add_laid_pleat(const CutPiece& whole, const PatternDart& pleat, double& at, CutPanel& cut) {
    const double middle = pleat.at * whole.length(), fold = 0.5 * pleat.width;
    const double from = middle - fold, to = middle + fold;
    const auto add = [&](double a, double b, int edge) {
        cut.pieces.push_back(part_of(whole, a, b));
        cut.pieces.back().edge = edge;
        return static_cast<int>(cut.pieces.size()) - 1;
    };
    constexpr double kNothing = 2e-6; // [m]; what folds side by side leave between them by rounding
    const double before = pleat.under_end ? from : from - fold;
    if (before - at > kNothing) add(at, before, whole.edge);
    CutPleat laid;
    laid.under_end = pleat.under_end;
    if (!pleat.under_end) laid.over = add(before, from, whole.edge);
    laid.first = add(from, middle, -1);
    laid.second = add(middle, to, -1);
    if (pleat.under_end) laid.over = add(to, std::min(to + fold, whole.length()), whole.edge);
    cut.pleats.push_back(laid);
    at = pleat.under_end ? to + fold : to;
}

/// One edge of the outline, with its darts and pleats.
void add_edge(const PatternPanel& panel, int edge, CutPanel& cut) {
    CutPiece whole{0, edge, edge_points(panel.outline, edge), {}, {}};
    if (edge + 1 == static_cast<int>(panel.outline.edges.size())) whole.points.back() = panel.outline.start;
    measure_arc(whole);
    std::vector<PatternDart> darts;
    for (const PatternDart& dart : panel.darts)
        if (dart.edge == panel.outline.edges[edge].name) darts.push_back(dart);
    std::sort(darts.begin(), darts.end(), [](const PatternDart& a, const PatternDart& b) { return a.at < b.at; });
    if (is_creased_to(panel, panel.outline.edges[edge].name)) return add_crease_ends(panel, whole, cut);
    double at = 0.0;
    for (const PatternDart& dart : darts) {
        if (dart.is_laid()) {
            add_laid_pleat(whole, dart, at, cut);
            continue;
        }
        const double middle = dart.at * whole.length(), from = middle - 0.5 * dart.width,
                     to = middle + 0.5 * dart.width;
        cut.pieces.push_back(part_of(whole, at, from));
        cut.darts.push_back({static_cast<int>(cut.pieces.size()), static_cast<int>(cut.pieces.size()) + 1});
        const Vec2 a = whole.point_at(from), b = whole.point_at(to);
        if (dart.depth > 0.0) {
            const Vec2 along = (1.0 / std::max(length(b - a), 1e-12)) * (b - a);
            const Vec2 tip = mix(a, b, 0.5) + dart.depth * Vec2{-along.y, along.x}; // the panel is at the left
            cut.pieces.push_back(straight_piece(a, tip));
            cut.pieces.push_back(straight_piece(tip, b));
        } else {
            for (CutPiece half : {part_of(whole, from, middle), part_of(whole, middle, to)}) {
                half.edge = -1;
                cut.pieces.push_back(std::move(half));
            }
        }
        at = to;
    }
    if (darts.empty())
        cut.pieces.push_back(whole);
    else if (whole.length() - at > kShortestRest)
        cut.pieces.push_back(part_of(whole, at, whole.length()));
}

/// Every crease from its start on the pleats' edge to its end on the other one.
void join_creases(const PatternPanel& panel, CutPanel& cut) {
    if (cut.pleats.empty()) return;
    std::vector<int> tops;
    for (const CutPleat& pleat : cut.pleats) {
        if (!pleat.under_end) tops.push_back(pleat.first);
        tops.push_back(pleat.second);
        if (pleat.under_end) tops.push_back(pleat.over);
    }
    int to = 0;
    while (!is_creased_to(panel, panel.outline.edges[to].name))
        ++to;
    const std::vector<int> bottoms = cut.pieces_of(to); // the first starts where the edge does
    for (std::size_t k = 0; k < tops.size(); ++k)
        cut.creases.push_back({tops[k], bottoms[bottoms.size() - 1 - k]});
}

/// No point of a piece is farther from the next than this.
void densify(CutPiece& piece, double most) {
    std::vector<Vec2> dense{piece.points.front()};
    for (std::size_t i = 1; i < piece.points.size(); ++i) {
        const Vec2 &a = piece.points[i - 1], &b = piece.points[i];
        const int count = std::max(1, static_cast<int>(std::ceil(length(b - a) / most)));
        for (int k = 1; k < count; ++k)
            dense.push_back(mix(a, b, static_cast<double>(k) / count));
        dense.push_back(b);
    }
    piece.points = std::move(dense);
    measure_arc(piece);
}

/// Where the other side of the panel is nearer than an edge, edges are to be as short as that.
void find_widths(CutPanel& cut, double edge) {
    struct Sample {
        Vec2 at;
        double arc; // along its loop
        int loop;
    };
    std::vector<Sample> samples;
    std::vector<double> around;
    for (const CutPiece& piece : cut.pieces) {
        if (piece.loop >= static_cast<int>(around.size())) around.push_back(0.0);
        for (std::size_t i = 0; i + 1 < piece.points.size(); ++i)
            samples.push_back({piece.points[i], around[piece.loop] + piece.arc[i], piece.loop});
        around[piece.loop] += piece.length();
    }
    std::vector<double> start(around.size(), 0.0);
    for (CutPiece& piece : cut.pieces) {
        piece.size.clear();
        for (std::size_t i = 0; i < piece.points.size(); ++i) {
            double size = edge;
            for (const Sample& other : samples) {
                const double distance = length(other.at - piece.points[i]);
                if (distance >= size) continue;
                if (other.loop == piece.loop) {
                    const double along = std::abs(other.arc - start[piece.loop] - piece.arc[i]);
                    // Neighbours, round a corner of 40 degrees at the sharpest, are not the other side.
                    if (std::min(along, around[piece.loop] - along) < 3.0 * distance + 1e-9) continue;
                }
                size = distance;
            }
            piece.size.push_back(std::max(size, kNarrowest * edge));
        }
        start[piece.loop] += piece.length();
    }
}

} // namespace

Vec2 CutPiece::point_at(double s) const {
    return value_at(*this, points, s, [](const Vec2& a, const Vec2& b, double t) { return mix(a, b, t); });
}

double CutPiece::size_at(double s) const {
    return value_at(*this, size, s, [](double a, double b, double t) { return a + t * (b - a); });
}

std::vector<int> CutPanel::pieces_of(int edge) const {
    std::vector<int> found;
    for (std::size_t p = 0; p < pieces.size(); ++p)
        if (pieces[p].loop == 0 && pieces[p].edge == edge) found.push_back(static_cast<int>(p));
    return found;
}

double panel_edge(const PatternPanel& panel, double edge) {
    constexpr double kOfFold = 0.65; // the layers of coarser ones are through each other where they start
    double most = edge;
    for (const PatternDart& pleat : panel.darts)
        if (pleat.is_laid()) most = std::min(most, kOfFold * 0.5 * pleat.width);
    return std::max(most, kNarrowest * edge);
}

CutPanel cut_panel(const PatternPanel& panel, double wanted) {
    const double edge = panel_edge(panel, wanted);
    CutPanel cut;
    for (int e = 0; e < static_cast<int>(panel.outline.edges.size()); ++e)
        add_edge(panel, e, cut);
    for (std::size_t h = 0; h < panel.holes.size(); ++h)
        for (int e = 0; e < static_cast<int>(panel.holes[h].edges.size()); ++e) {
            CutPiece piece{static_cast<int>(h) + 1, e, edge_points(panel.holes[h], e), {}, {}};
            if (e + 1 == static_cast<int>(panel.holes[h].edges.size())) piece.points.back() = panel.holes[h].start;
            cut.pieces.push_back(std::move(piece));
        }
    join_creases(panel, cut);
    for (CutPiece& piece : cut.pieces)
        densify(piece, 0.5 * edge);
    find_widths(cut, edge);
    return cut;
}

} // namespace selvage
