#pragma once

#include <string>
#include <vector>

#include "scene/scene_desc.h"

namespace selvage {

/// A scene whose cloth starts in itself, in other cloth or in a collider.
struct TangledStart {
    std::string name;
    SceneDesc scene;
    bool waits = false; ///< Colliders that overlap hold some of the cloth: it cannot be free, only at rest.
};

/// All of them, made by code: crossed and coincident sheets, sleeves, ribbons, folds, bodies. Without a solver's name
/// they run with the scenes' default.
std::vector<TangledStart> tangled_starts();

/// Starts that nothing was tuned on but the first: cloth that falls on something, or hangs, while it is tangled.
std::vector<TangledStart> falling_starts();

} // namespace selvage
