#pragma once

#include <array>
#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "math/vec.h"
#include "render/gl_objects.h"
#include "render/shader_text.h"

namespace selvage {

void destroy_program(unsigned name);

/// Column by column, as GL reads it.
using Mat4f = std::array<float, 16>;

/// A vertex and a fragment shader from shaders/, compiled and linked. Uniforms are set by name after use(); one that
/// the compiler dropped as unused is ignored.
class GlProgram {
public:
    GlProgram() = default; ///< None.
    /// Compile errors name the file and line in shaders/.
    static Result<GlProgram> make(GlDialect dialect, const std::string& vertex, const std::string& fragment,
                                  const std::map<std::string, std::string>& defines = {},
                                  std::span<const ShaderFile> files = builtin_shaders());

    void use() const;
    void set(const char* uniform, float value);
    void set(const char* uniform, int value);
    void set(const char* uniform, float x, float y);
    void set(const char* uniform, const Vec3f& value);
    void set(const char* uniform, const std::array<float, 4>& value);
    void set(const char* uniform, const Mat4f& value);
    void set(const char* uniform, std::span<const Vec3f> values);
    /// Binds a texture to a unit and the sampler to it.
    void set_texture(const char* uniform, const GlTexture& texture, int unit);

private:
    int location(const char* uniform);

    GlName<destroy_program> name_;
    std::map<std::string, int> locations_; // asking the driver each time would be slow
};

} // namespace selvage
