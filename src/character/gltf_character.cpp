#include "character/gltf_character.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/atomic_file.h"
#include "character/gltf_parts.h"

namespace selvage {

namespace {

constexpr std::uint64_t kMaxCharacterBytes = std::uint64_t{1} << 32; // what the container can hold

/// Of a node; fails on a matrix that is more than translation, rotation and scale, and on a scale of zero.
Result<JointTransform> node_transform(const tinygltf::Model& model, int index, const std::string& location) {
    const tinygltf::Node& node = model.nodes[static_cast<std::size_t>(index)];
    const auto fail = [&](const auto&... parts) {
        return Error{concat(gltf_node_name(model, index), parts...), location};
    };
    JointTransform out;
    const std::vector<double>& m = node.matrix; // columns
    if (m.size() == 16) {
        const Affine given{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[12], m[13], m[14]}};
        out.translation = given.origin;
        out.scale = {length(given.x), length(given.y), length(given.z)};
        if (given.mirrors()) out.scale.x = -out.scale.x;
        if (out.scale.x == 0.0 || out.scale.y == 0.0 || out.scale.z == 0.0) return fail(" has a scale of zero");
        const Vec3 x = given.x / out.scale.x, y = given.y / out.scale.y, z = given.z / out.scale.z;
        const Vec3 turn = rotation_vector({{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}});
        out.rotation = quaternion_about(turn);
        const Affine again = out.affine();
        const double size = std::max({length(given.x), length(given.y), length(given.z)});
        if (!(length(again.x - given.x) + length(again.y - given.y) + length(again.z - given.z) < 1e-4 * size))
            return fail(" has a matrix that is no translation, rotation and scale");
    } else {
        if (const std::vector<double>& t = node.translation; t.size() == 3) out.translation = {t[0], t[1], t[2]};
        if (const std::vector<double>& q = node.rotation; q.size() == 4)
            out.rotation = normalized(Quaternion{q[0], q[1], q[2], q[3]});
        if (const std::vector<double>& s = node.scale; s.size() == 3) out.scale = {s[0], s[1], s[2]};
    }
    if (out.scale.x == 0.0 || out.scale.y == 0.0 || out.scale.z == 0.0)
        return fail(" has a scale of zero; expected one that keeps the surface whole");
    if (!is_finite(out.translation) || !is_finite(out.scale)) return fail(" has a place or scale that is not finite");
    return out;
}

class CharacterReader {
public:
    CharacterReader(const tinygltf::Model& model, const nlohmann::json& extras, const std::string& location)
        : model_(model), extras_(extras), location_(location) {}

    Status read(std::vector<std::string>& warnings) {
        if (Status ok = read_nodes(); !ok) return ok;
        body_.skin.first.push_back(0);
        for (const int node : order_)
            if (Status ok = read_node_mesh(node); !ok) return ok;
        if (body_.mesh.triangles.empty()) return fail("holds no triangles in its default scene");
        if (worst_sum_ > 1e-3)
            warnings.push_back(concat(location_, ": skin weights that add up to 1 only within ", worst_sum_,
                                      "; scaled to a sum of 1"));
        if (skipped_ > 0)
            warnings.push_back(concat(location_, ": ", skipped_, " primitives of points or lines skipped"));
        weld();
        return read_gltf_animations(model_, extras_, nodes_, location_, body_.animations, warnings);
    }
    Character take() { return std::move(body_); }
    GltfCorners take_corners() { return std::move(corners_); }

private:
    template <class... Parts>
    Error fail(const Parts&... parts) const {
        return {concat(parts...), location_};
    }

    std::vector<int> roots() const {
        if (!model_.scenes.empty()) {
            const auto scene = static_cast<std::size_t>(std::max(model_.defaultScene, 0));
            return scene < model_.scenes.size() ? model_.scenes[scene].nodes : std::vector<int>{};
        }
        std::vector<char> is_child(model_.nodes.size(), 0);
        for (const tinygltf::Node& node : model_.nodes)
            for (const int child : node.children)
                if (child >= 0 && child < static_cast<int>(is_child.size())) is_child[child] = 1;
        std::vector<int> out;
        for (std::size_t i = 0; i < is_child.size(); ++i)
            if (!is_child[i]) out.push_back(static_cast<int>(i));
        return out;
    }

    /// Every node of the scene becomes a joint, parents first.
    Status read_nodes() {
        const auto count = static_cast<int>(model_.nodes.size());
        nodes_.joint.assign(model_.nodes.size(), -1);
        nodes_.first_morph.assign(model_.nodes.size(), 0);
        nodes_.morph_count.assign(model_.nodes.size(), 0);
        std::vector<std::pair<int, int>> found; // with the parent's joint
        for (const int root : roots())
            found.emplace_back(root, -1);
        for (std::size_t next = 0; next < found.size(); ++next) {
            const auto [index, parent] = found[next];
            if (index < 0 || index >= count) return fail("names node ", index, "; it has ", count);
            if (nodes_.joint[index] >= 0) return fail("reaches node ", index, " twice; expected a tree");
            const Result<JointTransform> rest = node_transform(model_, index, location_);
            if (!rest) return rest.error();
            nodes_.joint[index] = static_cast<int>(body_.skeleton.joints.size());
            const tinygltf::Node& node = model_.nodes[index];
            body_.skeleton.joints.push_back({node.name.empty() ? concat("node", index) : node.name, parent, *rest});
            order_.push_back(index);
            for (const int child : node.children)
                found.emplace_back(child, nodes_.joint[index]);
        }
        return Done{};
    }

    Status read_node_mesh(int index) {
        const tinygltf::Node& node = model_.nodes[index];
        if (node.mesh < 0) return Done{};
        if (node.mesh >= static_cast<int>(model_.meshes.size()))
            return fail("names mesh ", node.mesh, "; it has ", model_.meshes.size());
        const tinygltf::Mesh& mesh = model_.meshes[node.mesh];
        GltfSkin skin;
        if (node.skin >= 0) {
            const Result<GltfSkin> found =
                read_gltf_skin(model_, extras_, node.skin, nodes_, location_, body_.skeleton);
            if (!found) return found.error();
            skin = *found;
        } else { // the whole mesh hangs on its node
            skin = {static_cast<int>(body_.skeleton.bones.size()), 0};
            body_.skeleton.bones.push_back({nodes_.joint[index], {}});
        }
        for (const tinygltf::Primitive& primitive : mesh.primitives)
            nodes_.morph_count[index] = std::max(nodes_.morph_count[index], static_cast<int>(primitive.targets.size()));
        nodes_.first_morph[index] = static_cast<int>(body_.morphs.size());
        const std::vector<double>& weights = node.weights.empty() ? mesh.weights : node.weights;
        for (int k = 0; k < nodes_.morph_count[index]; ++k) {
            MorphTarget target;
            target.name = concat(mesh.name.empty() ? concat("mesh", node.mesh) : mesh.name, ".", k);
            target.rest_weight =
                static_cast<std::size_t>(k) < weights.size() ? weights[static_cast<std::size_t>(k)] : 0.0;
            body_.morphs.push_back(std::move(target));
        }
        for (std::size_t i = 0; i < mesh.primitives.size(); ++i) {
            const std::string what = concat("mesh ", node.mesh, " primitive ", i);
            if (Status ok = read_primitive(mesh.primitives[i], index, skin, what); !ok) return ok;
        }
        return Done{};
    }

    Result<std::vector<Vec3>> read_vectors(int accessor, const std::string& what) const {
        const Result<AccessorView> view = view_accessor(model_, accessor, TINYGLTF_TYPE_VEC3, what, location_);
        if (!view) return view.error();
        if (view->count > static_cast<std::size_t>(kMaxVertices))
            return fail(what, " has ", view->count, " vertices; expected at most ", kMaxVertices);
        std::vector<Vec3> out(view->count);
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = {view->number(i, 0), view->number(i, 1), view->number(i, 2)};
            if (!is_finite(out[i])) return fail(what, " vertex ", i, " has a coordinate that is not finite");
        }
        return out;
    }

    Status read_primitive(const tinygltf::Primitive& primitive, int node, const GltfSkin& skin,
                          const std::string& what) {
        const int mode = primitive.mode < 0 ? TINYGLTF_MODE_TRIANGLES : primitive.mode;
        if (mode < TINYGLTF_MODE_TRIANGLES || mode > TINYGLTF_MODE_TRIANGLE_FAN) {
            ++skipped_;
            return Done{};
        }
        const auto position = primitive.attributes.find("POSITION");
        if (position == primitive.attributes.end()) return fail(what, " has no POSITION");
        const Result<std::vector<Vec3>> points = read_vectors(position->second, what + " POSITION");
        if (!points) return points.error();
        const int first = body_.mesh.vertex_count();
        if (points->size() + body_.mesh.positions.size() > static_cast<std::size_t>(kMaxVertices))
            return fail(what, " brings the vertices to more than ", kMaxVertices);
        body_.mesh.positions.insert(body_.mesh.positions.end(), points->begin(), points->end());
        if (skin.bone_count > 0) {
            if (Status ok =
                    read_gltf_weights(model_, primitive, points->size(), skin, what, location_, body_.skin, worst_sum_);
                !ok)
                return ok;
        } else {
            for (std::size_t v = 0; v < points->size(); ++v) {
                body_.skin.bone.push_back(skin.first_bone);
                body_.skin.weight.push_back(1.0);
                body_.skin.first.push_back(static_cast<int>(body_.skin.bone.size()));
            }
        }
        for (std::size_t k = 0; k < primitive.targets.size(); ++k)
            if (Status ok = read_target(primitive.targets[k], nodes_.first_morph[node] + static_cast<int>(k), first,
                                        points->size(), concat(what, " target ", k));
                !ok)
                return ok;
        const int first_triangle = body_.mesh.triangle_count();
        if (Status ok = read_triangles(primitive, mode, first, static_cast<int>(points->size()), what); !ok) return ok;
        corners_.primitives.push_back({&primitive, first, static_cast<int>(points->size()), first_triangle,
                                       body_.mesh.triangle_count() - first_triangle});
        return Done{};
    }

    Status read_target(const std::map<std::string, int>& target, int morph, int first, std::size_t count,
                       const std::string& what) {
        const auto position = target.find("POSITION");
        if (position == target.end()) return Done{};
        const Result<std::vector<Vec3>> moved = read_vectors(position->second, what + " POSITION");
        if (!moved) return moved.error();
        if (moved->size() != count) return fail(what, " moves ", moved->size(), " vertices; the primitive has ", count);
        MorphTarget& out = body_.morphs[static_cast<std::size_t>(morph)];
        for (std::size_t i = 0; i < count; ++i)
            if ((*moved)[i] != Vec3{}) {
                out.vertices.push_back(first + static_cast<int>(i));
                out.offsets.push_back((*moved)[i]);
            }
        return Done{};
    }

    Status read_triangles(const tinygltf::Primitive& primitive, int mode, int first, int count,
                          const std::string& what) {
        std::vector<int> indices;
        if (primitive.indices < 0) {
            for (int i = 0; i < count; ++i)
                indices.push_back(i);
        } else {
            const Result<AccessorView> view =
                view_accessor(model_, primitive.indices, TINYGLTF_TYPE_SCALAR, what + " indices", location_);
            if (!view) return view.error();
            for (std::size_t i = 0; i < view->count; ++i) {
                const double index = view->number(i, 0);
                if (!(index >= 0.0 && index < count))
                    return fail(what, " index ", i, " is ", index, "; the primitive has ", count, " vertices");
                indices.push_back(static_cast<int>(index));
            }
        }
        const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
            body_.mesh.triangles.push_back({first + indices[a], first + indices[b], first + indices[c]});
        };
        const std::size_t n = indices.size();
        for (std::size_t i = 0; i + 2 < n; i += mode == TINYGLTF_MODE_TRIANGLES ? 3 : 1) {
            if (mode == TINYGLTF_MODE_TRIANGLE_FAN)
                add(i + 1, i + 2, 0);
            else if (mode == TINYGLTF_MODE_TRIANGLE_STRIP && i % 2 == 1)
                add(i, i + 2, i + 1); // every other triangle of a strip runs backwards
            else
                add(i, i + 1, i + 2);
        }
        return Done{};
    }

    /// Vertices that always move as one become one: glTF splits them where texture or normals break.
    void weld() {
        std::vector<std::string> key(body_.mesh.positions.size());
        const auto append = [](std::string& text, const auto& number) {
            char bytes[sizeof(number)];
            std::memcpy(bytes, &number, sizeof(number));
            text.append(bytes, sizeof(number));
        };
        for (std::size_t v = 0; v < key.size(); ++v) {
            const Vec3& p = body_.mesh.positions[v];
            for (const double c : {p.x + 0.0, p.y + 0.0, p.z + 0.0}) // -0 is 0
                append(key[v], c);
            for (int k = body_.skin.first[v]; k < body_.skin.first[v + 1]; ++k) {
                append(key[v], body_.skin.bone[k]);
                append(key[v], body_.skin.weight[k]);
            }
        }
        for (std::size_t m = 0; m < body_.morphs.size(); ++m)
            for (std::size_t i = 0; i < body_.morphs[m].vertices.size(); ++i) {
                std::string& text = key[body_.morphs[m].vertices[i]];
                append(text, m);
                for (const double c :
                     {body_.morphs[m].offsets[i].x, body_.morphs[m].offsets[i].y, body_.morphs[m].offsets[i].z})
                    append(text, c);
            }
        std::map<std::string, int> seen;
        std::vector<int> index(key.size());
        Character welded;
        welded.skin.first.push_back(0);
        std::vector<char> is_new(key.size(), 0);
        for (std::size_t v = 0; v < key.size(); ++v) {
            const auto [found, added] = seen.try_emplace(std::move(key[v]), welded.mesh.vertex_count());
            index[v] = found->second;
            if (!added) continue;
            is_new[v] = 1;
            welded.mesh.positions.push_back(body_.mesh.positions[v]);
            for (int k = body_.skin.first[v]; k < body_.skin.first[v + 1]; ++k) {
                welded.skin.bone.push_back(body_.skin.bone[k]);
                welded.skin.weight.push_back(body_.skin.weight[k]);
            }
            welded.skin.first.push_back(static_cast<int>(welded.skin.bone.size()));
        }
        for (MorphTarget& target : body_.morphs) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < target.vertices.size(); ++i)
                if (is_new[target.vertices[i]]) {
                    target.vertices[kept] = index[target.vertices[i]];
                    target.offsets[kept++] = target.offsets[i];
                }
            target.vertices.resize(kept);
            target.offsets.resize(kept);
        }
        corners_.triangles = body_.mesh.triangles;
        for (Triangle& t : body_.mesh.triangles)
            t = {index[t[0]], index[t[1]], index[t[2]]};
        corners_.vertex = std::move(index);
        body_.mesh.positions = std::move(welded.mesh.positions);
        body_.skin = std::move(welded.skin);
    }

    const tinygltf::Model& model_;
    const nlohmann::json& extras_;
    const std::string& location_;
    Character body_;
    GltfCorners corners_;
    GltfNodes nodes_;
    std::vector<int> order_; // nodes of the scene, parents first
    double worst_sum_ = 0.0;
    int skipped_ = 0;
};

} // namespace

Result<GltfCorners> read_gltf_corners(const tinygltf::Model& model, const nlohmann::json& extras,
                                      const std::string& location) {
    CharacterReader reader(model, extras, location);
    std::vector<std::string> warnings; // who reads the character has told them
    if (const Status ok = reader.read(warnings); !ok) return ok.error();
    return reader.take_corners();
}

Result<Character> read_character(const std::filesystem::path& path, std::vector<std::string>& warnings) {
    const std::string location = path.string();
    const std::string extension = lower_extension(path);
    if (extension != ".glb" && extension != ".gltf")
        return Error{concat("found a name that ends in \"", path.extension().string(), "\"; expected .glb or .gltf"),
                     location};
    const Result<std::string> content = read_file(path, kMaxCharacterBytes);
    if (!content) return content.error();
    try {
        const Result<tinygltf::Model> model = load_gltf(*content, path);
        if (!model) return model.error();
        const Result<nlohmann::json> extras = gltf_extras(*content, path);
        if (!extras) return extras.error();
        CharacterReader reader(*model, *extras, location);
        if (Status ok = reader.read(warnings); !ok) return ok.error();
        Character body = reader.take();
        body.name = path.stem().string();
        return body;
    } catch (const std::exception& failure) { // of the libraries; memory that a broken file asks for, mostly
        return Error{concat("cannot be read: ", failure.what()), location};
    }
}

} // namespace selvage
