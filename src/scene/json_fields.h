#pragma once

#include "scene/json_document.h"

namespace selvage {

/// Index of the text among `names`; complains with the nearest one.
std::optional<int> read_choice(const JsonCursor& cursor, const std::vector<std::string>& names);

/// The cursor's value as the type of a member.
inline std::optional<double> read_value(const JsonCursor& c, const Range& range, double) {
    return c.number(range);
}
inline std::optional<int> read_value(const JsonCursor& c, const Range& range, int) {
    return c.integer(range);
}
inline std::optional<bool> read_value(const JsonCursor& c, const Range&, bool) {
    return c.boolean();
}
inline std::optional<std::string> read_value(const JsonCursor& c, const Range&, const std::string&) {
    return c.string();
}
template <class T, std::size_t N>
std::optional<std::array<T, N>> read_value(const JsonCursor& c, const Range& range, const std::array<T, N>&) {
    return c.array<T, N>(range);
}

/// Points; the range is that of each number.
inline std::optional<std::vector<Triple>> read_value(const JsonCursor& c, const Range& range,
                                                     const std::vector<Triple>&) {
    std::vector<Triple> points;
    for (const JsonCursor& item : c.items())
        if (const std::optional<Triple> point = item.array<double, 3>(range)) points.push_back(*point);
    return points;
}

/// Reads the described members from the cursor's object; absent keys keep their values.
template <class S>
void read_fields(JsonCursor& cursor, const std::vector<Field<S>>& fields, S& out) {
    for (const Field<S>& field : fields) {
        const std::optional<JsonCursor> child = cursor.child(field.key);
        if (!child) continue;
        std::visit(
            [&](const auto& member) {
                using Member = std::decay_t<decltype(member)>;
                if constexpr (std::is_same_v<Member, typename Field<S>::Choice>) {
                    if (const std::optional<int> index = read_choice(*child, member.names)) member.set(out, *index);
                } else {
                    if (const auto value = read_value(*child, field.range, out.*member)) out.*member = *value;
                }
            },
            field.member);
    }
}

/// Writes the described members into an object.
template <class S>
void write_fields(Json& object, const std::vector<Field<S>>& fields, const S& from) {
    for (const Field<S>& field : fields)
        std::visit(
            [&](const auto& member) {
                using Member = std::decay_t<decltype(member)>;
                if constexpr (std::is_same_v<Member, typename Field<S>::Choice>)
                    object[field.key] = member.names[static_cast<std::size_t>(member.get(from))];
                else
                    object[field.key] = from.*member;
            },
            field.member);
}

/// JSON Schema of the described members, with S's defaults.
template <class S>
void describe_fields(Json& properties, const std::vector<Field<S>>& fields, const S& defaults = {}) {
    Json values = Json::object();
    write_fields(values, fields, defaults);
    for (const Field<S>& field : fields) {
        Json entry;
        entry["description"] = field.unit.empty() ? field.help : field.help + " [" + field.unit + "]";
        const auto number = [&](const char* type) {
            Json n{{"type", type}};
            if (field.range.min != kAny.min) n[field.range.open_min ? "exclusiveMinimum" : "minimum"] = field.range.min;
            if (field.range.max != kAny.max) n["maximum"] = field.range.max;
            return n;
        };
        const auto list = [&](const char* type, int size) {
            return Json{{"type", "array"}, {"items", number(type)}, {"minItems", size}, {"maxItems", size}};
        };
        switch (field.member.index()) {
        case 0:
            entry.update(number("number"));
            break;
        case 1:
            entry.update(number("integer"));
            break;
        case 2:
            entry["type"] = "boolean";
            break;
        case 3:
            entry["type"] = "string";
            break;
        case 4:
            entry.update(list("number", 3));
            break;
        case 5:
            entry.update(list("number", 2));
            break;
        case 6:
            entry.update(list("integer", 2));
            break;
        case 7:
            entry.update(list("integer", 3));
            break;
        case 8:
            entry["type"] = "array";
            entry["items"] = list("number", 3);
            break;
        default:
            entry["enum"] = std::get<typename Field<S>::Choice>(field.member).names;
            break;
        }
        entry["default"] = values[field.key];
        properties[field.key] = entry;
    }
}

} // namespace selvage
