#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace selvage {

/// A number with its allowed range; `open_min` excludes the minimum itself.
struct Range {
    double min = std::numeric_limits<double>::lowest();
    double max = std::numeric_limits<double>::max();
    bool open_min = false;
};

inline constexpr Range kAny{};
inline constexpr Range kPositive{0.0, std::numeric_limits<double>::max(), true};
inline constexpr Range kNonNegative{0.0, std::numeric_limits<double>::max(), false};
inline constexpr Range kFraction{0.0, 1.0, false};

using Triple = std::array<double, 3>;
using Pair = std::array<double, 2>;
using IntPair = std::array<int, 2>;
using IntTriple = std::array<int, 3>;

/// A member of type T, reached through a pointer to any object of the struct it belongs to.
template <class T>
struct Place {
    std::ptrdiff_t offset = 0; ///< [bytes]

    T& in(void* object) const { return *reinterpret_cast<T*>(static_cast<char*>(object) + offset); }
    const T& in(const void* object) const {
        return *reinterpret_cast<const T*>(static_cast<const char*>(object) + offset);
    }
};

/// A choice among names, held as an enum member and reached through its index.
struct Choice {
    std::ptrdiff_t offset = 0;
    std::vector<std::string> names;

    int get(const void* object) const {
        int index = 0;
        std::memcpy(&index, static_cast<const char*>(object) + offset, sizeof index);
        return index;
    }
    void set(void* object, int index) const { std::memcpy(static_cast<char*>(object) + offset, &index, sizeof index); }
};

/// Describes one member of a settings struct: enough to read and write it, to check it, to print its documentation and
/// schema, and to draw a slider for it. Its type does not name the struct, so that what is done with fields is compiled
/// once, not for every struct.
struct Field {
    using Member = std::variant<Place<double>, Place<int>, Place<bool>, Place<std::string>, Place<Triple>, Place<Pair>,
                                Place<IntPair>, Place<IntTriple>, Place<std::vector<Triple>>, Choice>;

    std::string_view key;
    Member member;
    Range range;
    std::string_view unit; ///< SI, "" for none.
    std::string_view help; ///< One sentence.
};

/// What a pointer to a member holds, in every compiler this is built with.
template <class S, class T>
std::ptrdiff_t member_offset(T S::* member) {
    static_assert(sizeof member == sizeof(std::ptrdiff_t));
    std::ptrdiff_t offset = 0;
    std::memcpy(&offset, &member, sizeof offset);
    return offset;
}

/// A field of S. Its texts must outlive it: literals.
template <class S>
struct FieldOf {
    template <class T>
    FieldOf(std::string_view key, T S::* member, const Range& range, std::string_view unit, std::string_view help)
        : field{key, Place<T>{member_offset(member)}, range, unit, help} {}
    explicit FieldOf(Field described) : field(std::move(described)) {}

    Field field;
};

/// The fields of S: the only place that names its keys.
template <class S>
struct Fields {
    Fields() = default;
    Fields(std::initializer_list<FieldOf<S>> fields) {
        for (const FieldOf<S>& given : fields)
            list.push_back(given.field);
    }
    auto begin() const { return list.begin(); }
    auto end() const { return list.end(); }

    std::vector<Field> list;
};

template <class S, class Enum>
FieldOf<S> choice_field(std::string_view key, Enum S::* member, std::vector<std::string> names, std::string_view help) {
    static_assert(sizeof(Enum) == sizeof(int));
    return FieldOf<S>({key, Choice{member_offset(member), std::move(names)}, kAny, "", help});
}

} // namespace selvage
