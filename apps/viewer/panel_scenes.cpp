#include <algorithm>
#include <cstdint>
#include <map>

#include <imgui/imgui.h>

#include "panels.h"
#include "render/image_file.h"
#include "scene/scene_io.h"
#include "scene_pictures.h"
#include "viewer_state.h"

namespace selvage {

void draw_scenes_panel(ViewerState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float width = std::min(900.0f, size.x - 20.0f), height = std::min(560.0f, size.y - 20.0f);
    const PanelPlace place{0.5f * (size.x - width), 0.5f * (size.y - height), width, height};
    if (begin_panel(state, "Scenes", place, true, &state.choices.show_scenes)) {
        constexpr float kWide = 192.0f, kTall = 108.0f;
        const int columns = std::max(1, static_cast<int>(ImGui::GetContentRegionAvail().x / (kWide + 20.0f)));
        int at = 0;
        for (const BuiltinFile& scene : builtin_scenes()) {
            if (at++ % columns != 0) ImGui::SameLine();
            ImGui::BeginGroup();
            ImGui::PushID(scene.name.c_str());
            const unsigned texture = state.scene_texture(scene.name);
            const bool chosen =
                texture ? ImGui::ImageButton(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture)),
                                             {kWide, kTall}, {0, 0}, {1, 1}, 3)
                        : ImGui::Button("no picture", {kWide + 6.0f, kTall + 6.0f});
            if (chosen) {
                state.open(scene.name);
                state.choices.show_scenes = false;
            }
            if (ImGui::IsItemHovered()) {
                const std::string description = state.scene_description(scene.name);
                ImGui::SetTooltip("%s", description.c_str());
            }
            ImGui::TextUnformatted(scene.name.c_str());
            ImGui::PopID();
            ImGui::EndGroup();
        }
    }
    end_panel(state);
}

unsigned ViewerState::scene_texture(const std::string& scene) {
    const auto [place, is_new] = scene_textures_.try_emplace(scene, 0u);
    if (!is_new) return place->second;
    for (const ScenePicture& picture : scene_pictures()) {
        if (picture.scene != scene) continue;
        const Result<Image8> image = decode_picture(picture.bytes, scene);
        if (image) place->second = window.make_texture(*image);
    }
    return place->second;
}

std::string ViewerState::scene_description(const std::string& scene) {
    const auto [place, is_new] = descriptions_.try_emplace(scene, "");
    if (is_new) {
        const Result<SceneDesc> loaded = load_scene(scene);
        if (loaded) place->second = loaded->description;
    }
    return place->second;
}

} // namespace selvage
