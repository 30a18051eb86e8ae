// The readers of .glb and .obj files that others wrote: their headers turn into code here and nowhere else.

#define TINYGLTF_IMPLEMENTATION
#include <tiny_gltf.h>

#define TINYOBJLOADER_IMPLEMENTATION
#include <tiny_obj_loader.h>
