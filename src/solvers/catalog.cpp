#include "solvers/catalog.h"

#include "base/assert.h"

namespace selvage {

const std::vector<SolverEntry>& solver_catalog() {
    static const std::vector<SolverEntry> catalog = {
        {"implicit-jacobi", "approximate implicit step by a few block-Jacobi sweeps, linear time (Kang and Cho)",
         ImplicitJacobiSettings{}},
        {"implicit-cg",
         "full backward Euler by conjugate gradients; the reference, with second- and third-order variants",
         ImplicitCgSettings{}},
        {"filter",
         "implicit step by a matrix factored once, for any net under any hand (Desbrun, Schroeder, Barr 1999)",
         FilterSettings{},
         {.damps_swings = true}},
        {"verlet",
         "lengths kept by constraints, no springs; may keep off itself (Fuhrmann, Gross and Luckas 2003)",
         VerletSettings{},
         {.elastic = false, .coulomb = false}},
        {"harmonic", "explicit harmonic oscillation, filtered to be stable at any step (after Kang and Cho 2012)",
         HarmonicSettings{}},
        {"harmonic-published",
         "the same as printed, for study; bursts before symplectic Euler does",
         HarmonicPublishedSettings{},
         {.can_diverge = true}},
        {"xpbd", "position-based dynamics in small steps with tethers: what game engines ship today", XpbdSettings{}},
        {"multilevel",
         "small implicit steps on elastic triangles, solved across scales: low stretch at any resolution",
         MultilevelSettings{},
         {.own_elements = true}},
        {"explicit", "symplectic Euler, for study; bursts at large steps", ExplicitSettings{}, {.can_diverge = true}},
    };
    return catalog;
}

const SolverEntry* find_solver(const std::string& name) {
    for (const SolverEntry& entry : solver_catalog())
        if (entry.name == name) return &entry;
    return nullptr;
}

const std::string& solver_name(const SolverSettings& settings) {
    for (const SolverEntry& entry : solver_catalog())
        if (entry.defaults.index() == settings.index()) return entry.name;
    SELVAGE_ASSERT(false && "every settings type has a catalog entry");
    return solver_catalog().front().name;
}

std::vector<std::string> solver_names() {
    std::vector<std::string> names;
    for (const SolverEntry& entry : solver_catalog())
        names.push_back(entry.name);
    return names;
}

namespace {

std::unique_ptr<Solver> make(const ClothModel& m, const ImplicitJacobiSettings& s, ThreadPool& p) {
    return std::make_unique<ImplicitJacobiSolver>(m, s, p);
}
std::unique_ptr<Solver> make(const ClothModel& m, const ImplicitCgSettings& s, ThreadPool& p) {
    return std::make_unique<ImplicitCgSolver>(m, s, p);
}
std::unique_ptr<Solver> make(const ClothModel& m, const FilterSettings& s, ThreadPool& p) {
    return std::make_unique<FilterSolver>(m, s, p);
}
std::unique_ptr<Solver> make(const ClothModel& m, const HarmonicSettings& s, ThreadPool& p) {
    return std::make_unique<HarmonicSolver>(m, s, p);
}
std::unique_ptr<Solver> make(const ClothModel& m, const HarmonicPublishedSettings& s, ThreadPool& p) {
    return std::make_unique<HarmonicPublishedSolver>(m, s, p);
}
std::unique_ptr<Solver> make(const ClothModel& m, const XpbdSettings& s, ThreadPool& p) {
    return std::make_unique<XpbdSolver>(m, s, p);
}
std::unique_ptr<Solver> make(const ClothModel& m, const ExplicitSettings& s, ThreadPool& p) {
    return std::make_unique<ExplicitSolver>(m, s, p);
}
std::unique_ptr<Solver> make(const ClothModel& m, const VerletSettings& s, ThreadPool& p) {
    return std::make_unique<VerletSolver>(m, s, p);
}

std::unique_ptr<Solver> make(const ClothModel& m, const MultilevelSettings& s, ThreadPool& p) {
    return std::make_unique<MultilevelSolver>(m, s, p);
}

} // namespace

std::unique_ptr<Solver> make_solver(const ClothModel& model, const SolverSettings& settings, ThreadPool& pool) {
    return std::visit([&](const auto& chosen) { return make(model, chosen, pool); }, settings);
}

} // namespace selvage
