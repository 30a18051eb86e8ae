#include "geometry/triangle_mesh.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/concat.h"

namespace selvage {

namespace {

// Warnings name this many elements of a kind; a broken file can have millions.
constexpr int kNamedElements = 5;

class WarningList {
public:
    WarningList(std::string what, const std::string& location) : what_(std::move(what)), location_(location) {}

    void add(const std::string& element) {
        if (count_++ < kNamedElements) named_ += (named_.empty() ? "" : ", ") + element;
    }
    void flush(std::vector<std::string>& warnings) const {
        if (count_ == 0) return;
        const std::string more = count_ > kNamedElements ? concat(" and ", count_ - kNamedElements, " more") : "";
        warnings.push_back(concat(location_, ": ", what_, ": ", named_, more));
    }

private:
    std::string what_;
    const std::string& location_;
    std::string named_;
    int count_ = 0;
};

std::string describe(int index, const Triangle& t) {
    return concat("triangle ", index, " (", t[0], " ", t[1], " ", t[2], ")");
}

} // namespace

double triangle_area(const TriangleMesh& mesh, int triangle) {
    const Triangle& t = mesh.triangles[triangle];
    return 0.5 * length(doubled_area_normal(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]));
}

namespace {

/// Flags every triangle that has the same corners as one before it.
std::vector<char> find_repeated(const std::vector<Triangle>& triangles) {
    std::vector<std::pair<Triangle, int>> sorted;
    sorted.reserve(triangles.size());
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        sorted.emplace_back(triangles[i], static_cast<int>(i));
        std::sort(sorted.back().first.begin(), sorted.back().first.end());
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> repeated(triangles.size(), 0);
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].first == sorted[i - 1].first) repeated[sorted[i].second] = 1;
    return repeated;
}

} // namespace

Status check_mesh(TriangleMesh& mesh, const std::string& location, std::vector<std::string>& warnings) {
    if (mesh.positions.empty()) return Error{"has no vertices; expected at least 3", location};
    if (mesh.triangles.empty()) return Error{"has no triangles; expected at least 1", location};
    for (int i = 0; i < mesh.vertex_count(); ++i)
        if (!is_finite(mesh.positions[i]))
            return Error{concat("vertex ", i, " has a coordinate that is not finite"), location};

    const int n = mesh.vertex_count();
    const int uv_count = static_cast<int>(mesh.uv.size());
    WarningList doubled("dropped triangles that name a vertex twice", location);
    WarningList repeated("dropped triangles that repeat another", location);
    const std::vector<char> is_repeated = find_repeated(mesh.triangles);
    TriangleMesh sound;
    for (int index = 0; index < mesh.triangle_count(); ++index) {
        const Triangle& t = mesh.triangles[index];
        for (const int v : t)
            if (v < 0 || v >= n)
                return Error{concat(describe(index, t), " names vertex ", v, "; the mesh has ", n), location};
        if (!mesh.uv.empty())
            for (const int v : mesh.uv_corners(index))
                if (v < 0 || v >= uv_count)
                    return Error{concat(describe(index, t), " names uv ", v, "; the mesh has ", uv_count), location};
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
            doubled.add(describe(index, t));
            continue;
        }
        if (is_repeated[index]) {
            repeated.add(describe(index, t));
            continue;
        }
        sound.triangles.push_back(t);
        if (!mesh.uv_triangles.empty()) sound.uv_triangles.push_back(mesh.uv_triangles[index]);
    }
    mesh.triangles = std::move(sound.triangles);
    mesh.uv_triangles = std::move(sound.uv_triangles);

    double area = 0.0;
    WarningList flat("triangles without area", location);
    for (int index = 0; index < mesh.triangle_count(); ++index) {
        const double a = triangle_area(mesh, index);
        if (a <= 0.0) flat.add(describe(index, mesh.triangles[index]));
        area += a;
    }
    if (!(area > 0.0))
        return Error{concat("has no area (", mesh.triangle_count(), " triangles); expected a surface"), location};

    std::vector<char> used(mesh.positions.size(), 0);
    for (const Triangle& t : mesh.triangles)
        for (const int v : t)
            used[v] = 1;
    WarningList loose("vertices that belong to no triangle", location);
    for (int i = 0; i < n; ++i)
        if (!used[i]) loose.add(concat("vertex ", i));

    for (const WarningList* list : {&doubled, &repeated, &flat, &loose})
        list->flush(warnings);
    return Done{};
}

void weld_positions(TriangleMesh& mesh) {
    std::map<std::tuple<double, double, double>, int> index_of;
    std::vector<int> target(mesh.positions.size());
    std::vector<Vec3> distinct;
    for (int i = 0; i < mesh.vertex_count(); ++i) {
        const Vec3 p = mesh.positions[i] + Vec3{0.0, 0.0, 0.0}; // turns -0 into +0
        const auto [entry, is_new] = index_of.try_emplace({p.x, p.y, p.z}, static_cast<int>(distinct.size()));
        if (is_new) distinct.push_back(p);
        target[i] = entry->second;
    }
    if (distinct.size() == mesh.positions.size()) return;
    if (!mesh.uv.empty() && mesh.uv_triangles.empty()) mesh.uv_triangles = mesh.triangles;
    mesh.positions = std::move(distinct);
    for (Triangle& t : mesh.triangles)
        for (int& v : t)
            v = target[v];
}

std::vector<Vec3f> vertex_normals(const TriangleMesh& mesh, const std::vector<Vec3>& positions) {
    std::vector<Vec3> sum(positions.size());
    for (const Triangle& t : mesh.triangles) {
        const Vec3 normal = doubled_area_normal(positions[t[0]], positions[t[1]], positions[t[2]]);
        for (const int v : t)
            sum[v] += normal;
    }
    std::vector<Vec3f> normals(positions.size());
    for (std::size_t i = 0; i < sum.size(); ++i)
        normals[i] = Vec3f(normalized(sum[i]));
    return normals;
}

} // namespace selvage
