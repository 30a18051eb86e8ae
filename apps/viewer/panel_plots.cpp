#include <algorithm>
#include <cstdio>
#include <functional>

#include <imgui/imgui.h>

#include "panels.h"
#include "viewer_state.h"

namespace selvage {

namespace {

struct Curve {
    float FrameNumbers::* member;
    ImU32 colour;
    const char* name;
};

/// Curves over the recorded frames, on a scale that starts at 0 and ends at a round number.
void plot(const Snapshot& snapshot, const char* title, const char* unit, std::initializer_list<Curve> curves,
          float width, float height, float line = 0.0f) {
    float largest = line;
    for (const FrameNumbers& f : snapshot.numbers)
        for (const Curve& curve : curves)
            largest = std::max(largest, f.*curve.member);
    float top = 1e-3f;
    while (top < largest)
        top *= top * 2.0f < largest ? 2.0f : 1.25f;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float head = ImGui::GetTextLineHeight() + 3.0f;
    const ImVec2 low{at.x, at.y + head}, high{at.x + width, at.y + height};
    list->AddRectFilled(low, high, IM_COL32(32, 34, 40, 255), 4.0f);
    const auto y_of = [&](float value) {
        return high.y - 2.0f - (high.y - low.y - 4.0f) * std::clamp(value / top, 0.0f, 1.0f);
    };
    if (line > 0.0f) list->AddLine({low.x, y_of(line)}, {high.x, y_of(line)}, IM_COL32(120, 200, 120, 150));
    const float step = snapshot.numbers.size() > 1 ? width / static_cast<float>(snapshot.numbers.size() - 1) : 0.0f;
    for (const Curve& curve : curves)
        for (std::size_t i = 1; i < snapshot.numbers.size(); ++i)
            list->AddLine({low.x + step * static_cast<float>(i - 1), y_of(snapshot.numbers[i - 1].*curve.member)},
                          {low.x + step * static_cast<float>(i), y_of(snapshot.numbers[i].*curve.member)}, curve.colour,
                          1.5f);
    char text[96];
    const float now = snapshot.numbers.empty() ? 0.0f : snapshot.numbers.back().*(curves.begin()->member);
    std::snprintf(text, sizeof text, "%s  %.3g %s", title, static_cast<double>(now), unit);
    list->AddText(at, IM_COL32(225, 225, 220, 255), text);
    float x = low.x + 5.0f;
    if (curves.size() > 1)
        for (const Curve& curve : curves) {
            list->AddText({x, low.y + 2.0f}, curve.colour, curve.name);
            x += ImGui::CalcTextSize(curve.name).x + 7.0f;
        }
    ImGui::Dummy({width, height});
}

} // namespace

void draw_plots_panel(ViewerState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float left = kLeftWidth + 2.0f * kGap, width = size.x - left - kRightWidth - 2.0f * kGap, height = 138.0f;
    if (width < 240.0f) return;
    const Snapshot& snapshot = *state.snapshot;
    if (begin_panel(state, "plots", {left, size.y - kBottomHeight - height - 2.0f * kGap, width, height})) {
        const float gap = ImGui::GetStyle().ItemSpacing.x;
        const float each = (ImGui::GetContentRegionAvail().x - 3.0f * gap) / 4.0f,
                    tall = ImGui::GetContentRegionAvail().y - 2.0f;
        constexpr ImU32 kOrange = IM_COL32(240, 155, 105, 255), kBlue = IM_COL32(120, 170, 235, 255),
                        kGreen = IM_COL32(130, 205, 140, 255), kPink = IM_COL32(225, 130, 170, 255),
                        kWhite = IM_COL32(230, 230, 225, 255);
        using N = FrameNumbers;
        plot(snapshot, "frame", "ms",
             {{&N::total_ms, kWhite, "all"},
              {&N::solver_ms, kOrange, "solve"},
              {&N::search_ms, kBlue, "search"},
              {&N::narrow_ms, kGreen, "near"},
              {&N::response_ms, kPink, "push"}},
             each, tall, 16.7f);
        ImGui::SameLine();
        plot(snapshot, "energy", "J", {{&N::energy, kOrange, ""}}, each, tall);
        ImGui::SameLine();
        plot(snapshot, "stretch", "", {{&N::strain, kOrange, ""}}, each, tall);
        ImGui::SameLine();
        plot(snapshot, "crossings", "", {{&N::crossings, kOrange, ""}}, each, tall);
    }
    end_panel(state);
}

} // namespace selvage
