#pragma once

#include <memory>
#include <optional>

#include <pybind11/numpy.h>

#include "api/calls.h"
#include "errors.h"

namespace selvage::python {

/// What Python hands in: its own package has checked kind and shape, and made rows lie one after the other.
using Numbers = pybind11::array_t<double, pybind11::array::c_style>;
using Indices = pybind11::array_t<std::int32_t, pybind11::array::c_style>;
using Triple = std::array<double, 3>;
using Quadruple = std::array<double, 4>;

template <class Array>
auto data_of(const std::optional<Array>& array) -> decltype(array->data()) {
    return array && array->size() > 0 ? array->data() : nullptr;
}
/// The package has made sure of all this; who calls the module directly must not reach past the end either.
template <class Array>
std::size_t rows_of(const Array& array, pybind11::ssize_t columns) {
    const bool fits = columns == 1 ? array.ndim() == 1 : array.ndim() == 2 && array.shape(1) == columns;
    if (!fits)
        check(fail(SELVAGE_ERROR_ARGUMENT, concat("found an array of another shape; expected ", columns,
                                                  columns == 1 ? " column" : " columns")));
    return static_cast<std::size_t>(array.shape(0));
}
template <class Array>
std::size_t rows_of(const std::optional<Array>& array, pybind11::ssize_t columns) {
    return array ? rows_of(*array, columns) : 0;
}
inline void check_rows(std::size_t found, std::size_t expected) {
    if (found != expected)
        check(fail(SELVAGE_ERROR_ARGUMENT,
                   concat("found ", found, " rows in one array; expected ", expected, ", as many as in the other")));
}

/// An array of numpy on the engine's memory, which it keeps alive; not writeable.
template <class Number>
pybind11::array_t<Number> view_of(const Number* data, std::vector<pybind11::ssize_t> shape,
                                  std::shared_ptr<const void> keeper) {
    using Keeper = std::shared_ptr<const void>;
    const pybind11::capsule base(new Keeper(std::move(keeper)), [](void* kept) { delete static_cast<Keeper*>(kept); });
    static const Number nothing{}; // numpy would make memory of its own for a null
    pybind11::array_t<Number> array(std::move(shape), data ? data : &nothing, base);
    pybind11::detail::array_proxy(array.ptr())->flags &= ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}

} // namespace selvage::python
