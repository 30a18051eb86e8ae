#pragma once

#include <string>

#include "garment/pattern.h"

namespace selvage {

/// Patterns as drawings: one group per panel, one path per edge, in millimetres, y downwards. A path's id is
/// "panel.edge". Paths that are sewn together carry the same `data-seam`; of seams whose sides run the same way it ends
/// in "~". What a drawing program leaves out (layers, darts, places) is kept in `data-` attributes where it was there.
std::string svg_text(const Pattern& pattern);

/// Reads such a drawing, or any whose groups are panels made of paths: outlines from the paths in their order, joined end
/// to start; paths of the same `data-seam`, or else of ids that are the same up to a last "-a" and "-b", are sewn. Path commands M L H V C S Q T Z,
/// absolute and relative; no transforms. Units from width and viewBox, or millimetres.
Result<Pattern> parse_svg_pattern(const std::string& text, const std::string& source);

} // namespace selvage
