#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "scene/scene_desc.h"

namespace selvage {

/// A choice is the index of its name.
using SettingValue = std::variant<double, int, bool, std::string, Triple, Pair, IntPair, IntTriple>;

/// One number, switch or choice of a scene that may be changed while it runs.
struct Setting {
    std::string group;   ///< Solver, Time, Fabric, Look, Air, Contact or Light.
    std::string section; ///< Within the group: the cloth's or collider's name; empty for none.
    std::string pointer; ///< Where scene files keep it: /air/wind/velocity.
    std::string key, unit, help;
    Range range;                      ///< What scene files allow.
    double low = 0.0, high = 0.0;     ///< What a slider spans: the useful part of the range.
    bool logarithmic = false;         ///< The slider.
    std::vector<std::string> choices; ///< Names, when the value is one of them.
    std::function<SettingValue(const SceneDesc&)> get;
    std::function<void(SceneDesc&, const SettingValue&)> set; ///< Clamps to the range; ignores what is not finite.
};

/// Everything that can be changed live, made from the same descriptions that read and write scene files.
std::vector<Setting> list_settings(const SceneDesc& scene);

/// Several settings at once.
struct Preset {
    std::string group, name, help;
    std::function<void(SceneDesc&)> apply;
};
std::vector<Preset> list_presets();

} // namespace selvage
