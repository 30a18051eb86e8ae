#include <glob.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/numbers.h"
#include "math/functions.h"
#include "scene/scene_io.h"
#include "sweep/spec.h"

namespace selvage {

namespace {

constexpr int kMostValues = 1'000'000; // of one axis

/// Twelve digits: 0.2 and not 0.20000000000000001 where a range is divided.
double tidy(double value) {
    std::string text;
    append_number(text, value, 12);
    read_number(text, value);
    return value;
}

/// Names that match a pattern such as "garments/*.obj", relative to the folder, in alphabetical order.
std::vector<Json> matching_files(const std::filesystem::path& folder, const std::string& pattern) {
    glob_t found{};
    const std::string prefix = folder.empty() ? "" : folder.string() + "/";
    std::vector<Json> names;
    if (glob((prefix + pattern).c_str(), 0, nullptr, &found) == 0)
        for (std::size_t i = 0; i < found.gl_pathc; ++i)
            names.emplace_back(std::string(found.gl_pathv[i]).substr(prefix.size()));
    globfree(&found);
    return names;
}

/// Reads one sweep file. Complaints go to the document, as everywhere in scenes.
class SpecReader {
public:
    SpecReader(SweepSpec& spec, JsonCursor root) : spec_(spec), root_(std::move(root)) {}

    void read() {
        if (!root_.is_object()) return;
        if (const auto name = root_.child("name")) spec_.name = name->string().value_or("");
        if (const auto scene = root_.child("scene")) spec_.scene = scene->string().value_or("");
        if (auto set = root_.child("set"); set && set->is_object())
            for (const auto& [pointer, value] : set->value().items()) {
                check_pointer(*set->child(pointer), pointer, false);
                spec_.fixed.push_back(concat(pointer, "=", value.dump()));
            }
        if (auto grid = root_.child("grid"); grid && grid->is_object())
            for (const auto& [pointer, unused] : grid->value().items())
                spec_.grid.push_back(read_axis(*grid->child(pointer), pointer, false));
        if (const auto list = root_.child("list")) read_list(*list);
        if (auto random = root_.child("random"); random && random->is_object()) read_random(*random);
        if (auto output = root_.child("output"); output && output->is_object()) read_output(*output);
        root_.finish();
        if (root_.ok()) check_whole();
    }

private:
    void check_pointer(const JsonCursor& at, const std::string& pointer, bool may_be_scene) {
        if (may_be_scene && pointer == kSceneColumn) return;
        if (!pointer.starts_with('/') || pointer.find('=') != std::string::npos)
            at.fail(concat("found \"", pointer, "\"; expected a JSON pointer into the scene, such as /air/density",
                           may_be_scene ? ", or \"scene\"" : ""));
    }

    SweepAxis read_axis(JsonCursor cursor, const std::string& pointer, bool is_random) {
        SweepAxis axis{.pointer = pointer, .origin = cursor.pointer()};
        check_pointer(cursor, pointer, true);
        if (cursor.value().is_array()) {
            axis.values.assign(cursor.value().begin(), cursor.value().end());
            if (axis.values.empty()) cursor.fail("is an empty list; expected at least one value");
            return axis;
        }
        if (!cursor.value().is_object()) {
            cursor.expected("a list [...], a range {\"from\", \"to\", ...} or {\"files\": PATTERN}");
            return axis;
        }
        if (const auto files = cursor.child("files")) {
            read_files(*files, axis);
        } else {
            read_range(cursor, axis, is_random);
        }
        cursor.finish();
        return axis;
    }

    void read_files(const JsonCursor& cursor, SweepAxis& axis) {
        axis.is_file = true;
        const std::string pattern = cursor.string().value_or("");
        axis.values = matching_files(spec_.directory, pattern);
        if (axis.values.empty())
            cursor.fail(concat("no file matches \"", pattern, "\" in ",
                               spec_.directory.empty() ? "." : spec_.directory.string()));
    }

    void read_range(JsonCursor& cursor, SweepAxis& axis, bool is_random) {
        const auto from = cursor.child("from"), to = cursor.child("to");
        if (!from) return cursor.missing("from", "where the range begins");
        if (!to) return cursor.missing("to", "where the range ends");
        axis.from = from->number().value_or(0.0);
        axis.to = to->number().value_or(0.0);
        if (const auto scale = cursor.child("scale")) {
            const std::string name = scale->string().value_or("");
            if (name != "linear" && name != "log") scale->expected("\"linear\" or \"log\"");
            axis.is_log = name == "log";
        }
        if (cursor.ok() && axis.from > axis.to)
            cursor.fail(concat("goes from ", axis.from, " to ", axis.to, "; expected the smaller number first"));
        if (axis.is_log && !(axis.from > 0.0))
            cursor.fail(concat("goes from ", axis.from, " by a logarithmic scale; expected a number above 0"));
        if (is_random) {
            axis.kind = SweepAxis::Kind::range;
            if (const auto whole = cursor.child("whole")) axis.is_whole = whole->boolean().value_or(false);
            if (axis.is_whole && std::ceil(axis.from) > std::floor(axis.to))
                cursor.fail(concat("has no whole number from ", axis.from, " to ", axis.to));
            return;
        }
        read_grid_range(cursor, axis);
    }

    void read_grid_range(JsonCursor& cursor, SweepAxis& axis) {
        const auto count = cursor.child("count"), step = cursor.child("step");
        if (count && step) return cursor.fail("has both \"count\" and \"step\"; expected one of them");
        if (!count && !step) return cursor.missing("count", "how many values, or \"step\"");
        int values = 1;
        if (count) {
            values = count->integer({1.0, kMostValues, false}).value_or(1);
        } else {
            const double size = step->number(kPositive).value_or(1.0);
            if (axis.is_log) return step->fail("goes with a linear scale only; expected \"count\"");
            const double whole = std::floor((axis.to - axis.from) / size + 1e-9) + 1.0;
            if (whole > kMostValues)
                return step->fail(concat("makes ", whole, " values; expected at most ", kMostValues));
            values = static_cast<int>(whole);
            axis.to = axis.from + (values - 1) * size;
        }
        if (values > 1 && axis.from == axis.to)
            return cursor.fail(concat("takes ", values, " values from ", axis.from, " to the same number"));
        for (int i = 0; i < values && cursor.ok(); ++i) {
            const double t = values > 1 ? static_cast<double>(i) / (values - 1) : 0.0;
            const double value =
                axis.is_log ? axis.from * maths::pow(axis.to / axis.from, t) : axis.from + t * (axis.to - axis.from);
            const double rounded = tidy(value);
            const bool is_whole = rounded == std::floor(rounded) && std::abs(rounded) < 1e9;
            axis.values.push_back(is_whole ? Json(static_cast<std::int64_t>(rounded)) : Json(rounded));
        }
    }

    void read_list(const JsonCursor& cursor) {
        const std::vector<JsonCursor> rows = cursor.items();
        if (rows.empty()) return cursor.fail("has no rows; expected at least one {pointer: value, ...}");
        if (!rows.front().is_object()) return;
        for (const auto& [pointer, unused] : rows.front().value().items()) {
            check_pointer(cursor, pointer, true);
            spec_.list.push_back({.pointer = pointer, .origin = cursor.pointer()});
        }
        for (const JsonCursor& row : rows) {
            if (!row.is_object()) return;
            if (row.value().size() != spec_.list.size())
                return row.fail(concat("has ", row.value().size(), " values; expected the ", spec_.list.size(),
                                       " of the first row"));
            for (SweepAxis& axis : spec_.list) {
                if (!row.value().contains(axis.pointer))
                    return row.fail(concat("has no \"", axis.pointer, "\", which the first row has"));
                axis.values.push_back(row.value()[axis.pointer]);
            }
        }
        if (spec_.list.empty()) cursor.fail("has rows without values; expected {pointer: value, ...}");
    }

    void read_random(JsonCursor& cursor) {
        const auto count = cursor.child("count"), seed = cursor.child("seed");
        if (!count) return cursor.missing("count", "how many draws");
        spec_.draws = count->integer({1.0, kMostJobs, false}).value_or(1);
        if (seed) spec_.seed = static_cast<std::uint64_t>(seed->integer(kNonNegative).value_or(0));
        auto values = cursor.child("values");
        if (!values) return cursor.missing("values", "{pointer: range or list, ...}");
        if (values->is_object())
            for (const auto& [pointer, unused] : values->value().items())
                spec_.random.push_back(read_axis(*values->child(pointer), pointer, true));
        if (cursor.ok() && spec_.random.empty()) values->fail("draws nothing; expected {pointer: range or list, ...}");
        cursor.finish();
    }

    void read_output(JsonCursor& cursor) {
        if (const auto rate = cursor.child("frames_per_second"))
            spec_.output.frames_per_second = rate->number({0.0, 1e6, false}).value_or(30.0);
        if (const auto level = cursor.child("compression"))
            spec_.output.compression = level->integer({0.0, 9.0, false}).value_or(4);
        cursor.finish();
    }

    /// What no part shows alone: values set twice, no scene, no jobs or too many.
    void check_whole() {
        std::vector<const SweepAxis*> axes;
        for (const std::vector<SweepAxis>* room : {&spec_.grid, &spec_.list, &spec_.random})
            for (const SweepAxis& axis : *room)
                axes.push_back(&axis);
        if (axes.empty())
            return root_.fail("varies nothing; expected \"grid\", \"list\" or \"random\" with at least one value");
        std::vector<std::string> set_before;
        for (const std::string& fixed : spec_.fixed)
            set_before.push_back(fixed.substr(0, fixed.find('=')));
        for (const SweepAxis* axis : axes) {
            for (const std::string& earlier : set_before)
                if (earlier == axis->pointer || earlier.starts_with(axis->pointer + "/"))
                    return fail_at(axis->origin, concat("would replace ", earlier, ", which is given before"));
            set_before.push_back(axis->pointer);
        }
        const bool varies_scene = std::find(set_before.begin(), set_before.end(), kSceneColumn) != set_before.end();
        if (varies_scene && !spec_.scene.empty())
            return fail_at("/scene", "is given, and varied as well; expected one of them");
        if (!varies_scene && spec_.scene.empty()) return root_.missing("scene", "a built-in scene or a scene file");
        double jobs = static_cast<double>(spec_.draws);
        for (const SweepAxis& axis : spec_.grid)
            jobs *= static_cast<double>(axis.values.size());
        if (!spec_.list.empty()) jobs *= static_cast<double>(spec_.list.front().values.size());
        if (jobs > static_cast<double>(kMostJobs))
            root_.fail(concat("makes ", jobs, " jobs; expected at most ", kMostJobs));
    }

    void fail_at(const std::string& pointer, const std::string& message) { spec_.document.fail(pointer, message); }

    SweepSpec& spec_;
    JsonCursor root_;
};

} // namespace

Result<SweepSpec> load_sweep(const std::filesystem::path& path) {
    constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20;
    Result<std::string> text = read_file(path, kLargest);
    if (!text) return text.error();
    Result<JsonDocument> document = parse_json(std::move(*text), path.string());
    if (!document) return document.error();
    SweepSpec spec;
    spec.name = printable(path.stem().string());
    // Whole, so that complaints in a manifest are the same from wherever the sweep is run.
    spec.directory = std::filesystem::absolute(path).lexically_normal().parent_path();
    spec.document = std::move(*document);
    SpecReader(spec, JsonCursor(spec.document, spec.document.root, "")).read();
    if (spec.document.error) return *spec.document.error;
    return spec;
}

} // namespace selvage
