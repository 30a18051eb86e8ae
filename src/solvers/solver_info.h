#pragma once

#include <string>

namespace selvage {

/// What a method is like, where other code must know: tests, checks and scenes that leave a choice open.
struct SolverTraits {
    bool can_diverge = false;  ///< Diverges by itself at large steps; such runs are reported, not hidden.
    bool elastic = true;       ///< Reads the fabric's stiffness: tends to the reference as step and mesh are refined.
    bool coulomb = true;       ///< Friction on colliders is Coulomb's: at most mu times the normal force.
    bool own_elements = false; ///< Elastic triangles instead of the springs: tends to a limit of its own.
    bool damps_swings = false; ///< Swings about held points die out unless h k/m is below their frequency.
    int usual_substeps = 20;   ///< Steps per frame in scenes that give no number.
};

/// What a method says of itself. Every solver class has `using Settings = ...` and `static SolverInfo info()`; with an
/// entry in solvers/catalog.h that is all the rest of the program needs.
struct SolverInfo {
    std::string name;    ///< The same in scene files, flags, docs and file names.
    std::string summary; ///< One line for lists.
    SolverTraits traits = {};
};

} // namespace selvage
