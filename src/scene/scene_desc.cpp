#include "scene/scene_desc.h"

namespace selvage {

int substeps_for(const SceneDesc& scene, const SolverSettings& solver) {
    for (const std::string& name : {solver_name(solver), std::string(kOtherSolvers)})
        if (const auto found = scene.substeps_of.find(name); found != scene.substeps_of.end()) return found->second;
    return scene.substeps;
}

std::map<std::string, int> substeps_in_use(const SceneDesc& scene) {
    std::map<std::string, int> numbers = scene.substeps_of;
    const auto named = numbers.find(solver_name(scene.solver));
    (named != numbers.end() ? named->second : numbers[kOtherSolvers]) = scene.substeps;
    return numbers;
}

void choose_solver(SceneDesc& scene, const SolverSettings& solver) {
    if (!scene.substeps_of.empty()) scene.substeps_of = substeps_in_use(scene);
    scene.substeps = substeps_for(scene, solver);
    scene.solver = solver;
}

} // namespace selvage
