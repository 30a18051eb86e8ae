#pragma once

#include <pybind11/pybind11.h>

#include "scene/scene_desc.h"

namespace selvage::python {

/// A loaded scene, for who makes a world of it or looks at it.
struct LoadedScene {
    SceneDesc desc;
};

void bind_catalogs(pybind11::module_& module);  ///< Version, fabrics, solvers, scenes.
void bind_worlds(pybind11::module_& module);    ///< Worlds, queries, snapshots.
void bind_cloths(pybind11::module_& module);    ///< Cloths, attachments, grabs.
void bind_colliders(pybind11::module_& module); ///< Colliders.
void bind_lab(pybind11::module_& module);       ///< compare and validate.
void bind_pictures(pybind11::module_& module);  ///< Pictures of a world.

} // namespace selvage::python
