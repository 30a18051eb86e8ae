#pragma once

#include <pybind11/pybind11.h>

#include "api/registry.h"

namespace selvage::python {

/// Adds selvage.Error and one class for each code of the C interface.
void bind_errors(pybind11::module_& module);

/// Raises the exception of a code with the engine's text; nothing when the call worked.
void check(selvage_result code);

/// What the engine returns inside: the value, or an exception with its text.
template <class T>
T take(Result<T> result) {
    if (!result) check(fail(result.error()));
    return std::move(*result);
}

} // namespace selvage::python
