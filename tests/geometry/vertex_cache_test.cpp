#include "geometry/vertex_cache.h"

#include <cmath>
#include <limits>

#include "base/atomic_file.h"
#include "geometry/byte_order.h"
#include "geometry/generators.h"
#include "support.h"

namespace selvage {
namespace {

class VertexCacheFile : public TestFolder {
protected:
    /// Three frames at 20 per second; vertex i of frame f is at (i, f, i f), all exact in a float.
    void write(const std::string& name) {
        const Result<GeneratedMesh> grid = make_grid({{1, 1}, {2, 2}});
        ASSERT_TRUE(grid);
        Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(file(name), {&grid->mesh, {}, 20.0});
        ASSERT_TRUE(writer);
        for (int f = 0; f < 3; ++f) {
            std::vector<Vec3> x;
            for (int i = 0; i < 4; ++i)
                x.emplace_back(i, f, i * f);
            ASSERT_TRUE((*writer)->add_frame(x));
        }
        ASSERT_TRUE((*writer)->finish());
    }
    std::string message(const std::string& name, double frames_per_second = 20.0) const {
        const Result<VertexCache> cache = read_vertex_cache(file(name), frames_per_second);
        return cache ? "read" : cache.error().text();
    }
    void expect(const std::string& name, const std::string& part, double frames_per_second = 20.0) const {
        EXPECT_NE(message(name, frames_per_second).find(part), std::string::npos) << message(name, frames_per_second);
    }
};

TEST_F(VertexCacheFile, ComesBackAsItWasWritten) {
    for (const char* name : {"a.pc2", "a.mdd", "a.MDD"}) {
        SCOPED_TRACE(name);
        write(name);
        const Result<VertexCache> cache = read_vertex_cache(file(name), 20.0);
        ASSERT_TRUE(cache) << cache.error().text();
        EXPECT_EQ(cache->vertex_count, 4);
        ASSERT_EQ(cache->frame_count(), 3);
        std::vector<Vec3> x(4);
        for (int f = 0; f < 3; ++f) {
            EXPECT_EQ(cache->times[static_cast<std::size_t>(f)], f / 20.0);
            cache->sample(f / 20.0, x);
            for (int i = 0; i < 4; ++i)
                EXPECT_EQ(x[static_cast<std::size_t>(i)], Vec3(i, f, i * f));
        }
        cache->sample(0.0625, x); // a quarter of the time from frame 1 to frame 2
        EXPECT_LT(length(x[3] - Vec3(3, 1.25, 3.75)), 1e-14);
        cache->sample(-1.0, x);
        EXPECT_EQ(x[3], Vec3(3, 0, 0));
        cache->sample(9.0, x);
        EXPECT_EQ(x[3], Vec3(3, 2, 6));
    }
}

TEST_F(VertexCacheFile, TakesItsTimesFromAnMddFileOnly) {
    write("a.mdd");
    write("a.pc2");
    const Result<VertexCache> cache = read_vertex_cache(file("a.mdd"), 0.0);
    ASSERT_TRUE(cache);
    EXPECT_EQ(cache->times[2], static_cast<double>(static_cast<float>(2 / 20.0)));
    expect("a.pc2", "does not say how long a frame lasts, as no .pc2 file does; expected frames_per_second", 0.0);
}

TEST_F(VertexCacheFile, ThatIsNoneOrDamagedIsRefused) {
    expect("none.pc2", "none.pc2");
    expect("a.abc", "has the extension \".abc\"; expected one of: .pc2, .mdd");
    for (const char* name : {"a.pc2", "a.mdd"}) {
        SCOPED_TRACE(name);
        write(name);
        const Result<std::string> whole = read_file(file(name));
        ASSERT_TRUE(whole);
        for (const std::size_t size : {std::size_t{0}, std::size_t{5}, whole->size() - 1, whole->size() / 2}) {
            ASSERT_TRUE(write_file(file(name), whole->substr(0, size)));
            EXPECT_NE(message(name), "read") << size;
        }
        ASSERT_TRUE(write_file(file(name), whole->substr(0, whole->size() - 12)));
        expect(name, "3 frames of 4 vertices) asks for");
        ASSERT_TRUE(write_file(file(name), *whole + "x"));
        expect(name, "asks for");
        std::string bad = *whole;
        const bool is_pc2 = std::string(name) == "a.pc2";
        std::string nan;
        if (is_pc2)
            append_bytes<std::endian::little>(nan, std::numeric_limits<float>::quiet_NaN());
        else
            append_bytes<std::endian::big>(nan, std::numeric_limits<float>::quiet_NaN());
        bad.replace(bad.size() - 12 * 3, 4, nan); // vertex 1 of the last frame
        ASSERT_TRUE(write_file(file(name), bad));
        expect(name, "vertex 1 of frame 2 has a coordinate that is not finite");
    }
}

TEST_F(VertexCacheFile, WithAWrongHeaderIsRefused) {
    write("a.pc2");
    const Result<std::string> whole = read_file(file("a.pc2"));
    ASSERT_TRUE(whole);
    const auto with = [&](std::size_t offset, auto value) {
        std::string bytes, bad = *whole;
        append_bytes<std::endian::little>(bytes, value);
        bad.replace(offset, bytes.size(), bytes);
        EXPECT_TRUE(write_file(file("b.pc2"), bad));
    };
    with(0, 'X');
    expect("b.pc2", "does not start with POINTCACHE2");
    with(12, std::int32_t{2});
    expect("b.pc2", "has .pc2 version 2; expected 1");
    with(16, std::int32_t{2000000000});
    expect("b.pc2", "asks for 72000000032");
    with(16, std::int32_t{-4});
    expect("b.pc2", "holds 3 frames of -4 vertices; expected at least one of each");
    with(28, std::int32_t{0});
    expect("b.pc2", "holds 0 frames");
    with(24, 0.0f);
    expect("b.pc2", "0 frames per sample; expected finite numbers, the second above 0");
    with(20, std::numeric_limits<float>::infinity());
    expect("b.pc2", "starts at frame inf");
    with(20, 10.0f); // a cache of frames 10 to 12
    const Result<VertexCache> late = read_vertex_cache(file("b.pc2"), 20.0);
    ASSERT_TRUE(late);
    EXPECT_EQ(late->times[0], 0.5);
    // Times that fall.
    write("a.mdd");
    std::string bad = *read_file(file("a.mdd")), bytes;
    append_bytes<std::endian::big>(bytes, 0.2f);
    bad.replace(8, 4, bytes);
    ASSERT_TRUE(write_file(file("a.mdd"), bad));
    expect("a.mdd", "has frame 1 at 0.05", 0.0);
    EXPECT_EQ(message("a.mdd", 20.0), "read"); // told otherwise
}

} // namespace
} // namespace selvage
