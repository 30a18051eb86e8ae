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

namespace selvage {

using SolverSettings = std::variant<ImplicitJacobiSettings, ImplicitCgSettings, FilterSettings, HarmonicSettings,
                                    HarmonicPublishedSettings, ExplicitSettings>;

/// One method: its name everywhere, what it is for, and its settings with their defaults.
struct SolverEntry {
    std::string name;
    std::string summary;
    SolverSettings defaults;
    bool can_diverge = false; ///< Bursts by itself at large steps; such runs are reported, not hidden.
    bool damps_swings =
        false; ///< Swings about held points die out unless the step is tiny (h k/m below their frequency).
};

/// All methods. Scene files, command line, tests and benchmarks loop over this list.
const std::vector<SolverEntry>& solver_catalog();
const SolverEntry* find_solver(const std::string& name);
const std::string& solver_name(const SolverSettings& settings);
std::vector<std::string> solver_names();

/// The model and the pool must outlive the solver.
std::unique_ptr<Solver> make_solver(const ClothModel& model, const SolverSettings& settings, ThreadPool& pool);

} // namespace selvage
