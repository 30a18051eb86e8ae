// The picture, what is marked on it, and the panel on the left.
#include "panels.h"

#include <algorithm>
#include <cmath>

#include <imgui/imgui.h>

#include "base/concat.h"
#include "viewer_state.h"

namespace selvage {

bool begin_panel(ViewerState& state, const char* name, const PanelPlace& place, bool title, bool* open) {
    ImGui::SetNextWindowPos({place.x, place.y}, ImGuiCond_Always);
    ImGui::SetNextWindowSize({place.width, place.height}, ImGuiCond_Always);
    int flags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
    if (!title) flags |= ImGuiWindowFlags_NoTitleBar;
    if (place.width <= kFoldedSize) flags |= ImGuiWindowFlags_NoScrollbar;
    if (title) ImGui::SetNextWindowBgAlpha(0.98f);
    state.panels.push_back({place.x, place.y, place.width, place.height});
    return ImGui::Begin(name, open, flags);
}

bool begin_folding_panel(ViewerState& state, const char* name, const PanelPlace& place, bool& shown) {
    const bool at_right = place.x > 0.5f * ImGui::GetIO().DisplaySize.x;
    const PanelPlace folded{at_right ? place.x + place.width - kFoldedSize : place.x, place.y, kFoldedSize,
                            kFoldedSize};
    const bool was_shown = shown, drawn = begin_panel(state, name, shown ? place : folded);
    // In the upper right corner of what the panel holds, beside its first line.
    const float side = ImGui::GetFrameHeight(), inset = 0.5f * (kFoldedSize - side);
    const ImVec2 content = ImGui::GetCursorPos();
    ImGui::SetCursorPos(shown ? ImVec2{place.width - side - content.x, content.y - 2.0f} : ImVec2{inset, inset});
    if (ImGui::ArrowButton("##fold", shown == at_right ? ImGuiDir_Right : ImGuiDir_Left)) shown = !shown;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", shown ? "fold the panel away" : name);
    ImGui::SetCursorPos(content);
    return drawn && was_shown;
}

bool panels_want_keys() {
    return ImGui::GetIO().WantTextInput;
}

void end_panel(ViewerState&) {
    ImGui::End();
}

namespace {

void draw_picture(ViewerState& state) {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const Rectangle area = state.picture_area();
    const float width = static_cast<float>(state.view_width()), left = static_cast<float>(area.x);
    const float top = static_cast<float>(area.y), bottom = top + static_cast<float>(area.height);
    const ViewCamera camera(state.view, width, area.height);
    const Snapshot& snapshot = *state.snapshot;
    const int halves = state.choices.split == Split::none ? 1 : 2;
    for (int half = 0; half < halves; ++half) {
        const auto shift = left + static_cast<float>(half) * width;
        for (std::size_t h = 0; h < snapshot.grabs.size(); ++h) {
            const PicturePoint at = camera.project(snapshot.grab_points[h]);
            if (!(at.depth > 0.0)) continue;
            const ImVec2 place{static_cast<float>(at.x) + shift, static_cast<float>(at.y) + top};
            const bool pinned = snapshot.grabs[h].pinned;
            list->AddCircleFilled(place, pinned ? 5.0f : 4.0f,
                                  pinned ? IM_COL32(235, 140, 85, 255) : IM_COL32(255, 255, 255, 230));
            list->AddCircle(place, pinned ? 8.0f : 7.0f, IM_COL32(20, 20, 24, 200), 0, 2.0f);
        }
    }
    if (halves == 1) return;
    list->AddLine({left + width, top}, {left + width, bottom}, IM_COL32(20, 20, 24, 255), 2.0f);
    const std::string names[2] = {state.choices.split == Split::surface ? "particles"
                                                                        : solver_name(snapshot.scene->solver),
                                  state.choices.split == Split::surface ? "smooth surface" : snapshot.compared_solver};
    for (int half = 0; half < 2; ++half) {
        const ImVec2 text = ImGui::CalcTextSize(names[half].c_str());
        const ImVec2 at{left + width * (static_cast<float>(half) + 0.5f) - 0.5f * text.x, top + 12.0f};
        list->AddRectFilled({at.x - 10, at.y - 5}, {at.x + text.x + 10, at.y + text.y + 5}, IM_COL32(22, 24, 28, 225),
                            6.0f);
        list->AddText(at, IM_COL32(240, 240, 235, 255), names[half].c_str());
    }
}

void draw_message(const ViewerState& state) {
    if (state.message.empty() || std::chrono::steady_clock::now() > state.message_until) return;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float wrap = std::max(200.0f, size.x - 2.0f * (kRightWidth + 40.0f));
    const ImVec2 text = ImGui::CalcTextSize(state.message.c_str(), nullptr, false, wrap);
    const ImVec2 at{0.5f * (size.x - text.x), state.choices.split == Split::none ? 18.0f : 52.0f};
    ImDrawList* list = ImGui::GetForegroundDrawList();
    list->AddRectFilled({at.x - 14, at.y - 9}, {at.x + text.x + 14, at.y + text.y + 9},
                        state.message_is_error ? IM_COL32(130, 30, 24, 240) : IM_COL32(22, 24, 28, 235), 8.0f);
    list->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, IM_COL32(245, 245, 240, 255), state.message.c_str(),
                  nullptr, wrap);
}

void tooltip(const std::string& text) {
    if (!ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(320.0f);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

/// Where the solver runs: what is wanted, and below it what is.
void draw_device_tools(ViewerState& state) {
    const Snapshot& snapshot = *state.snapshot;
    ImGui::Spacing();
    ImGui::TextDisabled("Device");
    for (const auto& [name, choice] :
         {std::pair{"cpu", DeviceChoice::cpu}, {"cuda", DeviceChoice::cuda}, {"auto", DeviceChoice::automatic}}) {
        if (choice != DeviceChoice::cpu) ImGui::SameLine();
        if (ImGui::RadioButton(name, snapshot.device == choice))
            state.sim.post([choice = choice](Session& s) { s.set_device(choice); });
        tooltip("Where the solver runs. cuda: on an NVIDIA GPU, where it can step the scene; else on the CPU, with the "
                "reason below. auto: the same without a message.");
    }
    if (snapshot.device == DeviceChoice::cpu) return;
    ImGui::PushTextWrapPos(0.0f);
    if (snapshot.device_refusal.empty())
        ImGui::TextDisabled("on the GPU");
    else
        ImGui::TextColored({0.95f, 0.62f, 0.42f, 1.0f}, "on the CPU: %s", snapshot.device_refusal.c_str());
    ImGui::PopTextWrapPos();
}

void draw_solver_tools(ViewerState& state) {
    const Snapshot& snapshot = *state.snapshot;
    ImGui::Spacing();
    ImGui::TextDisabled("Solver");
    const std::string now = solver_name(snapshot.scene->solver);
    for (const SolverEntry& entry : solver_catalog()) {
        if (ImGui::RadioButton(entry.name.c_str(), entry.name == now))
            state.sim.post([name = entry.name](Session& s) { s.set_solver(name); });
        tooltip(entry.summary);
    }
    draw_device_tools(state);
    ImGui::Spacing();
    ImGui::TextDisabled("Side by side");
    ImGui::SetNextItemWidth(-1);
    const bool surface = state.choices.split == Split::surface;
    const std::string compared = surface                            ? "smooth surface"
                                 : snapshot.compared_solver.empty() ? "nothing"
                                                                    : snapshot.compared_solver;
    if (ImGui::BeginCombo("##compared", compared.c_str())) {
        if (ImGui::Selectable("nothing")) state.set_split_solver("");
        for (const SolverEntry& entry : solver_catalog())
            if (entry.name != now && ImGui::Selectable(entry.name.c_str())) state.set_split_solver(entry.name);
        if (ImGui::Selectable("smooth surface")) {
            state.set_split_solver("");
            state.choices.split = Split::surface;
        }
        ImGui::EndCombo();
    }
    tooltip(
        "Runs a second solver with the same grabs and colliders, or shows particles and smooth surface side by side.");
}

void draw_drawing_tools(ViewerState& state) {
    ImGui::Spacing();
    ImGui::TextDisabled("Drawing");
    ImGui::SetNextItemWidth(-1);
    int style = static_cast<int>(state.choices.style);
    if (ImGui::Combo("##style", &style, "auto\0fabric\0quick\0")) state.choices.style = static_cast<StyleChoice>(style);
    tooltip("fabric: weave, soft shadows. quick: plain shading, for machines without a GPU. auto: fabric when it is "
            "fast or nothing moves.");
    const float column = 0.5f * ImGui::GetContentRegionAvail().x;
    Overlays& overlays = state.choices.overlays;
    ImGui::Checkbox("wireframe", &overlays.wireframe);
    ImGui::SameLine(column + 8.0f);
    ImGui::Checkbox("strain", &overlays.strain);
    ImGui::Checkbox("contacts", &overlays.contacts);
    ImGui::SameLine(column + 8.0f);
    ImGui::Checkbox("normals", &overlays.normals);
    ImGui::Checkbox("particles", &overlays.particles);
    ImGui::SameLine(column + 8.0f);
    ImGui::Checkbox("plots", &state.choices.show_plots);
}

void draw_mouse_tools(ViewerState& state) {
    const Snapshot& snapshot = *state.snapshot;
    ImGui::Spacing();
    ImGui::TextDisabled("Mouse");
    const float column = 0.5f * ImGui::GetContentRegionAvail().x;
    bool poking = state.poking;
    if (ImGui::Checkbox("poke", &poking)) state.set_poking(poking);
    tooltip("A ball on the cursor: hold the left button to push, turn the wheel for depth.");
    ImGui::SameLine(column + 8.0f);
    if (ImGui::SmallButton("release all")) state.sim.post([](Session& s) { s.release_all(); });
    bool comparing = snapshot.comparing;
    if (ImGui::Checkbox("E and S against a reference", &comparing))
        state.sim.post([comparing](Session& s) { s.set_comparing(comparing); });
    tooltip(
        "Restarts, and runs the same scene by implicit-cg in steps a quarter as long in the background. E: relative "
        "error of motion, S: similarity of direction (Kang and Cho).");
}

void draw_file_tools(ViewerState& state) {
    const Snapshot& snapshot = *state.snapshot;
    const float half = 0.5f * (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x);
    ImGui::Spacing();
    if (ImGui::Button("Picture", {half, 0})) state.screenshot(false);
    ImGui::SameLine();
    if (ImGui::Button(state.draw.is_filming() ? "End film" : "Film", {half, 0})) state.toggle_film();
    if (ImGui::Button("Save", {half, 0})) state.save();
    tooltip("Scene and state, to files in the folder the program was started in.");
    ImGui::SameLine();
    if (ImGui::Button("Undo", {half, 0})) state.sim.post([](Session& s) { s.undo(); });
    if (!snapshot.undo_text.empty()) tooltip(snapshot.undo_text);
}

void draw_tools(ViewerState& state) {
    const Snapshot& snapshot = *state.snapshot;
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0.95f, 0.62f, 0.42f, 1.0f));
    ImGui::TextUnformatted(snapshot.scene->name.c_str());
    ImGui::PopStyleColor();
    ImGui::TextDisabled("%d particles, %d triangles", snapshot.model->vertex_count(),
                        snapshot.model->mesh.triangle_count());
    const float half = 0.5f * (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x);
    if (ImGui::Button("Scenes", {half, 0})) state.choices.show_scenes = !state.choices.show_scenes;
    ImGui::SameLine();
    if (ImGui::Button("Help", {half, 0})) state.choices.show_help = !state.choices.show_help;
    draw_solver_tools(state);
    draw_drawing_tools(state);
    draw_mouse_tools(state);
    draw_file_tools(state);
}

} // namespace

void draw_panels(ViewerState& state) {
    state.panels.clear();
    draw_picture(state);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    if (state.choices.show_panels) {
        const float height = size.y - kBottomHeight - 3.0f * kGap;
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {7.0f, 2.0f});
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {7.0f, 4.0f});
        if (begin_folding_panel(state, "tools", {kGap, kGap, kLeftWidth, height}, state.choices.show_tools))
            draw_tools(state);
        ImGui::PopStyleVar(2);
        end_panel(state);
        draw_settings_panel(state);
        draw_time_panel(state);
        if (state.choices.show_plots) draw_plots_panel(state);
    }
    if (state.choices.show_scenes) draw_scenes_panel(state);
    if (state.choices.show_help) draw_help_panel(state);
    draw_message(state);
}

} // namespace selvage
