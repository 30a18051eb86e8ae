#include <cstdio>
#include <new>

#include "cli.h"

int main(int argc, char** argv) {
    using namespace selvage;
    CommandLine line(
        "selvage", "selvage " SELVAGE_VERSION,
        "Selvage: real-time cloth. Simulate scene files, measure them, and reproduce the papers behind the solvers.",
        "Exit codes: 0 done, 1 the work failed, 2 wrong usage or bad input. `selvage COMMAND --help` tells more.");
    add_scenes_command(line);
    add_run_command(line);
    add_render_command(line);
    add_view_command(line);
    add_sweep_command(line);
    add_compare_command(line);
    add_paper_command(line);
    add_validate_command(line);
    add_bench_command(line);
    add_fabric_command(line);
    add_untangle_command(line);
    add_dress_command(line);
    add_mannequin_command(line);
    add_info_command(line);
    int code = kDone;
    try {
        code = line.run(argc, argv);
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
