#include "geometry/vertex_cache.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/concat.h"
#include "geometry/byte_order.h"

namespace selvage {

namespace {

template <std::endian order>
void append_positions(std::string& out, std::span<const Vec3> positions) {
    out.reserve(out.size() + positions.size() * 12);
    for (const Vec3& p : positions)
        for (const double c : {p.x, p.y, p.z})
            append_bytes<order>(out, static_cast<float>(c));
}

class Pc2Writer : public FrameWriter {
public:
    Pc2Writer(AtomicFile file, int vertex_count) : file_(std::move(file)) {
        std::string header("POINTCACHE2\0", 12);
        append_bytes<std::endian::little>(header, std::int32_t{1}); // version
        append_bytes<std::endian::little>(header, static_cast<std::int32_t>(vertex_count));
        append_bytes<std::endian::little>(header, 0.0f); // start frame
        append_bytes<std::endian::little>(header, 1.0f); // frames per sample
        SELVAGE_ASSERT(header.size() == kSampleCountOffset);
        append_bytes<std::endian::little>(header, std::int32_t{0}); // sample count, patched by finish()
        file_.write(header);
    }

    Status add_frame(std::span<const Vec3> positions) override {
        ++frame_count_;
        buffer_.clear();
        append_positions<std::endian::little>(buffer_, positions);
        file_.write(buffer_);
        return Done{};
    }
    Status finish() override {
        std::string count;
        append_bytes<std::endian::little>(count, static_cast<std::int32_t>(frame_count_));
        file_.write_at(kSampleCountOffset, count.data(), count.size());
        return file_.commit();
    }

private:
    static constexpr long kSampleCountOffset = 28;

    AtomicFile file_;
    std::string buffer_;
    int frame_count_ = 0;
};

class MddWriter : public FrameWriter {
public:
    MddWriter(AtomicFile file, int vertex_count, double frames_per_second)
        : file_(std::move(file)), vertex_count_(vertex_count), frames_per_second_(frames_per_second) {}

    Status add_frame(std::span<const Vec3> positions) override {
        ++frame_count_;
        append_positions<std::endian::big>(frames_, positions);
        return Done{};
    }
    Status finish() override {
        std::string header;
        append_bytes<std::endian::big>(header, static_cast<std::int32_t>(frame_count_));
        append_bytes<std::endian::big>(header, static_cast<std::int32_t>(vertex_count_));
        for (int frame = 0; frame < frame_count_; ++frame)
            append_bytes<std::endian::big>(header, static_cast<float>(frame / frames_per_second_));
        file_.write(header);
        file_.write(frames_);
        return file_.commit();
    }

private:
    AtomicFile file_;
    int vertex_count_;
    double frames_per_second_;
    std::string frames_; // bytes as they go into the file
    int frame_count_ = 0;
};

/// Counts are compared with the file's size before anything trusts them.
Status check_counts(const std::string& location, std::size_t size, std::int32_t vertices, std::int32_t frames,
                    std::size_t header, std::size_t per_frame) {
    if (vertices < 1 || frames < 1)
        return Error{concat("holds ", frames, " frames of ", vertices, " vertices; expected at least one of each"),
                     location};
    // At most 2^31 frames of 12 * 2^31 bytes: fits.
    const std::uint64_t expected =
        header + static_cast<std::uint64_t>(frames) * (per_frame + 12 * static_cast<std::uint64_t>(vertices));
    if (size != expected)
        return Error{concat("has ", size, " bytes where its header (", frames, " frames of ", vertices,
                            " vertices) asks for ", expected, "; it was cut short or damaged"),
                     location};
    return Done{};
}

template <std::endian order>
Status load_positions(const char* at, const std::string& location, VertexCache& cache) {
    cache.positions.resize(cache.times.size() * static_cast<std::size_t>(cache.vertex_count));
    for (std::size_t i = 0; i < cache.positions.size(); ++i, at += 12) {
        cache.positions[i] = {load_bytes<order, float>(at), load_bytes<order, float>(at + 4),
                              load_bytes<order, float>(at + 8)};
        if (!is_finite(cache.positions[i]))
            return Error{concat("vertex ", i % static_cast<std::size_t>(cache.vertex_count), " of frame ",
                                i / static_cast<std::size_t>(cache.vertex_count),
                                " has a coordinate that is not finite"),
                         location};
    }
    return Done{};
}

Result<VertexCache> read_pc2(const std::string& content, const std::string& location, double frames_per_second) {
    constexpr std::size_t kHeader = 32;
    constexpr std::endian kOrder = std::endian::little;
    if (content.size() < kHeader || content.compare(0, 12, std::string("POINTCACHE2\0", 12)) != 0)
        return Error{"is not a .pc2 file: it does not start with POINTCACHE2", location};
    if (!(frames_per_second > 0.0))
        return Error{"does not say how long a frame lasts, as no .pc2 file does; expected frames_per_second above 0",
                     location};
    const char* at = content.data();
    const auto version = load_bytes<kOrder, std::int32_t>(at + 12),
               vertices = load_bytes<kOrder, std::int32_t>(at + 16);
    const auto start = load_bytes<kOrder, float>(at + 20), rate = load_bytes<kOrder, float>(at + 24);
    const auto frames = load_bytes<kOrder, std::int32_t>(at + 28);
    if (version != 1) return Error{concat("has .pc2 version ", version, "; expected 1"), location};
    if (const Status ok = check_counts(location, content.size(), vertices, frames, kHeader, 0); !ok) return ok.error();
    if (!std::isfinite(start) || !(rate > 0.0f) || !std::isfinite(rate))
        return Error{concat("starts at frame ", start, " with ", rate,
                            " frames per sample; expected finite numbers, the second above 0"),
                     location};
    VertexCache cache;
    cache.vertex_count = vertices;
    for (int k = 0; k < frames; ++k)
        cache.times.push_back((static_cast<double>(start) + static_cast<double>(rate) * k) / frames_per_second);
    if (const Status ok = load_positions<kOrder>(at + kHeader, location, cache); !ok) return ok.error();
    return cache;
}

Result<VertexCache> read_mdd(const std::string& content, const std::string& location, double frames_per_second) {
    constexpr std::size_t kHeader = 8;
    constexpr std::endian kOrder = std::endian::big;
    if (content.size() < kHeader) return Error{"is too short to be an .mdd file", location};
    const char* at = content.data();
    const auto frames = load_bytes<kOrder, std::int32_t>(at), vertices = load_bytes<kOrder, std::int32_t>(at + 4);
    if (const Status ok = check_counts(location, content.size(), vertices, frames, kHeader, 4); !ok) return ok.error();
    VertexCache cache;
    cache.vertex_count = vertices;
    for (int k = 0; k < frames; ++k) {
        const double stored = load_bytes<kOrder, float>(at + kHeader + 4 * static_cast<std::size_t>(k));
        const double time = frames_per_second > 0.0 ? k / frames_per_second : stored;
        if (!std::isfinite(time) || (k > 0 && !(time > cache.times.back())))
            return Error{concat("has frame ", k, " at ", time,
                                " s, which does not come after the frame before it; "
                                "frames_per_second would take the place of the file's times"),
                         location};
        cache.times.push_back(time);
    }
    if (const Status ok = load_positions<kOrder>(at + kHeader + 4 * cache.times.size(), location, cache); !ok)
        return ok.error();
    return cache;
}

template <class Writer, class... Arguments>
Result<std::unique_ptr<FrameWriter>> make_writer(const std::filesystem::path& path, Arguments... arguments) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<FrameWriter>(std::make_unique<Writer>(std::move(*file), arguments...));
}

} // namespace

Result<std::unique_ptr<FrameWriter>> make_pc2_writer(const std::filesystem::path& path, int vertex_count) {
    return make_writer<Pc2Writer>(path, vertex_count);
}

Result<std::unique_ptr<FrameWriter>> make_mdd_writer(const std::filesystem::path& path, int vertex_count,
                                                     double frames_per_second) {
    return make_writer<MddWriter>(path, vertex_count, frames_per_second);
}

void VertexCache::sample(double time, std::span<Vec3> out) const {
    SELVAGE_ASSERT(static_cast<int>(out.size()) == vertex_count);
    const std::ptrdiff_t after = std::upper_bound(times.begin(), times.end(), time) - times.begin();
    const std::size_t next = static_cast<std::size_t>(std::min<std::ptrdiff_t>(after, frame_count() - 1));
    const std::size_t last = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - 1, 0));
    const double span = times[next] - times[last];
    const double s = span > 0.0 ? (time - times[last]) / span : 0.0;
    const Vec3f* from = positions.data() + last * out.size();
    const Vec3f* to = positions.data() + next * out.size();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = (1.0 - s) * Vec3(from[i]) + s * Vec3(to[i]);
}

Result<VertexCache> read_vertex_cache(const std::filesystem::path& path, double frames_per_second) {
    const std::string extension = lower_extension(path);
    if (extension != ".pc2" && extension != ".mdd")
        return Error{concat("has the extension \"", extension, "\"; expected one of: .pc2, .mdd"), path.string()};
    const Result<std::string> content = read_file(path);
    if (!content) return content.error();
    return parse_vertex_cache(*content, path, frames_per_second);
}

Result<VertexCache> parse_vertex_cache(const std::string& content, const std::filesystem::path& path,
                                       double frames_per_second) {
    return lower_extension(path) == ".pc2" ? read_pc2(content, path.string(), frames_per_second)
                                           : read_mdd(content, path.string(), frames_per_second);
}

} // namespace selvage
