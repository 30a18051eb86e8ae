#include "sweep/spec.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "math/functions.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

/// Uniform in [0, 1), from the seed, the job and the pointer alone: whoever does the job draws the same.
double uniform(std::uint64_t seed, std::int64_t job, const std::string& pointer) {
    std::uint64_t z = hash_text(pointer, seed ^ kHashSeed) + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(job + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u; // splitmix64
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53;
}

Json draw(const SweepAxis& axis, std::uint64_t seed, std::int64_t job) {
    const double u = uniform(seed, job, axis.pointer);
    if (axis.kind == SweepAxis::Kind::values)
        return axis.values[static_cast<std::size_t>(u * static_cast<double>(axis.values.size()))];
    if (axis.is_whole) {
        const double first = std::ceil(axis.from), count = std::floor(axis.to) - first + 1.0;
        return static_cast<std::int64_t>(first + std::floor(u * count));
    }
    const double value =
        axis.is_log ? axis.from * maths::pow(axis.to / axis.from, u) : axis.from + u * (axis.to - axis.from);
    return std::clamp(value, axis.from, axis.to);
}

bool is_builtin(const std::string& name) {
    const std::vector<BuiltinFile>& scenes = builtin_scenes();
    return std::any_of(scenes.begin(), scenes.end(), [&](const BuiltinFile& file) { return file.name == name; });
}

/// As load_scene() takes it: a file beside the sweep, or a name that it knows or will complain about.
std::string scene_path(const std::filesystem::path& directory, const std::string& name) {
    std::error_code code;
    const bool is_file = name.find('/') != std::string::npos || std::filesystem::path(name).extension() == ".json" ||
                         std::filesystem::exists(directory / name, code);
    return is_file && !is_builtin(name) ? (directory / name).string() : name;
}

std::string beside(const std::filesystem::path& directory, const std::string& name) {
    return std::filesystem::absolute(directory / name).lexically_normal().string();
}

/// Adds a value to a job, as the simulation will read it.
void assign(const SweepSpec& spec, const SweepAxis& axis, const Json& value, SweepJob& job) {
    job.values.push_back(value);
    const bool is_name = value.is_string();
    if (axis.pointer == kSceneColumn) {
        job.scene = scene_path(spec.directory, is_name ? value.get<std::string>() : value.dump());
        return;
    }
    const Json read = axis.is_file && is_name ? Json(beside(spec.directory, value.get<std::string>())) : value;
    job.overrides.push_back(concat(axis.pointer, "=", read.dump()));
}

/// Loads a job's scene and blames the axis where it cannot be.
Status try_job(const SweepSpec& spec, const SweepJob& job, const std::string& origin) {
    const Result<SceneDesc> scene = load_scene(job.scene, job.overrides);
    if (scene) return Done{};
    std::string text = scene.error().text();
    if (text.starts_with("--set ")) text = text.substr(6);
    return Error{text, locate(spec.document, origin), scene.error().kind};
}

/// The jobs in which one digit alone differs from those of the first job.
Status try_digits(const SweepSpec& spec, const std::string& origin, std::size_t values, std::int64_t stride) {
    constexpr std::size_t kMostTried = 1000; // thousands of garments are the jobs' own affair
    for (std::size_t v = 0; v < std::min(values, kMostTried); ++v)
        if (Status ok = try_job(spec, spec.job(static_cast<std::int64_t>(v) * stride), origin); !ok) return ok;
    return Done{};
}

/// The ends of a range, or every choice, in place of what the first job draws.
Status try_draws(const SweepSpec& spec, const SweepAxis& axis) {
    std::vector<Json> values = axis.values;
    if (axis.is_whole)
        values = {static_cast<std::int64_t>(std::ceil(axis.from)), static_cast<std::int64_t>(std::floor(axis.to))};
    else if (axis.kind == SweepAxis::Kind::range)
        values = {axis.from, axis.to};
    for (const Json& value : values) {
        SweepJob job = spec.job(0);
        assign(spec, axis, value, job); // the last assignment counts
        if (Status ok = try_job(spec, job, axis.origin); !ok) return ok;
    }
    return Done{};
}

} // namespace

std::int64_t SweepSpec::job_count() const {
    std::int64_t count = draws;
    for (const SweepAxis& axis : grid)
        count *= static_cast<std::int64_t>(axis.values.size());
    if (!list.empty()) count *= static_cast<std::int64_t>(list.front().values.size());
    return count;
}

std::vector<std::string> SweepSpec::columns() const {
    std::vector<std::string> names{kSceneColumn};
    for (const std::vector<SweepAxis>* room : {&grid, &list, &random})
        for (const SweepAxis& axis : *room)
            if (axis.pointer != kSceneColumn) names.push_back(axis.pointer);
    return names;
}

SweepJob SweepSpec::job(std::int64_t index) const {
    // Mixed digits, the last one fastest: grid axes, the list's row, the draw.
    std::int64_t rest = index / draws;
    const std::int64_t rows = list.empty() ? 1 : static_cast<std::int64_t>(list.front().values.size());
    const auto row = static_cast<std::size_t>(rest % rows);
    rest /= rows;
    std::vector<std::size_t> digit(grid.size());
    for (std::size_t a = grid.size(); a-- > 0;) {
        const auto count = static_cast<std::int64_t>(grid[a].values.size());
        digit[a] = static_cast<std::size_t>(rest % count);
        rest /= count;
    }
    SweepJob job{.index = index, .overrides = fixed};
    if (!scene.empty()) job.scene = scene_path(directory, scene);
    Json scene_value = scene;
    const auto add = [&](const SweepAxis& axis, const Json& value) {
        assign(*this, axis, value, job);
        if (axis.pointer != kSceneColumn) return;
        scene_value = value;
        job.values.pop_back(); // it stands first
    };
    for (std::size_t a = 0; a < grid.size(); ++a)
        add(grid[a], grid[a].values[digit[a]]);
    for (const SweepAxis& axis : list)
        add(axis, axis.values[row]);
    for (const SweepAxis& axis : random)
        add(axis, draw(axis, seed, index));
    job.values.insert(job.values.begin(), scene_value);
    return job;
}

Status check_scenes(const SweepSpec& spec) {
    if (Status ok = try_job(spec, {.scene = spec.job(0).scene, .overrides = spec.fixed}, ""); !ok) return ok;
    std::int64_t stride = spec.draws;
    if (!spec.list.empty()) {
        const SweepAxis& row = spec.list.front();
        if (Status ok = try_digits(spec, row.origin, row.values.size(), stride); !ok) return ok;
        stride *= static_cast<std::int64_t>(row.values.size());
    }
    for (std::size_t a = spec.grid.size(); a-- > 0;) {
        const SweepAxis& axis = spec.grid[a];
        if (Status ok = try_digits(spec, axis.origin, axis.values.size(), stride); !ok) return ok;
        stride *= static_cast<std::int64_t>(axis.values.size());
    }
    for (const SweepAxis& axis : spec.random)
        if (Status ok = try_draws(spec, axis); !ok) return ok;
    return Done{};
}

} // namespace selvage
