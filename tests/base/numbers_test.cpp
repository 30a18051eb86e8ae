#include "base/numbers.h"

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <locale>
#include <random>

#include <gtest/gtest.h>

#include "base/concat.h"

namespace selvage {
namespace {

double value_of(const std::string& text) {
    double value = 0.0;
    EXPECT_EQ(read_number(text, value), text.size()) << text;
    return value;
}

TEST(Numbers, ReadWhatStrtodReads) {
    // gcc's own literals are rounded to the nearest double.
    EXPECT_EQ(value_of("0.1"), 0.1);
    EXPECT_EQ(value_of("+12.5e-3"), 12.5e-3);
    EXPECT_EQ(value_of("-.5"), -0.5);
    EXPECT_EQ(value_of("7."), 7.0);
    EXPECT_EQ(value_of("1E5"), 1e5);
    EXPECT_EQ(value_of("9007199254740993"), 9007199254740992.0); // half way: to even
    EXPECT_EQ(value_of("2.2250738585072011e-308"), 2.2250738585072011e-308);
    EXPECT_EQ(value_of("4.9e-324"), 4.9e-324);
    EXPECT_TRUE(std::signbit(value_of("-0")));
}

TEST(Numbers, GoToInfinityAndZeroBeyondTheRange) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(value_of("1e999"), infinity);
    EXPECT_EQ(value_of("-1e999"), -infinity);
    EXPECT_EQ(value_of("1e-999"), 0.0);
    EXPECT_EQ(value_of("0.0001e99999999999999999999"), infinity);
    EXPECT_EQ(value_of("1e-99999999999999999999"), 0.0);
    EXPECT_EQ(value_of("0e999"), 0.0);
    EXPECT_EQ(value_of(std::string(400, '9')), infinity);
    EXPECT_EQ(value_of("0." + std::string(400, '0') + "1"), 0.0);
    EXPECT_EQ(value_of("inf"), infinity);
    EXPECT_TRUE(std::isnan(value_of("nan")));
}

TEST(Numbers, StopWhereTheNumberEnds) {
    double value = 0.0;
    EXPECT_EQ(read_number("1.5,2", value), 3U);
    EXPECT_EQ(value, 1.5);
    EXPECT_EQ(read_number("3e", value), 1U);
    EXPECT_EQ(read_number("3e+", value), 1U);
    EXPECT_EQ(read_number("0x10", value), 1U);
    for (const char* text : {"", "+", ".", "-.", "e5", " 1", "abc"})
        EXPECT_EQ(read_number(text, value), 0U) << text;
}

TEST(Numbers, AreWrittenLikePrintfAndReadBack) {
    std::mt19937_64 random(1);
    for (int k = 0; k < 10000; ++k) {
        const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 130);
        char expected[64];
        std::snprintf(expected, sizeof expected, "%.9g", value);
        std::string text;
        append_number(text, value, 9);
        EXPECT_EQ(text, expected);
        text.clear();
        append_number(text, value, 17);
        EXPECT_EQ(value_of(text), value);
        EXPECT_EQ(std::strtod(text.c_str(), nullptr), value);
    }
}

/// Numbers with a comma, as in Germany; both of C and of C++.
class CommaLocale {
public:
    CommaLocale() : before_(std::locale()), c_before_(std::setlocale(LC_NUMERIC, nullptr)) {
        for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"})
            if (!has_comma_) has_comma_ = std::setlocale(LC_NUMERIC, name) && *std::localeconv()->decimal_point == ',';
        std::locale::global(std::locale(before_, new Comma)); // keeps C's, since it has no name
    }
    ~CommaLocale() {
        std::locale::global(before_);
        std::setlocale(LC_NUMERIC, c_before_.c_str());
    }
    bool is_also_in_c() const { return has_comma_; }

private:
    struct Comma : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    std::locale before_;
    std::string c_before_;
    bool has_comma_ = false;
};

TEST(Numbers, DoNotDependOnTheLocale) {
    const CommaLocale comma;
    std::ostringstream check;
    check << 1234.5;
    ASSERT_EQ(check.str(), "1.234,5"); // the locale works

    EXPECT_EQ(value_of("1234.5"), 1234.5);
    std::string text;
    append_number(text, 1234.5, 9);
    EXPECT_EQ(text, "1234.5");
    EXPECT_EQ(concat(1234.5, " ", 1000000), "1234.5 1000000");
    if (!comma.is_also_in_c()) GTEST_SKIP() << "no C locale with a comma is installed; checked with C++ alone";
}

} // namespace
} // namespace selvage
