#pragma once

#include <string>
#include <vector>

#include "sim/simulation.h"
#include "sim/validate.h"

namespace selvage {

inline constexpr double kGravity = 9.81;

struct Variant {
    std::string name;
    SolverSettings settings;
    SolverTraits traits;
};

/// The catalog, and the second-order form of the reference. Methods that read no stiffness have nothing to show where
/// the fabric's numbers are the subject.
std::vector<Variant> variants();

/// One sheet of 0.2 kg/m2, one step per frame.
SceneDesc sheet_scene(const SolverSettings& solver, double dt, IntPair vertices, Pair size = {1.0, 1.0});

/// Soft enough for the explicit methods at 1/240 s.
void soften(SceneDesc& scene);

Simulation make_or_die(const SceneDesc& scene);
void run_for(Simulation& sim, double seconds);

// The checks of validate_friction.cpp.
std::vector<ValidationRow> incline();
std::vector<ValidationRow> sticking();
std::vector<ValidationRow> sliding();
std::vector<ValidationRow> capstan();
std::vector<ValidationRow> table_edge();

} // namespace selvage
