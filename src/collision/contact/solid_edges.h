#pragma once

#include <span>
#include <vector>

#include "collision/contact/contact_record.h"
#include "collision/contact/moving_solid.h"
#include "collision/search/surface_patches.h"

namespace selvage {

/// The longest edge of a patch as it is now [m]: stretched cloth sags deeper between its vertices.
double longest_edge(const SurfacePatches& patches, const SurfacePatches::Patch& patch, std::span<const Vec3> x);

/// Whether edges and faces must be looked at beside the vertices: on a convex solid, unless it is so round that no edge
/// sags into it by more than a quarter of its thickness.
bool needs_edges(const MovingSolid& solid, double longest_edge);

/// Which edges and faces of a patch meet a convex solid where the step starts.
class SolidEdgeSearch {
public:
    /// `at` are the nearest points of the solid to the patch's vertices; found is what is nearer than `reach` [m].
    struct Query {
        const MovingSolid& solid;
        const SolidMotion& motion;
        int solid_index;
        const SurfacePatches& patches;
        const SurfacePatches::Patch& patch;
        std::span<const Vec3> x;
        std::span<const SurfacePoint> at;
        double longest_edge, reach;
    };
    explicit SolidEdgeSearch(const Query& query)
        : q_(query), vertices_(query.patches.vertices(query.patch)), minimum_distance_(0.5 * query.solid.thickness) {}

    void find(std::vector<ContactRecord>& records) const;

private:
    struct Corner {
        int place; // among the patch's vertices
        double weight;
    };
    const Vec3& x(int place) const { return q_.x[vertices_[place]]; }
    bool clears(int from, int to) const;
    double nearest_fraction(const Vec3& a, const Vec3& b) const;
    void test_edge(int a, int b, std::vector<ContactRecord>& records) const;
    void test_face(int a, int b, int c, std::vector<ContactRecord>& records) const;
    void add(const Vec3& normal, double gap, std::span<const Corner> corners,
             std::vector<ContactRecord>& records) const;

    Query q_;
    std::span<const int> vertices_;
    // Half the thickness inside of edges and faces: the corners do the work, and on smooth solids that is enough.
    double minimum_distance_;
};

} // namespace selvage
