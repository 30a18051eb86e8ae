#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <tiny_gltf.h>

#include "base/result.h"

namespace selvage {

/// The geometry of a glTF file as tinygltf holds it, buffers loaded; images, materials and animations are left out.
/// Indices, offsets and counts inside are as the file has them: nothing has checked them.
Result<tinygltf::Model> load_gltf(const std::string& content, const std::filesystem::path& path);

/// What belongs to a glTF file beside its geometry, as JSON: skins, animations, materials, textures and images, as far as
/// there are any. Nothing has checked it. Fails on what load_gltf fails on before it looks at geometry.
Result<nlohmann::json> gltf_extras(const std::string& content, const std::filesystem::path& path);

/// The numbers of one accessor, inside its buffer for certain.
struct AccessorView {
    const unsigned char* data = nullptr;
    std::size_t count = 0;
    std::size_t stride = 0;
    int component_type = 0;
    bool normalized = false;
    std::vector<unsigned char> filled; ///< What `data` points to of a sparse accessor; else empty.

    AccessorView(const unsigned char* bytes, std::size_t item_count, std::size_t step, int type, bool unit)
        : data(bytes), count(item_count), stride(step), component_type(type), normalized(unit) {}
    AccessorView(AccessorView&&) = default; // a copy would point into the other's bytes
    AccessorView& operator=(AccessorView&&) = default;

    /// Integers as they are, or in [-1, 1] when normalized.
    double number(std::size_t item, std::size_t component) const;
};

/// Fails unless the accessor exists, is of `type` (TINYGLTF_TYPE_...) and lies inside its buffer. `what` names it in
/// the error.
Result<AccessorView> view_accessor(const tinygltf::Model& model, int index, int type, const std::string& what,
                                   const std::string& location);

} // namespace selvage
