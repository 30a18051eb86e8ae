#pragma once

// What the C functions have in common: checking what they are given, taking the world for the length of a call, and letting
// nothing escape.

#include <algorithm>
#include <cstring>
#include <new>

#include "api/descriptions.h"
#include "api/registry.h"
#include "base/concat.h"
#include "base/float_environment.h"

namespace selvage {

using Mode = Registry::Mode;

/// Runs the body of a call, in the float mode that results are promised for; what it throws becomes a code.
template <class Body>
selvage_result guarded(const Body& body) noexcept {
    const FloatEnvironment plain;
    try {
        return body();
    } catch (const std::bad_alloc&) {
        last_error() = "out of memory"; // short enough to need none
        return SELVAGE_ERROR_MEMORY;
    } catch (const std::exception& error) {
        try {
            return fail(SELVAGE_ERROR_INTERNAL, error.what());
        } catch (...) {
            return SELVAGE_ERROR_INTERNAL;
        }
    } catch (...) {
        return SELVAGE_ERROR_INTERNAL;
    }
}

inline selvage_result null_argument(const char* name) {
    return fail(SELVAGE_ERROR_ARGUMENT, concat(name, " is null; expected a place"));
}

inline selvage_result from_status(const Status& status) {
    return status ? SELVAGE_OK : fail(status.error());
}

/// body(World&) with the world for itself, or among readers.
template <class Body>
selvage_result with_world(selvage_world handle, Mode mode, const Body& body) noexcept {
    return guarded([&]() -> selvage_result {
        if (Handle::unpack(handle).kind != HandleKind::world)
            return fail(SELVAGE_ERROR_HANDLE, handle == 0 ? "the world's handle is 0, which names nothing"
                                                          : "the handle names no world; expected one of a world");
        const Registry::Use use(handle, mode);
        if (!use.world()) return use.code();
        return body(*use.world());
    });
}

template <class T>
selvage_result with_object(std::uint64_t handle, Mode mode, const char* kind, SlotMap<T>& (World::*objects)(),
                           const auto& body) noexcept {
    return guarded([&]() -> selvage_result {
        const Registry::Use use(handle, mode);
        if (!use.world()) return use.code();
        T* object = (use.world()->*objects)().find(handle);
        if (!object) return fail(SELVAGE_ERROR_HANDLE, concat("the handle names no ", kind, ", or one that is gone"));
        return body(*use.world(), *object);
    });
}

template <class Body>
selvage_result with_cloth(selvage_cloth handle, Mode mode, const Body& body) noexcept {
    return with_object<WorldCloth>(handle, mode, "cloth", &World::cloths, body);
}
template <class Body>
selvage_result with_collider(selvage_collider handle, Mode mode, const Body& body) noexcept {
    return with_object<WorldCollider>(handle, mode, "collider", &World::colliders, body);
}

/// Hands out a span as a pointer and a count.
template <class T, class Number>
selvage_result give(std::span<const T> from, const Number** data, size_t* count) {
    static_assert(sizeof(T) % sizeof(Number) == 0);
    if (!data) return null_argument("the place for the array");
    *data = reinterpret_cast<const Number*>(from.data());
    if (count) *count = from.size();
    return SELVAGE_OK;
}

template <class T>
selvage_result list_handles(const std::vector<T*>& objects, std::uint64_t* out, size_t capacity, size_t* count) {
    if (!out && capacity > 0) return null_argument("the array of handles");
    for (std::size_t k = 0; k < std::min(capacity, objects.size()); ++k)
        out[k] = objects[k]->handle;
    if (count) *count = objects.size();
    return SELVAGE_OK;
}

/// A count and an array of vertices of a cloth; fails when one of them is wrong.
inline selvage_result check_vertices(const WorldCloth& cloth, const std::int32_t* vertices, size_t count) {
    if (!vertices && count > 0) return null_argument("the array of vertices");
    if (count > static_cast<std::size_t>(cloth.vertex_count()))
        return fail(SELVAGE_ERROR_ARGUMENT,
                    concat("count is ", count, "; expected at most the cloth's ", cloth.vertex_count(), " vertices"));
    return from_status(check_indices({vertices, count}, cloth.vertex_count(), "entry"));
}

template <class S>
void init_sized(S* desc, size_t struct_size, const S& defaults) noexcept {
    if (!desc || struct_size < sizeof(size_t)) return;
    std::memset(static_cast<void*>(desc), 0, struct_size);
    std::memcpy(static_cast<void*>(desc), &defaults, std::min(struct_size, sizeof(S)));
    desc->struct_size = struct_size;
}

inline void copy_to(const Vec3& from, double to[3]) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

} // namespace selvage
