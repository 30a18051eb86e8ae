#include <algorithm>

#include <imgui/imgui.h>

#include "panels.h"
#include "viewer_state.h"

namespace selvage {

void draw_help_panel(ViewerState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float width = std::min(760.0f, size.x - 20.0f), height = std::min(470.0f, size.y - 20.0f);
    const PanelPlace place{0.5f * (size.x - width), 0.5f * (size.y - height), width, height};
    if (begin_panel(state, "Keys and mouse", place, true, &state.choices.show_help)) {
        ImGui::Columns(2, nullptr, false);
        const std::size_t count = key_help().size();
        for (std::size_t i = 0; i < count; ++i) {
            if (i == (count + 1) / 2) ImGui::NextColumn();
            ImGui::TextColored({0.95f, 0.62f, 0.42f, 1.0f}, "%s", key_help()[i].keys);
            ImGui::TextWrapped("%s", key_help()[i].text);
        }
        ImGui::Columns(1);
        ImGui::Separator();
        ImGui::TextWrapped(
            "Drop a scene (.json), a mesh (.obj, .ply, .glb) or a saved state (.state) onto the window to open it. "
            "Ctrl+click on a slider to type a number.");
    }
    end_panel(state);
}

} // namespace selvage
