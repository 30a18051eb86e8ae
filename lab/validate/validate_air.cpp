// What air does to a flat plate, term by term: drag along the flow and lift across it, for flow from either side on either
// face. With U the speed of the flow and a the angle between flow and plate, per area:
//   drag = 1/2 rho C_D U^2 sin a along the flow,
//   lift = 1/2 rho C_L U^2 (1 - sin a) cos a across it, to the side that the plate leans away from (Kang and Cho, eqs. 31-34).

#include <array>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "lab/validate/validate_internal.h"
#include "model/measures.h"

namespace selvage {

namespace {

struct PlateInFlow {
    const char* name;
    double lean_deg; ///< Of the plate from the flow, which runs along +x, towards +y.
    bool turned;     ///< The other face up.
    bool moves;      ///< The plate moves through still air instead of air past it.
};

constexpr double kFlow = 3.0, kAirDensity = 1.2, kDrag = 1.3, kLift = 0.7;

/// Force per mass on a plate within one short step.
Vec3 acceleration(const SolverSettings& solver, const PlateInFlow& plate) {
    const double h = 1e-5;
    SceneDesc scene = sheet_scene(solver, h, {5, 5}, {0.4, 0.4});
    soften(scene);
    scene.gravity = {0, 0, 0};
    scene.air.density = kAirDensity;
    scene.air.drag = kDrag;
    scene.air.lift = kLift;
    // From the x-y plane to the x-z plane, its front up or down, then about z.
    scene.cloths[0].place.rotate_deg = {plate.turned ? 90.0 : -90.0, 0, plate.lean_deg};
    (plate.moves ? scene.cloths[0].velocity : scene.air.wind) = {plate.moves ? -kFlow : kFlow, 0, 0};
    Simulation sim = make_or_die(scene);
    const double mass = kSheetDensity * 0.4 * 0.4;
    const Vec3 before = measure_momentum(sim.model(), sim.state()).linear;
    sim.step();
    return (measure_momentum(sim.model(), sim.state()).linear - before) / (mass * h);
}

} // namespace

std::vector<ValidationRow> tilted_plate() {
    std::vector<ValidationRow> rows;
    constexpr std::array<PlateInFlow, 5> kPlates = {{{"up:front", 30.0, false, false},
                                                     {"up:back", 30.0, true, false},
                                                     {"down:front", -50.0, false, false},
                                                     {"down:back", -50.0, true, false},
                                                     {"moving", 30.0, false, true}}};
    const double pressure = 0.5 * kAirDensity * kFlow * kFlow / kSheetDensity; // over the mass of an area
    for (const Variant& variant : variants())
        for (const PlateInFlow& plate : kPlates) {
            const double angle = std::abs(plate.lean_deg) * std::numbers::pi / 180.0;
            // A plate that rises along the flow meets it with its lower face and is lifted.
            const double up = plate.lean_deg > 0.0 ? -1.0 : 1.0;
            const Vec3 got = acceleration(variant.settings, plate);
            const std::string name = concat("tilted-plate/", variant.name, ":", plate.name);
            rows.push_back(make_row(name + ":drag", pressure * kDrag * std::sin(angle), got.x, 0.002, "m/s2"));
            rows.push_back(make_row(name + ":lift", up * pressure * kLift * (1.0 - std::sin(angle)) * std::cos(angle),
                                    got.y, 0.002, "m/s2"));
        }
    return rows;
}

} // namespace selvage
