// Set-up: which elements there are, in what batches, and which blocks of the matrix each of them fills. What is done
// with them at every linearisation is in sheet_system.cpp.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "solvers/multilevel/sheet_system.h"

namespace selvage {

namespace {

/// Ties weaker than this still hold a mesh together.
constexpr double kLeastTie = 1e-3;

/// Rows of items from (row, item) pairs, in the order given.
IndexLists lists_of(int row_count, const std::vector<std::pair<int, int>>& pairs) {
    IndexLists lists;
    lists.start.assign(row_count + 1, 0);
    for (const auto& [row, item] : pairs)
        ++lists.start[row + 1];
    for (int row = 0; row < row_count; ++row)
        lists.start[row + 1] += lists.start[row];
    lists.items.resize(pairs.size());
    std::vector<int> next(lists.start.begin(), lists.start.end() - 1);
    for (const auto& [row, item] : pairs)
        lists.items[next[row]++] = item;
    return lists;
}

} // namespace

SheetSystem::SheetSystem(const ClothModel& model, double compression, bool springs)
    : model_(model), compression_(compression) {
    const int n = model.vertex_count();
    law_.resize(model.parts.size());
    is_held_.assign(n, 0);
    touches_held_.assign(n, 0);
    build_elements(springs);
    build_bending();
    build_pairs();
    build_pattern();
    split_bending_ties();
    find_pieces();
    double sum = 0.0;
    for (const Pair& p : pairs_)
        sum += length(model.mesh.positions[p.j] - model.mesh.positions[p.i]);
    edge_length_ = pairs_.empty() ? 0.0 : sum / static_cast<double>(pairs_.size());
}

void SheetSystem::build_elements(bool springs) {
    const int n = model_.vertex_count();
    sheet_ = make_sheet(model_);
    if (springs) {
        sheet_ = {};
        for (int p = 0; p < static_cast<int>(model_.parts.size()); ++p)
            sheet_.spring_parts.push_back(p);
    }
    for (const ClothPart& part : model_.parts)
        damped_ = damped_ || part.damping.axial_time > 0.0 || part.damping.relative > 0.0;
    // Triangles, padded so that a batch is of one part. Lanes that are left have no stiffness.
    std::vector<std::pair<int, int>> corners;
    const std::size_t count = sheet_.triangles.size();
    std::vector<int> index_of(count); // after padding
    int in_batch = 0;
    for (std::size_t t = 0; t < count; ++t) {
        if (in_batch == 0 || in_batch == kLanes || batch_.back().part != sheet_.triangle_part[t]) {
            batch_.push_back({});
            batch_.back().part = sheet_.triangle_part[t];
            in_batch = 0;
        }
        TriangleBatch& b = batch_.back();
        const int index = kLanes * (static_cast<int>(batch_.size()) - 1) + in_batch;
        weights_.resize(kLanes * batch_.size());
        index_of[t] = index;
        const MembraneTriangle& m = sheet_.membrane[t];
        std::tie(b.u1[in_batch], b.v1[in_batch], b.u2[in_batch], b.v2[in_batch], b.stretch_u[in_batch],
                 b.stretch_v[in_batch], b.shear[in_batch]) =
            std::tie(m.u1, m.v1, m.u2, m.v2, m.stretch_u, m.stretch_v, m.shear);
        const auto f = [](double w) { return static_cast<float>(w); };
        weights_[index] = {{f(-m.u1 - m.u2), f(m.u1), f(m.u2), 0}, {f(-m.v1 - m.v2), f(m.v1), f(m.v2), 0}};
        for (int k = 0; k < 3; ++k) {
            b.vertex[k][in_batch] = sheet_.triangles[t][k];
            corners.emplace_back(sheet_.triangles[t][k], 4 * index + k);
        }
        ++in_batch;
    }
    corners_ = lists_of(n, corners);
    record_.resize(weights_.size());
    if (!sheet_.elastic.empty()) elastic_of_.assign(weights_.size(), -1);
    for (const int t : sheet_.elastic_index) {
        elastic_of_[index_of[t]] = static_cast<int>(elastic_.size());
        elastic_.push_back(index_of[t]);
    }
    elastic_record_.resize(elastic_.size());
    if (damped_) before_.resize(batch_.size());

    std::vector<std::pair<int, int>> ends;
    for (const int p : sheet_.spring_parts) {
        const ClothPart& part = model_.parts[p];
        for (int s = part.spring_begin; s < part.spring_begin + part.spring_count; ++s) {
            const int index = static_cast<int>(springs_.size());
            ends.emplace_back(model_.springs[s].a, 2 * index);
            ends.emplace_back(model_.springs[s].b, 2 * index + 1);
            springs_.push_back(s);
            spring_part_.push_back(p);
        }
    }
    spring_ends_ = lists_of(n, ends);
    spring_record_.resize(springs_.size());
    if (damped_) spring_before_.resize(springs_.size());
}

void SheetSystem::build_bending() {
    const int n = model_.vertex_count();
    std::vector<MatrixEntry> flat, all;
    std::vector<std::pair<int, int>> ends;
    for (std::size_t h = 0; h < sheet_.hinges.size(); ++h) {
        const SheetHinge& hinge = sheet_.hinges[h];
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) {
                const MatrixEntry entry{hinge.vertex[a], hinge.vertex[b],
                                        hinge.tangent * hinge.quadratic * hinge.stencil[a] * hinge.stencil[b]};
                all.push_back(entry);
                if (hinge.is_flat() && !hinge.in_plate && a != b) flat.push_back(entry);
            }
        if (hinge.is_flat()) continue;
        for (int k = 0; k < 4; ++k)
            ends.emplace_back(hinge.vertex[k], 4 * static_cast<int>(curved_.size()) + k);
        curved_.push_back(static_cast<int>(h));
    }
    for (int i = 0; i + 1 < static_cast<int>(sheet_.plate.start.size()); ++i)
        for (int e = sheet_.plate.start[i]; e < sheet_.plate.start[i + 1]; ++e)
            flat.push_back({i, sheet_.plate.column[e], sheet_.plate.value[e]});
    bend_ = make_matrix(n, std::move(flat));
    bend_all_ = make_matrix(n, std::move(all));
    curved_ends_ = lists_of(n, ends);
    hinge_batch_.resize((curved_.size() + kLanes - 1) / kLanes);
    for (std::size_t c = 0; c < curved_.size(); ++c) {
        const SheetHinge& hinge = sheet_.hinges[curved_[c]];
        HingeBatch& batch = hinge_batch_[c / kLanes];
        const std::size_t lane = c % kLanes;
        batch.stiffness[lane] = hinge.stiffness;
        batch.rest_angle[lane] = hinge.rest_angle;
        batch.part[lane] = hinge.part;
        for (int k = 0; k < 4; ++k) {
            batch.vertex[k][lane] = hinge.vertex[k];
            // Four times the slope at rest, which is the stencil over the edge length.
            batch.most[k][lane] = 4.0 * std::abs(hinge.stencil[k]) * std::sqrt(hinge.quadratic / hinge.stiffness);
        }
    }
    curved_force_.resize(kLanes * hinge_batch_.size());
    if (damped_) curved_before_.resize(kLanes * hinge_batch_.size());
}

void SheetSystem::build_pairs() {
    struct Source {
        int i, j;
        PairSource source;
    };
    std::vector<Source> all;
    for (std::size_t b = 0; b < batch_.size(); ++b)
        for (int lane = 0; lane < kLanes; ++lane) {
            const TriangleBatch& batch = batch_[b];
            if (batch.vertex[0][lane] == batch.vertex[1][lane]) continue; // padding
            for (int k = 0; k < 3; ++k) {
                int a = k, c = (k + 1) % 3;
                if (batch.vertex[a][lane] > batch.vertex[c][lane]) std::swap(a, c);
                all.push_back({batch.vertex[a][lane],
                               batch.vertex[c][lane],
                               {static_cast<int>(kLanes * b) + lane, static_cast<std::int16_t>(a),
                                static_cast<std::int16_t>(c)}});
            }
        }
    for (std::size_t s = 0; s < springs_.size(); ++s) {
        const Spring& spring = model_.springs[springs_[s]];
        all.push_back({spring.a, spring.b, {static_cast<int>(s), -1, -1}});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Source& x, const Source& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); });
    source_start_.push_back(0);
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k == 0 || all[k].i != all[k - 1].i || all[k].j != all[k - 1].j) {
            if (k > 0) source_start_.push_back(static_cast<int>(k));
            pairs_.push_back({all[k].i, all[k].j, 0, 0, 0.0F});
        }
        source_.push_back(all[k].source);
    }
    if (!all.empty()) source_start_.push_back(static_cast<int>(all.size()));
}

/// Rows of the matrix: the diagonal block, then the neighbours in ascending order.
void SheetSystem::build_pattern() {
    const int n = model_.vertex_count();
    std::vector<std::vector<int>> neighbours(n);
    for (const Pair& p : pairs_) {
        neighbours[p.i].push_back(p.j);
        neighbours[p.j].push_back(p.i);
    }
    row_start_.push_back(0);
    for (int i = 0; i < n; ++i) {
        std::sort(neighbours[i].begin(), neighbours[i].end());
        row_column_.push_back(i);
        row_column_.insert(row_column_.end(), neighbours[i].begin(), neighbours[i].end());
        row_start_.push_back(static_cast<int>(row_column_.size()));
    }
    for (Pair& p : pairs_) {
        p.block = block_at(p.i, p.j);
        p.mirror = block_at(p.j, p.i);
    }
}

/// Index of the block off the diagonal in row i and column j; -1 when the pattern has none.
int SheetSystem::block_at(int i, int j) const {
    const auto begin = row_column_.begin() + row_start_[i] + 1, end = row_column_.begin() + row_start_[i + 1];
    const auto at = std::lower_bound(begin, end, j);
    return at != end && *at == j ? static_cast<int>(at - row_column_.begin()) : -1;
}

/// Bending: ties along edges go into the blocks of the pattern, all others are far ties.
void SheetSystem::split_bending_ties() {
    const int n = model_.vertex_count();
    std::vector<float> near(row_column_.size(), 0.0F);
    far_sum_.assign(n, 0.0F);
    far_.start.push_back(0);
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int e = bend_all_.start[i]; e < bend_all_.start[i + 1]; ++e) {
            const int j = bend_all_.column[e];
            if (j == i) continue;
            if (const int block = block_at(i, j); block >= 0) {
                near[block] = static_cast<float>(bend_all_.value[e]);
                continue;
            }
            far_.column.push_back(j);
            far_.value.push_back(static_cast<float>(bend_all_.value[e]));
            sum += bend_all_.value[e];
        }
        far_sum_[i] = static_cast<float>(sum);
        far_.start.push_back(static_cast<int>(far_.column.size()));
    }
    for (Pair& p : pairs_)
        p.bend = near[p.block];
}

void SheetSystem::find_pieces() {
    const int n = model_.vertex_count();
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
            for (int e = row_start_[i]; e < row_start_[i + 1]; ++e)
                if (piece[row_column_[e]] < 0) {
                    piece[row_column_[e]] = count;
                    pending.push_back(row_column_[e]);
                }
        }
        ++count;
    }
    for (int i = 0; i < n; ++i)
        members.emplace_back(piece[i], i);
    pieces_ = lists_of(count, members);
}

BlockMatrix SheetSystem::pattern() const {
    return {row_start_, row_column_, std::vector<Block>(row_column_.size())};
}

FarTies SheetSystem::far_ties() const {
    return far_;
}

SparseMatrix SheetSystem::ties() const {
    std::vector<MatrixEntry> entries;
    const auto add = [&](int i, int j, double tie) {
        entries.push_back({i, j, tie});
        entries.push_back({j, i, tie});
        entries.push_back({i, i, -tie});
        entries.push_back({j, j, -tie});
    };
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        double tie = 0.0;
        for (int s = source_start_[p]; s < source_start_[p + 1]; ++s) {
            const auto& [element, a, b] = source_[s];
            if (a < 0) {
                // In units of the stiffest spring of its part, about 1 as triangles are.
                const ClothPart& part = model_.parts[spring_part_[element]];
                float most = 0.0F;
                for (int k = part.spring_begin; k < part.spring_begin + std::min(part.spring_count, 64); ++k)
                    most = std::max(most, model_.springs[k].stiffness);
                tie -= most > 0.0F ? model_.springs[springs_[element]].stiffness / most : 1.0F;
                continue;
            }
            const TriangleWeights& w = weights_[element];
            const double area2 = std::abs(static_cast<double>(w.u[1]) * w.v[2] - static_cast<double>(w.u[2]) * w.v[1]);
            if (area2 > 0.0)
                tie += (static_cast<double>(w.u[a]) * w.u[b] + static_cast<double>(w.v[a]) * w.v[b]) * 0.5 / area2;
        }
        add(pairs_[p].i, pairs_[p].j, std::min(tie, -kLeastTie));
    }
    return make_matrix(model_.vertex_count(), std::move(entries));
}

std::size_t SheetSystem::bytes() const {
    const auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    const auto lists = [&](const IndexLists& v) { return of(v.start) + of(v.items); };
    const auto matrix = [&](const SparseMatrix& v) { return of(v.start) + of(v.column) + of(v.value); };
    return of(sheet_.triangles) + of(sheet_.membrane) + of(sheet_.triangle_part) + of(sheet_.hinges) +
           of(sheet_.plate.start) + of(sheet_.plate.column) + of(sheet_.plate.value) + of(sheet_.elastic) +
           of(sheet_.elastic_index) + of(elastic_) + of(elastic_of_) + of(elastic_record_) + of(batch_) + of(before_) +
           of(weights_) + of(record_) + lists(corners_) + of(springs_) + of(spring_part_) + of(spring_record_) +
           of(spring_before_) + lists(spring_ends_) + of(curved_) + of(hinge_batch_) + of(curved_force_) +
           lists(curved_ends_) + matrix(bend_) + matrix(bend_all_) + of(pairs_) + of(source_start_) + of(source_) +
           of(row_start_) + of(row_column_) + of(far_.start) + of(far_.column) + of(far_.value) + of(far_sum_) +
           lists(pieces_);
}

} // namespace selvage
