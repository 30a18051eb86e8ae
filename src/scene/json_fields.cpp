#include "scene/json_fields.h"

#include "base/concat.h"
#include "base/suggest.h"

namespace selvage {

namespace {

/// Reads a value of a member's type; what is wrong is complained about, and then the member keeps its value.
struct MemberReader {
    const JsonCursor& cursor;
    const Range& range;
    void* object;

    void operator()(const Place<double>& place) const { put(place, cursor.number(range)); }
    void operator()(const Place<int>& place) const { put(place, cursor.integer(range)); }
    void operator()(const Place<bool>& place) const { put(place, cursor.boolean()); }
    void operator()(const Place<std::string>& place) const { put(place, cursor.string()); }
    template <class T, std::size_t N>
    void operator()(const Place<std::array<T, N>>& place) const {
        put(place, cursor.array<T, N>(range));
    }
    void operator()(const Place<std::vector<Triple>>& place) const { // the range is that of each number
        std::vector<Triple> points;
        for (const JsonCursor& item : cursor.items())
            if (const std::optional<Triple> point = item.array<double, 3>(range)) points.push_back(*point);
        place.in(object) = std::move(points);
    }
    void operator()(const Choice& choice) const {
        if (const std::optional<int> index = read_choice(cursor, choice.names)) choice.set(object, *index);
    }

    template <class T>
    void put(const Place<T>& place, const std::optional<T>& value) const {
        if (value) place.in(object) = *value;
    }
};

} // namespace

std::optional<int> read_choice(const JsonCursor& cursor, const std::vector<std::string>& names) {
    const std::optional<std::string> text = cursor.string();
    if (!text) return std::nullopt;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == *text) return static_cast<int>(i);
    cursor.expected(concat("one of: ", join(names)));
    return std::nullopt;
}

void read_members(JsonCursor& cursor, const std::vector<Field>& fields, void* object) {
    for (const Field& field : fields)
        if (const std::optional<JsonCursor> child = cursor.child(std::string(field.key)))
            std::visit(MemberReader{*child, field.range, object}, field.member);
}

} // namespace selvage
