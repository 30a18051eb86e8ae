#pragma once

#include <vector>

#include "base/fields.h"
#include "solvers/parts/quality.h"

namespace selvage {

enum class Elements { triangles, springs };

struct MultilevelSettings {
    Quality quality = Quality::standard;
    int substeps = 0;         ///< Small steps per step; 0: as many as the quality and the speed of held points ask for.
    int linearisations = 0;   ///< Newton iterations per small step; 0: by quality.
    int iterations = 0;       ///< Of conjugate gradients per linearisation; 0: by quality and stiffness.
    double compression = 0.1; ///< Fraction of the stretch stiffness that is left under compression.
    Elements elements = Elements::triangles;
    bool contact = true; ///< Contact is part of the linear system; otherwise only the stage after the step handles it.
};

const Fields<MultilevelSettings>& settings_fields(const MultilevelSettings&);

} // namespace selvage
