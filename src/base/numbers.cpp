#include "base/numbers.h"

#include <cctype>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <system_error>

// libstdc++ reads and writes doubles by from_chars and to_chars since version 11. libc++ had neither for long: there the C
// functions do, with the "C" locale where it must be named, and with the point put right where it cannot.
#if !defined(__cpp_lib_to_chars)
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#include <locale.h>
#endif

namespace selvage {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// How many characters the number at the front takes; strtod alone would also take hexadecimal ones and blanks.
std::size_t number_length(std::string_view text) {
    const auto digits_from = [&](std::size_t at) {
        while (at < text.size() && is_digit(text[at]))
            ++at;
        return at;
    };
    const std::size_t start = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    for (const std::string_view word :
         {std::string_view("infinity"), std::string_view("inf"), std::string_view("nan")}) {
        std::size_t k = 0;
        while (k < word.size() && start + k < text.size() &&
               std::tolower(static_cast<unsigned char>(text[start + k])) == word[k])
            ++k;
        if (k == word.size()) return start + k;
    }
    std::size_t end = digits_from(start), digits = end - start;
    if (end < text.size() && text[end] == '.') {
        const std::size_t after = digits_from(end + 1);
        digits += after - end - 1;
        end = after;
    }
    if (digits == 0) return 0;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        const std::size_t sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-') ? 1 : 0;
        const std::size_t after = digits_from(end + 1 + sign);
        if (after > end + 1 + sign) end = after;
    }
    return end;
}

#if defined(__cpp_lib_to_chars)

/// Whether a number that no double can hold is too large, not too small: by the place of its first digit that is not 0.
bool is_large(std::string_view number) {
    long place = 0; // of that digit: 1 before the point
    bool found = false, after_point = false;
    std::size_t k = 0;
    for (; k < number.size() && number[k] != 'e' && number[k] != 'E'; ++k) {
        if (number[k] == '.')
            after_point = true;
        else if (is_digit(number[k])) {
            found = found || number[k] != '0';
            if (found && !after_point) ++place;
            if (!found && after_point) --place;
        }
    }
    long exponent = 0;
    if (k < number.size()) {
        const char* first = number.data() + k + 1;
        const bool negative = *first == '-';
        const char* last = number.data() + number.size();
        if (*first == '-' || *first == '+') ++first;
        if (std::from_chars(first, last, exponent).ec != std::errc{}) return !negative;
        if (negative) exponent = -exponent;
    }
    return place + exponent > 0;
}

double value_of(std::string_view number) {
    const char* first = number.data();
    const bool negative = *first == '-';
    if (*first == '+' || *first == '-') ++first;
    double value = 0.0;
    const std::from_chars_result read = std::from_chars(first, number.data() + number.size(), value);
    if (read.ec == std::errc::result_out_of_range)
        value = is_large(number) ? std::numeric_limits<double>::infinity() : 0.0;
    return negative ? -value : value;
}

#elif defined(_WIN32)

double value_of(std::string_view number) {
    static const _locale_t plain = _create_locale(LC_ALL, "C");
    return _strtod_l(std::string(number).c_str(), nullptr, plain);
}

#else

double value_of(std::string_view number) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(std::string(number).c_str(), nullptr, plain);
}

#endif

} // namespace

std::size_t read_number(std::string_view text, double& value) {
    const std::size_t length = number_length(text);
    if (length > 0) value = value_of(text.substr(0, length));
    return length;
}

void append_number(std::string& out, double value, int digits) {
    char text[64];
#if defined(__cpp_lib_to_chars)
    const std::to_chars_result end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
    out.append(text, end.ptr);
#else
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    std::string number = text;
    const std::string point = std::localeconv()->decimal_point;
    if (const std::size_t at = number.find(point); point != "." && at != std::string::npos)
        number.replace(at, point.size(), ".");
    out += number;
#endif
}

} // namespace selvage
