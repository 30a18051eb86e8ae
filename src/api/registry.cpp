#include "api/registry.h"

namespace selvage {

std::string& last_error() {
    thread_local std::string text;
    return text;
}

selvage_result fail(selvage_result code, std::string message) {
    last_error() = std::move(message);
    return code;
}

selvage_result fail(const Error& error) {
    switch (error.kind) {
    case ErrorKind::input:
        return fail(SELVAGE_ERROR_DATA, error.text());
    case ErrorKind::io:
        return fail(SELVAGE_ERROR_FILE, error.text());
    case ErrorKind::work:
        break;
    }
    return fail(SELVAGE_ERROR_ARGUMENT, error.text());
}

Registry& Registry::instance() {
    static Registry registry;
    return registry;
}

Registry::Use::Use(std::uint64_t handle, Mode mode) : mode_(mode) {
    const Handle parts = Handle::unpack(handle);
    Slot& slot = instance().slots_[parts.world];
    int users = slot.users.load(std::memory_order_relaxed);
    do {
        if (users < 0 || (mode == Mode::exclusive && users > 0)) {
            code_ =
                fail(SELVAGE_ERROR_BUSY, "the world is in use: by another thread, or by the callback that this call "
                                         "comes from; expected one call at a time");
            return;
        }
    } while (
        !slot.users.compare_exchange_weak(users, mode == Mode::exclusive ? -1 : users + 1, std::memory_order_acquire));
    index_ = parts.world;
    const bool is_world = parts.kind == HandleKind::world;
    if (slot.world && (!is_world || slot.number.load(std::memory_order_relaxed) == parts.number)) {
        world_ = slot.world.get();
        return;
    }
    code_ = fail(SELVAGE_ERROR_HANDLE, handle == 0 ? "the handle is 0, which names nothing"
                                                   : "the handle's world is gone, or there never was one");
}

Registry::Use::~Use() {
    if (index_ < 0) return;
    std::atomic<int>& users = instance().slots_[index_].users;
    if (mode_ == Mode::exclusive)
        users.store(0, std::memory_order_release);
    else
        users.fetch_sub(1, std::memory_order_release);
}

int Registry::reserve() {
    const std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < slots_.size(); ++k)
        if (!slots_[k].is_reserved) {
            slots_[k].is_reserved = true;
            return static_cast<int>(k);
        }
    return -1;
}

void Registry::give_up(int index) {
    const std::lock_guard lock(mutex_);
    slots_[index].is_reserved = false;
}

selvage_world Registry::publish(int index, std::unique_ptr<World> world) {
    Slot& slot = slots_[index];
    const std::uint32_t number = Handle::next_number();
    // Whoever looks at the slot with an old handle meanwhile finds another number, or nobody.
    int users = 0;
    while (!slot.users.compare_exchange_weak(users, -1, std::memory_order_acquire))
        users = 0;
    slot.number.store(number, std::memory_order_relaxed);
    slot.world = std::move(world);
    slot.users.store(0, std::memory_order_release);
    return Handle{HandleKind::world, index, 0, number}.packed();
}

selvage_result Registry::remove(selvage_world handle) {
    std::unique_ptr<World> gone;
    {
        const Use use(handle, Mode::exclusive);
        if (!use.world()) return use.code();
        gone = std::move(slots_[Handle::unpack(handle).world].world);
    }
    gone.reset(); // its threads end here, while nobody holds anything
    give_up(Handle::unpack(handle).world);
    return SELVAGE_OK;
}

} // namespace selvage
