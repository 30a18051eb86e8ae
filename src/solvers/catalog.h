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

template <class... Solvers>
struct SolverList {
    using AnySettings = std::variant<typename Solvers::Settings...>;
};

/// All methods, in the order in which users see them. To add one, include its header above and name its class here:
/// scene files, command line, viewer, tests and benchmarks take it from this list.
using AllSolvers = SolverList<ImplicitJacobiSolver, ImplicitCgSolver, FilterSolver, VerletSolver, HarmonicSolver,
                              HarmonicPublishedSolver, XpbdSolver, MultilevelSolver, ExplicitSolver>;

/// The settings of one method; the alternatives stand in the order of the list.
using SolverSettings = AllSolvers::AnySettings;

/// One method: its name everywhere, what it is for, and its settings with their defaults.
struct SolverEntry {
    std::string name;
    std::string summary;
    SolverSettings defaults;
    SolverTraits traits = {};
};

/// An entry for each of AllSolvers, in that order.
const std::vector<SolverEntry>& solver_catalog();
const SolverEntry* find_solver(const std::string& name);
const std::string& solver_name(const SolverSettings& settings);
std::vector<std::string> solver_names();

/// The model and the pool must outlive the solver.
std::unique_ptr<Solver> make_solver(const ClothModel& model, const SolverSettings& settings, ThreadPool& pool);

} // namespace selvage
