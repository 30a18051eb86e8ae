#include "geometry/vertex_cache.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/atomic_file.h"
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
    Pc2Writer(AtomicFile file, const ExportMesh& mesh) : file_(std::move(file)) {
        std::string header("POINTCACHE2\0", 12);
        append_bytes<std::endian::little>(header, std::int32_t{1}); // version
        append_bytes<std::endian::little>(header, static_cast<std::int32_t>(mesh.mesh->vertex_count()));
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
    MddWriter(AtomicFile file, const ExportMesh& mesh) : file_(std::move(file)), mesh_(mesh) {}

    Status add_frame(std::span<const Vec3> positions) override {
        ++frame_count_;
        append_positions<std::endian::big>(frames_, positions);
        return Done{};
    }
    Status finish() override {
        std::string header;
        append_bytes<std::endian::big>(header, static_cast<std::int32_t>(frame_count_));
        append_bytes<std::endian::big>(header, static_cast<std::int32_t>(mesh_.mesh->vertex_count()));
        for (int frame = 0; frame < frame_count_; ++frame)
            append_bytes<std::endian::big>(header, static_cast<float>(frame / mesh_.frames_per_second));
        file_.write(header);
        file_.write(frames_);
        return file_.commit();
    }

private:
    AtomicFile file_;
    ExportMesh mesh_;
    std::string frames_; // bytes as they go into the file
    int frame_count_ = 0;
};

template <class Writer>
Result<std::unique_ptr<FrameWriter>> make_writer(const std::filesystem::path& path, const ExportMesh& mesh) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<FrameWriter>(std::make_unique<Writer>(std::move(*file), mesh));
}

} // namespace

Result<std::unique_ptr<FrameWriter>> make_pc2_writer(const std::filesystem::path& path, const ExportMesh& mesh) {
    return make_writer<Pc2Writer>(path, mesh);
}

Result<std::unique_ptr<FrameWriter>> make_mdd_writer(const std::filesystem::path& path, const ExportMesh& mesh) {
    return make_writer<MddWriter>(path, mesh);
}

} // namespace selvage
