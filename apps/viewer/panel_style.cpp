#include <filesystem>

#include <imgui/imgui.h>

#include "panels.h"

namespace selvage {

void style_panels() {
    ImGui::StyleColorsDark();
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 8.0f;
    style.ChildRounding = 6.0f;
    style.FrameRounding = 5.0f;
    style.GrabRounding = 5.0f;
    style.PopupRounding = 6.0f;
    style.TabRounding = 5.0f;
    style.ScrollbarRounding = 6.0f;
    style.ScrollbarSize = 11.0f;
    style.WindowBorderSize = 0.0f;
    style.FramePadding = {7.0f, 4.0f};
    style.ItemSpacing = {7.0f, 5.0f};
    style.WindowPadding = {11.0f, 9.0f};
    const auto colour = [&](int which, float r, float g, float b, float a) { style.Colors[which] = {r, g, b, a}; };
    colour(ImGuiCol_Text, 0.93f, 0.93f, 0.91f, 1.0f);
    colour(ImGuiCol_TextDisabled, 0.60f, 0.61f, 0.63f, 1.0f);
    colour(ImGuiCol_WindowBg, 0.09f, 0.095f, 0.11f, 0.90f);
    colour(ImGuiCol_PopupBg, 0.11f, 0.115f, 0.13f, 0.97f);
    colour(ImGuiCol_FrameBg, 0.19f, 0.20f, 0.23f, 1.0f);
    colour(ImGuiCol_FrameBgHovered, 0.25f, 0.26f, 0.30f, 1.0f);
    colour(ImGuiCol_FrameBgActive, 0.29f, 0.30f, 0.35f, 1.0f);
    colour(ImGuiCol_TitleBg, 0.09f, 0.095f, 0.11f, 0.95f);
    colour(ImGuiCol_TitleBgActive, 0.12f, 0.125f, 0.145f, 1.0f);
    colour(ImGuiCol_Button, 0.22f, 0.23f, 0.27f, 1.0f);
    colour(ImGuiCol_ButtonHovered, 0.80f, 0.40f, 0.22f, 1.0f);
    colour(ImGuiCol_ButtonActive, 0.90f, 0.47f, 0.27f, 1.0f);
    colour(ImGuiCol_SliderGrab, 0.84f, 0.46f, 0.28f, 1.0f);
    colour(ImGuiCol_SliderGrabActive, 0.95f, 0.56f, 0.36f, 1.0f);
    colour(ImGuiCol_CheckMark, 0.93f, 0.54f, 0.34f, 1.0f);
    colour(ImGuiCol_Header, 0.24f, 0.25f, 0.29f, 1.0f);
    colour(ImGuiCol_HeaderHovered, 0.32f, 0.33f, 0.38f, 1.0f);
    colour(ImGuiCol_HeaderActive, 0.80f, 0.40f, 0.22f, 1.0f);
    colour(ImGuiCol_Tab, 0.16f, 0.165f, 0.19f, 1.0f);
    colour(ImGuiCol_TabHovered, 0.80f, 0.40f, 0.22f, 1.0f);
    colour(ImGuiCol_TabActive, 0.62f, 0.32f, 0.19f, 1.0f);
    colour(ImGuiCol_PlotLines, 0.93f, 0.60f, 0.40f, 1.0f);
    colour(ImGuiCol_Separator, 0.28f, 0.29f, 0.32f, 1.0f);
    constexpr const char* kFont = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
    if (std::filesystem::exists(kFont)) ImGui::GetIO().Fonts->AddFontFromFileTTF(kFont, 14.0f);
}

} // namespace selvage
