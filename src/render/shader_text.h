#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "render/gl_context.h"

namespace selvage {

struct ShaderFile {
    std::string name; ///< Such as "brdf.glsl".
    std::string text;
};

/// The files of shaders/ listed in src/render/CMakeLists.txt, compiled into the program.
const std::vector<ShaderFile>& builtin_shaders();

/// A shader ready for the compiler, and where each of its lines came from.
struct ShaderText {
    struct Origin {
        std::string file;
        int line = 0;
    };
    std::string text;
    std::vector<Origin> origin; ///< Per line of `text`.

    /// A compiler's message with its line numbers replaced by file and line: "shaders/brdf.glsl:12: ...".
    std::string name_lines(const std::string& log) const;
};

/// Puts a shader together: the dialect's `#version` and precisions, one `#define` per entry, then the file with every
/// line `#include "chunk.glsl"` replaced by that chunk (once: repeated inclusions are left out). Files carry no
/// #version.
Result<ShaderText> assemble_shader(GlDialect dialect, const std::string& name,
                                   const std::map<std::string, std::string>& defines = {},
                                   std::span<const ShaderFile> files = builtin_shaders());

} // namespace selvage
