#include "collision/contact/cloth_contact.h"

#include <algorithm>
#include <cmath>

#include "base/atomic_reference.h"
#include "base/stopwatch.h"
#include "collision/search/proximity.h"

namespace selvage {

namespace {

constexpr double kStraight = 0.01; // sine of the angle by which a push may lean over a neighbour
constexpr double kNoGap = 1e-9;    // [m]; below it a gap is rounding, and its normal arbitrary
constexpr int kSolidTurns = 3;
constexpr int kMostPieces = 32;                             // of a step
constexpr double kPieceOfCloth = 1.0, kPieceOfSolid = 0.25; // ways in a piece, in mean edges

} // namespace

ContactStats& ContactStats::operator+=(const ContactStats& other) {
    smallest_gap = smallest_gap == 0.0         ? other.smallest_gap
                   : other.smallest_gap == 0.0 ? smallest_gap
                                               : std::min(smallest_gap, other.smallest_gap);
    solid_depth = std::max(solid_depth, other.solid_depth);
    records += other.records;
    contacts += other.contacts;
    truncated += other.truncated;
    listings += other.listings;
    searches += other.searches;
    rounds += other.rounds;
    solver_ms += other.solver_ms;
    search_ms += other.search_ms;
    narrow_ms += other.narrow_ms;
    response_ms += other.response_ms;
    return *this;
}

ClothContact::ClothContact(ContactSurface surface, std::span<const double> mass)
    : surface_(std::move(surface)), patches_(surface_), near_(surface_, patches_), solids_(patches_),
      cloth_vertices_(static_cast<int>(mass.size())), x_(surface_.rest), motion_(x_.size()), mended_(x_.size()),
      sum_(x_.size()), share_(x_.size()), shared_(x_.size()), was_pushed_(x_.size()), since_set_aside_(cloth_vertices_),
      since_cut_(cloth_vertices_), is_touching_(x_.size()), cut_(x_.size(), 1.0), is_cut_(x_.size()) {
    for (const SurfacePatches::Face& face : patches_.faces())
        for (int k = 0; k < face.own_edge_count; ++k)
            if (face.own_edge[k][0] < cloth_vertices_) edges_.push_back(face.own_edge[k]);
    std::sort(edges_.begin(), edges_.end());
    for (const ContactBody& body : surface_.bodies) {
        if (body.is_solid) continue;
        meets_cloth_ = meets_cloth_ || body.meets_itself;
        cloth_triangles_.insert(cloth_triangles_.end(), surface_.triangles.begin() + body.triangle_begin,
                                surface_.triangles.begin() + body.triangle_begin + body.triangle_count);
    }
    for (const double m : mass)
        inverse_mass_.push_back(m > 0.0 ? 1.0 / m : 0.0);
    inverse_mass_.resize(x_.size()); // solids are moved by nobody
    weight_.resize(x_.size());
    pace_.resize(x_.size());
    target_.resize(x_.size());
    wanted_.resize(x_.size());
    is_stopped_.resize(x_.size());
}

void ClothContact::forget() {
    solids_.forget();
    near_.forget();
}

CrossingCount ClothContact::find_tangles(ThreadPool& pool, const std::vector<Vec3>& positions) {
    std::vector<std::uint8_t> waiting(surface_.bodies.size());
    const CrossingCount crossings =
        counter_.count(pool, edges_, cloth_triangles_, positions, [&](int edge, int triangle) {
            const int a = body_of(edges_[edge][0]), b = body_of(cloth_triangles_[triangle][0]);
            if (!surface_.bodies[a].meets_itself && !surface_.bodies[b].meets_itself) return false; // may do so
            AtomicReference(waiting[a]).store(1);
            AtomicReference(waiting[b]).store(1);
            return true;
        });
    is_waiting_ = crossings.count > 0;
    saw_touching_ = false;
    near_.set_waiting(std::move(waiting));
    return crossings;
}

int ClothContact::body_of(int v) const {
    int body = 0;
    while (v >= surface_.bodies[body].vertex_begin + surface_.bodies[body].vertex_count)
        ++body;
    return body;
}

void ClothContact::start(const std::vector<Vec3>& positions) {
    std::copy(positions.begin(), positions.end(), x_.begin());
}

const ContactView* ClothContact::look_ahead(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> motion,
                                            ContactStats& stats) {
    if (input.colliders.empty() && !meets_cloth_) return nullptr;
    Stopwatch clock;
    const NearPairs::Counts before = near_.counts();
    pool.for_each(cloth_vertices_, [&](int i) { motion_[i] = motion[i]; });
    place_solids(input.colliders, 0, 1);
    near_.measure(pool, x_, motion_);
    if (!is_finite(near_.mean_motion())) return nullptr;
    // No farther than the first piece of a long step: looking farther would take long, and the rest is seen by the stage itself.
    const double most = kPieceOfCloth * near_.mean_edge(), farthest = near_.farthest_motion();
    if (farthest > most) {
        const Vec3 mean = near_.mean_motion();
        pool.for_each(cloth_vertices_, [&](int i) { motion_[i] = mean + (most / farthest) * (motion_[i] - mean); });
        near_.measure(pool, x_, motion_);
    }
    solids_.list_near(pool, moving_, x_, near_.patch_motion(), input.is_held, near_solid_, solid_pairs_);
    stats.narrow_ms += clock.ms();
    clock = Stopwatch();
    near_.start_step(pool, x_);
    stats.search_ms += clock.ms();
    clock = Stopwatch();
    gather(pool, true);
    stats.narrow_ms += clock.ms();
    stats.listings += near_.counts().listings - before.listings;
    stats.searches += near_.counts().searches - before.searches;
    view_ = {records_, near_solid_, solid_pairs_, input.colliders, x_, motion_};
    return &view_;
}

/// Where cloth or solids go far in a step it is taken in pieces, and each follows from the one before.
ContactStats ClothContact::resolve(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                                   std::vector<Vec3>& velocities) {
    if (input.colliders.empty() && !meets_cloth_) return {};
    pool.for_each(cloth_vertices_, [&](int i) { motion_[i] = positions[i] - x_[i]; });
    place_solids(input.colliders, 0, 1);
    near_.measure(pool, x_, motion_);
    if (!is_finite(near_.mean_motion())) return {}; // the solver has burst; others say so
    const int pieces = count_pieces(pool, input, positions, velocities);
    if (pieces == 1) return resolve_piece(pool, input, positions, velocities);
    ContactStats stats;
    const ContactInput part{input.dt / pieces, input.is_held, input.colliders};
    pool.for_each(cloth_vertices_, [&](int i) {
        target_[i] = positions[i];
        pace_[i] = motion_[i] / pieces;
        is_stopped_[i] = 0;
    });
    for (int piece = 0; piece < pieces; ++piece) {
        pool.for_each(cloth_vertices_, [&](int i) {
            if (input.is_held[i]) pace_[i] = is_stopped_[i] ? Vec3{} : (target_[i] - x_[i]) / (pieces - piece);
            const bool arrives = input.is_held[i] && !is_stopped_[i] && piece + 1 == pieces;
            positions[i] = arrives ? target_[i] : x_[i] + pace_[i];
            motion_[i] = positions[i] - x_[i];
        });
        place_solids(input.colliders, piece, pieces);
        near_.measure(pool, x_, motion_);
        pool.for_each(cloth_vertices_, [&](int i) { wanted_[i] = positions[i]; });
        stats += resolve_piece(pool, part, positions, velocities);
        pool.for_each(cloth_vertices_, [&](int i) {
            // A hand that cloth has stopped tries again in the next step: pulling ever harder would only cost time.
            if (input.is_held[i] && positions[i] != wanted_[i]) is_stopped_[i] = 1;
            x_[i] = positions[i];
        });
    }
    return stats;
}

/// A piece is as long as an edge, or a quarter of one for solids: that far the planes between features hold, and searches are short.
int ClothContact::count_pieces(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                               std::vector<Vec3>& velocities) {
    const double edge = near_.mean_edge();
    if (!(edge > 0.0)) return 1;
    const double most = kMostPieces * kPieceOfCloth * edge;
    if (near_.farthest_motion() > most) limit_motion(pool, input, most, positions, velocities);
    double pieces = near_.farthest_motion() / (kPieceOfCloth * edge);
    const Vec3 mean = near_.mean_motion();
    const Aabb cloth = near_.swept_box();
    for (const Collider& collider : input.colliders) {
        Aabb box = collider.bounds();
        if (!std::isfinite(box.low.x)) continue; // nobody comes through ground
        double way = 0.0;
        if (collider.points_now.empty()) {
            for (const Vec3& corner : box.corners())
                way = std::max(way, length(collider.displacement(corner) - mean));
        } else {
            for (std::size_t k = 0; k < collider.points_now.size(); ++k)
                way = std::max(way, length(collider.points_now[k] - collider.points_before[k] - mean));
        }
        const double grown = way + length(mean) + collider.thickness;
        box = {box.low - grown * Vec3{1, 1, 1}, box.high + grown * Vec3{1, 1, 1}};
        if (box.touches(cloth)) pieces = std::max(pieces, way / (kPieceOfSolid * edge));
    }
    return static_cast<int>(std::clamp(std::ceil(pieces), 1.0, static_cast<double>(kMostPieces)));
}

/// One step, or a piece of one: from x_ by motion_, which is measured; positions say the same.
ContactStats ClothContact::resolve_piece(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                                         std::vector<Vec3>& velocities) {
    ContactStats stats;
    Stopwatch clock;
    const NearPairs::Counts before = near_.counts();

    // 1 solids
    alone_ = pool.thread_count() == 1;
    solids_.find(pool, moving_, x_, motion_, near_.patch_motion(), input.is_held);
    solids_.push(pool, motion_, mended_);
    stats.narrow_ms = clock.ms();

    // 2 pairs of features
    clock = Stopwatch();
    near_.start_step(pool, x_); // for what the solver wants; the filter makes up for what pushes change
    stats.search_ms = clock.ms();
    clock = Stopwatch();
    gather(pool, true);
    stats.narrow_ms += clock.ms();

    // 3 pushes
    clock = Stopwatch();
    weigh(pool, input);
    if (any_records()) {
        set_aims(pool, input.dt, velocities);
        push_apart(pool);
        push_out_of_solids(pool);
    }
    // 4 the filter
    stats.rounds = cut_motion(pool, Cut::across);
    for (int turn = 0; turn < kSolidTurns && any_records(); ++turn) { // what was pushed or held back into solids
        solids_.find_missed(pool, moving_, x_, motion_, near_.patch_motion(), input.is_held);
        if (!push_out_of_solids(pool)) break;
        // The last word has what leaves nothing deeper in a solid than it was.
        stats.rounds += cut_motion(pool, turn + 1 < kSolidTurns ? Cut::across : Cut::fair);
    }
    near_.finish_step(pool);
    solids_.finish_step(pool, moving_, x_, near_.patch_motion());
    move(pool, input, positions, velocities, stats);
    stats.response_ms = clock.ms();
    stats.listings = near_.counts().listings - before.listings;
    stats.searches = near_.counts().searches - before.searches;
    return stats;
}

void ClothContact::place_solids(std::span<const Collider> colliders, int piece, int pieces) {
    moving_.clear();
    int v = cloth_vertices_;
    const double from = static_cast<double>(piece) / pieces, to = static_cast<double>(piece + 1) / pieces;
    for (const Collider& collider : colliders) {
        moving_.push_back(MovingSolid::make(collider, piece, pieces));
        for (std::size_t k = 0; k < collider.points_now.size(); ++k, ++v) {
            const Vec3 &before = collider.points_before[k], &now = collider.points_now[k];
            // Exact for what rests: pairs that are as near as they may come have no room for rounding.
            x_[v] = before + from * (now - before);
            motion_[v] = (piece + 1 == pieces ? now : before + to * (now - before)) - x_[v];
        }
    }
}

/// Nothing goes farther than this against the rest: more pieces would take forever.
void ClothContact::limit_motion(ThreadPool& pool, const ContactInput& input, double most, std::vector<Vec3>& positions,
                                std::vector<Vec3>& velocities) {
    const Vec3 mean = near_.mean_motion(), mean_velocity = mean / input.dt;
    pool.for_each(cloth_vertices_, [&](int i) {
        const Vec3 way = motion_[i] - mean;
        const double size = length(way), share = 0.5 * most / size;
        if (!(size > 0.5 * most)) return;
        motion_[i] = mean + share * way;
        positions[i] = x_[i] + motion_[i];
        if (!input.is_held[i]) velocities[i] = mean_velocity + share * (velocities[i] - mean_velocity);
    });
    near_.measure(pool, x_, motion_);
}

/// Takes the distances of the pairs that may touch in this step, where it starts.
void ClothContact::gather(ThreadPool& pool, bool anew) {
    const std::span<NearPairs::PatchPair> pairs = near_.pairs();
    const std::size_t chunks = (pairs.size() + kPairsPerChunk - 1) / kPairsPerChunk;
    if (records_.size() < chunks) records_.resize(chunks);
    if (anew) {
        for (std::vector<ContactRecord>& records : records_)
            records.clear();
        std::fill(is_touching_.begin(), is_touching_.end(), std::uint8_t{0});
    }
    since_set_aside_.forget();
    since_cut_.forget();
    pool.for_chunks(static_cast<int>(pairs.size()), kPairsPerChunk, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            if (pairs[k].bucket >= 0) gather_pair(pairs[k], records_[begin / kPairsPerChunk]);
    });
}

void ClothContact::gather_pair(NearPairs::PatchPair& pair, std::vector<ContactRecord>& records) {
    NearPairs::Bucket& bucket = near_.bucket(pair);
    const float until = pair.spent + pair.used;
    const float from = pair.gathered;
    pair.gathered = until;
    const int count = static_cast<int>(bucket.candidates.size());
    const std::span<const SurfacePatches::Face> faces = patches_.faces();
    for (int k = 0; k < count; ++k) {
        NearPairs::Candidate& candidate = bucket.candidates[k];
        if (candidate.wake >= until || candidate.wake < from) continue;
        ContactRecord record;
        record.count = 4;
        Vec3 apart;
        double distance_squared = 0.0;
        if (k < bucket.vertex_count) {
            const Triangle& t = faces[candidate.b].v;
            const PointTriangle near = closest_points(x_[candidate.a], x_[t[0]], x_[t[1]], x_[t[2]]);
            distance_squared = near.distance_squared;
            record.side_count = 1;
            record.vertex = {candidate.a, t[0], t[1], t[2]};
            record.weight = {1.0, -near.weight[0], -near.weight[1], -near.weight[2]};
        } else {
            const auto [i, j] = faces[candidate.a / 3].own_edge[candidate.a % 3];
            const auto [m, n] = faces[candidate.b / 3].own_edge[candidate.b % 3];
            const SegmentSegment near = closest_points_of_segments(x_[i], x_[j], x_[m], x_[n]);
            distance_squared = near.distance_squared;
            record.side_count = 2;
            record.vertex = {i, j, m, n};
            record.weight = {1.0 - near.s, near.s, near.t - 1.0, -near.t};
        }
        const double gap = std::sqrt(distance_squared);
        const double spare = gap - static_cast<double>(candidate.distance);
        candidate.wake = pair.spent + static_cast<float>(spare * (1.0 - 1e-6));
        if (!(spare < pair.used)) continue;
        if (!(gap > kNoGap)) { // nobody knows which side is which; see whether they part well
            AtomicReference(saw_touching_).store(true);
            for (const int v : record.vertex)
                AtomicReference(is_touching_[v]).store(1);
            continue;
        }
        for (int v = 0; v < 4; ++v)
            apart += record.weight[v] * x_[record.vertex[v]];
        record.normal = apart / gap;
        record.gap = gap;
        record.kept = candidate.distance;
        record.friction = pair.friction;
        // Solids come second in the surface, so they are the second patch; but the vertex may be theirs.
        record.is_solid = patches_.patches()[pair.q].is_solid;
        record.may_push = k < bucket.vertex_count
                              ? is_straight(record, faces[candidate.b])
                              : is_straight(record, candidate.a) && is_straight(record, candidate.b);
        records.push_back(record);
    }
}

/// Does not point from an edge over the face that has this vertex.
static bool points_off_face(const Vec3& way, const Vec3& a, const Vec3& b, const Vec3& vertex) {
    const Vec3 edge = b - a, out = vertex - a;
    const double l2 = length_squared(edge);
    const Vec3 in_face = l2 > 0.0 ? out - (dot(out, edge) / l2) * edge : out;
    return dot(way, in_face) <= kStraight * length(in_face);
}

/// Of a vertex and a face: where the nearest point lies on the face's border, what lies beyond must not be the better one to
/// push against (the normal blocks of Chen, Hsu and others 2025). Pushes along leaning normals would brake what slides over.
bool ClothContact::is_straight(const ContactRecord& record, const SurfacePatches::Face& face) const {
    int corners = 0, corner = 0, other = 0; // that carry weight; the last that does, the last that does not
    for (int k = 0; k < 3; ++k)
        if (record.weight[k + 1] != 0.0)
            ++corners, corner = k;
        else
            other = k;
    if (corners == 3) return true;
    if (!points_off(-record.normal, record.vertex[0])) return false;
    if (corners == 1) return points_off(record.normal, face.v[corner]);
    const int a = face.v[(other + 1) % 3], b = face.v[(other + 2) % 3], beyond = face.across[(other + 1) % 3];
    return beyond < 0 || points_off_face(record.normal, x_[a], x_[b], x_[beyond]);
}

/// Does not point from a vertex along one of its edges.
bool ClothContact::points_off(const Vec3& way, int vertex) const {
    const std::span<const int> next = patches_.neighbours(vertex);
    return std::all_of(next.begin(), next.end(), [&](int v) {
        const Vec3 edge = x_[v] - x_[vertex];
        return dot(way, edge) <= kStraight * length(edge);
    });
}

/// Of two edges, for one of them: where they meet at an end, vertices and faces do the pushing.
bool ClothContact::is_straight(const ContactRecord& record, int edge) const {
    const SurfacePatches::Face& face = patches_.faces()[edge / 3];
    const int k = face.own_edge_corner[edge % 3];
    const int a = face.v[k], b = face.v[(k + 1) % 3];
    const bool is_above = a == record.vertex[0] || a == record.vertex[1];
    const double* weight = record.weight.data() + (is_above ? 0 : 2);
    if (weight[0] == 0.0 || weight[1] == 0.0) return false;
    const Vec3 way = is_above ? -record.normal : record.normal;
    return points_off_face(way, x_[a], x_[b], x_[face.v[(k + 2) % 3]]) &&
           (face.across[k] < 0 || points_off_face(way, x_[a], x_[b], x_[face.across[k]]));
}

bool ClothContact::any_records() {
    const auto any = [](std::span<const std::vector<ContactRecord>> lists) {
        return std::any_of(lists.begin(), lists.end(), [](const auto& list) { return !list.empty(); });
    };
    return any(records_) || any(solids_.records());
}

/// Plastic contact makes nothing faster than the fastest of what meets. Rules for one contact at a time do not see to that: a
/// hand that drives one end of an edge into a solid would send the other end flying.
double ClothContact::fastest_of(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> positions,
                                std::span<const Vec3> velocities) {
    Largest farthest = pool.sum<Largest>(cloth_vertices_, [&](int i) {
        const double way = length_squared(positions[i] - x_[i]);
        return Largest{input.is_held[i] ? way : std::max(way, input.dt * input.dt * length_squared(velocities[i]))};
    });
    for (std::size_t v = cloth_vertices_; v < x_.size(); ++v)
        farthest += Largest{length_squared(motion_[v])};
    for (const std::vector<SolidPoint>& points : solids_.points())
        for (const SolidPoint& point : points)
            farthest += Largest{length_squared(point.carried)};
    for (const std::vector<ContactRecord>& records : solids_.records())
        for (const ContactRecord& record : records)
            farthest += Largest{length_squared(record.carried)};
    return std::sqrt(farthest.value) / input.dt;
}

/// How far vertices, edges and faces are left inside of solids: what cloth that is pressed against them could not give way.
double ClothContact::depth_in_solids() {
    double depth = 0.0;
    for (const std::vector<SolidPoint>& points : solids_.points())
        for (const SolidPoint& point : points)
            depth = std::max(depth,
                             point.least - dot(point.normal, motion_[point.vertex]) - moving_[point.solid].thickness);
    for (const std::vector<ContactRecord>& records : solids_.records())
        for (const ContactRecord& record : records)
            depth = std::max(depth, -record.gap - dot(record.normal, relative(record, motion_) - record.carried));
    return depth;
}

/// Writes the new state where contact has changed it.
void ClothContact::move(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                        std::vector<Vec3>& velocities, ContactStats& stats) {
    const double per_second = 1.0 / input.dt;
    const bool any = any_records();
    const double fastest = any || solids_.any_points() ? fastest_of(pool, input, positions, velocities) : 0.0;
    stats.truncated = pool.sum<std::int64_t>(cloth_vertices_, [&](int i) -> std::int64_t {
        const Vec3 proposed = positions[i] - x_[i];
        const bool is_cut = is_cut_[i] != 0;
        // Cuts may have taken back what was mended: it only ever takes speed away.
        if (is_cut && length_squared(motion_[i] - mended_[i]) > length_squared(motion_[i])) mended_[i] = {};
        if (motion_[i] != proposed) {
            positions[i] = x_[i] + motion_[i];
            if (is_cut)
                velocities[i] = per_second * (motion_[i] - mended_[i]);
            else if (!input.is_held[i])
                velocities[i] += per_second * (motion_[i] - mended_[i] - proposed);
        }
        if (fastest > 0.0 && length_squared(velocities[i]) > fastest * fastest)
            velocities[i] = (fastest / length(velocities[i])) * velocities[i];
        pace_[i] = motion_[i] - mended_[i];
        mended_[i] = {};
        is_cut_[i] = 0;
        return is_cut ? 1 : 0;
    });
    if (any) calm(pool, velocities);
    stats.solid_depth = depth_in_solids();
    double smallest = 1e300;
    for (const std::vector<ContactRecord>& records : records_)
        for (const ContactRecord& record : records) {
            ++stats.records;
            if (record.pushed > 0.0) ++stats.contacts;
            smallest = std::min(smallest, record.gap);
        }
    if (stats.records > 0) stats.smallest_gap = smallest;
}

} // namespace selvage
