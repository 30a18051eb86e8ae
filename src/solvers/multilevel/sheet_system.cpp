// Off the diagonal the block of corners a and b of a triangle is
//   A_ab = (k_u - t_u) u_a u_b n_u n_u^T + (k_v - t_v) v_a v_b n_v n_v^T + G q_a q_b^T + (t_u u_a u_b + t_v v_a v_b) I
//        + |s|/2 (u_a u_b + v_a v_b) I + s/2 (u_a v_b + v_a u_b) I,
//   q_a = u_a f_v + v_a f_u,   t = max(0, tension)/|f|,   s the shear tension,
// and since the weights u, v of a triangle add up to nothing, the diagonal block of a row is minus the sum of the
// others, plus m/h^2. The same holds for springs and hinges. So: triangles first (strains in double, since a strain of
// 1e-8 is the difference of lengths), then pairs (both blocks of an edge), then rows (residual and diagonal).

#include "solvers/multilevel/sheet_system.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "model/measures.h"

namespace selvage {

namespace {

// How many a thread takes at a time.
constexpr int kBatchGrain = 64, kPairGrain = 128, kPointGrain = 128, kElementGrain = 256;

/// Beyond this stiffness number the mass is lost in the rounding of the stiffness to float. Stiffer cloth is simulated
/// as if it had this number: it then stretches by less than a millionth under its own weight.
constexpr double kMostStiffness = 1e6;

Vec3 to_vec3(const Doubles4& p) {
    return {p[0], p[1], p[2]};
}

Floats4 to_floats(const Vec3& p, double last) {
    return Floats4{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), static_cast<float>(last)};
}

} // namespace

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

namespace {

/// x, y, z of four vectors, each in a row of its own.
SELVAGE_INLINE void to_rows(const Doubles4 (&p)[4], Doubles4& x, Doubles4& y, Doubles4& z) {
    const Doubles4 a = SELVAGE_SHUFFLE(p[0], p[1], 0, 4, 2, 6), b = SELVAGE_SHUFFLE(p[2], p[3], 0, 4, 2, 6);
    const Doubles4 c = SELVAGE_SHUFFLE(p[0], p[1], 1, 5, 3, 7), d = SELVAGE_SHUFFLE(p[2], p[3], 1, 5, 3, 7);
    x = SELVAGE_SHUFFLE(a, b, 0, 1, 4, 5);
    y = SELVAGE_SHUFFLE(c, d, 0, 1, 4, 5);
    z = SELVAGE_SHUFFLE(a, b, 2, 3, 6, 7);
}

/// Four rows of four numbers, turned into the four columns.
SELVAGE_INLINE void to_columns(const Doubles4& x, const Doubles4& y, const Doubles4& z, const Doubles4& w,
                               Floats4 (&out)[4]) {
    const Floats4 a = SELVAGE_TO_FLOATS(x), b = SELVAGE_TO_FLOATS(y), c = SELVAGE_TO_FLOATS(z),
                  d = SELVAGE_TO_FLOATS(w);
    const Floats4 ab01 = SELVAGE_SHUFFLE(a, b, 0, 4, 1, 5), cd01 = SELVAGE_SHUFFLE(c, d, 0, 4, 1, 5);
    const Floats4 ab23 = SELVAGE_SHUFFLE(a, b, 2, 6, 3, 7), cd23 = SELVAGE_SHUFFLE(c, d, 2, 6, 3, 7);
    out[0] = SELVAGE_SHUFFLE(ab01, cd01, 0, 1, 4, 5);
    out[1] = SELVAGE_SHUFFLE(ab01, cd01, 2, 3, 6, 7);
    out[2] = SELVAGE_SHUFFLE(ab23, cd23, 0, 1, 4, 5);
    out[3] = SELVAGE_SHUFFLE(ab23, cd23, 2, 3, 6, 7);
}

SELVAGE_INLINE void load(const double (&from)[4], Doubles4& to) {
    to = Doubles4{from[0], from[1], from[2], from[3]};
}

template <class Batch, class Strains, class Record>
SELVAGE_INLINE void respond_batch(const Batch& batch, const MembraneLaw& law, double scale, const Strains* before,
                                  const Points& x, Record* record) {
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
    const Doubles4 across_u = SELVAGE_SELECT(t.tension_u > zero, t.tension_u, zero) * t.inverse_u;
    const Doubles4 across_v = SELVAGE_SELECT(t.tension_v > zero, t.tension_v, zero) * t.inverse_v;
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
SELVAGE_INLINE void fold_batch(const Batch& batch, const Points& x, HingeLanes<Doubles4>& lanes) {
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
            // The slope of the angle grows without bound as a triangle collapses: limit it to a multiple of that at
            // rest.
            Doubles4 most, size;
            load(batch.most[k], most);
            take_root(lanes.slope_x[k] * lanes.slope_x[k] + lanes.slope_y[k] * lanes.slope_y[k] +
                          lanes.slope_z[k] * lanes.slope_z[k],
                      size);
            const Doubles4 force = moment * SELVAGE_SELECT(size > most, most / size, zero + 1.0);
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
        const auto add = [&](const Floats4& f, double sign) { force += sign * SELVAGE_TO_DOUBLES(f); };
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
        Floats4 r = SELVAGE_TO_FLOATS(force);
        r[3] = 0.0F; // the fourth component held lengths and stiffnesses
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
