#include <algorithm>
#include <cstdio>
#include <new>

#include "base/concat.h"
#include "base/suggest.h"
#include "cli.h"

namespace selvage {
namespace {

/// CLI11 alone would only say that a command is required.
Status check_command(const CLI::App& app, const std::string& name) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    if (name.starts_with('-') || std::find(names.begin(), names.end(), name) != names.end()) return Done{};
    const std::string nearest = nearest_word(name, names);
    return Error{concat("unknown command \"", name, "\"; expected one of: ", join(names),
                        nearest.empty() ? "" : concat("; did you mean \"", nearest, "\"?"))};
}

} // namespace
} // namespace selvage

int main(int argc, char** argv) {
    using namespace selvage;
    CLI::App app{
        "Selvage: real-time cloth. Simulate scene files, measure them, and reproduce the papers behind the solvers."};
    app.name("selvage");
    app.require_subcommand(1);
    app.set_version_flag("--version", "selvage " SELVAGE_VERSION);
    app.get_formatter()->column_width(36);
    app.footer(
        "Exit codes: 0 done, 1 the work failed, 2 wrong usage or bad input. `selvage COMMAND --help` tells more.");
    int code = kDone;
    add_scenes_command(app, code);
    add_run_command(app, code);
    add_render_command(app, code);
    add_view_command(app, code);
    add_compare_command(app, code);
    add_paper_command(app, code);
    add_validate_command(app, code);
    add_bench_command(app, code);
    add_info_command(app, code);
    if (argc > 1)
        if (const Status ok = check_command(app, argv[1]); !ok) return report_error(ok.error());
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // Help and version are "errors" with code 0; every real one is wrong usage.
        if (error.get_exit_code() == 0) return app.exit(error);
        return report_error({concat(error.what(), "; see --help")});
    } catch (const std::bad_alloc&) {
        return report_error({"the work needs more memory than there is; try fewer vertices", "", ErrorKind::work});
    }
    // A full disk or a closed pipe behind stdout must not look like success. The flush alone forgets earlier failures.
    if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && code == kDone) {
        std::perror("selvage: cannot write to standard output");
        code = kWorkFailed;
    }
    return code;
}
