#pragma once

#include <vector>

#include "garment/pattern.h"
#include "garment/wrap_tube.h"

namespace selvage {

/// A panel of a ring of laid pleats.
struct FoldedPanel {
    int panel = 0; ///< In the pattern.
    bool mirrored = false;
    double base = 0.0; ///< Height of the pattern's y = 0.
    double turn = 0.0; ///< Fraction of the way around.
};

/// Where panels with laid pleats start: around a part of the body in zigzag. At the pleats' edge the folds lie flat, which
/// makes each row as long as what it is sewn to; further down they open, as far as the body below needs.
class FoldedRing {
public:
    FoldedRing(const Pattern& pattern, const WrapTube& tube, double clearance, std::vector<FoldedPanel> panels);

    bool holds(int panel) const;
    /// Where a point of a panel starts.
    Vec3 place(int panel, const Vec2& p) const;

private:
    /// A crease, or an end of a panel, at some height.
    struct Knot {
        double at = 0.0; ///< Along the cloth, around the whole ring [m].
        bool outer = false;
    };
    struct Row {
        double height = 0.0;       ///< Along the part's axis.
        double width = 0.0;        ///< Of the cloth.
        std::vector<double> start; ///< Of each panel, along the cloth.
        std::vector<Knot> knots;   ///< Along the cloth; creases only.
        std::vector<double> along; ///< Of each knot, around the loop.
        double depth = 0.0;        ///< Of outer creases beyond inner ones [m].
        double phase = 0.0;        ///< Along the loop, where the cloth begins.
        WrapTube::Loop loop;
        double total = 0.0, scale = 1.0;
    };
    /// A place between two creases.
    struct Spot {
        std::size_t strip = 0; ///< After this knot; the last ends at the first.
        double fraction = 0.0;
    };

    Row cloth_at(double height) const;
    void fold(Row& row, double depth_above, double step) const;
    void set_phase(Row& row) const;
    double folded_length(const Row& row, double depth, std::vector<double>* along) const;
    double strip_width(const Row& row, std::size_t strip) const;
    Vec3 place_in(const Row& row, const Spot& spot) const;

    const Pattern& pattern_;
    const WrapTube& tube_;
    double clearance_;
    std::vector<FoldedPanel> panels_;
    std::vector<Row> rows_; ///< From the lowest up.
    double low_ = 0.0, high_ = 0.0;
};

} // namespace selvage
