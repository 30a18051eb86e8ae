#include "geometry/gltf_import.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/concat.h"
#include "base/suggest.h"
#include "geometry/gltf_file.h"
#include "math/affine.h"

namespace selvage {

namespace {

constexpr std::size_t kMaxTriangles =
    3 * static_cast<std::size_t>(kMaxVertices); // instances multiply what a file holds

Affine local_transform(const tinygltf::Node& node) {
    const std::vector<double>& m = node.matrix; // columns
    if (m.size() == 16) return {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[12], m[13], m[14]}};
    const std::vector<double>&q = node.rotation, &s = node.scale, &o = node.translation;
    return affine_from(o.size() == 3 ? Vec3{o[0], o[1], o[2]} : Vec3{},
                       q.size() == 4 ? Quaternion{q[0], q[1], q[2], q[3]} : Quaternion{},
                       s.size() == 3 ? Vec3{s[0], s[1], s[2]} : Vec3{1, 1, 1});
}

/// Corners of a primitive's triangles as positions in its index list; `flip` turns them over.
std::vector<Triangle> primitive_corners(int mode, int count, bool flip) {
    std::vector<Triangle> out;
    const auto add = [&](int a, int b, int c) { out.push_back(flip ? Triangle{a, c, b} : Triangle{a, b, c}); };
    if (mode == TINYGLTF_MODE_TRIANGLES)
        for (int i = 0; i + 2 < count; i += 3)
            add(i, i + 1, i + 2);
    if (mode == TINYGLTF_MODE_TRIANGLE_STRIP)
        for (int i = 0; i + 2 < count; ++i)
            add(i, i + 1 + i % 2, i + 2 - i % 2); // every other triangle of a strip runs backwards
    if (mode == TINYGLTF_MODE_TRIANGLE_FAN)
        for (int i = 1; i + 1 < count; ++i)
            add(i, i + 1, 0);
    return out;
}

class SceneReader {
public:
    SceneReader(const tinygltf::Model& model, const std::string& location, VertexScalar* scalar)
        : model_(model), location_(location), scalar_(scalar) {}

    Status read() {
        std::vector<int> roots;
        if (Status ok = find_roots(roots); !ok) return ok;
        std::vector<std::pair<int, Affine>> found; // nodes with their parents' transforms, parents first
        std::vector<char> seen(model_.nodes.size(), 0);
        found.reserve(model_.nodes.size());
        for (const int root : roots)
            found.emplace_back(root, Affine{});
        for (std::size_t next = 0; next < found.size(); ++next) {
            const auto [index, parent] = found[next];
            if (index < 0 || index >= static_cast<int>(model_.nodes.size()))
                return fail("names node ", index, "; it has ", model_.nodes.size());
            // A node has one parent, so a second visit means a loop or a shared child.
            if (std::exchange(seen[static_cast<std::size_t>(index)], 1))
                return fail("reaches node ", index, " twice; expected a tree");
            const tinygltf::Node& node = model_.nodes[static_cast<std::size_t>(index)];
            const Affine world = parent * local_transform(node);
            if (Status ok = add_node_mesh(node, world); !ok) return ok;
            for (const int child : node.children)
                found.emplace_back(child, world);
        }
        return Done{};
    }

    TriangleMesh take(std::vector<std::string>& warnings) {
        const auto warn = [&](int count, const char* what) {
            if (count > 0) warnings.push_back(concat(location_, ": ", count, what));
        };
        warn(skipped_primitives_, " primitives of points or lines skipped");
        warn(skinned_nodes_, " skinned meshes taken undeformed");
        if (misses_some_uv_) {
            if (!mesh_.uv.empty())
                warnings.push_back(concat(location_, ": ignored texture coordinates, which not every primitive has"));
            mesh_.uv.clear();
        }
        if (scalar_) scalar_->points = mesh_.positions;
        weld_positions(mesh_);
        return std::move(mesh_);
    }

private:
    template <class... Parts>
    Error fail(const Parts&... parts) const {
        return {concat(parts...), location_};
    }

    /// The default scene's nodes; in a file without scenes, every node that is no child.
    Status find_roots(std::vector<int>& roots) const {
        if (!model_.scenes.empty()) {
            const int scene = std::max(model_.defaultScene, 0);
            if (scene >= static_cast<int>(model_.scenes.size()))
                return fail("has scene ", scene, " as default, but only ", model_.scenes.size(), " scenes");
            roots = model_.scenes[static_cast<std::size_t>(scene)].nodes;
            return Done{};
        }
        std::vector<char> is_child(model_.nodes.size(), 0);
        for (const tinygltf::Node& node : model_.nodes)
            for (const int child : node.children)
                if (child >= 0 && child < static_cast<int>(is_child.size()))
                    is_child[static_cast<std::size_t>(child)] = 1;
        for (std::size_t i = 0; i < is_child.size(); ++i)
            if (!is_child[i]) roots.push_back(static_cast<int>(i));
        return Done{};
    }

    Status add_node_mesh(const tinygltf::Node& node, const Affine& world) {
        if (node.mesh < 0) return Done{};
        if (node.mesh >= static_cast<int>(model_.meshes.size()))
            return fail("names mesh ", node.mesh, "; it has ", model_.meshes.size());
        if (node.skin >= 0) ++skinned_nodes_;
        const tinygltf::Mesh& mesh = model_.meshes[static_cast<std::size_t>(node.mesh)];
        for (std::size_t i = 0; i < mesh.primitives.size(); ++i) {
            const std::string what = concat("mesh ", node.mesh, " primitive ", i);
            if (++visited_primitives_ > kMaxVertices) return fail("has more than ", kMaxVertices, " primitives");
            const std::vector<double>& weights = node.weights.empty() ? mesh.weights : node.weights;
            if (Status ok = add_primitive(mesh.primitives[i], weights, world, what); !ok) return ok;
        }
        return Done{};
    }

    Status add_primitive(const tinygltf::Primitive& primitive, const std::vector<double>& weights, const Affine& world,
                         const std::string& what) {
        const int mode = primitive.mode < 0 ? TINYGLTF_MODE_TRIANGLES : primitive.mode;
        if (mode < TINYGLTF_MODE_TRIANGLES || mode > TINYGLTF_MODE_TRIANGLE_FAN) {
            ++skipped_primitives_;
            return Done{};
        }
        const int first = mesh_.vertex_count();
        if (Status ok = add_vertices(primitive, weights, world, what); !ok) return ok;
        std::vector<int> indices;
        if (Status ok = read_indices(primitive, mesh_.vertex_count() - first, what, indices); !ok) return ok;
        if (mesh_.triangles.size() + indices.size() > kMaxTriangles)
            return fail("has more than ", kMaxTriangles, " triangles");
        for (const Triangle& corners : primitive_corners(mode, static_cast<int>(indices.size()), world.mirrors()))
            mesh_.triangles.push_back(
                {first + indices[corners[0]], first + indices[corners[1]], first + indices[corners[2]]});
        return Done{};
    }

    Status add_vertices(const tinygltf::Primitive& primitive, const std::vector<double>& weights, const Affine& world,
                        const std::string& what) {
        const auto position = primitive.attributes.find("POSITION");
        if (position == primitive.attributes.end()) return fail(what, " has no POSITION");
        const Result<AccessorView> points =
            view_accessor(model_, position->second, TINYGLTF_TYPE_VEC3, what + " POSITION", location_);
        if (!points) return points.error();
        if (points->count + mesh_.positions.size() > static_cast<std::size_t>(kMaxVertices))
            return fail(what, " brings the vertices to ", points->count + mesh_.positions.size(), "; expected at most ",
                        kMaxVertices);
        std::vector<Vec3> local(points->count);
        for (std::size_t i = 0; i < points->count; ++i)
            local[i] = {points->number(i, 0), points->number(i, 1), points->number(i, 2)};
        for (std::size_t k = 0; k < std::min(weights.size(), primitive.targets.size()); ++k)
            if (Status ok = add_target(primitive.targets[k], weights[k], concat(what, " target ", k), local); !ok)
                return ok;
        for (std::size_t i = 0; i < points->count; ++i) {
            mesh_.positions.push_back(world.point(local[i]));
            if (!is_finite(mesh_.positions.back()))
                return fail(what, " vertex ", i, " has a coordinate that is not finite");
        }
        if (Status ok = add_scalar(primitive, points->count, what); !ok) return ok;
        return add_uv(primitive, points->count, what);
    }

    Status add_scalar(const tinygltf::Primitive& primitive, std::size_t count, const std::string& what) {
        if (!scalar_) return Done{};
        const auto attribute = primitive.attributes.find(scalar_->name);
        if (attribute == primitive.attributes.end()) {
            for (const auto& [name, accessor] : primitive.attributes)
                if (name.starts_with("_") || name.starts_with("COLOR_")) scalar_->known.push_back(name);
            return fail(what, " has no attribute ", scalar_->name, "; expected ",
                        scalar_->known.empty() ? "a custom attribute, whose name begins with _" : join(scalar_->known));
        }
        const int index = attribute->second;
        int type = TINYGLTF_TYPE_SCALAR; // of colours the first channel is read
        if (index >= 0 && index < static_cast<int>(model_.accessors.size()))
            for (const int colour : {TINYGLTF_TYPE_VEC3, TINYGLTF_TYPE_VEC4})
                if (model_.accessors[static_cast<std::size_t>(index)].type == colour) type = colour;
        const Result<AccessorView> view =
            view_accessor(model_, index, type, concat(what, " ", scalar_->name), location_);
        if (!view) return view.error();
        if (view->count != count)
            return fail(what, " has ", view->count, " ", scalar_->name, " for ", count, " POSITION");
        for (std::size_t i = 0; i < count; ++i)
            scalar_->values.push_back(view->number(i, 0));
        return Done{};
    }

    /// The file's own pose may be one of its morph targets.
    Status add_target(const std::map<std::string, int>& target, double weight, const std::string& what,
                      std::vector<Vec3>& points) const {
        const auto position = target.find("POSITION");
        if (weight == 0.0 || position == target.end()) return Done{};
        const Result<AccessorView> moved =
            view_accessor(model_, position->second, TINYGLTF_TYPE_VEC3, what + " POSITION", location_);
        if (!moved) return moved.error();
        if (moved->count != points.size())
            return fail(what, " moves ", moved->count, " vertices; the primitive has ", points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            points[i] += weight * Vec3{moved->number(i, 0), moved->number(i, 1), moved->number(i, 2)};
        return Done{};
    }

    Status add_uv(const tinygltf::Primitive& primitive, std::size_t count, const std::string& what) {
        const auto texcoord = primitive.attributes.find("TEXCOORD_0");
        if (texcoord == primitive.attributes.end()) {
            misses_some_uv_ = true;
            return Done{};
        }
        const Result<AccessorView> uv =
            view_accessor(model_, texcoord->second, TINYGLTF_TYPE_VEC2, what + " TEXCOORD_0", location_);
        if (!uv) return uv.error();
        if (uv->count != count) return fail(what, " has ", uv->count, " TEXCOORD_0 for ", count, " POSITION");
        for (std::size_t i = 0; i < count; ++i)
            mesh_.uv.push_back({uv->number(i, 0), uv->number(i, 1)});
        return Done{};
    }

    Status read_indices(const tinygltf::Primitive& primitive, int vertex_count, const std::string& what,
                        std::vector<int>& indices) const {
        if (primitive.indices < 0) {
            for (int i = 0; i < vertex_count; ++i)
                indices.push_back(i);
            return Done{};
        }
        const Result<AccessorView> view =
            view_accessor(model_, primitive.indices, TINYGLTF_TYPE_SCALAR, what + " indices", location_);
        if (!view) return view.error();
        if (view->component_type == TINYGLTF_COMPONENT_TYPE_FLOAT) return fail(what, " has indices that are floats");
        if (view->count > kMaxTriangles) return fail(what, " has ", view->count, " indices");
        indices.reserve(view->count);
        for (std::size_t i = 0; i < view->count; ++i) {
            const double index = view->number(i, 0);
            if (!(index >= 0.0 && index < vertex_count))
                return fail(what, " index ", i, " is ", index, "; the primitive has ", vertex_count, " vertices");
            indices.push_back(static_cast<int>(index));
        }
        return Done{};
    }

    const tinygltf::Model& model_;
    const std::string& location_;
    VertexScalar* scalar_; // null: none is asked for
    TriangleMesh mesh_;
    bool misses_some_uv_ = false;
    int skipped_primitives_ = 0, skinned_nodes_ = 0;
    long long visited_primitives_ = 0;
};

} // namespace

Result<TriangleMesh> read_gltf(const std::string& content, const std::filesystem::path& path,
                               std::vector<std::string>& warnings, VertexScalar* scalar) {
    const Result<tinygltf::Model> model = load_gltf(content, path);
    if (!model) return model.error();
    const std::string location = path.string();
    SceneReader reader(*model, location, scalar);
    if (const Status ok = reader.read(); !ok) return ok.error();
    TriangleMesh mesh = reader.take(warnings);
    if (mesh.triangles.empty()) return Error{"holds no triangles in its default scene", location};
    return mesh;
}

} // namespace selvage
