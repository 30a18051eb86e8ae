#include <algorithm>
#include <array>
#include <cstdio>

#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include "panels.h"
#include "viewer_state.h"

namespace selvage {

namespace {

/// Linear reflectances look like what a screen shows only after this.
bool is_colour(const Setting& setting) {
    return setting.key.ends_with("_colour") || setting.key == "back_tint" || setting.key == "reflectance";
}

/// Thousandths and millionths are shown in a smaller unit: 0.25 mm, 8 µN m. Nobody reads 8e-06, and a logarithmic
/// slider tells no numbers below a hundredth apart.
struct ShownUnit {
    double per_unit = 1.0;
    std::string name;
};

ShownUnit shown_unit(const Setting& setting) {
    const double size = std::max(std::abs(setting.low), std::abs(setting.high));
    const bool takes_prefix = setting.unit == "m" || setting.unit == "s" || setting.unit == "N m";
    if (!takes_prefix || size >= 0.5 || size <= 0.0) return {1.0, setting.unit};
    return size > 2e-3 ? ShownUnit{1e3, "m" + setting.unit} : ShownUnit{1e6, "\u00b5" + setting.unit};
}

bool draw_numbers(const Setting& setting, double* values, int count, const char* label) {
    const int flags = ImGuiSliderFlags_AlwaysClamp | (setting.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    const double scale = shown_unit(setting).per_unit;
    double low = scale * setting.low, high = scale * setting.high;
    std::array<double, 3> shown{};
    for (int i = 0; i < count; ++i) { // a value from a file may lie outside of what is usual
        shown[i] = scale * values[i];
        low = std::min(low, shown[i]), high = std::max(high, shown[i]);
    }
    const char* format = high >= 1000.0 ? "%.4g" : "%.3g";
    if (!ImGui::SliderScalarN(label, ImGuiDataType_Double, shown.data(), count, &low, &high, format, flags))
        return false;
    for (int i = 0; i < count; ++i)
        values[i] = shown[i] / scale;
    return true;
}

bool draw_integers(const Setting& setting, int* values, int count, const char* label) {
    int low = static_cast<int>(std::max(setting.low, -1e6)), high = static_cast<int>(std::min(setting.high, 1e6));
    for (int i = 0; i < count; ++i)
        low = std::min(low, values[i]), high = std::max(high, values[i]);
    return ImGui::SliderScalarN(label, ImGuiDataType_S32, values, count, &low, &high, "%d",
                                ImGuiSliderFlags_AlwaysClamp);
}

bool draw_colour(Triple& value) {
    std::array<float, 3> shown{};
    for (std::size_t i = 0; i < 3; ++i)
        shown[i] = static_cast<float>(std::pow(value[i], 1.0 / 2.2));
    if (!ImGui::ColorEdit3("##value", shown.data())) return false;
    for (std::size_t i = 0; i < 3; ++i)
        value[i] = std::pow(static_cast<double>(shown[i]), 2.2);
    return true;
}

/// True when the user changed it.
bool draw_value(const Setting& setting, SettingValue& value) {
    const char* label = "##value";
    if (!setting.choices.empty()) {
        int& index = std::get<int>(value);
        bool changed = false;
        if (ImGui::BeginCombo(label, setting.choices[static_cast<std::size_t>(index)].c_str())) {
            for (int i = 0; i < static_cast<int>(setting.choices.size()); ++i)
                if (ImGui::Selectable(setting.choices[static_cast<std::size_t>(i)].c_str(), i == index)) {
                    index = i;
                    changed = true;
                }
            ImGui::EndCombo();
        }
        return changed;
    }
    struct Drawer {
        const Setting& setting;
        const char* label;
        bool operator()(double& v) const { return draw_numbers(setting, &v, 1, label); }
        bool operator()(int& v) const { return draw_integers(setting, &v, 1, label); }
        bool operator()(bool& v) const { return ImGui::Checkbox(label, &v); }
        bool operator()(std::string& v) const {
            return ImGui::InputText(label, &v, ImGuiInputTextFlags_EnterReturnsTrue);
        }
        bool operator()(Triple& v) const {
            return is_colour(setting) ? draw_colour(v) : draw_numbers(setting, v.data(), 3, label);
        }
        bool operator()(Pair& v) const { return draw_numbers(setting, v.data(), 2, label); }
        bool operator()(IntPair& v) const { return draw_integers(setting, v.data(), 2, label); }
        bool operator()(IntTriple& v) const { return draw_integers(setting, v.data(), 3, label); }
    };
    return std::visit(Drawer{setting, label}, value);
}

void draw_setting(ViewerState& state, const Setting& setting) {
    ImGui::PushID(setting.pointer.c_str());
    SettingValue value = setting.get(*state.snapshot->scene);
    std::string label = setting.key;
    if (!setting.unit.empty() && label.ends_with("_" + setting.unit))
        label.resize(label.size() - setting.unit.size() - 1); // it stands beside it
    std::replace(label.begin(), label.end(), '_', ' ');
    ImGui::TextUnformatted(label.c_str());
    if (ImGui::IsItemHovered()) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(320.0f);
        ImGui::TextUnformatted(setting.help.c_str());
        ImGui::TextDisabled("%s", setting.pointer.c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
    if (!setting.unit.empty()) {
        ImGui::SameLine();
        ImGui::TextDisabled("[%s]", shown_unit(setting).name.c_str());
    }
    ImGui::SameLine(142.0f);
    ImGui::SetNextItemWidth(-1);
    if (draw_value(setting, value))
        state.sim.post([setting, value](Session& s) {
            s.edit(setting.pointer, [&](SceneDesc& scene) { setting.set(scene, value); });
        });
    if (ImGui::IsItemDeactivatedAfterEdit()) state.sim.post([](Session& s) { s.end_gesture(); });
    ImGui::PopID();
}

void draw_presets(ViewerState& state, const std::string& group) {
    static const std::vector<Preset> presets = list_presets();
    bool any = false;
    for (const Preset& preset : presets)
        any = any || preset.group == group;
    if (!any) return;
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo("##preset", "choose a preset")) return;
    for (const Preset& preset : presets) {
        if (preset.group != group) continue;
        if (ImGui::Selectable(preset.name.c_str()))
            state.sim.post([preset](Session& s) {
                s.edit("preset " + preset.name, preset.apply);
                s.end_gesture();
            });
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", preset.help.c_str());
    }
    ImGui::EndCombo();
}

} // namespace

void draw_settings_panel(ViewerState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    if (state.settings_build != state.snapshot->build || state.settings.empty()) {
        state.settings = list_settings(*state.snapshot->scene);
        state.settings_build = state.snapshot->build;
    }
    const PanelPlace place{size.x - kRightWidth - kGap, kGap, kRightWidth, size.y - kBottomHeight - 3.0f * kGap};
    const bool shown = begin_folding_panel(state, "settings", place, state.choices.show_settings);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {5.0f, 4.0f}); // seven tabs side by side
    ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, {2.0f, 4.0f});
    if (shown && ImGui::BeginTabBar("groups", ImGuiTabBarFlags_FittingPolicyScroll)) {
        for (const char* group : {"Solver", "Time", "Fabric", "Air", "Contact", "Look", "Light"}) {
            const int flags = state.choices.tab_wanted == group ? ImGuiTabItemFlags_SetSelected : 0;
            if (!ImGui::BeginTabItem(group, nullptr, flags)) continue;
            ImGui::BeginChild("list");
            draw_presets(state, group);
            std::string section;
            bool open = true, any = false;
            for (const Setting& setting : state.settings) {
                if (setting.group != group) continue;
                any = true;
                if (setting.section != section) {
                    section = setting.section;
                    open = section.empty() || ImGui::CollapsingHeader(section.c_str(), ImGuiTreeNodeFlags_DefaultOpen);
                }
                if (open) draw_setting(state, setting);
            }
            if (!any) ImGui::TextDisabled("Nothing to set here.");
            ImGui::EndChild();
            ImGui::EndTabItem();
        }
        state.choices.tab_wanted.clear();
        ImGui::EndTabBar();
    }
    ImGui::PopStyleVar(2);
    end_panel(state);
}

} // namespace selvage
