#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/concat.h"
#include "base/suggest.h"
#include "garment/pattern.h"

namespace selvage {

namespace {

constexpr double kClosed = 1e-6;        // [m]; an outline's ends may be apart by what rounding in a file leaves
constexpr double kShortestEdge = 1e-4;  // [m]
constexpr double kLargestPanel = 100.0; // [m]; beyond it a pattern is in another unit
constexpr double kMostTurn = 36000.0;   // [deg]
constexpr double kMostEase = 10.0;

std::string brief_length(double metres) {
    return concat(std::round(1e5 * metres) / 100.0, " mm");
}

std::string at_point(const Vec2& p) {
    return concat("(", std::round(1e5 * p.x) / 1e5, ", ", std::round(1e5 * p.y) / 1e5, ")");
}

Status check_range(const std::string& what, double value, double least, double most) {
    if (value >= least && value <= most) return Done{};
    return Error{concat(what, " is ", value, "; expected ", least, " to ", most)};
}

Status check_outline(const PatternOutline& outline, const std::string& where) {
    if (outline.edges.empty()) return Error{concat(where, " has no edges; expected at least 2")};
    std::set<std::string> names;
    Vec2 from = outline.start;
    for (const PatternEdge& e : outline.edges) {
        for (const Vec2& p : {from, e.to, e.control[0], e.control[1]})
            if (!is_finite(p) || std::abs(p.x) > kLargestPanel || std::abs(p.y) > kLargestPanel)
                return Error{concat(where, ", edge \"", e.name, "\": has a point beyond ", kLargestPanel,
                                    " m; expected metres")};
        if (e.name.empty()) return Error{concat(where, " has an edge without a name")};
        if (!names.insert(e.name).second) return Error{concat(where, " has two edges named \"", e.name, "\"")};
        from = e.to;
    }
    if (const double gap = length(from - outline.start); gap > kClosed)
        return Error{concat(where, " is open: it ends at ", at_point(from), ", ", brief_length(gap),
                            " from its start at ", at_point(outline.start))};
    for (int e = 0; e < static_cast<int>(outline.edges.size()); ++e)
        if (const double l = edge_length(outline, e); l < kShortestEdge)
            return Error{concat(where, ", edge \"", outline.edges[e].name, "\" is ", brief_length(l),
                                " long; expected at least ", brief_length(kShortestEdge))};
    return Done{};
}

struct OutlinePiece {
    Vec2 a, b;
    int loop, edge, index; // `index` counts along the loop
};

/// The first place where the panel's lines meet that should not.
Status check_crossings(const PatternPanel& panel, const std::string& where) {
    std::vector<OutlinePiece> pieces;
    std::vector<int> count;
    const auto add_loop = [&](const PatternOutline& outline, int loop) {
        int index = 0;
        for (int e = 0; e < static_cast<int>(outline.edges.size()); ++e) {
            std::vector<Vec2> points = edge_points(outline, e);
            if (e + 1 == static_cast<int>(outline.edges.size())) points.back() = outline.start;
            for (std::size_t i = 1; i < points.size(); ++i)
                pieces.push_back({points[i - 1], points[i], loop, e, index++});
        }
        count.push_back(index);
    };
    add_loop(panel.outline, 0);
    for (std::size_t h = 0; h < panel.holes.size(); ++h)
        add_loop(panel.holes[h], static_cast<int>(h) + 1);
    const auto name_of = [&](const OutlinePiece& p) {
        return p.loop == 0 ? concat("edge \"", panel.outline.edges[p.edge].name, "\"")
                           : concat("hole ", p.loop - 1, " edge \"", panel.holes[p.loop - 1].edges[p.edge].name, "\"");
    };
    for (std::size_t i = 0; i < pieces.size(); ++i)
        for (std::size_t j = i + 1; j < pieces.size(); ++j) {
            const OutlinePiece &p = pieces[i], &q = pieces[j];
            const int n = count[p.loop];
            const bool follows = p.loop == q.loop && q.index == p.index + 1;
            const bool wraps = p.loop == q.loop && p.index == 0 && q.index == n - 1;
            if (follows || wraps) { // they share a point; more than that only when one turns straight back
                const Vec2 &far_p = follows ? p.a : p.b, &far_q = follows ? q.b : q.a, &joint = follows ? p.b : p.a;
                if (turn(far_p, joint, far_q) != 0 || dot(far_p - joint, far_q - joint) < 0.0) continue;
            } else if (!segments_meet(p.a, p.b, q.a, q.b)) {
                continue;
            }
            return Error{concat(where, " crosses or touches itself near ", at_point(mix(p.a, p.b, 0.5)), ": ",
                                name_of(p), p.edge == q.edge && p.loop == q.loop ? "" : concat(" and ", name_of(q)))};
        }
    return Done{};
}

int find_edge_index(const PatternPanel& panel, const std::string& edge) {
    for (std::size_t e = 0; e < panel.outline.edges.size(); ++e)
        if (panel.outline.edges[e].name == edge) return static_cast<int>(e);
    return -1;
}

std::string edge_list(const PatternPanel& panel) {
    std::vector<std::string> names;
    for (const PatternEdge& e : panel.outline.edges)
        names.push_back(e.name);
    return join(names);
}

/// What the fold of a laid pleat is stitched to must be there, and its creases must not meet.
Status check_laid_pleats(const PatternPanel& panel, const std::string& where) {
    const PatternDart* first = nullptr;
    for (std::size_t d = 0; d < panel.darts.size(); ++d) {
        const PatternDart& pleat = panel.darts[d];
        if (!pleat.is_laid()) continue;
        const std::string name = concat(where, ", pleat ", d, " of edge \"", pleat.edge, "\"");
        const int edge = find_edge_index(panel, pleat.edge), to = find_edge_index(panel, pleat.to);
        if (to < 0 || to == edge)
            return Error{
                concat(name, ": runs to \"", pleat.to, "\"; expected another edge, one of: ", edge_list(panel))};
        if (pleat.depth > 0.0) return Error{concat(name, ": is a dart; expected a pleat where it runs to an edge")};
        if (!panel.holes.empty()) return Error{concat(name, ": is laid; expected a panel without holes")};
        if (panel.outline.edges[edge].curved || panel.outline.edges[to].curved)
            return Error{concat(name, ": runs from or to a curve; expected straight edges")};
        if (std::any_of(panel.darts.begin(), panel.darts.end(),
                        [&](const PatternDart& dart) { return dart.edge == pleat.to; }))
            return Error{concat(name, ": runs to \"", pleat.to, "\", which has darts or pleats; expected none there")};
        if (!first) first = &pleat;
        if (pleat.edge != first->edge || pleat.to != first->to)
            return Error{concat(name, ": other laid pleats of the panel run from \"", first->edge, "\" to \"",
                                first->to, "\"; expected all of a panel to run alike")};
        const double l = edge_length(panel.outline, edge), fold = 0.5 * pleat.width;
        double low = 0.0, high = l;
        for (const PatternDart& other : panel.darts) {
            if (&other == &pleat || other.edge != pleat.edge) continue;
            const double middle = other.at * l, half = 0.5 * other.width;
            if (other.at < pleat.at) low = std::max(low, middle + half);
            if (other.at > pleat.at) high = std::min(high, middle - half);
        }
        const double room = pleat.under_end ? high - (pleat.at * l + fold) : pleat.at * l - fold - low;
        if (fold > room + kClosed)
            return Error{concat(name, ": goes under by ", brief_length(fold), " where ", brief_length(room),
                                " of the edge are beside it; expected room for the whole fold")};
    }
    return Done{};
}

Status check_darts(const PatternPanel& panel, const std::string& where) {
    std::map<std::string, std::vector<std::pair<double, double>>> taken;
    for (std::size_t d = 0; d < panel.darts.size(); ++d) {
        const PatternDart& dart = panel.darts[d];
        const std::string name = concat(where, ", dart ", d, " of edge \"", dart.edge, "\"");
        const int edge = find_edge_index(panel, dart.edge);
        if (edge < 0) return Error{concat(name, ": there is no such edge; expected one of: ", edge_list(panel))};
        if (!(dart.width > 0.0) || !(dart.depth >= 0.0) || !std::isfinite(dart.width + dart.depth + dart.at))
            return Error{concat(name, ": is ", brief_length(dart.width), " wide and ", brief_length(dart.depth),
                                " deep; expected a width above 0 and a depth of 0 (a pleat) or more")};
        if (dart.depth > 0.0)
            if (const Status ok = check_range(name + ": depth [m]", dart.depth, kShortestEdge, kLargestPanel); !ok)
                return ok;
        if (const Status ok = check_range(name + ": width [m]", dart.width, 0.0, kLargestPanel); !ok) return ok;
        const double l = edge_length(panel.outline, edge), from = dart.at * l - 0.5 * dart.width,
                     to = dart.at * l + 0.5 * dart.width;
        if (from < kShortestEdge || to > l - kShortestEdge)
            return Error{concat(name, ": reaches from ", brief_length(from), " to ", brief_length(to),
                                "; expected it on the edge, which is ", brief_length(l), " long")};
        for (const auto& [low, high] : taken[dart.edge])
            if (from < high + kShortestEdge && to > low - kShortestEdge)
                return Error{concat(name, ": overlaps another dart or pleat of that edge")};
        taken[dart.edge].push_back({from, to});
    }
    return check_laid_pleats(panel, where);
}

/// What pattern files in JSON allow, for patterns that come from elsewhere.
Status check_numbers(const PatternPanel& panel, const std::string& where) {
    const struct {
        const char* what;
        double value, least, most;
    } numbers[] = {{": layer", static_cast<double>(panel.layer), 0.0, 100.0},
                   {": the turn of the grain [deg]", panel.grain_deg, -kMostTurn, kMostTurn},
                   {": the place's shift [m]", panel.place.shift, -kLargestPanel, kLargestPanel},
                   {": the place's turn [deg]", panel.place.turn_deg, -kMostTurn, kMostTurn}};
    for (const auto& n : numbers)
        if (const Status ok = check_range(where + n.what, n.value, n.least, n.most); !ok) return ok;
    return Done{};
}

/// Length of what is sewn of an edge: without darts and pleats.
double sewn_length(const PatternPanel& panel, int edge) {
    double l = edge_length(panel.outline, edge);
    for (const PatternDart& dart : panel.darts)
        if (dart.edge == panel.outline.edges[edge].name) l -= dart.width;
    return l;
}

Status check_seams(const Pattern& pattern) {
    std::map<std::string, std::string> used;
    for (std::size_t s = 0; s < pattern.seams.size(); ++s) {
        const PatternSeam& seam = pattern.seams[s];
        const std::string where = concat("seam ", s, " (", seam.text(), ")");
        double sewn[2]{};
        int side = 0;
        for (const SeamEnd* end : {&seam.a, &seam.b}) {
            if (end->panel.find('.') != std::string::npos)
                return Error{concat(where, ": the panel \"", end->panel,
                                    "\" has a dot in its name; expected none: seams name \"panel.edge\"")};
            const PatternPanel* panel = pattern.find_panel(end->panel);
            if (!panel) {
                std::vector<std::string> names;
                for (const PatternPanel& p : pattern.panels)
                    names.push_back(p.name);
                return Error{concat(where, ": there is no panel \"", end->panel, "\"; expected one of: ", join(names))};
            }
            const int edge = find_edge_index(*panel, end->edge);
            if (edge < 0)
                return Error{concat(where, ": panel \"", end->panel, "\" has no edge \"", end->edge,
                                    "\"; expected one of: ", edge_list(*panel))};
            if (const auto [entry, is_new] = used.try_emplace(end->text(), where); !is_new)
                return Error{concat(where, ": ", end->text(), " is sewn already, by ", entry->second)};
            sewn[side++] = sewn_length(*panel, edge);
        }
        const double shorter = std::min(sewn[0], sewn[1]), longer = std::max(sewn[0], sewn[1]);
        if (longer > (1.0 + pattern.ease) * shorter)
            return Error{concat(where, ": its sides are ", brief_length(sewn[0]), " and ", brief_length(sewn[1]),
                                " long, ", std::round(1000.0 * (longer / shorter - 1.0)) / 10.0,
                                " % apart; expected at most the pattern's ease of ", 100.0 * pattern.ease, " %")};
    }
    return Done{};
}

} // namespace

Status check_pattern(const Pattern& pattern) {
    if (pattern.panels.empty()) return Error{"has no panels; expected at least one"};
    if (const Status ok = check_range("ease", pattern.ease, 0.0, kMostEase); !ok) return ok;
    std::set<std::string> names;
    for (const PatternPanel& panel : pattern.panels) {
        const std::string where = concat("panel \"", panel.name, "\"");
        if (panel.name.empty()) return Error{"has a panel without a name"};
        if (!names.insert(panel.name).second) return Error{concat("has two panels named \"", panel.name, "\"")};
        if (const Status ok = check_outline(panel.outline, concat(where, ": outline")); !ok) return ok;
        for (std::size_t h = 0; h < panel.holes.size(); ++h)
            if (const Status ok = check_outline(panel.holes[h], concat(where, ": hole ", h)); !ok) return ok;
        if (const Status ok = check_crossings(panel, concat(where, ": outline")); !ok) return ok;
        if (const Status ok = check_darts(panel, where); !ok) return ok;
        if (const Status ok = check_numbers(panel, where); !ok) return ok;
    }
    return check_seams(pattern);
}

} // namespace selvage
