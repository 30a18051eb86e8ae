#include "errors.h"

#include <array>

namespace py = pybind11;

namespace selvage::python {

namespace {

struct ErrorClass {
    selvage_result code;
    const char* name;
    PyObject* (*also)(); // the built-in class that a caller may catch it as
    const char* doc;
};

const std::array kErrors = {
    ErrorClass{SELVAGE_ERROR_ARGUMENT, "ArgumentError", [] { return PyExc_ValueError; },
               "An argument is not finite, out of range, or of the wrong count."},
    ErrorClass{SELVAGE_ERROR_HANDLE, "HandleError", [] { return PyExc_LookupError; },
               "The object is gone, or its world is."},
    ErrorClass{SELVAGE_ERROR_BUSY, "BusyError", [] { return PyExc_RuntimeError; },
               "The world is in use: by another thread, or by the callback that the call comes from."},
    ErrorClass{SELVAGE_ERROR_DATA, "DataError", [] { return PyExc_ValueError; },
               "A mesh, fabric, scene or snapshot cannot be used."},
    ErrorClass{SELVAGE_ERROR_FILE, "FileError", [] { return PyExc_OSError; }, "A file cannot be read."},
    ErrorClass{SELVAGE_ERROR_DIVERGED, "DivergedError", [] { return PyExc_ArithmeticError; },
               "A cloth's motion stopped making sense; it is held at its last good frame."},
    ErrorClass{SELVAGE_ERROR_MEMORY, "OutOfMemoryError", [] { return PyExc_MemoryError; }, "Not enough memory."},
    ErrorClass{SELVAGE_ERROR_INTERNAL, "InternalError", [] { return PyExc_RuntimeError; },
               "A fault of the library itself; please report it."}};

/// By code; never destroyed, since the interpreter may be gone by then.
std::array<PyObject*, 16> classes{};

} // namespace

void bind_errors(py::module_& module) {
    PyObject* base =
        PyErr_NewExceptionWithDoc("selvage.Error", "What went wrong, in the engine's words.", nullptr, nullptr);
    module.add_object("Error", py::reinterpret_steal<py::object>(base));
    for (const ErrorClass& error : kErrors) {
        const py::tuple bases = py::make_tuple(py::handle(base), py::handle(error.also()));
        const std::string name = std::string("selvage.") + error.name;
        PyObject* made = PyErr_NewExceptionWithDoc(name.c_str(), error.doc, bases.ptr(), nullptr);
        module.add_object(error.name, py::reinterpret_borrow<py::object>(made));
        classes.at(error.code) = made;
    }
}

void check(selvage_result code) {
    if (code == SELVAGE_OK) return;
    PyErr_SetString(classes.at(code), selvage_last_error());
    throw py::error_already_set();
}

} // namespace selvage::python
