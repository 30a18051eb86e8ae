#include <algorithm>

#include <imgui/imgui.h>

#include "panels.h"
#include "viewer_state.h"

namespace selvage {

void draw_help_panel(ViewerState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const int rows = (static_cast<int>(key_help().size()) + 1) / 2;
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const float width = std::min(980.0f, size.x - 20.0f);
    const float height = std::min((static_cast<float>(rows) + 5.0f) * line, size.y - 20.0f); // title and the last lines
    const PanelPlace place{0.5f * (size.x - width), 0.5f * (size.y - height), width, height};
    if (begin_panel(state, "Keys and mouse", place, true, &state.choices.show_help)) {
        if (ImGui::BeginTable("keys", 4, ImGuiTableFlags_SizingFixedFit)) {
            for (int row = 0; row < rows; ++row)
                for (const int i : {row, row + rows}) {
                    if (i >= static_cast<int>(key_help().size())) continue;
                    const KeyHelp& help = key_help()[static_cast<std::size_t>(i)];
                    ImGui::TableNextColumn();
                    ImGui::TextColored({0.95f, 0.62f, 0.42f, 1.0f}, "%s", help.keys);
                    ImGui::TableNextColumn();
                    ImGui::Text("%s     ", help.text);
                }
            ImGui::EndTable();
        }
        ImGui::Separator();
        ImGui::TextWrapped(
            "Drop a scene (.json), a mesh (.obj, .ply, .glb) or a saved state (.state) onto the window to open it. "
            "Ctrl+click on a slider to type a number.");
    }
    end_panel(state);
}

} // namespace selvage
