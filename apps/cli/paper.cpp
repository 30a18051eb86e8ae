#include <array>

#include "base/concat.h"
#include "cli.h"
#include "lab/papers/papers.h"

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

struct PaperFlags {
    std::string name, out;
    bool quiet = false;
};

int paper(const PaperFlags& flags) {
    const std::string folder = flags.out.empty() ? "out/paper-" + flags.name : flags.out;
    for (const Paper& paper : kPapers)
        if (paper.name == flags.name)
            if (const Status ok = paper.reproduce(folder, flags.quiet); !ok) return report_error(ok.error());
    return kDone;
}

} // namespace

void add_paper_command(CommandLine& line) {
    Command command = line.add_command("paper", "Reproduce a paper's tables and figures beside the published values");
    auto flags = std::make_shared<PaperFlags>();
    std::vector<std::string> names;
    std::string help;
    for (const Paper& paper : kPapers) {
        names.emplace_back(paper.name);
        help += concat(help.empty() ? "" : ", ", paper.name, " (", paper.what, ")");
    }
    command.add_option("PAPER", flags->name, help).required().one_of(names);
    command.add_option("--out", flags->out, "Folder for the results; default out/paper-NAME").type_name("DIR");
    command.add_flag("--quiet", flags->quiet, "No progress");
    command.on_run([flags] { return paper(*flags); });
}

} // namespace selvage
