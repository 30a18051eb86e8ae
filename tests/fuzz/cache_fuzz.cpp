// Vertex caches: the first byte chooses .pc2 or .mdd and whether a rate is given.

#include <cstdlib>

#include "geometry/vertex_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace selvage;
    if (size == 0) return 0;
    const std::string content(reinterpret_cast<const char*>(data + 1), size - 1);
    const Result<VertexCache> cache =
        parse_vertex_cache(content, data[0] & 1 ? "fuzz.pc2" : "fuzz.mdd", data[0] & 2 ? 24.0 : 0.0);
    if (!cache) return 0;
    if (cache->vertex_count < 1 || cache->frame_count() < 1) std::abort();
    std::vector<Vec3> points(static_cast<std::size_t>(cache->vertex_count));
    for (const double time : {-1.0, 0.0, 0.5, 1e9}) {
        cache->sample(time, points);
        for (const Vec3& p : points)
            if (!is_finite(p)) std::abort();
    }
    return 0;
}
