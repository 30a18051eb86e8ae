#include "drawing/film_writer.h"

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <unistd.h>

#include "base/atomic_file.h"
#include "base/concat.h"

namespace selvage {

namespace {

bool is_in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    std::string folder;
    while (std::getline(folders, folder, ':'))
        if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
    return false;
}

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

} // namespace

Result<FilmWriter> FilmWriter::make(const std::filesystem::path& path, int width, int height, double fps) {
    if (!is_in_path("ffmpeg"))
        return Error{
            "found no ffmpeg in PATH; expected it for films (Debian: apt-get install ffmpeg). Pictures (.png) need "
            "none",
            path.string(), ErrorKind::work};
    const std::string extension = lower_extension(path);
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    // Absolute, because ffmpeg takes a leading dash for a flag.
    const std::string place = std::filesystem::absolute(file->place()).string();
    std::string codec = "-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p -movflags +faststart";
    if (extension == ".webm") codec = "-c:v libvpx-vp9 -deadline realtime -cpu-used 6 -crf 30 -b:v 0 -pix_fmt yuv420p";
    if (extension == ".gif") codec = "-vf \"split[a][b];[a]palettegen[p];[b][p]paletteuse\"";
    const std::string command =
        concat("ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgb24 -s ", width, "x", height, " -r ", fps, " -i - ",
               // codecs with halved colour need even sizes
               extension == ".gif" ? "" : "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' ", codec, " -f ", extension.substr(1),
               " ", quoted(place));
    std::signal(SIGPIPE, SIG_IGN); // a dying ffmpeg shows as a failed write
    FilmWriter film(path, std::move(*file), popen(command.c_str(), "w"));
    if (!film.pipe_) return film.failed();
    return film;
}

FilmWriter::FilmWriter(std::filesystem::path path, AtomicFile file, std::FILE* pipe)
    : path_(std::move(path)), file_(std::move(file)), pipe_(pipe) {}

FilmWriter::FilmWriter(FilmWriter&& other) noexcept
    : path_(std::move(other.path_)), file_(std::move(other.file_)), pipe_(std::exchange(other.pipe_, nullptr)) {}

FilmWriter::~FilmWriter() {
    if (pipe_) pclose(pipe_);
}

Status FilmWriter::add(const Image8& frame) {
    if (!pipe_ || std::fwrite(frame.rgb.data(), 1, frame.rgb.size(), pipe_) != frame.rgb.size()) return failed();
    return Done{};
}

Status FilmWriter::finish() {
    std::FILE* pipe = std::exchange(pipe_, nullptr);
    if (!pipe || pclose(pipe) != 0) return failed();
    return file_.commit();
}

Error FilmWriter::failed() const {
    return {"ffmpeg stopped before the film was whole (its own message is above); nothing was written. Expected room "
            "on the "
            "disk and a folder it may write to",
            path_.string(), ErrorKind::io};
}

} // namespace selvage
