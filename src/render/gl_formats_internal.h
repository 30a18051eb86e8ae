#pragma once

#include "render/gl_api.h"
#include "render/gl_objects.h"

namespace selvage {

struct GlFormat {
    GLenum internal = 0, layout = 0, type = 0;
};

GlFormat gl_format(PixelFormat format);

} // namespace selvage
