#pragma once

// A GPU for tests, on one thread of the host. The sources of src/cuda are compiled by the host's compiler against this
// folder's headers. It looks for what goes wrong on a device:
// - Each thread of a kernel has a stack of its own and runs until it waits for its warp or block. A warp whose threads wait
//   at different places, or of which some have left, is a fault; so is a block that waits for ever.
// - Threads, warps and blocks run in ascending or descending order. What depends on it has a race.
// - A stream does nothing until somebody waits for it: as late as a device may. What relies on an order that is not there,
//   or uses a buffer again too early, gets other numbers.
// - A kernel that may start early and has a thread that does not wait for the one before it is a fault.
// - Gaps between arrays hold numbers that are none; a gap that was written to is a fault. Under the address sanitizer a
//   read is one as well.

#include <cstddef>
#include <functional>
#include <source_location>
#include <string>

namespace emulated {

struct Stream;
struct Graph;

struct Kernel {
    int blocks, threads;
    std::size_t shared_bytes;
    bool starts_early;          ///< It may start before the last one has ended, and must wait for that.
    std::function<void()> body; ///< Of one thread.
};

/// The machine that tests run on; they may change it.
struct Machine {
    int no_device = 0; ///< An error of cudaGetDeviceCount; 0: there is a device.
    bool has_code = true;
    int multiprocessors = 2;
    std::size_t memory_free = std::size_t{1} << 30, memory_total = std::size_t{2} << 30; ///< [bytes].
    int shared_bytes = 100 * 1024;                                                       ///< That a block can have.
    bool descending = false;     ///< Order of threads, warps and blocks.
    int kernels_until_lost = -1; ///< Then every call fails. -1: never.
    int kernels_run = 0;
};
Machine& machine();
/// A machine as above, and nothing left of faults.
void reset_machine();

/// What a kernel did wrong, the first time; empty: nothing.
const std::string& fault();

/// For DeviceMemory: nobody may use these bytes.
void guard(void* from, std::size_t bytes);

/// Records what `body` asks of a stream that is recording, to be run again and again while a number is not 0.
void queue_loop(Stream* stream, const int* goes_on, const std::function<void(Stream*)>& body);

// For the headers of this folder.
int queue_kernel(Stream* stream, const Kernel& kernel);
bool allow_shared(int bytes);
void* shared_of_launch();
void wait_for_last_kernel();
void wait_for_block(const std::source_location& where);
unsigned long long exchange_in_warp(unsigned mask, unsigned long long value, int from,
                                    const std::source_location& where);

} // namespace emulated
