#pragma once

#include <string>
#include <vector>

#include "lab/validate/validate.h"
#include "sim/simulation.h"

namespace selvage {

inline constexpr double kGravity = 9.81;
inline constexpr double kSheetDensity = 0.2; ///< Of every sheet and strip here [kg/m2].
inline constexpr Triple kLevel{-90, 0, 0};   ///< Turns the x-y plane of a grid into the horizontal.

struct Variant {
    std::string name;
    SolverSettings settings;
    SolverTraits traits;
};

/// The catalog, and the second-order form of the reference. Methods that read no stiffness have nothing to show where
/// the fabric's numbers are the subject.
std::vector<Variant> variants();

/// One sheet, one step per frame.
SceneDesc sheet_scene(const SolverSettings& solver, double dt, IntPair vertices, Pair size = {1.0, 1.0});

/// Soft enough for the explicit methods at 1/240 s.
void soften(SceneDesc& scene);

Simulation make_or_die(const SceneDesc& scene);
void run_for(Simulation& sim, double seconds);

/// Length of the steps of settle() [s].
inline constexpr double kSettleStep = 1.0 / 60.0;
/// Steps until it rests: until no point moves by `still` [m] from one peak of the kinetic energy to the next. False
/// when that takes too long.
bool settle(Simulation& sim, double still = 1e-6, double seconds = 10.0);

/// The methods that see cloth as elastic triangles and hinges, at their usual and at high quality.
std::vector<Variant> sheet_variants();
/// The name of no method: the energies alone.
inline constexpr const char* kEnergies = "energies";
/// Those energies without any method; and those before them.
std::vector<Variant> energies_alone();
std::vector<Variant> bending_variants();
std::vector<Variant> bending_variants_once(); ///< At the usual quality only.

// The checks of validate_bending.cpp.
std::vector<ValidationRow> cantilever(const std::vector<Variant>& by);
std::vector<ValidationRow> self_buckling(const std::vector<Variant>& by);
std::vector<ValidationRow> lateral_buckling(const std::vector<Variant>& by);

// Of fabrics whose rigidity differs with the direction, and of strips that are curved at rest.
std::vector<ValidationRow> thread_cantilever(const std::vector<Variant>& by);
std::vector<ValidationRow> arc_cantilever();

/// The methods that hang and swing a limp strip well enough at a step that a check can afford.
std::vector<Variant> hanging_variants();
// The checks of validate_hanging.cpp.
std::vector<ValidationRow> hanging_chain();
std::vector<ValidationRow> swing_modes();
std::vector<ValidationRow> swing_damping();
std::vector<ValidationRow> wind_angle();
std::vector<ValidationRow> energy();
std::vector<ValidationRow> independence();

// The check of validate_drape.cpp: of all fabrics, which takes minutes; of one on a coarse mesh.
std::vector<ValidationRow> drape();
std::vector<ValidationRow> paired_drape();
std::vector<ValidationRow> coarse_paired_drape();

// The checks of validate_membrane.cpp.
std::vector<ValidationRow> patch_tests();
std::vector<ValidationRow> uniaxial(const std::vector<Variant>& by);
std::vector<ValidationRow> elastic_patches(const std::vector<Variant>& by);
std::vector<ValidationRow> coarse_drape();

// The checks of validate_threads.cpp.
std::vector<ValidationRow> thread_pull(const std::vector<Variant>& by);
std::vector<ValidationRow> thread_push();
std::vector<ValidationRow> frame_shear();
std::vector<ValidationRow> elastic_catenary();

// The checks of validate_air.cpp and validate_damping.cpp.
std::vector<ValidationRow> tilted_plate();
std::vector<ValidationRow> decay_of_modes();
std::vector<ValidationRow> spring_decay();
std::vector<ValidationRow> velocity_decay();

// The checks of validate_yarn.cpp.
std::vector<ValidationRow> bending_loop();
std::vector<ValidationRow> hysteretic_swing();

// The checks of validate_contact.cpp.
std::vector<ValidationRow> collider_friction();
std::vector<ValidationRow> stopping_distance();
std::vector<ValidationRow> cloth_on_cloth();

// The checks of validate_joints.cpp.
std::vector<ValidationRow> joined_panels();

// The check of validate_springs.cpp.
std::vector<ValidationRow> spring_moduli();

// The checks of validate_friction.cpp.
std::vector<ValidationRow> incline();
std::vector<ValidationRow> sticking();
std::vector<ValidationRow> sliding();
std::vector<ValidationRow> capstan();
std::vector<ValidationRow> table_edge();

} // namespace selvage
