#include <array>

#include "base/concat.h"
#include "cli.h"
#include "lab/benchmarks/bench_cases.h"
#include "lab/papers/papers.h"

namespace selvage {

namespace {

struct Paper {
    const char *name, *what;
    Status (*reproduce)(const std::filesystem::path& folder, bool quiet, const Device& device);
    bool uses_device = false;
};

template <Status (*reproduce)(const std::filesystem::path&, bool)>
Status on_cpu(const std::filesystem::path& folder, bool quiet, const Device& /*device*/) {
    return reproduce(folder, quiet);
}

constexpr std::array kPapers = {
    Paper{"kang", "the linear-time implicit method", on_cpu<reproduce_kang>},
    Paper{"desbrun", "the precomputed filter for any net", on_cpu<reproduce_desbrun>},
    Paper{"fuhrmann", "Verlet with length constraints and self-collision", on_cpu<reproduce_fuhrmann>},
    Paper{"harmonic", "harmonic oscillation", reproduce_harmonic, true},
    Paper{"oshita", "curved faces over sparse particles", on_cpu<reproduce_oshita>},
};

struct PaperFlags {
    std::string name, out, device = "auto";
    bool quiet = false;
};

int paper(const PaperFlags& flags) {
    const std::string folder = flags.out.empty() ? "out/paper-" + flags.name : flags.out;
    for (const Paper& paper : kPapers) {
        if (paper.name != flags.name) continue;
        if (flags.device == "cuda" && !paper.uses_device)
            return report_error({concat("found cuda; expected cpu or auto: nothing in \"", paper.name,
                                        "\" is about a GPU, only \"harmonic\" has such parts"),
                                 "--device"});
        const Device device = paper.uses_device ? device_of_option(flags.device) : Device{};
        if (device.choice == DeviceChoice::cuda)
            if (const Status ok = check_device(device); !ok) return report_error(ok.error());
        if (const Status ok = paper.reproduce(folder, flags.quiet, device); !ok) return report_error(ok.error());
    }
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
    add_device_option(command, flags->device);
    command.add_flag("--quiet", flags->quiet, "No progress");
    command.on_run([flags] { return paper(*flags); });
}

} // namespace selvage
