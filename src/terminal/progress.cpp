#include "terminal/progress.h"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace selvage {

Progress::Progress(std::string what, bool quiet)
    : what_(std::move(what)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::update(double fraction) {
    constexpr double kSilent = 2.0, kBarEvery = 0.1, kLineEvery = 10.0; // [s]
    const double now = clock_.seconds();
    if (quiet_ || now < kSilent || now - last_shown_ < (terminal_ ? kBarEvery : kLineEvery) || !(fraction > 0.0))
        return;
    last_shown_ = now;
    shown_ = true;
    const double left = now * (1.0 - fraction) / fraction;
    if (!terminal_) {
        std::fprintf(stderr, "%s: %.0f %%, about %.0f s left\n", what_.c_str(), 100.0 * fraction, left);
        return;
    }
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kWidth);
    std::fprintf(stderr, "\r%s [%s%s] %3.0f %%, %.0f s left \033[K", what_.c_str(), std::string(filled, '#').c_str(),
                 std::string(kWidth - filled, '.').c_str(), 100.0 * fraction, left);
    std::fflush(stderr);
}

Progress::~Progress() {
    if (shown_ && terminal_) std::fprintf(stderr, "\r\033[K");
}

} // namespace selvage
