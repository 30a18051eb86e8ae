#pragma once

// The functions and constants of GL 3.3 core. Included by sources of render/ only: its headers speak of plain numbers.
// libOpenGL hands every call to the current context, so the same functions serve a GLES 3.0 context. What GLES 3.0 and
// WebGL 2 lack (glPolygonMode, geometry shaders, glGetTexImage) stays unused.
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>
