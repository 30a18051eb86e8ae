// Exact geodesic distances after Mitchell, Mount and Papadimitriou (1987), in the form of Surazhsky, Surazhsky,
// Kirsanov, Gortler and Hoppe, "Fast exact and approximate geodesics on meshes" (2005): windows on edges, spread
// triangle by triangle from the source outwards.
//
//        t                 A window [a, b] of edge v0-v1 sees the unfolded source s below the edge. Its rays cross the
//       / \                triangle above and make a window on one of its other edges or on both. A corner t between
//   e0 /   \ e1            the rays gets the distance sigma + |s t|.
//     / a b \              An edge keeps, at each of its points, the window with the shortest path there.
//   v0--===--v1            Shortest paths turn only at vertices with more than 2 pi around them and at borders with
//       \ /                more than pi: those vertices become sources themselves, with sigma = their own distance.
//        s
//
// Every window is a path that exists, so any order is right; an order by distance is fast. An edge's turn comes at the
// mean of the distances of its ends: by then the windows that lie beside each other have arrived, and on flat cloth
// they have the same source and become one. A flat sheet so has about one window per edge, where there would otherwise
// be as many as vertices in the wedge that it shows of the source.
//
// Windows beside each other become one also where their sources differ so little that no distance changes by more than
// merge_tolerance; each window carries the sum of what such merges may have changed. Rays beside a merged window no
// longer meet exactly; kGap closes what opens between them. The price of either is of second order in the angle.

#include "geometry/geodesic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "math/functions.h"

namespace selvage {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kGap = 2e-3;    // closed between windows [edge lengths]: rays of sources that are not quite the same
constexpr double kSliver = 1e-7; // window too narrow to be worth its work [edge lengths]
constexpr double kSamePath = 1e-10; // relative: a path that is shorter by less is not shorter
constexpr double kFlat = 2e-5;  // angle beyond 2 pi or pi that is taken for none [rad]; its square is lost in a length
constexpr double kThin = 1e-9;  // height of a triangle without any [edge lengths]
constexpr double kDead = 1e-12; // edge without length [m]

} // namespace

double Geodesics::Window::distance(double x) const {
    return sigma + std::sqrt((x - px) * (x - px) + py * py);
}

Geodesics::Window Geodesics::part(const Window& window, double a, double b) {
    Window out = window;
    out.a = a;
    out.b = b;
    return out;
}

bool Geodesics::Window::continues(const Window& before) const {
    return px == before.px && py == before.py && sigma == before.sigma && side == before.side && root == before.root &&
           is_done == before.is_done && a <= before.b;
}

Geodesics::Geodesics(const TriangleMesh& mesh, const GeodesicSettings& settings)
    : settings_(settings), vertex_triangles_(vertex_triangles(mesh)) {
    build_edges(mesh);
    build_sides(mesh);
    mark_bends(mesh);
    rows_.resize(edges_.size());
}

void Geodesics::build_edges(const TriangleMesh& mesh) {
    struct Corner {
        int low, high, triangle, corner;
        auto operator<=>(const Corner&) const = default;
    };
    std::vector<Corner> corners;
    corners.reserve(3 * mesh.triangles.size());
    for (int t = 0; t < mesh.triangle_count(); ++t)
        for (int k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax(mesh.triangles[t][(k + 1) % 3], mesh.triangles[t][(k + 2) % 3]);
            if (low != high) corners.push_back({low, high, t, k});
        }
    std::sort(corners.begin(), corners.end());
    triangle_edges_.assign(mesh.triangles.size(), {-1, -1, -1});
    triangle_sides_.assign(mesh.triangles.size(), {-1, -1, -1});
    sides_.resize(corners.size());
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Corner& c = corners[i];
        const int side = static_cast<int>(i);
        if (i == 0 || corners[i - 1].low != c.low || corners[i - 1].high != c.high)
            edges_.push_back({{c.low, c.high}, side, side, length(mesh.positions[c.high] - mesh.positions[c.low])});
        edges_.back().side_end = side + 1;
        sides_[i].triangle = c.triangle;
        sides_[i].base = static_cast<int>(edges_.size()) - 1;
        sides_[i].corner = mesh.triangles[c.triangle][c.corner];
        triangle_edges_[c.triangle][c.corner] = static_cast<int>(edges_.size()) - 1;
        triangle_sides_[c.triangle][c.corner] = side;
    }
    for (const MeshEdge& edge : edges_)
        mean_length_ += edge.length / static_cast<double>(edges_.size());
}

void Geodesics::build_sides(const TriangleMesh& mesh) {
    for (const MeshEdge& edge : edges_) {
        const Vec3 origin = mesh.positions[edge.v[0]];
        const Vec3 along = edge.length > kDead ? (mesh.positions[edge.v[1]] - origin) / edge.length : Vec3{};
        for (int s = edge.side_begin; s < edge.side_end; ++s) {
            Side& side = sides_[s];
            const Vec3 to_corner = mesh.positions[side.corner] - origin;
            side.x = dot(to_corner, along);
            side.y = std::max(length(cross(along, to_corner)), kThin * (edge.length + std::abs(side.x)));
            for (int end = 0; end < 2; ++end)
                for (int k = 0; k < 3; ++k) // the edge that has this end is opposite the other one
                    if (mesh.triangles[side.triangle][k] == edge.v[1 - end]) {
                        side.edge[end] = triangle_edges_[side.triangle][k];
                        side.edge_side[end] = triangle_sides_[side.triangle][k];
                        side.is_turned[end] = side.corner < edge.v[end];
                    }
        }
    }
}

/// Finds the vertices where a shortest path can turn.
void Geodesics::mark_bends(const TriangleMesh& mesh) {
    const std::size_t n = mesh.positions.size();
    std::vector<double> angle(n, 0.0);
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = mesh.positions[t[(k + 1) % 3]] - mesh.positions[t[k]];
            const Vec3 q = mesh.positions[t[(k + 2) % 3]] - mesh.positions[t[k]];
            angle[t[k]] += maths::atan2(length(cross(p, q)), dot(p, q));
        }
    std::vector<int> borders(n, 0);
    may_bend_.assign(n, 0);
    for (const MeshEdge& edge : edges_)
        for (const int v : edge.v) {
            const int sides = edge.side_end - edge.side_begin;
            if (sides == 1) ++borders[v];
            if (sides > 2) may_bend_[v] = 1;
        }
    constexpr double kPi = std::numbers::pi;
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_wide = angle[i] > (borders[i] > 0 ? kPi : 2.0 * kPi) + kFlat;
        if (is_wide || !is_one_fan(mesh, static_cast<int>(i))) may_bend_[i] = 1;
    }
}

/// Whether the triangles around a vertex hang together by edges.
bool Geodesics::is_one_fan(const TriangleMesh& mesh, int vertex) const {
    const std::span<const int> around = vertex_triangles_[vertex];
    if (around.empty()) return true;
    // Two walks from the first triangle, one each way round; each step crosses the edge that the last did not.
    std::size_t seen = 1;
    for (int direction = 0; direction < 2; ++direction) {
        int triangle = around[0], came_over = -1;
        bool is_first = true;
        while (seen <= around.size()) {
            int over = -1, skip = is_first ? direction : 0;
            for (int k = 0; k < 3; ++k) {
                const int edge = triangle_edges_[triangle][k];
                if (mesh.triangles[triangle][k] == vertex || edge == came_over || edge < 0) continue;
                if (skip-- == 0) over = edge;
            }
            if (over < 0 || edges_[over].side_end - edges_[over].side_begin != 2) break;
            const int first = edges_[over].side_begin;
            triangle = sides_[first].triangle == triangle ? sides_[first + 1].triangle : sides_[first].triangle;
            came_over = over;
            is_first = false;
            if (triangle == around[0]) return seen == around.size(); // all round
            ++seen;
        }
    }
    return seen == around.size();
}

void Geodesics::push(double key, int item) {
    turns_.push_back({key, item});
    std::push_heap(turns_.begin(), turns_.end(), std::greater<>());
}

void Geodesics::start(std::span<const int> sources, std::span<double> distance, std::span<int> nearest) {
    distance_ = distance;
    nearest_ = nearest;
    std::fill(distance.begin(), distance.end(), kFar);
    std::fill(nearest.begin(), nearest.end(), -1);
    std::fill(rows_.begin(), rows_.end(), Row{.key = kFar});
    windows_.reserve(2 * edges_.size()); // what a flat sheet needs
    window_count_ = 0;
    for (const int v : sources) {
        distance_[v] = 0.0;
        nearest_[v] = v;
        push(0.0, static_cast<int>(edges_.size()) + v);
    }
}

bool Geodesics::find(std::span<const int> sources, std::span<double> distance, std::span<int> nearest) {
    start(sources, distance, nearest);
    const bool is_complete = spread();
    if (is_complete) relax_along_edges();
    windows_ = {}; // several times what is kept; the next search may be far off
    turns_ = {};
    return is_complete;
}

bool Geodesics::spread() {
    const int edge_count = static_cast<int>(edges_.size());
    while (!turns_.empty()) {
        const Turn turn = turns_.front();
        std::pop_heap(turns_.begin(), turns_.end(), std::greater<>());
        turns_.pop_back();
        if (turn.item >= edge_count) {
            if (turn.key == distance_[turn.item - edge_count]) spread_from_vertex(turn.item - edge_count);
        } else if (turn.key == rows_[turn.item].key) {
            spread_edge(turn.item);
        }
        if (window_count_ > settings_.most_windows) return false;
    }
    return true;
}

void Geodesics::improve(int vertex, double distance, int root) {
    if (!(distance < distance_[vertex] * (1.0 - kSamePath))) return;
    distance_[vertex] = distance;
    nearest_[vertex] = root;
    if (may_bend_[vertex]) push(distance, static_cast<int>(edges_.size()) + vertex);
}

/// The vertex as a source: windows on the edges opposite it, and paths along its own edges.
void Geodesics::spread_from_vertex(int vertex) {
    const double sigma = distance_[vertex];
    const int root = nearest_[vertex];
    for (const int t : vertex_triangles_[vertex])
        for (int k = 0; k < 3; ++k) {
            const int edge = triangle_edges_[t][k], side = triangle_sides_[t][k];
            if (edge < 0) continue;
            const MeshEdge& e = edges_[edge];
            if (sides_[side].corner == vertex) {
                insert(edge, {0.0, e.length, sides_[side].x, sides_[side].y, sigma, root, side, 0.0F, false});
                continue;
            }
            const int end = e.v[0] == vertex ? 0 : 1;
            insert(edge, {0.0, e.length, end == 0 ? 0.0 : e.length, 0.0, sigma, root, -1, 0.0F, true});
            improve(e.v[1 - end], sigma + e.length, root);
        }
}

/// Hands the new windows of an edge on to the triangles that they have not come from.
void Geodesics::spread_edge(int edge) {
    Row& row = rows_[edge];
    row.key = kFar;
    spreading_.clear();
    for (int w = row.begin; w < row.begin + row.count; ++w) {
        if (windows_[w].is_done) continue;
        windows_[w].is_done = true;
        spreading_.push_back(windows_[w]);
    }
    for (const Window& window : spreading_)
        for (int side = edges_[edge].side_begin; side < edges_[edge].side_end; ++side)
            if (side != window.side) propagate(window, edge, side);
}

void Geodesics::propagate(const Window& window, int edge, int s) {
    const Side& side = sides_[s];
    const double l = edges_[edge].length, px = window.px, py = window.py;
    // > 0: the corner is left of the ray through x
    const auto turn = [&](double x) { return (x - px) * (side.y + py) - py * (side.x - px); };
    const bool left_of_a = turn(window.a) > 0.0, right_of_b = turn(window.b) < 0.0;
    // Where the ray through x meets the edge from v0 to the corner, and the one from v1, as a fraction of its length.
    const auto on_first = [&](double x) {
        const double f = py * x / (side.x * py - side.y * (x - px));
        return f >= 0.0 && f <= 1.0 ? f : (x > 0.0 ? 1.0 : 0.0);
    };
    const auto on_second = [&](double x) {
        const double f = py * (l - x) / ((l - side.x) * py - side.y * (px - x));
        return f >= 0.0 && f <= 1.0 ? f : (x < l ? 1.0 : 0.0);
    };
    if (!left_of_a) propagate_to(window, s, 0, on_first(window.a), right_of_b ? on_first(window.b) : 1.0);
    if (!right_of_b) propagate_to(window, s, 1, left_of_a ? on_second(window.a) : 1.0, on_second(window.b));
    // A corner outside the rays gets the path along the nearest: no path is missed where rays do not quite meet.
    const double crossing = left_of_a ? window.a : right_of_b ? window.b : 0.0;
    const double to_corner = left_of_a || right_of_b
                                 ? window.distance(crossing) + maths::hypot(side.x - crossing, side.y)
                                 : window.sigma + maths::hypot(side.x - px, side.y + py);
    improve(side.corner, to_corner, window.root);
}

/// A child on edge `which` of the side, from and to given as fractions of the way from the old edge to the corner.
void Geodesics::propagate_to(const Window& window, int s, int which, double from, double to) {
    const Side& side = sides_[s];
    const double l = edges_[side.edge[which]].length;
    if (!(l > kDead)) return;
    // The old edge's frame has the source below it, the corner above.
    const double origin = which == 0 ? 0.0 : edges_[side.base].length;
    const double dx = (side.x - origin) / l, dy = side.y / l;
    const double sx = window.px - origin, sy = -window.py;
    Window child = window;
    child.px = sx * dx + sy * dy;
    child.py = std::abs(sx * dy - sy * dx);
    child.a = std::min(from, to) * l;
    child.b = std::max(from, to) * l;
    child.side = side.edge_side[which];
    child.is_done = false;
    if (side.is_turned[which]) {
        child.px = l - child.px;
        child.a = l - child.a;
        child.b = l - child.b;
        std::swap(child.a, child.b);
    }
    insert(side.edge[which], child);
}

/// Gives the window those parts of the edge to which it has the shortest path.
void Geodesics::insert(int edge, const Window& window) {
    row_length_ = edges_[edge].length;
    if (!(window.b - window.a > kSliver * row_length_)) return;
    ++window_count_;
    row_.clear();
    won_ = false;
    const Row& row = rows_[edge];
    double reached = window.a; // up to here the window has been placed
    const auto place_until = [&](double x) {
        if (!(x > reached)) return;
        emit(part(window, reached, x));
        won_ = true;
        reached = x;
    };
    for (int w = row.begin; w < row.begin + row.count; ++w) {
        const Window& old = windows_[w];
        place_until(std::min(old.a, window.b));
        const double from = std::max(old.a, window.a), to = std::min(old.b, window.b);
        if (!(from < to)) {
            emit(old);
            continue;
        }
        if (old.a < from) emit(part(old, old.a, from));
        contest(old, window, from, to);
        if (to < old.b) emit(part(old, to, old.b));
        reached = std::max(reached, to);
    }
    place_until(window.b);
    if (!won_) return;
    close_ends();
    store(edge);
    if (window.is_done) return;
    const double nearest = window.distance(std::clamp(window.px, window.a, window.b));
    const double key = std::min(0.5 * (window.distance(0.0) + window.distance(row_length_)), nearest + mean_length_);
    if (key < rows_[edge].key) {
        rows_[edge].key = key;
        push(key, edge);
    }
}

/// Shares [from, to] between two windows that both see it.
void Geodesics::contest(const Window& old, const Window& window, double from, double to) {
    // |x - s1| - |x - s2| = k, squared twice: a quadratic in x. Roots that came in by squaring only cut a part in two.
    const double k = old.sigma - window.sigma;
    const double alpha = 2.0 * (old.px - window.px);
    const double beta = window.px * window.px + window.py * window.py - old.px * old.px - old.py * old.py;
    std::array<double, 4> cuts{from, from, from, to};
    const auto add_cut = [&](int at, double x) {
        if (x > from && x < to) cuts[at] = x;
    };
    if (k == 0.0) {
        if (alpha != 0.0) add_cut(1, -beta / alpha);
    } else {
        const double a = alpha * alpha - 4.0 * k * k, b = alpha * (beta + k * k) + 4.0 * k * k * window.px;
        const double c =
            (beta + k * k) * (beta + k * k) - 4.0 * k * k * (window.px * window.px + window.py * window.py);
        const double q = -b - (b > 0.0 ? 1.0 : -1.0) * std::sqrt(std::max(b * b - a * c, 0.0));
        if (a != 0.0) add_cut(1, q / a);
        if (q != 0.0) add_cut(2, c / q);
    }
    if (cuts[1] > cuts[2]) std::swap(cuts[1], cuts[2]);
    for (int i = 0; i < 3; ++i) {
        if (!(cuts[i] < cuts[i + 1])) continue;
        const double middle = 0.5 * (cuts[i] + cuts[i + 1]);
        const bool wins = window.distance(middle) < old.distance(middle) * (1.0 - kSamePath);
        won_ = won_ || (wins && cuts[i + 1] - cuts[i] > kSliver * row_length_);
        emit(part(wins ? window : old, cuts[i], cuts[i + 1]));
    }
}

/// Appends a window to the row being built, as a part of the one before it where that can be.
void Geodesics::emit(Window window) {
    if (row_.empty()) {
        row_.push_back(window);
        return;
    }
    Window& before = row_.back();
    if (window.continues(before)) {
        before.b = std::max(before.b, window.b);
        before.error = std::max(before.error, window.error);
        return;
    }
    const double gap = window.a - before.b;
    // What is done is not handed on again: the other one takes the gap. Between two that are done a window is to come.
    const bool can_close = before.side == window.side && !(before.is_done && window.is_done);
    if (gap <= 0.0 || (gap < kGap * row_length_ && can_close)) {
        if (!window.is_done)
            window.a = before.b;
        else
            before.b = window.a;
        if (before.b - before.a <= kSliver * row_length_) {
            window.a = before.a;
            before = window;
            return;
        }
        if (window.b - window.a <= kSliver * row_length_) {
            before.b = window.b;
            return;
        }
        if (absorb(before, window)) return;
    }
    row_.push_back(window);
}

/// Makes two windows beside each other one where hardly a distance changes. The wider one keeps its source.
bool Geodesics::absorb(Window& before, const Window& window) const {
    if (before.side != window.side || before.is_done != window.is_done) return false;
    const bool first_stays = before.b - before.a >= window.b - window.a;
    const Window& stays = first_stays ? before : window;
    const Window& goes = first_stays ? window : before;
    const double far = first_stays ? goes.b : goes.a, middle = 0.5 * (goes.a + goes.b);
    const double d = goes.distance(middle);
    const double change =
        std::max(std::abs(stays.distance(far) - goes.distance(far)), std::abs(stays.distance(middle) - d));
    const double limit = std::max(settings_.merge_tolerance, 1e-13) * d; // what rounding leaves of the same source
    const double error = static_cast<double>(goes.error) + change;
    if (!(change <= limit) || !(error <= settings_.most_error * d)) return false;
    Window merged = stays;
    merged.a = before.a;
    merged.b = window.b;
    merged.error = std::max(stays.error, static_cast<float>(error));
    before = merged;
    return true;
}

void Geodesics::close_ends() {
    if (Window& first = row_.front(); !first.is_done && first.a < kGap * row_length_) first.a = 0.0;
    if (Window& last = row_.back(); !last.is_done && last.b > (1.0 - kGap) * row_length_) last.b = row_length_;
}

void Geodesics::store(int edge) {
    Row& row = rows_[edge];
    row.count = static_cast<int>(row_.size());
    if (row.count > row.capacity) {
        row.begin = static_cast<int>(windows_.size());
        row.capacity = row.count + row.count / 2;
        windows_.resize(windows_.size() + static_cast<std::size_t>(row.capacity));
    }
    std::copy(row_.begin(), row_.end(), windows_.begin() + row.begin);
}

/// Where triangles without area stop the windows, paths along edges go on.
void Geodesics::relax_along_edges() {
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (const MeshEdge& edge : edges_)
            for (int end = 0; end < 2; ++end) {
                const int from = edge.v[end], to = edge.v[1 - end];
                const double d = distance_[from] + edge.length;
                if (!(d < distance_[to] * (1.0 - kSamePath))) continue;
                distance_[to] = d;
                nearest_[to] = nearest_[from];
                has_changed = true;
            }
    }
}

} // namespace selvage
