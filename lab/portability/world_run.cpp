#include "lab/portability/world_run.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <vector>

#include <selvage/selvage.h>

#include "base/hash.h"

namespace portability {

namespace {

constexpr int kSnapshotFrame = 12, kReleasedAt = 18, kRepeatedUntil = 24, kRemovedAt = 27, kFrames = 36;
constexpr double kUpright[4] = {0, 0, 0, 1}, kFlat[4] = {0.70710678118654752, 0, 0, 0.70710678118654752};

using Point = std::array<double, 3>;

/// The first call that fails makes all later ones fail, too.
class Calls {
public:
    void operator()(selvage_result code, const char* what) {
        if (code != SELVAGE_OK && error_.empty()) error_ = std::string(what) + ": " + selvage_last_error();
    }
    bool ok() const { return error_.empty(); }
    const std::string& error() const { return error_; }
    void fail(const std::string& text) {
        if (ok()) error_ = text;
    }

private:
    std::string error_;
};

class Run {
public:
    explicit Run(const std::string& solver) {
        make_world(solver);
        add_flag();
        add_sheet();
        add_disc();
        add_colliders();
    }
    ~Run() { selvage_world_destroy(world_); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    Calls call;

    void go_to(int frame) {
        for (; frame_ < frame && call.ok(); ++frame_)
            step();
    }
    std::vector<char> snapshot() {
        std::size_t size = 0;
        call(selvage_world_snapshot_size(world_, &size), "snapshot_size");
        std::vector<char> bytes(size);
        call(selvage_world_snapshot(world_, bytes.data(), bytes.size(), &size), "snapshot");
        return bytes;
    }
    void restore(const std::vector<char>& bytes) {
        call(selvage_world_restore(world_, bytes.data(), bytes.size()), "restore");
        frame_ = kSnapshotFrame;
    }
    std::uint64_t state_hash() {
        std::uint64_t hash = 0;
        call(selvage_world_state_hash(world_, &hash), "state_hash");
        return hash;
    }
    std::string hash_of_all();

private:
    void make_world(const std::string& solver);
    void add_flag();
    void add_sheet();
    void add_disc();
    void add_colliders();
    void step();
    std::array<double, 12> mesh_points(int frame) const;

    selvage_world world_ = 0;
    selvage_cloth flag_ = 0, sheet_ = 0, disc_ = 0;
    selvage_collider sphere_ = 0, mesh_ = 0, ground_ = 0;
    selvage_grab grab_ = 0;
    selvage_attachment pole_ = 0;
    int frame_ = 0;
};

void Run::make_world(const std::string& solver) {
    selvage_world_desc desc = selvage_world_desc_default();
    desc.solver = solver.c_str();
    desc.substeps = 6;
    desc.sleep_time = 0.2;
    desc.sleep_distance = 0.01;
    call(selvage_world_create(&desc, &world_), "world_create");
    selvage_air air = selvage_air_default();
    air.wind[0] = 3.0;
    air.gust = 0.3;
    air.seed = 7;
    call(selvage_world_set_air(world_, &air), "set_air");
}

/// On a pole that moves, and pulled at by a grab.
void Run::add_flag() {
    selvage_cloth_desc desc = selvage_cloth_desc_default();
    desc.generator = SELVAGE_GENERATOR_GRID;
    desc.size[0] = 0.6, desc.size[1] = 0.4;
    desc.resolution[0] = 13, desc.resolution[1] = 9;
    desc.position[0] = 2.0, desc.position[1] = 1.5;
    desc.fabric = "silk-habotai";
    call(selvage_cloth_create(world_, &desc, &flag_), "cloth_create");
    const std::int32_t* left = nullptr;
    std::size_t count = 0;
    call(selvage_cloth_group(flag_, "left", &left, &count), "group");
    const Point at{1.7, 1.5, 0};
    call(selvage_cloth_attach(flag_, left, count, at.data(), kUpright, &pole_), "attach");
    const Point weights{0.25, 0.25, 0.5};
    call(selvage_cloth_grab(flag_, 100, weights.data(), &grab_), "grab");
}

/// From memory, of a material by numbers; falls on the sphere.
void Run::add_sheet() {
    constexpr int n = 10;
    std::vector<double> points;
    std::vector<std::int32_t> triangles;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            points.insert(points.end(), {0.05 * i - 0.22, 0.05 * j - 0.23, 0.001 * ((i * j) % 3)});
    for (int j = 0; j + 1 < n; ++j)
        for (int i = 0; i + 1 < n; ++i) {
            const std::int32_t a = j * n + i, c = a + n;
            triangles.insert(triangles.end(), {a, a + 1, c + 1, a, c + 1, c});
        }
    selvage_material material{};
    material.struct_size = sizeof material;
    call(selvage_fabric_material("cotton-jersey", &material), "fabric_material");
    material.bend_warp *= 2.0;
    selvage_cloth_desc desc = selvage_cloth_desc_default();
    desc.positions = points.data();
    desc.vertex_count = points.size() / 3;
    desc.triangles = triangles.data();
    desc.triangle_count = triangles.size() / 3;
    desc.material = &material;
    desc.position[1] = 0.23;
    for (int k = 0; k < 4; ++k)
        desc.rotation[k] = kFlat[k];
    desc.velocity[1] = -1.0;
    call(selvage_cloth_create(world_, &desc, &sheet_), "cloth_create");
}

/// Falls on the sheet.
void Run::add_disc() {
    selvage_cloth_desc desc = selvage_cloth_desc_default();
    desc.generator = SELVAGE_GENERATOR_DISC;
    desc.size[0] = 0.2;
    desc.resolution[0] = 4;
    desc.position[0] = 0.03, desc.position[1] = 0.4;
    for (int k = 0; k < 4; ++k)
        desc.rotation[k] = kFlat[k];
    desc.velocity[1] = -1.5;
    call(selvage_cloth_create(world_, &desc, &disc_), "cloth_create");
}

void Run::add_colliders() {
    selvage_collider_desc sphere = selvage_collider_desc_default();
    sphere.size[0] = 0.15;
    call(selvage_collider_create(world_, &sphere, &sphere_), "sphere");
    const std::array<double, 12> points = mesh_points(0);
    const std::int32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    selvage_collider_desc mesh = selvage_collider_desc_default();
    mesh.shape = SELVAGE_SHAPE_MESH;
    mesh.vertices = points.data();
    mesh.vertex_count = 4;
    mesh.triangles = triangles;
    mesh.triangle_count = 4;
    call(selvage_collider_create(world_, &mesh, &mesh_), "mesh");
    const double heights[] = {0.0, 0.05, 0.0, 0.02, 0.1, 0.02, 0.0, 0.05, 0.0};
    selvage_collider_desc ground = selvage_collider_desc_default();
    ground.shape = SELVAGE_SHAPE_HEIGHT;
    ground.size[0] = ground.size[1] = 4.0;
    ground.heights = heights;
    ground.resolution[0] = ground.resolution[1] = 3;
    ground.position[1] = -0.3;
    call(selvage_collider_create(world_, &ground, &ground_), "ground");
}

/// A tetrahedron under the sheet's corner that grows.
std::array<double, 12> Run::mesh_points(int frame) const {
    const double top = 0.1 + 0.003 * frame;
    return {0.35, 0.0, 0.0, 0.05, 0.0, 0.25, 0.05, 0.0, 0.0, 0.16, top, 0.1};
}

void Run::step() {
    const Point ball{0.004 * frame_, 0.002 * frame_, 0}, pole{1.7, 1.5 + 0.003 * frame_, 0};
    const double turn[4] = {0, 0.01 * frame_, 0, 1};
    call(selvage_collider_move(sphere_, ball.data(), turn), "collider_move");
    call(selvage_attachment_move(pole_, pole.data(), kUpright), "attachment_move");
    call(selvage_collider_set_vertices(mesh_, mesh_points(frame_).data(), 4), "set_vertices");
    if (frame_ < kReleasedAt) {
        const Point hand{2.25 - 0.002 * frame_, 1.4, 0.005 * frame_};
        call(selvage_grab_move(grab_, hand.data()), "grab_move");
    } else if (frame_ == kReleasedAt) {
        call(selvage_grab_release(grab_), "grab_release");
    } else if (frame_ == kRemovedAt) {
        call(selvage_cloth_destroy(disc_), "cloth_destroy");
    }
    call(selvage_world_step(world_), "step");
}

std::string Run::hash_of_all() {
    std::uint64_t hash = state_hash();
    const Point above{0.02, 2, 0.01}, down{0.01, -1, 0.02};
    selvage_hit hit{};
    hit.struct_size = sizeof hit;
    int found = 0;
    call(selvage_world_raycast(world_, above.data(), down.data(), 5.0, SELVAGE_RAY_ALL, &hit, &found), "raycast");
    if (found == 0) call.fail("the ray met nothing");
    hash = selvage::hash_bytes(hit.point, sizeof hit.point, hash);
    const selvage_contact_event* events = nullptr;
    std::size_t count = 0;
    call(selvage_world_contact_events(world_, &events, &count), "contact_events");
    const auto contacts = static_cast<std::uint64_t>(count);
    return selvage::hex(selvage::hash_bytes(&contacts, sizeof contacts, hash));
}

std::vector<char> bytes_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

bool runs_in_a_world(const std::string& solver) {
    return solver != "explicit" && solver != "harmonic-published";
}

WorldRun run_world(const std::string& solver, const std::string& save, const std::string& resume) {
    Run run(solver);
    std::vector<char> snapshot;
    if (resume.empty()) {
        run.go_to(kSnapshotFrame);
        snapshot = run.snapshot();
        if (!save.empty()) std::ofstream(save, std::ios::binary).write(snapshot.data(), std::ssize(snapshot));
    } else {
        snapshot = bytes_of_file(resume);
        run.restore(snapshot);
    }
    run.go_to(kRepeatedUntil);
    const std::uint64_t first = run.state_hash();
    run.restore(snapshot);
    run.go_to(kRepeatedUntil);
    if (run.state_hash() != first) run.call.fail("goes on from a snapshot otherwise than before");
    run.go_to(kFrames);
    const std::string hash = run.hash_of_all();
    return run.call.ok() ? WorldRun{hash, {}} : WorldRun{{}, run.call.error()};
}

} // namespace portability
