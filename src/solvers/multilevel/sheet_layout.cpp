// Set-up: which elements there are, in what batches, in what order points are numbered, and which elements each row of
// the matrix gathers from. What is done with them at every linearisation is in sheet_system.cpp.
//
// A row's slots follow the fan of triangles around its point: triangle k lies between neighbours k and k + 1,
//        n1---n2
//       / \0 1/ \ .     so slot k gets a block of triangle k and one of triangle k - 1.
//      n0--- v---n3
// A fan that closes gives the last triangle's second block to slot 0. Where several fans meet at a point, or three
// triangles at an edge, a neighbour has more than one slot.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "solvers/multilevel/sheet_system.h"

namespace selvage {

namespace {

/// Ties weaker than this still hold a mesh together.
constexpr double kLeastTie = 1e-3;
constexpr int kNoElement = -1;

/// Bits 0 to 20 of a number, two zeros between each.
std::uint64_t spread(std::uint64_t v) {
    std::uint64_t out = 0;
    for (int bit = 0; bit < 21; ++bit)
        out |= (v >> bit & 1) << (3 * bit);
    return out;
}

/// Places along a curve through space (Morton's), on which near places are near points for the most part.
std::vector<std::uint64_t> curve_places(const std::vector<Vec3>& points) {
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (const Vec3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const double size = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    const double scale = size > 0.0 ? 2097151.0 / size : 0.0; // 2^21 - 1
    const auto cell = [&](double v) { return static_cast<std::uint64_t>(std::clamp(v * scale, 0.0, 2097151.0)); };
    std::vector<std::uint64_t> place;
    for (const Vec3& p : points)
        place.push_back(spread(cell(p.x - low.x)) | spread(cell(p.y - low.y)) << 1 | spread(cell(p.z - low.z)) << 2);
    return place;
}

/// Three weights that add up to nothing, as floats that do so exactly: forces then balance to the last bit.
std::array<float, 3> balanced(double second, double third) {
    const auto b = static_cast<float>(second), c = static_cast<float>(third);
    const float sum = b + c;
    // The difference of a sum and the larger of its terms is exact.
    return std::abs(b) > std::abs(c) ? std::array{-sum, b, sum - b} : std::array{-sum, sum - c, c};
}

int corner_of(const Triangle& t, int vertex) {
    return t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2;
}

} // namespace

/// A slot of a row: a neighbour, and the triangle from it to the next one or the spring that leads to it.
struct SheetSystem::RowEntry {
    int neighbour;
    int element = kNoElement; // triangle of the sheet, or a spring behind them all
    int next = kNoElement;    // the triangle's third corner
    bool closes = false;
};

struct SheetSystem::Layout {
    Sheet sheet;
    std::vector<std::vector<RowEntry>> rows; // by the cloth's vertex
    std::vector<int> index_of;               // of the sheet's triangles: place in batches
    int triangle_count() const { return static_cast<int>(sheet.triangles.size()); }
};

/// Bending forces are sums of large terms that cancel where cloth is flat. In float a millionth of them is left, along the
/// cloth as well as across, which would strain a mesh of tenths of a millimetre. So bending is limited as stretch is. At
/// this number, B h^2 / (density l^4) with h = 1/60 s, cloth that ten edges overhang bends by 0.03 mm under its weight.
static void limit_bending(const ClothModel& model, Sheet& sheet) {
    constexpr double kMostBending = 1e5, kStep = 1.0 / 60.0; // [s]
    std::vector<double> sum(model.parts.size()), scale(model.parts.size(), 1.0);
    std::vector<int> count(model.parts.size());
    for (const SheetHinge& hinge : sheet.hinges) {
        sum[hinge.part] += length(model.mesh.positions[hinge.vertex[1]] - model.mesh.positions[hinge.vertex[0]]);
        ++count[hinge.part];
    }
    for (std::size_t p = 0; p < model.parts.size(); ++p) {
        const Material& m = model.parts[p].material;
        const double l = count[p] > 0 ? sum[p] / count[p] : 0.0, rigidity = std::max(m.bend_warp, m.bend_weft);
        const double most = kMostBending * m.density * l * l * l * l / (kStep * kStep);
        if (l > 0.0 && rigidity > most) scale[p] = most / rigidity;
    }
    for (std::size_t p = 0; p < sheet.yarn.size(); ++p)
        sheet.yarn[p].stick *= scale[p];
    for (SheetHinge& hinge : sheet.hinges) {
        hinge.stiffness *= scale[hinge.part];
        hinge.quadratic *= scale[hinge.part];
    }
    if (sheet.plate.value.empty()) return;
    for (std::size_t p = 0; p < model.parts.size(); ++p) {
        const ClothPart& part = model.parts[p];
        const int begin = sheet.plate.start[part.vertex_begin];
        const int end = sheet.plate.start[part.vertex_begin + part.vertex_count];
        for (int e = begin; e < end; ++e)
            sheet.plate.value[e] *= scale[p];
    }
}

SheetSystem::SheetSystem(const ClothModel& model, double compression, bool springs)
    : model_(model), compression_(compression), only_springs_(springs) {
    Layout layout;
    layout.sheet = make_sheet(model);
    limit_bending(model, layout.sheet);
    if (springs) {
        layout.sheet = {};
        for (int p = 0; p < static_cast<int>(model.parts.size()); ++p)
            layout.sheet.spring_parts.push_back(p);
    }
    for (const ClothPart& part : model.parts)
        damped_ = damped_ || part.damping.axial_time > 0.0 || part.damping.relative > 0.0;
    for (const int p : layout.sheet.spring_parts)
        for (int s = 0; s < model.parts[p].spring_count; ++s) {
            const int spring = model.parts[p].spring_begin + s;
            springs_.push_back({spring, p, model.springs[spring].a, model.springs[spring].b});
        }
    law_.resize(model.parts.size());
    find_rows(layout);
    number_points(layout);
    is_held_.assign(padded_count(), 0);
    slice_is_near_held_.assign(padded_count() / kSliceRows, 0);
    build_elements(layout);
    build_rows(layout);
    build_elastic(layout);
    build_bending(layout.sheet);
    yarn_ = YarnFriction(layout.sheet, place_, padded_count());
    build_ties(layout);
    find_pieces();
}

/// The trails through the triangles around a vertex, as (neighbours, triangles); the one that closes comes first.
static std::vector<std::pair<std::vector<int>, std::vector<int>>> find_trails(const Sheet& sheet, int v,
                                                                              std::span<const int> around) {
    std::vector<std::pair<std::vector<int>, std::vector<int>>> trails;
    std::vector<int> left(around.begin(), around.end());
    const auto ends = [&](int t) {
        const int a = corner_of(sheet.triangles[t], v);
        return std::array<int, 2>{sheet.triangles[t][(a + 1) % 3], sheet.triangles[t][(a + 2) % 3]};
    };
    const auto is_open = [&](int n) { // only one triangle that is left has it
        return std::count_if(left.begin(), left.end(), [&](int t) { return ends(t)[0] == n || ends(t)[1] == n; }) == 1;
    };
    while (!left.empty()) {
        int at = ends(left[0])[0];
        for (const int t : left)
            for (const int n : ends(t))
                if (is_open(n)) at = n;
        auto& [nodes, triangles] = trails.emplace_back();
        nodes.push_back(at);
        for (;;) {
            const auto next =
                std::find_if(left.begin(), left.end(), [&](int t) { return ends(t)[0] == at || ends(t)[1] == at; });
            if (next == left.end()) break;
            at = ends(*next)[0] == at ? ends(*next)[1] : ends(*next)[0];
            nodes.push_back(at);
            triangles.push_back(*next);
            left.erase(next);
        }
    }
    std::stable_partition(trails.begin(), trails.end(),
                          [](const auto& trail) { return trail.first.front() == trail.first.back(); });
    return trails;
}

void SheetSystem::find_rows(Layout& layout) const {
    const int n = model_.vertex_count();
    std::vector<std::pair<int, int>> corners;
    for (int t = 0; t < layout.triangle_count(); ++t) {
        const Triangle& v = layout.sheet.triangles[t];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue; // no area, no stiffness
        for (const int corner : v)
            corners.emplace_back(corner, t);
    }
    const IndexLists around = lists_of(n, corners);
    layout.rows.resize(n);
    for (int v = 0; v < n; ++v) {
        std::vector<RowEntry>& row = layout.rows[v];
        for (const auto& [nodes, triangles] : find_trails(layout.sheet, v, around[v])) {
            const bool closes = row.empty() && nodes.front() == nodes.back();
            for (std::size_t k = 0; k < triangles.size(); ++k)
                row.push_back({nodes[k], triangles[k], nodes[k + 1], closes && k + 1 == triangles.size()});
            if (!closes) row.push_back({nodes.back(), kNoElement, kNoElement, false});
        }
    }
    for (int s = 0; s < static_cast<int>(springs_.size()); ++s) {
        layout.rows[springs_[s].a].push_back({springs_[s].b, layout.triangle_count() + s, kNoElement, false});
        layout.rows[springs_[s].b].push_back({springs_[s].a, layout.triangle_count() + s, kNoElement, false});
    }
}

/// Part after part, along a curve through the rest shape, and by falling number of neighbours within windows.
void SheetSystem::number_points(const Layout& layout) {
    const int n = model_.vertex_count();
    const std::vector<std::uint64_t> curve = curve_places(model_.mesh.positions);
    std::vector<int> length(n), part(n, 0);
    for (int p = 0; p < static_cast<int>(model_.parts.size()); ++p)
        std::fill_n(part.begin() + model_.parts[p].vertex_begin, model_.parts[p].vertex_count, p);
    for (int v = 0; v < n; ++v)
        length[v] = static_cast<int>(layout.rows[v].size());
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return std::tie(part[a], curve[a]) < std::tie(part[b], curve[b]); });
    sort_by_length(length, order_);
    place_.resize(n);
    for (int i = 0; i < n; ++i)
        place_[order_[i]] = i;
    for (OwnSpring& spring : springs_) {
        spring.a = place_[spring.a];
        spring.b = place_[spring.b];
    }
}

/// Batches of triangles in the order of their first points, each of one part.
void SheetSystem::build_elements(Layout& layout) {
    const Sheet& sheet = layout.sheet;
    std::vector<int> sorted(layout.triangle_count()), first(layout.triangle_count());
    std::iota(sorted.begin(), sorted.end(), 0);
    for (const int t : sorted)
        first[t] =
            std::min({place_[sheet.triangles[t][0]], place_[sheet.triangles[t][1]], place_[sheet.triangles[t][2]]});
    std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) {
        return std::tie(sheet.triangle_part[a], first[a]) < std::tie(sheet.triangle_part[b], first[b]);
    });
    layout.index_of.resize(layout.triangle_count());
    int lane = 0;
    for (const int t : sorted) {
        if (lane == 0 || lane == kLanes || batch_.back().part != sheet.triangle_part[t]) {
            batch_.emplace_back();
            batch_.back().part = sheet.triangle_part[t];
            lane = 0;
        }
        TriangleBatch& b = batch_.back();
        layout.index_of[t] = kLanes * (static_cast<int>(batch_.size()) - 1) + lane;
        const MembraneTriangle& m = sheet.membrane[t];
        std::tie(b.u1[lane], b.v1[lane], b.u2[lane], b.v2[lane]) = std::tie(m.u1, m.v1, m.u2, m.v2);
        b.stretch_u[lane] = static_cast<float>(m.stretch_u);
        b.stretch_v[lane] = static_cast<float>(m.stretch_v);
        b.shear[lane] = static_cast<float>(m.shear);
        for (int k = 0; k < 3; ++k)
            b.vertex[k][lane] = place_[sheet.triangles[t][k]];
        ++lane;
    }
    batch_.shrink_to_fit();
    record_.resize(kLanes * batch_.size() + springs_.size() + 1);
    if (damped_) {
        before_.resize(batch_.size());
        spring_before_.resize(springs_.size());
    }
}

/// The pattern of the matrix, and for each of its slots the element that fills it.
void SheetSystem::build_rows(const Layout& layout) {
    const int n = model_.vertex_count();
    IndexLists rows;
    for (const int v : order_) {
        for (const RowEntry& entry : layout.rows[v])
            rows.items.push_back(place_[entry.neighbour]);
        rows.start.push_back(static_cast<int>(rows.items.size()));
    }
    pattern_.matrix = make_sliced_matrix(rows);
    const SlicedMatrix& m = pattern_.matrix;
    const int nothing = kRecordStep * (static_cast<int>(record_.size()) - 1);
    corner_.resize(m.block.size() - m.slice_count());
    closes_.assign(corner_.size(), 0);
    for (CornerSlot& slot : corner_)
        std::fill(std::begin(slot.record), std::end(slot.record), nothing);
    for (int i = 0; i < n; ++i)
        for (std::size_t k = 0; k < layout.rows[order_[i]].size(); ++k) {
            const RowEntry& entry = layout.rows[order_[i]][k];
            if (entry.element == kNoElement) continue;
            const std::size_t at = m.start[i / kSliceRows] - i / kSliceRows + k;
            const int lane = i % kSliceRows;
            CornerSlot& slot = corner_[at];
            if (entry.element >= layout.triangle_count()) {
                const int s = entry.element - layout.triangle_count();
                slot.record[lane] = kRecordStep * (static_cast<int>(kLanes * batch_.size()) + s);
                slot.ub[lane] = slot.vb[lane] = springs_[s].a == i ? 1.0F : -1.0F;
                continue;
            }
            const Triangle& t = layout.sheet.triangles[entry.element];
            const MembraneTriangle& w = layout.sheet.membrane[entry.element];
            const std::array<float, 3> u = balanced(w.u1, w.u2), v = balanced(w.v1, w.v2);
            const int b = corner_of(t, entry.neighbour), c = corner_of(t, entry.next);
            slot.record[lane] = kRecordStep * layout.index_of[entry.element];
            slot.ub[lane] = u[b];
            slot.vb[lane] = v[b];
            slot.uc[lane] = u[c];
            slot.vc[lane] = v[c];
            if (entry.closes) closes_[at] = static_cast<std::uint8_t>(closes_[at] | 1U << lane);
        }
}

/// Triangles that are not woven: which blocks of which rows they add to.
void SheetSystem::build_elastic(const Layout& layout) {
    const Sheet& sheet = layout.sheet;
    if (sheet.elastic.empty()) return;
    elastic_ = sheet.elastic;
    elastic_record_.resize(elastic_.size());
    std::vector<int> elastic_of(layout.triangle_count(), -1);
    for (const int t : sheet.elastic_index) {
        elastic_of[t] = static_cast<int>(elastic_index_.size());
        elastic_index_.push_back(layout.index_of[t]);
    }
    elastic_start_.push_back(0);
    for (int i = 0; i < model_.vertex_count(); ++i) {
        const std::vector<RowEntry>& row = layout.rows[order_[i]];
        const auto block = [&](std::size_t k) {
            return SlicedMatrix::place(pattern_.matrix.start[i / kSliceRows] + 1 + static_cast<int>(k), i % kSliceRows);
        };
        for (std::size_t k = 0; k < row.size(); ++k) {
            const int t = row[k].element;
            if (t < 0 || t >= layout.triangle_count() || elastic_of[t] < 0) continue;
            const Triangle& v = sheet.triangles[t];
            elastic_corner_.push_back({elastic_of[t], corner_of(v, order_[i]), block(k),
                                       block(row[k].closes ? 0 : k + 1), corner_of(v, row[k].neighbour),
                                       corner_of(v, row[k].next)});
        }
        elastic_start_.push_back(static_cast<int>(elastic_corner_.size()));
    }
}

void SheetSystem::build_bending(const Sheet& sheet) {
    const int n = model_.vertex_count();
    std::vector<MatrixEntry> flat, all;
    std::vector<std::pair<int, int>> ends;
    std::vector<const SheetHinge*> curved;
    for (const SheetHinge& hinge : sheet.hinges) {
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) {
                if (a == b) continue;
                MatrixEntry entry{place_[hinge.vertex[a]], place_[hinge.vertex[b]],
                                  hinge.tangent * hinge.quadratic * hinge.stencil[a] * hinge.stencil[b]};
                all.push_back(entry);
                entry.value = hinge.quadratic * hinge.stencil[a] * hinge.stencil[b];
                if (hinge.is_flat() && !hinge.in_plate) flat.push_back(entry);
            }
        if (hinge.is_flat()) continue;
        for (int k = 0; k < 4; ++k)
            ends.emplace_back(place_[hinge.vertex[k]], 4 * static_cast<int>(curved.size()) + k);
        curved.push_back(&hinge);
    }
    for (int i = 0; i + 1 < static_cast<int>(sheet.plate.start.size()); ++i)
        for (int e = sheet.plate.start[i]; e < sheet.plate.start[i + 1]; ++e)
            flat.push_back({place_[i], place_[sheet.plate.column[e]], sheet.plate.value[e]});
    const SparseMatrix forces = make_matrix(n, std::move(flat));
    bend_force_.resize(padded_count());
    bend_ = make_sliced_ties({forces.start, forces.column}, {forces.value.begin(), forces.value.end()});
    split_bending_ties(make_matrix(n, std::move(all)));
    if (curved.empty()) return;
    curved_ends_ = lists_of(n, ends);
    hinge_batch_.resize((curved.size() + kHingeLanes - 1) / kHingeLanes);
    for (std::size_t c = 0; c < curved.size(); ++c) {
        const SheetHinge& hinge = *curved[c];
        HingeBatch& batch = hinge_batch_[c / kHingeLanes];
        const std::size_t lane = c % kHingeLanes;
        batch.stiffness[lane] = hinge.stiffness;
        batch.rest_angle[lane] = hinge.rest_angle;
        batch.part[lane] = hinge.part;
        for (int k = 0; k < 4; ++k) {
            batch.vertex[k][lane] = place_[hinge.vertex[k]];
            // Four times the slope at rest, which is the stencil over the edge length.
            batch.most[k][lane] = 4.0 * std::abs(hinge.stencil[k]) * std::sqrt(hinge.quadratic / hinge.stiffness);
        }
    }
    curved_force_.resize(kHingeLanes * hinge_batch_.size());
    if (damped_) curved_before_.resize(kHingeLanes * hinge_batch_.size());
}

/// Bending in the matrix: ties along edges go into the blocks of the pattern, all others are far ties.
void SheetSystem::split_bending_ties(const SparseMatrix& bend) {
    const SlicedMatrix& m = pattern_.matrix;
    IndexLists far;
    std::vector<float> value;
    far_sum_.assign(padded_count(), 0.0F);
    for (int i = 0; i < model_.vertex_count(); ++i) {
        const int slice = i / kSliceRows, lane = i % kSliceRows;
        double sum = 0.0;
        for (int e = bend.start[i]; e < bend.start[i + 1]; ++e) {
            int slot = m.start[slice] + 1;
            while (slot < m.start[slice + 1] && m.column[kSliceRows * slot + lane] != kColumnStep * bend.column[e])
                ++slot;
            if (slot < m.start[slice + 1]) {
                corner_[slot - slice - 1].bend[lane] = static_cast<float>(bend.value[e]);
                continue;
            }
            far.items.push_back(bend.column[e]);
            value.push_back(static_cast<float>(bend.value[e]));
            sum += bend.value[e];
        }
        far_sum_[i] = static_cast<float>(sum);
        far.start.push_back(static_cast<int>(far.items.size()));
    }
    pattern_.far = make_sliced_ties(far, value);
    far_value_ = pattern_.far.value;
}

/// Which points are coupled and how strongly, for the hierarchy; and the mean length of what couples them.
void SheetSystem::build_ties(const Layout& layout) {
    std::vector<MatrixEntry> upper, entries;
    const auto add = [&](int i, int j, double tie) { upper.push_back({std::min(i, j), std::max(i, j), tie}); };
    for (int t = 0; t < layout.triangle_count(); ++t) {
        const Triangle& v = layout.sheet.triangles[t];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        const MembraneTriangle& m = layout.sheet.membrane[t];
        const double u[3] = {-m.u1 - m.u2, m.u1, m.u2}, w[3] = {-m.v1 - m.v2, m.v1, m.v2};
        const double area2 = std::abs(u[1] * w[2] - u[2] * w[1]);
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3;
            add(place_[v[a]], place_[v[b]], area2 > 0.0 ? (u[a] * u[b] + w[a] * w[b]) * 0.5 / area2 : 0.0);
        }
    }
    for (const OwnSpring& spring : springs_) {
        // In units of the stiffest spring of its part, about 1 as triangles are.
        const ClothPart& part = model_.parts[spring.part];
        float most = 0.0F;
        for (int k = part.spring_begin; k < part.spring_begin + std::min(part.spring_count, 64); ++k)
            most = std::max(most, model_.springs[k].stiffness);
        add(spring.a, spring.b, most > 0.0F ? -model_.springs[spring.spring].stiffness / most : -1.0F);
    }
    const SparseMatrix sums = make_matrix(model_.vertex_count(), std::move(upper));
    double length_sum = 0.0;
    for (int i = 0; i < sums.row_count(); ++i)
        for (int e = sums.start[i]; e < sums.start[i + 1]; ++e) {
            const int j = sums.column[e];
            const double tie = std::min(sums.value[e], -kLeastTie);
            entries.insert(entries.end(), {{i, j, tie}, {j, i, tie}, {i, i, -tie}, {j, j, -tie}});
            length_sum += length(model_.mesh.positions[order_[j]] - model_.mesh.positions[order_[i]]);
        }
    edge_length_ = sums.column.empty() ? 0.0 : length_sum / static_cast<double>(sums.column.size());
    pattern_.ties = make_matrix(model_.vertex_count(), std::move(entries));
}

void SheetSystem::find_pieces() {
    const int n = model_.vertex_count();
    const SlicedMatrix& m = pattern_.matrix;
    std::vector<int> piece(n, -1), pending;
    std::vector<std::pair<int, int>> members;
    int count = 0;
    for (int seed = 0; seed < n; ++seed) {
        if (piece[seed] >= 0) continue;
        pending.assign(1, seed);
        piece[seed] = count;
        while (!pending.empty()) {
            const int i = pending.back();
            pending.pop_back();
            for (int slot = m.start[i / kSliceRows]; slot < m.start[i / kSliceRows + 1]; ++slot) {
                const int j = m.column[kSliceRows * slot + i % kSliceRows] / kColumnStep;
                if (piece[j] >= 0) continue;
                piece[j] = count;
                pending.push_back(j);
            }
        }
        ++count;
    }
    for (int i = 0; i < n; ++i)
        members.emplace_back(piece[i], i);
    pieces_ = lists_of(count, members);
}

template <class Visit>
void SheetSystem::for_each_array(const Visit& visit) const {
    visit(order_), visit(place_), visit(batch_), visit(before_), visit(record_), visit(corner_), visit(closes_);
    visit(elastic_), visit(elastic_index_), visit(elastic_record_), visit(elastic_start_), visit(elastic_corner_);
    visit(springs_), visit(spring_before_), visit(hinge_batch_), visit(curved_force_), visit(curved_before_);
    visit(curved_ends_.start), visit(curved_ends_.items), visit(bend_.start), visit(bend_.column), visit(bend_.value);
    visit(bend_force_), visit(far_value_), visit(far_sum_), visit(is_held_), visit(slice_is_near_held_);
    visit(pieces_.start), visit(pieces_.items);
}

std::size_t SheetSystem::bytes() const {
    std::size_t sum = yarn_.bytes();
    for_each_array([&sum](const auto& array) { sum += bytes_of(array); });
    return sum;
}

void SheetSystem::add_to(LargePages& pages) const {
    for_each_array([&pages](const auto& array) { pages.add(array); });
}

} // namespace selvage
