#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <imgui/imgui.h>

#include "panels.h"
#include "viewer_state.h"

namespace selvage {

namespace {

constexpr ImU32 kOrange = IM_COL32(240, 155, 105, 255), kBlue = IM_COL32(120, 170, 235, 255),
                kGreen = IM_COL32(130, 205, 140, 255), kPink = IM_COL32(225, 130, 170, 255),
                kWhite = IM_COL32(230, 230, 225, 255);

struct Curve {
    std::vector<float> values;
    ImU32 colour;
    const char* name;
};

struct PlotArea {
    float width, height;
};

/// Curves on a scale that starts at 0 and ends at a round number; `line` is marked.
void plot(const std::string& title, std::span<const Curve> curves, const PlotArea& area, float line = 0.0f) {
    float largest = line;
    for (const Curve& curve : curves)
        for (const float value : curve.values)
            largest = std::max(largest, value);
    float top = 1e-3f;
    while (top < largest)
        top *= top * 2.0f < largest ? 2.0f : 1.25f;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float head = ImGui::GetTextLineHeight() + 3.0f;
    const ImVec2 low{at.x, at.y + head}, high{at.x + area.width, at.y + area.height};
    list->AddRectFilled(low, high, IM_COL32(32, 34, 40, 255), 4.0f);
    const auto y_of = [&](float value) {
        return high.y - 2.0f - (high.y - low.y - 4.0f) * std::clamp(value / top, 0.0f, 1.0f);
    };
    if (line > 0.0f) list->AddLine({low.x, y_of(line)}, {high.x, y_of(line)}, IM_COL32(120, 200, 120, 150));
    float x = low.x + 5.0f;
    for (const Curve& curve : curves) {
        const float step = curve.values.size() > 1 ? area.width / static_cast<float>(curve.values.size() - 1) : 0.0f;
        for (std::size_t i = 1; i < curve.values.size(); ++i)
            list->AddLine({low.x + step * static_cast<float>(i - 1), y_of(curve.values[i - 1])},
                          {low.x + step * static_cast<float>(i), y_of(curve.values[i])}, curve.colour, 1.5f);
        constexpr float kSmall = 11.0f;
        list->AddText(ImGui::GetFont(), kSmall, {x, low.y + 2.0f}, curve.colour, curve.name);
        x += ImGui::GetFont()->CalcTextSizeA(kSmall, 1000.0f, 0.0f, curve.name).x + 5.0f;
    }
    list->AddText(at, IM_COL32(225, 225, 220, 255), title.c_str());
    ImGui::Dummy({area.width, area.height});
}

std::string titled(const char* name, float value, const char* unit) {
    char text[96];
    const bool is_large = std::abs(value) >= 1000.0f; // 4032 instead of 4.03e+03
    std::snprintf(text, sizeof text, is_large ? "%s  %.0f %s" : "%s  %.3g %s", name, static_cast<double>(value), unit);
    return text;
}

} // namespace

void draw_plots_panel(ViewerState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float left = state.room_left(), width = size.x - left - state.room_right(), height = kPlotsHeight;
    if (width < 240.0f) return;
    const Snapshot& snapshot = *state.snapshot;
    if (begin_panel(state, "plots", {left, size.y - kBottomHeight - height - 2.0f * kGap, width, height})) {
        const int plots = snapshot.comparing ? 5 : 4;
        const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
        const PlotArea area{(room - static_cast<float>(plots - 1) * gap) / static_cast<float>(plots),
                            ImGui::GetContentRegionAvail().y - 2.0f};
        using N = FrameNumbers;
        const auto values = [&](float N::* member) {
            std::vector<float> out;
            for (const N& frame : snapshot.numbers)
                out.push_back(frame.*member);
            return out;
        };
        const N now = snapshot.numbers.empty() ? N{} : snapshot.numbers.back();
        const Curve phases[] = {{values(&N::total_ms), kWhite, "all"},
                                {values(&N::solver_ms), kOrange, "solve"},
                                {values(&N::search_ms), kBlue, "search"},
                                {values(&N::narrow_ms), kGreen, "near"},
                                {values(&N::response_ms), kPink, "push"}};
        plot(titled("frame", now.total_ms, "ms"), phases, area, 16.7f);
        ImGui::SameLine();
        plot(titled("energy", now.energy, "J"), std::array{Curve{values(&N::energy), kOrange, ""}}, area);
        ImGui::SameLine();
        plot(titled("stretch", 100.0f * now.strain, "%"), std::array{Curve{values(&N::strain), kOrange, ""}}, area);
        ImGui::SameLine();
        plot(titled("crossings", now.crossings, ""), std::array{Curve{values(&N::crossings), kOrange, ""}}, area);
        if (snapshot.comparing) {
            Curve error{{}, kOrange, "E"}, similarity{{}, kBlue, "S"};
            for (const MotionError& e : snapshot.errors) {
                error.values.push_back(static_cast<float>(e.error));
                similarity.values.push_back(static_cast<float>(e.similarity));
            }
            char text[64] = "E, S: computing";
            if (!snapshot.errors.empty())
                std::snprintf(text, sizeof text, "E %.3f  S %.3f", snapshot.errors.back().error,
                              snapshot.errors.back().similarity);
            ImGui::SameLine();
            plot(text, std::array{error, similarity}, area, 1.0f);
        }
    }
    end_panel(state);
}

} // namespace selvage
