#pragma once

#include <string>

// A world made and driven through selvage.h alone, as a program would. Not in the engine's namespace: the public names
// and the engine's do not mix.

namespace portability {

inline constexpr char kWorldCase[] = "world-with-sphere";

/// Whether a solver is run: not those that diverge at a world's usual steps.
bool runs_in_a_world(const std::string& solver);

struct WorldRun {
    std::string hash;  ///< Of the state at the end, what a ray met and the contacts; "" when something failed.
    std::string error; ///< What failed.
};

/// Thirty-six frames in which cloths meet and part, sleep and are removed, colliders of several kinds move, and a grab and an
/// attachment pull. From frame 12 it goes to 24 twice by way of a snapshot, which must give the same. `save` and
/// `resume` are files for that snapshot, or "": with `resume` the run starts there.
WorldRun run_world(const std::string& solver, const std::string& save, const std::string& resume);

} // namespace portability
