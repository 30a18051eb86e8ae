#include "command_line.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/concat.h"
#include "base/suggest.h"
#include "cli.h"
#include "scene/json_text.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

std::string expected_one_of(const std::vector<std::string>& names, const std::string& text) {
    const std::string nearest = nearest_word(text, names);
    return concat("expected one of: ", join(names), nearest.empty() ? "" : concat("; did you mean \"", nearest, "\"?"));
}

/// What was typed and belongs to nothing, with the nearest flag of the command it was typed for.
Error unexpected(const CLI::App& app) {
    const std::vector<CLI::App*> typed = app.get_subcommands();
    const CLI::App& command = typed.empty() ? app : *typed.front();
    const std::vector<std::string> rest = app.remaining(true);
    const std::string word = rest.empty() ? "" : rest.front().substr(0, rest.front().find('='));
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            flags.push_back("--" + name);
    const std::string nearest = nearest_word(word, flags);
    return {concat(word.starts_with('-') ? "unknown flag \"" : "found \"", word,
                   nearest.empty() ? concat("\"; expected ", typed.empty() ? "a command" : "no more than the flags of ",
                                            typed.empty() ? "" : command.get_name())
                                   : concat("\"; did you mean \"", nearest, "\"?"),
                   "; see --help")};
}

} // namespace

Option& Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::one_of(const std::vector<std::string>& names) {
    option_->check(CLI::Validator(
        [names](const std::string& text) -> std::string {
            if (std::find(names.begin(), names.end(), text) != names.end()) return "";
            return concat("found \"", text, "\"; ", expected_one_of(names, text));
        },
        "{" + join(names, ",") + "}"));
    return *this;
}

Option& Option::range(int lowest, int highest) {
    option_->check(CLI::Range(lowest, highest));
    return *this;
}

Option& Option::range(double lowest, double highest) {
    option_->check(CLI::Range(lowest, highest));
    return *this;
}

Option& Option::show_default() {
    option_->capture_default_str();
    return *this;
}

Option& Option::one_value_each() {
    option_->allow_extra_args(false);
    return *this;
}

Option Command::add_option(const std::string& name, std::string& value, const std::string& help) {
    return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::vector<std::string>& values, const std::string& help) {
    return Option(app_->add_option(name, values, help));
}

Option Command::add_option(const std::string& name, int& value, const std::string& help) {
    return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, double& value, const std::string& help) {
    return Option(app_->add_option(name, value, help));
}

Option Command::add_seconds(const std::string& name, double& value, const std::string& help) {
    const auto read = [&value, name](const std::string& text) {
        const std::optional<double> parsed = parse_fraction(text);
        // The ends of the range keep every count of steps within an integer.
        if (!parsed || !(*parsed >= 1e-9 && *parsed <= 1e6))
            throw CLI::ValidationError(
                name, concat("found \"", text, "\"; expected a time from 1e-9 to 1e6 seconds, such as 0.01 or 1/150"));
        value = *parsed;
    };
    return Option(app_->add_option_function<std::string>(name, read, help)).type_name("SECONDS");
}

void Command::add_flag(const std::string& name, bool& value, const std::string& help) {
    app_->add_flag(name, value, help);
}

void Command::on_run(std::function<int()> run) {
    app_->callback([run = std::move(run), code = exit_code_] { *code = run(); });
}

CommandLine::CommandLine(const std::string& name, const std::string& version, const std::string& what,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(what)) {
    app_->name(name);
    app_->require_subcommand(1);
    app_->set_version_flag("--version", version);
    app_->get_formatter()->column_width(36);
    app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& what) {
    return {app_->add_subcommand(name, what), &exit_code_};
}

int CommandLine::run(int argc, char** argv) {
    std::vector<std::string> names;
    for (const CLI::App* command : app_->get_subcommands({}))
        names.push_back(command->get_name());
    // The parser alone would only say that a command is required.
    if (argc > 1)
        if (const std::string name = argv[1];
            !name.starts_with('-') && std::find(names.begin(), names.end(), name) == names.end())
            return report_error({concat("unknown command \"", name, "\"; ", expected_one_of(names, name))});
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // Help and version are "errors" with code 0; every real one is wrong usage.
        if (error.get_exit_code() == 0) return app_->exit(error);
        if (dynamic_cast<const CLI::ExtrasError*>(&error)) return report_error(unexpected(*app_));
        return report_error({concat(error.what(), "; see --help")});
    }
    return exit_code_;
}

} // namespace selvage
