#include <cstdio>
#include <memory>

#include "base/concat.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "character/glb_character.h"
#include "character/mannequin.h"
#include "cli.h"

namespace selvage {

namespace {

struct MannequinFlags {
    std::string out, figure = "female", motion;
    double height = 0.0, seconds = 0.0, frames_per_second = 30.0;
    int triangles = 12000;
    std::vector<std::string> sets;
    bool in_place = false, list = false, quiet = false;
};

void list_motions() {
    for (const MotionInfo& motion : mannequin_motions())
        std::printf("%-8s %s\n", motion.name, motion.help);
}

Result<Measurements> wanted_measurements(const MannequinFlags& flags) {
    Figure figure = Figure::female;
    for (std::size_t i = 0; i < figure_names().size(); ++i)
        if (figure_names()[i] == flags.figure) figure = static_cast<Figure>(i);
    Measurements m = flags.height > 0.0 ? measurements_for(figure, flags.height) : standard_measurements(figure);
    std::vector<std::string> names;
    for (const MeasurementField& field : measurement_fields())
        names.emplace_back(field.key);
    for (const std::string& assignment : flags.sets) {
        const std::size_t split = assignment.find('=');
        const std::string key = assignment.substr(0, split);
        const std::string number = split == std::string::npos ? "" : assignment.substr(split + 1);
        double value = 0.0;
        const bool is_number = !number.empty() && read_number(number, value) == number.size();
        const MeasurementField* found = nullptr;
        for (const MeasurementField& field : measurement_fields())
            if (key == field.key) found = &field;
        if (!found || !is_number) {
            const std::string nearest = found ? "" : nearest_word(key, names);
            return Error{concat("found \"", assignment, "\"; expected NAME=METRES with a name of: ", join(names),
                                nearest.empty() ? "" : concat("; did you mean \"", nearest, "\"?")),
                         "--set"};
        }
        m.*found->member = value;
    }
    return m;
}

int write_mannequin(const MannequinFlags& flags) {
    if (!flags.out.ends_with(".glb"))
        return report_error({concat("found \"", flags.out, "\"; expected the name of a .glb file"), "--out"});
    if (const Status ok = check_writable(flags.out); !ok) return report_error(ok.error());
    const Result<Measurements> measurements = wanted_measurements(flags);
    if (!measurements) return report_error(measurements.error());
    const MotionInfo* motion = nullptr;
    if (!flags.motion.empty()) motion = find_motion(flags.motion);
    Result<Character> body = make_mannequin(*measurements, {flags.triangles});
    if (!body) return report_error(body.error());
    if (motion) {
        const double usual = motion->seconds > 4.0 ? motion->seconds : 4.0;
        const double seconds = flags.seconds > 0.0 ? flags.seconds : usual;
        body->animations.push_back(sample_motion(*body, *motion, seconds, flags.frames_per_second, flags.in_place));
    }
    if (const Status ok = write_character(flags.out, *body); !ok) return report_error(ok.error());
    if (!flags.quiet)
        std::printf("%s: %d triangles, %zu joints%s%s\n", flags.out.c_str(), body->mesh.triangle_count(),
                    body->skeleton.joints.size(), motion ? ", motion " : "", motion ? motion->name : "");
    return kDone;
}

} // namespace

/// selvage mannequin --out FILE.glb [--figure F] [--height H] [--set NAME=METRES]... [--motion M]: a body to dress.
void add_mannequin_command(CommandLine& line) {
    Command command = line.add_command("mannequin", "Write a mannequin with skeleton, skin weights and a motion");
    auto flags = std::make_shared<MannequinFlags>();
    std::vector<std::string> motions;
    for (const MotionInfo& motion : mannequin_motions())
        motions.emplace_back(motion.name);
    command.add_option("--out", flags->out, "File to write (.glb)").type_name("FILE");
    command.add_option("--figure", flags->figure, "Proportions").one_of(figure_names()).show_default();
    command.add_option("--height", flags->height, "Floor to crown [m]; default 1.68, 1.80 or 1.22").range(0.5, 2.5);
    command.add_option("--set", flags->sets, "Another measurement, such as waist=0.68 [m]; may be repeated")
        .type_name("NAME=METRES")
        .one_value_each();
    command.add_option("--triangles", flags->triangles, "About as many").range(3000, 40000).show_default();
    command.add_option("--motion", flags->motion, "What it does; default none").one_of(motions);
    command.add_seconds("--seconds", flags->seconds, "Of the motion; default 4, or one round where that is longer");
    command.add_option("--fps", flags->frames_per_second, "Keys of the motion per second")
        .range(1.0, 1000.0)
        .show_default();
    command.add_flag("--in-place", flags->in_place, "Walk without getting anywhere");
    command.add_flag("--motions", flags->list, "List the motions with a line each");
    command.add_flag("--quiet", flags->quiet, "Print nothing but errors");
    command.on_run([flags] {
        if (flags->list) {
            list_motions();
            return kDone;
        }
        if (flags->out.empty()) return report_error({"no file named; expected --out FILE.glb or --motions"});
        return write_mannequin(*flags);
    });
}

} // namespace selvage
