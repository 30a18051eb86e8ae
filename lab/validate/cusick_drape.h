#pragma once

#include <functional>
#include <vector>

#include "scene/scene_desc.h"

namespace selvage {

class Simulation;

/// Cusick's drape test (BS 5058, ISO 9073-9): a disc of cloth is held between two smaller, horizontal round plates and
/// hangs down all around the lower one. A needle through the middle keeps the three on one axis.
struct DrapeTest {
    double cloth_radius = 0.15, plate_radius = 0.09; ///< [m].
    int rings = 20;                                  ///< Of the mesh.
    double jitter = 0.25;                            ///< Of the mesh, so that its symmetry does not choose the folds.
    double plate_friction = 0.4;
    double fall = 1.5;       ///< It falls and swings by itself; folds are made by its momentum [s].
    double longest = 5.0;    ///< It may take to come to rest [s].
    double rest_move = 2e-4; ///< No point of a cloth at rest moves farther in half a second [m].
    SolverSettings solver = MultilevelSettings{};
    double dt = 1.0 / 60.0;
    int substeps = 40; ///< Contact follows each of them.
};

struct DrapeResult {
    double coefficient = 0.0; ///< (shadow - plate) / (cloth - plate), in areas.
    int folds = 0;            ///< Of the shadow's outline.
    double seconds = 0.0;     ///< Until it rested, or the test's longest.
    bool rested = false;
    std::vector<double> outline; ///< Radius of the shadow by angle, evenly over the full turn [m].
};

SceneDesc drape_scene(const DrapeTest& test, const Material& material);

/// Runs the test; after the fall speeds are dropped past every peak of the kinetic energy, which brings it to rest
/// sooner. `progress`, where given, is called with the fraction done.
DrapeResult run_drape_test(const DrapeTest& test, const Material& material, int threads = 1,
                           const std::function<void(double)>& progress = {});

/// The shadow that cloth throws straight down (-y) on a plane, and what follows from it.
DrapeResult measure_drape(const DrapeTest& test, const TriangleMesh& mesh, const std::vector<Vec3>& positions);

} // namespace selvage
