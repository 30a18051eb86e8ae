#pragma once

#include "garment/pattern.h"

namespace selvage {

/// Draws an outline edge by edge.
class OutlinePen {
public:
    explicit OutlinePen(const Vec2& start) { outline_.start = start; }
    OutlinePen& line(const std::string& name, const Vec2& to) {
        outline_.edges.push_back({name, to, false, {}});
        return *this;
    }
    OutlinePen& curve(const std::string& name, const Vec2& a, const Vec2& b, const Vec2& to) {
        outline_.edges.push_back({name, to, true, {a, b}});
        return *this;
    }
    /// Part of a circle about the origin, up to a quarter of it.
    OutlinePen& arc(const std::string& name, const Vec2& to);
    PatternOutline done() const { return outline_; }

private:
    Vec2 here() const { return outline_.edges.empty() ? outline_.start : outline_.edges.back().to; }
    PatternOutline outline_;
};

/// The same panel for the other side of the body: mirrored in x, "left" and "right" exchanged in its names.
PatternPanel mirrored_panel(const PatternPanel& panel);
/// Of a name: "left" for "right" and the other way round.
std::string other_side(std::string name);

} // namespace selvage
