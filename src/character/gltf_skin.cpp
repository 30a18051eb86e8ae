#include <algorithm>
#include <array>
#include <cmath>

#include "character/gltf_parts.h"

namespace selvage {

namespace {

using nlohmann::json;

/// A list of whole numbers from 0; fails on anything else.
Result<std::vector<int>> index_list(const json& value, const std::string& pointer, const std::string& location) {
    std::vector<int> out;
    const bool is_list = value.is_array() && std::all_of(value.begin(), value.end(), [](const json& v) {
                             return v.is_number_unsigned() && v.get<std::uint64_t>() < 0x7FFFFFFFu;
                         });
    if (!is_list) return Error{concat(pointer, ": expected a list of whole numbers from 0"), location};
    for (const json& v : value)
        out.push_back(v.get<int>());
    return out;
}

} // namespace

Result<GltfSkin> read_gltf_skin(const tinygltf::Model& model, const json& extras, int skin, const GltfNodes& nodes,
                                const std::string& location, Skeleton& skeleton) {
    const auto fail = [&](const auto&... parts) { return Error{concat(parts...), location}; };
    const auto skins = extras.find("skins");
    const std::size_t skin_count = skins != extras.end() && skins->is_array() ? skins->size() : 0;
    if (skin < 0 || static_cast<std::size_t>(skin) >= skin_count)
        return fail("names skin ", skin, "; it has ", skin_count);
    const json& entry = (*skins)[static_cast<std::size_t>(skin)];
    const std::string pointer = concat("/skins/", skin);
    if (!entry.is_object() || !entry.contains("joints")) return fail(pointer, " has no joints");
    const Result<std::vector<int>> joints = index_list(entry["joints"], pointer + "/joints", location);
    if (!joints) return joints.error();
    std::vector<Affine> inverse_bind(joints->size());
    if (const auto matrices = entry.find("inverseBindMatrices"); matrices != entry.end()) {
        const Result<std::vector<int>> index =
            index_list(json::array({*matrices}), pointer + "/inverseBindMatrices", location);
        if (!index) return index.error();
        const Result<AccessorView> view = view_accessor(model, index->front(), TINYGLTF_TYPE_MAT4,
                                                        concat("skin ", skin, " inverseBindMatrices"), location);
        if (!view) return view.error();
        if (view->count < joints->size())
            return fail("skin ", skin, " has ", view->count, " inverse bind matrices for ", joints->size(), " joints");
        for (std::size_t j = 0; j < joints->size(); ++j) {
            const auto column = [&](std::size_t c) {
                return Vec3{view->number(j, 4 * c), view->number(j, 4 * c + 1), view->number(j, 4 * c + 2)};
            };
            inverse_bind[j] = {column(0), column(1), column(2), column(3)};
        }
    }
    const GltfSkin out{static_cast<int>(skeleton.bones.size()), static_cast<int>(joints->size())};
    for (std::size_t j = 0; j < joints->size(); ++j) {
        const int node = (*joints)[j];
        if (node >= static_cast<int>(nodes.joint.size()) || nodes.joint[static_cast<std::size_t>(node)] < 0)
            return fail("skin ", skin, " joint ", j, " is node ", node, ", which is not in the scene");
        const Affine& bind = inverse_bind[j];
        const double volume = bind.determinant();
        if (!is_finite(bind.origin) || !(std::abs(volume) > 1e-30 && std::abs(volume) < 1e30))
            return fail("skin ", skin, " joint ", j, " (", gltf_node_name(model, node),
                        ") has an inverse bind matrix of scale zero or that is not finite");
        skeleton.bones.push_back({nodes.joint[static_cast<std::size_t>(node)], bind});
    }
    return out;
}

Status read_gltf_weights(const tinygltf::Model& model, const tinygltf::Primitive& primitive, std::size_t count,
                         const GltfSkin& skin, const std::string& what, const std::string& location, SkinWeights& out,
                         double& worst) {
    const auto fail = [&](const auto&... parts) { return Error{concat(what, parts...), location}; };
    std::vector<AccessorView> joints, weights;
    for (int set = 0; set < 2; ++set) {
        const auto j = primitive.attributes.find(concat("JOINTS_", set)),
                   w = primitive.attributes.find(concat("WEIGHTS_", set));
        if (j == primitive.attributes.end() && w == primitive.attributes.end()) continue;
        if (j == primitive.attributes.end() || w == primitive.attributes.end())
            return fail(" has only one of JOINTS_", set, " and WEIGHTS_", set);
        for (const auto& [name, index] : {std::pair{"JOINTS_", j->second}, std::pair{"WEIGHTS_", w->second}}) {
            Result<AccessorView> view =
                view_accessor(model, index, TINYGLTF_TYPE_VEC4, concat(what, " ", name, set), location);
            if (!view) return view.error();
            if (view->count != count) return fail(" has ", view->count, " ", name, set, " for ", count, " vertices");
            (name[0] == 'J' ? joints : weights).push_back(std::move(*view));
        }
    }
    if (joints.empty()) return fail(" belongs to a skin but has no JOINTS_0 and WEIGHTS_0");
    if (primitive.attributes.contains("JOINTS_2"))
        return fail(" has more than ", kMostInfluences, " influences per vertex (JOINTS_2); export it with fewer");
    for (std::size_t v = 0; v < count; ++v) {
        std::vector<std::pair<double, int>> found;
        double sum = 0.0;
        for (std::size_t set = 0; set < joints.size(); ++set)
            for (std::size_t k = 0; k < 4; ++k) {
                const double weight = weights[set].number(v, k), joint = joints[set].number(v, k);
                if (!(weight >= 0.0 && weight < 1e6))
                    return fail(" vertex ", v, " has weight ", weight, "; expected a number from 0 to 1");
                if (weight == 0.0) continue;
                if (!(joint >= 0.0 && joint < skin.bone_count))
                    return fail(" vertex ", v, " names joint ", joint, "; its skin has ", skin.bone_count);
                found.emplace_back(weight, skin.first_bone + static_cast<int>(joint));
                sum += weight;
            }
        if (!(sum > 0.0)) return fail(" vertex ", v, " has no weight; expected weights that add up to 1");
        worst = std::max(worst, std::abs(sum - 1.0));
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [weight, bone] : found) {
            out.bone.push_back(bone);
            out.weight.push_back(weight / sum);
        }
        out.first.push_back(static_cast<int>(out.bone.size()));
    }
    return Done{};
}

} // namespace selvage
