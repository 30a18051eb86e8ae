#pragma once

#include <span>

#include "base/thread_pool.h"
#include "render/environment.h"
#include "render/renderer.h"

namespace selvage {

struct PathTracerSettings {
    int width = 320, height = 240;
    int samples = 64; ///< Paths per pixel.
    int bounces = 4;  ///< Surfaces a path may meet.
};

/// Cloth by plain path tracing on the CPU, over the same shading (its twin), surfaces and light as the renderer's, but
/// with true visibility and light between folds: what pictures are compared with. Cloth alone: no solids, no ground, no
/// print. Alpha is the fraction of a pixel's paths that met cloth. The result does not depend on the number of threads.
ImageF trace_paths(ThreadPool& pool, std::span<const RenderScene::Cloth> cloths, const Environment& environment,
                   const RenderView& view, const PathTracerSettings& settings);

} // namespace selvage
