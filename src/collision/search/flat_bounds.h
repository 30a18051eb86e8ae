#pragma once

#include <span>
#include <vector>

#include "collision/search/surface_patches.h"
#include "math/vec.h"

namespace selvage {

/// How far apart the features of neighbouring patches are at least, told from how the cloth lies: seen along its
/// normal, cloth that is bent but not folded over covers nothing of itself, so features that were apart at rest still
/// are. (Where to look for contact of a surface with itself, by its normals: Volino and Magnenat-Thalmann 1994.) Far
/// cheaper than a look at the features.
class FlatBounds {
public:
    /// Both must outlive it.
    FlatBounds(const ContactSurface& surface, const SurfacePatches& patches);

    /// Distance at rest, seen along the normal of both patches, of the nearest features of p and q that share no
    /// vertex; at most `most` where the patches touch [m]. 0: seen so, nothing can be told.
    double rest_gap(int p, int q, double most) const;
    /// Takes the sums of a patch where it is now.
    void fit(std::span<const Vec3> x, int patch);
    /// At least the distance now of any two features of p and q that share no vertex; 0 or less when it cannot be told.
    /// From their rest_gap(); both patches must be fitted to x.
    double gap(std::span<const Vec3> x, int p, int q, double rest_gap) const;

private:
    /// Sums over a patch's vertices, X at rest and x now.
    struct Sums {
        Vec3 rest;                         // X
        Vec3 square_x, square_y, square_z; // X X^T, by rows
        Vec3 now;                          // x
        Vec3 mixed_x, mixed_y, mixed_z;    // x X^T, by columns: x times a coordinate of X
        Vec3 normal;                       // of the patch at rest, twice its area long
        double area = 0.0;                 // of its triangles, twice
    };
    struct Chart { // axes across the normal
        Vec3 a, b;
        bool is_good = false;
    };
    class Plan;
    Chart chart(int p, int q) const;

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    std::vector<Sums> sums_; // by patch
};

} // namespace selvage
