#include "base/thread_pool.h"

#include <algorithm>
#include <utility>

#include "base/float_environment.h"
#include "base/processor.h"

namespace selvage {

namespace {

// A step is a row of short loops; sleeping between them would cost more than the loops.
constexpr int kSpins = kLooksBeforeSleep;

// Whether this thread is inside a loop: a loop in it then runs here, since the others are busy with the outer one.
thread_local bool inside_loop = false;
thread_local int thread_of_loop = 0;

/// Which of the innermost loop's threads this one is, as long as it lives.
class AsThread {
public:
    explicit AsThread(int thread) : outer_(std::exchange(thread_of_loop, thread)) {}
    ~AsThread() { thread_of_loop = outer_; }
    AsThread(const AsThread&) = delete;
    AsThread& operator=(const AsThread&) = delete;

private:
    int outer_;
};

int usual_count(int wanted) {
    if (wanted <= 0) wanted = static_cast<int>(std::thread::hardware_concurrency());
    return std::clamp(wanted, 1, ThreadPool::kMaxThreads);
}

} // namespace

ThreadPool::ThreadPool(int thread_count)
    : thread_count_(usual_count(thread_count)), parts_(static_cast<std::size_t>(thread_count_)) {
    workers_.reserve(static_cast<std::size_t>(thread_count_ - 1));
    for (int i = 1; i < thread_count_; ++i)
        workers_.emplace_back([this, i] { worker_main(i); });
}

ThreadPool::ThreadPool(const JobSystem& jobs, int task_count)
    : thread_count_(usual_count(task_count)), jobs_(jobs), parts_(static_cast<std::size_t>(thread_count_)) {}

ThreadPool::~ThreadPool() {
    stopping_ = true;
    state_.fetch_add(std::uint64_t{1} << 32); // a loop nobody may join
    wake_sleepers(state_);
    for (std::thread& worker : workers_)
        worker.join();
}

int ThreadPool::this_thread() {
    return thread_of_loop;
}

void ThreadPool::run(const Loop& loop) {
    if (loop.count <= 0) return;
    if (thread_count_ == 1 || loop.count <= loop.grain || inside_loop) {
        // Same chunks as with helpers, so that partial sums are formed alike.
        const AsThread alone(0);
        for (int begin = 0; begin < loop.count; begin += loop.grain)
            loop.call(loop.context, begin, std::min(loop.count, begin + loop.grain));
        return;
    }
    if (jobs_.parallel_for) return hand_to_jobs(loop);
    loop_ = loop;
    deal(loop);
    const std::uint64_t number = loop_number(state_.load(std::memory_order_relaxed)) + std::uint64_t{1};
    state_.store((number << 32) | kOpen, std::memory_order_release);
    wake_sleepers(state_);
    work_on(loop, 0);
    state_.fetch_and(~kOpen, std::memory_order_acq_rel);
    wait_for_workers();
    tell_failure();
}

void ThreadPool::hand_to_jobs(const Loop& loop) {
    deal(loop);
    next_task_.store(0, std::memory_order_release);
    const int chunk_count = (loop.count + loop.grain - 1) / loop.grain;
    struct Call {
        ThreadPool& pool;
        const Loop& loop;
    } call{*this, loop};
    const auto task = [](void* context, int) {
        const FloatEnvironment plain; // the threads are the host's
        const Call& made = *static_cast<const Call*>(context);
        const int task_number = made.pool.next_task_.fetch_add(1, std::memory_order_acq_rel);
        made.pool.work_on(made.loop, task_number % made.pool.thread_count_);
    };
    jobs_.parallel_for(jobs_.user, std::min(chunk_count, thread_count_), task, &call);
    work_on(loop, 0); // whatever a careless job system has left out
    tell_failure();
}

void ThreadPool::wait_for_workers() {
    for (int spin = 0; spin < kSpins; ++spin) {
        if ((state_.load(std::memory_order_acquire) & kInside) == 0) return;
        pause_briefly();
    }
    for (std::uint64_t state = state_.load(std::memory_order_acquire); (state & kInside) != 0;
         state = state_.load(std::memory_order_acquire))
        sleep_while(state_, state);
}

/// Divides the chunks evenly among the threads.
void ThreadPool::deal(const Loop& loop) {
    const std::int64_t chunk_count = (loop.count + loop.grain - 1) / loop.grain;
    for (int t = 0; t < thread_count_; ++t) {
        parts_[t].next.store(static_cast<int>(chunk_count * t / thread_count_), std::memory_order_relaxed);
        parts_[t].end = static_cast<int>(chunk_count * (t + 1) / thread_count_);
    }
}

void ThreadPool::work_on(const Loop& loop, int thread) {
    inside_loop = true;
    const AsThread one_of_many(thread);
    try {
        do_chunks(loop, thread);
    } catch (...) {
        give_up();
    }
    inside_loop = false;
}

void ThreadPool::do_chunks(const Loop& loop, int thread) {
    for (int k = 0; k < thread_count_; ++k) {
        Part& part = parts_[(thread + k) % thread_count_];
        if (part.next.load(std::memory_order_relaxed) >= part.end) continue;
        for (int chunk = part.next.fetch_add(1, std::memory_order_relaxed); chunk < part.end;
             chunk = part.next.fetch_add(1, std::memory_order_relaxed)) {
            const int begin = chunk * loop.grain;
            loop.call(loop.context, begin, std::min(loop.count, begin + loop.grain));
        }
    }
}

/// Keeps what is being thrown, if it is the first, and lets nobody begin another chunk.
void ThreadPool::give_up() {
    if (!failed_.exchange(true, std::memory_order_acq_rel)) failure_ = std::current_exception();
    for (Part& part : parts_)
        part.next.store(part.end, std::memory_order_relaxed);
}

/// On the caller's thread, when no worker is inside: throws what one of them has thrown.
void ThreadPool::tell_failure() {
    if (!failed_.load(std::memory_order_acquire)) return;
    failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Counts the calling worker into the loop of that number, unless it is over.
bool ThreadPool::enter(std::uint32_t number) {
    std::uint64_t state = state_.load(std::memory_order_acquire);
    while (loop_number(state) == number && (state & kOpen) != 0)
        if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) return true;
    return false;
}

void ThreadPool::worker_main(int thread) {
    const FloatEnvironment plain; // what a new thread starts with is the host's business
    std::uint32_t seen = 0;
    while (true) {
        std::uint64_t state = state_.load(std::memory_order_acquire);
        for (int spin = 0; spin < kSpins && loop_number(state) == seen; ++spin) {
            pause_briefly();
            state = state_.load(std::memory_order_acquire);
        }
        while (loop_number(state) == seen) {
            sleep_while(state_, state);
            state = state_.load(std::memory_order_acquire);
        }
        if (stopping_) return;
        seen = loop_number(state);
        if (!enter(seen)) continue;
        work_on(loop_, thread);
        if ((state_.fetch_sub(1, std::memory_order_acq_rel) & kInside) == 1) wake_sleepers(state_);
    }
}

} // namespace selvage
