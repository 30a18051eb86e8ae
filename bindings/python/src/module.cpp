// The extension module behind the package `selvage`: the C interface as functions of handles, and what the command line
// program has beside it. The package's own Python gives it the shape that users see.

#include <pybind11/pybind11.h>

#include "bindings.h"
#include "errors.h"

PYBIND11_MODULE(_selvage, module) {
    module.doc() = "The engine behind the package `selvage`; use the package.";
    pybind11::options options;
    options.disable_function_signatures();
    selvage::python::bind_errors(module);
    selvage::python::bind_catalogs(module);
    selvage::python::bind_worlds(module);
    selvage::python::bind_cloths(module);
    selvage::python::bind_colliders(module);
    selvage::python::bind_lab(module);
    selvage::python::bind_pictures(module);
}
