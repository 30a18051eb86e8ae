// Points are inserted one by one into a large triangle around all (Lawson 1977), edges of the outline are forced by
// flips (Sloan 1993), and what lies outside is found by counting outline edges on the way in. Orientation is exact; the
// test by circles is not, and asks for a margin so that flips come to an end.

#include "garment/triangulation.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "base/assert.h"

namespace selvage {

namespace {

constexpr int kAround = 3;             // vertices of the triangle around everything, behind those of the outline
constexpr double kCircleMargin = 1e-9; // relative; points on one circle are left as they are

int next(int k) {
    return k == 2 ? 0 : k + 1;
}
int before(int k) {
    return k == 0 ? 2 : k - 1;
}

/// d lies inside the circle through a, b, c, which turn to the left.
bool in_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
    const Vec2 ad = a - d, bd = b - d, cd = c - d;
    const double aa = dot(ad, ad), bb = dot(bd, bd), cc = dot(cd, cd);
    const double det = aa * cross(bd, cd) + bb * cross(cd, ad) + cc * cross(ad, bd);
    const double size = aa * std::abs(cross(bd, cd)) + bb * std::abs(cross(cd, ad)) + cc * std::abs(cross(ad, bd));
    return det > kCircleMargin * size;
}

} // namespace

int Triangulation::side_of(int face, int neighbour) const {
    for (int k = 0; k < 3; ++k)
        if (faces_[face].neighbour[k] == neighbour) return k;
    SELVAGE_ASSERT(false);
    return 0;
}

void Triangulation::set_neighbour(int face, int from, int to) {
    if (face >= 0) faces_[face].neighbour[side_of(face, from)] = to;
}

bool Triangulation::start(const std::vector<std::vector<Vec2>>& loops) {
    points_.clear();
    faces_.clear();
    Vec2 low{1e300, 1e300}, high{-1e300, -1e300};
    for (const std::vector<Vec2>& loop : loops)
        for (const Vec2& p : loop) {
            points_.push_back(p);
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
    outline_count_ = static_cast<int>(points_.size());
    const int n = outline_count_;
    if (n < 3) return false;
    // Far enough away that its corners hardly disturb the Delaunay property of what is inside.
    const Vec2 middle = mix(low, high, 0.5);
    const double reach = 50.0 * std::max({high.x - low.x, high.y - low.y, 1e-12});
    points_.push_back({middle.x - reach, middle.y - reach});
    points_.push_back({middle.x + reach, middle.y - reach});
    points_.push_back({middle.x, middle.y + reach});
    face_of_.assign(points_.size(), -1);
    faces_.push_back({{n, n + 1, n + 2}, {-1, -1, -1}});
    for (int k = 0; k < kAround; ++k)
        face_of_[n + k] = 0;
    int face = 0;
    for (int v = 0; v < n; ++v) {
        face = locate(points_[v], face);
        for (const int w : faces_[face].vertex)
            if (points_[w] == points_[v]) return false;
        int on = -1;
        for (int k = 0; k < 3; ++k)
            if (turn(points_[faces_[face].vertex[next(k)]], points_[faces_[face].vertex[before(k)]], points_[v]) == 0)
                on = k;
        if (on >= 0)
            split_edge(face, on, v);
        else
            split_face(face, v);
        face = face_of_[v];
    }
    int first = 0;
    for (const std::vector<Vec2>& loop : loops) {
        const int count = static_cast<int>(loop.size());
        for (int i = 0; i < count; ++i)
            if (!fix_edge(first + i, first + (i + 1) % count)) return false;
        first += count;
    }
    restore();
    mark_inside();
    return true;
}

int Triangulation::insert(const Vec2& point, int face) {
    const int v = static_cast<int>(points_.size());
    points_.push_back(point);
    face_of_.push_back(-1);
    for (int k = 0; k < 3; ++k) {
        const Face& f = faces_[face];
        if (turn(points_[f.vertex[next(k)]], points_[f.vertex[before(k)]], point) == 0 && !f.fixed[k]) {
            split_edge(face, k, v);
            return v;
        }
    }
    split_face(face, v);
    return v;
}

int Triangulation::locate(const Vec2& point, int face) const {
    for (std::size_t steps = 0; steps < 4 * faces_.size() + 16; ++steps) {
        const Face& f = faces_[face];
        int across = -1;
        for (int i = 0; i < 3; ++i) {
            const int k = (i + static_cast<int>(steps)) % 3; // begins anywhere, so that no walk goes in circles
            if (turn(points_[f.vertex[next(k)]], points_[f.vertex[before(k)]], point) < 0) {
                across = k;
                break;
            }
        }
        if (across < 0) return face;
        if (f.fixed[across]) return -1;
        face = f.neighbour[across];
        if (face < 0) return -1;
    }
    return -1;
}

/// One face becomes three around the vertex.
void Triangulation::split_face(int face, int vertex) {
    const Face old = faces_[face];
    const int b = static_cast<int>(faces_.size()), c = b + 1;
    const int v0 = old.vertex[0], v1 = old.vertex[1], v2 = old.vertex[2];
    faces_[face] = {{vertex, v1, v2}, {old.neighbour[0], b, c}, {old.fixed[0], false, false}, old.inside};
    faces_.push_back({{vertex, v2, v0}, {old.neighbour[1], c, face}, {old.fixed[1], false, false}, old.inside});
    faces_.push_back({{vertex, v0, v1}, {old.neighbour[2], face, b}, {old.fixed[2], false, false}, old.inside});
    set_neighbour(old.neighbour[1], face, b);
    set_neighbour(old.neighbour[2], face, c);
    face_of_[vertex] = face_of_[v1] = face_of_[v2] = face;
    face_of_[v0] = b;
    legalize({{face, vertex}, {b, vertex}, {c, vertex}});
}

/// Two faces become four around a vertex on the edge between them.
void Triangulation::split_edge(int face, int k, int vertex) {
    const Face f = faces_[face];
    const int other = f.neighbour[k];
    SELVAGE_ASSERT(other >= 0);
    const int j = side_of(other, face);
    const Face g = faces_[other];
    const int a = f.vertex[k], p = f.vertex[next(k)], q = f.vertex[before(k)], d = g.vertex[j];
    const int third = static_cast<int>(faces_.size()), fourth = third + 1;
    // face: a p v; third: a v q; other: d q v; fourth: d v p.
    faces_[face] = {
        {a, p, vertex}, {fourth, third, f.neighbour[before(k)]}, {f.fixed[k], false, f.fixed[before(k)]}, f.inside};
    faces_.push_back(
        {{a, vertex, q}, {other, f.neighbour[next(k)], face}, {f.fixed[k], f.fixed[next(k)], false}, f.inside});
    faces_[other] = {
        {d, q, vertex}, {third, fourth, g.neighbour[before(j)]}, {f.fixed[k], false, g.fixed[before(j)]}, g.inside};
    faces_.push_back(
        {{d, vertex, p}, {face, g.neighbour[next(j)], other}, {f.fixed[k], g.fixed[next(j)], false}, g.inside});
    set_neighbour(f.neighbour[next(k)], face, third);
    set_neighbour(g.neighbour[next(j)], other, fourth);
    face_of_[vertex] = face_of_[a] = face_of_[p] = face;
    face_of_[q] = face_of_[d] = other;
    legalize({{face, vertex}, {third, vertex}, {other, vertex}, {fourth, vertex}});
}

/// Turns the edge opposite vertex k of a face:  a above, d below  p---q  becomes  a---d.
void Triangulation::flip(int face, int k) {
    const Face f = faces_[face];
    const int other = f.neighbour[k], j = side_of(other, face);
    const Face g = faces_[other];
    const int a = f.vertex[k], p = f.vertex[next(k)], q = f.vertex[before(k)], d = g.vertex[j];
    faces_[face] = {{a, p, d},
                    {g.neighbour[next(j)], other, f.neighbour[before(k)]},
                    {g.fixed[next(j)], false, f.fixed[before(k)]},
                    f.inside};
    faces_[other] = {{d, q, a},
                     {f.neighbour[next(k)], face, g.neighbour[before(j)]},
                     {f.fixed[next(k)], false, g.fixed[before(j)]},
                     g.inside};
    set_neighbour(g.neighbour[next(j)], other, face);
    set_neighbour(f.neighbour[next(k)], face, other);
    face_of_[a] = face_of_[p] = face_of_[d] = face;
    face_of_[q] = other;
}

bool Triangulation::is_illegal(int face, int k) const {
    const Face& f = faces_[face];
    const int other = f.neighbour[k];
    if (other < 0 || f.fixed[k]) return false;
    const Face& g = faces_[other];
    const Vec2 &a = points_[f.vertex[k]], &p = points_[f.vertex[next(k)]], &q = points_[f.vertex[before(k)]],
               &d = points_[g.vertex[side_of(other, face)]];
    return in_circle(a, p, q, d) && turn(a, p, d) > 0 && turn(d, q, a) > 0;
}

/// Each entry is a face and a vertex of it, whose opposite edge may have to be flipped.
void Triangulation::legalize(std::vector<std::array<int, 2>> stack) {
    while (!stack.empty()) {
        const auto [face, vertex] = stack.back();
        stack.pop_back();
        const std::array<int, 3>& v = faces_[face].vertex;
        const int k = static_cast<int>(std::find(v.begin(), v.end(), vertex) - v.begin());
        if (k == 3 || !is_illegal(face, k)) continue;
        const int other = faces_[face].neighbour[k];
        flip(face, k);
        stack.push_back({face, vertex});
        stack.push_back({other, vertex});
    }
}

void Triangulation::restore() {
    for (int round = 0; round < 64; ++round) {
        bool flipped = false;
        for (int face = 0; face < static_cast<int>(faces_.size()); ++face)
            for (int k = 0; k < 3; ++k)
                if (faces_[face].neighbour[k] > face && is_illegal(face, k)) {
                    flip(face, k);
                    flipped = true;
                }
        if (!flipped) return;
    }
}

std::vector<int> Triangulation::star(int vertex) const {
    std::vector<int> faces;
    const int first = face_of_[vertex];
    int face = first;
    do {
        faces.push_back(face);
        const std::array<int, 3>& v = faces_[face].vertex;
        const int k = static_cast<int>(std::find(v.begin(), v.end(), vertex) - v.begin());
        face = faces_[face].neighbour[next(k)]; // turning counter-clockwise
    } while (face != first && face >= 0);
    if (face >= 0) return faces;
    // A corner of the triangle around everything: its star is open.
    face = first;
    for (;;) {
        const std::array<int, 3>& v = faces_[face].vertex;
        const int k = static_cast<int>(std::find(v.begin(), v.end(), vertex) - v.begin());
        face = faces_[face].neighbour[before(k)];
        if (face < 0) return faces;
        faces.insert(faces.begin(), face);
    }
}

bool Triangulation::find_edge(int a, int b, int& face, int& k) const {
    for (const int f : star(a)) {
        const std::array<int, 3>& v = faces_[f].vertex;
        for (int i = 0; i < 3; ++i)
            if ((v[next(i)] == a && v[before(i)] == b) || (v[next(i)] == b && v[before(i)] == a)) {
                face = f;
                k = i;
                return true;
            }
    }
    return false;
}

/// Edges between a and b that the straight line crosses. False: it goes through a vertex.
bool Triangulation::find_crossed(int a, int b, std::vector<std::array<int, 2>>& crossed) const {
    const Vec2 &pa = points_[a], &pb = points_[b];
    int face = -1, k = 0;
    for (const int f : star(a)) {
        const std::array<int, 3>& v = faces_[f].vertex;
        k = static_cast<int>(std::find(v.begin(), v.end(), a) - v.begin());
        const int right = turn(pa, pb, points_[v[next(k)]]), left = turn(pa, pb, points_[v[before(k)]]);
        const bool ahead = turn(points_[v[next(k)]], points_[v[before(k)]], pb) < 0; // beyond the opposite edge
        if (right < 0 && left > 0 && ahead) {
            face = f;
            break;
        }
    }
    if (face < 0) return false;
    for (;;) {
        const Face& f = faces_[face];
        if (f.fixed[k]) return false;
        crossed.push_back({f.vertex[next(k)], f.vertex[before(k)]});
        const int other = f.neighbour[k];
        const int apex = faces_[other].vertex[side_of(other, face)];
        if (apex == b) return true;
        const int side = turn(pa, pb, points_[apex]);
        if (side == 0) return false;
        // Goes on through the edge between the apex and the vertex on its other side.
        const int kept = side > 0 ? f.vertex[next(k)] : f.vertex[before(k)];
        face = other;
        const std::array<int, 3>& v = faces_[face].vertex;
        k = 0;
        while (v[k] == apex || v[k] == kept)
            ++k;
    }
}

bool Triangulation::fix_edge(int a, int b) {
    int face = 0, k = 0;
    if (!find_edge(a, b, face, k)) {
        std::vector<std::array<int, 2>> first;
        if (!find_crossed(a, b, first)) return false;
        std::deque<std::array<int, 2>> crossed(first.begin(), first.end());
        const Vec2 pa = points_[a], pb = points_[b];
        for (std::size_t left = 64 * (crossed.size() + 4) * (crossed.size() + 4); !crossed.empty(); --left) {
            if (left == 0) return false;
            const std::array<int, 2> edge = crossed.front();
            crossed.pop_front();
            if (!find_edge(edge[0], edge[1], face, k)) return false;
            const Face& f = faces_[face];
            const int other = f.neighbour[k], apex = f.vertex[k], opposite = faces_[other].vertex[side_of(other, face)];
            const Vec2 &p = points_[f.vertex[next(k)]], &q = points_[f.vertex[before(k)]];
            if (turn(points_[apex], p, points_[opposite]) <= 0 || turn(points_[opposite], q, points_[apex]) <= 0) {
                crossed.push_back(edge); // not convex yet
                continue;
            }
            flip(face, k);
            const bool ends = apex == a || apex == b || opposite == a || opposite == b;
            if (!ends && turn(pa, pb, points_[apex]) * turn(pa, pb, points_[opposite]) < 0)
                crossed.push_back({apex, opposite});
        }
        if (!find_edge(a, b, face, k)) return false;
    }
    const int other = faces_[face].neighbour[k];
    faces_[face].fixed[k] = true;
    faces_[other].fixed[side_of(other, face)] = true;
    return true;
}

void Triangulation::mark_inside() {
    std::vector<int> depth(faces_.size(), -1); // outline edges crossed on the way in
    std::deque<int> queue{face_of_[outline_count_]};
    depth[queue.front()] = 0;
    while (!queue.empty()) {
        const int face = queue.front();
        queue.pop_front();
        for (int k = 0; k < 3; ++k) {
            const int other = faces_[face].neighbour[k];
            if (other < 0 || depth[other] >= 0) continue;
            depth[other] = depth[face] + (faces_[face].fixed[k] ? 1 : 0);
            if (faces_[face].fixed[k])
                queue.push_back(other);
            else
                queue.push_front(other);
        }
    }
    for (std::size_t f = 0; f < faces_.size(); ++f)
        faces_[f].inside = depth[f] % 2 == 1;
}

bool Triangulation::remove(int vertex) {
    // Flips edges at the vertex away until three are left, then the three faces become one.
    for (std::size_t left = 64; left > 0; --left) {
        const std::vector<int> faces = star(vertex);
        if (faces.size() == 3) break;
        if (left == 1 || faces.size() < 3) return false;
        bool flipped = false;
        double best = -1.0;
        int best_face = -1, best_k = 0;
        for (const int f : faces) {
            const std::array<int, 3>& v = faces_[f].vertex;
            const int k = next(static_cast<int>(std::find(v.begin(), v.end(), vertex) - v.begin()));
            const int other = faces_[f].neighbour[k];
            if (faces_[f].fixed[k]) return false;
            // The edge from the vertex to v[before k] goes; a - d is what comes.
            const int a = v[k], p = v[next(k)], q = v[before(k)], d = faces_[other].vertex[side_of(other, f)];
            if (turn(points_[a], points_[p], points_[d]) <= 0 || turn(points_[d], points_[q], points_[a]) <= 0)
                continue;
            const int far = p == vertex ? q : p;
            const double angle = smallest_angle(points_[a], points_[far], points_[d]);
            if (angle > best) {
                best = angle;
                best_face = f;
                best_k = k;
                flipped = true;
            }
        }
        if (!flipped) return false;
        flip(best_face, best_k);
    }
    const std::vector<int> faces = star(vertex);
    if (faces.size() != 3) return false;
    // The first face takes the place of all three; the other two become an empty pair outside everything.
    std::array<int, 3> corner{}, beyond{};
    std::array<bool, 3> fixed{};
    for (int i = 0; i < 3; ++i) {
        const Face& f = faces_[faces[i]];
        const int k = static_cast<int>(std::find(f.vertex.begin(), f.vertex.end(), vertex) - f.vertex.begin());
        corner[i] = f.vertex[next(k)];
        beyond[i] = f.neighbour[k];
        fixed[i] = f.fixed[k];
    }
    // Face i has the edge corner[i] - corner[i + 1], opposite corner[i + 2].
    faces_[faces[0]] = {{corner[0], corner[1], corner[2]},
                        {beyond[1], beyond[2], beyond[0]},
                        {fixed[1], fixed[2], fixed[0]},
                        faces_[faces[0]].inside};
    set_neighbour(beyond[1], faces[1], faces[0]);
    set_neighbour(beyond[2], faces[2], faces[0]);
    for (const int v : corner)
        face_of_[v] = faces[0];
    for (const int dead : {faces[1], faces[2]}) {
        faces_[dead].neighbour = {-1, -1, -1};
        faces_[dead].inside = false;
    }
    face_of_[vertex] = -1;
    return true;
}

std::vector<Triangle> Triangulation::triangles(std::vector<Vec2>& points) const {
    std::vector<int> index(points_.size(), -1);
    points.clear();
    for (int v = 0; v < static_cast<int>(points_.size()); ++v) {
        const bool around = v >= outline_count_ && v < outline_count_ + kAround;
        if (around || is_removed(v)) continue;
        index[v] = static_cast<int>(points.size());
        points.push_back(points_[v]);
    }
    std::vector<Triangle> out;
    for (const Face& f : faces_)
        if (f.inside) out.push_back({index[f.vertex[0]], index[f.vertex[1]], index[f.vertex[2]]});
    return out;
}

} // namespace selvage
