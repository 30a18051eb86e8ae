#pragma once

#include <optional>
#include <vector>

#include "render/image.h"
#include "render/shading/fabric_shading.h"
#include "render/surface_mesh.h"

namespace selvage {

/// What is in one picture. Everything pointed to must outlive the call that draws it.
struct RenderScene {
    struct Cloth {
        const SurfaceMesh* mesh;
        const PreparedLook* look;
        const Image8* print = nullptr; ///< Printed on the front; null: none.
        bool heat_map = false;         ///< Coloured by the vertices' measure instead of its look.
        double hem = 0.0, seam = 0.0;  ///< Widths of its bands [m].
        double stitch = 0.0;           ///< From one to the next [m]; 0: no stitches.
    };
    struct Solid {
        const SurfaceMesh* mesh;
        Vec3f albedo{0.30f, 0.31f, 0.33f};
        float roughness = 0.55f;
        const Image8* map = nullptr; ///< Over its uv, times the albedo; null: none.
    };
    struct LineEnd {
        Vec3f position;
        Vec3f colour; ///< As the screen shows it, linear.
    };
    std::vector<Cloth> cloths;
    std::vector<Solid> solids;
    std::vector<LineEnd> lines;          ///< Pairs, drawn over the surface they lie on.
    std::optional<double> ground_height; ///< A level floor that shows shadows alone.
};

struct RenderSettings {
    int width = 1280, height = 720;
    int samples = 4; ///< Per pixel; 1 or 4.
    int shadow_resolution = 2048;
    double exposure = 1.0;
    double occlusion_reach = 0.6; ///< How far folds darken each other [m].
};

} // namespace selvage
