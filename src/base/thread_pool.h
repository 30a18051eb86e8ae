#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace selvage {

/// For ThreadPool::sum, which is any associative reduction: "adding" keeps the larger one. Never below zero.
struct Largest {
    double value = 0.0;
    Largest& operator+=(const Largest& other) {
        value = value < other.value ? other.value : value;
        return *this;
    }
};

/// A job system of the program around us: runs task(context, i) once for every i in [0, count), on any threads, and returns
/// when all are done.
struct JobSystem {
    void (*parallel_for)(void* user, int count, void (*task)(void* context, int index), void* context) = nullptr;
    void* user = nullptr;
};

/// A fixed set of threads for loops over arrays. Work is cut into chunks whose bounds depend only on the range and
/// the grain, never on the number of threads, so a loop whose chunks are independent gives the same bits on any
/// machine. One loop at a time, started by one thread; a loop started from inside another runs on the thread that starts
/// it. Starting a loop allocates nothing. What a body throws (memory that runs out) reaches the caller once no thread is
/// inside the loop any more; chunks that nobody has begun are left out then.
class ThreadPool {
public:
    static constexpr int kMaxThreads = 256;

    /// thread_count includes the caller; 0 means one per hardware thread. Clamped to [1, kMaxThreads].
    explicit ThreadPool(int thread_count = 0);
    /// Has no threads of its own: loops are made into up to `task_count` tasks for `jobs`.
    ThreadPool(const JobSystem& jobs, int task_count);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int thread_count() const { return thread_count_; }
    /// Inside a loop: which of its threads this is, below thread_count(). For memory that a body needs for itself.
    static int this_thread();

    /// Calls body(begin, end) for consecutive chunks of [0, count), each `grain` long but the last.
    template <class Body>
    void for_chunks(int count, int grain, const Body& body) {
        const Loop loop{
            [](const void* context, int begin, int end) { (*static_cast<const Body*>(context))(begin, end); }, &body,
            count, grain};
        run(loop);
    }

    /// Calls body(i) for every i in [0, count).
    template <class Body>
    void for_each(int count, const Body& body) {
        for_chunks(count, kGrain, [&body](int begin, int end) {
            for (int i = begin; i < end; ++i)
                body(i);
        });
    }

    /// Sum of what body(begin, end) returns for chunks of [0, count), added up in an order that depends on `count` alone.
    template <class T, class Body>
    T sum_chunks(int count, const Body& body) {
        static_assert(std::is_trivially_copyable_v<T>);
        // At most kSumChunks partial sums, so that they fit on the stack whatever the count.
        const int grain = std::max(kLeastSumGrain, count / kSumChunks + 1);
        std::array<T, kSumChunks> partial;
        for_chunks(count, grain,
                   [&](int begin, int end) { partial[static_cast<std::size_t>(begin / grain)] = body(begin, end); });
        T total{};
        const int chunk_count = (count + grain - 1) / grain;
        for (int chunk = 0; chunk < chunk_count; ++chunk)
            total += partial[static_cast<std::size_t>(chunk)];
        return total;
    }

    /// Sum of term(i), of type T, added up in an order that depends on `count` alone. Each i is visited once, so a term
    /// may write what belongs to i.
    template <class T, class Term>
    T sum(int count, const Term& term) {
        return sum_chunks<T>(count, [&](int begin, int end) {
            T total{};
            for (int i = begin; i < end; ++i)
                total += term(i);
            return total;
        });
    }

private:
    static constexpr int kGrain = 512; // a few microseconds of per-vertex work: enough to hide the hand-over
    static constexpr int kSumChunks = 256;
    static constexpr int kLeastSumGrain = 256; // shorter ones cost more to hand out than to add

    struct Loop {
        void (*call)(const void* context, int begin, int end) = nullptr;
        const void* context = nullptr;
        int count = 0;
        int grain = 1;
    };

    /// The chunks that one thread does first: the same ones in loops of the same count, so that what they touch is still
    /// in its caches. A thread that is done takes what is left of the others'.
    struct alignas(64) Part {
        std::atomic<int> next{0};
        int end = 0;
    };

    void run(const Loop& loop);
    void deal(const Loop& loop);
    void work_on(const Loop& loop, int thread);
    void do_chunks(const Loop& loop, int thread);
    void hand_to_jobs(const Loop& loop);
    void wait_for_workers();
    void give_up();
    void tell_failure();
    bool enter(std::uint32_t number);
    void worker_main(int thread);

    // One word says which loop is on, whether it may be joined, and how many workers are inside. A worker that wakes
    // late (the machine is busy) finds the loop closed, so the caller waits only for chunks that were really started.
    //   bits 63..32 loop number | bit 31 open | bits 30..0 workers inside
    static constexpr std::uint64_t kOpen = std::uint64_t{1} << 31;
    static constexpr std::uint64_t kInside = kOpen - 1;
    static std::uint32_t loop_number(std::uint64_t state) { return static_cast<std::uint32_t>(state >> 32); }

    int thread_count_ = 1;
    JobSystem jobs_;
    std::vector<std::thread> workers_;
    Loop loop_;                     // written while no worker is inside and none can enter
    std::vector<Part> parts_;       // one for each thread
    std::atomic<int> next_task_{0}; // of the host's jobs: which thread they stand for
    std::atomic<std::uint64_t> state_{0};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_; // the first one of a loop; read when no worker is inside
};

} // namespace selvage
