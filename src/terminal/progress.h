#pragma once

#include <string>

#include "base/stopwatch.h"

namespace selvage {

/// Time left of long work, on stderr: a bar on a terminal, a line now and then elsewhere. Silent for two seconds.
class Progress {
public:
    Progress(std::string what, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void update(double fraction); ///< Done so far, 0 to 1.

private:
    std::string what_;
    bool quiet_, terminal_;
    Stopwatch clock_;
    double last_shown_ = 0.0;
    bool shown_ = false;
};

} // namespace selvage
