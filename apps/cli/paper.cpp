#include <array>

#include "base/concat.h"
#include "cli.h"
#include "papers.h"

namespace selvage {

namespace {

struct Paper {
    const char *name, *what;
    Status (*reproduce)(const std::filesystem::path& folder, bool quiet);
};

constexpr std::array kPapers = {
    Paper{"kang", "the linear-time implicit method", reproduce_kang},
    Paper{"desbrun", "the precomputed filter for any net", reproduce_desbrun},
    Paper{"fuhrmann", "Verlet with length constraints and self-collision", reproduce_fuhrmann},
    Paper{"harmonic", "harmonic oscillation", reproduce_harmonic},
    Paper{"oshita", "curved faces over sparse particles", reproduce_oshita},
};

} // namespace

void add_paper_command(CLI::App& app, int& code) {
    CLI::App* command =
        app.add_subcommand("paper", "Reproduce a paper's tables and figures beside the published values");
    struct Flags {
        std::string name, out;
        bool quiet = false;
    };
    auto flags = std::make_shared<Flags>();
    std::vector<std::string> names;
    std::string help;
    for (const Paper& paper : kPapers) {
        names.emplace_back(paper.name);
        help += concat(help.empty() ? "" : ", ", paper.name, " (", paper.what, ")");
    }
    command->add_option("PAPER", flags->name, help)->required()->check(one_of(names));
    command->add_option("--out", flags->out, "Folder for the results; default out/paper-NAME")->type_name("DIR");
    command->add_flag("--quiet", flags->quiet, "No progress");
    command->callback([flags, &code] {
        const std::string folder = flags->out.empty() ? "out/paper-" + flags->name : flags->out;
        for (const Paper& paper : kPapers)
            if (paper.name == flags->name)
                if (const Status ok = paper.reproduce(folder, flags->quiet); !ok) code = report_error(ok.error());
    });
}

} // namespace selvage
