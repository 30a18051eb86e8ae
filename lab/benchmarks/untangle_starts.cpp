#include "lab/benchmarks/untangle_starts.h"

#include <functional>

#include "base/concat.h"
#include "math/functions.h"
#include "math/pi.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

using Shape = std::function<Vec3(double u, double v)>; // from the sheet's plane, centred, to where it starts [m]

/// A rectangle that is flat at rest and starts in another shape.
ClothDesc sheet(const std::string& name, double width, double height, int nx, int ny, const Shape& shape) {
    GeneratedMesh mesh = *make_grid({{width, height}, {nx, ny}});
    for (const Vec3& p : mesh.mesh.positions)
        mesh.start.push_back(shape(p.x, p.y));
    ClothDesc cloth;
    cloth.name = name;
    cloth.given_mesh = std::make_shared<const GeneratedMesh>(std::move(mesh));
    return cloth;
}

Vec3 turned(const Vec3& p, const Vec3& degrees) {
    const double to_radians = kPi / 180.0;
    const Vec3 a = to_radians * degrees;
    return rotation_about({0, 0, a.z}) * (rotation_about({0, a.y, 0}) * (rotation_about({a.x, 0, 0}) * p));
}

/// A square of 0.6 m in the x-z plane, turned and moved.
ClothDesc square(const std::string& name, const Vec3& degrees, const Vec3& at = {}, int n = 21) {
    return sheet(name, 0.6, 0.6, n, n, [=](double u, double v) { return at + turned({u, 0.0, v}, degrees); });
}

/// A tube about the y axis, turned and moved; a and b are its half axes.
ClothDesc tube(const std::string& name, double a, double b, double height, const Vec3& degrees, const Vec3& at) {
    GeneratedMesh mesh = *make_tube({1.0, 1.0, height, {40, 21}});
    mesh.mesh.uv.clear();
    mesh.mesh.uv_triangles.clear();
    for (Vec3& p : mesh.mesh.positions)
        p = at + turned({a * p.x, p.y, b * p.z}, degrees);
    ClothDesc cloth;
    cloth.name = name;
    cloth.given_mesh = std::make_shared<const GeneratedMesh>(std::move(mesh));
    return cloth;
}

ClothDesc ribbon(const std::string& name, double length, double width, const std::vector<Triple>& path,
                 const Triple& normal, int nx, int ny) {
    ClothDesc cloth;
    cloth.name = name;
    cloth.mesh = RibbonDesc{{length, width}, {nx, ny}, Diagonals::alternating, path, normal};
    return cloth;
}

/// A closed surface about the y axis: radius(s) and height(s) for s in 0 to 1, poles at both ends.
TriangleMesh lathe(int around, int along, const std::function<double(double)>& radius,
                   const std::function<double(double)>& height) {
    TriangleMesh mesh;
    mesh.positions.push_back({0, height(0.0), 0});
    for (int j = 1; j < along; ++j)
        for (int i = 0; i < around; ++i) {
            const double angle = 2.0 * kPi * i / around, s = static_cast<double>(j) / along;
            mesh.positions.push_back({radius(s) * maths::cos(angle), height(s), radius(s) * maths::sin(angle)});
        }
    mesh.positions.push_back({0, height(1.0), 0});
    const int last = mesh.vertex_count() - 1;
    const auto at = [&](int j, int i) { return 1 + (j - 1) * around + i % around; };
    for (int i = 0; i < around; ++i) {
        mesh.triangles.push_back({0, at(1, i), at(1, i + 1)});
        mesh.triangles.push_back({last, at(along - 1, i + 1), at(along - 1, i)});
        for (int j = 1; j + 1 < along; ++j) {
            mesh.triangles.push_back({at(j, i), at(j + 1, i), at(j + 1, i + 1)});
            mesh.triangles.push_back({at(j, i), at(j + 1, i + 1), at(j, i + 1)});
        }
    }
    return mesh;
}

TriangleMesh ball(double radius) {
    return lathe(
        28, 16, [=](double s) { return radius * maths::sin(kPi * s); },
        [=](double s) { return -radius * maths::cos(kPi * s); });
}

/// A limb along y from -length / 2 to length / 2, with round ends.
TriangleMesh limb(double radius, double length) {
    const auto profile = [=](double s) { return 2.0 * s - 1.0; };
    return lathe(
        20, 28,
        [=](double s) {
            const double y = profile(s) * (0.5 * length), over = std::abs(y) - (0.5 * length - radius);
            return over > 0.0 ? std::sqrt(std::max(0.0, radius * radius - over * over)) : radius;
        },
        [=](double s) { return profile(s) * (0.5 * length); });
}

TriangleMesh torso() {
    return lathe(
        32, 28,
        [](double s) { return 0.17 * std::sqrt(maths::sin(kPi * s)) * (1.0 + 0.12 * maths::cos(4.0 * kPi * s)); },
        [](double s) { return -0.35 + 0.7 * s; });
}

TriangleMesh moved(TriangleMesh mesh, const Vec3& degrees, const Vec3& at) {
    for (Vec3& p : mesh.positions)
        p = at + turned(p, degrees);
    return mesh;
}

TriangleMesh joined(TriangleMesh mesh, const TriangleMesh& other) {
    const int offset = mesh.vertex_count();
    mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
    for (const Triangle& t : other.triangles)
        mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    return mesh;
}

TriangleMesh block(const Triple& size, const IntTriple& vertices) {
    return make_block({size, vertices})->mesh;
}

ColliderDesc solid(TriangleMesh mesh) {
    SolidMeshDesc shape;
    shape.given_mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
    ColliderDesc collider;
    collider.shape = shape;
    return collider;
}

ColliderDesc plain(const SolidDesc& shape, const PlaceDesc& place = {}) {
    ColliderDesc collider;
    collider.shape = shape;
    collider.place = place;
    return collider;
}

/// Collects starts; all fall under gravity and lose some speed to the air.
struct Collection {
    std::vector<TangledStart> starts;

    void add(const std::string& name, std::vector<ClothDesc> cloths, std::vector<ColliderDesc> colliders = {},
             bool waits = false) {
        SceneDesc scene;
        scene.name = name;
        scene.seconds = 2.0;
        scene.velocity_damping = 1.0;
        const Fabric fabric = *load_fabric("cotton-poplin");
        for (ClothDesc& cloth : cloths) {
            cloth.material = fabric.material;
            cloth.look = fabric.look;
        }
        scene.cloths = std::move(cloths);
        scene.colliders = std::move(colliders);
        starts.push_back({name, std::move(scene), waits});
    }
};

void add_sheets(Collection& to) {
    for (const double angle : {90.0, 60.0, 30.0, 10.0, 4.0})
        to.add(concat("crossed-squares-", angle),
               {square("a", {0, 0, 0}), square("b", {0, 0, angle}, {0.013, 0.007, 0.011})});
    to.add("crossed-squares-turned", {square("a", {0, 0, 0}), square("b", {20, 33, 70}, {0.02, 0.01, 0.03})});
    to.add("crossed-squares-shifted", {square("a", {0, 0, 0}), square("b", {0, 0, 80}, {0.03, 0.02, 0.25})});
    to.add("corner-through-sheet", {square("a", {0, 0, 0}), square("b", {0, 45, 90}, {0.01, 0.3, 0.02})});
    to.add("edge-through-sheet", {square("a", {0, 0, 0}), square("b", {0, 30, 90}, {0.01, 0.2, 0.02})});
    to.add("three-crossed", {square("a", {0, 0, 0}), square("b", {0, 10, 90}, {0.02, 0.03, 0.01}),
                             square("c", {85, 0, 5}, {0.01, 0.02, 0.04})});
    std::vector<ClothDesc> layers, shuffled;
    for (int k = 0; k < 5; ++k) {
        layers.push_back(square(concat("layer", k), {0, 0, 0}));
        shuffled.push_back(square(concat("layer", k), {2.0 * (k - 2), 7.0 * k, 3.0 - k}, {0, 0.001 * k, 0}, 15));
    }
    to.add("five-coincident", layers);
    to.add("five-shuffled", shuffled);
    const Shape arch = [](double u, double v) { return Vec3{0.3 * maths::sin(u / 0.3), 0.3 * maths::cos(u / 0.3), v}; };
    to.add("coincident-arches", {sheet("a", 0.6, 0.6, 21, 21, arch), sheet("b", 0.6, 0.6, 21, 21, arch)});
}

void add_garments(Collection& to) {
    to.add("sleeve-through-sleeve",
           {tube("a", 0.08, 0.08, 0.5, {0, 0, 0}, {}), tube("b", 0.08, 0.08, 0.5, {0, 0, 90}, {0.01, 0.02, 0.09})});
    to.add("sleeve-through-sleeve-middle",
           {tube("a", 0.08, 0.08, 0.5, {0, 0, 0}, {}), tube("b", 0.08, 0.08, 0.5, {0, 0, 75}, {0.01, 0.02, 0.013})});
    to.add("narrow-sleeve-through-wide",
           {tube("a", 0.12, 0.12, 0.5, {0, 0, 0}, {}), tube("b", 0.05, 0.05, 0.5, {0, 0, 90}, {0.06, 0.02, 0.013})});
    to.add("oval-tubes",
           {tube("a", 0.2, 0.14, 0.4, {0, 0, 0}, {}), tube("b", 0.14, 0.2, 0.4, {0, 3, 0}, {0, 0.01, 0})});
    const std::vector<Triple> straight{{-0.3, 0.0, 0.0}, {0.0, 0.003, 0.0}, {0.3, 0.0, 0.0}};
    to.add("ribbon-through-sheet",
           {square("sheet", {0, 0, 90}, {0.05, 0.02, 0}), ribbon("ribbon", 0.55, 0.08, straight, {0, 1, 0.2}, 45, 7)});
    std::vector<Triple> trefoil;
    for (int k = 0; k <= 36; ++k) {
        const double t = 2.0 * kPi * k / 40.0;
        trefoil.push_back({0.07 * (maths::sin(t) + 2.0 * maths::sin(2.0 * t)),
                           0.07 * (maths::cos(t) - 2.0 * maths::cos(2.0 * t)), -0.035 * maths::sin(3.0 * t)});
    }
    to.add("knotted-ribbon", {ribbon("ribbon", 1.4, 0.09, trefoil, {0, 0, 1}, 141, 10)});
    std::vector<Triple> eight;
    for (int k = 0; k <= 30; ++k) {
        const double t = 2.0 * kPi * k / 29.0 + 0.5;
        eight.push_back({0.2 * maths::sin(t), 0.002 * k / 30.0, 0.2 * maths::sin(2.0 * t)});
    }
    to.add("figure-eight", {ribbon("ribbon", 1.8, 0.05, eight, {0.216, 0, -0.176}, 181, 6)});
    const auto folded = [](double dip, double sharp) {
        return [=](double u, double v) { // the right half turns over and comes down through the left
            const double half = kPi * sharp;
            if (u < 0.0) return Vec3{u, 0.0, v};
            if (u < half) return Vec3{sharp * maths::sin(u / sharp), sharp - sharp * maths::cos(u / sharp), v};
            const double on = (u - half) / std::sqrt(1.0 + dip * dip);
            return Vec3{-on, 2.0 * sharp - dip * on, v};
        };
    };
    to.add("folded-through-itself", {sheet("a", 0.6, 0.4, 41, 27, folded(0.3, 0.02))});
    to.add("folded-steep", {sheet("a", 0.6, 0.4, 41, 27, folded(0.8, 0.03))});
    to.add("curled-through-itself", {sheet("a", 0.7, 0.3, 57, 25, [](double u, double v) {
               const double t = (u + 0.35) / 0.09, r = 0.09 + 0.004 * (t - 6.0) * maths::sin(12.0 * v);
               return Vec3{r * maths::cos(t), r * maths::sin(t), v};
           })});
}

void add_bodies(Collection& to) {
    to.add("sheet-through-ball", {square("a", {0, 0, 0}, {0.01, 0.02, 0.01})}, {solid(ball(0.15))});
    to.add("sheet-through-ball-top", {square("a", {3, 0, 5}, {0.01, 0.11, 0.01})}, {solid(ball(0.15))});
    to.add("sheet-half-in-block", {square("a", {0, 5, 2}, {0.3, 0.03, 0})}, {solid(block({0.3, 0.2, 0.4}, {7, 5, 9}))});
    to.add("sheet-inside-ball",
           {sheet("a", 0.16, 0.16, 13, 13, [](double u, double v) { return turned({u, 0.02, v}, {10, 0, 20}); })},
           {solid(ball(0.2))});
    to.add("shirt-through-torso", {tube("shirt", 0.18, 0.18, 0.4, {0, 0, 0}, {0.06, 0, 0.01})}, {solid(torso())});
    to.add("tight-shirt-in-torso", {tube("shirt", 0.175, 0.175, 0.3, {0, 0, 0}, {})}, {solid(torso())});
    to.add("shirt-aslant-in-torso", {tube("shirt", 0.17, 0.16, 0.3, {8, 0, 15}, {0.02, 0.03, 0})}, {solid(torso())});
    to.add("sheet-on-a-limb", {square("a", {0, 0, 0}, {0.02, 0.13, 0.01})}, {solid(limb(0.05, 0.5))});
    to.add("sleeve-around-arm", {tube("sleeve", 0.06, 0.06, 0.3, {0, 0, 0}, {0.03, 0, 0})}, {solid(limb(0.05, 0.5))});
    to.add("sheet-through-plate", {square("a", {0, 0, 85}, {0.02, 0.1, 0.01})},
           {solid(moved(make_grid({{1.0, 1.0}, {15, 15}})->mesh, {-90, 0, 0}, {}))});
    to.add("corner-through-plate", {square("a", {0, 45, 80}, {0.01, 0.32, 0.02})},
           {solid(moved(make_grid({{1.0, 1.0}, {15, 15}})->mesh, {-90, 0, 0}, {}))});
    to.add("sheet-through-thin-board", {square("a", {0, 20, 0}, {0.12, 0.05, 0.02})},
           {solid(block({0.006, 0.3, 0.3}, {2, 9, 9}))});
    const TriangleMesh arm = moved(limb(0.05, 0.4), {0, 0, 25}, {0.2, 0.1, 0});
    to.add("sleeve-in-armpit", {tube("sleeve", 0.065, 0.065, 0.2, {0, 0, 25}, {0.22, 0.06, 0})},
           {solid(joined(torso(), arm))}, true);
    const TriangleMesh legs =
        joined(moved(limb(0.07, 0.6), {0, 0, 7}, {0.05, 0, 0}), moved(limb(0.07, 0.6), {0, 0, -7}, {-0.05, 0, 0.01}));
    to.add("skirt-on-crossing-legs", {tube("skirt", 0.15, 0.085, 0.3, {0, 0, 0}, {0.01, 0.02, 0.03})}, {solid(legs)});
    to.add("sheet-between-legs",
           {sheet("a", 0.12, 0.3, 9, 21, [](double u, double v) { return Vec3{0.002, v - 0.05, u}; })}, {solid(legs)},
           true);
    to.add("sheet-in-sphere-shape", {square("a", {0, 0, 3}, {0.01, 0.05, 0.01})}, {plain(Sphere{0.15})});
    to.add("sheet-in-box-shape", {square("a", {0, 5, 2}, {0.3, 0.03, 0})}, {plain(Box{{0.3, 0.2, 0.4}})});
}

ColliderDesc rough(ColliderDesc collider) {
    collider.friction = 0.7;
    return collider;
}

/// Two squares in one another, the second turned about z and moved along x.
std::vector<ClothDesc> falling_pair() {
    return {square("a", {0, 0, 0}, {0, 0.25, 0}, 31), square("b", {0, 0, 30}, {0.1, 0.25, 0}, 31)};
}

void add_falls(Collection& to) {
    const PlaceDesc low{.translate = {0, -0.5, 0}};
    const ColliderDesc floor = plain(Plane{}, low);
    to.add("pair-on-ball", falling_pair(), {plain(Sphere{0.2})});
    to.add("three-on-box",
           {square("a", {7, 0, 0}, {0, 0.2, 0}), square("b", {0, 40, 37}, {0.04, 0.22, 0.03}),
            square("c", {63, 15, 0}, {-0.05, 0.24, 0.06})},
           {plain(Box{{0.25, 0.2, 0.3}}), floor});
    to.add("tube-in-falling-sheet",
           {square("sheet", {0, 0, 0}, {0, 0.1, 0}, 31), tube("tube", 0.07, 0.07, 0.4, {0, 0, 20}, {0.05, 0.12, 0.03})},
           {floor});
    to.add("sheet-in-rough-torso", {square("sheet", {5, 20, 12}, {0.04, 0.17, 0.03}, 31)},
           {rough(solid(torso())), floor});
    to.add("skirt-half-in-torso", {tube("skirt", 0.2, 0.17, 0.3, {0, 10, 6}, {0.06, -0.1, 0.02})},
           {solid(torso()), floor});
    to.add("two-shirts",
           {tube("inner", 0.21, 0.2, 0.35, {0, 0, 0}, {0.01, 0, 0}), tube("outer", 0.22, 0.2, 0.35, {4, 9, 3}, {})},
           {solid(torso()), floor});
    to.add("scarf-in-cloth-on-ball",
           {square("sheet", {0, 0, 0}, {0, 0.17, 0}, 31),
            ribbon("scarf", 0.6, 0.1, {{-0.3, 0.25, 0.05}, {0.0, 0.16, 0.0}, {0.3, 0.05, -0.02}}, {0.3, 1, 0}, 49, 9)},
           {solid(ball(0.15)), floor});
    ClothDesc left = square("left", {90, 0, 0}), right = square("right", {100, 4, 0}, {0.03, -0.01, 0.04});
    for (ClothDesc* curtain : {&left, &right}) {
        curtain->pins.emplace_back();
        curtain->pins.back().select = EdgeName{"bottom"}; // turned up
    }
    to.add("two-curtains", {left, right}, {floor});
}

} // namespace

std::vector<TangledStart> falling_starts() {
    Collection all;
    add_falls(all);
    return all.starts;
}

std::vector<TangledStart> tangled_starts() {
    Collection all;
    add_sheets(all);
    add_garments(all);
    add_bodies(all);
    return all.starts;
}

} // namespace selvage
