#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "scene/scene_io.h"
#include "scene/scene_json.h"
#include "sim/simulation.h"

namespace selvage {

inline SceneDesc read(const std::string& text, const std::filesystem::path& directory = {}) {
    Result<JsonDocument> document = parse_json(text, "test.json");
    EXPECT_TRUE(document) << text;
    Result<SceneDesc> scene = parse_scene(std::move(*document), directory);
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().text());
    return *scene;
}

inline Simulation make(const SceneDesc& scene, int threads = 1) {
    Result<Simulation> sim = Simulation::make(scene, threads);
    EXPECT_TRUE(sim) << (sim ? "" : sim.error().text());
    return std::move(*sim);
}

} // namespace selvage
