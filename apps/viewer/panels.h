#pragma once

#include <string>

namespace selvage {

class ViewerState;

/// Colours, corners and the font; once, after the panels' library has started.
void style_panels();

bool panels_want_keys(); ///< The user types into one of them.

/// Lays out everything over the picture.
void draw_panels(ViewerState& state);

// One file each.
void draw_time_panel(ViewerState& state);     ///< Play, step, speed wanted and reached, timeline.
void draw_settings_panel(ViewerState& state); ///< Every setting of the scene.
void draw_plots_panel(ViewerState& state);    ///< Milliseconds, energy, strain, crossings.
void draw_scenes_panel(ViewerState& state);   ///< The built-in scenes with pictures.
void draw_help_panel(ViewerState& state);     ///< All keys.

/// A panel in a fixed place; the mouse is the panel's there. Use: if (begin_panel(...)) { ... } end_panel();
struct PanelPlace {
    float x, y, width, height;
};
bool begin_panel(ViewerState& state, const char* name, const PanelPlace& place, bool title = false,
                 bool* open = nullptr);
void end_panel(ViewerState& state);

/// A panel that folds away to a button at its corner. Use as begin_panel; draws the panel only where it returns true.
bool begin_folding_panel(ViewerState& state, const char* name, const PanelPlace& place, bool& shown);

inline constexpr float kFoldedSize = 34.0f, kPlotsHeight = 138.0f;
inline constexpr float kLeftWidth = 236.0f, kRightWidth = 368.0f, kBottomHeight = 84.0f, kGap = 8.0f;

} // namespace selvage
