#include "solvers/multilevel/yarn_friction.h"

#include <algorithm>
#include <cmath>

#include "model/bending.h"

namespace selvage {

namespace {

constexpr int kFourGrain = 32, kHingeGrain = 256; // batches of four, hinges

/// Points of four hinges, x, y and z each in a register.
SELVAGE_INLINE void load_corner(const Points& x, const int (&vertex)[4], Doubles4& px, Doubles4& py, Doubles4& pz) {
    const Doubles4 p0 = x[vertex[0]], p1 = x[vertex[1]], p2 = x[vertex[2]], p3 = x[vertex[3]];
    const Doubles4 a = SELVAGE_SHUFFLE(p0, p1, 0, 4, 2, 6), b = SELVAGE_SHUFFLE(p2, p3, 0, 4, 2, 6);
    const Doubles4 c = SELVAGE_SHUFFLE(p0, p1, 1, 5, 3, 7), d = SELVAGE_SHUFFLE(p2, p3, 1, 5, 3, 7);
    px = SELVAGE_SHUFFLE(a, b, 0, 1, 4, 5);
    py = SELVAGE_SHUFFLE(c, d, 0, 1, 4, 5);
    pz = SELVAGE_SHUFFLE(a, b, 2, 3, 6, 7);
}

template <class Batch>
SELVAGE_INLINE void fold_four(const Batch& batch, const Points& x, HingeLanes<Doubles4>& lanes) {
    load_corner(x, batch.vertex[0], lanes.ax, lanes.ay, lanes.az);
    load_corner(x, batch.vertex[1], lanes.bx, lanes.by, lanes.bz);
    load_corner(x, batch.vertex[2], lanes.cx, lanes.cy, lanes.cz);
    load_corner(x, batch.vertex[3], lanes.dx, lanes.dy, lanes.dz);
    fold(lanes);
}

/// The moment after the curvature has changed by `by`.
Floats4 slipped(const Floats4& moment, const Floats4& by, float stick, float per_slip) {
    const float size = std::sqrt(dot(by, by));
    return (1.0F / (1.0F + stick * size * per_slip)) * (moment + stick * by);
}

} // namespace

YarnFriction::YarnFriction(const Sheet& sheet, std::span<const int> place, int padded) {
    std::vector<const SheetHinge*> hinges;
    for (const SheetHinge& hinge : sheet.hinges)
        if (sheet.yarn[hinge.part].is_present()) hinges.push_back(&hinge);
    if (hinges.empty()) return;
    batch_.resize((hinges.size() + kLanes - 1) / kLanes);
    for (Batch& batch : batch_)
        batch = {}; // all four corners at one point
    std::vector<std::pair<int, int>> corners;
    for (std::size_t h = 0; h < hinges.size(); ++h) {
        const SheetHinge& hinge = *hinges[h];
        const YarnLaw& law = sheet.yarn[hinge.part];
        const double l = std::sqrt(hinge.stiffness / hinge.quadratic);
        const double u = hinge.across.x, v = hinge.across.y;
        share_.push_back(Floats4{static_cast<float>(0.25 * l * law.warp * u * u),
                                 static_cast<float>(0.25 * l * law.weft * v * v),
                                 static_cast<float>(0.25 * l * std::sqrt(2.0 * law.warp * law.weft) * u * v), 0.0F});
        // Four times the largest slope at rest, which is the stencil over the edge length.
        double steepest = 0.0;
        for (const double number : hinge.stencil)
            steepest = std::max(steepest, std::abs(number) / l);
        for (int k = 0; k < 4; ++k) {
            const int point = place[hinge.vertex[k]];
            batch_[h / kLanes].vertex[k][h % kLanes] = point;
            batch_[h / kLanes].most[k][h % kLanes] = 4.0 * steepest;
            corners.emplace_back(point, 4 * static_cast<int>(h) + k);
        }
    }
    share_.resize(kLanes * batch_.size());
    corners_at_ = lists_of(padded, corners);
    point_.resize(padded);
    for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
        const YarnLaw& law = sheet.yarn[sheet.triangle_part[t]];
        if (!law.is_present()) continue;
        const MembraneTriangle& shape = sheet.membrane[t];
        const double area = 0.5 / std::abs(shape.u1 * shape.v2 - shape.u2 * shape.v1);
        for (const int v : sheet.triangles[t]) {
            Point& point = point_[place[v]];
            if (std::isfinite(area)) point.area += static_cast<float>(area / 3.0);
            point.stick = static_cast<float>(law.stick);
            point.per_slip = static_cast<float>(1.0 / law.slip);
        }
    }
    for (Point& point : point_)
        point.per_area = point.area > 0.0F ? 1.0F / point.area : 0.0F;
    angle_.resize(share_.size());
    pull_.resize(share_.size());
    slope_.resize(share_.size());
    for (std::vector<Floats4>* list : {&start_moment_, &start_curvature_, &moment_})
        list->assign(padded, Floats4{});
}

SELVAGE_WIDE void YarnFriction::measure(const Points& x, int begin, int end) {
    HingeLanes<Doubles4> lanes;
    for (int b = begin; b < end; ++b) {
        fold_four(batch_[b], x, lanes);
        for (int k = 0; k < kLanes; ++k)
            angle_[kLanes * b + k] = static_cast<float>(lanes.angle[k]);
    }
}

SELVAGE_WIDE void YarnFriction::measure_with_slopes(const Points& x, int begin, int end) {
    HingeLanes<Doubles4> lanes;
    const Doubles4 zero = {};
    for (int b = begin; b < end; ++b) {
        fold_four(batch_[b], x, lanes);
        for (int k = 0; k < kLanes; ++k)
            angle_[kLanes * b + k] = static_cast<float>(lanes.angle[k]);
        for (int k = 0; k < 4; ++k) {
            // The slope of the angle grows without bound as a triangle collapses.
            const double(&limit)[kLanes] = batch_[b].most[k];
            const Doubles4 most{limit[0], limit[1], limit[2], limit[3]};
            Doubles4 size;
            take_root(lanes.slope_x[k] * lanes.slope_x[k] + lanes.slope_y[k] * lanes.slope_y[k] +
                          lanes.slope_z[k] * lanes.slope_z[k],
                      size);
            const Doubles4 scale = SELVAGE_SELECT(size > most, most / size, zero + 1.0);
            const Doubles4 sx = scale * lanes.slope_x[k], sy = scale * lanes.slope_y[k], sz = scale * lanes.slope_z[k];
            for (int lane = 0; lane < kLanes; ++lane)
                slope_[kLanes * b + lane][k] = Floats4{static_cast<float>(sx[lane]), static_cast<float>(sy[lane]),
                                                       static_cast<float>(sz[lane]), 0.0F};
        }
    }
}

Floats4 YarnFriction::curvature_at(int point) const {
    Floats4 sum = {};
    for (const int corner : corners_at_[point])
        sum += angle_[corner >> 2] * share_[corner >> 2];
    return point_[point].per_area * sum;
}

void YarnFriction::start_small_step(ThreadPool& pool, const Points& x, std::span<const int> order,
                                    std::span<YarnMemory> memory) {
    pool.for_chunks(static_cast<int>(batch_.size()), kFourGrain, [&](int begin, int end) { measure(x, begin, end); });
    pool.for_each(static_cast<int>(order.size()), [&](int i) {
        if (corners_at_[i].empty()) return;
        YarnMemory& yarn = memory[order[i]];
        const Floats4 now = curvature_at(i);
        Floats4 moment = {};
        if (!yarn.is_fresh()) {
            const Floats4 before{yarn.curvature[0], yarn.curvature[1], yarn.curvature[2], 0.0F};
            moment = Floats4{yarn.moment[0], yarn.moment[1], yarn.moment[2], 0.0F};
            moment = slipped(moment, now - before, point_[i].stick, point_[i].per_slip);
        }
        start_moment_[i] = moment;
        start_curvature_[i] = now;
        for (int k = 0; k < 3; ++k) {
            yarn.moment[k] = moment[k];
            yarn.curvature[k] = now[k];
        }
    });
}

void YarnFriction::add_forces(ThreadPool& pool, const Points& x, std::span<const std::uint8_t> is_held,
                              std::span<Floats4> residual) {
    const int points = static_cast<int>(point_.size());
    pool.for_chunks(static_cast<int>(batch_.size()), kFourGrain,
                    [&](int begin, int end) { measure_with_slopes(x, begin, end); });
    pool.for_each(points, [&](int i) {
        moment_[i] =
            slipped(start_moment_[i], curvature_at(i) - start_curvature_[i], point_[i].stick, point_[i].per_slip);
    });
    pool.for_chunks(static_cast<int>(pull_.size()), kHingeGrain, [&](int begin, int end) {
        for (int h = begin; h < end; ++h) {
            const Batch& batch = batch_[h / kLanes];
            const int lane = h % kLanes;
            const auto moment = [&](int k) { return moment_[batch.vertex[k][lane]]; };
            pull_[h] = dot(share_[h], (moment(0) + moment(1)) + (moment(2) + moment(3)));
        }
    });
    pool.for_each(points, [&](int i) {
        if (is_held[i]) return;
        Floats4 force = {};
        for (const int corner : corners_at_[i])
            force += pull_[corner >> 2] * slope_[corner >> 2][corner & 3];
        residual[i] -= force;
    });
}

double YarnFriction::energy(std::span<const YarnMemory> memory, std::span<const int> order) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < order.size() && is_present(); ++i) {
        const Point& point = point_[i];
        if (!(point.stick > 0.0F)) continue;
        double squared = 0.0;
        for (const float m : memory[order[i]].moment)
            squared += static_cast<double>(m) * m;
        sum += 0.5 * point.area * squared / point.stick;
    }
    return sum;
}

std::size_t YarnFriction::bytes() const {
    const auto bytes_of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    const auto bytes_of_lists = [&](const IndexLists& lists) { return bytes_of(lists.start) + bytes_of(lists.items); };
    return bytes_of(batch_) + bytes_of(share_) + bytes_of(point_) + bytes_of_lists(corners_at_) + bytes_of(angle_) +
           bytes_of(pull_) + bytes_of(slope_) + bytes_of(start_moment_) + bytes_of(start_curvature_) +
           bytes_of(moment_);
}

} // namespace selvage
