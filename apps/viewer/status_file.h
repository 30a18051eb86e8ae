#pragma once

#include <chrono>
#include <filesystem>

namespace selvage {

class ViewerState;

/// Keeps a JSON file about what the window shows: for scripts that drive it. Always whole.
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
