#include "view/undo.h"

namespace selvage {

void Undo::remember(const SceneDesc& before, const std::string& what) {
    future_.clear();
    if (open_ && !past_.empty() && past_.back().what == what) return;
    past_.push_back({before, what});
    if (past_.size() > kMost) past_.erase(past_.begin());
    open_ = true;
}

std::optional<SceneDesc> Undo::back(const SceneDesc& now) {
    if (past_.empty()) return {};
    Step step = std::move(past_.back());
    past_.pop_back();
    future_.push_back({now, step.what});
    open_ = false;
    return std::move(step.scene);
}

std::optional<SceneDesc> Undo::forward(const SceneDesc& now) {
    if (future_.empty()) return {};
    Step step = std::move(future_.back());
    future_.pop_back();
    past_.push_back({now, step.what});
    open_ = false;
    return std::move(step.scene);
}

void Undo::clear() {
    past_.clear();
    future_.clear();
    open_ = false;
}

} // namespace selvage
