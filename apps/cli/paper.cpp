#include "cli.h"
#include "paper_kang.h"

namespace selvage {

void add_paper_command(CLI::App& app, int& code) {
    CLI::App* command = app.add_subcommand("paper", "Reproduce a paper's tables and figures: CSV, PNG and report.md");
    struct Flags {
        std::string name, out;
        bool quiet = false;
    };
    auto flags = std::make_shared<Flags>();
    command->add_option("PAPER", flags->name, "kang: Kang and Cho, real-time animation of complex virtual cloth")
        ->required()
        ->check(one_of({"kang"}));
    command->add_option("--out", flags->out, "Folder for the results; default out/paper-NAME")->type_name("DIR");
    command->add_flag("--quiet", flags->quiet, "No progress");
    command->callback([flags, &code] {
        const std::string folder = flags->out.empty() ? "out/paper-" + flags->name : flags->out;
        if (const Status ok = reproduce_kang(folder, flags->quiet); !ok) code = report_error(ok.error());
    });
}

} // namespace selvage
