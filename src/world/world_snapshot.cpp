// Snapshots: everything that moves, in host byte order of IEEE doubles and two's complement, which all our platforms share.
// Layout: header; islands (their cloths and colliders by number, flags, states); colliders; pins; attachments; grabs.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/concat.h"
#include "collision/shapes/solid_mesh.h"
#include "world/world.h"

namespace selvage {

namespace {

constexpr std::uint64_t kMagic = 0x3350414e53564c53u; // "SLVSNAP3", little-endian

struct SnapshotHeader {
    std::uint64_t magic = kMagic, size = 0;
    std::int64_t frame = 0;
    double pending = 0.0, dt = 0.0;
    std::int32_t substeps = 0, cloths = 0, colliders = 0, islands = 0, attachments = 0, grabs = 0;
};

/// Writes into a buffer, or only counts when there is none.
class Writer {
public:
    explicit Writer(char* out) : out_(out) {}
    void bytes(const void* data, std::size_t size) {
        if (out_ && size > 0) std::memcpy(out_ + at_, data, size);
        at_ += size;
    }
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(&value, sizeof value);
    }
    template <class T>
    void list(std::span<const T> values) {
        put(static_cast<std::int64_t>(values.size()));
        bytes(values.data(), values.size_bytes());
    }
    std::size_t size() const { return at_; }

private:
    char* out_;
    std::size_t at_ = 0;
};

/// Reads what a Writer wrote; bad() once it ran past the end or met nonsense.
class Reader {
public:
    explicit Reader(std::span<const char> in) : in_(in) {}
    bool bad() const { return bad_; }
    bool at_end() const { return at_ == in_.size(); }
    void fail() { bad_ = true; }
    template <class T>
    T get() {
        T value{};
        take(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> list(std::size_t most) {
        const std::int64_t count = get<std::int64_t>();
        if (count < 0 || static_cast<std::uint64_t>(count) > most ||
            static_cast<std::uint64_t>(count) * sizeof(T) > in_.size() - at_) {
            bad_ = true;
            return {};
        }
        std::vector<T> values(static_cast<std::size_t>(count));
        take(values.data(), values.size() * sizeof(T));
        return values;
    }

private:
    void take(void* to, std::size_t size) {
        if (bad_ || size > in_.size() - at_) {
            bad_ = true;
            return;
        }
        if (size > 0) std::memcpy(to, in_.data() + at_, size);
        at_ += size;
    }
    std::span<const char> in_;
    std::size_t at_ = 0;
    bool bad_ = false;
};

/// What a world can hold: places that it was given are within 1e6 m, and nothing in it is faster than 1e5 m/s.
bool is_sane(const Vec3& value) {
    constexpr double kMost = 1e12;
    return is_finite(value) && std::max({std::abs(value.x), std::abs(value.y), std::abs(value.z)}) <= kMost;
}

bool all_sane(std::span<const Vec3> values) {
    return std::all_of(values.begin(), values.end(), is_sane);
}

bool is_sane(const Pose& pose) {
    const auto is_unit = [](const Vec3& row) { return std::abs(length_squared(row) - 1.0) < 1e-6; };
    return is_sane(pose.centre) && is_unit(pose.turn.row_x) && is_unit(pose.turn.row_y) && is_unit(pose.turn.row_z);
}

template <class T>
int number_of(const std::vector<T*>& order, const T* object) {
    return static_cast<int>(std::find(order.begin(), order.end(), object) - order.begin());
}

} // namespace

/// A snapshot read and checked, before anything of the world is touched.
class SnapshotReader {
public:
    struct IslandPart {
        std::vector<int> cloths, colliders;
        std::uint8_t is_scene = 0, is_awake = 0, is_clean = 0;
        std::int32_t rest_frames = 0;
        std::vector<Vec3> rest_position, position, velocity;
        std::vector<YarnMemory> yarn;
    };
    struct ColliderPart {
        std::uint8_t is_driven = 0;
        Pose from, to;
        std::vector<Vec3> points_from, points_to;
    };
    struct PinPart {
        std::vector<int> unpinned;
        std::vector<ProgramPin> pins;
    };

    static void write(const World& world, Writer& out);
    static void write_skin(const World& world, const WorldAttachment& attachment, Writer& out);
    Status read(const World& world, std::span<const char> buffer);
    void apply(World& world);

private:
    bool read_island(const World& world, Reader& in);
    bool read_objects(const World& world, Reader& in);
    static bool read_skin(const World& world, WorldAttachment& attachment, Reader& in);
    void apply_islands(World& world);

    SnapshotHeader header_;
    std::vector<IslandPart> islands_;
    std::vector<ColliderPart> colliders_;
    std::vector<PinPart> pins_;
    std::vector<WorldAttachment> attachments_;
    std::vector<WorldGrab> grabs_;
};

void SnapshotReader::write(const World& world, Writer& out) {
    SnapshotHeader header;
    const auto& cloths = world.cloths_.in_order();
    const auto& colliders = world.colliders_.in_order();
    header.frame = world.frame_;
    header.pending = world.pending_;
    header.dt = world.settings_.dt;
    header.substeps = world.settings_.substeps;
    header.cloths = static_cast<int>(cloths.size());
    header.colliders = static_cast<int>(colliders.size());
    header.islands = static_cast<int>(world.islands_.size());
    header.attachments = static_cast<int>(world.attachments_.in_order().size());
    header.grabs = static_cast<int>(world.grabs_.in_order().size());
    out.put(header);
    for (const std::shared_ptr<Island>& island : world.islands_) {
        const auto numbers = [&](const auto& order, const auto& objects) {
            out.put(static_cast<std::int64_t>(objects.size()));
            for (const auto* object : objects)
                out.put(number_of(order, object));
        };
        numbers(cloths, island->cloths);
        numbers(colliders, island->colliders);
        out.put(static_cast<std::uint8_t>(island->is_scene));
        out.put(static_cast<std::uint8_t>(island->is_awake));
        out.put(static_cast<std::uint8_t>(!island->sim.is_tangled()));
        out.put(static_cast<std::int32_t>(island->rest_frames));
        out.list(std::span<const Vec3>(island->rest_position));
        out.list(std::span<const Vec3>(island->sim.state().position));
        out.list(std::span<const Vec3>(island->sim.state().velocity));
        out.list(std::span<const YarnMemory>(island->sim.state().yarn));
    }
    for (const WorldCollider* collider : colliders) {
        out.put(static_cast<std::uint8_t>(collider->is_driven));
        out.put(collider->from);
        out.put(collider->to);
        out.list(std::span<const Vec3>(collider->points_from));
        out.list(std::span<const Vec3>(collider->points_to));
    }
    for (const WorldCloth* cloth : cloths) {
        out.list(std::span<const int>(cloth->unpinned));
        out.list(std::span<const ProgramPin>(cloth->pins));
    }
    for (const WorldAttachment* attachment : world.attachments_.in_order()) {
        out.put(attachment->handle);
        out.put(static_cast<std::int64_t>(number_of(cloths, world.cloths_.find(attachment->cloth))));
        out.list(std::span<const int>(attachment->vertices));
        out.list(std::span<const Vec3>(attachment->local));
        out.put(attachment->from);
        out.put(attachment->to);
        write_skin(world, *attachment, out);
    }
    for (const WorldGrab* grab : world.grabs_.in_order()) {
        out.put(*grab);
        out.put(static_cast<std::int64_t>(number_of(cloths, world.cloths_.find(grab->cloth))));
    }
}

bool SnapshotReader::read_island(const World& world, Reader& in) {
    const auto& cloths = world.cloths_.in_order();
    IslandPart part;
    part.cloths = in.list<int>(cloths.size());
    part.colliders = in.list<int>(world.colliders_.in_order().size());
    part.is_scene = in.get<std::uint8_t>();
    part.is_awake = in.get<std::uint8_t>();
    part.is_clean = in.get<std::uint8_t>();
    part.rest_frames = in.get<std::int32_t>();
    if (part.cloths.empty() || part.rest_frames < 0 || part.rest_frames > header_.frame) return false;
    std::size_t vertices = 0;
    for (const int c : part.cloths) {
        if (c < 0 || c >= static_cast<int>(cloths.size())) return false;
        vertices += static_cast<std::size_t>(cloths[c]->vertex_count());
    }
    for (const int c : part.colliders)
        if (c < 0 || c >= static_cast<int>(world.colliders_.in_order().size())) return false;
    for (std::vector<Vec3>* list : {&part.rest_position, &part.position, &part.velocity}) {
        *list = in.list<Vec3>(vertices);
        if (list->size() != vertices || !all_sane(*list)) return false;
    }
    part.yarn = in.list<YarnMemory>(vertices);
    if (!part.yarn.empty() && part.yarn.size() != vertices) return false;
    for (const YarnMemory& yarn : part.yarn)
        if (!yarn.is_possible()) return false;
    islands_.push_back(std::move(part));
    return !in.bad();
}

/// The number of the collider, -1 where it follows a frame, and where on its mesh each vertex is.
void SnapshotReader::write_skin(const World& world, const WorldAttachment& attachment, Writer& out) {
    const auto& colliders = world.colliders_.in_order();
    if (!attachment.skin) return out.put(std::int64_t{-1});
    out.put(static_cast<std::int64_t>(number_of(colliders, world.colliders_.find(attachment.skin->collider))));
    for (const SkinTie& tie : attachment.skin->ties) {
        for (const int corner : tie.corners)
            out.put(corner);
        out.put(tie.weight);
        out.put(tie.offset);
    }
}

bool SnapshotReader::read_skin(const World& world, WorldAttachment& attachment, Reader& in) {
    const std::int64_t number = in.get<std::int64_t>();
    if (number == -1) return true;
    const auto& colliders = world.colliders_.in_order();
    if (number < 0 || number >= static_cast<std::int64_t>(colliders.size())) return false;
    const Collider shape{colliders[static_cast<std::size_t>(number)]->motion.shape(), {}, {}};
    if (!shape.mesh() || !std::holds_alternative<MeshSolid>(shape.shape)) return false;
    const auto points = static_cast<int>(shape.mesh()->mesh.positions.size());
    attachment.skin.emplace().collider = colliders[static_cast<std::size_t>(number)]->handle;
    for (std::size_t k = 0; k < attachment.vertices.size() && !in.bad(); ++k) {
        SkinTie tie;
        for (int& corner : tie.corners) {
            corner = in.get<int>();
            if (corner < 0 || corner >= points) return false;
        }
        tie.weight = in.get<Vec3>();
        tie.offset = in.get<Vec3>();
        if (!is_sane(tie.weight) || !is_sane(tie.offset)) return false;
        attachment.skin->ties.push_back(tie);
    }
    return !in.bad();
}

bool SnapshotReader::read_objects(const World& world, Reader& in) {
    const auto& cloths = world.cloths_.in_order();
    for (const WorldCollider* collider : world.colliders_.in_order()) {
        ColliderPart part{in.get<std::uint8_t>(), in.get<Pose>(), in.get<Pose>(), {}, {}};
        const Collider shape{collider->motion.shape(), {}, {}};
        const std::size_t points = shape.mesh() ? shape.mesh()->mesh.positions.size() : 0;
        part.points_from = in.list<Vec3>(points);
        part.points_to = in.list<Vec3>(points);
        if (in.bad() || !is_sane(part.from) || !is_sane(part.to)) return false;
        if (part.points_from.size() != part.points_to.size()) return false;
        if (!part.points_to.empty() && part.points_to.size() != points) return false;
        if (!all_sane(part.points_from) || !all_sane(part.points_to)) return false;
        colliders_.push_back(std::move(part));
    }
    const auto in_cloth = [](const WorldCloth& cloth, int v) { return v >= 0 && v < cloth.vertex_count(); };
    for (const WorldCloth* cloth : cloths) {
        const auto most = static_cast<std::size_t>(cloth->vertex_count());
        PinPart part{in.list<int>(most), in.list<ProgramPin>(most)};
        for (const int v : part.unpinned)
            if (!in_cloth(*cloth, v)) return false;
        for (const ProgramPin& pin : part.pins)
            if (!in_cloth(*cloth, pin.vertex) || !is_sane(pin.from) || !is_sane(pin.to)) return false;
        pins_.push_back(std::move(part));
    }
    const auto cloth_of = [&](std::int64_t number) -> const WorldCloth* {
        return number >= 0 && number < static_cast<std::int64_t>(cloths.size()) ? cloths[number] : nullptr;
    };
    for (int k = 0; k < header_.attachments && !in.bad(); ++k) {
        WorldAttachment attachment;
        attachment.handle = in.get<std::uint64_t>();
        const WorldCloth* cloth = cloth_of(in.get<std::int64_t>());
        if (!cloth) return false;
        attachment.cloth = cloth->handle;
        attachment.vertices = in.list<int>(static_cast<std::size_t>(cloth->vertex_count()));
        attachment.local = in.list<Vec3>(attachment.vertices.size());
        attachment.from = in.get<Pose>();
        attachment.to = in.get<Pose>();
        for (const int v : attachment.vertices)
            if (!in_cloth(*cloth, v)) return false;
        if (!read_skin(world, attachment, in)) return false;
        const std::size_t locals = attachment.skin ? 0 : attachment.vertices.size();
        if (attachment.local.size() != locals || !all_sane(attachment.local)) return false;
        if (!is_sane(attachment.from) || !is_sane(attachment.to)) return false;
        attachments_.push_back(std::move(attachment));
    }
    for (int k = 0; k < header_.grabs && !in.bad(); ++k) {
        WorldGrab grab = in.get<WorldGrab>();
        const WorldCloth* cloth = cloth_of(in.get<std::int64_t>());
        if (!cloth) return false;
        grab.cloth = cloth->handle;
        for (const int v : grab.vertices)
            if (!in_cloth(*cloth, v)) return false;
        if (!all_sane(grab.offset) || !is_sane(grab.weight) || !is_sane(grab.from) || !is_sane(grab.to)) return false;
        grabs_.push_back(grab);
    }
    return !in.bad();
}

Status SnapshotReader::read(const World& world, std::span<const char> buffer) {
    const Error damaged{"is not a snapshot of this version, or was damaged or cut short"};
    Reader in(buffer);
    header_ = in.get<SnapshotHeader>();
    if (in.bad() || header_.magic != kMagic || header_.size != buffer.size()) return damaged;
    if (header_.cloths != static_cast<int>(world.cloths_.in_order().size()) ||
        header_.colliders != static_cast<int>(world.colliders_.in_order().size()))
        return Error{concat("was taken with ", header_.cloths, " cloths and ", header_.colliders,
                            " colliders; expected those of the world now, ", world.cloths_.in_order().size(), " and ",
                            world.colliders_.in_order().size())};
    if (header_.dt != world.settings_.dt || header_.substeps != world.settings_.substeps)
        return Error{concat("was taken with frames of ", header_.dt, " s in ", header_.substeps,
                            " steps; expected those of the world now, ", world.settings_.dt, " s in ",
                            world.settings_.substeps)};
    constexpr std::int64_t kMostFrames = 1'000'000'000'000; // five centuries at 60 a second; steps are still countable
    if (header_.frame < 0 || header_.frame > kMostFrames) return damaged;
    if (!(header_.pending >= 0.0 && header_.pending <= 1e9)) return damaged;
    if (header_.islands < 0 || header_.islands > header_.cloths || header_.attachments < 0 || header_.grabs < 0)
        return damaged;
    for (int k = 0; k < header_.islands; ++k)
        if (!read_island(world, in)) return Error{"was taken with other cloths than the world has now, or was damaged"};
    std::vector<int> seen;
    for (const IslandPart& part : islands_)
        seen.insert(seen.end(), part.cloths.begin(), part.cloths.end());
    std::sort(seen.begin(), seen.end());
    for (std::size_t k = 0; k < seen.size(); ++k)
        if (seen[k] != static_cast<int>(k)) return damaged;
    if (static_cast<int>(seen.size()) != header_.cloths || !read_objects(world, in) || !in.at_end()) return damaged;
    return Done{};
}

void SnapshotReader::apply_islands(World& world) {
    const auto& cloths = world.cloths_.in_order();
    for (const IslandPart& part : islands_) {
        std::vector<WorldCloth*> members;
        for (const int c : part.cloths)
            members.push_back(cloths[c]);
        if (members.front()->island->cloths != members) world.regroup(members);
        Island& island = *members.front()->island;
        std::vector<WorldCollider*> colliders;
        for (const int c : part.colliders)
            colliders.push_back(world.colliders_.in_order()[c]);
        bool has_bent = false; // a mesh that bends from now on, or no more, needs other structures
        for (std::size_t c = 0; c < colliders.size() && c < island.colliders.size(); ++c)
            has_bent = has_bent || island.sim.colliders()[c].is_deforming() !=
                                       (!colliders[c]->points_to.empty() || colliders[c]->motion.has_frames());
        if (island.colliders != colliders || has_bent) world.put_colliders(island, colliders);
        for (std::size_t c = 0; c < colliders.size(); ++c)
            colliders[c]->drive(island.sim.collider_motion(static_cast<int>(c)), 0.0);
        island.is_scene = part.is_scene != 0;
        island.is_awake = part.is_awake != 0;
        island.rest_frames = part.rest_frames;
        std::copy(part.rest_position.begin(), part.rest_position.end(), island.rest_position.begin());
        island.sim.restore(part.position, part.velocity, world.step_count(), part.is_clean != 0, part.yarn);
        if (!island.is_awake) island.reach = grown(island.bounds(), World::kTouch);
    }
    // Islands in the order they had, on which the order of work depends.
    std::vector<std::shared_ptr<Island>> ordered;
    for (const IslandPart& part : islands_)
        for (std::shared_ptr<Island>& island : world.islands_)
            if (island && island.get() == cloths[part.cloths.front()]->island) {
                ordered.push_back(std::move(island));
                break;
            }
    world.islands_ = std::move(ordered);
}

void SnapshotReader::apply(World& world) {
    world.frame_ = header_.frame;
    world.pending_ = header_.pending;
    const auto& cloths = world.cloths_.in_order();
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
        WorldCollider& collider = *world.colliders_.in_order()[c];
        const ColliderPart& part = colliders_[c];
        if (!part.is_driven && collider.is_driven) collider.motion.forget_pose();
        if (part.points_to.empty()) collider.motion.forget_points();
        collider.is_driven = part.is_driven != 0;
        collider.from = part.from;
        collider.to = part.to;
        collider.points_from = part.points_from;
        collider.points_to = part.points_to;
    }
    for (std::size_t c = 0; c < cloths.size(); ++c) {
        WorldCloth& cloth = *cloths[c];
        if (cloth.unpinned != pins_[c].unpinned) {
            cloth.unpinned = pins_[c].unpinned;
            world.regroup(cloth.island->cloths); // pins may come back only with a new model
        }
        cloth.pins = pins_[c].pins;
        cloth.attachments.clear();
        cloth.grabs.clear();
    }
    apply_islands(world);
    world.attachments_.clear();
    world.grabs_.clear();
    for (WorldAttachment& attachment : attachments_) {
        WorldCloth& cloth = *world.cloths_.find(attachment.cloth);
        if (attachment.skin) { // where it will be, the collider as it is now knows
            std::vector<SkinTie> ties = std::move(attachment.skin->ties);
            attachment.skin = world.hold_on(*world.colliders_.find(attachment.skin->collider));
            attachment.skin->ties = std::move(ties);
        }
        if (world.attachments_.add_again(attachment.handle, std::make_unique<WorldAttachment>(attachment)))
            cloth.attachments.push_back(world.attachments_.in_order().back());
    }
    for (const WorldGrab& grab : grabs_) {
        WorldCloth& cloth = *world.cloths_.find(grab.cloth);
        if (world.grabs_.add_again(grab.handle, std::make_unique<WorldGrab>(grab)))
            cloth.grabs.push_back(world.grabs_.in_order().back());
    }
    world.events_.clear();
    ++world.changes_;
}

std::size_t World::snapshot_size() const {
    Writer counter(nullptr);
    SnapshotReader::write(*this, counter);
    return counter.size();
}

std::size_t World::snapshot(std::span<char> buffer) const {
    Writer out(buffer.data());
    SnapshotReader::write(*this, out);
    const std::uint64_t size = out.size();
    std::memcpy(buffer.data() + offsetof(SnapshotHeader, size), &size, sizeof size);
    return out.size();
}

Status World::restore(std::span<const char> buffer) {
    SnapshotReader reader;
    if (const Status ok = reader.read(*this, buffer); !ok) return ok.error();
    reader.apply(*this);
    return Done{};
}

} // namespace selvage
