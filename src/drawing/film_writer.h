#pragma once

#include <cstdio>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/result.h"
#include "render/image.h"

namespace selvage {

/// A film from frames: raw pixels into ffmpeg, which writes beside the final name; finish() moves the film there.
/// Destroyed without it, nothing is left.
class FilmWriter {
public:
    /// .mp4, .webm or .gif. Fails where there is no ffmpeg.
    static Result<FilmWriter> make(const std::filesystem::path& path, int width, int height, double fps);
    FilmWriter(FilmWriter&& other) noexcept;
    FilmWriter& operator=(FilmWriter&&) = delete;
    ~FilmWriter();

    Status add(const Image8& frame);
    Status finish();

private:
    FilmWriter(std::filesystem::path path, AtomicFile file, std::FILE* pipe);
    Error failed() const;

    std::filesystem::path path_;
    AtomicFile file_; // what ffmpeg writes to
    std::FILE* pipe_ = nullptr;
};

} // namespace selvage
