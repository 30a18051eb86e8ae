#pragma once

#include <array>
#include <vector>

#include "character/measurements.h"
#include "math/vec.h"

namespace selvage {

// The body as a field: negative inside, zero on the skin, about the distance near it [m]. Limbs are tubes of rings,
// joined by smooth minima.

/// One cross-section of a tube: two half ellipses on either side of a centre that may lie off the axis.
struct BodyRing {
    double at = 0.0;                       ///< Along the axis.
    double u = 0.0, v = 0.0;               ///< Of its centre.
    double u_more, u_less, v_more, v_less; ///< Radii in the four directions.
};

/// Rings along a straight axis, with smooth curves between them.
class BodyTube {
public:
    BodyTube() = default;
    /// Axes are of unit length and at right angles. `boxy` in [0, 1] squares the sections.
    BodyTube(const Vec3& origin, const Vec3& along, const Vec3& u, const Vec3& v, std::vector<BodyRing> rings,
             double boxy);

    double distance(const Vec3& p) const;
    double along(const Vec3& p) const { return dot(p - origin_, along_); }
    BodyRing ring(double at) const;
    Vec3 point(double at, double u, double v) const { return origin_ + at * along_ + u * u_ + v * v_; }

private:
    static constexpr int kChannels = 6;
    using Channels = std::array<double, kChannels>;

    Vec3 origin_, along_, u_, v_;
    std::vector<double> at_;
    std::vector<Channels> value_, slope_;
    double boxy_ = 0.0;
    Vec3 ball_centre_; // holds all of it
    double ball_radius_ = 0.0;
};

struct BodyEllipsoid {
    Vec3 centre, radii;

    double distance(const Vec3& p) const;
};

/// Levels whose girths the field is fitted to.
enum BodyGirth {
    kHipGirth,
    kWaistGirth,
    kUnderbustGirth,
    kChestGirth,
    kNeckGirth,
    kThighGirth,
    kKneeGirth,
    kCalfGirth,
    kAnkleGirth,
    kUpperArmGirth,
    kElbowGirth,
    kWristGirth,
    kHeadGirth,
    kBodyGirths
};

enum BodyPart { kTorsoPart, kNeckPart, kHeadPart, kArmPart, kHandPart, kLegPart, kFootPart, kBodyParts };

/// Where the bones are on the left side, and what is measured where.
struct BodyFrame {
    Vec3 pelvis, spine, chest, neck, head, crown;
    Vec3 clavicle, shoulder, elbow, wrist, fingertip;
    Vec3 hip, knee, ankle, toes, toe_tip;
    Vec3 arm_along, arm_out, neck_along; ///< Unit.
    struct Tape {
        Vec3 centre, normal;
        double target = 0.0; ///< Girth [m].
    };
    std::array<Tape, kBodyGirths> tapes;
};

class BodyField {
public:
    /// Measurements must have passed check_measurements. Fits the girths.
    explicit BodyField(const Measurements& measurements);

    double distance(const Vec3& p) const;
    /// Of each part of the body, those with sides on the side of p.x.
    std::array<double, kBodyParts> parts(const Vec3& p) const;
    /// By central differences; about of unit length near the skin.
    Vec3 gradient(const Vec3& p) const;
    /// On the skin near p.
    Vec3 project(Vec3 p, int rounds = 3) const;
    /// Girth of the field at a tape, by the hull of its section. Limbs alone where the tape is around one.
    double girth(BodyGirth which) const;

    const BodyFrame& frame() const { return frame_; }
    double height() const { return measurements_.height; }
    const BodyTube& arm() const { return arm_; }
    const BodyTube& leg() const { return leg_; }

private:
    using Scales = std::array<double, kBodyGirths>;

    void place_bones();
    void place_tapes();
    void build(const Scales& scale);
    void build_torso(const Scales& scale);
    void build_head(const Scales& scale);
    void build_arm(const Scales& scale);
    void build_leg(const Scales& scale);
    double torso_distance(const Vec3& p) const;
    double hand_distance(const Vec3& p) const;

    Measurements measurements_;
    double h_ = 1.0; // height over the template's
    BodyFrame frame_;
    BodyTube torso_, neck_, arm_, hand_, thumb_, leg_, foot_;
    std::vector<BodyEllipsoid> chest_flesh_, seat_flesh_, head_shapes_; // on the left side; of the head in the middle
    double crotch_drop_ = 0.0;                                          // of the torso's end below the crotch
};

/// Length of the convex hull's border around points of a plane.
double hull_length(std::vector<Vec2> points);

} // namespace selvage
