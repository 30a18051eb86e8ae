#pragma once

#include <ctime>

namespace selvage {

/// Time that this process has had on processors since the clock was made: what one thread works, whatever else the
/// machine does meanwhile.
class ProcessorClock {
public:
    double ms() const { return 1000.0 * static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

private:
    std::clock_t start_ = std::clock();
};

} // namespace selvage
