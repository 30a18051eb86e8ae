#pragma once

#include "render/gl_program.h"
#include "render/shading/fabric_shading.h"

namespace selvage {

/// Hands a look to a program in use whose shader includes fabric_shading.glsl: the uniform `u_fabric`.
void set_fabric(GlProgram& program, const PreparedLook& prepared);

} // namespace selvage
