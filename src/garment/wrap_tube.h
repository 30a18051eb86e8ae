#pragma once

#include <array>
#include <string>
#include <vector>

#include "character/character.h"
#include "garment/plane.h"

namespace selvage {

/// What goes around a part of the body: for each height along its axis the hull of its section, like a tape.
class WrapTube {
public:
    static constexpr int kDirections = 96;
    /// A closed convex line in the plane across the axis: x towards the body's left, y towards its front. It goes from the
    /// front towards the left, a corner for each direction.
    using Loop = std::array<Vec2, kDirections>;

    /// `used` flags the vertices of the part.
    WrapTube(const TriangleMesh& body, const std::vector<char>& used, const Vec3& origin, const Vec3& axis,
             const Vec3& front);

    bool is_empty() const { return slices_.empty(); }
    double low() const { return low_; } ///< Along the axis, from the origin [m].
    double high() const { return low_ + kStep * static_cast<double>(slices_.size() - 1); }

    /// The hull at a height, `offset` outside of the body [m].
    Loop loop(double height, double offset) const;
    /// The foremost (or rearmost) place of the part at a height and a place across; beyond the part `is_beside` is set, and
    /// it is that of its side.
    double depth(double height, double across, bool at_front, bool& is_beside) const;
    /// Whether a loop goes around the part's section at a height, at least `clearance` away from it.
    bool goes_around(const Loop& loop, double height, double clearance) const;
    Vec3 place(const Vec2& across, double height) const {
        return origin_ + height * axis_ + across.x * left_ + across.y * front_;
    }
    Vec2 middle(double height) const; ///< Of the section, across the axis.

private:
    static constexpr double kStep = 0.004; // [m]

    Vec3 origin_, axis_, front_, left_;
    double low_ = 0.0;
    std::vector<Loop> slices_;
};

double loop_length(const WrapTube::Loop& loop);
/// The length from the loop's first corner to its foremost point halfway across. The first corner itself is no place to
/// measure from: where two bust points, or two knees, are equally far in front, it is on either, and changes sides from
/// one height to the next.
double loop_front(const WrapTube::Loop& loop);
/// The point at a length along the loop from there, any number of times around.
Vec2 loop_point(const WrapTube::Loop& loop, double length);

/// The parts of a body that panels are placed around, by name, and the heights that levels have on them.
class WrapBody {
public:
    /// The body must have landmarks.
    explicit WrapBody(const Character& body);

    enum Part { kTorso, kLeftArm, kRightArm, kLeftLeg, kRightLeg, kAroundNeck, kParts };
    static const std::vector<std::string>& part_names();
    const WrapTube& tube(int part) const { return tubes_[part]; }
    /// Height of a landmark along a part's axis; false where the part has no such level.
    bool level(int part, const std::string& name, double& height) const;
    std::string level_names(int part) const;
    double crotch() const { return crotch_; }

private:
    std::vector<WrapTube> tubes_;
    std::array<std::vector<std::pair<std::string, double>>, kParts> levels_;
    double crotch_ = 0.0;
};

} // namespace selvage
