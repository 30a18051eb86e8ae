// Off the diagonal the block of corners a and b of a triangle is
//   A_ab = (k_u - t_u) u_a u_b n_u n_u^T + (k_v - t_v) v_a v_b n_v n_v^T + G q_a q_b^T + (t_u u_a u_b + t_v v_a v_b) I
//        + |s|/2 (u_a u_b + v_a v_b) I + s/2 (u_a v_b + v_a u_b) I,
//   q_a = u_a f_v + v_a f_u,   t = max(0, tension)/|f|,   s the shear tension,
// and since the weights u, v of a triangle add up to nothing, the diagonal block of a row is minus the sum of the others,
// plus m/h^2. The same holds for springs and hinges. So: triangles first (strains in double, since a strain of 1e-8 is
// the difference of lengths), then pairs (both blocks of an edge), then rows (residual and diagonal).

#include "solvers/sheet_system.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/wide.h"
#include "model/measures.h"

namespace selvage {

namespace {

constexpr int kBatchGrain = 64, kPairGrain = 128, kPointGrain = 128,
              kElementGrain = 256; // handed to a thread at a time

/// Beyond this stiffness number mass is lost in a float's rounding of the stiffness next to it. Cloth so stiff is
/// simulated softer: what is left stretches by less than a millionth under its own weight.
constexpr double kMostStiffness = 1e6;

/// Ties weaker than this still hold a mesh together.
constexpr double kLeastTie = 1e-3;

Vec3 to_vec3(const Doubles4& p) {
    return {p[0], p[1], p[2]};
}

Floats4 to_floats(const Vec3& p, double last) {
    return Floats4{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), static_cast<float>(last)};
}

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
    const int n = model_.vertex_count();
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

    // Pattern: the diagonal, then neighbours in rising order.
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
    const auto block_at = [&](int i, int j) {
        const auto begin = row_column_.begin() + row_start_[i] + 1, end = row_column_.begin() + row_start_[i + 1];
        const auto at = std::lower_bound(begin, end, j);
        return at != end && *at == j ? static_cast<int>(at - row_column_.begin()) : -1;
    };
    for (Pair& p : pairs_) {
        p.block = block_at(p.i, p.j);
        p.mirror = block_at(p.j, p.i);
    }
    // Bending: ties along edges go into their blocks, the others are the far ones.
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

double SheetSystem::stiffness_number(double h) const {
    double most = 0.0;
    const double l = edge_length_;
    if (!(l > 0.0)) return 0.0;
    for (const ClothPart& part : model_.parts) {
        const Material& m = part.material;
        most = std::max(most, std::max(m.stretch_warp, m.stretch_weft) * h * h / (m.density * l * l));
    }
    return most;
}

double SheetSystem::elastic_energy(std::span<const Vec3> position) const {
    double energy = sheet_energy(sheet_, position, compression_);
    for (const int s : springs_)
        energy += spring_energy(model_.springs[s], position);
    return energy;
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

void SheetSystem::hold(std::span<const std::uint8_t> is_held, FarTies& far) {
    std::copy(is_held.begin(), is_held.end(), is_held_.begin());
    for (int i = 0; i < model_.vertex_count(); ++i) {
        touches_held_[i] = 0;
        for (int e = row_start_[i]; e < row_start_[i + 1]; ++e)
            touches_held_[i] |= is_held_[row_column_[e]];
        for (int e = far_.start[i]; e < far_.start[i + 1]; ++e)
            far.value[e] = is_held_[i] || is_held_[far_.column[e]] ? 0.0F : far_.value[e];
    }
}

void SheetSystem::set_laws(double h) {
    for (std::size_t p = 0; p < law_.size(); ++p) {
        const Material& m = model_.parts[p].material;
        const double number =
            std::max(m.stretch_warp, m.stretch_weft) * h * h / (m.density * edge_length_ * edge_length_);
        law_[p] = {number > kMostStiffness ? kMostStiffness / number : 1.0, model_.parts[p].damping.axial_time / h};
    }
}

void SheetSystem::start_step(ThreadPool& pool, const Points& x, double h) {
    set_laws(h);
    if (!damped_) return;
    pool.for_chunks(static_cast<int>(batch_.size()), kBatchGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b)
            for (int k = 0; k < kLanes; ++k) {
                const TriangleBatch& t = batch_[b];
                const Doubles4& x0 = x[t.vertex[0][k]];
                const Vec3 e1 = to_vec3(x[t.vertex[1][k]] - x0), e2 = to_vec3(x[t.vertex[2][k]] - x0);
                const Vec3 fu = t.u1[k] * e1 + t.u2[k] * e2, fv = t.v1[k] * e1 + t.v2[k] * e2;
                before_[b].u[k] = length(fu) - 1.0;
                before_[b].v[k] = length(fv) - 1.0;
                before_[b].shear[k] = selvage::dot(fu, fv);
            }
    });
    pool.for_each(static_cast<int>(springs_.size()), [&](int s) {
        const Spring& spring = model_.springs[springs_[s]];
        spring_before_[s] = to_vec3(x[spring.b] - x[spring.a]);
    });
    pool.for_chunks(static_cast<int>(hinge_batch_.size()), kBatchGrain,
                    [&](int begin, int end) { measure_hinges(x, begin, end); });
}

namespace {

/// x, y, z of four vectors, each in a row of its own.
[[gnu::always_inline]] inline void to_rows(const Doubles4 (&p)[4], Doubles4& x, Doubles4& y, Doubles4& z) {
    const Doubles4 a = __builtin_shufflevector(p[0], p[1], 0, 4, 2, 6),
                   b = __builtin_shufflevector(p[2], p[3], 0, 4, 2, 6);
    const Doubles4 c = __builtin_shufflevector(p[0], p[1], 1, 5, 3, 7),
                   d = __builtin_shufflevector(p[2], p[3], 1, 5, 3, 7);
    x = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    y = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    z = __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// Four rows of four numbers, turned into the four columns.
[[gnu::always_inline]] inline void to_columns(const Doubles4& x, const Doubles4& y, const Doubles4& z,
                                              const Doubles4& w, Floats4 (&out)[4]) {
    const Floats4 a = __builtin_convertvector(x, Floats4), b = __builtin_convertvector(y, Floats4),
                  c = __builtin_convertvector(z, Floats4), d = __builtin_convertvector(w, Floats4);
    const Floats4 ab01 = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd01 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Floats4 ab23 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd23 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab01, cd01, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab01, cd01, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ab23, cd23, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(ab23, cd23, 2, 3, 6, 7);
}

[[gnu::always_inline]] inline void load(const double (&from)[4], Doubles4& to) {
    to = Doubles4{from[0], from[1], from[2], from[3]};
}

template <class Batch, class Strains, class Record>
[[gnu::always_inline]] inline void respond_batch(const Batch& batch, const MembraneLaw& law, double scale,
                                                 const Strains* before, const Points& x, Record* record) {
    Doubles4 e1[4], e2[4];
    for (int k = 0; k < 4; ++k) {
        e1[k] = x[batch.vertex[1][k]] - x[batch.vertex[0][k]];
        e2[k] = x[batch.vertex[2][k]] - x[batch.vertex[0][k]];
    }
    MembraneLanes<Doubles4> t;
    to_rows(e1, t.x1, t.y1, t.z1);
    to_rows(e2, t.x2, t.y2, t.z2);
    load(batch.u1, t.u1);
    load(batch.v1, t.v1);
    load(batch.u2, t.u2);
    load(batch.v2, t.v2);
    load(batch.stretch_u, t.stretch_u);
    load(batch.stretch_v, t.stretch_v);
    load(batch.shear, t.shear);
    t.stretch_u *= scale;
    t.stretch_v *= scale;
    t.shear *= scale;
    const Doubles4 zero = {};
    t.compression = zero + law.compression;
    t.damping_rate = zero + law.damping_rate;
    t.before_u = t.before_v = t.before_shear = zero;
    if (before) {
        load(before->u, t.before_u);
        load(before->v, t.before_v);
        load(before->shear, t.before_shear);
    }
    respond(t);
    const Doubles4 across_u = (t.tension_u > zero ? t.tension_u : zero) * t.inverse_u;
    const Doubles4 across_v = (t.tension_v > zero ? t.tension_v : zero) * t.inverse_v;
    Floats4 warp[4], weft[4], force1[4], force2[4], stiffness[4];
    to_columns(t.warp_x, t.warp_y, t.warp_z, t.stiffness_u - across_u, warp);
    to_columns(t.weft_x, t.weft_y, t.weft_z, t.stiffness_v - across_v, weft);
    to_columns(t.force1_x, t.force1_y, t.force1_z, t.length_u, force1);
    to_columns(t.force2_x, t.force2_y, t.force2_z, t.length_v, force2);
    to_columns(across_u, across_v, t.stiffness_shear, t.tension_shear, stiffness);
    for (int k = 0; k < 4; ++k)
        record[k] = {warp[k], weft[k], force1[k], force2[k], stiffness[k]};
}

} // namespace

SELVAGE_WIDE void SheetSystem::respond_triangles(const Points& x, int begin, int end) {
    for (int b = begin; b < end; ++b) {
        const PartLaw& part = law_[batch_[b].part];
        if (damped_)
            respond_batch(batch_[b], {compression_, part.damping_rate}, part.stiffness_scale, &before_[b], x,
                          &record_[kLanes * b]);
        else
            respond_batch<TriangleBatch, StrainBatch>(batch_[b], {compression_, 0.0}, part.stiffness_scale, nullptr, x,
                                                      &record_[kLanes * b]);
    }
}

void SheetSystem::respond_elastic(const Points& x, int begin, int end) {
    const auto to_block = [](const Matrix9& m) {
        Block b;
        for (int c = 0; c < 3; ++c)
            b.column[c] = to_floats({m[c], m[3 + c], m[6 + c]}, 0.0);
        return b;
    };
    for (int k = begin; k < end; ++k) {
        const int index = elastic_[k], lane = index % kLanes;
        const TriangleBatch& t = batch_[index / kLanes];
        const PartLaw& law = law_[t.part];
        GreenStrain before;
        if (damped_) {
            const StrainBatch& b = before_[index / kLanes];
            before = {0.5 * b.u[lane] * (2.0 + b.u[lane]), 0.5 * b.v[lane] * (2.0 + b.v[lane]), b.shear[lane]};
        }
        const Doubles4& x0 = x[t.vertex[0][lane]];
        const ElasticResponse r =
            respond(sheet_.elastic[k], to_vec3(x[t.vertex[1][lane]] - x0), to_vec3(x[t.vertex[2][lane]] - x0),
                    law.stiffness_scale, damped_ ? law.damping_rate : 0.0, before, MembraneHessian::definite);
        record_[index].force1 = to_floats(r.force1, 0.0);
        record_[index].force2 = to_floats(r.force2, 0.0);
        elastic_record_[k] = {to_block(r.uu), to_block(r.uv), to_block(r.vv)};
    }
}

void SheetSystem::respond_springs(const Points& x, double h, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        const Spring& spring = model_.springs[springs_[s]];
        const PartLaw& law = law_[spring_part_[s]];
        const Vec3 u = to_vec3(x[spring.b] - x[spring.a]);
        const double l = length(u), k = law.stiffness_scale * spring.stiffness;
        const Vec3 n = normalized(u);
        double tension = k * (l - spring.rest_length), axial = k;
        Vec3 drag;
        double drag_rate = 0.0;
        if (damped_) {
            tension += k * law.damping_rate * (l - length(spring_before_[s]));
            axial += k * law.damping_rate;
            drag_rate = model_.parts[spring_part_[s]].damping.relative / h;
            drag = drag_rate * (u - spring_before_[s]);
        }
        const double across = l > 1e-12 ? std::max(0.0, tension) / l : 0.0;
        spring_record_[s] = {to_floats(n, axial - across), to_floats(tension * n + drag, across + drag_rate)};
        if (!(l > 1e-12)) spring_record_[s].direction = Floats4{0, 0, 0, 0};
    }
}

namespace {

template <class Batch>
[[gnu::always_inline]] inline void fold_batch(const Batch& batch, const Points& x, HingeLanes<Doubles4>& lanes) {
    Doubles4 p[4];
    for (int k = 0; k < 4; ++k)
        p[k] = x[batch.vertex[0][k]];
    to_rows(p, lanes.ax, lanes.ay, lanes.az);
    for (int k = 0; k < 4; ++k)
        p[k] = x[batch.vertex[1][k]];
    to_rows(p, lanes.bx, lanes.by, lanes.bz);
    for (int k = 0; k < 4; ++k)
        p[k] = x[batch.vertex[2][k]];
    to_rows(p, lanes.cx, lanes.cy, lanes.cz);
    for (int k = 0; k < 4; ++k)
        p[k] = x[batch.vertex[3][k]];
    to_rows(p, lanes.dx, lanes.dy, lanes.dz);
    fold(lanes);
}

} // namespace

SELVAGE_WIDE void SheetSystem::measure_hinges(const Points& x, int begin, int end) {
    HingeLanes<Doubles4> lanes;
    for (int b = begin; b < end; ++b) {
        fold_batch(hinge_batch_[b], x, lanes);
        for (int k = 0; k < kLanes; ++k)
            curved_before_[kLanes * b + k] = lanes.angle[k];
    }
}

SELVAGE_WIDE void SheetSystem::respond_hinges(const Points& x, int begin, int end) {
    HingeLanes<Doubles4> lanes;
    const Doubles4 zero = {};
    for (int b = begin; b < end; ++b) {
        const HingeBatch& batch = hinge_batch_[b];
        fold_batch(batch, x, lanes);
        Doubles4 rest, stiffness;
        load(batch.rest_angle, rest);
        load(batch.stiffness, stiffness);
        Doubles4 moment = lanes.angle - rest;
        if (damped_)
            for (int k = 0; k < kLanes; ++k)
                moment[k] += law_[batch.part[k]].damping_rate * (lanes.angle[k] - curved_before_[kLanes * b + k]);
        moment *= -stiffness;
        for (int k = 0; k < 4; ++k) {
            // A triangle that collapses makes the angle's slope grow without bound: no more than some times that of the rest.
            Doubles4 most, size;
            load(batch.most[k], most);
            take_root(lanes.slope_x[k] * lanes.slope_x[k] + lanes.slope_y[k] * lanes.slope_y[k] +
                          lanes.slope_z[k] * lanes.slope_z[k],
                      size);
            const Doubles4 force = moment * (size > most ? most / size : zero + 1.0);
            Floats4 columns[4];
            to_columns(force * lanes.slope_x[k], force * lanes.slope_y[k], force * lanes.slope_z[k], zero, columns);
            for (int lane = 0; lane < kLanes; ++lane)
                curved_force_[kLanes * b + lane][k] = columns[lane];
        }
    }
}

SELVAGE_WIDE void SheetSystem::fill_pairs(BlockMatrix& matrix, int begin, int end) const {
    const Floats4 unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    const Floats4 three = {1, 1, 1, 0};
    for (int p = begin; p < end; ++p) {
        const Pair& pair = pairs_[p];
        Block sum = {};
        float equal = pair.bend;
        for (int s = source_start_[p]; s < source_start_[p + 1]; ++s) {
            const auto& [element, a, b] = source_[s];
            if (a < 0) {
                const SpringRecord& r = spring_record_[element];
                const Floats4 n = r.direction * three;
                equal -= r.force[3];
                for (int c = 0; c < 3; ++c)
                    sum.column[c] -= n * (r.direction[3] * n[c]);
                continue;
            }
            const TriangleRecord& r = record_[element];
            const TriangleWeights& w = weights_[element];
            const Floats4 nu = r.warp * three, nv = r.weft * three;
            const Floats4 fu = nu * r.force1[3], fv = nv * r.force2[3];
            const float uu = w.u[a] * w.u[b], vv = w.v[a] * w.v[b];
            const Floats4 qa = w.u[a] * fv + w.v[a] * fu;
            const Floats4 qb = (w.u[b] * fv + w.v[b] * fu) * r.stiffness[2];
            const Floats4 su = nu * (r.warp[3] * uu), sv = nv * (r.weft[3] * vv);
            const float shear = 0.5F * r.stiffness[3]; // tension; its positive half: see membrane_hessian
            equal += r.stiffness[0] * uu + r.stiffness[1] * vv + std::abs(shear) * (uu + vv) +
                     shear * (w.u[a] * w.v[b] + w.v[a] * w.u[b]);
            for (int c = 0; c < 3; ++c)
                sum.column[c] += nu * su[c] + nv * sv[c] + qa * qb[c];
            if (elastic_of_.empty() || elastic_of_[element] < 0) continue;
            const ElasticRecord& elastic = elastic_record_[elastic_of_[element]];
            add_scaled(sum, elastic.uu, uu);
            add_scaled(sum, elastic.vv, vv);
            add_scaled(sum, elastic.uv, w.u[a] * w.v[b]);
            add_scaled(sum, transposed(elastic.uv), w.v[a] * w.u[b]);
        }
        for (int c = 0; c < 3; ++c)
            sum.column[c] += unit[c] * equal;
        matrix.block[pair.block] = sum;
        matrix.block[pair.mirror] = transposed(sum);
    }
}

SELVAGE_WIDE void SheetSystem::fill_rows(const Points& x, const Inertia& inertia, double h, BlockMatrix& matrix,
                                         std::span<Floats4> residual, int begin, int end) const {
    const double per_h2 = 1.0 / (h * h);
    for (int i = begin; i < end; ++i) {
        Block* row = matrix.block.data() + matrix.start[i];
        const int count = matrix.start[i + 1] - matrix.start[i];
        if (is_held_[i]) {
            for (int e = 0; e < count; ++e)
                row[e] = {};
            residual[i] = Floats4{};
            continue;
        }
        const double inertial = inertia.mass[i] * per_h2;
        Block diagonal = scaled_identity(static_cast<float>(inertial) - far_sum_[i]);
        for (int e = 1; e < count; ++e)
            for (int c = 0; c < 3; ++c)
                diagonal.column[c] -= row[e].column[c];
        row[0] = diagonal;
        if (touches_held_[i]) {
            const int* column = matrix.column.data() + matrix.start[i];
            for (int e = 1; e < count; ++e)
                if (is_held_[column[e]]) row[e] = {};
        }
        Doubles4 force = inertial * (inertia.y[i] - x[i]);
        const auto add = [&](const Floats4& f, double sign) { force += sign * __builtin_convertvector(f, Doubles4); };
        for (const int corner : corners_[i]) {
            const TriangleRecord& r = record_[corner >> 2];
            if ((corner & 3) == 1) {
                add(r.force1, 1.0);
            } else if ((corner & 3) == 2) {
                add(r.force2, 1.0);
            } else {
                add(r.force1, -1.0);
                add(r.force2, -1.0);
            }
        }
        for (const int end_of : spring_ends_[i])
            add(spring_record_[end_of >> 1].force, end_of & 1 ? -1.0 : 1.0);
        for (int e = bend_.start[i]; e < bend_.start[i + 1]; ++e)
            force -= bend_.value[e] * (x[bend_.column[e]] - x[i]);
        for (const int end_of : curved_ends_[i])
            add(curved_force_[end_of >> 2][end_of & 3], 1.0);
        Floats4 r = __builtin_convertvector(force, Floats4);
        r[3] = 0.0F; // lengths and stiffnesses rode along
        residual[i] = r;
    }
}

void SheetSystem::linearise(ThreadPool& pool, const Points& x, const Inertia& inertia, double h, BlockMatrix& matrix,
                            std::span<Floats4> residual) {
    pool.for_chunks(static_cast<int>(batch_.size()), kBatchGrain,
                    [&](int begin, int end) { respond_triangles(x, begin, end); });
    pool.for_chunks(static_cast<int>(elastic_.size()), kElementGrain,
                    [&](int begin, int end) { respond_elastic(x, begin, end); });
    pool.for_chunks(static_cast<int>(springs_.size()), kElementGrain,
                    [&](int begin, int end) { respond_springs(x, h, begin, end); });
    pool.for_chunks(static_cast<int>(hinge_batch_.size()), kBatchGrain,
                    [&](int begin, int end) { respond_hinges(x, begin, end); });
    pool.for_chunks(static_cast<int>(pairs_.size()), kPairGrain,
                    [&](int begin, int end) { fill_pairs(matrix, begin, end); });
    pool.for_chunks(model_.vertex_count(), kPointGrain,
                    [&](int begin, int end) { fill_rows(x, inertia, h, matrix, residual, begin, end); });
}

} // namespace selvage
