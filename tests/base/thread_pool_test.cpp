#include "base/thread_pool.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(ThreadPool, VisitsEveryIndexOnceOnAnyNumberOfThreads) {
    for (const int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        ASSERT_EQ(pool.thread_count(), threads);
        for (const int count : {0, 1, 511, 512, 513, 10000}) {
            std::vector<int> visits(count, 0);
            pool.for_each(count, [&](int i) { ++visits[i]; });
            for (const int v : visits)
                ASSERT_EQ(v, 1);
        }
    }
}

TEST(ThreadPool, AddsUpInAnOrderThatDoesNotDependOnTheThreads) {
    // Terms of very different size: any other order rounds differently.
    const auto term = [](int i) { return std::sin(i * 12.9898) * std::pow(10.0, i % 17 - 8); };
    for (const int count : {1, 255, 256, 257, 1000, 100000}) {
        ThreadPool one(1);
        const double expected = one.sum<double>(count, term);
        for (const int threads : {2, 5, 8}) {
            ThreadPool pool(threads);
            EXPECT_EQ(pool.sum<double>(count, term), expected) << count << " terms, " << threads << " threads";
        }
    }
}

TEST(ThreadPool, SumsWholeNumbersExactly) {
    ThreadPool pool(4);
    // n (n - 1) / 2
    EXPECT_EQ(pool.sum<long long>(100000, [](int i) { return static_cast<long long>(i); }), 4999950000LL);
}

TEST(ThreadPool, SurvivesManyShortLoopsInARow) {
    ThreadPool pool(4);
    std::vector<int> counter(2000, 0);
    for (int round = 0; round < 5000; ++round)
        pool.for_chunks(2000, 100, [&](int begin, int end) {
            for (int i = begin; i < end; ++i)
                ++counter[i];
        });
    for (const int c : counter)
        ASSERT_EQ(c, 5000);
}

TEST(ThreadPool, SleepingWorkersWakeForTheNextLoop) {
    ThreadPool pool(3);
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // longer than they spin
        EXPECT_EQ(pool.sum<int>(5000, [](int) { return 1; }), 5000);
    }
}

TEST(ThreadPool, ThrowsToItsCallerWhatAnyThreadThrowsAndGoesOn) {
    ThreadPool pool(4);
    for (int thrower = 0; thrower < 200; thrower += 7) {
        std::atomic<int> inside{0};
        const auto body = [&](int begin, int) {
            ++inside;
            if (begin == thrower) {
                --inside;
                throw std::bad_alloc();
            }
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            --inside;
        };
        EXPECT_THROW(pool.for_chunks(200, 1, body), std::bad_alloc) << thrower;
        EXPECT_EQ(inside, 0) << "a thread is still in a loop that is over";
        EXPECT_EQ(pool.sum<int>(5000, [](int) { return 1; }), 5000);
    }
    // All of it as before: two chunks that wait for each other need two threads.
    std::atomic<int> begun{0};
    pool.for_chunks(2, 1, [&](int, int) {
        ++begun;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (begun < 2 && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
        EXPECT_EQ(begun, 2);
    });
}

TEST(ThreadPool, ThrowsToItsCallerWhatTheJobsOfTheHostThrow) {
    const JobSystem jobs{[](void*, int count, void (*task)(void*, int), void* context) {
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i)
            threads.emplace_back(task, context, i);
        for (std::thread& thread : threads)
            thread.join();
    }};
    ThreadPool pool(jobs, 3);
    EXPECT_THROW(pool.for_chunks(100, 1,
                                 [](int begin, int) {
                                     if (begin == 40) throw std::bad_alloc();
                                 }),
                 std::bad_alloc);
    EXPECT_EQ(pool.sum<int>(5000, [](int) { return 1; }), 5000);
}

TEST(ThreadPool, TellsBodiesWhichOfItsThreadsTheyAreOn) {
    ThreadPool pool(4), other(3);
    std::array<std::atomic<bool>, 4> busy{};
    std::atomic<int> wrong{0};
    for (int k = 0; k < 200; ++k)
        pool.for_chunks(64, 1, [&](int, int) {
            const int thread = ThreadPool::this_thread();
            if (thread < 0 || thread >= 4 || busy[thread].exchange(true)) {
                ++wrong; // two at once would share what is theirs
                return;
            }
            // A loop inside runs on this thread alone, whichever pool it is of.
            other.for_chunks(8, 1, [&](int, int) { wrong += ThreadPool::this_thread() != 0; });
            wrong += ThreadPool::this_thread() != thread;
            busy[thread] = false;
        });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ThreadPool::this_thread(), 0);
}

TEST(ThreadPool, TakesAtLeastOneThreadWhateverIsAsked) {
    EXPECT_GE(ThreadPool(0).thread_count(), 1);
    EXPECT_GE(ThreadPool(-5).thread_count(), 1);
}

} // namespace
} // namespace selvage
