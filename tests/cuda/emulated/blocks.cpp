// One block at a time, a fiber for each of its threads.

#include "blocks.h"

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda_runtime.h"
#include "fiber.h"

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

namespace {

constexpr int kWarp = 32, kMostThreads = 1024;
constexpr unsigned char kUnused = 0xff; // floats that are no numbers, indices below zero
constexpr std::size_t kSharedGap = 4096;

enum class State { ready, at_warp, at_block, ended };

struct Thread {
    Fiber fiber;
    State state = State::ended;
    std::source_location where;
    unsigned mask = 0;
    bool has_waited = false; // for the kernel before
    int turn = 0;            // of its warp's two buffers: a fast thread may be one exchange ahead of a slow one
};

struct Block {
    const Kernel* kernel = nullptr;
    std::vector<std::unique_ptr<Thread>> threads;
    std::array<std::array<std::array<unsigned long long, kWarp>, 2>, kMostThreads / kWarp> exchanged{};
    std::vector<unsigned char> shared;
    std::string fault;
};
Block block;

std::string place_of(const Thread& thread) {
    const std::string file = thread.where.file_name();
    return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(thread.where.line());
}

void fail(int thread, const std::string& what) {
    if (!block.fault.empty()) return;
    block.fault = "block " + std::to_string(blockIdx.x) + ", thread " + std::to_string(thread) + ": " + what;
}

void stop_at(State state, const std::source_location& where) {
    Thread& self = *block.threads[threadIdx.x];
    self.state = state;
    self.where = where;
    Fiber::stop();
}

void run_thread(int t) {
    threadIdx.x = static_cast<unsigned>(t);
    Thread& thread = *block.threads[t];
    thread.fiber.resume();
    if (thread.fiber.has_ended()) thread.state = State::ended;
}

/// Whether all threads of a warp wait for each other; a fault where only some do.
bool meets(int first) {
    const Thread* waits = nullptr;
    int others = 0;
    for (int t = first; t < first + kWarp; ++t)
        if (block.threads[t]->state == State::at_warp)
            waits = block.threads[t].get();
        else
            ++others;
    if (!waits) return false;
    if (others > 0) fail(first, "a warp exchanges at " + place_of(*waits) + " without some of its threads");
    for (int t = first; t < first + kWarp && others == 0; ++t) {
        const Thread& thread = *block.threads[t];
        if (thread.where.line() != waits->where.line() || thread.where.column() != waits->where.column())
            fail(t, "exchanges at " + place_of(thread) + " while others do at " + place_of(*waits));
        if (thread.mask != 0xffffffffU) fail(t, "exchanges with a part of the warp at " + place_of(thread));
    }
    return true;
}

/// Until all its threads have ended or wait for the block.
void run_warp(int first, bool descending) {
    do {
        for (int k = 0; k < kWarp; ++k) {
            const int t = first + (descending ? kWarp - 1 - k : k);
            if (block.threads[t]->state == State::at_warp) block.threads[t]->state = State::ready;
            if (block.threads[t]->state == State::ready) run_thread(t);
        }
    } while (meets(first) && block.fault.empty());
}

/// Lets threads that wait for the block go on; false: all have ended.
bool release_block() {
    const Thread* waits = nullptr;
    for (int t = 0; t < block.kernel->threads; ++t) {
        Thread& thread = *block.threads[t];
        if (thread.state != State::at_block) continue;
        if (waits && thread.where.line() != waits->where.line())
            fail(t, "waits for its block at " + place_of(thread) + " while others do at " + place_of(*waits));
        waits = &thread;
        thread.state = State::ready;
    }
    return waits != nullptr;
}

void run_block(int index, bool descending) {
    const Kernel& kernel = *block.kernel;
    blockIdx.x = static_cast<unsigned>(index);
    block.shared.assign(kernel.shared_bytes + kSharedGap, kUnused);
    for (int t = 0; t < kernel.threads; ++t) {
        Thread& thread = *block.threads[t];
        thread.fiber.start([] { block.kernel->body(); });
        thread.state = State::ready;
        thread.turn = 0;
        thread.has_waited = false;
    }
    do {
        const int warps = kernel.threads / kWarp;
        for (int w = 0; w < warps && block.fault.empty(); ++w)
            run_warp(kWarp * (descending ? warps - 1 - w : w), descending);
    } while (block.fault.empty() && release_block());
    for (int t = 0; t < kernel.threads && kernel.starts_early; ++t)
        if (!block.threads[t]->has_waited) fail(t, "has not waited for the kernel before it");
    for (std::size_t k = kernel.shared_bytes; k < block.shared.size(); ++k)
        if (block.shared[k] != kUnused) return fail(0, "has written behind the shared memory of its launch");
}

} // namespace

std::string run_kernel(const Kernel& kernel, bool descending) {
    block.kernel = &kernel;
    block.fault.clear();
    while (static_cast<int>(block.threads.size()) < kernel.threads)
        block.threads.push_back(std::make_unique<Thread>());
    blockDim.x = static_cast<unsigned>(kernel.threads);
    gridDim.x = static_cast<unsigned>(kernel.blocks);
    for (int b = 0; b < kernel.blocks && block.fault.empty(); ++b)
        run_block(descending ? kernel.blocks - 1 - b : b, descending);
    return block.fault;
}

void* shared_of_launch() {
    return block.shared.data();
}

void wait_for_last_kernel() {
    block.threads[threadIdx.x]->has_waited = true;
}

void wait_for_block(const std::source_location& where) {
    stop_at(State::at_block, where);
}

unsigned long long exchange_in_warp(unsigned mask, unsigned long long value, int from,
                                    const std::source_location& where) {
    const unsigned self = threadIdx.x;
    Thread& thread = *block.threads[self];
    auto& buffer = block.exchanged[self / kWarp][thread.turn];
    thread.turn = 1 - thread.turn;
    thread.mask = mask;
    buffer[self % kWarp] = value;
    stop_at(State::at_warp, where);
    return buffer[from];
}

} // namespace emulated
