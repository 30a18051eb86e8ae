#include "lab/validate/validate.h"

#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/suggest.h"
#include "cli.h"

namespace selvage {

namespace {

struct ValidateFlags {
    std::string only, json;
    bool quiet = false;
};

int validate(const ValidateFlags& flags) {
    if (const Status ok = check_writable(flags.json); !ok) return report_error(ok.error());
    std::vector<ValidationRow> rows;
    std::vector<std::string> names;
    const std::string check_name = flags.only.substr(0, flags.only.find('/'));
    Progress progress("validate", flags.quiet);
    const std::vector<ValidationCheck>& checks = validation_checks();
    for (std::size_t c = 0; c < checks.size(); ++c) {
        names.push_back(checks[c].name);
        if (!check_name.empty() && checks[c].name != check_name) continue;
        if (rows.empty() && !flags.quiet)
            std::printf("%-36s %14s %14s %10s %10s  %s\n", "name", "expected", "got", "error", "tolerance", "unit");
        for (ValidationRow& row : checks[c].run()) {
            if (flags.only.find('/') != std::string::npos && row.name != flags.only) continue;
            if (!flags.quiet)
                std::printf("%-36s %14.6g %14.6g %10.3g %10.3g  %s%s\n", row.name.c_str(), row.expected, row.got,
                            row.error, row.tolerance, row.unit.c_str(), row.pass ? "" : "  FAIL");
            rows.push_back(std::move(row));
        }
        progress.update(static_cast<double>(c + 1) / static_cast<double>(checks.size()));
    }
    if (rows.empty())
        return report_error({concat("no check \"", flags.only, "\"; expected one of: ", join(names)), "--only"});
    if (!flags.json.empty())
        if (const Status ok = write_file(flags.json, validation_json(rows).dump(2) + "\n"); !ok)
            return report_error(ok.error());
    int failed = 0;
    for (const ValidationRow& row : rows)
        failed += row.pass ? 0 : 1;
    if (!flags.quiet) std::printf("%zu rows, %d outside their tolerance\n", rows.size(), failed);
    return failed > 0 ? kWorkFailed : kDone;
}

} // namespace

/// selvage validate [--only NAME] [--json FILE]: answers known in closed form against ours.
void add_validate_command(CommandLine& line) {
    Command command = line.add_command("validate", "Check the solvers against closed forms and conservation laws");
    auto flags = std::make_shared<ValidateFlags>();
    command.add_option("--only", flags->only, "Run one check, or one check/solver row");
    command.add_option("--json", flags->json, "Write the rows").type_name("FILE");
    command.add_flag("--quiet", flags->quiet, "Print nothing but errors");
    command.on_run([flags] { return validate(*flags); });
}

} // namespace selvage
