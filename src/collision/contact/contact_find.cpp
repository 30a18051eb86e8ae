#include "collision/contact/contact_find.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/atomic_reference.h"
#include "collision/search/proximity.h"

namespace selvage {

namespace {

constexpr double kStraight = 0.01;     // sine of the angle by which a normal may point over a neighbour
constexpr double kNoGap = 1e-9;        // [m]; below it a gap is rounding, and its normal arbitrary
constexpr int kGatheredPerChunk = 128; // pairs of patches, those without candidates too

/// Whether the normal of a record is the best one to push along. Where the nearest point lies on the border of a
/// feature, what lies beyond must not be the better one to push against (the normal blocks of Chen, Hsu and others
/// 2025). Pushes along tilted normals would brake what slides over.
class StraightNormals {
public:
    StraightNormals(const SurfacePatches& patches, std::span<const Vec3> x) : patches_(patches), x_(x) {}

    bool is_straight(const ContactRecord& record, const SurfacePatches::Face& face) const; // of a vertex and a face
    bool is_straight(const ContactRecord& record, int edge) const; // of two edges, for one of them

private:
    bool points_off_edges(const Vec3& direction, int vertex) const;
    bool points_off_face(const Vec3& direction, int a, int b, int vertex) const;

    const SurfacePatches& patches_;
    std::span<const Vec3> x_;
};

/// Does not point from an edge over the face that has this vertex.
bool StraightNormals::points_off_face(const Vec3& direction, int a, int b, int vertex) const {
    const Vec3 edge = x_[b] - x_[a], out = x_[vertex] - x_[a];
    const double l2 = length_squared(edge);
    const Vec3 in_face = l2 > 0.0 ? out - (dot(out, edge) / l2) * edge : out;
    return dot(direction, in_face) <= kStraight * length(in_face);
}

/// Does not point from a vertex along one of its edges.
bool StraightNormals::points_off_edges(const Vec3& direction, int vertex) const {
    const std::span<const int> neighbours = patches_.neighbours(vertex);
    return std::all_of(neighbours.begin(), neighbours.end(), [&](int v) {
        const Vec3 edge = x_[v] - x_[vertex];
        return dot(direction, edge) <= kStraight * length(edge);
    });
}

bool StraightNormals::is_straight(const ContactRecord& record, const SurfacePatches::Face& face) const {
    int corners = 0, corner = 0, other = 0; // that carry weight; the last that does, the last that does not
    for (int k = 0; k < 3; ++k)
        if (record.weight[k + 1] != 0.0)
            ++corners, corner = k;
        else
            other = k;
    if (corners == 3) return true;
    if (!points_off_edges(-record.normal, record.vertex[0])) return false;
    if (corners == 1) return points_off_edges(record.normal, face.v[corner]);
    const int a = face.v[(other + 1) % 3], b = face.v[(other + 2) % 3], beyond = face.across[(other + 1) % 3];
    return beyond < 0 || beyond == record.vertex[0] || points_off_face(record.normal, a, b, beyond);
}

/// Where edges meet at an end, vertices and faces do the pushing.
bool StraightNormals::is_straight(const ContactRecord& record, int edge) const {
    const SurfacePatches::Face& face = patches_.faces()[edge / 3];
    const int k = face.own_edge_corner[edge % 3];
    const int a = face.v[k], b = face.v[(k + 1) % 3];
    const bool is_above = a == record.vertex[0] || a == record.vertex[1];
    const double* weight = record.weight.data() + (is_above ? 0 : 2);
    if (weight[0] == 0.0 || weight[1] == 0.0) return false;
    const Vec3 direction = is_above ? -record.normal : record.normal;
    const int* other = record.vertex.data() + (is_above ? 2 : 0);
    // A face that has a vertex of the other edge cannot be what that is pushed against.
    const auto is_off = [&](int beyond) {
        return beyond < 0 || beyond == other[0] || beyond == other[1] || points_off_face(direction, a, b, beyond);
    };
    return is_off(face.v[(k + 2) % 3]) && is_off(face.across[k]);
}

/// Takes the distance of candidates and makes records of those that may touch.
class PairGatherer {
public:
    explicit PairGatherer(ContactData& data)
        : patches_(data.model.patches), x_(data.step.start), vertex_body_(data.model.vertex_body),
          tangles_(data.tangles), pairs_(data.pairs), normals_(patches_, x_) {}

    struct Gathered {
        std::vector<ContactRecord>& records;
        ChunkSummary& summary;

        void add(const ContactRecord& record);
    };
    /// Adds a pair's records. `known` are those of the pair from the same start, in order; none where nothing is known.
    void gather(PatchPair& pair, std::span<const ContactRecord> known, Gathered& out) const;

private:
    static constexpr std::size_t kMeasuredAtOnce = 64; // whose faces are on their way from memory

    void take_up(const PatchPair& pair, int k, std::span<const ContactRecord>& known, Gathered& out) const;
    void measure(const PatchPair& pair, int k, Gathered& out) const;
    double measure_vertex(const FeatureCandidate& candidate, ContactRecord& record) const;
    double measure_edges(const FeatureCandidate& candidate, ContactRecord& record) const;
    void set_plane(ContactRecord& record, double gap) const;
    void mark_touching(const ContactRecord& record, int face) const;

    const SurfacePatches& patches_;
    std::span<const Vec3> x_;
    std::span<const int> vertex_body_;
    const Tangles& tangles_;
    ContactPairs& pairs_;
    StraightNormals normals_;
};

/// Vertices and weights of a vertex and a face; returns the squared distance.
double PairGatherer::measure_vertex(const FeatureCandidate& candidate, ContactRecord& record) const {
    const Triangle& t = patches_.faces()[candidate.b].v;
    const PointTriangle near = closest_points(x_[candidate.a], x_[t[0]], x_[t[1]], x_[t[2]]);
    record.side_count = 1;
    record.vertex = {candidate.a, t[0], t[1], t[2]};
    record.weight = {1.0, -near.weight[0], -near.weight[1], -near.weight[2]};
    return near.distance_squared;
}

/// Of two edges, likewise.
double PairGatherer::measure_edges(const FeatureCandidate& candidate, ContactRecord& record) const {
    const auto [i, j] = patches_.faces()[candidate.a / 3].own_edge[candidate.a % 3];
    const auto [m, n] = patches_.faces()[candidate.b / 3].own_edge[candidate.b % 3];
    const SegmentSegment near = closest_points_of_segments(x_[i], x_[j], x_[m], x_[n]);
    record.side_count = 2;
    record.vertex = {i, j, m, n};
    record.weight = {1.0 - near.s, near.s, near.t - 1.0, -near.t};
    return near.distance_squared;
}

void PairGatherer::set_plane(ContactRecord& record, double gap) const {
    Vec3 apart;
    for (int k = 0; k < 4; ++k)
        apart += record.weight[k] * x_[record.vertex[k]];
    record.normal = apart / gap;
    record.gap = gap;
}

void PairGatherer::mark_touching(const ContactRecord& record, int face) const {
    AtomicReference(pairs_.saw_touching).store(true);
    for (const int v : record.vertex)
        AtomicReference(pairs_.is_touching[v]).store(1);
    const int body = vertex_body_[record.vertex[0]], other = vertex_body_[record.vertex[3]];
    if (record.is_solid || body == other) return; // order says nothing
    AtomicReference(pairs_.touching.any).store(true);
    for (const int v : record.vertex) {
        const bool is_lower = vertex_body_[v] == std::min(body, other);
        AtomicReference((is_lower ? pairs_.touching.above : pairs_.touching.below)[v]).fetch_add(1);
        const AtomicReference lowest(pairs_.touching.lowest_face[v]);
        int now = lowest.load();
        while (face < now && !lowest.compare_exchange_weak(now, face)) {
        }
    }
}

void PairGatherer::Gathered::add(const ContactRecord& record) {
    records.push_back(record);
    summary.any_solid = summary.any_solid || record.is_solid;
    summary.smallest_gap = std::min(summary.smallest_gap, record.gap);
}

void PairGatherer::gather(PatchPair& pair, std::span<const ContactRecord> known, Gathered& out) const {
    const float until = pair.moved_since_search + pair.allowance;
    const float from = pair.gathered_until;
    if (until <= from) return; // nothing new since then
    pair.gathered_until = until;
    if (until <= pair.first_mark) return;
    CandidateBucket& bucket = pairs_.near.bucket(pair);
    const int count = static_cast<int>(bucket.candidates.size());
    float first_mark = std::numeric_limits<float>::infinity();
    std::array<int, kMeasuredAtOnce> due;
    for (int k = 0; k < count;) {
        std::size_t due_count = 0;
        for (; k < count && due_count < due.size(); ++k) {
            const float mark = bucket.recheck_at[k];
            if (mark >= until || mark < from) {
                first_mark = std::min(first_mark, mark);
                continue;
            }
            prefetch(&patches_.faces()[k < bucket.vertex_count ? bucket.candidates[k].b : bucket.candidates[k].b / 3],
                     sizeof(SurfacePatches::Face));
            due[due_count++] = k;
        }
        for (const int candidate : std::span(due).first(due_count)) {
            take_up(pair, candidate, known, out);
            first_mark = std::min(first_mark, bucket.recheck_at[candidate]);
        }
    }
    pair.first_mark = first_mark;
}

/// Measures a candidate that is due, unless it is the next of the known or before it.
void PairGatherer::take_up(const PatchPair& pair, int k, std::span<const ContactRecord>& known, Gathered& out) const {
    while (!known.empty() && known.front().candidate < k)
        known = known.subspan(1);
    if (known.empty() || known.front().candidate != k) {
        measure(pair, k, out);
    } else if (known.front().gap - known.front().minimum_distance < pair.allowance) { // its mark is right
        out.add(known.front());
    } else {
        float& mark = pairs_.near.bucket(pair).recheck_at[k];
        mark = std::max(mark, pair.gathered_until);
    }
}

/// Takes the distance of a candidate, sets its mark and adds a record if it is near enough.
void PairGatherer::measure(const PatchPair& pair, int k, Gathered& out) const {
    CandidateBucket& bucket = pairs_.near.bucket(pair);
    const FeatureCandidate& candidate = bucket.candidates[k];
    float& mark = bucket.recheck_at[k];
    const bool is_vertex = k < bucket.vertex_count;
    ContactRecord record;
    record.count = 4;
    record.candidate = k;
    const double gap = std::sqrt(is_vertex ? measure_vertex(candidate, record) : measure_edges(candidate, record));
    const double spare = gap - static_cast<double>(candidate.minimum_distance);
    mark = pair.moved_since_search + static_cast<float>(spare * (1.0 - 1e-6));
    if (!(spare < pair.allowance)) {
        // By rounding it may be below: then no longer allowance within this step would take it up.
        mark = std::max(mark, pair.gathered_until);
        return;
    }
    // Solids come second in the surface, so they are the second patch; but the vertex may be theirs.
    record.is_solid = patches_.patches()[pair.q].is_solid;
    if (tangles_.any && tangles_.leaves_alone(record)) return;
    if (!(gap > kNoGap)) { // nothing in the distance says which side is which; the order of the bodies does
        mark_touching(record, is_vertex ? candidate.b : std::min(candidate.a, candidate.b) / 3);
        return;
    }
    set_plane(record, gap);
    record.minimum_distance = candidate.minimum_distance;
    record.friction = pair.friction;
    record.may_push = is_vertex
                          ? normals_.is_straight(record, patches_.faces()[candidate.b])
                          : normals_.is_straight(record, candidate.a) && normals_.is_straight(record, candidate.b);
    out.add(record);
}

/// Asks for what the next of the listed pairs will need: their lists are anywhere in memory.
void ask_ahead(NearPairs& near, std::span<const int> listed) {
    constexpr std::size_t kMarks = 4, kBucket = 8, kPair = 16; // pairs ahead
    constexpr std::size_t kBytes = 256;                        // of a list; most are no longer
    if (listed.size() > kPair) prefetch(&near.pair(listed[kPair]), sizeof(PatchPair));
    if (listed.size() > kBucket) prefetch(&near.bucket(near.pair(listed[kBucket])), sizeof(CandidateBucket));
    if (listed.size() <= kMarks) return;
    const CandidateBucket& bucket = near.bucket(near.pair(listed[kMarks]));
    prefetch(bucket.recheck_at.data(), std::min(kBytes, bucket.recheck_at.size() * sizeof(float)));
    prefetch(bucket.candidates.data(), std::min(kBytes, bucket.candidates.size() * sizeof(FeatureCandidate)));
}

std::size_t record_count(std::span<const std::vector<ContactRecord>> chunks) {
    std::size_t count = 0;
    for (const std::vector<ContactRecord>& records : chunks)
        count += records.size();
    return count;
}

} // namespace

bool gather_records(ThreadPool& pool, Gather what, ContactData& data) {
    ContactPairs& found = data.pairs;
    const std::span<const int> listed = found.near.listed();
    const int pair_count = found.near.pair_count();
    const auto chunks = static_cast<std::size_t>((pair_count + kGatheredPerChunk - 1) / kGatheredPerChunk);
    if (found.records.size() < chunks) {
        found.records.resize(chunks);
        found.summary.resize(chunks);
    }
    const std::size_t before = what == Gather::more ? record_count(found.records) : 0;
    if (what != Gather::more) {
        for (std::size_t chunk = what == Gather::again ? chunks : 0; chunk < found.records.size(); ++chunk)
            found.records[chunk].clear();
        std::fill(found.summary.begin(), found.summary.end(), ChunkSummary{});
        found.looks.clear();
        std::fill(found.is_touching.begin(), found.is_touching.end(), std::uint8_t{0});
        if (found.touching.any || found.touching.below.empty())
            found.touching.clear(static_cast<std::size_t>(data.model.cloth_vertex_count));
    }
    found.since_push_out.forget();
    found.since_cut.forget();
    std::size_t most = 0;
    for (const std::vector<ContactRecord>& records : found.records)
        most = std::max(most, records.capacity());
    found.known.resize(static_cast<std::size_t>(pool.thread_count()));
    for (std::vector<ContactRecord>& known : found.known)
        known.reserve(what == Gather::again ? most : 0); // all threads, whoever gets the largest chunk
    const PairGatherer gatherer(data);
    pool.for_chunks(pair_count, kGatheredPerChunk, [&](int begin, int end) {
        std::vector<ContactRecord>& known = found.known[ThreadPool::this_thread()];
        const int chunk = begin / kGatheredPerChunk;
        std::vector<ContactRecord>& records = found.records[chunk];
        if (what == Gather::again) {
            known.assign(records.begin(), records.end());
            records.clear();
        }
        PairGatherer::Gathered out{records, found.summary[chunk]};
        for (auto k = std::lower_bound(listed.begin(), listed.end(), begin); k != listed.end() && *k < end; ++k) {
            ask_ahead(found.near, std::span(k, listed.end()));
            PatchPair& pair = found.near.pair(*k);
            std::span<const ContactRecord> of_pair;
            if (what == Gather::again && pair.record_count > 0)
                of_pair = std::span(known).subspan(static_cast<std::size_t>(pair.record_begin),
                                                   static_cast<std::size_t>(pair.record_count));
            const std::size_t first = records.size();
            gatherer.gather(pair, of_pair, out);
            if (what == Gather::more) continue;
            pair.record_begin = static_cast<int>(first);
            pair.record_count = static_cast<int>(records.size() - first);
        }
    });
    return record_count(found.records) > before;
}

} // namespace selvage
