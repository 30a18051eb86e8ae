#include "cli.h"
#include "papers.h"

namespace selvage {

void add_paper_command(CLI::App& app, int& code) {
    CLI::App* command = app.add_subcommand("paper", "Reproduce a paper's tables and figures: CSV, PNG and report.md");
    struct Flags {
        std::string name, out;
        bool quiet = false;
    };
    auto flags = std::make_shared<Flags>();
    command
        ->add_option("PAPER", flags->name,
                     "kang (the linear-time implicit method), harmonic (harmonic oscillation) or desbrun (structured "
                     "deformable objects)")
        ->required()
        ->check(one_of({"kang", "harmonic", "desbrun"}));
    command->add_option("--out", flags->out, "Folder for the results; default out/paper-NAME")->type_name("DIR");
    command->add_flag("--quiet", flags->quiet, "No progress");
    command->callback([flags, &code] {
        const std::string folder = flags->out.empty() ? "out/paper-" + flags->name : flags->out;
        const auto reproduce = flags->name == "kang"       ? reproduce_kang
                               : flags->name == "harmonic" ? reproduce_harmonic
                                                           : reproduce_desbrun;
        if (const Status ok = reproduce(folder, flags->quiet); !ok) code = report_error(ok.error());
    });
}

} // namespace selvage
