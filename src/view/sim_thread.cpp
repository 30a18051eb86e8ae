#include "view/sim_thread.h"

#include <algorithm>

namespace selvage {

namespace {
constexpr double kSpan = 1.0; // [s] over which the speed is measured
}

void SpeedMeter::add(double simulated, Clock::time_point now) {
    frames_.push_back({now, simulated});
    while (now - frames_.front().when > std::chrono::duration<double>(kSpan))
        frames_.pop_front();
}

/// From the first frame counted until now; that frame's own time lies before it.
double SpeedMeter::span(Clock::time_point now) const {
    return frames_.size() < 2 ? 0.0 : std::chrono::duration<double>(now - frames_.front().when).count();
}

double SpeedMeter::factor(Clock::time_point now) const {
    const double seconds = span(now);
    if (!(seconds > 0.0)) return 0.0;
    double simulated = 0.0;
    for (std::size_t i = 1; i < frames_.size(); ++i)
        simulated += frames_[i].simulated;
    return simulated / seconds;
}

double SpeedMeter::frames(Clock::time_point now) const {
    const double seconds = span(now);
    return seconds > 0.0 ? static_cast<double>(frames_.size() - 1) / seconds : 0.0;
}

SimThread::SimThread(std::unique_ptr<Session> session) : session_(std::move(session)) {
    publish();
    thread_ = std::thread([this] { main(); });
}

SimThread::~SimThread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void SimThread::post(Command command) {
    {
        const std::lock_guard lock(mutex_);
        commands_.push_back(std::move(command));
        ++posted_;
    }
    wake_.notify_one();
}

void SimThread::post_input(Command command) {
    post([this, when = SpeedMeter::Clock::now(), command = std::move(command)](Session& session) {
        command(session);
        input_ran_ = when;
    });
}

std::shared_ptr<const Snapshot> SimThread::snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
}

void SimThread::wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t until = posted_;
    done_.wait(lock, [&] { return ran_ >= until; });
}

void SimThread::publish() {
    const auto now = SpeedMeter::Clock::now();
    std::shared_ptr<Snapshot> made = session_->snapshot(speed_meter_.factor(now), speed_meter_.frames(now));
    made->input_at = input_stepped_;
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(made);
    number_ = snapshot_->number;
}

/// All that have been posted, and a snapshot of what came of them.
bool SimThread::run_commands(std::unique_lock<std::mutex>& lock) {
    if (commands_.empty()) return false;
    std::deque<Command> commands;
    std::swap(commands, commands_);
    lock.unlock();
    for (const Command& command : commands)
        command(*session_);
    publish();
    lock.lock();
    ran_ += commands.size();
    done_.notify_all();
    return true;
}

void SimThread::main() {
    using Clock = SpeedMeter::Clock;
    Clock::time_point due = Clock::now();
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        run_commands(lock);
        if (!session_->is_playing()) {
            speed_meter_.clear();
            wake_.wait(lock, [&] { return stopping_ || !commands_.empty(); });
            due = Clock::now();
            continue;
        }
        if (Clock::now() < due) {
            wake_.wait_until(lock, due, [&] { return stopping_ || !commands_.empty(); });
            continue; // commands first: the mouse's last place should count for the frame
        }
        lock.unlock();
        session_->advance();
        input_stepped_ = input_ran_;
        const auto now = Clock::now();
        speed_meter_.add(session_->frame_seconds(), now);
        publish();
        lock.lock();
        const auto frame = std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(session_->frame_seconds() / session_->speed()));
        // Two frames of delay are made up for; beyond that simulated time falls behind, and the user sees by how much.
        due = std::max(due + frame, now - 2 * frame);
    }
}

} // namespace selvage
