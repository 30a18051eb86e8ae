#include <algorithm>

#include "collision/shapes/solid_mesh.h"
#include "sweep/dataset_file.h"

namespace selvage {

namespace {

void append(std::vector<float>& out, const Vec3& p) {
    out.insert(out.end(), {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
}

void append_pose(std::vector<double>& out, const Pose& pose) {
    const Vec3 t = pose.centre;
    const Vec3 x = pose.turn * Vec3{1, 0, 0}, y = pose.turn * Vec3{0, 1, 0}, z = pose.turn * Vec3{0, 0, 1};
    out.insert(out.end(), {x.x, y.x, z.x, t.x, x.y, y.y, z.y, t.y, x.z, y.z, z.z, t.z});
}

} // namespace

DatasetRecord::DatasetRecord(Simulation& sim) : sim_(sim), colliders_(sim.colliders().size()) {}

void DatasetRecord::add_frame() {
    const ClothState& state = sim_.state();
    FrameMeasures frame{.time = state.time};
    const Energy energy = sim_.energy();
    frame.kinetic = energy.kinetic, frame.elastic = energy.elastic, frame.gravity = energy.gravity;
    frame.strain_max = largest_strain(sim_.pool(), sim_.model(), state);
    frame.low = frame.high = state.position.empty() ? Vec3{} : state.position.front();
    for (const Vec3& p : state.position) {
        append(positions_, p);
        frame.low = {std::min(frame.low.x, p.x), std::min(frame.low.y, p.y), std::min(frame.low.z, p.z)};
        frame.high = {std::max(frame.high.x, p.x), std::max(frame.high.y, p.y), std::max(frame.high.z, p.z)};
    }
    measures_.push_back(frame);
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
        const Collider& collider = sim_.colliders()[c];
        append_pose(colliders_[c].poses, collider.now);
        for (const Vec3& p : collider.points_now)
            append(colliders_[c].points, p);
    }
}

} // namespace selvage
