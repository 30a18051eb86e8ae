#include "view/settings_list.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "scene/scene_io.h"
#include "scene/scene_json.h"

namespace selvage {
namespace {

SceneDesc loaded(const std::string& name) {
    Result<SceneDesc> scene = load_scene(name);
    EXPECT_TRUE(scene);
    return *scene;
}

const Setting& find(const std::vector<Setting>& settings, const std::string& pointer) {
    for (const Setting& setting : settings)
        if (setting.pointer == pointer) return setting;
    ADD_FAILURE() << pointer;
    return settings.front();
}

// The oracle is the scene writer: a setting's pointer is where the file keeps it, and a change shows there and nowhere else.
TEST(SettingsList, ReachesWhatSceneFilesCallByThatPointer) {
    SceneDesc scene = loaded("yard-drape");
    scene.cloths[0].inline_fabric = true; // so that files spell the fabric out
    for (const Setting& setting : list_settings(scene)) {
        SCOPED_TRACE(setting.pointer);
        if (setting.key == "dt") continue; // written as a fraction
        const Json before = scene_json(scene);
        SceneDesc changed = scene;
        SettingValue value = setting.get(scene);
        if (double* v = std::get_if<double>(&value))
            *v = *v == setting.low ? setting.high : setting.low;
        else if (bool* b = std::get_if<bool>(&value))
            *b = !*b;
        else if (int* i = std::get_if<int>(&value))
            *i = setting.choices.empty() ? static_cast<int>(setting.low) + (*i == static_cast<int>(setting.low))
                                         : (*i + 1) % static_cast<int>(setting.choices.size());
        else if (Triple* t = std::get_if<Triple>(&value))
            (*t)[1] = (*t)[1] == setting.low ? setting.high : setting.low;
        else if (Pair* p = std::get_if<Pair>(&value))
            (*p)[1] = (*p)[1] == setting.low ? setting.high : setting.low;
        else if (IntTriple* n = std::get_if<IntTriple>(&value))
            (*n)[2] += 1;
        else if (std::string* s = std::get_if<std::string>(&value))
            *s = "other";
        setting.set(changed, value);
        const Json after = scene_json(changed);
        EXPECT_EQ(setting.get(changed), value);
        const Json patch = Json::diff(before, after);
        ASSERT_FALSE(patch.empty());
        for (const Json& change : patch)
            EXPECT_EQ(std::string(change["path"]).rfind(setting.pointer, 0), 0u) << patch.dump();
    }
}

TEST(SettingsList, CoversEveryFieldOfEverySolver) {
    for (const SolverEntry& entry : solver_catalog()) {
        SceneDesc scene = loaded("flag");
        scene.solver = entry.defaults;
        const Json json = scene_json(scene)["solver"];
        std::set<std::string> found;
        for (const Setting& setting : list_settings(scene))
            if (setting.group == "Solver") found.insert(setting.key);
        for (const auto& [key, unused] : json.items())
            EXPECT_TRUE(key == "type" || found.count(key)) << entry.name << " " << key;
    }
}

TEST(SettingsList, SlidersSpanTheUsualValueWithinTheAllowedRange) {
    for (const char* name : {"flag", "yard-drape", "kang-table", "soft-block"}) {
        const SceneDesc scene = loaded(name);
        for (const Setting& setting : list_settings(scene)) {
            SCOPED_TRACE(setting.pointer);
            EXPECT_FALSE(setting.help.empty());
            if (!setting.choices.empty() || std::holds_alternative<std::string>(setting.get(scene))) continue;
            if (std::holds_alternative<bool>(setting.get(scene))) continue;
            EXPECT_LT(setting.low, setting.high);
            EXPECT_GE(setting.low, setting.range.min);
            EXPECT_LE(setting.high, setting.range.max);
        }
    }
}

TEST(SettingsList, ClampsToTheRangeAndIgnoresWhatIsNotFinite) {
    SceneDesc scene = loaded("flag");
    const std::vector<Setting> settings = list_settings(scene);
    const Setting& density = find(settings, "/cloths/0/fabric/density");
    density.set(scene, 1e9);
    EXPECT_EQ(scene.cloths[0].material.density, 100.0);
    EXPECT_TRUE(scene.cloths[0].inline_fabric); // it is no longer the named fabric's
    density.set(scene, std::nan(""));
    EXPECT_EQ(scene.cloths[0].material.density, 100.0);
    density.set(scene, true); // another type says nothing
    EXPECT_EQ(scene.cloths[0].material.density, 100.0);
}

TEST(SettingsList, PresetsGiveScenesThatCanBeSavedAndReadBack) {
    for (const Preset& preset : list_presets()) {
        SCOPED_TRACE(preset.name);
        SceneDesc scene = loaded("flag");
        preset.apply(scene);
        Result<JsonDocument> document = parse_json(scene_json(scene).dump(), "preset");
        ASSERT_TRUE(document);
        const Result<SceneDesc> again = parse_scene(std::move(*document), {});
        EXPECT_TRUE(again) << again.error().text();
    }
}

} // namespace
} // namespace selvage
