#include "scene/json_document.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/concat.h"
#include "base/float_environment.h"
#include "base/numbers.h"
#include "base/suggest.h"

namespace selvage {

namespace {

// Deeper nesting than any scene, shallow enough for the parsers' recursion.
constexpr int kMaxDepth = 64;

std::string line_and_column(const std::string& text, std::size_t offset) {
    offset = std::min(offset, text.size());
    std::size_t line = 1, line_start = 0;
    for (std::size_t i = 0; i < offset; ++i)
        if (text[i] == '\n') {
            ++line;
            line_start = i + 1;
        }
    return concat(line, ":", offset - line_start + 1);
}

/// Levels of the deepest value. Safe on any text; exact on well-formed JSON.
int nesting_depth(const std::string& text) {
    int deepest = 0, depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') in_string = !in_string;
        if (in_string && c == '\\') ++i; // whatever is escaped does not end the string
        if (in_string) continue;
        if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
        if (c == '}' || c == ']') --depth;
    }
    return deepest;
}

/// nlohmann's "[json.exception.name.123] parse error at line 1, column 2: syntax error - what is wrong", cut to its
/// end.
std::string plain_words(const std::string& what) {
    if (const std::size_t tail = what.find("- "); tail != std::string::npos) return what.substr(tail + 2);
    if (const std::size_t colon = what.rfind(": "); colon != std::string::npos) return what.substr(colon + 2);
    return what;
}

/// Walks JSON text that is known to be well formed, to find where the value at a pointer starts.
class TextWalker {
public:
    explicit TextWalker(const std::string& text) : text_(text) {}

    std::optional<std::size_t> find(const std::vector<std::string>& tokens) {
        if (text_.starts_with("\xef\xbb\xbf")) at_ = 3; // a byte order mark, which the parser skips as well
        skip_space();
        for (const std::string& token : tokens)
            if (!enter(token)) return std::nullopt;
        return at_;
    }

private:
    char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space() {
        while (now() == ' ' || now() == '\n' || now() == '\t' || now() == '\r')
            ++at_;
    }
    std::string take_string() {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != '"')
            at_ += text_[at_] == '\\' ? 2 : 1;
        ++at_;
        return Json::parse(text_.substr(begin, at_ - begin), nullptr, false).get<std::string>();
    }
    void skip_value() {
        int depth = 0;
        do {
            skip_space();
            const char c = now();
            if (c == '"')
                take_string();
            else if (c == '{' || c == '[')
                ++depth, ++at_;
            else if (c == '}' || c == ']')
                --depth, ++at_;
            else if (c == ',' || c == ':')
                ++at_;
            else
                while (at_ < text_.size() && std::string_view(",:]} \n\t\r").find(now()) == std::string_view::npos)
                    ++at_;
        } while (depth > 0 && at_ < text_.size());
    }
    bool enter(const std::string& token) {
        const bool object = now() == '{';
        if (!object && now() != '[') return false;
        ++at_;
        std::optional<std::size_t> found; // of a key that is there twice the last counts, as in the parser
        for (std::size_t index = 0;; ++index) {
            skip_space();
            if (now() == '}' || now() == ']' || now() == '\0') break;
            const std::string key = object ? take_string() : concat(index);
            skip_space();
            if (object) ++at_; // ':'
            skip_space();
            if (key == token) found = at_;
            skip_value();
            skip_space();
            if (now() == ',') ++at_;
        }
        at_ = found.value_or(at_);
        return found.has_value();
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

std::vector<std::string> pointer_tokens(const std::string& pointer) {
    std::vector<std::string> tokens;
    for (std::size_t begin = 1; begin <= pointer.size() && !pointer.empty();) {
        const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
        std::string token;
        for (std::size_t i = begin; i < end; ++i) {
            const bool escape = pointer[i] == '~' && i + 1 < end;
            token += escape ? (pointer[++i] == '1' ? '/' : '~') : pointer[i];
        }
        tokens.push_back(token);
        begin = end + 1;
    }
    return tokens;
}

std::string escape_token(const std::string& key) {
    std::string out;
    for (const char c : key) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    constexpr std::size_t kLongest = 60;
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    return text;
}

std::string describe(const Range& range) {
    if (range.min == kAny.min && range.max == kAny.max) return "a number";
    if (range.max == kAny.max) return concat(range.open_min ? "more than " : "at least ", range.min);
    return concat(range.open_min ? "a number above " : "a number from ", range.min, range.open_min ? " up to " : " to ",
                  range.max);
}

bool contains(const Range& range, double value) {
    return std::isfinite(value) && value <= range.max && (range.open_min ? value > range.min : value >= range.min);
}

} // namespace

Error error_at(const JsonDocument& document, const std::string& pointer, const std::string& message) {
    for (const std::string& set : document.overridden)
        if (pointer == set || pointer.starts_with(set + "/"))
            return {pointer == set ? message : concat(pointer, ": ", message), concat("--set ", set)};
    std::string location = locate(document, pointer);
    if (location == document.source) // not in the text: a parent that an override created
        for (const std::string& set : document.overridden)
            if (set.starts_with(pointer + "/")) location = concat("--set ", set);
    return {pointer.empty() ? message : concat(pointer, ": ", message), location};
}

void JsonDocument::fail(const std::string& pointer, const std::string& message) {
    if (!error) error = error_at(*this, pointer, message);
}

std::string printable(const std::string& text) {
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string locate(const JsonDocument& document, const std::string& pointer) {
    const std::optional<std::size_t> offset = TextWalker(document.text).find(pointer_tokens(pointer));
    return offset ? concat(document.source, ":", line_and_column(document.text, *offset)) : document.source;
}

Result<JsonDocument> parse_json(std::string text, std::string source) {
    const FloatEnvironment plain;
    JsonDocument document{std::move(source), std::move(text), {}, {}, {}};
    if (const int deepest = nesting_depth(document.text); deepest > kMaxDepth)
        return Error{concat("is nested ", deepest, " levels deep; expected at most ", kMaxDepth), document.source};
    try {
        document.root = Json::parse(document.text);
    } catch (const nlohmann::json::parse_error& error) {
        return Error{concat("is not JSON: ", plain_words(error.what())),
                     concat(document.source, ":", line_and_column(document.text, error.byte > 0 ? error.byte - 1 : 0))};
    } catch (const nlohmann::json::exception& error) { // "... number overflow parsing '1e999'"
        std::string number = error.what();
        number = number.substr(std::min(number.find('\'') + 1, number.size()));
        number = number.substr(0, number.find('\''));
        return Error{concat("found the number ", number, "; expected one below 1.8e308"),
                     concat(document.source, ":", line_and_column(document.text, document.text.find(number)))};
    }
    return document;
}

Status apply_override(JsonDocument& document, const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || assignment.empty() || assignment[0] != '/')
        return Error{concat("found \"", assignment, "\"; expected /json/pointer=VALUE"), "--set"};
    const std::string pointer = assignment.substr(0, equals), text = assignment.substr(equals + 1);
    if (const int deepest = nesting_depth(text); deepest > kMaxDepth)
        return Error{concat("is nested ", deepest, " levels deep; expected at most ", kMaxDepth),
                     concat("--set ", pointer)};
    Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) value = text; // names and fractions need no quotes
    if (const std::string all = pointer + text; printable(all) != all)
        return Error{concat("found \"", printable(text), "\"; expected text in UTF-8"),
                     concat("--set ", printable(pointer))};

    // Missing parents are created ("/air/wind/gust" where there was no air); a misspelt one is then an unknown key.
    Json* node = &document.root;
    const std::vector<std::string> tokens = pointer_tokens(pointer);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string& token = tokens[i];
        const bool last = i + 1 == tokens.size();
        if (node->is_object()) {
            if (!last && !node->contains(token)) (*node)[token] = Json::object();
            node = &(*node)[token];
        } else if (node->is_array()) {
            std::size_t index = 0;
            const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), index);
            if (code != std::errc{} || end != token.data() + token.size() || index >= node->size())
                return Error{concat("\"", token, "\" is no element of the list; it has ", node->size()),
                             concat("--set ", pointer)};
            node = &(*node)[index];
        } else {
            return Error{concat("\"", token, "\" lies below ", shown(*node), ", which has no parts"),
                         concat("--set ", pointer)};
        }
    }
    *node = std::move(value);
    document.overridden.push_back(pointer);
    return Done{};
}

void JsonCursor::expected(const std::string& what) const {
    fail(concat("found ", shown(value_), "; expected ", what));
}

bool JsonCursor::is_object() const {
    if (!value_.is_object()) expected("an object {...}");
    return value_.is_object();
}

std::optional<JsonCursor> JsonCursor::child(const std::string& key) {
    known_.push_back(key);
    if (!value_.is_object()) return std::nullopt;
    const auto entry = value_.find(key);
    if (entry == value_.end()) return std::nullopt;
    return JsonCursor(document_, *entry, concat(pointer_, "/", escape_token(key)));
}

std::vector<JsonCursor> JsonCursor::items() const {
    std::vector<JsonCursor> cursors;
    if (!value_.is_array()) {
        expected("a list [...]");
        return cursors;
    }
    for (std::size_t i = 0; i < value_.size(); ++i)
        cursors.emplace_back(document_, value_[i], concat(pointer_, "/", i));
    return cursors;
}

void JsonCursor::finish() const {
    if (!value_.is_object()) return;
    for (const auto& [key, unused] : value_.items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
        const std::string nearest = nearest_word(key, known_);
        const std::string choices = known_.empty() ? "expected none" : concat("expected one of: ", join(known_));
        const std::string hint = nearest.empty() ? choices : concat("did you mean \"", nearest, "\"?");
        document_.fail(concat(pointer_, "/", escape_token(key)), concat("unknown key \"", key, "\"; ", hint));
        return;
    }
}

void JsonCursor::missing(const std::string& key, const std::string& what_was_expected) const {
    for (const auto& [found, unused] : value_.items())
        if (std::find(known_.begin(), known_.end(), found) == known_.end() && !nearest_word(found, {key}).empty())
            return document_.fail(concat(pointer_, "/", escape_token(found)),
                                  concat("unknown key \"", found, "\"; did you mean \"", key, "\"?"));
    fail(concat("has no \"", key, "\"; expected ", what_was_expected));
}

std::optional<double> JsonCursor::number(const Range& range) const {
    if (value_.is_number() && contains(range, value_.get<double>())) return value_.get<double>();
    expected(describe(range));
    return std::nullopt;
}

std::optional<int> JsonCursor::integer(const Range& range) const {
    if (value_.is_number()) {
        const double wide = value_.get<double>();
        if (wide == std::floor(wide) && std::abs(wide) <= 2147483647.0 && contains(range, wide))
            return static_cast<int>(wide);
    }
    std::string what = describe(range);
    if (const std::size_t word = what.find("number"); word != std::string::npos)
        what.replace(word, 6, "whole number");
    else
        what = "a whole number, " + what;
    expected(what);
    return std::nullopt;
}

std::optional<bool> JsonCursor::boolean() const {
    if (value_.is_boolean()) return value_.get<bool>();
    expected("true or false");
    return std::nullopt;
}

std::optional<std::string> JsonCursor::string() const {
    if (value_.is_string()) return value_.get<std::string>();
    expected("a text in quotes");
    return std::nullopt;
}

std::optional<double> JsonCursor::seconds(const Range& range) const {
    std::optional<double> parsed;
    if (value_.is_number()) parsed = value_.get<double>();
    if (value_.is_string()) parsed = parse_fraction(value_.get<std::string>());
    if (parsed && contains(range, *parsed)) return parsed;
    expected(concat(describe(range), ", or a fraction such as \"1/60\""));
    return std::nullopt;
}

template <class T, std::size_t N>
std::optional<std::array<T, N>> JsonCursor::array(const Range& range) const {
    if (!value_.is_array() || value_.size() != N) {
        expected(concat("a list of ", N, " numbers"));
        return std::nullopt;
    }
    std::array<T, N> out{};
    const std::vector<JsonCursor> cursors = items();
    for (std::size_t i = 0; i < N; ++i) {
        if constexpr (std::is_same_v<T, int>) {
            const std::optional<int> element = cursors[i].integer(range);
            if (!element) return std::nullopt;
            out[i] = *element;
        } else {
            const std::optional<double> element = cursors[i].number(range);
            if (!element) return std::nullopt;
            out[i] = *element;
        }
    }
    return out;
}

template std::optional<std::array<double, 2>> JsonCursor::array(const Range&) const;
template std::optional<std::array<double, 3>> JsonCursor::array(const Range&) const;
template std::optional<std::array<int, 2>> JsonCursor::array(const Range&) const;
template std::optional<std::array<int, 3>> JsonCursor::array(const Range&) const;

std::optional<double> parse_fraction(const std::string& text) {
    const auto parse = [](const std::string& part) -> std::optional<double> {
        double value = 0.0;
        if (part.empty() || read_number(part, value) != part.size() || !std::isfinite(value)) return std::nullopt;
        return value;
    };
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return parse(text);
    const std::optional<double> above = parse(text.substr(0, slash)), below = parse(text.substr(slash + 1));
    if (!above || !below || !std::isfinite(*above / *below)) return std::nullopt;
    return *above / *below;
}

} // namespace selvage
