#pragma once

#include <random>

#include "scene/scene_desc.h"

namespace selvage {

class ViewerState;

/// Input that no user would think of: clicks, drags, wheel, every key, resizes, scenes, settings, broken files. Given
/// to the same functions that the window's events go to.
class RandomInput {
public:
    RandomInput(int seed, const SceneDesc& first_scene)
        : first_scene_(first_scene), random_(static_cast<unsigned>(seed)) {}
    void act(ViewerState& state); ///< One event.

private:
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    void change_setting(ViewerState& state);
    SceneDesc first_scene_;
    std::mt19937 random_; // the same numbers from every standard library
    int events_ = 0;
};

} // namespace selvage
