#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
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

/// Describes one member of a settings struct S: enough to read and write it, to check it, to print its documentation
/// and schema, and to draw a slider for it. One list of these per struct is the only place that names its keys.
template <class S>
struct Field {
    /// A choice among names, held as an enum member and reached through its index.
    struct Choice {
        std::vector<std::string> names;
        std::function<int(const S&)> get;
        std::function<void(S&, int)> set;
    };
    using Member = std::variant<double S::*, int S::*, bool S::*, std::string S::*, Triple S::*, Pair S::*,
                                IntPair S::*, IntTriple S::*, std::vector<Triple> S::*, Choice>;

    std::string key;
    Member member;
    Range range;
    std::string unit; ///< SI, "" for none.
    std::string help; ///< One sentence.
};

template <class S, class Enum>
Field<S> choice_field(std::string key, Enum S::* member, std::vector<std::string> names, std::string help) {
    typename Field<S>::Choice choice{std::move(names), [member](const S& s) { return static_cast<int>(s.*member); },
                                     [member](S& s, int index) { s.*member = static_cast<Enum>(index); }};
    return {std::move(key), std::move(choice), kAny, "", std::move(help)};
}

} // namespace selvage
