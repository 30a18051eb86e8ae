#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI { // seen by one file alone: its headers cost seconds in every file that includes them
class App;
class Option;
} // namespace CLI

namespace selvage {

/// One flag or positional argument of a command.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option& type_name(const std::string& name); ///< What the help calls the value.
    Option& required();
    Option& one_of(const std::vector<std::string>& names); ///< Suggests the nearest otherwise.
    Option& range(int lowest, int highest);
    Option& range(double lowest, double highest);
    Option& show_default();
    Option& one_value_each(); ///< Takes one word each time it is given, not all that follow.

private:
    CLI::Option* option_;
};

/// One command. The variables behind its options must live as long as it does.
class Command {
public:
    Command(CLI::App* app, int* exit_code) : app_(app), exit_code_(exit_code) {}
    Option add_option(const std::string& name, std::string& value, const std::string& help);
    Option add_option(const std::string& name, std::vector<std::string>& values, const std::string& help);
    Option add_option(const std::string& name, int& value, const std::string& help);
    Option add_option(const std::string& name, double& value, const std::string& help);
    /// Takes seconds, "0.01" or "1/150"; must be positive.
    Option add_seconds(const std::string& name, double& value, const std::string& help);
    void add_flag(const std::string& name, bool& value, const std::string& help);
    /// What the command does; gives the exit code.
    void on_run(std::function<int()> run);

private:
    CLI::App* app_;
    int* exit_code_;
};

/// The program's commands and what was typed.
class CommandLine {
public:
    CommandLine(const std::string& name, const std::string& version, const std::string& what,
                const std::string& footer);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    Command add_command(const std::string& name, const std::string& what);
    /// Runs the command that was typed; gives its exit code, or that of wrong usage.
    int run(int argc, char** argv);

private:
    std::unique_ptr<CLI::App> app_;
    int exit_code_ = 0;
};

} // namespace selvage
