#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "scene/json_document.h"

namespace selvage {

/// More than this is a typing error in practice.
inline constexpr std::int64_t kMostJobs = 10'000'000;
/// In place of a JSON pointer: the scene itself.
inline constexpr char kSceneColumn[] = "scene";

/// One thing that a sweep varies: a scene value by its JSON pointer, or the scene.
struct SweepAxis {
    enum class Kind { values, range }; ///< range: drawn between `from` and `to`; only of random draws.

    std::string pointer = {};
    std::string origin = {}; ///< Where it stands in the sweep file, as a JSON pointer.
    Kind kind = Kind::values;
    std::vector<Json> values = {}; ///< Of a list: the value of each row.
    double from = 0.0, to = 0.0;
    bool is_log = false, is_whole = false;
    bool is_file = false; ///< Values are file names relative to the sweep file.
};

/// What is kept of each simulation.
struct SweepOutput {
    double frames_per_second = 30.0; ///< At most; 0: the first and the last frame.
    int compression = 4;             ///< Of deflate, 0 to 9.
};

/// One simulation of a sweep.
struct SweepJob {
    std::int64_t index = 0;
    std::string scene = {};                  ///< As load_scene() takes it.
    std::vector<std::string> overrides = {}; ///< "/json/pointer=VALUE", in the order in which they apply.
    std::vector<Json> values = {};           ///< Of the sweep's columns, as the sweep file spells them.
};

/// A sweep file as plain data. Jobs are made on demand: a million of them take no memory.
struct SweepSpec {
    std::string name;
    std::string scene;              ///< Unless an axis gives it.
    std::vector<std::string> fixed; ///< Overrides of all jobs.
    std::vector<SweepAxis> grid;    ///< Every combination; the last one varies fastest.
    std::vector<SweepAxis> list;    ///< Rows: all of these go together.
    std::vector<SweepAxis> random;
    std::int64_t draws = 1;
    std::uint64_t seed = 0;
    SweepOutput output;
    std::filesystem::path directory; ///< Of the sweep file: where file names start.
    JsonDocument document;           ///< The text, for complaints and for the record.

    std::int64_t job_count() const;
    std::vector<std::string> columns() const; ///< Pointers of what varies, and first the scene.
    SweepJob job(std::int64_t index) const;
};

/// Reads a sweep file. Fails on what cannot be meant: unknown keys, contradictory ranges, no jobs, far too many.
Result<SweepSpec> load_sweep(const std::filesystem::path& path);

/// Tries every value once, with the first of all others: a wrong pointer or value is known before any work.
Status check_scenes(const SweepSpec& spec);

} // namespace selvage
