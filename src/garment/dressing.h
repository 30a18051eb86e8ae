#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "character/character.h"
#include "garment/body_landmarks.h"
#include "garment/sewing.h"
#include "scene/scene_desc.h"

namespace selvage {

struct DressSettings {
    double edge = 0.02;                ///< Length of mesh edges, about [m].
    double seconds = 2.0;              ///< Draped for at most [s].
    std::string fabric;                ///< Instead of the pattern's, for all panels of the first layer; empty: none.
    std::map<int, Material> materials; ///< By layer: what a layer drapes as, instead of its fabric.
    int threads = 0;                   ///< 0: all.
    /// Called now and then with what is done, 0 to 1, and what is going on; false stops.
    std::function<bool(double, const char*)> progress;
};

/// A garment on a body, at rest.
struct DressedGarment {
    std::vector<SewnCloth> cloths;
    std::vector<std::vector<Vec3>> positions; ///< Per cloth.
    std::vector<std::vector<Vec3>> placed;    ///< Per cloth: where it started.
    std::vector<std::string> warnings;
    double largest_area_error = 0.0;               ///< Of a panel's area, relative to the pattern.
    double largest_strain = 0.0, rms_strain = 0.0; ///< Along the threads.
    int crossings = 0;                             ///< Cloth through cloth or the body, at the end.
    double speed = 0.0;                            ///< Rms at the end [m/s].
    double sewing_s = 0.0, draping_s = 0.0;        ///< Time that it took [s].
};

/// Sews a pattern and puts it around a body as it was bound, where draping starts: `positions` are those placed. The body
/// must have landmarks.
Result<DressedGarment> place_garment(const Pattern& pattern, const Character& body, const DressSettings& settings);

/// Sews a pattern around a body as it was bound, and lets it fall to rest there. The body must have landmarks.
Result<DressedGarment> dress(const Pattern& pattern, const Character& body, const DressSettings& settings);

/// The same on a body in its own frame, which then moves from how it stands into `pose`, the garment going along.
Result<DressedGarment> dress(const Pattern& pattern, const StandingBody& body, const BodyPose& pose,
                             const DressSettings& settings);

/// The garment on the body as a scene, starting where it was draped.
Result<SceneDesc> dressed_scene(const Pattern& pattern, const Character& body, const DressSettings& settings,
                                const DressedGarment& garment);

/// Whether no panel is wrapped around the body: a table cloth. It falls on a table instead.
bool is_flat(const Pattern& pattern);

/// A sewn cloth as a mesh that a scene can have: resting as its pattern, starting at `positions`.
std::shared_ptr<const GeneratedMesh> garment_mesh(const SewnCloth& cloth, const std::vector<Vec3>& positions);

} // namespace selvage
