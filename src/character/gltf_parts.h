#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/concat.h"
#include "character/character.h"
#include "geometry/gltf_file.h"

namespace selvage {

/// What of a glTF file becomes what of a character.
struct GltfNodes {
    std::vector<int> joint;       ///< Of every node; -1: not in the scene.
    std::vector<int> first_morph; ///< Of every node with a mesh: its first morph target.
    std::vector<int> morph_count;
};

/// How errors and warnings call a node.
inline std::string gltf_node_name(const tinygltf::Model& model, int node) {
    const std::string& name = model.nodes[static_cast<std::size_t>(node)].name;
    return name.empty() ? concat("node ", node) : concat("node ", node, " \"", name, "\"");
}

/// A skin's bones, appended to those of the skeleton.
struct GltfSkin {
    int first_bone = 0, bone_count = 0;
};
Result<GltfSkin> read_gltf_skin(const tinygltf::Model& model, const nlohmann::json& extras, int skin,
                                const GltfNodes& nodes, const std::string& location, Skeleton& skeleton);

/// Influences of a primitive's vertices, appended to `out`; scaled to a sum of 1. `worst` becomes the largest distance
/// from it that was found.
Status read_gltf_weights(const tinygltf::Model& model, const tinygltf::Primitive& primitive, std::size_t count,
                         const GltfSkin& skin, const std::string& what, const std::string& location, SkinWeights& out,
                         double& worst);

/// All animations; channels of nodes outside the scene, and of what we do not know, are left out with a warning.
Status read_gltf_animations(const tinygltf::Model& model, const nlohmann::json& extras, const GltfNodes& nodes,
                            const std::string& location, std::vector<Animation>& out,
                            std::vector<std::string>& warnings);

/// The triangles of a character as its file has them: with vertices apart where texture coordinates break.
struct GltfCorners {
    std::vector<int> vertex;         ///< Of the character, per corner.
    std::vector<Triangle> triangles; ///< Of corners, one for each of the character's.
    struct Primitive {
        const tinygltf::Primitive* primitive;
        int corner_begin, corner_count, triangle_begin, triangle_count;
    };
    std::vector<Primitive> primitives; ///< Those of triangles, in their order.
};

/// Reads the character for its corners alone.
Result<GltfCorners> read_gltf_corners(const tinygltf::Model& model, const nlohmann::json& extras,
                                      const std::string& location);

} // namespace selvage
