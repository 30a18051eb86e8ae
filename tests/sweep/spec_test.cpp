#include "sweep/spec.h"

#include <fstream>
#include <set>

#include "support.h"

namespace selvage {
namespace {

class SweepFile : public TestFolder {
protected:
    Result<SweepSpec> load(const std::string& text) const {
        std::ofstream(file("s.json")) << text;
        return load_sweep(file("s.json"));
    }
    SweepSpec loaded(const std::string& text) const {
        Result<SweepSpec> spec = load(text);
        EXPECT_TRUE(spec) << (spec ? "" : spec.error().text());
        return spec ? std::move(*spec) : SweepSpec{};
    }
    /// Of reading it, or of trying its values.
    std::string error_of(const std::string& text) const {
        const Result<SweepSpec> spec = load(text);
        if (!spec) return spec.error().text();
        const Status ok = check_scenes(*spec);
        return ok ? "no error" : ok.error().text();
    }
    void expect_error(const std::string& part, const std::string& text) const {
        const std::string error = error_of(text);
        EXPECT_NE(error.find(part), std::string::npos) << text << "\nsaid: " << error << "\nwanted: " << part;
        EXPECT_NE(error.find("s.json"), std::string::npos) << error; // and where it stands
    }
};

TEST_F(SweepFile, MakesEveryCombinationOfAGridWithTheLastAxisFastest) {
    const SweepSpec spec = loaded(R"({"scene": "flag", "set": {"/seconds": 1},
        "grid": {"/substeps": [2, 4], "/air/density": {"from": 1, "to": 2, "count": 3}}})");
    ASSERT_EQ(spec.job_count(), 6);
    EXPECT_EQ(spec.columns(), (std::vector<std::string>{"scene", "/substeps", "/air/density"}));
    EXPECT_EQ(spec.job(0).overrides, (std::vector<std::string>{"/seconds=1", "/substeps=2", "/air/density=1"}));
    EXPECT_EQ(spec.job(1).overrides.back(), "/air/density=1.5");
    EXPECT_EQ(spec.job(3).overrides, (std::vector<std::string>{"/seconds=1", "/substeps=4", "/air/density=1"}));
    EXPECT_EQ(spec.job(5).values, (std::vector<Json>{"flag", 4, 2}));
}

TEST_F(SweepFile, DividesRangesByCountByStepAndByLogarithm) {
    const SweepSpec spec = loaded(R"({"scene": "flag", "grid": {
        "/a": {"from": 0.1, "to": 0.3, "count": 3}, "/b": {"from": 0, "to": 1, "step": 0.4},
        "/c": {"from": 1e-6, "to": 1e-4, "count": 3, "scale": "log"}}})");
    EXPECT_EQ(spec.grid[0].values, (std::vector<Json>{0.1, 0.2, 0.3}));
    EXPECT_EQ(spec.grid[1].values, (std::vector<Json>{0, 0.4, 0.8}));
    EXPECT_EQ(spec.grid[2].values, (std::vector<Json>{1e-6, 1e-5, 1e-4}));
}

TEST_F(SweepFile, KeepsTheRowsOfAListTogether) {
    const SweepSpec spec = loaded(R"({"scene": "flag", "grid": {"/substeps": [2, 4]},
        "list": [{"/a": 1, "/b": "x"}, {"/b": "y", "/a": 2}, {"/a": 3, "/b": "z"}]})");
    ASSERT_EQ(spec.job_count(), 6);
    EXPECT_EQ(spec.job(1).values, (std::vector<Json>{"flag", 2, 2, "y"}));
    EXPECT_EQ(spec.job(5).values, (std::vector<Json>{"flag", 4, 3, "z"}));
}

TEST_F(SweepFile, DrawsTheSameForAJobWhoeverAsks) {
    const std::string text = R"({"scene": "flag", "random": {"count": 400, "seed": SEED, "values": {
        "/a": {"from": -1, "to": 3}, "/b": {"from": 0.01, "to": 100, "scale": "log"},
        "/c": {"from": 2.5, "to": 5.2, "whole": true}, "/d": ["x", "y", "z"]}}})";
    const auto with_seed = [&](const std::string& seed) {
        std::string changed = text;
        return changed.replace(changed.find("SEED"), 4, seed);
    };
    const SweepSpec spec = loaded(with_seed("7")), other = loaded(with_seed("8"));
    double sum = 0.0;
    int below_one = 0;
    std::set<int> whole;
    std::set<std::string> words;
    for (std::int64_t i = 399; i >= 0; --i) { // the order does not matter
        const std::vector<Json> values = spec.job(i).values;
        EXPECT_EQ(values, spec.job(i).values);
        EXPECT_NE(values, other.job(i).values);
        const double a = values[1].get<double>(), b = values[2].get<double>();
        EXPECT_TRUE(a >= -1.0 && a <= 3.0 && b >= 0.01 && b <= 100.0) << a << " " << b;
        sum += a;
        below_one += b < 1.0;
        whole.insert(values[3].get<int>());
        words.insert(values[4].get<std::string>());
    }
    // Means of 400 uniform draws: standard deviations of 0.058 and of 10 draws; four of them.
    EXPECT_NEAR(sum / 400.0, 1.0, 0.24);
    EXPECT_NEAR(below_one, 200, 40);
    EXPECT_EQ(whole, (std::set<int>{3, 4, 5}));
    EXPECT_EQ(words.size(), 3u);
}

TEST_F(SweepFile, FindsScenesAndMeshesBesideItself) {
    std::filesystem::create_directories(file("garments"));
    for (const char* name : {"garments/b.obj", "garments/a.obj"})
        std::ofstream(file(name)) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::ofstream(file("own.json")) << R"({"cloths": [{"mesh": {"file": "garments/a.obj"}}]})";
    const SweepSpec spec = loaded(R"({"grid": {"scene": ["flag", "own.json"],
        "/cloths/0/mesh": [{"grid": {}}], "/cloths/0/rest": {"files": "garments/*.obj"}}})");
    ASSERT_EQ(spec.job_count(), 4);
    EXPECT_EQ(spec.job(0).scene, "flag");
    EXPECT_EQ(spec.job(3).scene, file("own.json").string());
    EXPECT_EQ(spec.job(3).values, (std::vector<Json>{"own.json", Json::parse(R"({"grid": {}})"), "garments/b.obj"}));
    EXPECT_EQ(spec.job(3).overrides.back(), "/cloths/0/rest=\"" + file("garments/b.obj").string() + "\"");
}

TEST_F(SweepFile, SaysWhatCannotBeMeant) {
    expect_error("varies nothing", R"({"scene": "flag"})");
    expect_error("has no \"scene\"", R"({"grid": {"/seconds": [1]}})");
    expect_error("did you mean \"grid\"", R"({"scene": "flag", "gird": {"/seconds": [1]}})");
    expect_error("is an empty list", R"({"scene": "flag", "grid": {"/seconds": []}})");
    expect_error("has no rows", R"({"scene": "flag", "list": []})");
    expect_error("goes from 3 to 1", R"({"scene": "flag", "grid": {"/seconds": {"from": 3, "to": 1, "count": 2}}})");
    expect_error("has both", R"({"scene": "flag", "grid": {"/seconds": {"from": 1, "to": 2, "count": 2, "step": 1}}})");
    expect_error("to the same number", R"({"scene": "flag", "grid": {"/seconds": {"from": 1, "to": 1, "count": 2}}})");
    expect_error("by a logarithmic scale",
                 R"({"scene": "flag", "grid": {"/seconds": {"from": 0, "to": 1, "count": 2, "scale": "log"}}})");
    expect_error(
        "no whole number",
        R"({"scene": "flag", "random": {"count": 1, "values": {"/substeps": {"from": 1.2, "to": 1.8, "whole": true}}}})");
    expect_error("found 0; expected a whole number from 1",
                 R"({"scene": "flag", "random": {"count": 0, "values": {"/seconds": [1]}}})");
    expect_error("would replace /seconds",
                 R"({"scene": "flag", "set": {"/seconds": 1}, "grid": {"/seconds": [1, 2]}})");
    expect_error("would replace /air/density",
                 R"({"scene": "flag", "grid": {"/air/density": [1]}, "list": [{"/air": {}}]})");
    expect_error("expected the 2 of the first row", R"({"scene": "flag", "list": [{"/a": 1, "/b": 2}, {"/a": 1}]})");
    expect_error("makes 1e+12 jobs; expected at most 10000000",
                 R"({"scene": "flag", "grid": {"/a": {"from": 0, "to": 1, "count": 1000000},
                     "/b": {"from": 0, "to": 1, "count": 1000000}}})");
    expect_error("no file matches", R"({"scene": "flag", "grid": {"/cloths/0/mesh/file": {"files": "*.obj"}}})");
    expect_error("is given, and varied", R"({"scene": "flag", "grid": {"scene": ["flag"]}})");
}

TEST_F(SweepFile, TriesEveryValueOfAnAxisBeforeAnyWork) {
    expect_error("s.json:1:46: /secnds: unknown key \"secnds\"; did you mean \"seconds\"?",
                 R"({"scene": "flag",        "grid": {"/secnds": [1]}})");
    expect_error("/seconds: found -1", R"({"scene": "flag", "grid": {"/seconds": [1, 2, -1]}})");
    expect_error("no element of the list", R"({"scene": "flag", "list": [{"/cloths/3/fabric": "denim"}]})");
    expect_error("/seconds: found -1",
                 R"({"scene": "flag", "random": {"count": 2, "values": {"/seconds": {"from": -1, "to": 1}}}})");
    expect_error("no fabric of this name",
                 R"({"scene": "flag", "set": {"/cloths/0/fabric": "linnen"}, "grid": {"/seconds": [1]}})");
    expect_error("no scene of this name", R"({"scene": "flagg", "grid": {"/seconds": [1]}})");
    EXPECT_EQ(error_of(R"({"scene": "flag", "grid": {"/seconds": [1, 2]}})"), "no error");
}

} // namespace
} // namespace selvage
