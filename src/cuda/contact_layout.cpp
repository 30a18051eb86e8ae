#include "cuda/contact_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "collision/shapes/height_grid.h"
#include "geometry/topology.h"

namespace selvage::cuda {

namespace {

constexpr int kPatch = kGroup * kGroup;                                    // features of one body fill whole patches
constexpr int kMostPushing = 128, kFewestListed = 256, kMostListed = 1024; // pairs of a group
constexpr int kAllListed = 1 << 21; // of all groups, where that is not fewer than the fewest of each
constexpr std::size_t kPairsPerRow = 16, kMorePairs = 4096;
constexpr float kReach = 1.3F * 1.2F;    // pairs push when nearer than this many minimum distances
constexpr float kLeastGapOfSize = 4e-6F; // some roundings of places in cloth of this size
constexpr float kSlackOfEdge = 0.05F;
constexpr int kMostSumBlocks = 132;
constexpr int kRowsPerOverrun = 1000, kMostOverrun = 16; // as on the host: see multilevel.cpp

/// Halves along the longest side, cut at eights of eights, so that every group of 8, 64, 512 is one patch. (A curve that
/// fills space would jump.)
void order_patches(std::span<int> items, const std::vector<Vec3>& place) {
    if (items.size() <= kGroup) return;
    Aabb box;
    for (const int k : items)
        box.include(place[k]);
    const Vec3 size = box.high - box.low;
    double Vec3::* axis = size.x >= size.y && size.x >= size.z ? &Vec3::x : size.y >= size.z ? &Vec3::y : &Vec3::z;
    std::size_t left = kGroup;
    while (2 * left < items.size())
        left *= 2;
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(left), items.end(), [&](int a, int b) {
        return place[a].*axis < place[b].*axis || (place[a].*axis == place[b].*axis && a < b);
    });
    order_patches(items.first(left), place);
    order_patches(items.subspan(left), place);
}

/// Appends what `items` names, in patches; `size` numbers each.
void add_patches(const std::vector<int>& numbers, int size, const std::vector<Vec3>& place, int fill,
                 std::vector<int>& to) {
    std::vector<int> order(place.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        order[k] = static_cast<int>(k);
    order_patches(order, place);
    for (const int k : order)
        to.insert(to.end(), numbers.begin() + size * k, numbers.begin() + size * (k + 1));
    while (to.size() % static_cast<std::size_t>(size * fill) != 0)
        to.push_back(-1);
}

TreeView tree_of(int count) {
    TreeView tree;
    int offset = 0, size = count;
    for (int level = 0; level < kTreeLevels; ++level) {
        tree.offset[level] = offset;
        tree.size[level] = size;
        tree.level_count = level + 1;
        offset += size;
        if (level >= 2 && size <= kGroup) break;
        size = (size + kGroup - 1) / kGroup;
    }
    return tree;
}

int box_count(const TreeView& tree) {
    return tree.offset[tree.level_count - 1] + tree.size[tree.level_count - 1];
}

} // namespace

HostContact::HostContact(const ContactSource& source, const std::vector<int>& place, double edge_length) {
    cloth_count_ = static_cast<int>(place.size());
    edge_[0].corners = edge_[1].corners = 2;
    ContactSurface surface = source.surface;
    const std::size_t body_count = surface.bodies.size();
    for (const Hull& hull : source.hulls)
        hull.add_to(surface, source.colliders[hull.collider]);
    rest_.resize(surface.rest.size());
    body_.resize(surface.rest.size());
    for (std::size_t b = 0; b < surface.bodies.size(); ++b)
        take_body(surface, surface.bodies[b], b >= body_count, place);
    fill_up();
    take_shapes(source);
    measure(edge_length);
}

void HostContact::take_body(const ContactSurface& surface, const ContactBody& body, bool is_hull,
                            const std::vector<int>& place) {
    const auto row_of = [&](int v) { return v < cloth_count_ ? place[v] : v; };
    const Side side = body.is_solid ? kSolid : kCloth;
    const auto number = static_cast<unsigned short>(numbers_.size());
    numbers_.push_back({static_cast<float>(body.distance), static_cast<float>(body.friction), body.meets_itself ? 1 : 0,
                        body.is_solid ? 1 : 0, is_hull ? 1 : 0});
    meets_cloth_ = meets_cloth_ || (!body.is_solid && body.meets_itself);
    std::vector<int> vertices, faces, ends;
    std::vector<Vec3> at_vertex, at_face, at_edge;
    for (int v = body.vertex_begin; v < body.vertex_begin + body.vertex_count; ++v) {
        const Vec3& p = surface.rest[v];
        rest_[row_of(v)] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), 0.0F};
        body_[row_of(v)] = number;
        vertices.push_back(row_of(v));
        at_vertex.push_back(p);
    }
    std::vector<std::array<int, 2>> edges;
    for (int t = body.triangle_begin; t < body.triangle_begin + body.triangle_count; ++t) {
        const Triangle& corners = surface.triangles[t];
        at_face.push_back((surface.rest[corners[0]] + surface.rest[corners[1]] + surface.rest[corners[2]]) / 3.0);
        for (int k = 0; k < 3; ++k) {
            faces.push_back(row_of(corners[k]));
            const int a = corners[k], c = corners[(k + 1) % 3];
            edges.push_back({std::min(a, c), std::max(a, c)});
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [a, c] : edges) {
        ends.push_back(row_of(a));
        ends.push_back(row_of(c));
        at_edge.push_back(0.5 * (surface.rest[a] + surface.rest[c]));
    }
    add_patches(vertices, 1, at_vertex, kGroup, query_[side]);
    add_patches(faces, 3, at_face, kPatch, face_[side].corner);
    add_patches(ends, 2, at_edge, kPatch, edge_[side].corner);
}

/// Whole blocks of features.
void HostContact::fill_up() {
    for (const Side side : {kCloth, kSolid})
        for (Features* features : {&face_[side], &edge_[side]}) {
            while (features->corner.size() % static_cast<std::size_t>(features->corners * kRefitBlock) != 0)
                features->corner.push_back(-1);
            features->count = static_cast<int>(features->corner.size()) / features->corners;
        }
}

void HostContact::take_shapes(const ContactSource& source) {
    for (const Collider& collider : source.colliders) {
        if (collider.mesh()) continue;
        SolidShape shape;
        shape.friction = static_cast<float>(collider.friction);
        shape.thickness = static_cast<float>(collider.thickness);
        const auto set = [&](SolidShape::Kind kind, std::initializer_list<double> size) {
            shape.kind = kind;
            std::transform(size.begin(), size.end(), shape.size, [](double s) { return static_cast<float>(s); });
        };
        if (const auto* sphere = std::get_if<Sphere>(&collider.shape)) set(SolidShape::kSphere, {sphere->radius});
        if (const auto* box = std::get_if<Box>(&collider.shape))
            set(SolidShape::kBox, {box->size[0], box->size[1], box->size[2]});
        if (const auto* cylinder = std::get_if<Cylinder>(&collider.shape))
            set(SolidShape::kCylinder, {cylinder->radius, cylinder->height});
        if (const auto* capsule = std::get_if<Capsule>(&collider.shape)) {
            set(SolidShape::kCapsule, {capsule->radius, capsule->top_radius, capsule->length});
            const RoundCone cone = round_cone(*capsule);
            shape.sine = static_cast<float>(cone.sine);
            shape.cosine = static_cast<float>(cone.cosine);
            shape.single = cone.single;
        }
        shape_.push_back(shape);
    }
}

void HostContact::measure(double edge_length) {
    Aabb box;
    for (int i = 0; i < cloth_count_; ++i)
        box.include({rest_[i].x, rest_[i].y, rest_[i].z});
    float distance = 0.0F;
    for (const BodyNumbers& body : numbers_)
        distance = std::max(distance, body.distance);
    reach_ = kReach * distance;
    least_gap_ = kLeastGapOfSize * static_cast<float>(length(box.high - box.low));
    slack_ = kSlackOfEdge * static_cast<float>(edge_length);
}

FeatureView HostContact::lay_out_features(DeviceMemory& memory, const Features& features) {
    FeatureView view;
    view.count = features.count;
    view.corner = memory.copy(features.corner);
    if (features.count == 0) return view;
    view.tree = tree_of(features.count);
    view.tree.box = memory.take<float4>(2 * static_cast<std::size_t>(box_count(view.tree)));
    return view;
}

/// Vertices before faces, then edges before edges; cloth before cloth where some is kept apart, and before colliders.
void HostContact::add_passes(ContactArrays& arrays) const {
    const SurfaceView& s = arrays.surface;
    arrays.pass_count = arrays.group_count = 0;
    const auto add = [&](SearchPass pass, int features) {
        if (features == 0 || pass.target.count == 0) return;
        pass.group_count = features / kGroup;
        pass.first_group = arrays.group_count;
        arrays.group_count += pass.group_count;
        arrays.pass[arrays.pass_count++] = pass;
    };
    if (meets_cloth_) {
        add({{}, s.face[kCloth], s.query[kCloth]}, s.query_count[kCloth]);
        add({s.edge[kCloth], s.edge[kCloth], nullptr, 0, 0, true}, s.edge[kCloth].count);
    }
    add({{}, s.face[kSolid], s.query[kCloth]}, s.query_count[kCloth]);
    add({{}, s.face[kCloth], s.query[kSolid]}, s.query_count[kSolid]);
    if (s.edge[kSolid].count > 0) add({s.edge[kCloth], s.edge[kSolid], nullptr}, s.edge[kCloth].count);
}

void HostContact::lay_out_pairs(DeviceMemory& memory, std::size_t rows, PairView& pairs) {
    const std::size_t capacity = kPairsPerRow * rows + kMorePairs;
    pairs.capacity = static_cast<int>(capacity);
    pairs.total = memory.take<int>(1);
    pairs.vertex = memory.take<int4>(capacity);
    for (float4** values : {&pairs.start, &pairs.law, &pairs.normal, &pairs.slip, &pairs.weight, &pairs.force})
        *values = memory.take<float4>(capacity);
    for (int** numbers : {&pairs.count, &pairs.begin, &pairs.filled})
        *numbers = memory.take<int>(rows);
    pairs.block_sum = memory.take<int>(rows / 1024 + 1);
    for (int** numbers : {&pairs.unsorted, &pairs.list})
        *numbers = memory.take<int>(4 * capacity);
    pairs.bound = memory.take<float4>(2 * rows);
}

void HostContact::lay_out(DeviceMemory& memory, int piece_count, int multiprocessors, ContactArrays& arrays) const {
    SurfaceView& s = arrays.surface;
    const std::size_t vertices = rest_.size(), rows = static_cast<std::size_t>(cloth_count_);
    s.cloth_count = cloth_count_;
    s.vertex_count = static_cast<int>(vertices);
    s.rest = memory.copy(rest_);
    s.body = memory.copy(body_);
    s.numbers = memory.copy(numbers_);
    for (const Side side : {kCloth, kSolid}) {
        s.face[side] = lay_out_features(memory, face_[side]);
        s.edge[side] = lay_out_features(memory, edge_[side]);
        s.query[side] = memory.copy(query_[side]);
        s.query_count[side] = static_cast<int>(query_[side].size());
    }
    s.meets_cloth = meets_cloth_;
    s.reach = reach_;
    s.least_gap = least_gap_;
    s.slack = slack_;
    s.solid_before = memory.take<Vec3>(vertices - rows);
    s.solid_now = memory.take<Vec3>(vertices - rows);
    add_passes(arrays);
    SweepView& w = arrays.sweep;
    for (float4** values : {&w.start, &w.end, &w.now, &w.low, &w.high})
        *values = memory.take<float4>(vertices);
    w.sum_blocks = std::clamp(static_cast<int>((rows + 255) / 256), 1, kMostSumBlocks);
    w.sums = memory.take<double>(6 * static_cast<std::size_t>(w.sum_blocks));
    // Pairs that push are joined before those that could cross are looked for: one place serves both.
    const std::size_t groups = static_cast<std::size_t>(arrays.group_count);
    CutView& cut = arrays.cut;
    const int most = std::clamp(kAllListed / std::max(arrays.group_count, 1), kFewestListed, kMostListed);
    const std::size_t listed = groups * static_cast<std::size_t>(most);
    cut.listing = {memory.take<int4>(listed), memory.take<float4>(listed), memory.take<int>(groups), most};
    arrays.pushing = {cut.listing.pair, nullptr, cut.listing.count, kMostPushing};
    arrays.group_begin = memory.take<int>(groups);
    arrays.group_sum = memory.take<int>(groups / 1024 + 1);
    cut.carry = memory.take<float4>(listed);
    cut.group_count = arrays.group_count;
    cut.best = memory.take<unsigned long long>(rows);
    cut.scale = memory.copy(std::vector<unsigned>(rows, 0x3f800000U)); // 1 as a float
    cut.is_cut = memory.take<unsigned char>(rows);
    cut.is_carried = memory.take<unsigned char>(vertices);
    cut.violated = memory.take<int>(64);
    cut.blocks = cut_blocks(multiprocessors);
    lay_out_pairs(memory, rows, arrays.pairs);
    arrays.pairs.blocks = std::min(8 * multiprocessors, (arrays.pairs.capacity + 255) / 256);
    arrays.solids.count = static_cast<int>(shape_.size());
    arrays.solids.shape = memory.copy(shape_);
    arrays.solids.slip = memory.take<float4>(shape_.empty() ? 0 : rows);
    arrays.solids.force = memory.take<float4>(shape_.empty() ? 0 : rows);
    arrays.piece_meets = memory.take<int>(piece_count);
    arrays.piece_count = piece_count;
    arrays.counts = memory.take<int>(kCounts);
    arrays.overrun = memory.take<int>(kOverruns);
    arrays.few_overrun = std::min(cloth_count_ / kRowsPerOverrun, kMostOverrun);
}

} // namespace selvage::cuda
