#include "view/settings_list.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "scene/scene_fields.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

double clamped(double value, const Range& range) {
    const double low = range.open_min ? range.min + 1e-9 * std::max(1.0, std::abs(range.min)) : range.min;
    return std::clamp(value, low, range.max);
}

template <class T>
T within(const T& value, const Range& range, const T& old) {
    if constexpr (std::is_same_v<T, double>)
        return std::isfinite(value) ? clamped(value, range) : old;
    else if constexpr (std::is_same_v<T, int>)
        return static_cast<int>(std::clamp(static_cast<double>(value), std::max(range.min, -2147483648.0),
                                           std::min(range.max, 2147483647.0)));
    else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>)
        return value;
    else {
        T out = value;
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = within(value[i], range, old[i]);
        return out;
    }
}

/// A number that says how large a value usually is.
template <class T>
double usual_size(const T& value) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int>)
        return std::abs(static_cast<double>(value));
    else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>)
        return 0.0;
    else {
        double largest = 0.0;
        for (const auto& part : value)
            largest = std::max(largest, std::abs(static_cast<double>(part)));
        return largest;
    }
}

/// Where 0 is usual it stands for "none" or "chosen", and the unit alone says what a number would be like.
double everyday_size(const std::string& unit) {
    return unit == "m" ? 0.02 : unit == "N m" ? 1e-3 : 0.0;
}

/// Files allow anything that is not nonsense, over many powers of ten. A slider spans what is near the usual value.
template <class T>
void fit_slider(Setting& setting, const T& usual) {
    const double size = usual_size(usual);
    const Range& range = setting.range;
    setting.low = range.min, setting.high = range.max;
    const double span = range.max - range.min;
    if (span <= 20.0 && !(size > 0.0 && size < 0.02 * span)) return;
    if (!(size > 0.0) && range.min >= 0.0 && everyday_size(setting.unit) > 0.0) {
        setting.high = std::min(range.max, everyday_size(setting.unit));
        setting.logarithmic = true;
        return;
    }
    if (size > 0.0 && range.min >= 0.0) {
        setting.high = std::min(range.max, size * (std::is_same_v<T, int> ? 10.0 : 100.0));
        setting.low = range.min > 0.0 ? std::max(range.min, size / 100.0) : 0.0;
        setting.logarithmic = true;
        return;
    }
    const double reach = std::max(10.0, 3.0 * size);
    setting.low = std::max(range.min, -reach), setting.high = std::min(range.max, reach);
}

/// `access(scene)` gives the struct that holds the fields.
template <class S, class Access>
void add_fields(std::vector<Setting>& out, const std::string& group, const std::string& section,
                const std::string& pointer, const Fields<S>& fields, const S& usual, const Access& access) {
    for (const Field& field : fields) {
        const std::string key(field.key);
        Setting setting;
        setting.group = group, setting.section = section, setting.pointer = pointer + "/" + key;
        setting.key = key, setting.unit = field.unit, setting.help = field.help, setting.range = field.range;
        std::visit(
            [&](const auto& member) {
                using Member = std::decay_t<decltype(member)>;
                if constexpr (std::is_same_v<Member, Choice>) {
                    setting.choices = member.names;
                    setting.get = [access, member](const SceneDesc& s) { return SettingValue(member.get(&access(s))); };
                    setting.set = [access, member](SceneDesc& s, const SettingValue& value) {
                        const int* index = std::get_if<int>(&value);
                        if (index && *index >= 0 && *index < static_cast<int>(member.names.size()))
                            member.set(&access(s), *index);
                    };
                } else if constexpr (!std::is_same_v<Member, Place<std::vector<Triple>>>) {
                    using T = std::decay_t<decltype(member.in(&usual))>;
                    fit_slider(setting, member.in(&usual));
                    setting.get = [access, member](const SceneDesc& s) { return SettingValue(member.in(&access(s))); };
                    setting.set = [access, member, range = field.range](SceneDesc& s, const SettingValue& value) {
                        if (const T* given = std::get_if<T>(&value)) {
                            T& place = member.in(&access(s));
                            place = within(*given, range, place);
                        }
                    };
                }
            },
            field.member);
        if (setting.get) out.push_back(std::move(setting));
    }
}

template <class S>
Fields<S> only(const Fields<S>& fields, std::initializer_list<const char*> keys) {
    Fields<S> chosen;
    for (const Field& field : fields)
        if (std::find(keys.begin(), keys.end(), field.key) != keys.end()) chosen.list.push_back(field);
    return chosen;
}

void add_solver(std::vector<Setting>& out, const SceneDesc& scene) {
    std::visit(
        [&](const auto& chosen) {
            using S = std::decay_t<decltype(chosen)>;
            add_fields(out, "Solver", "", "/solver", settings_fields(chosen), S{}, [](auto& s) -> auto& {
                // A setting of another solver than the scene's has nothing to change.
                static thread_local S unused;
                if constexpr (std::is_const_v<std::remove_reference_t<decltype(s)>>) {
                    const S* held = std::get_if<S>(&s.solver);
                    return held ? *held : static_cast<const S&>(unused);
                } else {
                    S* held = std::get_if<S>(&s.solver);
                    return held ? *held : unused;
                }
            });
        },
        scene.solver);
}

void add_cloth(std::vector<Setting>& out, const SceneDesc& scene, std::size_t c) {
    const std::string& name = scene.cloths[c].name;
    const std::string at = concat("/cloths/", c);
    const std::size_t first = out.size();
    add_fields(out, "Fabric", name, at + "/fabric", material_fields(), Material{},
               [c](auto& s) -> auto& { return s.cloths[c].material; });
    add_fields(out, "Look", name, at + "/fabric/look", look_fields(), FabricLook{},
               [c](auto& s) -> auto& { return s.cloths[c].look; });
    // What is changed here is no longer what the fabric's file says.
    for (std::size_t i = first; i < out.size(); ++i)
        out[i].set = [c, set = out[i].set](SceneDesc& s, const SettingValue& value) {
            s.cloths[c].inline_fabric = true;
            set(s, value);
        };
    add_fields(out, "Contact", name, at, only(desc_fields(ClothDesc{}), {"self_collision", "contact_distance"}),
               ClothDesc{}, [c](auto& s) -> auto& { return s.cloths[c]; });
    add_fields(out, "Air", name, at, only(desc_fields(ClothDesc{}), {"velocity_damping"}), ClothDesc{},
               [c](auto& s) -> auto& { return s.cloths[c]; });
}

} // namespace

std::vector<Setting> list_settings(const SceneDesc& scene) {
    std::vector<Setting> out;
    add_solver(out, scene);
    const auto whole = [](auto& s) -> auto& { return s; };
    add_fields(out, "Time", "", "", only(desc_fields(scene), {"gravity"}), SceneDesc{}, whole);
    const Fields<SceneDesc> step = {
        {"substeps", &SceneDesc::substeps, kSubsteps, "", "Solver steps per frame."},
        {"dt", &SceneDesc::dt, {1e-3, 0.1, false}, "s", "Frame time; a solver step is this over the substeps."}};
    add_fields(out, "Time", "", "", step, SceneDesc{}, whole);
    const auto air = [](auto& s) -> auto& { return s.air; };
    add_fields(out, "Air", "", "", only(desc_fields(scene), {"velocity_damping"}), SceneDesc{}, whole);
    add_fields(out, "Air", "", "/air", air_fields(), AirDesc{}, air);
    add_fields(out, "Air", "wind", "/air/wind", wind_fields(), AirDesc{}, air);
    for (std::size_t c = 0; c < scene.cloths.size(); ++c)
        add_cloth(out, scene, c);
    for (std::size_t c = 0; c < scene.colliders.size(); ++c)
        add_fields(out, "Contact", concat("collider ", c), concat("/colliders/", c), desc_fields(ColliderDesc{}),
                   ColliderDesc{}, [c](auto& s) -> auto& { return s.colliders[c]; });
    add_fields(out, "Light", "", "/render", desc_fields(scene.render), RenderDesc{},
               [](auto& s) -> auto& { return s.render; });
    return out;
}

std::vector<Preset> list_presets() {
    std::vector<Preset> presets;
    struct Weather {
        const char *name, *help;
        double speed, gust;
    };
    for (const Weather& w :
         {Weather{"still air", "No wind; air still slows the cloth.", 0.0, 0.0},
          Weather{"light breeze", "Beaufort 2: 2.5 m/s.", 2.5, 0.2},
          Weather{"fresh breeze", "Beaufort 5: 9 m/s.", 9.0, 0.3}, Weather{"gale", "Beaufort 8: 19 m/s.", 19.0, 0.35}})
        presets.push_back({"Air", w.name, w.help, [w](SceneDesc& s) {
                               const Vec3 now{s.air.wind[0], s.air.wind[1], s.air.wind[2]};
                               const Vec3 wind = w.speed * normalized(now, {1, 0, 0});
                               if (!(s.air.density > 0.0)) s.air.density = 1.2;
                               s.air.wind = {wind.x, wind.y, wind.z};
                               s.air.gust = w.gust;
                           }});
    for (const BuiltinFile& file : builtin_fabrics())
        presets.push_back({"Fabric", file.name, "Moves and looks like it.", [name = file.name](SceneDesc& s) {
                               const Result<Fabric> fabric = load_fabric(name);
                               if (!fabric) return;
                               for (ClothDesc& cloth : s.cloths) {
                                   cloth.fabric = name;
                                   cloth.material = fabric->material;
                                   cloth.look = fabric->look;
                                   cloth.inline_fabric = false;
                               }
                           }});
    struct Steps {
        const char *name, *help;
        int substeps;
    };
    for (const Steps& q : {Steps{"coarse", "4 steps a frame.", 4}, Steps{"usual", "20 steps a frame.", 20},
                           Steps{"fine", "60 steps a frame.", 60}})
        presets.push_back({"Time", q.name, q.help, [q](SceneDesc& s) { s.substeps = q.substeps; }});
    return presets;
}

} // namespace selvage
