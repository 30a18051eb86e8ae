#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "solvers/explicit.h"
#include "solvers/filter.h"
#include "solvers/harmonic.h"
#include "solvers/implicit_cg.h"
#include "solvers/implicit_jacobi.h"
#include "solvers/multilevel.h"
#include "solvers/verlet.h"
#include "solvers/xpbd.h"

namespace selvage {

using SolverSettings =
    std::variant<ImplicitJacobiSettings, ImplicitCgSettings, FilterSettings, VerletSettings, HarmonicSettings,
                 HarmonicPublishedSettings, XpbdSettings, ExplicitSettings, MultilevelSettings>;

/// What a method is like, where tests and checks must know.
struct SolverTraits {
    bool can_diverge = false;  ///< Bursts by itself at large steps; such runs are reported, not hidden.
    bool elastic = true;       ///< Reads the fabric's stiffness: tends to the reference as step and mesh are refined.
    bool coulomb = true;       ///< Friction on solids is Coulomb's: at most mu times the normal force.
    bool own_elements = false; ///< Elastic triangles instead of the springs: tends to a limit of its own.
    bool damps_swings = false; ///< Swings about held points die out unless h k/m is below their frequency.
};

/// One method: its name everywhere, what it is for, and its settings with their defaults.
struct SolverEntry {
    std::string name;
    std::string summary;
    SolverSettings defaults;
    SolverTraits traits = {};
};

/// All methods. Scene files, command line, tests and benchmarks loop over this list.
const std::vector<SolverEntry>& solver_catalog();
const SolverEntry* find_solver(const std::string& name);
const std::string& solver_name(const SolverSettings& settings);
std::vector<std::string> solver_names();

/// The model and the pool must outlive the solver.
std::unique_ptr<Solver> make_solver(const ClothModel& model, const SolverSettings& settings, ThreadPool& pool);

} // namespace selvage
