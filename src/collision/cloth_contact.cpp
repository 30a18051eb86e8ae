#include "collision/cloth_contact.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/stopwatch.h"
#include "collision/proximity.h"

namespace selvage {

namespace {

constexpr double kUnit = 1.0 / (1LL << 44); // of the sums [m]: 5.7e-14, up to half a million metres
constexpr int kLeastPushRounds = 3, kMostPushRounds = 12, kHardRounds = 16, kCalmRounds = 2;
constexpr double kSettled = 0.03;                    // share of the distance kept that a push may be wrong by
constexpr double kMendShare = 0.2, kMendSpeed = 0.2; // of what is missing in a gap, per step, and at most [m/s]
constexpr double kLean = 0.5;
constexpr double kStraight = 0.01; // sine of the angle by which a push may lean over a neighbour
constexpr double kLeastLever =
    0.2;                        // below it what is free of an edge or a face would be flung to make up for what is held
constexpr double kNoGap = 1e-9; // [m]; below it a gap is rounding, and its normal arbitrary
constexpr double kLeastGap = 1e-6; // [m]; no motion may leave less
constexpr double kCaution = 0.9;   // share of the way to its plane that a vertex may go
constexpr int kSolidTurns = 3;
constexpr int kAcrossRounds = 8, kFairRounds = 20, kMostRounds = 48; // of cutting; see cut_motion
constexpr double kHardShare = 0.25;                        // of the distance to a solid that no push may leave undone
constexpr int kMostPieces = 32;                            // of a step
constexpr double kPieceOfCloth = 1.0, kPieceOfSolid = 0.5; // ways in a piece, in mean edges

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
      sum_(x_.size()), share_(x_.size()), cut_(x_.size(), 1.0), is_cut_(x_.size()) {
    for (const SurfacePatches::Face& face : patches_.faces())
        for (int k = 0; k < face.own_edge_count; ++k)
            if (face.own_edge[k][0] < cloth_vertices_) edges_.push_back(face.own_edge[k]);
    std::sort(edges_.begin(), edges_.end());
    for (const ContactBody& body : surface_.bodies)
        if (!body.is_solid)
            cloth_triangles_.insert(cloth_triangles_.end(), surface_.triangles.begin() + body.triangle_begin,
                                    surface_.triangles.begin() + body.triangle_begin + body.triangle_count);
    for (const double m : mass)
        inverse_mass_.push_back(m > 0.0 ? 1.0 / m : 0.0);
    inverse_mass_.resize(x_.size()); // solids are moved by nobody
    weight_.resize(x_.size());
    pace_.resize(x_.size());
    target_.resize(x_.size());
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
            std::atomic_ref(waiting[a]).store(1, std::memory_order_relaxed);
            std::atomic_ref(waiting[b]).store(1, std::memory_order_relaxed);
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

/// Where cloth or solids go far in a step it is taken in pieces, and each follows from the one before.
ContactStats ClothContact::resolve(ThreadPool& pool, const ContactInput& input, std::vector<Vec3>& positions,
                                   std::vector<Vec3>& velocities) {
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
    });
    for (int piece = 0; piece < pieces; ++piece) {
        pool.for_each(cloth_vertices_, [&](int i) {
            if (input.is_held[i]) pace_[i] = (target_[i] - x_[i]) / (pieces - piece);
            const bool arrives = input.is_held[i] && piece + 1 == pieces;
            positions[i] = arrives ? target_[i] : x_[i] + pace_[i];
            motion_[i] = positions[i] - x_[i];
        });
        place_solids(input.colliders, piece, pieces);
        near_.measure(pool, x_, motion_);
        stats += resolve_piece(pool, part, positions, velocities);
        pool.for_each(cloth_vertices_, [&](int i) { x_[i] = positions[i]; });
    }
    return stats;
}

/// A piece is as long as an edge, or half of one for solids: that far the planes between features hold, and searches are short.
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
            x_[v] = piece == 0 ? before : (1.0 - from) * before + from * now;
            motion_[v] = (piece + 1 == pieces ? now : (1.0 - to) * before + to * now) - x_[v];
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
    if (anew)
        for (std::vector<ContactRecord>& records : records_)
            records.clear();
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
            std::atomic_ref(saw_touching_).store(true, std::memory_order_relaxed);
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
    return std::ranges::all_of(patches_.neighbours(vertex), [&](int v) {
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

template <class Visit>
void ClothContact::for_records(ThreadPool& pool, const Visit& visit) {
    const int own = static_cast<int>(records_.size());
    const std::span<std::vector<ContactRecord>> solid = solids_.records();
    pool.for_chunks(own + static_cast<int>(solid.size()), 1, [&](int chunk, int) {
        for (ContactRecord& record : chunk < own ? records_[chunk] : solid[chunk - own])
            visit(record);
    });
}

/// Inverse masses of this step.
void ClothContact::weigh(ThreadPool& pool, const ContactInput& input) {
    pool.for_each(cloth_vertices_, [&](int i) { weight_[i] = input.is_held[i] ? 0.0 : inverse_mass_[i]; });
}

Vec3 ClothContact::relative(const ContactRecord& record, std::span<const Vec3> way) const {
    Vec3 sum;
    for (int k = 0; k < record.count; ++k)
        sum += record.weight[k] * way[record.vertex[k]];
    return sum;
}

void ClothContact::add_share(const ContactRecord& record) {
    for (int k = 0; k < record.count; ++k)
        count_share(record.vertex[k]);
}

void ClothContact::count_share(int v) {
    if (alone_)
        ++share_[v];
    else
        std::atomic_ref(share_[v]).fetch_add(1, std::memory_order_relaxed);
}

/// The mass that a push between the sides moves. Every vertex is shared out among the records that act on it, so that their
/// pushes can be made at the same time without overshooting (mass splitting; Tonge, Benevolenski and Voroshilov 2012).
double ClothContact::shared_mass(const ContactRecord& record) const {
    double inverse = 0.0, lever = 0.0;
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        inverse += record.weight[k] * record.weight[k] * weight_[v] * share_[v];
        if (weight_[v] > 0.0) lever = std::max(lever, std::abs(record.weight[k]));
    }
    return lever > kLeastLever ? 1.0 / inverse : 0.0;
}

/// Adds a push [kg m] to the sums of the record's vertices.
void ClothContact::add_push(const ContactRecord& record, const Vec3& push) {
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        if (weight_[v] > 0.0) add_to_sum(v, (record.weight[k] * weight_[v]) * push);
    }
}

void ClothContact::add_to_sum(int v, const Vec3& way) {
    const double parts[3] = {way.x, way.y, way.z};
    for (int axis = 0; axis < 3; ++axis) {
        std::int64_t& sum = sum_[v][axis];
        const auto part = static_cast<std::int64_t>(std::llrint(parts[axis] / kUnit));
        if (alone_)
            sum += part;
        else
            std::atomic_ref(sum).fetch_add(part, std::memory_order_relaxed);
    }
}

/// Adds a way for a vertex alone.
void ClothContact::add_way(int v, const Vec3& way) {
    count_share(v);
    add_to_sum(v, way);
}

/// Makes the motions that were added up.
void ClothContact::take_sums(ThreadPool& pool, Sums kind, std::span<Vec3> to, std::span<Vec3> also) {
    pool.for_each(cloth_vertices_, [&](int i) {
        if (share_[i] == 0) return;
        Vec3 way = kUnit * Vec3{static_cast<double>(sum_[i][0]), static_cast<double>(sum_[i][1]),
                                static_cast<double>(sum_[i][2])};
        if (kind == Sums::means) way = way / static_cast<double>(share_[i]);
        share_[i] = 0;
        sum_[i] = {};
        to[i] += way;
        if (!also.empty()) also[i] += way;
    });
    std::fill(share_.begin() + cloth_vertices_, share_.end(), 0);
}

/// What gap the step must leave: the distance kept, or as much as a narrower one may open in a step.
void ClothContact::set_aims(ThreadPool& pool, double h, std::span<const Vec3> velocities) {
    for_records(pool, [&](ContactRecord& record) {
        const double missing = std::max(0.0, record.kept - record.gap);
        record.least = std::min(record.kept, record.gap + std::min(kMendShare * missing, kMendSpeed * h));
        Vec3 speed;
        for (int k = 0; k < record.count; ++k)
            if (record.vertex[k] < cloth_vertices_) speed += record.weight[k] * velocities[record.vertex[k]];
        record.parting = std::max(0.0, dot(record.normal, speed));
    });
}

/// A first guess of the pushes: what is pressed together lies nearer than the distance to be kept, and the nearer the harder
/// it is pressed. So a stack carries its weight from step to step though nothing is remembered but places.
void ClothContact::lean(ThreadPool& pool) {
    std::atomic<bool> any{false};
    for_records(pool, [&](ContactRecord& record) {
        record.is_active = record.gap < record.kept && !record.is_solid && record.may_push;
        if (!record.is_active) return;
        add_share(record);
        any.store(true, std::memory_order_relaxed);
    });
    if (!any) return;
    for_records(pool, [&](ContactRecord& record) {
        if (!record.is_active) return;
        record.pushed = kLean * (record.kept - record.gap) * shared_mass(record);
        add_push(record, record.pushed * record.normal);
    });
    take_sums(pool, Sums::pushes, motion_);
}

/// Non-penetration and Coulomb friction for all records at once, a few rounds: in each, the records that are violated or
/// have pushed share their vertices' masses, and every one makes its own push right.
void ClothContact::push_apart(ThreadPool& pool) {
    lean(pool);
    for (int round = 0; round < kMostPushRounds; ++round) {
        std::atomic<bool> any{false}, unsettled{false};
        for_records(pool, [&](ContactRecord& record) {
            const double gap = record.gap + dot(record.normal, relative(record, motion_) - record.carried);
            record.is_active = record.pushed > 0.0 || (gap < record.least && record.may_push);
            if (!record.is_active) return;
            add_share(record);
            any.store(true, std::memory_order_relaxed);
            if (std::abs(gap - record.least) > kSettled * record.kept) unsettled.store(true, std::memory_order_relaxed);
        });
        if (!any) return;
        if (round >= kLeastPushRounds && !unsettled) {
            std::fill(share_.begin(), share_.end(), 0);
            return;
        }
        for_records(pool, [&](ContactRecord& record) {
            if (!record.is_active) return;
            const double mass = shared_mass(record);
            const Vec3 moved = relative(record, motion_) - record.carried;
            const double missing = record.least - record.gap - dot(record.normal, moved);
            const double pushed = std::max(0.0, record.pushed + mass * missing);
            const Vec3 made = moved - relative(record, mended_);
            const Vec3 slip = made - dot(made, record.normal) * record.normal;
            Vec3 drag = record.dragged - mass * slip;
            const double size = length(drag), most = record.friction * pushed;
            if (size > most) drag = (most / size) * drag;
            add_push(record, (pushed - record.pushed) * record.normal + (drag - record.dragged));
            record.pushed = pushed;
            record.dragged = drag;
        });
        take_sums(pool, Sums::pushes, motion_);
        solids_.push(pool, motion_, mended_);
    }
}

/// Solids go where they are told to go. What they would still run through is set aside, vertex by vertex, whatever it weighs.
/// False when there was nothing to do.
bool ClothContact::push_out_of_solids(ThreadPool& pool) {
    int round = 0;
    while (round < kHardRounds && set_aside_from_solids(pool))
        ++round;
    return round > 0;
}

bool ClothContact::set_aside_from_solids(ThreadPool& pool) {
    std::atomic<bool> any{false};
    const auto set_aside = [&](int v, double missing, const Vec3& up) {
        if (!(missing > 1e-9) || !(weight_[v] > 0.0)) return;
        add_way(v, missing * up);
        any.store(true, std::memory_order_relaxed);
    };
    const std::span<const std::vector<SolidPoint>> lists = solids_.points();
    pool.for_chunks(static_cast<int>(lists.size()), 1, [&](int chunk, int) {
        for (const SolidPoint& point : lists[chunk]) {
            const double spared = (1.0 - kHardShare) * moving_[point.solid].thickness;
            set_aside(point.vertex, point.least - spared - dot(point.normal, motion_[point.vertex]), point.normal);
        }
    });
    for_records(pool, [&](const ContactRecord& record) {
        if (!record.is_solid) return;
        const bool is_above = record.vertex[0] < cloth_vertices_; // the cloth, seen along the normal
        const Vec3 up = is_above ? record.normal : -record.normal;
        const Vec3& origin = x_[record.vertex[0]];
        const auto height = [&](int k) { return dot(up, x_[record.vertex[k]] - origin + motion_[record.vertex[k]]); };
        // How high the solid's side reaches at the end of the step.
        double top = -1e300;
        if (record.count == record.side_count) {
            top = dot(up, record.carried) - record.gap;
            for (int k = 0; k < record.count; ++k)
                top += record.weight[k] * dot(up, x_[record.vertex[k]] - origin);
        }
        const int cloth_begin = is_above ? 0 : record.side_count;
        const int cloth_end = is_above ? record.side_count : record.count;
        for (int k = 0; k < record.count; ++k)
            if (k < cloth_begin || k >= cloth_end) top = std::max(top, height(k));
        const double least = top + std::min(kHardShare * record.kept, record.gap);
        for (int k = cloth_begin; k < cloth_end; ++k)
            set_aside(record.vertex[k], least - height(k), up);
    });
    if (any) take_sums(pool, Sums::means, motion_, mended_);
    return any;
}

/// The motion in whose frame motions are cut: that of solids the cloth lies on, so that what is stopped stays outside of them; or
/// else of the slowest vertex that is held, so that what is pinned stays; or of the cloth as a whole, so that folds that fall
/// together are not braked by being near each other.
Vec3 ClothContact::common_motion() const {
    Vec3 sum;
    int count = 0;
    for (const std::vector<SolidPoint>& points : solids_.points())
        for (const SolidPoint& point : points)
            if (point.pushed > 0.0) { // not the surface's way: a ball that spins stays where it is
                const MovingSolid& solid = moving_[point.solid];
                sum += solid.now.centre - solid.before.centre;
                ++count;
            }
    for (const std::vector<ContactRecord>& records : records_)
        for (const ContactRecord& record : records)
            if (record.is_solid && record.pushed > 0.0)
                for (const int v : record.vertex)
                    if (v >= cloth_vertices_) {
                        sum += motion_[v];
                        ++count;
                    }
    if (count > 0) return sum / static_cast<double>(count);
    int slowest = -1;
    for (int i = 0; i < cloth_vertices_; ++i)
        if (!(weight_[i] > 0.0) && (slowest < 0 || length_squared(motion_[i]) < length_squared(motion_[slowest])))
            slowest = i;
    return slowest >= 0 ? motion_[slowest] : near_.mean_motion();
}

/// Cuts the motions short of vertices that would take a feature through the plane between it and another, until none does:
/// first only the part across the plane, then, where planes contradict each other, the whole motion. Along a straight way
/// features stay apart that are parted by a plane at both ends. Returns the rounds it took.
int ClothContact::cut_motion(ThreadPool& pool, Cut first) {
    if (!any_records() && !solids_.any_points()) return 0; // the motion is what the lists were made for
    const Vec3 common = common_motion();
    double farthest = -1.0; // from the common motion, before any cut [m]
    for (int round = first == Cut::across ? 0 : kAcrossRounds;; ++round) {
        const Cut how = round < kAcrossRounds ? Cut::across : round < kFairRounds ? Cut::fair : Cut::all;
        std::atomic<bool> any{false};
        for_records(pool, [&](const ContactRecord& record) {
            if (!record.is_solid && cut_record(record, common, how)) any.store(true, std::memory_order_relaxed);
        });
        if (!any) {
            if (!near_.extend_step(pool, x_, motion_)) return round;
            gather(pool, false);
            continue;
        }
        if (round >= kMostRounds) { // nothing moves against anything else: that is always safe
            pool.for_each(cloth_vertices_, [&](int i) {
                motion_[i] = common;
                cut_[i] = 1.0;
                is_cut_[i] = 1;
            });
            near_.measure(pool, x_, motion_);
            return round;
        }
        if (how == Cut::across) {
            if (farthest < 0.0) farthest = farthest_from(pool, common);
            take_sums(pool, Sums::means, motion_);
            tame(pool, common, farthest);
            set_aside_from_solids(pool);
            continue;
        }
        pool.for_each(cloth_vertices_, [&](int i) {
            if (cut_[i] == 1.0) return;
            motion_[i] = common + cut_[i] * (motion_[i] - common);
            cut_[i] = 1.0;
            is_cut_[i] = 1;
        });
    }
}

double ClothContact::farthest_from(ThreadPool& pool, const Vec3& common) {
    return std::sqrt(
        pool.sum<Largest>(cloth_vertices_, [&](int i) { return Largest{length_squared(motion_[i] - common)}; }).value);
}

/// Where cloth is pressed from all sides pushes may add up to more than anything moved before: no vertex goes farther than the
/// fastest did.
void ClothContact::tame(ThreadPool& pool, const Vec3& common, double farthest) {
    const double most = farthest + kLeastGap;
    pool.for_each(cloth_vertices_, [&](int i) {
        const Vec3 way = motion_[i] - common;
        const double l2 = length_squared(way);
        if (!(l2 > most * most)) return;
        motion_[i] = common + (most / std::sqrt(l2)) * way;
        is_cut_[i] = 1;
    });
}

/// How far apart a plane with this normal holds the sides, at the start and at the end of the step.
ClothContact::Parted ClothContact::parted(const ContactRecord& record, const Vec3& n) const {
    Parted out{n, 1e300, 1e300};
    double high = -1e300, high_end = -1e300; // of the side below
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        // Relative to one of the vertices: differences of places far from the origin would lose digits.
        const double at = dot(n, x_[v] - x_[record.vertex[0]]);
        const double end = at + dot(n, motion_[v] - motion_[record.vertex[0]]);
        if (k < record.side_count) {
            out.gap = std::min(out.gap, at);
            out.gap_end = std::min(out.gap_end, end);
        } else {
            high = std::max(high, at);
            high_end = std::max(high_end, end);
        }
    }
    out.gap -= high;
    out.gap_end -= high_end;
    return out;
}

/// The plane that the features must stay on their sides of: the one across the shortest way between them, or that of the
/// face or of both edges, at the start or at the end, where that one holds them farther apart: things slide over each other.
ClothContact::Parted ClothContact::best_plane(const ContactRecord& record) const {
    Parted best = parted(record, record.normal);
    const double least = std::min(best.gap, kLeastGap);
    if (best.gap_end >= least || record.count < 4) return best;
    for (const double at_end : {0.0, 1.0}) {
        const auto x = [&](int k) { return x_[record.vertex[k]] + at_end * motion_[record.vertex[k]]; };
        const Vec3 n = record.side_count == 1 ? cross(x(2) - x(1), x(3) - x(1)) : cross(x(1) - x(0), x(3) - x(2));
        const double size = length(n);
        if (!(size > 0.0)) continue;
        const Parted other = parted(record, (dot(n, record.normal) < 0.0 ? -1.0 : 1.0) / size * n);
        if (other.gap >= least && other.gap_end > best.gap_end) best = other;
    }
    return best;
}

bool ClothContact::cut_record(const ContactRecord& record, const Vec3& common, Cut how) {
    const auto [n, gap, gap_end] = best_plane(record);
    // What is nearer already, or where rounding leaves no plane between them, must at least not come nearer.
    const double least = std::min(gap, kLeastGap);
    if (gap_end >= least) return false;
    std::array<double, 4> way{};
    for (int k = 0; k < record.count; ++k)
        way[k] = dot(n, motion_[record.vertex[k]] - common);
    // How far the sides go towards each other: what is held, which goes first, and what is free.
    double down = 0.0, up = 0.0, held = 0.0;
    const auto is_held = [&](int k) { return !(weight_[record.vertex[k]] > 0.0); };
    for (int k = 0; k < record.count; ++k) {
        const bool is_above = k < record.side_count;
        const double towards = is_above ? -way[k] : way[k];
        double& farthest = is_held(k) ? held : is_above ? down : up;
        farthest = std::max(farthest, towards);
    }
    const double room = kCaution * std::max(0.0, gap - least) - held;
    const double share = down + up > 0.0 ? room / (down + up) : 0.0;
    for (int k = 0; k < record.count; ++k) {
        const bool is_above = k < record.side_count;
        const double towards = is_above ? -way[k] : way[k];
        const double most = share * (is_above ? down : up);
        if (how == Cut::all)
            cut_vertex(record.vertex[k], 0.0);
        else if (is_held(k) || !(towards > most))
            continue;
        else if (how == Cut::fair)
            cut_vertex(record.vertex[k], std::max(0.0, most) / towards);
        else
            cut_across(record.vertex[k], (is_above ? towards - most : most - towards) * n);
    }
    return true;
}

void ClothContact::cut_across(int v, const Vec3& way) {
    add_way(v, way);
    std::atomic_ref(is_cut_[v]).store(1, std::memory_order_relaxed);
}

void ClothContact::cut_vertex(int v, double to) {
    std::atomic_ref<double> cut(cut_[v]);
    double now = cut.load(std::memory_order_relaxed);
    while (to < now && !cut.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
    }
}

/// Contact is plastic: what was pushed apart to open a gap does not go on parting, unless it would have done so by itself.
void ClothContact::calm(ThreadPool& pool, std::vector<Vec3>& velocities) {
    const auto excess = [&](const ContactRecord& record) {
        if (record.is_solid || !(record.pushed > 0.0)) return 0.0;
        return dot(record.normal, relative(record, velocities)) - record.parting;
    };
    for (int round = 0; round < kCalmRounds; ++round) {
        std::atomic<bool> any{false};
        for_records(pool, [&](ContactRecord& record) {
            record.is_active = excess(record) > 0.0;
            if (!record.is_active) return;
            add_share(record);
            any.store(true, std::memory_order_relaxed);
        });
        if (!any) return;
        for_records(pool, [&](const ContactRecord& record) {
            if (record.is_active) add_push(record, (-excess(record) * shared_mass(record)) * record.normal);
        });
        take_sums(pool, Sums::pushes, velocities);
    }
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
