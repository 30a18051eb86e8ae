#include <cstdio>

#include "base/atomic_file.h"
#include "cli.h"
#include "lab/validate/fabric_card.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

int list_fabrics() {
    int code = kDone;
    for (const BuiltinFile& file : builtin_fabrics()) {
        if (const Result<Fabric> fabric = load_fabric(file.name))
            std::printf("%-20s %s\n", file.name.c_str(), fabric->description.c_str());
        else
            code = report_error(fabric.error());
    }
    return code;
}

struct FabricFlags {
    std::string name, json;
    bool list = false, quick = false, quiet = false;
};

int print_card(const FabricFlags& flags) {
    if (const Status ok = check_writable(flags.json); !ok) return report_error(ok.error());
    Result<Fabric> fabric = load_fabric(flags.name);
    if (!fabric) return report_error(fabric.error());
    FabricCard card = make_fabric_card(std::move(*fabric));
    if (!flags.quick) {
        Progress progress("drape test", flags.quiet);
        card.drape = run_drape_test({}, card.fabric.material, 0, [&](double fraction) { progress.update(fraction); });
    }
    if (!flags.quiet) std::fputs(card_text(card).c_str(), stdout);
    if (!flags.json.empty())
        if (const Status ok = write_file(flags.json, card_json(card).dump(2) + "\n"); !ok)
            return report_error(ok.error());
    return kDone;
}

} // namespace

/// selvage fabric NAME | --list [--quick] [--json FILE]: a fabric's card.
void add_fabric_command(CommandLine& line) {
    Command command = line.add_command("fabric", "Print a fabric's numbers, their sources and what they predict");
    auto flags = std::make_shared<FabricFlags>();
    command.add_option("NAME", flags->name, "Built-in fabric, or a fabric file");
    command.add_flag("--list", flags->list, "List the built-in fabrics with a line each");
    command.add_flag("--quick", flags->quick, "Leave out the drape, whose simulation takes seconds");
    command.add_option("--json", flags->json, "Write the card").type_name("FILE");
    command.add_flag("--quiet", flags->quiet, "Print nothing but errors");
    command.on_run([flags] {
        if (flags->list) return list_fabrics();
        if (flags->name.empty()) return report_error({"no fabric named; expected NAME or --list"});
        return print_card(*flags);
    });
}

} // namespace selvage
