// methods_compared PAGE.md TABLES.csv: every method of the catalog on the same scenes. Rewrites the tables between the
// markers of PAGE.md (docs/records/methods_compared.md says what the columns mean) and writes the same rows as CSV.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "lab/benchmarks/method_measures.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

constexpr double kSeconds = 2.0;  // of each scene
constexpr double kBudgetMs = 4.0; // a frame, for the equal-budget table
constexpr double kReferenceStep = 1.0 / 4800.0;
constexpr double kStrainBound = 0.1;                                     // what a step must stay under to be useful
const ComparePlan kPlan{.check = 1.0 / 30.0, .count = 18, .threads = 1}; // 0.6 s: later motion is chaotic

/// Steps per frame of 1/60 s that suit a method: as its page recommends.
int sensible_substeps(const SolverEntry& entry) {
    if (entry.traits.can_diverge) return 600; // below 2/omega of these fabrics
    const std::map<std::string, int> known = {{"implicit-jacobi", 20}, {"implicit-cg", 4}, {"filter", 16},
                                              {"verlet", 16},          {"harmonic", 60},   {"xpbd", 20},
                                              {"multilevel", 10}};
    const auto found = known.find(entry.name);
    return found == known.end() ? 20 : found->second;
}

struct Method {
    std::string name;
    SolverSettings settings;
    int substeps;
    bool elastic = true; // as SolverTraits has it
};

std::vector<Method> catalog_methods() {
    std::vector<Method> methods;
    for (const SolverEntry& entry : solver_catalog())
        methods.push_back({entry.name, entry.defaults, sensible_substeps(entry), entry.traits.elastic});
    // On the net that the reference has, too: by itself it takes the fabric's triangles, which hang otherwise.
    MultilevelSettings on_springs;
    on_springs.elements = Elements::springs;
    methods.push_back({"multilevel, `elements` springs", on_springs, 10});
    return methods;
}

std::string number(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// The steps are all 1/n, the first that is tried 1/30.
std::string step_text(double step) {
    if (step <= 0.0) return "none";
    return concat(step > 0.03 ? ">= " : "", "1/", std::llround(1.0 / step));
}

struct Table {
    std::string marker;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;

    std::string markdown() const {
        const auto line = [](const std::vector<std::string>& cells) {
            std::string text = "|";
            for (const std::string& cell : cells)
                text += " " + cell + " |";
            return text + "\n";
        };
        std::string text = line(head) + "|";
        for (std::size_t i = 0; i < head.size(); ++i)
            text += "---|";
        text += "\n";
        for (const auto& row : rows)
            text += line(row);
        return text;
    }

    std::string csv() const {
        std::string text;
        const auto add = [&](const std::string& first, const std::vector<std::string>& cells) {
            text += first;
            for (const std::string& cell : cells)
                text += "," + (cell.find(',') == std::string::npos ? cell : "\"" + cell + "\"");
            text += "\n";
        };
        add("table", head);
        for (const auto& row : rows)
            add(marker, row);
        return text;
    }
};

const std::vector<std::string> kRunHead = {
    "method", "steps per frame", "ms per frame", "largest strain %", "rms strain %", "E", "S", "off by mm"};

std::vector<std::string> run_row(const Method& method, const MethodRun& run, const Motion& reference) {
    if (!run.failure.empty()) return {method.name, concat(method.substeps), "diverges", "", "", "", "", ""};
    const MotionScore score = score_motion(reference, run.motion);
    return {method.name,
            concat(method.substeps),
            number("%.2f", run.ms),
            number("%.3g", 100.0 * run.strain_max),
            number("%.2g", 100.0 * run.strain_rms),
            number("%.2g", score.error),
            number("%.3f", score.similarity),
            number("%.3g", 1e3 * score.distance)};
}

void say(const std::string& text) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

/// Tables take minutes: each row shows as it is made.
void add_row(Table& table, std::vector<std::string> row) {
    std::string text = " ";
    for (const std::string& cell : row)
        text += " " + cell;
    say(text);
    table.rows.push_back(std::move(row));
}

Result<Motion> make_reference(SceneDesc scene) {
    scene.solver = ImplicitCgSettings{};
    return record_motion(std::move(scene), kReferenceStep, kPlan);
}

/// ms per frame of each method go to `ms` for the equal-budget table.
Result<Table> scene_table(const SceneDesc& scene, const Motion& reference, std::map<std::string, double>& ms) {
    Table table{scene.name, kRunHead, {}};
    std::vector<Method> methods = catalog_methods();
    // What the reference itself is worth: the same with twice its step.
    const int half = static_cast<int>(std::lround(scene.dt / (2.0 * kReferenceStep)));
    methods.push_back({"the reference at twice its step", ImplicitCgSettings{}, half});
    for (const Method& method : methods) {
        const Result<MethodRun> run = run_method(with_solver(scene, method.settings, method.substeps), kSeconds, kPlan);
        if (!run) return run.error();
        ms[method.name] = run->ms;
        add_row(table, run_row(method, *run, reference));
    }
    return table;
}

/// The number of substeps whose frame takes nearest to kBudgetMs, from a guess; at least one.
Result<int> fit_budget(const SceneDesc& scene, const Method& method, double ms_per_step) {
    int substeps = std::max(1, static_cast<int>(std::lround(kBudgetMs / ms_per_step)));
    int best = substeps;
    double best_off = 1e9;
    // Again and again: the cost of a step depends on the step where something is solved to a tolerance.
    for (int round = 0; round < 3; ++round) {
        const Result<MethodRun> run = run_method(with_solver(scene, method.settings, substeps), 1.0, kPlan);
        if (!run) return run.error();
        if (!run->failure.empty()) return substeps;
        if (const double off = std::abs(std::log(run->ms / kBudgetMs)); off < best_off) {
            best = substeps;
            best_off = off;
        }
        const int next = std::max(1, static_cast<int>(std::lround(substeps * kBudgetMs / run->ms)));
        if (next == substeps) break;
        substeps = next;
    }
    return best;
}

Result<Table> budget_table(const SceneDesc& scene, const Motion& reference, const std::map<std::string, double>& ms) {
    Table table{"budget", kRunHead, {}};
    std::vector<Method> methods = catalog_methods();
    MultilevelSettings low;
    low.quality = Quality::low;
    methods.push_back({"multilevel, `quality` low", low, 4});
    methods.push_back({"implicit-cg, `tolerance` 1e-2", ImplicitCgSettings{.tolerance = 1e-2}, 4});
    for (Method& method : methods) {
        const auto known = ms.find(method.name);
        const double guess = known != ms.end() && known->second > 0.0 ? known->second / method.substeps : kBudgetMs;
        const Result<int> substeps = fit_budget(scene, method, guess);
        if (!substeps) return substeps.error();
        method.substeps = *substeps;
        const Result<MethodRun> run = run_method(with_solver(scene, method.settings, method.substeps), kSeconds, kPlan);
        if (!run) return run.error();
        add_row(table, run_row(method, *run, reference));
    }
    return table;
}

Result<Table> law_table(const SceneDesc& scene) {
    Table table{"laws",
                {"method", "steps per frame", "energy in motion %", "in stretch %", "finite up to, s",
                 "strain below 10 % up to, s", "linear momentum drift", "angular momentum drift"},
                {}};
    for (const Method& method : catalog_methods()) {
        const SceneDesc chosen = with_solver(scene, method.settings, method.substeps);
        const std::optional<EnergyFractions> energy = energy_fractions(in_vacuum(chosen), kSeconds);
        const std::optional<MomentumDrift> drift = momentum_drift(tumbling(chosen), 1.0);
        const Result<StepLimits> limits = find_step_limits(chosen, 1.0, kStrainBound);
        if (!limits) return limits.error();
        add_row(table,
                {method.name, concat(method.substeps), energy ? number("%.0f", 100.0 * energy->motion) : "diverges",
                 energy && method.elastic ? number("%.0f", 100.0 * energy->stretch) : "", step_text(limits->finite),
                 step_text(limits->tight), drift ? number("%.0e", drift->linear) : "diverges",
                 drift ? number("%.1e", drift->angular) : "diverges"});
    }
    return table;
}

/// Replaces what stands between <!-- NAME:begin --> and <!-- NAME:end -->.
Status replace_between(std::string& page, const Table& table, const std::string& path) {
    const std::string begin = concat("<!-- ", table.marker, ":begin -->\n"),
                      end = concat("<!-- ", table.marker, ":end -->");
    const std::size_t from = page.find(begin), to = page.find(end);
    if (from == std::string::npos || to == std::string::npos || to < from)
        return Error{concat("has no place for the table \"", table.marker, "\"; expected a line ", begin,
                            "and after it a line ", end),
                     path};
    page.replace(from + begin.size(), to - from - begin.size(), table.markdown());
    return Done{};
}

Result<std::vector<Table>> make_tables() {
    std::vector<Table> tables;
    std::map<std::string, double> hang_ms;
    std::optional<SceneDesc> hang;
    std::optional<Motion> hang_reference;
    for (const char* name : {"corner-hang", "flag", "sphere-drape"}) {
        say(name);
        const Result<SceneDesc> scene = load_scene(name);
        if (!scene) return scene.error();
        Result<Motion> reference = make_reference(*scene);
        if (!reference) return reference.error();
        std::map<std::string, double> ms;
        Result<Table> table = scene_table(*scene, *reference, ms);
        if (!table) return table.error();
        tables.push_back(std::move(*table));
        if (hang) continue;
        hang = *scene;
        hang_reference = std::move(*reference);
        hang_ms = ms;
    }
    say("equal budget");
    Result<Table> budget = budget_table(*hang, *hang_reference, hang_ms);
    if (!budget) return budget.error();
    tables.push_back(std::move(*budget));
    say("laws");
    Result<Table> laws = law_table(*hang);
    if (!laws) return laws.error();
    tables.push_back(std::move(*laws));
    return tables;
}

Status write_tables(const std::string& page_path, const std::string& csv_path) {
    Result<std::string> page = read_file(page_path);
    if (!page) return page.error();
    const Result<std::vector<Table>> tables = make_tables();
    if (!tables) return tables.error();
    std::string csv;
    for (const Table& table : *tables) {
        csv += table.csv();
        if (const Status ok = replace_between(*page, table, page_path); !ok) return ok.error();
    }
    if (const Status ok = write_file(csv_path, csv); !ok) return ok.error();
    return write_file(page_path, *page);
}

} // namespace

} // namespace selvage

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: methods_compared PAGE.md TABLES.csv\n");
        return 2;
    }
    if (const selvage::Status ok = selvage::write_tables(argv[1], argv[2]); !ok) {
        std::fprintf(stderr, "methods_compared: %s\n", ok.error().text().c_str());
        return 1;
    }
    return 0;
}
