#include <algorithm>
#include <cmath>

#include <imgui/imgui.h>

#include "panels.h"
#include "sim/report.h"
#include "viewer_state.h"

namespace selvage {

void draw_time_panel(ViewerState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const Snapshot& snapshot = *state.snapshot;
    if (begin_panel(state, "time", {kGap, size.y - kBottomHeight - kGap, size.x - 2.0f * kGap, kBottomHeight})) {
        if (ImGui::Button(snapshot.playing ? "Pause" : "Play", {64, 0}))
            state.sim.post([](Session& s) { s.set_playing(!s.is_playing()); });
        ImGui::SameLine();
        if (ImGui::Button("Step", {54, 0}))
            state.sim.post([](Session& s) {
                s.set_playing(false);
                s.advance();
            });
        ImGui::SameLine();
        if (ImGui::Button("Restart", {68, 0})) state.sim.post([](Session& s) { s.restart(); });
        ImGui::SameLine(0.0f, 18.0f);
        ImGui::TextDisabled("speed");
        ImGui::SameLine();
        ImGui::SetNextItemWidth(110);
        auto speed = static_cast<float>(snapshot.speed);
        if (ImGui::SliderFloat("##speed", &speed, 0.05f, 2.0f, "%.2f x", ImGuiSliderFlags_Logarithmic))
            state.sim.post([speed](Session& s) { s.set_speed(speed); });
        ImGui::SameLine(0.0f, 18.0f);
        ImGui::TextDisabled("budget");
        ImGui::SameLine();
        ImGui::SetNextItemWidth(110);
        auto budget = static_cast<float>(snapshot.budget_ms);
        if (ImGui::SliderFloat("##budget", &budget, 0.0f, 33.0f, budget > 0.0f ? "%.1f ms" : "none"))
            state.sim.post([budget](Session& s) { s.set_budget(budget); });
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip("Most time a frame should take. Over it, frames get fewer solver steps. 0: none.");
        ImGui::SameLine(0.0f, 18.0f);
        const double wanted = snapshot.speed;
        const bool slow = snapshot.playing && snapshot.real_time_factor < 0.93 * wanted;
        ImGui::TextColored(slow ? ImVec4(0.98f, 0.62f, 0.35f, 1) : ImVec4(0.65f, 0.85f, 0.65f, 1), "%.2f x real time",
                           snapshot.playing ? snapshot.real_time_factor : 0.0);
        ImGui::SameLine();
        const float ms = snapshot.numbers.empty() ? 0.0f : snapshot.numbers.back().total_ms;
        ImGui::TextDisabled("%.0f frames/s, %.1f ms of 16.7, %d steps each", snapshot.frames_per_second,
                            static_cast<double>(ms), snapshot.substeps);
        if (ImGui::IsItemHovered() && !state.latencies_ms.empty())
            ImGui::SetTooltip("From the mouse to the picture: %.0f ms (median of the last %d moves).",
                              percentile(state.latencies_ms, 50), static_cast<int>(state.latencies_ms.size()));
        // The timeline.
        ImGui::Text("%7.2f s", snapshot.time);
        ImGui::SameLine();
        ImGui::SetNextItemWidth(-1);
        int at = std::max(0, snapshot.timeline_at);
        const int last = std::max(0, snapshot.timeline_count - 1);
        char label[64];
        std::snprintf(label, sizeof label, "%.1f s recorded", snapshot.timeline_last - snapshot.timeline_first);
        ImGui::BeginDisabled(last == 0);
        if (ImGui::SliderInt("##timeline", &at, 0, std::max(1, last), label))
            state.sim.post([at](Session& s) { s.scrub(at); });
        ImGui::EndDisabled();
    }
    end_panel(state);
}

} // namespace selvage
