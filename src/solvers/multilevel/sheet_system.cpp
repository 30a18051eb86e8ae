// With f_u = sum of u_a x_a and f_v = sum of v_a x_a over its corners, the block of corners a and b of a triangle is
//   A_ab = (k_u - t_u)/|f_u|^2 u_a u_b f_u f_u^T + (k_v - t_v)/|f_v|^2 v_a v_b f_v f_v^T + G q_a q_b^T
//        + (t_u u_a u_b + t_v v_a v_b) I + |s|/2 (u_a u_b + v_a v_b) I + s/2 (u_a v_b + v_a u_b) I,
//   q_a = u_a f_v + v_a f_u,   t = max(0, tension)/|f|,   s the shear tension,
// and the force on a is -u_a (tension_u/|f_u| f_u + s f_v) - v_a (tension_v/|f_v| f_v + s f_u). Since the weights u, v
// of a triangle add up to nothing, the diagonal block of a row is minus the sum of the others, plus m/h^2. The same
// holds for springs and hinges. So: triangles first, a record of twelve numbers each; then rows, eight at a time, which
// walk around their points from triangle to triangle. Nothing is stored by pairs, and both blocks of an edge are worked
// out: eight rows write their own slots faster than they would find those of their neighbours.
// Strains are differences of lengths: |f|^2 - 1 is formed in double, and float is exact enough from there on.
// A spring is a triangle of two corners: f_u its direction, and what f_u does not carry of its force in f_v.

#include "solvers/multilevel/sheet_system.h"

#include <algorithm>
#include <cmath>

#include "model/measures.h"

namespace selvage {

namespace {

// How many a thread takes at a time.
constexpr int kBatchGrain = 32, kElementGrain = 256;

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
    double energy = 0.0;
    if (!only_springs_) {
        if (!energy_sheet_) energy_sheet_ = std::make_unique<Sheet>(make_sheet(model_));
        energy = sheet_energy(*energy_sheet_, position, compression_);
    }
    for (const OwnSpring& spring : springs_)
        energy += spring_energy(model_.springs[spring.spring], position);
    return energy;
}

void SheetSystem::hold(std::span<const std::uint8_t> is_held, const SlicedMatrix& matrix, SlicedTies& far) {
    for (std::size_t i = 0; i < order_.size(); ++i)
        is_held_[i] = is_held[order_[i]];
    for (int s = 0; s < matrix.slice_count(); ++s) {
        std::uint8_t near = 0;
        for (int k = kSliceRows * matrix.start[s]; k < kSliceRows * matrix.start[s + 1]; ++k)
            near |= is_held_[matrix.column[k] / kColumnStep];
        slice_is_near_held_[s] = near;
        for (int slot = far.start[s]; slot < far.start[s + 1]; ++slot)
            for (int lane = 0; lane < kSliceRows; ++lane) {
                const int column = far.column[kSliceRows * slot + lane] / kColumnStep;
                const bool is_out = is_held_[kSliceRows * s + lane] || is_held_[column];
                far.value[slot].value[lane] = is_out ? 0.0F : far_value_[slot].value[lane];
            }
    }
}

SheetSystem::Law SheetSystem::law_of(int part, double h) const {
    const Material& m = model_.parts[part].material;
    const double number = std::max(m.stretch_warp, m.stretch_weft) * h * h / (m.density * edge_length_ * edge_length_);
    return {number > kMostStiffness ? kMostStiffness / number : 1.0, model_.parts[part].damping.axial_time / h};
}

void SheetSystem::set_laws(double h) {
    for (std::size_t p = 0; p < law_.size(); ++p)
        law_[p] = law_of(static_cast<int>(p), h);
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

SELVAGE_INLINE void load_four(const double (&from)[4], Doubles4& to) {
    to = Doubles4{from[0], from[1], from[2], from[3]};
}

/// f_u and f_v of four triangles, rounded, and |f_u|^2 - 1, |f_v|^2 - 1, f_u . f_v.
struct HalfStrains {
    Floats4 fu[3], fv[3], square_u, square_v, shear;
};

template <class Batch>
SELVAGE_INLINE void strain_half(const Batch& batch, const Points& x, int first, HalfStrains& out) {
    Doubles4 e1[4], e2[4];
    for (int k = 0; k < 4; ++k) {
        const Doubles4& x0 = x[batch.vertex[0][first + k]];
        e1[k] = x[batch.vertex[1][first + k]] - x0;
        e2[k] = x[batch.vertex[2][first + k]] - x0;
    }
    Doubles4 a[3], b[3], fu[3], fv[3];
    to_rows(e1, a[0], a[1], a[2]);
    to_rows(e2, b[0], b[1], b[2]);
    const auto* u1 = reinterpret_cast<const Doubles4*>(batch.u1 + first);
    const auto* u2 = reinterpret_cast<const Doubles4*>(batch.u2 + first);
    const auto* v1 = reinterpret_cast<const Doubles4*>(batch.v1 + first);
    const auto* v2 = reinterpret_cast<const Doubles4*>(batch.v2 + first);
    for (int c = 0; c < 3; ++c) {
        fu[c] = *u1 * a[c] + *u2 * b[c];
        fv[c] = *v1 * a[c] + *v2 * b[c];
        out.fu[c] = SELVAGE_TO_FLOATS(fu[c]);
        out.fv[c] = SELVAGE_TO_FLOATS(fv[c]);
    }
    const Doubles4 square_u = fu[0] * fu[0] + fu[1] * fu[1] + fu[2] * fu[2] - 1.0;
    const Doubles4 square_v = fv[0] * fv[0] + fv[1] * fv[1] + fv[2] * fv[2] - 1.0;
    const Doubles4 shear = fu[0] * fv[0] + fu[1] * fv[1] + fu[2] * fv[2];
    out.square_u = SELVAGE_TO_FLOATS(square_u);
    out.square_v = SELVAGE_TO_FLOATS(square_v);
    out.shear = SELVAGE_TO_FLOATS(shear);
}

/// Eight triangles: f_u and f_v, their lengths, and the strains |f| - 1 and f_u . f_v.
struct Strains {
    Floats8 fu[3], fv[3], length_u, length_v, u, v, shear;
};

template <class Batch>
SELVAGE_INLINE void strain_batch(const Batch& batch, const Points& x, Strains& out) {
    HalfStrains low, high;
    strain_half(batch, x, 0, low);
    strain_half(batch, x, 4, high);
    Floats8 square_u, square_v;
    for (int c = 0; c < 3; ++c) {
        join(low.fu[c], high.fu[c], out.fu[c]);
        join(low.fv[c], high.fv[c], out.fv[c]);
    }
    join(low.square_u, high.square_u, square_u);
    join(low.square_v, high.square_v, square_v);
    join(low.shear, high.shear, out.shear);
    take_root(square_u + 1.0F, out.length_u);
    take_root(square_v + 1.0F, out.length_v);
    out.u = square_u / (out.length_u + 1.0F);
    out.v = square_v / (out.length_v + 1.0F);
}

template <class Batch, class Before>
SELVAGE_INLINE void respond_batch(const Batch& batch, float compression, float rate, float scale, const Before* before,
                                  const Points& x, Floats4* record) {
    Strains t;
    strain_batch(batch, x, t);
    const Floats8 zero = {}, one = zero + 1.0F, soft = zero + compression,
                  least = zero + static_cast<float>(kLeastStretch);
    const Floats8 per_u = one / SELVAGE_SELECT(t.length_u > least, t.length_u, least);
    const Floats8 per_v = one / SELVAGE_SELECT(t.length_v > least, t.length_v, least);
    const Floats8 ku = batch.stretch_u * scale * SELVAGE_SELECT(t.u < zero, soft, one);
    const Floats8 kv = batch.stretch_v * scale * SELVAGE_SELECT(t.v < zero, soft, one);
    const Floats8 g = batch.shear * scale;
    Floats8 u = t.u, v = t.v, shear = t.shear;
    if (before) {
        u += rate * (u - before->u);
        v += rate * (v - before->v);
        shear += rate * (shear - before->shear);
    }
    const float more = 1.0F + rate;
    const Floats8 tension_u = ku * u * per_u, tension_v = kv * v * per_v;
    const Floats8 across_u = SELVAGE_SELECT(tension_u > zero, tension_u, zero);
    const Floats8 across_v = SELVAGE_SELECT(tension_v > zero, tension_v, zero);
    const Floats8 axial_u = (ku * more - across_u) * per_u * per_u, axial_v = (kv * more - across_v) * per_v * per_v;
    constexpr int kPlace[8] = {0, 3, 6, 9, 12, 15, 18, 21};
    scatter({t.fu[0], t.fu[1], t.fu[2], tension_u}, kPlace, record);
    scatter({t.fv[0], t.fv[1], t.fv[2], tension_v}, kPlace, record + 1);
    scatter({g * shear, axial_u, axial_v, g * more}, kPlace, record + 2);
}

} // namespace

SELVAGE_WIDE void SheetSystem::respond_triangles(const Points& x, int begin, int end) {
    const auto compression = static_cast<float>(compression_);
    for (int b = begin; b < end; ++b) {
        const Law& part = law_[batch_[b].part];
        Floats4* record = &record_[kLanes * b].fu;
        const auto scale = static_cast<float>(part.stiffness_scale), rate = static_cast<float>(part.damping_rate);
        if (damped_)
            respond_batch(batch_[b], compression, rate, scale, &before_[b], x, record);
        else
            respond_batch<TriangleBatch, StrainBatch>(batch_[b], compression, 0.0F, scale, nullptr, x, record);
    }
}

SELVAGE_WIDE void SheetSystem::measure_triangles(const Points& x, int begin, int end) {
    Strains strains;
    for (int b = begin; b < end; ++b) {
        strain_batch(batch_[b], x, strains);
        before_[b].u = strains.u;
        before_[b].v = strains.v;
        before_[b].shear = strains.shear;
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
        const int lane = elastic_index_[k] % kLanes;
        const TriangleBatch& t = batch_[elastic_index_[k] / kLanes];
        const Law& law = law_[t.part];
        GreenStrain before;
        if (damped_) {
            const StrainBatch& b = before_[elastic_index_[k] / kLanes];
            const double u = b.u[lane], v = b.v[lane];
            before = {0.5 * u * (2.0 + u), 0.5 * v * (2.0 + v), b.shear[lane]};
        }
        const Doubles4& x0 = x[t.vertex[0][lane]];
        const ElasticResponse r =
            respond(elastic_[k], to_vec3(x[t.vertex[1][lane]] - x0), to_vec3(x[t.vertex[2][lane]] - x0),
                    law.stiffness_scale, damped_ ? law.damping_rate : 0.0, before, MembraneHessian::definite);
        elastic_record_[k] = {to_block(r.uu), to_block(r.uv), to_block(r.vv), to_floats(r.force1, 0.0),
                              to_floats(r.force2, 0.0)};
    }
}

void SheetSystem::respond_springs(const Points& x, double h, int begin, int end) {
    TriangleRecord* record = record_.data() + kLanes * batch_.size();
    for (int s = begin; s < end; ++s) {
        const Spring& spring = model_.springs[springs_[s].spring];
        const Law& law = law_[springs_[s].part];
        const Vec3 u = to_vec3(x[springs_[s].b] - x[springs_[s].a]);
        const double l = length(u), k = law.stiffness_scale * spring.stiffness;
        const Vec3 n = normalized(u);
        double tension = k * (l - spring.rest_length), axial = k;
        Vec3 drag;
        double drag_rate = 0.0;
        if (damped_) {
            tension += k * law.damping_rate * (l - length(spring_before_[s]));
            axial += k * law.damping_rate;
            drag_rate = model_.parts[springs_[s].part].damping.relative / h;
            drag = drag_rate * (u - spring_before_[s]);
        }
        const double across = l > 1e-12 ? std::max(0.0, tension) / l : 0.0;
        // On end a: isotropic n by f_u, the rest of the force by f_v, whose negative tension adds no stiffness.
        const double isotropic = across + drag_rate;
        const Vec3 rest = tension * n + drag - isotropic * n;
        record[s] = {to_floats(n, isotropic), to_floats(-1.0 * rest, -1.0),
                     Floats4{0.0F, l > 1e-12 ? static_cast<float>(axial - across) : 0.0F, 0.0F, 0.0F}};
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
        for (int k = 0; k < kHingeLanes; ++k)
            curved_before_[kHingeLanes * b + k] = lanes.angle[k];
    }
}

void SheetSystem::start_step(ThreadPool& pool, const Points& x, double h) {
    set_laws(h);
    if (!damped_) return;
    pool.for_chunks(static_cast<int>(batch_.size()), kBatchGrain,
                    [&](int begin, int end) { measure_triangles(x, begin, end); });
    pool.for_each(static_cast<int>(springs_.size()),
                  [&](int s) { spring_before_[s] = to_vec3(x[springs_[s].b] - x[springs_[s].a]); });
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
        load_four(batch.rest_angle, rest);
        load_four(batch.stiffness, stiffness);
        Doubles4 moment = lanes.angle - rest;
        if (damped_)
            for (int k = 0; k < kHingeLanes; ++k)
                moment[k] += law_[batch.part[k]].damping_rate * (lanes.angle[k] - curved_before_[kHingeLanes * b + k]);
        moment *= -stiffness;
        for (int k = 0; k < 4; ++k) {
            // The slope of the angle grows without bound as a triangle collapses: limit it to a multiple of that at
            // rest.
            Doubles4 most, size;
            load_four(batch.most[k], most);
            take_root(lanes.slope_x[k] * lanes.slope_x[k] + lanes.slope_y[k] * lanes.slope_y[k] +
                          lanes.slope_z[k] * lanes.slope_z[k],
                      size);
            const Doubles4 force = moment * SELVAGE_SELECT(size > most, most / size, zero + 1.0);
            Floats4 columns[4];
            to_columns(force * lanes.slope_x[k], force * lanes.slope_y[k], force * lanes.slope_z[k], zero, columns);
            for (int lane = 0; lane < kHingeLanes; ++lane)
                curved_force_[kHingeLanes * b + lane][k] = columns[lane];
        }
    }
}

void SheetSystem::linearise(ThreadPool& pool, const Points& x, std::span<const Floats4> moved, const Inertia& inertia,
                            double h, SlicedMatrix& matrix, std::span<Floats4> residual) {
    pool.for_chunks(static_cast<int>(batch_.size()), kBatchGrain,
                    [&](int begin, int end) { respond_triangles(x, begin, end); });
    pool.for_chunks(static_cast<int>(elastic_.size()), kElementGrain,
                    [&](int begin, int end) { respond_elastic(x, begin, end); });
    pool.for_chunks(static_cast<int>(springs_.size()), kElementGrain,
                    [&](int begin, int end) { respond_springs(x, h, begin, end); });
    pool.for_chunks(static_cast<int>(hinge_batch_.size()), kBatchGrain,
                    [&](int begin, int end) { respond_hinges(x, begin, end); });
    fill_rows(pool, x, moved, inertia, h, matrix, residual);
}

} // namespace selvage
