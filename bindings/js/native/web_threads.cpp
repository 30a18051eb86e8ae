// The threads of the module.

#include <algorithm>
#include <memory>

#include "web_module.h"

namespace selvage::web {

namespace {

std::unique_ptr<ThreadPool>& shared_threads() {
    static std::unique_ptr<ThreadPool> threads;
    return threads;
}

void run_shared(void*, int count, selvage_task task, void* context) {
    shared_threads()->for_chunks(count, 1, [&](int begin, int end) {
        for (int index = begin; index < end; ++index)
            task(context, index);
    });
}

} // namespace

void use_shared_threads(selvage_world_desc& desc, int wanted) {
    const int most = shared_threads() ? shared_threads()->thread_count() : 1;
    desc.threads = wanted <= 0 ? most : std::min(wanted, most);
    if (desc.threads > 1) desc.parallel_for = run_shared;
}

} // namespace selvage::web

/// Starts so many threads, the caller's included. Once, before any world is made.
SELVAGE_WEB selvage_result web_start_threads(int count) {
    return selvage::guarded([&]() -> selvage_result {
        selvage::web::shared_threads() = std::make_unique<selvage::ThreadPool>(std::max(count, 1));
        return SELVAGE_OK;
    });
}
