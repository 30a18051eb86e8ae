#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>

namespace selvage {

/// A GL name that is destroyed with its holder. Names are plain numbers here so that GL's headers stay in the sources.
template <void (*destroy)(unsigned)>
class GlName {
public:
    GlName() = default;
    explicit GlName(unsigned name) : name_(name) {}
    GlName(GlName&& other) noexcept : name_(std::exchange(other.name_, 0u)) {}
    GlName& operator=(GlName&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~GlName() {
        if (name_) destroy(name_);
    }
    unsigned get() const { return name_; }
    explicit operator bool() const { return name_ != 0; }

private:
    unsigned name_ = 0;
};

void destroy_buffer(unsigned name);
void destroy_vertex_array(unsigned name);
void destroy_texture(unsigned name);

enum class PixelFormat { rgba8, rgba16f, rgba32f, r16f, rg16f, depth32f };

/// Vertices or indices. set() keeps the memory where the size stays the same.
class GlBuffer {
public:
    enum class Use { vertices, indices };
    explicit GlBuffer(Use use = Use::vertices);
    void set(const void* data, std::size_t bytes);
    template <class T>
    void set(std::span<const T> data) {
        set(data.data(), data.size_bytes());
    }
    void bind() const;

private:
    GlName<destroy_buffer> name_;
    Use use_;
    std::size_t bytes_ = 0;
};

/// Which floats of a buffer feed which shader input: `layout(location = location) in ...`.
struct VertexAttribute {
    int location;
    int components; ///< 1 to 4 floats.
    int stride;     ///< Bytes from vertex to vertex.
    int offset;     ///< Bytes.
};

/// What one draw call reads. The buffers must outlive it.
class GlVertexArray {
public:
    GlVertexArray();
    void add(const GlBuffer& buffer, std::initializer_list<VertexAttribute> attributes);
    void set_indices(const GlBuffer& indices);
    void draw_triangles(int first_index, int index_count) const; ///< Through the 32-bit indices.
    void draw_lines(int first_vertex, int vertex_count) const;   ///< Pairs, without indices.
    void draw_vertices(int vertex_count) const;                  ///< Triangles, without indices.

private:
    GlName<destroy_vertex_array> name_;
};

/// A 2D texture or a cube of six squares with as many mip levels as were set.
class GlTexture {
public:
    enum class Kind { flat, cube };
    GlTexture() = default; ///< None.
    /// Storage without content, to be drawn into.
    GlTexture(int width, int height, PixelFormat format);
    /// From pixels, row 0 first; `levels` from large to small, each half the one before.
    static GlTexture from_rgba8(int width, int height, std::span<const unsigned char> pixels, bool repeat, bool srgb);
    static GlTexture from_float_rgba(int width, int height, std::span<const float> pixels, PixelFormat format);
    /// faces[level * 6 + face]: side * side * 4 floats, faces in GL's order +x -x +y -y +z -z. Linear between levels.
    static GlTexture cube_from_float_rgba(int side, std::span<const std::span<const float>> faces);

    explicit operator bool() const { return static_cast<bool>(name_); }
    void bind(int unit) const;
    void set_nearest();                           ///< Reads texels as they are; the default is linear.
    unsigned name() const { return name_.get(); } ///< For framebuffers.

private:
    GlTexture(unsigned name, Kind kind) : name_(name), kind_(kind) {}
    GlName<destroy_texture> name_;
    Kind kind_ = Kind::flat;
};

/// One triangle that covers the target; for programs with fill_screen.vert.glsl.
void draw_screen();

} // namespace selvage
