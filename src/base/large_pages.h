#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace selvage {

/// Memory that is gone through again and again, in passes longer than what the processor keeps of where pages lie: on
/// pages of 2 MB instead of 4 kB such a pass is faster. To be asked for once, when the arrays are made and filled.
/// Nothing but time depends on it. Only Linux has it (6.1 and later); elsewhere, and where no such pages are left,
/// nothing happens.
class LargePages {
public:
    void add(const void* begin, std::size_t bytes);
    template <class T>
    void add(const std::vector<T>& array) {
        add(array.data(), array.capacity() * sizeof(T));
    }
    void ask();

private:
    struct Range {
        std::uintptr_t begin, end;
    };
    std::vector<Range> ranges_;
};

} // namespace selvage
