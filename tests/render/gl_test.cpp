#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "render/gl_context.h"
#include "render/gl_framebuffer.h"
#include "render/gl_objects.h"
#include "render/gl_program.h"

namespace selvage {
namespace {

class Gl : public testing::TestWithParam<GlDialect> {
protected:
    void SetUp() override {
        Result<GlContext> made = GlContext::make(GetParam());
        ASSERT_TRUE(made) << made.error().text();
        context_.emplace(std::move(*made));
    }
    GlProgram probe() {
        Result<GlProgram> made = GlProgram::make(GetParam(), "fill_screen.vert.glsl", "uv_probe.frag.glsl");
        EXPECT_TRUE(made) << made.error().text();
        return std::move(*made);
    }
    std::optional<GlContext> context_;
};

INSTANTIATE_TEST_SUITE_P(BothDialects, Gl, testing::Values(GlDialect::desktop_33, GlDialect::es_30),
                         [](const auto& param) { return param.param == GlDialect::es_30 ? "es30" : "desktop33"; });

TEST_P(Gl, DrawsAndReadsBackFloatsWithRowZeroAtTheTop) {
    const GlFramebuffer target(8, 4, PixelFormat::rgba32f);
    ASSERT_TRUE(target.check());
    GlProgram program = probe();
    target.clear(0, 0, 0, 0);
    program.use();
    program.set("u_scale", 3.0f);
    draw_screen();
    const ImageF image = target.read_float();
    ASSERT_TRUE(check_gl("drawing the probe"));
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 8; ++x) {
            // Pixel centres; v runs up, rows run down.
            EXPECT_NEAR(image.at(x, y)[0], 3.0f * (static_cast<float>(x) + 0.5f) / 8.0f, 1e-5f);
            EXPECT_NEAR(image.at(x, y)[1], 3.0f * (3.5f - static_cast<float>(y)) / 4.0f, 1e-5f);
            EXPECT_EQ(image.at(x, y)[2], 3.0f);
        }
}

TEST_P(Gl, ResolvesFourSamplesIntoTheirMean) {
    const GlFramebuffer samples(32, 32, PixelFormat::rgba16f, 4), resolved(32, 32, PixelFormat::rgba16f);
    ASSERT_TRUE(samples.check());
    ASSERT_TRUE(resolved.check());
    // The half of the target below the diagonal: a triangle through three corners.
    const float corners[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0};
    GlBuffer vertices;
    vertices.set(std::span<const float>(corners));
    GlVertexArray triangle;
    triangle.add(vertices, {{0, 3, 12, 0}});
    const ShaderFile files[] = {
        {"v", "layout(location = 0) in vec3 a_position;\nvoid main() { gl_Position = vec4(a_position, 1.0); }\n"},
        {"f", "out vec4 o_colour;\nvoid main() { o_colour = vec4(4.0); }\n"}};
    Result<GlProgram> program = GlProgram::make(GetParam(), "v", "f", {}, files);
    ASSERT_TRUE(program) << program.error().text();
    samples.clear(0, 0, 0, 1);
    program->use();
    triangle.draw_vertices(3);
    samples.resolve_into(resolved);
    const ImageF image = resolved.read_float();
    ASSERT_TRUE(check_gl("resolving"));
    double sum = 0.0;
    bool has_partial = false;
    for (const auto& p : image.rgba) {
        sum += p[0];
        has_partial = has_partial || (p[0] > 0.5f && p[0] < 3.5f);
    }
    EXPECT_NEAR(sum / (4.0 * 32 * 32), 0.5, 0.02); // half the area, up to the samples on the diagonal
    EXPECT_TRUE(has_partial);
    EXPECT_EQ(image.at(31, 31)[0], 4.0f); // bottom right
    EXPECT_EQ(image.at(0, 0)[0], 0.0f);
}

TEST_P(Gl, ReadsATextureThroughItsSampler) {
    const unsigned char pixels[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    GlTexture texture = GlTexture::from_rgba8(2, 2, pixels, false, false);
    texture.set_nearest();
    const ShaderFile files[] = {
        {"f", "uniform sampler2D u_picture;\nin vec2 v_uv;\nout vec4 o_colour;\n"
              "void main() { o_colour = texture(u_picture, v_uv); }\n"},
        *std::find_if(builtin_shaders().begin(), builtin_shaders().end(),
                      [](const ShaderFile& file) { return file.name == "fill_screen.vert.glsl"; })};
    Result<GlProgram> program = GlProgram::make(GetParam(), "fill_screen.vert.glsl", "f", {}, files);
    ASSERT_TRUE(program) << program.error().text();
    const GlFramebuffer target(2, 2, PixelFormat::rgba8);
    target.clear(0, 0, 0, 0);
    program->use();
    program->set_texture("u_picture", texture, 3);
    draw_screen();
    const Image8 image = target.read_rgb8();
    using Rgb = std::array<std::uint8_t, 3>;
    EXPECT_EQ(image.at(0, 1), (Rgb{255, 0, 0})); // the first row of a texture is v = 0, the bottom
    EXPECT_EQ(image.at(1, 1), (Rgb{0, 255, 0}));
    EXPECT_EQ(image.at(0, 0), (Rgb{0, 0, 255}));
}

TEST_P(Gl, CompileErrorsNameTheFileAndLineOfTheChunk) {
    const ShaderFile files[] = {
        {"v", "void main() { gl_Position = vec4(0.0); }\n"},
        {"f", "#include \"chunk\"\nout vec4 o_colour;\nvoid main() { o_colour = vec4(half_of(1.0)); }\n"},
        {"chunk", "// a chunk\nfloat half_of(float x) {\n    return x * wrong;\n}\n"}};
    const Result<GlProgram> program = GlProgram::make(GetParam(), "v", "f", {{"UNUSED", "1"}}, files);
    ASSERT_FALSE(program);
    EXPECT_NE(program.error().text().find("shaders/chunk:3:"), std::string::npos) << program.error().text();
}

TEST(ShaderText, IncludesAChunkOnceAndSaysWhoAskedForAMissingOne) {
    const ShaderFile files[] = {
        {"a", "#include \"b\"\n#include \"b\"\nlast\n"}, {"b", "from b\n"}, {"c", "\n#include \"d\"\n"}};
    const Result<ShaderText> text = assemble_shader(GlDialect::desktop_33, "a", {{"N", "2"}}, files);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->text, "#version 330 core\n#define N 2\nfrom b\nlast\n");
    EXPECT_EQ(text->origin[3].line, 3);
    const Result<ShaderText> missing = assemble_shader(GlDialect::desktop_33, "c", {}, files);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().text(), "shaders/c:2: no shader file \"d\"; expected one of: a, b, c");
}

TEST(ShaderText, ReadsTheLineNumbersOfThreeKindsOfDrivers) {
    const ShaderFile files[] = {{"a", "one\ntwo\n"}};
    const Result<ShaderText> text = assemble_shader(GlDialect::desktop_33, "a", {}, files);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->name_lines("0:3(7): error: x"), "shaders/a:2: error: x");
    EXPECT_EQ(text->name_lines("0(3) : error C1: x"), "shaders/a:2: error C1: x");
    EXPECT_EQ(text->name_lines("ERROR: 0:2: x"), "ERROR: shaders/a:1: x");
}

} // namespace
} // namespace selvage
