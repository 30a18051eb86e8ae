#include "base/thread_pool.h"

#include <algorithm>

namespace selvage {

namespace {

// A step is a row of short loops; sleeping between them would cost more than the loops. About 20 to 50 microseconds.
constexpr int kSpins = 4000;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

} // namespace

ThreadPool::ThreadPool(int thread_count) {
    if (thread_count <= 0) thread_count = static_cast<int>(std::thread::hardware_concurrency());
    thread_count = std::clamp(thread_count, 1, kMaxThreads);
    workers_.reserve(static_cast<std::size_t>(thread_count - 1));
    for (int i = 1; i < thread_count; ++i)
        workers_.emplace_back([this] { worker_main(); });
}

ThreadPool::~ThreadPool() {
    stopping_ = true;
    generation_.fetch_add(1);
    generation_.notify_all();
    for (std::thread& worker : workers_)
        worker.join();
}

void ThreadPool::run(const Loop& loop) {
    if (loop.count <= 0) return;
    if (workers_.empty() || loop.count <= loop.grain) {
        // Same chunks as with helpers, so that partial sums are formed alike.
        for (int begin = 0; begin < loop.count; begin += loop.grain)
            loop.call(loop.context, begin, std::min(loop.count, begin + loop.grain));
        return;
    }
    loop_ = loop;
    next_chunk_.store(0, std::memory_order_relaxed);
    busy_workers_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();

    work_on(loop);

    // Every worker reports, even one that woke too late to get a chunk: loop_ may be overwritten after this.
    for (int spin = 0; spin < kSpins; ++spin) {
        if (busy_workers_.load(std::memory_order_acquire) == 0) return;
        pause_briefly();
    }
    for (int busy = busy_workers_.load(std::memory_order_acquire); busy != 0;
         busy = busy_workers_.load(std::memory_order_acquire))
        busy_workers_.wait(busy, std::memory_order_acquire);
}

void ThreadPool::work_on(const Loop& loop) {
    const int chunk_count = (loop.count + loop.grain - 1) / loop.grain;
    for (int chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed); chunk < chunk_count;
         chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed)) {
        const int begin = chunk * loop.grain;
        loop.call(loop.context, begin, std::min(loop.count, begin + loop.grain));
    }
}

void ThreadPool::worker_main() {
    std::uint32_t seen = 0;
    while (true) {
        for (int spin = 0; spin < kSpins && generation_.load(std::memory_order_acquire) == seen; ++spin)
            pause_briefly();
        generation_.wait(seen, std::memory_order_acquire);
        seen = generation_.load(std::memory_order_acquire);
        if (stopping_) return;
        work_on(loop_);
        if (busy_workers_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_workers_.notify_one();
    }
}

} // namespace selvage
