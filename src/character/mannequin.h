#pragma once

#include "base/result.h"
#include "character/character.h"

namespace selvage {

struct MannequinSettings {
    int triangles = 12000; ///< About as many, from 3000 to 40000.
};

/// A shop mannequin of these measurements: one smooth closed surface with a skeleton, skin weights and landmarks. Stands
/// on y = 0 at x = 0, looks along +z, arms 40 degrees off the body. Mirror-symmetric, watertight, the same bits
/// everywhere. Fails on measurements that check_measurements refuses.
Result<Character> make_mannequin(const Measurements& measurements, const MannequinSettings& settings = {});

/// The section of a surface by a plane: the piece around `inside`, as a tape around it. Empty (girth 0) where the plane
/// misses the surface. half_width, front and back are along x and z.
BodyLevel measure_level(const TriangleMesh& mesh, const Vec3& inside, const Vec3& normal);

} // namespace selvage
