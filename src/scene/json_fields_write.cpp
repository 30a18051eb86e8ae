#include "base/concat.h"
#include "scene/json_fields.h"

namespace selvage {

void write_members(Json& json, const std::vector<Field>& fields, const void* object) {
    for (const Field& field : fields) {
        Json& value = json[std::string(field.key)];
        std::visit(
            [&](const auto& member) {
                if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Choice>)
                    value = member.names[static_cast<std::size_t>(member.get(object))];
                else
                    value = member.in(object);
            },
            field.member);
    }
}

void describe_members(Json& properties, const std::vector<Field>& fields, const void* defaults) {
    Json values = Json::object();
    write_members(values, fields, defaults);
    for (const Field& field : fields) {
        Json entry;
        entry["description"] = field.unit.empty() ? std::string(field.help) : concat(field.help, " [", field.unit, "]");
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
            entry["enum"] = std::get<Choice>(field.member).names;
            break;
        }
        const std::string key(field.key);
        entry["default"] = values[key];
        properties[key] = entry;
    }
}

} // namespace selvage
