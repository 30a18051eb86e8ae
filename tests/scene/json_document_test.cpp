#include "scene/json_document.h"

#include <gtest/gtest.h>

namespace selvage {
namespace {

JsonDocument parse(const std::string& text) {
    Result<JsonDocument> document = parse_json(text, "a.json");
    EXPECT_TRUE(document) << text;
    return document ? std::move(*document) : JsonDocument{};
}

std::string parse_error(const std::string& text) {
    const Result<JsonDocument> document = parse_json(text, "a.json");
    return document ? "parsed: " + document->root.dump() : document.error().text();
}

/// The root after one override of {"dt": 1, "list": [10, 20], "air": {"density": 1.2}}, or the complaint.
std::string overridden(const std::string& assignment) {
    JsonDocument document = parse(R"({"dt": 1, "list": [10, 20], "air": {"density": 1.2}})");
    const Status ok = apply_override(document, assignment);
    return ok ? document.root.dump() : ok.error().text();
}

TEST(JsonDocument, LocatesAValueByLineAndColumn) {
    const JsonDocument document = parse("{\n"
                                        "  \"a\": 1,\n"
                                        "  \"b\": {\"c\": [10, {\"d\": true}, 30]},\n"
                                        "  \"e\":\n"
                                        "\t[]\n"
                                        "}\n");
    EXPECT_EQ(locate(document, ""), "a.json:1:1");
    EXPECT_EQ(locate(document, "/a"), "a.json:2:8");
    EXPECT_EQ(locate(document, "/b"), "a.json:3:8");
    EXPECT_EQ(locate(document, "/b/c"), "a.json:3:14");
    EXPECT_EQ(locate(document, "/b/c/0"), "a.json:3:15");
    EXPECT_EQ(locate(document, "/b/c/1/d"), "a.json:3:25");
    EXPECT_EQ(locate(document, "/b/c/2"), "a.json:3:32");
    EXPECT_EQ(locate(document, "/e"), "a.json:5:2");
}

TEST(JsonDocument, LocatesBehindStringsThatLookLikeStructure) {
    const JsonDocument document = parse(R"({"x": "]}\"{[,:", "y": {"\\": "\\"}, "z": 3})");
    EXPECT_EQ(locate(document, "/z"), "a.json:1:43"); // column of the 3, counted by hand
    EXPECT_EQ(locate(document, "/y/\\"), "a.json:1:31");
}

TEST(JsonDocument, LocatesKeysWithEscapesInPointerAndText) {
    const JsonDocument document = parse(R"({"a/b": {"m~n": 1}, "caf\u00e9": 2, "": 3})");
    EXPECT_EQ(locate(document, "/a~1b/m~0n"), "a.json:1:17"); // RFC 6901: ~1 is /, ~0 is ~
    EXPECT_EQ(locate(document, "/caf\xc3\xa9"), "a.json:1:34");
    EXPECT_EQ(locate(document, "/"), "a.json:1:41"); // the empty key
}

TEST(JsonDocument, LocatesBehindAByteOrderMarkAndWindowsLineEnds) {
    const JsonDocument document = parse("\xef\xbb\xbf{\r\n  \"a\": 1\r\n}");
    EXPECT_EQ(locate(document, "/a"), "a.json:2:8");
}

TEST(JsonDocument, NamesOnlyTheFileForAPointerThatIsNotInTheText) {
    const JsonDocument document = parse(R"({"a": [1, 2], "b": 3})");
    EXPECT_EQ(locate(document, "/c"), "a.json");
    EXPECT_EQ(locate(document, "/a/2"), "a.json");
    EXPECT_EQ(locate(document, "/a/x"), "a.json");
    EXPECT_EQ(locate(document, "/b/c"), "a.json");
}

TEST(JsonDocument, TakesTheLastOfTwoEqualKeysAndLocatesThatOne) {
    const JsonDocument document = parse("{\"a\": 1,\n \"a\": 2}");
    EXPECT_EQ(document.root["a"], 2);
    EXPECT_EQ(locate(document, "/a"), "a.json:2:7");
}

TEST(JsonDocument, SaysWhereTextStopsBeingJson) {
    EXPECT_EQ(parse_error("{\n  \"a\": 1,\n}"), "a.json:3:1: is not JSON: unexpected '}'; expected string literal");
    EXPECT_NE(parse_error("{\"a\": NaN}").find("a.json:1:7: is not JSON: invalid literal"), std::string::npos);
    EXPECT_NE(parse_error("{\"a\": Infinity}").find("a.json:1:7: is not JSON"), std::string::npos);
    EXPECT_NE(parse_error("{\"a\": 01}").find("a.json:1:8: is not JSON"), std::string::npos);
    EXPECT_NE(parse_error("{'a': 1}").find("a.json:1:2: is not JSON"), std::string::npos);
    EXPECT_NE(parse_error("[1 2]").find("a.json:1:4: is not JSON"), std::string::npos);
    EXPECT_NE(parse_error("{\"a\": 1").find("a.json:1:8: is not JSON"), std::string::npos);
    EXPECT_NE(parse_error("").find("a.json:1:1: is not JSON: unexpected end of input"), std::string::npos);
    EXPECT_NE(parse_error("{\n\"\xff\": 1}").find("a.json:2:2: is not JSON: invalid string"), std::string::npos);
}

TEST(JsonDocument, SaysWhereANumberIsTooLarge) {
    EXPECT_EQ(parse_error("{\"a\":\n  -1e999}"), "a.json:2:3: found the number -1e999; expected one below 1.8e308");
}

TEST(JsonDocument, RefusesNestingBeyond64LevelsInsteadOfOverflowingTheStack) {
    EXPECT_EQ(parse_error(std::string(100000, '[')), "a.json: is nested 100000 levels deep; expected at most 64");
    EXPECT_EQ(parse_error(std::string(65, '[') + std::string(65, ']')),
              "a.json: is nested 65 levels deep; expected at most 64");
    EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), ""));
}

TEST(JsonDocument, CountsNestingWithoutTheBracketsInsideStrings) {
    // Closing ones in a string must not hide what follows; opening ones are no nesting.
    EXPECT_EQ(parse_error("[\"" + std::string(1000, ']') + "\", " + std::string(900, '[') + std::string(901, ']')),
              "a.json: is nested 901 levels deep; expected at most 64");
    EXPECT_TRUE(parse_json("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]", ""));
}

TEST(Override, TakesJsonValues) {
    EXPECT_EQ(overridden("/dt=0.5"), R"({"dt":0.5,"list":[10,20],"air":{"density":1.2}})");
    EXPECT_EQ(overridden("/dt=\"1/60\""), R"({"dt":"1/60","list":[10,20],"air":{"density":1.2}})");
    EXPECT_EQ(overridden("/air={\"drag\": [1, null]}"), R"({"dt":1,"list":[10,20],"air":{"drag":[1,null]}})");
    EXPECT_EQ(overridden("/list/1=true"), R"({"dt":1,"list":[10,true],"air":{"density":1.2}})");
}

TEST(Override, TakesAnythingElseAsText) {
    EXPECT_EQ(overridden("/dt=1/150"), R"({"dt":"1/150","list":[10,20],"air":{"density":1.2}})");
    EXPECT_EQ(overridden("/dt=cotton-poplin"), R"({"dt":"cotton-poplin","list":[10,20],"air":{"density":1.2}})");
    EXPECT_EQ(overridden("/dt=a=b"), R"({"dt":"a=b","list":[10,20],"air":{"density":1.2}})");
    EXPECT_EQ(overridden("/dt="), R"({"dt":"","list":[10,20],"air":{"density":1.2}})");
    EXPECT_EQ(overridden("/dt=1e999"), R"({"dt":"1e999","list":[10,20],"air":{"density":1.2}})");
    EXPECT_EQ(overridden("/dt=NaN"), R"({"dt":"NaN","list":[10,20],"air":{"density":1.2}})");
}

TEST(Override, MakesMissingParents) {
    EXPECT_EQ(overridden("/air/wind/gust=0.3"), R"({"dt":1,"list":[10,20],"air":{"density":1.2,"wind":{"gust":0.3}}})");
    EXPECT_EQ(overridden("/x/y=1"), R"({"dt":1,"list":[10,20],"air":{"density":1.2},"x":{"y":1}})");
}

TEST(Override, NamesTheListAndItsLengthForABadIndex) {
    for (const char* index : {"2", "-1", "-", "x", "1x", "", "99999999999999999999"}) {
        const std::string expected =
            std::string("--set /list/") + index + ": \"" + index + "\" is no element of the list; it has 2";
        EXPECT_EQ(overridden(std::string("/list/") + index + "=1"), expected);
    }
}

TEST(Override, RefusesToGoBelowAPlainValue) {
    EXPECT_EQ(overridden("/dt/x=1"), "--set /dt/x: \"x\" lies below 1, which has no parts");
    EXPECT_EQ(overridden("/list/0/y=1"), "--set /list/0/y: \"y\" lies below 10, which has no parts");
}

TEST(Override, SaysWhatItsSyntaxIs) {
    for (const char* bad : {"", "dt=1", "/dt", "=1", "dt"})
        EXPECT_EQ(overridden(bad), std::string("--set: found \"") + bad + "\"; expected /json/pointer=VALUE");
}

TEST(Override, RefusesWhatNoJsonFileCouldHold) {
    EXPECT_EQ(overridden("/dt=\xff"), "--set /dt: found \"\xef\xbf\xbd\"; expected text in UTF-8");
    EXPECT_EQ(overridden("/dt=" + std::string(1000, '[') + std::string(1000, ']')),
              "--set /dt: is nested 1000 levels deep; expected at most 64");
}

TEST(Override, TakesTheBlameForComplaintsAboutWhatItSet) {
    JsonDocument document = parse(R"({"dt": 1})");
    ASSERT_TRUE(apply_override(document, "/air/wind/gust=0.3"));
    JsonDocument exact = document, below = document, above = document, elsewhere = document;
    exact.fail("/air/wind/gust", "found 0.3");
    EXPECT_EQ(exact.error->text(), "--set /air/wind/gust: found 0.3");
    below.fail("/air/wind/gust/x", "found 0.3");
    EXPECT_EQ(below.error->text(), "--set /air/wind/gust: /air/wind/gust/x: found 0.3");
    above.fail("/air", "unknown key"); // made by the override, so not in the text
    EXPECT_EQ(above.error->text(), "--set /air/wind/gust: /air: unknown key");
    elsewhere.fail("/dt", "found 1");
    EXPECT_EQ(elsewhere.error->text(), "a.json:1:8: /dt: found 1");
}

TEST(JsonDocument, KeepsTheFirstComplaint) {
    JsonDocument document = parse(R"({"a": 1, "b": 2})");
    document.fail("/b", "first");
    document.fail("/a", "second");
    EXPECT_EQ(document.error->text(), "a.json:1:15: /b: first");
}

TEST(Fraction, ReadsNumbersAndQuotients) {
    EXPECT_EQ(parse_fraction("1/150"), 1.0 / 150.0);
    EXPECT_EQ(parse_fraction("1e-3"), 1e-3);
    EXPECT_EQ(parse_fraction("0.5/2"), 0.25);
    EXPECT_EQ(parse_fraction("-1"), -1.0);
    EXPECT_EQ(parse_fraction("0/5"), 0.0);
}

TEST(Fraction, RefusesEverythingElse) {
    for (const char* bad : {"", " 1", "1 ", "1/0", "1/2/3", "/", "1/", "/2", "1/ 2", "nan", "inf", "-inf", "1e999",
                            "1/nan", "inf/2", "0/0", "abc", "1s", "1e300/1e-300"})
        EXPECT_FALSE(parse_fraction(bad)) << '"' << bad << '"';
    EXPECT_FALSE(parse_fraction(std::string("1\0", 2))) << "a zero byte ends the number, not the text";
}

TEST(Printable, LeavesUtf8AloneAndReplacesTheRest) {
    EXPECT_EQ(printable("caf\xc3\xa9 \"a\\b\"\n"), "caf\xc3\xa9 \"a\\b\"\n");
    EXPECT_EQ(printable("a\xff"), "a\xef\xbf\xbd"); // U+FFFD
}

} // namespace
} // namespace selvage
