#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"

namespace selvage {
namespace {

void collect_keys(const Json& node, std::set<std::string>& keys) {
    if (node.is_object() && node.contains("properties"))
        for (const auto& [key, unused] : node["properties"].items())
            keys.insert(key);
    if (node.is_structured())
        for (const auto& child : node)
            collect_keys(child, keys);
}

TEST(Docs, DescribeEveryKeyOfTheSceneFormat) {
    const Result<std::string> page = read_file(std::filesystem::path(SELVAGE_SOURCE_DIR) / "docs/scene_format.md");
    ASSERT_TRUE(page);
    std::set<std::string> keys;
    collect_keys(scene_schema(), keys);
    EXPECT_GT(keys.size(), 50u);
    for (const std::string& key : keys)
        EXPECT_NE(page->find("`" + key + "`"), std::string::npos) << key << " is not in docs/scene_format.md";
}

TEST(Docs, HaveAPageForEverySolver) {
    for (const SolverEntry& entry : solver_catalog())
        EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(SELVAGE_SOURCE_DIR) / "docs/explanation/solvers" /
                                            (entry.name + ".md")))
            << entry.name;
}

TEST(Docs, TutorialScenesLoad) {
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(SELVAGE_SOURCE_DIR) / "docs/tutorial")) {
        if (entry.path().extension() != ".json") continue;
        const Result<SceneDesc> scene = load_scene(entry.path());
        EXPECT_TRUE(scene) << (scene ? "" : scene.error().text());
        ++count;
    }
    EXPECT_EQ(count, 6); // one per step of the page
}

TEST(Docs, EverySceneHasAPictureForTheBrowser) {
    for (const BuiltinFile& scene : builtin_scenes())
        EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(SELVAGE_SOURCE_DIR) / "apps/viewer/pictures" /
                                            (scene.name + ".jpg")))
            << "run scripts/scene_pictures " << scene.name;
}

} // namespace
} // namespace selvage
