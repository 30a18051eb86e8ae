#include "lab/validate/cusick_drape.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/assert.h"
#include "lab/validate/relaxation.h"

namespace selvage {

namespace {

constexpr double kPlateThickness = 5e-4; // minimum distance of plate and cloth [m]
// What separates the cloth's middle from either plate: the plates hold it flat, and squeeze none of it.
constexpr double kPlateGap = 1.2 * kPlateThickness; // [m]
constexpr double kUpperPlate = 0.02;                // [m]
constexpr double kRestTime = 0.5;                   // over which it must not move [s]
constexpr int kAngles = 360;                        // of the outline
constexpr double kFoldHeight = 1.5e-3;              // an outline that leaves the mean by less has no fold there [m]

/// Black where the cloth is between the light and the ground.
class Shadow {
public:
    Shadow(double half_width, int cells)
        : half_width_(half_width), cells_(cells), dark_(static_cast<std::size_t>(cells) * cells, 0) {}

    void add_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
        const double ax = to_cells(a.x), az = to_cells(a.z), bx = to_cells(b.x), bz = to_cells(b.z);
        const double cx = to_cells(c.x), cz = to_cells(c.z);
        const int x0 = clamped(std::min({ax, bx, cx})), x1 = clamped(std::max({ax, bx, cx}));
        const int z0 = clamped(std::min({az, bz, cz})), z1 = clamped(std::max({az, bz, cz}));
        const auto side = [](double px, double pz, double qx, double qz, double x, double z) {
            return (qx - px) * (z - pz) - (qz - pz) * (x - px);
        };
        for (int z = z0; z <= z1; ++z)
            for (int x = x0; x <= x1; ++x) {
                const double s0 = side(ax, az, bx, bz, x, z), s1 = side(bx, bz, cx, cz, x, z),
                             s2 = side(cx, cz, ax, az, x, z);
                // With either orientation: cloth that hangs past the vertical shows its back.
                if ((s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0))
                    dark_[static_cast<std::size_t>(z) * cells_ + x] = 1;
            }
    }

    double area() const {
        const double cell = 2.0 * half_width_ / cells_;
        return cell * cell * static_cast<double>(std::count(dark_.begin(), dark_.end(), std::uint8_t{1}));
    }

    /// How far out it reaches in that direction.
    double radius(double angle) const {
        const double step = 0.5 * 2.0 * half_width_ / cells_, x = std::cos(angle), z = std::sin(angle);
        for (double r = half_width_; r > 0.0; r -= step)
            if (dark_[static_cast<std::size_t>(clamped(to_cells(r * z))) * cells_ + clamped(to_cells(r * x))]) return r;
        return 0.0;
    }

private:
    double to_cells(double x) const { return (x + half_width_) / (2.0 * half_width_) * cells_ - 0.5; }
    int clamped(double cell) const { return std::clamp(static_cast<int>(std::lround(cell)), 0, cells_ - 1); }

    double half_width_;
    int cells_;
    std::vector<std::uint8_t> dark_;
};

/// Rises of the outline above its mean, each after a fall below.
int count_folds(const std::vector<double>& outline) {
    double mean = 0.0;
    for (const double r : outline)
        mean += r / static_cast<double>(outline.size());
    int folds = 0;
    bool low = false;
    for (int turn = 0; turn < 2; ++turn) // the first turn only finds out where the second starts
        for (const double r : outline) {
            if (r < mean - kFoldHeight) low = true;
            if (r > mean + kFoldHeight && low) {
                low = false;
                folds += turn;
            }
        }
    return folds;
}

double farthest_moved(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    double farthest = 0.0;
    for (std::size_t i = 0; i < from.size(); ++i)
        farthest = std::max(farthest, length(to[i] - from[i]));
    return farthest;
}

} // namespace

DrapeResult measure_drape(const DrapeTest& test, const TriangleMesh& mesh, const std::vector<Vec3>& positions) {
    Shadow shadow(1.1 * test.cloth_radius, 1100); // cells of 0.3 mm
    for (const Triangle& t : mesh.triangles)
        shadow.add_triangle(positions[t[0]], positions[t[1]], positions[t[2]]);
    DrapeResult result;
    const double plate = std::numbers::pi * test.plate_radius * test.plate_radius;
    const double cloth = std::numbers::pi * test.cloth_radius * test.cloth_radius;
    result.coefficient = (shadow.area() - plate) / (cloth - plate);
    for (int k = 0; k < kAngles; ++k)
        result.outline.push_back(shadow.radius(2.0 * std::numbers::pi * k / kAngles));
    result.folds = count_folds(result.outline);
    return result;
}

SceneDesc drape_scene(const DrapeTest& test, const Material& material) {
    SceneDesc scene;
    scene.name = "drape-test";
    scene.solver = test.solver;
    scene.dt = test.dt;
    scene.substeps = test.substeps;
    scene.air.density = 1.2; // still air: it damps the hem, and exerts no force on what rests
    ClothDesc cloth;
    cloth.name = "disc";
    cloth.mesh = DiscDesc{test.cloth_radius, test.rings, test.jitter};
    cloth.material = material;
    cloth.place.rotate_deg = {-90, 0, 0};
    cloth.place.translate = {0, kPlateGap, 0};
    PinDesc needle;
    needle.select = std::vector<int>{0}; // a disc's first vertex is its middle
    cloth.pins.push_back(needle);
    scene.cloths.push_back(cloth);
    ColliderDesc plate;
    const double height = 2.0 * test.cloth_radius; // no cloth reaches below it
    plate.shape = Cylinder{test.plate_radius, height};
    plate.place.translate = {0, -0.5 * height, 0};
    plate.friction = test.plate_friction;
    plate.thickness = kPlateThickness;
    scene.colliders.push_back(plate);
    plate.shape = Cylinder{test.plate_radius, kUpperPlate};
    plate.place.translate = {0, 2.0 * kPlateGap + 0.5 * kUpperPlate, 0};
    scene.colliders.push_back(plate);
    return scene;
}

DrapeResult run_drape_test(const DrapeTest& test, const Material& material, int threads,
                           const std::function<void(double)>& progress) {
    Result<Simulation> sim = Simulation::make(drape_scene(test, material), threads);
    SELVAGE_ASSERT(sim); // the scene is our own
    const auto frames_in = [&](double seconds) { return static_cast<int>(std::lround(seconds / test.dt)); };
    const int frames = frames_in(test.longest), fall = frames_in(test.fall), pause = frames_in(kRestTime);
    Relaxation relaxation(*sim);
    std::vector<Vec3> before = sim->state().position; // half a second ago, or less
    bool rested = false;
    int frame = 0;
    while (frame < frames && !rested && !sim->divergence()) {
        sim->step_frame();
        ++frame;
        if (progress) progress(static_cast<double>(frame) / frames);
        if (frame >= fall) relaxation.after_step(*sim);
        if (frame % pause != 0) continue;
        rested = frame >= fall + pause && farthest_moved(before, sim->state().position) < test.rest_move;
        before = sim->state().position;
    }
    DrapeResult result = measure_drape(test, sim->model().mesh, sim->state().position);
    result.seconds = frame * test.dt;
    result.rested = rested;
    if (sim->divergence()) result.coefficient = std::nan("");
    return result;
}

} // namespace selvage
