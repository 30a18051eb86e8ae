#include "base/large_pages.h"

#include <algorithm>

#ifdef __linux__
#include <sys/mman.h>
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 // since Linux 6.1
#endif
#endif

namespace selvage {

void LargePages::add(const void* begin, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    if (bytes > 0) ranges_.push_back({at, at + bytes});
}

void LargePages::ask() {
#ifdef __linux__
    // Arrays side by side are one range: what lies between them is the allocator's.
    constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21, kGap = 16384;
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    for (std::size_t k = 0; k < ranges_.size();) {
        Range range = ranges_[k++];
        for (; k < ranges_.size() && ranges_[k].begin <= range.end + kGap; ++k)
            range.end = std::max(range.end, ranges_[k].end);
        const std::uintptr_t begin = (range.begin + kPage - 1) / kPage * kPage, end = range.end / kPage * kPage;
        if (begin < end) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_COLLAPSE));
    }
#endif
}

} // namespace selvage
