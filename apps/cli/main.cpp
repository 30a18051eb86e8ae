#include <cstdio>

#include "cli.h"

int main(int argc, char** argv) {
    using namespace selvage;
    CLI::App app{"Selvage: real-time cloth. Simulate scene files, measure them, and reproduce the papers behind the solvers."};
    app.name("selvage");
    app.require_subcommand(1);
    app.set_version_flag("--version", "selvage " SELVAGE_VERSION);
    app.get_formatter()->column_width(36);
    app.footer("Exit codes: 0 done, 1 the work failed, 2 wrong usage or bad input. `selvage COMMAND --help` tells more.");
    int code = kDone;
    add_scenes_command(app, code);
    add_run_command(app, code);
    add_render_command(app, code);
    add_compare_command(app, code);
    add_paper_command(app, code);
    add_validate_command(app, code);
    add_bench_command(app, code);
    add_info_command(app, code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // Help and version are "errors" with code 0; every real one is wrong usage.
        return app.exit(error) == 0 ? kDone : kBadInput;
    }
    // A full disk or a closed pipe behind stdout must not look like success.
    if (std::fflush(stdout) != 0 && code == kDone) {
        std::perror("selvage: cannot write to standard output");
        code = kWorkFailed;
    }
    return code;
}
