#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/scene_desc.h"

namespace selvage {

/// Earlier scenes, to go back to. Changes of one gesture (a slider being dragged) are one step.
class Undo {
public:
    /// To be called with the scene as it was before a change. `what` names the change for the user; changes with the
    /// same `what` in a row, without end_gesture() between them, are one.
    void remember(const SceneDesc& before, const std::string& what);
    void end_gesture() { open_ = false; }

    /// Gives the scene to go back to, or forward to; nothing at the end.
    std::optional<SceneDesc> back(const SceneDesc& now);
    std::optional<SceneDesc> forward(const SceneDesc& now);
    std::string back_text() const { return past_.empty() ? "" : past_.back().what; }
    std::string forward_text() const { return future_.empty() ? "" : future_.back().what; }
    void clear();

private:
    struct Step {
        SceneDesc scene;
        std::string what;
    };
    static constexpr std::size_t kMost = 100;
    std::vector<Step> past_, future_;
    bool open_ = false;
};

} // namespace selvage
