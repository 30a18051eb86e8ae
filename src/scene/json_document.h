#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/fields.h"
#include "base/result.h"
#include "scene/json_text.h"

namespace selvage {

using Json = nlohmann::ordered_json;

/// A JSON text with its origin, so that every complaint about a value can say where the value stands.
struct JsonDocument {
    std::string source; ///< File or scene name.
    std::string text;
    Json root;
    std::vector<std::string> overridden; ///< Pointers set from the command line: errors there are the flag's.
    std::optional<Error> error;          ///< The first complaint; later ones are usually its consequences.

    void fail(const std::string& pointer, const std::string& message);
};

/// A complaint about the value at a pointer, with where it stands: in the text, or in the flag that set it.
Error error_at(const JsonDocument& document, const std::string& pointer, const std::string& message);

Result<JsonDocument> parse_json(std::string text, std::string source);

/// One `--set /json/pointer=VALUE`: VALUE is JSON, or plain text taken as a string.
Status apply_override(JsonDocument& document, const std::string& assignment);

/// "file:line:column" of the value at a pointer; just the file where the pointer is not in the text.
std::string locate(const JsonDocument& document, const std::string& pointer);

/// A view of one value while reading. Every key asked for is known; finish() complains about the others.
class JsonCursor {
public:
    JsonCursor(JsonDocument& document, const Json& value, std::string pointer)
        : document_(document), value_(value), pointer_(std::move(pointer)) {}

    const Json& value() const { return value_; }
    const std::string& pointer() const { return pointer_; }
    bool ok() const { return !document_.error; }
    void fail(const std::string& message) const { document_.fail(pointer_, message); }
    /// "found 3; expected an object"
    void expected(const std::string& what) const;

    bool is_object() const;                                  ///< Complains when it is not.
    std::optional<JsonCursor> child(const std::string& key); ///< Nothing when the key is absent.
    std::vector<JsonCursor> items() const;                   ///< Of an array; complains when it is not one.
    void finish() const; ///< Complains about keys nobody asked for, with the nearest known one.
    /// Complains that a key is not there; about a misspelt one instead, where there is one.
    void missing(const std::string& key, const std::string& what_was_expected) const;

    std::optional<double> number(const Range& range = kAny) const;
    std::optional<int> integer(const Range& range = kAny) const;
    std::optional<bool> boolean() const;
    std::optional<std::string> string() const;
    std::optional<double> seconds(const Range& range) const; ///< A number or "a/b".
    template <class T, std::size_t N>
    std::optional<std::array<T, N>> array(const Range& range) const;

private:
    JsonDocument& document_;
    const Json& value_;
    std::string pointer_;
    std::vector<std::string> known_;
};

} // namespace selvage
