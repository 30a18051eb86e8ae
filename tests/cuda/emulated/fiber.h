#pragma once

#include <cstddef>

namespace emulated {

/// A function with a stack of its own, which can stop in the middle and go on later. All on one thread.
class Fiber {
public:
    using Entry = void (*)();
    Fiber();
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    /// From the beginning; what it was in the middle of is forgotten.
    void start(Entry entry);
    /// Until it stops or ends.
    void resume();
    /// Called by the one that runs: back to who has resumed it.
    static void stop();
    bool has_ended() const { return ended_; }

private:
    struct Context; // of the machine
    friend void enter();

    Context* context_;
    char* stack_;
    std::size_t offset_ = 0;
    Entry entry_ = nullptr;
    bool ended_ = true;
};

} // namespace emulated
