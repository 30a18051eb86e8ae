#include "sim/validate.h"

#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/suggest.h"
#include "cli.h"

namespace selvage {

/// selvage validate [--only NAME] [--json FILE]: answers known in closed form against ours.
void add_validate_command(CLI::App& app, int& code) {
    CLI::App* command = app.add_subcommand("validate", "Check the solvers against closed forms and conservation laws");
    struct Flags {
        std::string only, json;
        bool quiet = false;
    };
    auto flags = std::make_shared<Flags>();
    command->add_option("--only", flags->only, "Run one check, or one check/solver row");
    command->add_option("--json", flags->json, "Write the rows")->type_name("FILE");
    command->add_flag("--quiet", flags->quiet, "Print nothing but errors");
    command->callback([flags, &code] {
        if (const Status ok = check_writable(flags->json); !ok) {
            code = report_error(ok.error());
            return;
        }
        std::vector<ValidationRow> rows;
        std::vector<std::string> names;
        const std::string check_name = flags->only.substr(0, flags->only.find('/'));
        Progress progress("validate", flags->quiet);
        const std::vector<ValidationCheck>& checks = validation_checks();
        for (std::size_t c = 0; c < checks.size(); ++c) {
            names.push_back(checks[c].name);
            if (!check_name.empty() && checks[c].name != check_name) continue;
            if (rows.empty() && !flags->quiet)
                std::printf("%-36s %14s %14s %10s %10s  %s\n", "name", "expected", "got", "error", "tolerance", "unit");
            for (ValidationRow& row : checks[c].run()) {
                if (flags->only.find('/') != std::string::npos && row.name != flags->only) continue;
                if (!flags->quiet)
                    std::printf("%-36s %14.6g %14.6g %10.3g %10.3g  %s%s\n", row.name.c_str(), row.expected, row.got,
                                row.error, row.tolerance, row.unit.c_str(), row.pass ? "" : "  FAIL");
                rows.push_back(std::move(row));
            }
            progress.update(static_cast<double>(c + 1) / static_cast<double>(checks.size()));
        }
        if (rows.empty()) {
            code = report_error({concat("no check \"", flags->only, "\"; expected one of: ", join(names)), "--only"});
            return;
        }
        if (!flags->json.empty())
            if (const Status ok = write_file(flags->json, validation_json(rows).dump(2) + "\n"); !ok) {
                code = report_error(ok.error());
                return;
            }
        int failed = 0;
        for (const ValidationRow& row : rows)
            failed += row.pass ? 0 : 1;
        if (!flags->quiet) std::printf("%zu rows, %d outside their tolerance\n", rows.size(), failed);
        if (failed > 0) code = kWorkFailed;
    });
}

} // namespace selvage
