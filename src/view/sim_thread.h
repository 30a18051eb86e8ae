#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "view/session.h"

namespace selvage {

/// How much simulated time passes per second, over the last second.
class SpeedMeter {
public:
    using Clock = std::chrono::steady_clock;
    void add(double simulated, Clock::time_point now);
    void clear() { frames_.clear(); }
    double factor(Clock::time_point now) const; ///< Simulated seconds per second.
    double frames(Clock::time_point now) const; ///< Per second.

private:
    struct Frame {
        Clock::time_point when;
        double simulated;
    };
    double span(Clock::time_point now) const;
    std::deque<Frame> frames_;
};

/// Runs a session on a thread of its own, so that drawing and simulating overlap. Frames are of fixed length and start
/// when the clock says so; when they take longer, time slows down and nothing else changes. Commands run between
/// frames.
class SimThread {
public:
    using Command = std::function<void(Session&)>;
    explicit SimThread(std::unique_ptr<Session> session);
    ~SimThread();
    SimThread(const SimThread&) = delete;
    SimThread& operator=(const SimThread&) = delete;

    void post(Command command);
    void post_input(Command command); ///< For moves of the mouse: snapshots say how far they have followed.
    std::shared_ptr<const Snapshot> snapshot() const;       ///< The latest.
    std::uint64_t number() const { return number_.load(); } ///< Of the latest.
    void wait(); ///< Until all commands posted so far have run and been shown.

private:
    void main();
    bool run_commands(std::unique_lock<std::mutex>& lock);
    void publish();

    std::unique_ptr<Session> session_; // the thread's alone
    SpeedMeter speed_meter_;
    SpeedMeter::Clock::time_point input_ran_{},
        input_stepped_{}; // of the last input that has run; that a frame has followed
    mutable std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::deque<Command> commands_;
    std::uint64_t posted_ = 0, ran_ = 0;
    bool stopping_ = false;
    std::shared_ptr<const Snapshot> snapshot_;
    std::atomic<std::uint64_t> number_{0};
    std::thread thread_;
};

} // namespace selvage
