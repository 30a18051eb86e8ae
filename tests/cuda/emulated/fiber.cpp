// Own switch on x86-64, since a kernel stops millions of times and swapcontext() asks the system twice each time.

#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATED_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATED_ASAN 1
#endif
#endif
#ifdef EMULATED_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef __x86_64__
extern "C" void emulated_switch_stack(void** save, void* to);
asm(R"(
.text
.globl emulated_switch_stack
.type emulated_switch_stack, @function
emulated_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size emulated_switch_stack, .-emulated_switch_stack
)");
#else
#include <ucontext.h>
#endif

namespace emulated {

namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10; // the system gives those pages that are touched
Fiber* running = nullptr;

} // namespace

struct Fiber::Context {
#ifdef __x86_64__
    void *own = nullptr, *caller = nullptr; // stack pointers
#else
    ucontext_t own, caller;
#endif
    void* fake_stack = nullptr; // of the address sanitizer
    const void* caller_stack = nullptr;
    std::size_t caller_bytes = 0;
};

Fiber::Fiber() : context_(new Context) {
    void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    stack_ = static_cast<char*>(memory);
    // Stacks all begin at the start of a page: shifted against each other, they do not compete for the same cache lines.
    static int count = 0;
    offset_ = static_cast<std::size_t>(count++ % 61) * 320;
}

Fiber::~Fiber() {
    munmap(stack_, kStackBytes);
    delete context_;
}

/// Where every fiber begins.
void enter() {
#ifdef EMULATED_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &running->context_->caller_stack, &running->context_->caller_bytes);
#endif
    running->entry_();
    running->ended_ = true;
    Fiber::stop();
    std::abort(); // nobody resumes one that has ended
}

void Fiber::start(Entry entry) {
    entry_ = entry;
    ended_ = false;
#ifdef EMULATED_ASAN
    __asan_unpoison_memory_region(stack_, kStackBytes); // one that was left in the middle
#endif
#ifdef __x86_64__
    auto* top = reinterpret_cast<void**>(stack_ + kStackBytes - offset_);
    *--top = nullptr; // where enter() would return to; keeps the stack aligned as a call does
    *--top = reinterpret_cast<void*>(&enter);
    for (int k = 0; k < 6; ++k) // saved registers
        *--top = nullptr;
    context_->own = top;
#else
    getcontext(&context_->own);
    context_->own.uc_stack.ss_sp = stack_;
    context_->own.uc_stack.ss_size = kStackBytes;
    context_->own.uc_link = nullptr;
    makecontext(&context_->own, &enter, 0);
#endif
}

void Fiber::resume() {
    running = this;
#ifdef EMULATED_ASAN
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, stack_, kStackBytes);
#endif
#ifdef __x86_64__
    emulated_switch_stack(&context_->caller, context_->own);
#else
    swapcontext(&context_->caller, &context_->own);
#endif
#ifdef EMULATED_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::stop() {
    Context& c = *running->context_;
#ifdef EMULATED_ASAN
    __sanitizer_start_switch_fiber(running->ended_ ? nullptr : &c.fake_stack, c.caller_stack, c.caller_bytes);
#endif
#ifdef __x86_64__
    emulated_switch_stack(&c.own, c.caller);
#else
    swapcontext(&c.own, &c.caller);
#endif
#ifdef EMULATED_ASAN
    __sanitizer_finish_switch_fiber(c.fake_stack, &c.caller_stack, &c.caller_bytes);
#endif
}

} // namespace emulated
