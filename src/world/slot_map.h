#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace selvage {

enum class HandleKind : std::uint64_t { world = 1, cloth, collider, attachment, grab };

/// Names an object of a world for the outside: a kind, the world's index, a slot, and a number that is never used twice.
///   bits 63..61 kind | 60..52 world | 51..32 slot | 31..0 number
struct Handle {
    static constexpr int kWorldBits = 9, kSlotBits = 20;
    static constexpr int kMostWorlds = 1 << kWorldBits, kMostSlots = 1 << kSlotBits;

    HandleKind kind = HandleKind::world;
    int world = 0, slot = 0;
    std::uint32_t number = 0;

    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(kind) << 61 | static_cast<std::uint64_t>(world) << 52 |
               static_cast<std::uint64_t>(slot) << 32 | number;
    }
    static Handle unpack(std::uint64_t packed) {
        return {static_cast<HandleKind>(packed >> 61), static_cast<int>(packed >> 52) & (kMostWorlds - 1),
                static_cast<int>(packed >> 32) & (kMostSlots - 1), static_cast<std::uint32_t>(packed)};
    }
    /// Numbers are given out for all worlds together, so that a handle of a world that is gone never fits its successor.
    static std::uint32_t next_number() { return 1 + counter().fetch_add(1, std::memory_order_relaxed); }
    /// Makes sure that numbers up to this one are not given out any more.
    static void skip_number(std::uint32_t number) {
        std::uint32_t now = counter().load(std::memory_order_relaxed);
        while (now < number && !counter().compare_exchange_weak(now, number, std::memory_order_relaxed)) {
        }
    }

private:
    static std::atomic<std::uint32_t>& counter() {
        static std::atomic<std::uint32_t> last{0};
        return last;
    }
};

/// Objects of one kind by handle. They stay where they are in memory while they live.
template <class T>
class SlotMap {
public:
    SlotMap(HandleKind kind, int world) : kind_(kind), world_(world) {}

    /// Null for a handle of another kind or world, or of an object that is gone.
    T* find(std::uint64_t packed) const {
        const Handle handle = Handle::unpack(packed);
        if (handle.kind != kind_ || handle.world != world_) return nullptr;
        if (handle.slot >= static_cast<int>(slots_.size())) return nullptr;
        const Slot& slot = slots_[handle.slot];
        return slot.object && slot.number == handle.number ? slot.object.get() : nullptr;
    }

    bool is_full() const { return free_.empty() && slots_.size() >= Handle::kMostSlots; }

    /// Sets the object's `handle`. There must be room.
    T& add(std::unique_ptr<T> object) {
        if (free_.empty()) {
            free_.push_back(static_cast<int>(slots_.size()));
            slots_.emplace_back();
        }
        const int slot = free_.back();
        free_.pop_back();
        return put(slot, Handle::next_number(), std::move(object));
    }

    /// Brings an object back under a handle it had before; false when the slot has another one or is out of range.
    bool add_again(std::uint64_t packed, std::unique_ptr<T> object) {
        const Handle handle = Handle::unpack(packed);
        if (handle.kind != kind_ || handle.slot >= Handle::kMostSlots || handle.number == 0) return false;
        while (static_cast<int>(slots_.size()) <= handle.slot) {
            free_.push_back(static_cast<int>(slots_.size()));
            slots_.emplace_back();
        }
        if (slots_[handle.slot].object) return false;
        std::erase(free_, handle.slot);
        Handle::skip_number(handle.number);
        put(handle.slot, handle.number, std::move(object));
        return true;
    }

    void remove(std::uint64_t packed) {
        T* object = find(packed);
        if (!object) return;
        std::erase(order_, object);
        const int slot = Handle::unpack(packed).slot;
        slots_[slot].object.reset();
        free_.push_back(slot);
    }

    void clear() {
        while (!order_.empty())
            remove(order_.back()->handle);
    }

    const std::vector<T*>& in_order() const { return order_; } ///< As they were added.

private:
    struct Slot {
        std::uint32_t number = 0;
        std::unique_ptr<T> object;
    };

    T& put(int slot, std::uint32_t number, std::unique_ptr<T> object) {
        object->handle = Handle{kind_, world_, slot, number}.packed();
        slots_[slot].number = number;
        slots_[slot].object = std::move(object);
        order_.push_back(slots_[slot].object.get());
        return *order_.back();
    }

    HandleKind kind_;
    int world_;
    std::vector<Slot> slots_;
    std::vector<int> free_;
    std::vector<T*> order_;
};

} // namespace selvage
