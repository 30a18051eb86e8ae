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
    // ffmpeg chooses the format by the extension, and takes a leading dash for a flag.
    std::filesystem::path temporary = std::filesystem::absolute(path);
    temporary.replace_extension(concat(".", getpid(), ".part", extension));
    std::string codec = "-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p -movflags +faststart";
    if (extension == ".webm") codec = "-c:v libvpx-vp9 -deadline realtime -cpu-used 6 -crf 30 -b:v 0 -pix_fmt yuv420p";
    if (extension == ".gif") codec = "-vf \"split[a][b];[a]palettegen[p];[b][p]paletteuse\"";
    const std::string command = concat(
        "ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgb24 -s ", width, "x", height, " -r ", fps, " -i - ",
        // codecs with halved colour need even sizes
        extension == ".gif" ? "" : "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' ", codec, " ", quoted(temporary.string()));
    std::signal(SIGPIPE, SIG_IGN); // a dying ffmpeg shows as a failed write
    FilmWriter film(path, temporary, popen(command.c_str(), "w"));
    if (!film.pipe_) return film.failed();
    return film;
}

FilmWriter::FilmWriter(std::filesystem::path path, std::filesystem::path temporary, std::FILE* pipe)
    : path_(std::move(path)), temporary_(std::move(temporary)), pipe_(pipe) {}

FilmWriter::FilmWriter(FilmWriter&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})),
      pipe_(std::exchange(other.pipe_, nullptr)) {}

FilmWriter::~FilmWriter() {
    if (pipe_) pclose(pipe_);
    std::error_code ignored;
    if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

Status FilmWriter::add(const Image8& frame) {
    if (!pipe_ || std::fwrite(frame.rgb.data(), 1, frame.rgb.size(), pipe_) != frame.rgb.size()) return failed();
    return Done{};
}

Status FilmWriter::finish() {
    std::FILE* pipe = std::exchange(pipe_, nullptr);
    if (!pipe || pclose(pipe) != 0) return failed();
    std::error_code code;
    std::filesystem::rename(temporary_, path_, code);
    if (code) return Error{concat("cannot write: ", code.message()), path_.string(), ErrorKind::io};
    return Done{};
}

Error FilmWriter::failed() const {
    return {"ffmpeg stopped before the film was whole (its own message is above); nothing was written. Expected room "
            "on the "
            "disk and a folder it may write to",
            path_.string(), ErrorKind::io};
}

} // namespace selvage
