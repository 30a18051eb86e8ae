#include "solvers/catalog.h"

namespace selvage {

namespace {

template <class Method>
SolverEntry entry_of() {
    const SolverInfo info = Method::info();
    return {info.name, info.summary, typename Method::Settings{}, info.traits};
}

template <class... Solvers>
std::vector<SolverEntry> entries_of(SolverList<Solvers...>) {
    return {entry_of<Solvers>()...};
}

template <class... Solvers>
std::unique_ptr<Solver> make_from(SolverList<Solvers...>, const ClothModel& model, const SolverSettings& settings,
                                  ThreadPool& pool) {
    std::unique_ptr<Solver> solver;
    const auto try_one = [&]<class Method>(const Method*) {
        if (const auto* chosen = std::get_if<typename Method::Settings>(&settings))
            solver = std::make_unique<Method>(model, *chosen, pool);
    };
    (try_one(static_cast<const Solvers*>(nullptr)), ...);
    return solver;
}

} // namespace

const std::vector<SolverEntry>& solver_catalog() {
    static const std::vector<SolverEntry> catalog = entries_of(AllSolvers{});
    return catalog;
}

const SolverEntry* find_solver(const std::string& name) {
    for (const SolverEntry& entry : solver_catalog())
        if (entry.name == name) return &entry;
    return nullptr;
}

const std::string& solver_name(const SolverSettings& settings) {
    return solver_catalog()[settings.index()].name;
}

std::vector<std::string> solver_names() {
    std::vector<std::string> names;
    for (const SolverEntry& entry : solver_catalog())
        names.push_back(entry.name);
    return names;
}

std::unique_ptr<Solver> make_solver(const ClothModel& model, const SolverSettings& settings, ThreadPool& pool) {
    return make_from(AllSolvers{}, model, settings, pool);
}

} // namespace selvage
