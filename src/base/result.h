#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace selvage {

/// What went wrong, for the exit code: bad input (2), files and devices (1), the work itself (1).
enum class ErrorKind { input, io, work };

/// Says what was found, what was expected, and where (file:line:column, JSON pointer or path).
struct Error {
    std::string message;
    std::string location = {};
    ErrorKind kind = ErrorKind::input;

    std::string text() const { return location.empty() ? message : location + ": " + message; }
};

/// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }
    T& operator*() {
        SELVAGE_ASSERT(*this);
        return *std::get_if<0>(&content_);
    }
    const T& operator*() const {
        SELVAGE_ASSERT(*this);
        return *std::get_if<0>(&content_);
    }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }
    const Error& error() const {
        SELVAGE_ASSERT(!*this);
        return *std::get_if<1>(&content_);
    }

private:
    std::variant<T, Error> content_;
};

struct Done {};
using Status = Result<Done>;

} // namespace selvage
