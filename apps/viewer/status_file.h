#pragma once

#include <chrono>
#include <filesystem>

namespace selvage {

class ViewerState;

/// Writes a JSON file about what the window shows, for scripts that drive it. Readers never see half a file.
class StatusFile {
public:
    explicit StatusFile(std::filesystem::path path) : path_(std::move(path)) {}
    /// Writes when something may have changed, at most twenty times a second.
    void update(const ViewerState& state);

private:
    std::filesystem::path path_; // empty: none
    std::chrono::steady_clock::time_point last_{};
};

} // namespace selvage
