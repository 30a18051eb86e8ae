// Both sides of a seam are cut into the same number of edges, so that they are sewn vertex to vertex: no gap can stay
// open, and none can open later. Where the sides differ in length, the longer is eased in evenly.

#include "garment/sewing.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/concat.h"
#include "garment/cut_panel.h"
#include "garment/triangulate.h"
#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

namespace {

/// A stretch of a piece that is sewn to another: the same number of mesh edges on both.
struct Stretch {
    int panel, piece;
    double from, to; ///< Lengths along the piece; `from` is larger where it is sewn backwards.
};

/// Border vertices of a piece, by their length along it.
using Marks = std::map<double, int>; // -> number of the vertex in its panel, once known

/// Joins numbers into sets; the smallest leads.
class Sets {
public:
    explicit Sets(std::size_t count) : leader_(count) { std::iota(leader_.begin(), leader_.end(), 0); }
    int find(int v) {
        while (leader_[v] != v)
            v = leader_[v] = leader_[leader_[v]];
        return v;
    }
    void join(int a, int b) {
        a = find(a);
        b = find(b);
        leader_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<int> leader_;
};

struct SewnPair {
    int panel_a, piece_a, panel_b, piece_b;
    double s_a, s_b;
};

class Sewer {
public:
    Sewer(const Pattern& pattern, double edge) : pattern_(pattern), edge_(edge) {}

    Result<std::vector<SewnCloth>> run() {
        for (const PatternPanel& panel : pattern_.panels) {
            cut_.push_back(cut_panel(panel, edge_));
            marks_.emplace_back(cut_.back().pieces.size());
        }
        if (const Status ok = find_faces(); !ok) return ok.error();
        mark_seams();
        mark_hems();
        for (std::size_t p = 0; p < pattern_.panels.size(); ++p)
            if (const Status ok = fill(static_cast<int>(p)); !ok) return ok.error();
        return join_panels();
    }

private:
    int panel_index(const std::string& name) const {
        return static_cast<int>(pattern_.find_panel(name) - pattern_.panels.data());
    }

    /// Which panels hang together, and which of them are sewn with their other face up.
    Status find_faces() {
        const std::size_t n = pattern_.panels.size();
        mirrored_.assign(n, 0);
        group_.assign(n, -1);
        for (std::size_t first = 0; first < n; ++first) {
            if (group_[first] >= 0) continue;
            group_[first] = static_cast<int>(first);
            std::vector<int> open{static_cast<int>(first)};
            while (!open.empty()) {
                const int at = open.back();
                open.pop_back();
                for (const PatternSeam& seam : pattern_.seams) {
                    const int a = panel_index(seam.a.panel), b = panel_index(seam.b.panel);
                    if (a != at && b != at) continue;
                    const int other = a == at ? b : a;
                    const char face = seam.reversed ? mirrored_[at] : static_cast<char>(!mirrored_[at]);
                    if (group_[other] < 0) {
                        group_[other] = static_cast<int>(first);
                        mirrored_[other] = face;
                        open.push_back(other);
                    } else if (mirrored_[other] != face) {
                        return Error{concat("seam ", seam.text(),
                                            ": with the other seams it makes a surface with one side; expected its "
                                            "\"reversed\" the other way round")};
                    }
                    const std::string &mine = fabric_of(at), &theirs = fabric_of(other);
                    if (mine != theirs)
                        return Error{concat("seam ", seam.text(), ": sews fabric \"", mine, "\" to \"", theirs,
                                            "\"; expected one fabric for all panels that are sewn together")};
                    if (pattern_.panels[at].layer != pattern_.panels[other].layer)
                        return Error{concat("seam ", seam.text(), ": sews layer ", pattern_.panels[at].layer,
                                            " to layer ", pattern_.panels[other].layer,
                                            "; expected panels of one layer")};
                }
            }
        }
        return Done{};
    }

    const std::string& fabric_of(int panel) const {
        const std::string& own = pattern_.panels[panel].fabric;
        return own.empty() ? pattern_.fabric : own;
    }

    int edge_index(int panel, const std::string& name) const {
        const std::vector<PatternEdge>& edges = pattern_.panels[panel].outline.edges;
        return static_cast<int>(
            std::find_if(edges.begin(), edges.end(), [&](const PatternEdge& e) { return e.name == name; }) -
            edges.begin());
    }

    /// Knots of one side: its total length, and where its pieces meet, as fractions of it.
    struct Side {
        int panel;
        std::vector<int> pieces;
        std::vector<double> start; // of each piece, and the total
        bool backwards;

        double total() const { return start.back(); }
    };

    Side side_of(int panel, std::vector<int> pieces, bool backwards) const {
        Side side{panel, std::move(pieces), {0.0}, backwards};
        for (const int p : side.pieces)
            side.start.push_back(side.start.back() + cut_[panel].pieces[p].length());
        return side;
    }

    /// The piece and the length on it at a fraction of the side, which may run backwards; the end of a piece belongs to
    /// the stretch that reaches it.
    Stretch stretch_of(const Side& side, double from, double to) const {
        const double low = side.backwards ? 1.0 - to : from, high = side.backwards ? 1.0 - from : to;
        const double middle = 0.5 * (low + high) * side.total();
        std::size_t k = 0;
        while (k + 2 < side.start.size() && middle > side.start[k + 1])
            ++k;
        const double l = cut_[side.panel].pieces[side.pieces[k]].length();
        const auto local = [&](double fraction) {
            const double s = fraction * side.total() - side.start[k];
            const double snap = 1e-7 * side.total();
            return s < snap ? 0.0 : s > l - snap ? l : s;
        };
        Stretch out{side.panel, side.pieces[k], local(low), local(high)};
        if (side.backwards) std::swap(out.from, out.to);
        return out;
    }

    void mark_seams() {
        for (const PatternSeam& seam : pattern_.seams) {
            const int a = panel_index(seam.a.panel), b = panel_index(seam.b.panel);
            sew_sides(side_of(a, cut_[a].pieces_of(edge_index(a, seam.a.edge)), false),
                      side_of(b, cut_[b].pieces_of(edge_index(b, seam.b.edge)), seam.reversed));
        }
        for (std::size_t p = 0; p < cut_.size(); ++p)
            for (const CutDart& dart : cut_[p].darts)
                sew_sides(side_of(static_cast<int>(p), {dart.first}, false),
                          side_of(static_cast<int>(p), {dart.second}, true));
    }

    /// Where one side has a joint, the other gets a vertex as well.
    void sew_sides(const Side& a, const Side& b) {
        std::vector<double> knots{0.0, 1.0};
        for (const Side* side : {&a, &b})
            for (std::size_t k = 1; k + 1 < side->start.size(); ++k) {
                const double f = side->start[k] / side->total();
                knots.push_back(side->backwards ? 1.0 - f : f);
            }
        std::sort(knots.begin(), knots.end());
        knots.erase(std::unique(knots.begin(), knots.end(), [](double x, double y) { return y - x < 1e-6; }),
                    knots.end());
        knots.back() = 1.0;
        for (std::size_t k = 1; k < knots.size(); ++k)
            sew_stretch(stretch_of(a, knots[k - 1], knots[k]), stretch_of(b, knots[k - 1], knots[k]));
    }

    /// Fractions at which a stretch, or two that are sewn together, is cut into mesh edges.
    std::vector<double> divide(const Stretch& a, const Stretch* b) const {
        constexpr int kSteps = 64;
        std::vector<double> sum{0.0};
        const auto density = [&](const Stretch& s, double f) {
            const CutPiece& piece = cut_[s.panel].pieces[s.piece];
            return std::abs(s.to - s.from) / piece.size_at(s.from + f * (s.to - s.from));
        };
        for (int k = 0; k < kSteps; ++k) {
            const double f = (k + 0.5) / kSteps;
            const double most = b ? std::max(density(a, f), density(*b, f)) : density(a, f);
            sum.push_back(sum.back() + most / kSteps);
        }
        const int count = std::max(1, static_cast<int>(std::floor(sum.back() + 0.5)));
        std::vector<double> fractions;
        int k = 0;
        for (int i = 0; i <= count; ++i) {
            const double want = sum.back() * i / count;
            while (k + 1 < kSteps && sum[k + 1] < want)
                ++k;
            const double step = sum[k + 1] - sum[k];
            fractions.push_back((k + (step > 0.0 ? std::min((want - sum[k]) / step, 1.0) : 0.0)) / kSteps);
        }
        fractions.front() = 0.0;
        fractions.back() = 1.0;
        return fractions;
    }

    void sew_stretch(const Stretch& a, const Stretch& b) {
        for (const double f : divide(a, &b)) {
            const double s_a = at(a, f), s_b = at(b, f);
            mark(a.panel, a.piece, s_a);
            mark(b.panel, b.piece, s_b);
            pairs_.push_back({a.panel, a.piece, b.panel, b.piece, s_a, s_b});
        }
    }

    /// A vertex on a piece, and on both halves of a fold that lies under it, stitched together.
    void mark(int panel, int piece, double s) {
        marks_[panel][piece][s] = -1;
        const std::vector<CutPiece>& pieces = cut_[panel].pieces;
        for (const CutPleat& pleat : cut_[panel].pleats) {
            if (pleat.over != piece) continue;
            for (const int half : {pleat.first, pleat.second}) {
                // The half beside the piece runs back from where they meet; the other one runs as the piece does.
                const bool back = (half == pleat.first) != pleat.under_end;
                const double whole = pieces[piece].length(), end = pieces[half].length();
                const double along = s == 0.0 ? 0.0 : s == whole ? end : std::min(s, end);
                const double t = back ? (along == 0.0 ? end : along == end ? 0.0 : end - along) : along;
                marks_[panel][half][t] = -1;
                pairs_.push_back({panel, piece, panel, half, s, t});
            }
        }
    }

    bool is_half_of_pleat(std::size_t panel, int piece) const {
        const std::vector<CutPleat>& pleats = cut_[panel].pleats;
        return std::any_of(pleats.begin(), pleats.end(),
                           [&](const CutPleat& p) { return p.first == piece || p.second == piece; });
    }

    /// Ends exactly where the stretch does, so that marks of neighbours agree.
    static double at(const Stretch& s, double f) {
        return f == 0.0 ? s.from : f == 1.0 ? s.to : s.from + f * (s.to - s.from);
    }

    /// What is not sewn.
    void mark_hems() {
        for (std::size_t p = 0; p < cut_.size(); ++p)
            for (std::size_t k = 0; k < cut_[p].pieces.size(); ++k) {
                if (!marks_[p][k].empty() || is_half_of_pleat(p, static_cast<int>(k))) continue;
                const Stretch whole{static_cast<int>(p), static_cast<int>(k), 0.0, cut_[p].pieces[k].length()};
                for (const double f : divide(whole, nullptr))
                    mark(static_cast<int>(p), static_cast<int>(k), at(whole, f));
            }
    }

    /// Numbers the border vertices of a panel and triangulates it.
    Status fill(int panel) {
        std::vector<std::vector<Vec2>> loops;
        std::vector<int> first_of_loop;
        const std::vector<CutPiece>& pieces = cut_[panel].pieces;
        int count = 0;
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            const bool begins = k == 0 || pieces[k].loop != pieces[k - 1].loop;
            const bool ends = k + 1 == pieces.size() || pieces[k + 1].loop != pieces[k].loop;
            if (begins) {
                loops.emplace_back();
                first_of_loop.push_back(count);
            }
            const double end = pieces[k].length();
            for (auto& [s, vertex] : marks_[panel][k]) {
                if (s >= end) { // the next piece's first
                    vertex = ends ? first_of_loop.back() : count;
                    continue;
                }
                vertex = count++;
                loops.back().push_back(pieces[k].point_at(s));
            }
        }
        Result<PlaneMesh> mesh =
            fill_creased(loops, creases_on_border(panel), panel_edge(pattern_.panels[panel], edge_));
        if (!mesh)
            return Error{concat("panel \"", pattern_.panels[panel].name, "\": ", mesh.error().message,
                                " once cut into edges of ", 1000.0 * edge_,
                                " mm; expected darts and holes apart from each "
                                "other and from the outline, or shorter edges")};
        meshes_.push_back(std::move(*mesh));
        return Done{};
    }

    /// Border vertices that creases run between.
    std::vector<std::array<int, 2>> creases_on_border(int panel) const {
        std::vector<std::array<int, 2>> creases;
        for (const CutCrease& crease : cut_[panel].creases)
            creases.push_back({marks_[panel][crease.top].at(0.0), marks_[panel][crease.bottom].at(0.0)});
        return creases;
    }

    Result<std::vector<SewnCloth>> join_panels() {
        std::vector<int> first; // flat vertex of each panel, counted over the whole pattern
        int count = 0;
        for (const PlaneMesh& mesh : meshes_) {
            first.push_back(count);
            count += static_cast<int>(mesh.points.size());
        }
        Sets sets(static_cast<std::size_t>(count));
        for (const SewnPair& pair : pairs_)
            sets.join(first[pair.panel_a] + marks_[pair.panel_a][pair.piece_a].at(pair.s_a),
                      first[pair.panel_b] + marks_[pair.panel_b][pair.piece_b].at(pair.s_b));
        std::vector<SewnCloth> cloths;
        for (std::size_t g = 0; g < pattern_.panels.size(); ++g) {
            if (group_[g] != static_cast<int>(g)) continue;
            Result<SewnCloth> cloth = make_cloth(static_cast<int>(g), first, sets);
            if (!cloth) return cloth.error();
            cloths.push_back(std::move(*cloth));
        }
        return cloths;
    }

    Result<SewnCloth> make_cloth(int group, const std::vector<int>& first, Sets& sets) const {
        SewnCloth cloth;
        cloth.fabric = fabric_of(group);
        cloth.layer = pattern_.panels[group].layer;
        std::map<int, int> vertex_of_set;
        std::vector<int> uses;
        double shelf = 0.0; // panels lie side by side in uv
        for (std::size_t p = 0; p < pattern_.panels.size(); ++p) {
            if (group_[p] != group) continue;
            const PlaneMesh& mesh = meshes_[p];
            const int flat_begin = static_cast<int>(cloth.flat.size());
            cloth.panels.push_back({static_cast<int>(p), flat_begin, static_cast<int>(mesh.points.size()),
                                    cloth.mesh.triangle_count(), static_cast<int>(mesh.triangles.size()),
                                    mirrored_[p] != 0});
            for (std::size_t i = 0; i < mesh.points.size(); ++i) {
                const int set = sets.find(first[p] + static_cast<int>(i));
                const auto [entry, is_new] = vertex_of_set.try_emplace(set, static_cast<int>(vertex_of_set.size()));
                if (is_new) uses.push_back(0);
                ++uses[entry->second];
                cloth.vertex_of.push_back(entry->second);
                cloth.flat.push_back(mesh.points[i]);
            }
            lay_out(p, shelf, cloth);
            name_edges(p, flat_begin, cloth);
            for (const Triangle& t : mesh.triangles) {
                Triangle uv{t[0] + flat_begin, t[1] + flat_begin, t[2] + flat_begin};
                if (mirrored_[p]) std::swap(uv[1], uv[2]);
                const Triangle v{cloth.vertex_of[uv[0]], cloth.vertex_of[uv[1]], cloth.vertex_of[uv[2]]};
                if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
                    return Error{concat("panel \"", pattern_.panels[p].name,
                                        "\": a seam, dart or pleat closes a triangle "
                                        "at ",
                                        cloth.flat[uv[0]].x, ", ", cloth.flat[uv[0]].y,
                                        "; expected edges shorter than ", 1000.0 * edge_, " mm")};
                cloth.mesh.triangles.push_back(v);
                cloth.mesh.uv_triangles.push_back(uv);
            }
        }
        cloth.mesh.positions.resize(uses.size());
        for (std::size_t v = 0; v < uses.size(); ++v)
            if (uses[v] > 1) cloth.seam_vertex.push_back(static_cast<int>(v));
        return cloth;
    }

    void name_edges(std::size_t panel, int flat_begin, SewnCloth& cloth) const {
        const PatternPanel& from = pattern_.panels[panel];
        for (int e = 0; e < static_cast<int>(from.outline.edges.size()); ++e) {
            VertexGroup group{SeamEnd{from.name, from.outline.edges[e].name}.text(), {}};
            for (const int piece : cut_[panel].pieces_of(e))
                for (const auto& [s, vertex] : marks_[panel][piece])
                    group.vertices.push_back(cloth.vertex_of[flat_begin + vertex]);
            group.vertices.erase(std::unique(group.vertices.begin(), group.vertices.end()), group.vertices.end());
            cloth.edges.push_back(std::move(group));
        }
    }

    /// The panel's uv: its warp along u, beside the panels before it.
    void lay_out(std::size_t panel, double& shelf, SewnCloth& cloth) const {
        const double grain = pattern_.panels[panel].grain_deg * kPi / 180.0;
        const maths::SineAndCosine g = maths::sincos(grain);
        const Vec2 warp{-g.sine, g.cosine}, weft{-g.cosine, -g.sine}; // at 0 degrees: along y, and along -x
        const std::size_t begin = cloth.mesh.uv.size();
        Vec2 low{1e300, 1e300};
        double high = -1e300;
        for (std::size_t i = begin; i < cloth.flat.size(); ++i) {
            const Vec2 uv{dot(cloth.flat[i], warp), dot(cloth.flat[i], weft)};
            cloth.mesh.uv.push_back(uv);
            low = {std::min(low.x, uv.x), std::min(low.y, uv.y)};
            high = std::max(high, uv.y);
        }
        for (std::size_t i = begin; i < cloth.mesh.uv.size(); ++i)
            cloth.mesh.uv[i] = cloth.mesh.uv[i] + Vec2{-low.x, shelf - low.y};
        constexpr double kBetween = 0.02; // [m]
        shelf += high - low.y + kBetween;
    }

    const Pattern& pattern_;
    double edge_;
    std::vector<CutPanel> cut_;
    std::vector<std::vector<Marks>> marks_; // per panel and piece
    std::vector<SewnPair> pairs_;
    std::vector<PlaneMesh> meshes_;
    std::vector<char> mirrored_;
    std::vector<int> group_; // first panel of those that hang together
};

} // namespace

int SewnCloth::panel_of_flat(int flat_vertex) const {
    int found = 0;
    for (int p = 0; p < static_cast<int>(panels.size()); ++p)
        if (flat_vertex >= panels[p].flat_begin) found = p;
    return found;
}

Result<std::vector<SewnCloth>> sew_pattern(const Pattern& pattern, double edge) {
    if (!(edge >= 1e-4) || !(edge <= 1.0)) return Error{concat("mesh edges of ", edge, " m; expected 0.0001 to 1 m")};
    if (const Status ok = check_pattern(pattern); !ok) return ok.error();
    double area = 0.0;
    for (const PatternPanel& panel : pattern.panels)
        area += panel_area(panel);
    if (area / (0.433 * edge * edge) > 2.0 * static_cast<double>(kMaxVertices))
        return Error{concat("edges of ", 1000.0 * edge, " mm make more than ", kMaxVertices, " vertices of these ",
                            area, " m2; expected longer ones")};
    return Sewer(pattern, edge).run();
}

double flat_area(const SewnCloth& cloth, const SewnPanel& panel) {
    double area = 0.0;
    for (int t = panel.triangle_begin; t < panel.triangle_begin + panel.triangle_count; ++t) {
        const Triangle& c = cloth.mesh.uv_triangles[t];
        area += 0.5 * std::abs(cross(cloth.flat[c[1]] - cloth.flat[c[0]], cloth.flat[c[2]] - cloth.flat[c[0]]));
    }
    return area;
}

double placed_area(const SewnCloth& cloth, const SewnPanel& panel, const std::vector<Vec3>& positions) {
    double area = 0.0;
    for (int t = panel.triangle_begin; t < panel.triangle_begin + panel.triangle_count; ++t) {
        const Triangle& v = cloth.mesh.triangles[t];
        area += 0.5 * length(doubled_area_normal(positions[v[0]], positions[v[1]], positions[v[2]]));
    }
    return area;
}

} // namespace selvage
