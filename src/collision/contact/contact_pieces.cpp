#include "collision/contact/contact_pieces.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

constexpr int kMostPieces = 32; // of a step
// The longest displacement in a piece, in mean edges: that far the planes between features hold, and searches are
// short.
constexpr double kPieceOfCloth = 1.0, kPieceOfSolid = 0.25;

/// No vertex goes farther than half of `most` against the mean [m]: more pieces would take forever.
void limit_displacements(ThreadPool& pool, const ContactInput& input, double most, std::span<Vec3> positions,
                         std::span<Vec3> velocities, ContactData& data) {
    StepMotion& step = data.step;
    const Vec3 mean = data.pairs.near.mean_motion(), mean_velocity = mean / input.dt;
    pool.for_each(step.cloth_vertex_count, [&](int i) {
        const Vec3 relative = step.displacement[i] - mean;
        const double size = length(relative), fraction = 0.5 * most / size;
        if (!(size > 0.5 * most)) return;
        step.displacement[i] = mean + fraction * relative;
        positions[i] = step.start[i] + step.displacement[i];
        if (!input.is_held[i]) velocities[i] = mean_velocity + fraction * (velocities[i] - mean_velocity);
    });
    data.pairs.near.measure(pool, step.start, step.displacement, step.extents);
}

/// How far a collider's points go in the step against the mean of the cloth, at most [m].
double farthest_point(const Collider& collider, const Aabb& box, const Vec3& mean) {
    double farthest = 0.0; // squared
    if (collider.points_now.empty()) {
        for (const Vec3& corner : box.corners())
            farthest = std::max(farthest, length_squared(collider.displacement(corner) - mean));
    } else if (collider.rests) {
        farthest = length_squared(mean);
    } else {
        for (std::size_t k = 0; k < collider.points_now.size(); ++k)
            farthest = std::max(farthest, length_squared(collider.points_now[k] - collider.points_before[k] - mean));
    }
    return std::sqrt(farthest);
}

/// Start and displacement of a mesh's vertices, unless they are there already.
void place_points(const Collider& collider, int piece, int piece_count, PlacedSolid& placed, StepMotion& step) {
    const bool is_whole = piece_count == 1;
    if (placed.points_number != 0 && placed.points_number == collider.points_number &&
        (collider.rests || (is_whole && placed.is_whole)))
        return;
    const double from = static_cast<double>(piece) / piece_count, to = static_cast<double>(piece + 1) / piece_count;
    Aabb moved;
    double farthest = 0.0;
    for (std::size_t k = 0; k < collider.points_now.size(); ++k) {
        const std::size_t v = static_cast<std::size_t>(placed.vertex_begin) + k;
        const Vec3 &before = collider.points_before[k], &now = collider.points_now[k];
        // Exact for what rests: pairs that are as near as they may come have no room for rounding.
        step.start[v] = before + from * (now - before);
        step.displacement[v] = (piece + 1 == piece_count ? now : before + to * (now - before)) - step.start[v];
        moved.include(step.displacement[v]);
        farthest = std::max(farthest, length_squared(step.displacement[v]));
    }
    placed = {placed.body, placed.vertex_begin, collider.points_number, is_whole, collider.bounds(), farthest};
    step.extents[placed.body] = {moved, collider.rests ? collider.points_number : 0};
}

} // namespace

void place_solids(std::span<const Collider> colliders, int piece, int piece_count, StepMotion& step) {
    step.solids.clear();
    std::size_t mesh = 0;
    for (const Collider& collider : colliders) {
        step.solids.push_back(MovingSolid::make(collider, piece, piece_count));
        if (collider.mesh()) place_points(collider, piece, piece_count, step.placed[mesh++], step);
    }
}

void read_step(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> positions, ContactData& data) {
    StepMotion& step = data.step;
    pool.for_each(step.cloth_vertex_count, [&](int i) { step.displacement[i] = positions[i] - step.start[i]; });
    place_solids(input.colliders, 0, 1, step);
    data.pairs.near.measure(pool, step.start, step.displacement, step.extents);
    data.cuts.tests = 0;
}

void limit_look_ahead(ThreadPool& pool, ContactData& data) {
    NearPairs& near = data.pairs.near;
    StepMotion& step = data.step;
    const double most = kPieceOfCloth * near.mean_edge(), farthest = near.farthest_motion();
    if (!(farthest > most)) return;
    const Vec3 mean = near.mean_motion();
    pool.for_each(step.cloth_vertex_count,
                  [&](int i) { step.displacement[i] = mean + (most / farthest) * (step.displacement[i] - mean); });
    near.measure(pool, step.start, step.displacement, step.extents);
}

int count_pieces(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions, std::span<Vec3> velocities,
                 ContactData& data) {
    NearPairs& near = data.pairs.near;
    const double edge = near.mean_edge();
    if (!(edge > 0.0)) return 1;
    const double most = kMostPieces * kPieceOfCloth * edge;
    if (near.farthest_motion() > most) limit_displacements(pool, input, most, positions, velocities, data);
    double pieces = near.farthest_motion() / (kPieceOfCloth * edge);
    const Vec3 mean = near.mean_motion();
    const Aabb cloth = near.swept_box();
    std::size_t mesh = 0;
    for (const Collider& collider : input.colliders) {
        Aabb box = collider.mesh() ? data.step.placed[mesh++].bounds : collider.bounds();
        if (!std::isfinite(box.low.x)) { // nothing comes through ground
            if (collider.mesh())
                pieces = std::max(pieces, farthest_point(collider, box, mean) / (kPieceOfCloth * edge));
            continue;
        }
        const double farthest = farthest_point(collider, box, mean);
        const double grown = farthest + length(mean) + collider.thickness;
        box = {box.low - grown * Vec3{1, 1, 1}, box.high + grown * Vec3{1, 1, 1}};
        if (box.touches(cloth)) pieces = std::max(pieces, farthest / (kPieceOfSolid * edge));
    }
    return static_cast<int>(std::clamp(std::ceil(pieces), 1.0, static_cast<double>(kMostPieces)));
}

void start_pieces(ThreadPool& pool, int piece_count, std::span<const Vec3> positions, ContactData& data) {
    pool.for_each(data.step.cloth_vertex_count, [&](int i) {
        data.pieces.target[i] = positions[i];
        data.pieces.displacement[i] = data.step.displacement[i] / piece_count;
        data.pieces.is_stopped[i] = 0;
    });
}

void start_piece(ThreadPool& pool, const ContactInput& input, int piece, int piece_count, std::span<Vec3> positions,
                 ContactData& data) {
    StepMotion& step = data.step;
    StepPieces& pieces = data.pieces;
    pool.for_each(step.cloth_vertex_count, [&](int i) {
        if (input.is_held[i])
            pieces.displacement[i] =
                pieces.is_stopped[i] ? Vec3{} : (pieces.target[i] - step.start[i]) / (piece_count - piece);
        const bool arrives = input.is_held[i] && !pieces.is_stopped[i] && piece + 1 == piece_count;
        positions[i] = arrives ? pieces.target[i] : step.start[i] + pieces.displacement[i];
        step.displacement[i] = positions[i] - step.start[i];
        pieces.wanted[i] = positions[i];
    });
    place_solids(input.colliders, piece, piece_count, step);
    data.pairs.near.measure(pool, step.start, step.displacement, step.extents);
}

void finish_piece(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> positions, ContactData& data) {
    pool.for_each(data.step.cloth_vertex_count, [&](int i) {
        // A hand that cloth has stopped tries again in the next step: pulling ever harder would only cost time.
        if (input.is_held[i] && positions[i] != data.pieces.wanted[i]) data.pieces.is_stopped[i] = 1;
        data.step.start[i] = positions[i];
    });
}

} // namespace selvage
