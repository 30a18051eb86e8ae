#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "selvage/selvage.h"
#include "world/world.h"

namespace selvage {

/// What selvage_last_error() says on this thread.
std::string& last_error();
/// Sets it and passes the code on.
selvage_result fail(selvage_result code, std::string message);
selvage_result fail(const Error& error);

/// All worlds of the process, and who is using them.
class Registry {
public:
    enum class Mode { reader, exclusive };

    /// The use of a world for the length of a call.
    class Use {
    public:
        Use(std::uint64_t handle, Mode mode);
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        /// Null where the handle's world is gone or busy; code() and the last error then say which.
        World* world() const { return world_; }
        selvage_result code() const { return code_; }

    private:
        int index_ = -1;
        Mode mode_;
        World* world_ = nullptr;
        selvage_result code_ = SELVAGE_OK;
    };

    static Registry& instance();

    /// make(index) returns a Result<std::unique_ptr<World>>.
    template <class Make>
    selvage_result add(const Make& make, selvage_world* out) {
        const int index = reserve();
        if (index < 0) return fail(SELVAGE_ERROR_MEMORY, "there are as many worlds as a process can have");
        Reservation reservation{*this, index};
        Result<std::unique_ptr<World>> world = make(index);
        if (!world) return fail(world.error());
        *out = publish(index, std::move(*world));
        reservation.index = -1;
        return SELVAGE_OK;
    }
    selvage_result remove(selvage_world handle);

private:
    struct Slot {
        std::atomic<int> users{0}; // readers; -1: one who changes it
        std::atomic<std::uint32_t> number{0};
        std::unique_ptr<World> world;
        bool is_reserved = false;
    };
    struct Reservation {
        Registry& registry;
        int index;
        ~Reservation() {
            if (index >= 0) registry.give_up(index);
        }
    };
    int reserve();
    void give_up(int index);
    selvage_world publish(int index, std::unique_ptr<World> world);

    std::mutex mutex_; // of reservations
    std::array<Slot, Handle::kMostWorlds> slots_;
};

} // namespace selvage
