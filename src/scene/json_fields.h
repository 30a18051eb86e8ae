#pragma once

#include "scene/json_document.h"

namespace selvage {

/// Index of the text among `names`; complains with the nearest one.
std::optional<int> read_choice(const JsonCursor& cursor, const std::vector<std::string>& names);

// The same for every struct: `object` points to what the fields belong to.
void read_members(JsonCursor& cursor, const std::vector<Field>& fields, void* object);
void write_members(Json& json, const std::vector<Field>& fields, const void* object);
void describe_members(Json& properties, const std::vector<Field>& fields, const void* defaults);

/// Reads the described members from the cursor's object; absent keys keep their values.
template <class S>
void read_fields(JsonCursor& cursor, const Fields<S>& fields, S& out) {
    read_members(cursor, fields.list, &out);
}

/// Writes the described members into an object.
template <class S>
void write_fields(Json& json, const Fields<S>& fields, const S& from) {
    write_members(json, fields.list, &from);
}

/// JSON Schema of the described members, with S's defaults.
template <class S>
void describe_fields(Json& properties, const Fields<S>& fields, const S& defaults = {}) {
    describe_members(properties, fields.list, &defaults);
}

} // namespace selvage
