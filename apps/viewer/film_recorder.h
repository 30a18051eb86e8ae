#pragma once

#include <filesystem>
#include <optional>

#include "drawing/film_writer.h"

namespace selvage {

/// A film of what the window shows, in simulated time: a frame for every 1/30 s of it, however long drawing takes.
/// Pictures must keep the size of the first one; others are left out.
class FilmRecorder {
public:
    explicit FilmRecorder(std::filesystem::path path) : path_(std::move(path)) {}
    /// `time` is simulated [s]. Fails where ffmpeg does.
    Status add(const Image8& image, double time);
    /// Completes the file. Fails when no picture was added.
    Status finish();
    int frame_count() const { return frames_; }

private:
    static constexpr double kRate = 30.0; // [1/s]
    std::filesystem::path path_;
    std::optional<FilmWriter> film_;
    int width_ = 0, height_ = 0, frames_ = 0;
    double last_ = 0.0, owed_ = 0.0; // [s], [frames]
};

} // namespace selvage
