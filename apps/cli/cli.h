#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "command_line.h"
#include "sim/device.h"
#include "sim/simulation.h"
#include "terminal/progress.h"

namespace selvage {

inline constexpr int kDone = 0, kWorkFailed = 1, kBadInput = 2;

/// Prints the error to stderr and gives the exit code that belongs to it.
int report_error(const Error& error);
/// Places that cannot be written should be known before the work, not after it. An empty path is fine.
Status check_writable(const std::string& path);
void print_warnings(const std::vector<std::string>& warnings);

/// Lets long work end at the next frame with its files whole or gone, instead of in the middle.
void stop_on_signals();
bool interrupted();

/// --device: where a simulation is stepped.
void add_device_option(Command& command, std::string& device);
/// The same for who moves simulations there; described where it may be used.
Device device_of_option(const std::string& device);
/// Moves a simulation to that device. "auto" takes the CPU where "cuda" would fail, and says why.
Status use_device(Simulation& sim, const std::string& device, bool quiet);

/// Flags that choose and change a scene; shared by several commands.
struct SceneFlags {
    std::string scene, solver;
    double dt = 0.0, seconds = 0.0; ///< 0: as in the scene.
    std::vector<std::string> overrides;
    int threads = 0;
    bool quiet = false;

    void add_to(Command& command, bool with_time);
    /// The scene's overrides in the order in which they apply: step and solver first, --set last.
    std::vector<std::string> all_overrides() const;
};

/// Dresses the characters of a loaded scene in its garments, with a progress display, and prints warnings.
Status dress_loaded(SceneDesc& scene, const SceneFlags& flags);

/// Each adds one command.
void add_scenes_command(CommandLine& line);
void add_run_command(CommandLine& line);
void add_render_command(CommandLine& line);
void add_view_command(CommandLine& line);
void add_sweep_command(CommandLine& line);
void add_compare_command(CommandLine& line);
void add_paper_command(CommandLine& line);
void add_validate_command(CommandLine& line);
void add_bench_command(CommandLine& line);
void add_fabric_command(CommandLine& line);
void add_untangle_command(CommandLine& line);
void add_dress_command(CommandLine& line);
void add_mannequin_command(CommandLine& line);
void add_info_command(CommandLine& line);

} // namespace selvage
