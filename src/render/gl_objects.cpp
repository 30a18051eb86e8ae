#include "render/gl_objects.h"

#include <cstdint>

#include "base/assert.h"
#include "render/gl_api.h"
#include "render/gl_formats_internal.h"

namespace selvage {

void destroy_buffer(unsigned name) {
    glDeleteBuffers(1, &name);
}
void destroy_vertex_array(unsigned name) {
    glDeleteVertexArrays(1, &name);
}
void destroy_texture(unsigned name) {
    glDeleteTextures(1, &name);
}

namespace {

template <class Generate>
unsigned generate(Generate generate_names) {
    GLuint name = 0;
    generate_names(1, &name);
    return name;
}

GLenum target_of(GlTexture::Kind kind) {
    return kind == GlTexture::Kind::cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
}

/// On a unit of its own: making a texture must not take the place of one that a program is about to read.
void bind_to_edit(GLenum target, unsigned name) {
    constexpr GLenum kSpareUnit = GL_TEXTURE15; // GLES 3.0 promises 16
    glActiveTexture(kSpareUnit);
    glBindTexture(target, name);
}

void set_sampling(GLenum target, GLint filter_small, GLint filter_large, GLint wrap) {
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter_small);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter_large);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, wrap);
}

} // namespace

GlFormat gl_format(PixelFormat format) {
    switch (format) {
    case PixelFormat::rgba8:
        return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    case PixelFormat::rgba16f:
        return {GL_RGBA16F, GL_RGBA, GL_FLOAT};
    case PixelFormat::rgba32f:
        return {GL_RGBA32F, GL_RGBA, GL_FLOAT};
    case PixelFormat::r16f:
        return {GL_R16F, GL_RED, GL_FLOAT};
    case PixelFormat::rg16f:
        return {GL_RG16F, GL_RG, GL_FLOAT};
    case PixelFormat::depth32f:
        return {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT};
    }
    return {};
}

GlBuffer::GlBuffer(Use use) : name_(generate(glGenBuffers)), use_(use) {}

void GlBuffer::bind() const {
    glBindBuffer(use_ == Use::vertices ? GL_ARRAY_BUFFER : GL_ELEMENT_ARRAY_BUFFER, name_.get());
}

void GlBuffer::set(const void* data, std::size_t bytes) {
    // An index buffer bound while some vertex array is current would become that array's.
    if (use_ == Use::indices) glBindVertexArray(0);
    bind();
    const GLenum target = use_ == Use::vertices ? GL_ARRAY_BUFFER : GL_ELEMENT_ARRAY_BUFFER;
    if (bytes == bytes_ && bytes > 0)
        glBufferSubData(target, 0, static_cast<GLsizeiptr>(bytes), data);
    else
        glBufferData(target, static_cast<GLsizeiptr>(bytes), data, GL_DYNAMIC_DRAW);
    bytes_ = bytes;
}

GlVertexArray::GlVertexArray() : name_(generate(glGenVertexArrays)) {}

void GlVertexArray::add(const GlBuffer& buffer, std::initializer_list<VertexAttribute> attributes) {
    glBindVertexArray(name_.get());
    buffer.bind();
    for (const VertexAttribute& a : attributes) {
        const GLuint location = static_cast<GLuint>(a.location);
        glEnableVertexAttribArray(location);
        glVertexAttribPointer(location, a.components, GL_FLOAT, GL_FALSE, a.stride,
                              reinterpret_cast<const void*>(static_cast<std::uintptr_t>(a.offset)));
    }
    glBindVertexArray(0);
}

void GlVertexArray::set_indices(const GlBuffer& indices) {
    glBindVertexArray(name_.get());
    indices.bind();
    glBindVertexArray(0);
}

void GlVertexArray::draw_triangles(int first_index, int index_count) const {
    glBindVertexArray(name_.get());
    const std::uintptr_t offset = static_cast<std::uintptr_t>(first_index) * sizeof(std::uint32_t);
    glDrawElements(GL_TRIANGLES, index_count, GL_UNSIGNED_INT, reinterpret_cast<const void*>(offset));
    glBindVertexArray(0);
}

void GlVertexArray::draw_lines(int first_vertex, int vertex_count) const {
    glBindVertexArray(name_.get());
    glDrawArrays(GL_LINES, first_vertex, vertex_count);
    glBindVertexArray(0);
}

void GlVertexArray::draw_vertices(int vertex_count) const {
    glBindVertexArray(name_.get());
    glDrawArrays(GL_TRIANGLES, 0, vertex_count);
    glBindVertexArray(0);
}

GlTexture::GlTexture(int width, int height, PixelFormat format) : name_(generate(glGenTextures)) {
    const GlFormat f = gl_format(format);
    bind_to_edit(GL_TEXTURE_2D, name_.get());
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(f.internal), width, height, 0, f.layout, f.type, nullptr);
    // Depth and 32-bit floats cannot be blended between texels everywhere.
    const bool filterable = format != PixelFormat::depth32f && format != PixelFormat::rgba32f;
    const GLint filter = filterable ? GL_LINEAR : GL_NEAREST;
    set_sampling(GL_TEXTURE_2D, filter, filter, GL_CLAMP_TO_EDGE);
}

GlTexture GlTexture::from_rgba8(int width, int height, std::span<const unsigned char> pixels, bool repeat, bool srgb) {
    SELVAGE_ASSERT(pixels.size() == static_cast<std::size_t>(width) * height * 4);
    GlTexture texture(generate(glGenTextures), Kind::flat);
    bind_to_edit(GL_TEXTURE_2D, texture.name());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    set_sampling(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, repeat ? GL_REPEAT : GL_CLAMP_TO_EDGE);
    return texture;
}

GlTexture GlTexture::from_float_rgba(int width, int height, std::span<const float> pixels, PixelFormat format) {
    SELVAGE_ASSERT(pixels.size() == static_cast<std::size_t>(width) * height * 4);
    SELVAGE_ASSERT(format == PixelFormat::rgba16f || format == PixelFormat::rgba32f);
    GlTexture texture(width, height, format);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_FLOAT, pixels.data());
    return texture;
}

GlTexture GlTexture::cube_from_float_rgba(int side, std::span<const std::span<const float>> faces) {
    SELVAGE_ASSERT(!faces.empty() && faces.size() % 6 == 0);
    GlTexture texture(generate(glGenTextures), Kind::cube);
    bind_to_edit(GL_TEXTURE_CUBE_MAP, texture.name());
    const int levels = static_cast<int>(faces.size() / 6);
    for (int level = 0; level < levels; ++level)
        for (int face = 0; face < 6; ++face) {
            const int size = side >> level;
            const std::span<const float> pixels = faces[static_cast<std::size_t>(level) * 6 + face];
            SELVAGE_ASSERT(pixels.size() == static_cast<std::size_t>(size) * size * 4);
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(face), level, GL_RGBA16F, size, size, 0,
                         GL_RGBA, GL_FLOAT, pixels.data());
        }
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAX_LEVEL, levels - 1);
    set_sampling(GL_TEXTURE_CUBE_MAP, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    return texture;
}

void GlTexture::bind(int unit) const {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(target_of(kind_), name_.get());
}

void GlTexture::set_nearest() {
    bind_to_edit(target_of(kind_), name_.get());
    glTexParameteri(target_of(kind_), GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target_of(kind_), GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void draw_screen() {
    // Core GL wants a vertex array even where a shader reads none.
    const GlVertexArray nothing;
    nothing.draw_vertices(3);
}

} // namespace selvage
