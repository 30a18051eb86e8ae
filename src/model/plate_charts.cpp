#include "model/plate_charts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "math/functions.h"

namespace selvage {

namespace {

constexpr int kNowhere = -1, kAmbiguous = -2, kRings = 3;
/// By how much of a full turn the angles around a vertex may differ from it, and how far apart, over their distance, two
/// routes may put a point. Beyond, the cloth is a cone, and no plane tells how it bends.
constexpr double kMostDefect = 0.1;

double reach_of(const Vec2& p) {
    return maths::hypot(p.x, p.y);
}

int corner_of(const Triangle& t, int vertex) {
    return static_cast<int>(std::find(t.begin(), t.end(), vertex) - t.begin());
}

} // namespace

PlateCharts::PlateCharts(int vertex_count, std::span<const Triangle> triangles,
                         std::span<const std::array<Vec2, 3>> corner)
    : triangles_(triangles), corner_(corner), across_(triangles.size(), {-1, -1, -1}), place_(vertex_count),
      ring_(vertex_count, kNowhere), is_queued_(triangles.size(), 0) {
    TriangleMesh mesh;
    mesh.positions.resize(vertex_count);
    mesh.triangles.assign(triangles.begin(), triangles.end());
    triangles_of_ = vertex_triangles(mesh);
    for (const HingeTriangles& h : hinge_triangles(mesh))
        for (const auto& [t, other] : {std::pair{h.first, h.second}, std::pair{h.second, h.first}})
            for (int k = 0; k < 3; ++k) {
                const int p = triangles[t][k], q = triangles[t][(k + 1) % 3];
                if ((p == h.hinge.a && q == h.hinge.b) || (p == h.hinge.b && q == h.hinge.a)) across_[t][k] = other;
            }
}

Vec2 PlateCharts::side(int triangle, int from, int to) const {
    const auto& c = corner_[triangle];
    return {c[to].x - c[from].x, c[to].y - c[from].y};
}

void PlateCharts::clear() {
    for (const int v : touched_)
        ring_[v] = kNowhere;
    for (const int t : queue_)
        is_queued_[t] = 0;
    touched_.clear();
    queue_.clear();
}

void PlateCharts::put(int vertex, int ring, const Vec2& place) {
    if (ring_[vertex] == kNowhere) {
        touched_.push_back(vertex);
        ring_[vertex] = ring;
        place_[vertex] = place;
        return;
    }
    const Vec2 apart{place.x - place_[vertex].x, place.y - place_[vertex].y};
    if (reach_of(apart) > kMostDefect * reach_of(place)) ring_[vertex] = kAmbiguous;
}

/// The triangles at a vertex side by side, from one border to the other or all round.
bool PlateCharts::lay_fan(int vertex) {
    struct Leaf {
        int triangle, from, to; // corners: the sides from the vertex that it starts and ends with
    };
    const std::span<const int> around = triangles_of_[vertex];
    const auto other_side = [&](int t, int end) { // the triangle beyond the side from the vertex to corner `end`
        const int own = corner_of(triangles_[t], vertex);
        return across_[t][(own + 1) % 3 == end ? own : end];
    };
    if (around.empty()) return false;
    Leaf leaf{around[0], 0, 0};
    const auto start_at = [&](int t, bool turned) {
        const int own = corner_of(triangles_[t], vertex);
        leaf = {t, (own + (turned ? 2 : 1)) % 3, (own + (turned ? 1 : 2)) % 3};
    };
    start_at(around[0], false);
    for (const int t : around)
        for (const bool turned : {false, true}) {
            const int own = corner_of(triangles_[t], vertex);
            if (other_side(leaf.triangle, leaf.from) >= 0 && other_side(t, (own + (turned ? 2 : 1)) % 3) < 0)
                start_at(t, turned);
        }
    const bool is_closed = other_side(leaf.triangle, leaf.from) >= 0;
    std::vector<Leaf> fan;
    double turn = 0.0;
    std::vector<double> angle;
    while (fan.size() < around.size()) {
        fan.push_back(leaf);
        const int t = leaf.triangle, own = corner_of(triangles_[t], vertex);
        const Vec2 p = side(t, own, leaf.from), q = side(t, own, leaf.to);
        angle.push_back(maths::atan2(std::abs(p.x * q.y - p.y * q.x), p.x * q.x + p.y * q.y));
        turn += angle.back();
        const int next = other_side(t, leaf.to);
        if (next < 0 || next == fan[0].triangle) break;
        const int enters = corner_of(triangles_[next], triangles_[t][leaf.to]);
        leaf = {next, enters, 3 - enters - corner_of(triangles_[next], vertex)};
    }
    if (fan.size() != around.size()) return false; // fans that meet in one point
    const double full = 2.0 * std::numbers::pi;
    const bool overlaps = !is_closed && turn > full;
    if (overlaps || (is_closed && std::abs(turn - full) > kMostDefect * full)) return false;
    const double scale = is_closed ? full / turn : 1.0;
    put(vertex, 0, {});
    double at = 0.0;
    const auto own_side = [&](const Leaf& l, int end) {
        return reach_of(side(l.triangle, corner_of(triangles_[l.triangle], vertex), end));
    };
    for (std::size_t k = 0; k < fan.size(); ++k) {
        const bool is_first = k == 0 && !is_closed;
        const Leaf& before = fan[k == 0 ? fan.size() - 1 : k - 1];
        const double own = own_side(fan[k], fan[k].from),
                     l = is_first ? own : 0.5 * (own + own_side(before, before.to));
        const auto [sine, cosine] = maths::sincos(at);
        put(triangles_[fan[k].triangle][fan[k].from], 1, {l * cosine, l * sine});
        at += scale * angle[k];
        queue_.push_back(fan[k].triangle);
        is_queued_[fan[k].triangle] = 1;
    }
    if (!is_closed) {
        const double l = own_side(fan.back(), fan.back().to);
        const auto [sine, cosine] = maths::sincos(at);
        put(triangles_[fan.back().triangle][fan.back().to], 1, {l * cosine, l * sine});
    }
    return true;
}

/// The triangle beyond an edge of one that is laid out. It divides the edge as in its own plane, where that may be longer.
void PlateCharts::lay_beyond(int t, int edge) {
    const int next = across_[t][edge];
    if (next < 0 || is_queued_[next]) return;
    const int a = triangles_[t][edge], b = triangles_[t][(edge + 1) % 3], c = triangles_[t][(edge + 2) % 3];
    const int ia = corner_of(triangles_[next], a), ib = corner_of(triangles_[next], b), id = 3 - ia - ib;
    const int d = triangles_[next][id], ring = 1 + std::min(ring_[a], ring_[b]);
    if (ring_[a] < 0 || ring_[b] < 0 || ring_[c] < 0 || ring > kRings) return;
    const Vec2 own = side(next, ia, ib), to = side(next, ia, id);
    const double own_length = reach_of(own);
    const Vec2 e{place_[b].x - place_[a].x, place_[b].y - place_[a].y};
    const double l = reach_of(e);
    if (!(own_length > 0.0 && l > 0.0)) return;
    const double along = (to.x * own.x + to.y * own.y) / (own_length * own_length);
    const double height = std::abs(to.x * own.y - to.y * own.x) / own_length;
    const double facing = e.x * (place_[c].y - place_[a].y) - e.y * (place_[c].x - place_[a].x);
    const double up = (facing > 0.0 ? -height : height) / l; // on the other side than c
    put(d, ring, {place_[a].x + along * e.x - up * e.y, place_[a].y + along * e.y + up * e.x});
    queue_.push_back(next);
    is_queued_[next] = 1;
}

bool PlateCharts::unfold(int vertex) {
    clear();
    if (!lay_fan(vertex)) return false;
    for (std::size_t k = 0; k < queue_.size(); ++k)
        for (int edge = 0; edge < 3; ++edge)
            lay_beyond(queue_[k], edge);
    return std::all_of(triangles_of_[vertex].begin(), triangles_of_[vertex].end(), [&](int t) {
        return std::all_of(triangles_[t].begin(), triangles_[t].end(), [&](int v) { return is_placed(v); });
    });
}

std::array<Vec2, 2> PlateCharts::slope_in(int t) const {
    const Triangle& v = triangles_[t];
    const Vec2 e1 = side(t, 0, 1), e2 = side(t, 0, 2), o = place_[v[0]];
    const Vec2 f1{place_[v[1]].x - o.x, place_[v[1]].y - o.y}, f2{place_[v[2]].x - o.x, place_[v[2]].y - o.y};
    const double d = e1.x * e2.y - e2.x * e1.y;
    if (!(std::abs(d) > 0.0)) return {};
    return {Vec2{(f1.x * e2.y - f2.x * e1.y) / d, (f1.y * e2.y - f2.y * e1.y) / d},
            Vec2{(f2.x * e1.x - f1.x * e2.x) / d, (f2.y * e1.x - f1.y * e2.x) / d}};
}

} // namespace selvage
