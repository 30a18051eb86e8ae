// Every kind of bad scene, and what the user is told about it.

#include <fstream>

#include "base/atomic_file.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"
#include "support.h"

namespace selvage {
namespace {

struct BadScene {
    std::string text;
    std::vector<std::string> expected; ///< All of these stand in the message.
};

std::string message(const std::string& text) {
    Result<JsonDocument> document = parse_json(text, "bad.json");
    if (!document) return document.error().text();
    const Result<SceneDesc> scene = parse_scene(std::move(*document), {});
    return scene ? "loaded" : scene.error().text();
}

void expect_messages(const std::vector<BadScene>& table) {
    for (const BadScene& bad : table) {
        const std::string found = message(bad.text);
        for (const std::string& part : bad.expected)
            EXPECT_NE(found.find(part), std::string::npos)
                << bad.text << "\n  said: " << found << "\n  wanted: " << part;
    }
}

/// A scene of one good cloth and these keys besides.
std::string with_top(const std::string& keys) {
    return R"({"cloths": [{"mesh": {"grid": {}}}], )" + keys + "}";
}
/// A scene of one cloth that has these keys besides its mesh.
std::string with_cloth(const std::string& keys) {
    return R"({"cloths": [{"mesh": {"grid": {}}, )" + keys + "}]}";
}
std::string with_mesh(const std::string& mesh) {
    return R"({"cloths": [{"mesh": )" + mesh + "}]}";
}
std::string with_pin(const std::string& pin) {
    return with_cloth(R"("pins": [)" + pin + "]");
}

TEST(SceneErrors, AGoodSceneLoads) {
    EXPECT_EQ(message(with_top(R"("dt": "1/60")")), "loaded");
    EXPECT_EQ(message(with_cloth(R"("pins": [{"edge": "left"}])")), "loaded");
}

TEST(SceneErrors, AnUnknownKeyIsNamedWithItsPlaceAndTheNearestKnownOne) {
    // Columns are those of the value, counted in the text shown.
    expect_messages({
        {R"({"gravty": [0,0,0], "cloths": [{"mesh": {"grid": {}}}]})",
         {"bad.json:1:12: /gravty: unknown key \"gravty\"; did you mean \"gravity\"?"}},
        {with_top(R"("solver": {"type": "implicit-jacobi", "sweep": 3})"),
         {"bad.json:1:", "/solver/sweep: unknown key \"sweep\"; did you mean \"sweeps\"?"}},
        {with_top(R"("air": {"densty": 1})"), {"/air/densty: unknown key \"densty\"; did you mean \"density\"?"}},
        {with_top(R"("air": {"wind": {"speed": 1, "gusts": 1}})"), {"/air/wind/speed: unknown key \"speed\""}},
        {with_top(R"("air": {"wind": {"gusts": 1}})"),
         {"/air/wind/gusts: unknown key \"gusts\"; did you mean \"gust\"?"}},
        {with_top(R"("camera": {"eyes": [0,0,0]})"), {"/camera/eyes: unknown key \"eyes\"; did you mean \"eye\"?"}},
        {with_cloth(R"("fabrics": "linen")"), {"/cloths/0/fabrics: unknown key", "did you mean \"fabric\"?"}},
        {with_mesh(R"({"gird": {}})"), {"/cloths/0/mesh/gird: unknown key", "did you mean \"grid\"?"}},
        {with_mesh(R"({"grid": {"vertexes": [3,3]}})"),
         {"bad.json:1:44: /cloths/0/mesh/grid/vertexes: unknown key", "did you mean \"vertices\"?"}},
        {with_mesh(R"({"disc": {"radios": 1}})"), {"/cloths/0/mesh/disc/radios", "did you mean \"radius\"?"}},
        {with_mesh(R"({"tube": {"hight": 1}})"), {"/cloths/0/mesh/tube/hight", "did you mean \"height\"?"}},
        {with_mesh(R"({"block": {"sizes": [1,1,1]}})"), {"/cloths/0/mesh/block/sizes", "did you mean \"size\"?"}},
        {with_cloth(R"("place": {"translation": [0,0,0]})"),
         {"/cloths/0/place/translation", "did you mean \"translate\"?"}},
        {with_cloth(R"("net": {"layut": "mesh"})"), {"/cloths/0/net/layut", "did you mean \"layout\"?"}},
        {with_cloth(R"("fabric": {"densty": 1})"), {"/cloths/0/fabric/densty", "did you mean \"density\"?"}},
        {with_pin(R"({"edge": "left", "keyframe": []})"), {"/cloths/0/pins/0/keyframe", "did you mean \"keyframes\"?"}},
        {with_pin(R"({"box": {"minimum": [0,0,0]}})"), {"/cloths/0/pins/0/box/minimum: unknown key"}},
        {with_pin(R"({"edge": "left", "keyframes": [{"t": 0, "rotatedeg": [0,0,0]}]})"),
         {"/cloths/0/pins/0/keyframes/0/rotatedeg", "did you mean \"rotate_deg\"?"}},
        {with_cloth(R"("surface": {"nn": {}})"), {"/cloths/0/surface/nn: unknown key", "pn"}},
        {with_cloth(R"("surface": {"pn": {"per_edges": 8}})"),
         {"/cloths/0/surface/pn/per_edges: unknown key", "did you mean \"per_edge\"?"}},
        // Nothing near: the choices are listed.
        {with_top(R"("qqqqqqqqqqqq": 1)"),
         {"/qqqqqqqqqqqq: unknown key", "expected one of: name, description, gravity"}},
    });
}

TEST(SceneErrors, AWrongTypeIsShownWithWhatWasExpected) {
    expect_messages({
        {"3", {"bad.json:1:1: found 3; expected an object {...}"}},
        {"[]", {"bad.json:1:1: found []; expected an object {...}"}},
        {"null", {"found null; expected an object {...}"}},
        {with_top(R"("name": 7)"), {"/name: found 7; expected a text in quotes"}},
        {with_top(R"("gravity": 9.81)"), {"/gravity: found 9.81; expected a list of 3 numbers"}},
        {with_top(R"("gravity": [0, 1])"), {"/gravity: found [0,1]; expected a list of 3 numbers"}},
        {with_top(R"("gravity": [0, "down", 0])"), {"/gravity/1: found \"down\"; expected a number"}},
        {with_top(R"("substeps": "8")"), {"/substeps: found \"8\"; expected a whole number from 1 to 1000000"}},
        {with_top(R"("substeps": 1.5)"), {"/substeps: found 1.5; expected a whole number"}},
        {with_top(R"("substeps": {"other": 0})"), {"/substeps/other: found 0; expected a whole number from 1"}},
        {with_top(R"("substeps": {"other": 9, "multilvel": 4})"),
         {"/substeps/multilvel: unknown key", "did you mean \"multilevel\"?"}},
        {with_top(R"("substeps": {"multilevel": 4})"), {"/substeps: has no \"other\"; expected the steps per frame"}},
        {with_top(R"("seconds": true)"), {"/seconds: found true; expected a number"}},
        {with_top(R"("dt": [1])"), {"/dt: found [1]; expected a number", "or a fraction such as \"1/60\""}},
        {with_top(R"("solver": "implicit-cg")"), {"/solver: found \"implicit-cg\"; expected an object {...}"}},
        {with_top(R"("solver": {})"), {"/solver: has no \"type\"; expected one of: implicit-jacobi"}},
        {with_top(R"("solver": {"type": 1})"), {"/solver/type: found 1; expected a text in quotes"}},
        {with_top(R"("solver": {"type": "implicit-jacobi", "keep_momentum": 1})"),
         {"/solver/keep_momentum: found 1; expected true or false"}},
        {with_top(R"("air": 1.2)"), {"/air: found 1.2; expected an object {...}"}},
        {with_top(R"("air": {"wind": [1,0,0]})"), {"/air/wind: found [1,0,0]; expected an object {...}"}},
        {with_top(R"("air": {"wind": {"seed": "a"}})"), {"/air/wind/seed: found \"a\"; expected a whole number"}},
        {with_top(R"("camera": [0,0,0])"), {"/camera: found [0,0,0]; expected an object {...}"}},
        {R"({"cloths": {}})", {"bad.json:1:12: /cloths: found {}; expected a list [...]"}},
        {R"({"cloths": [1]})", {"/cloths/0: found 1; expected an object {...}"}},
        {with_mesh("\"grid\""), {"/cloths/0/mesh: found \"grid\"; expected an object {...}"}},
        {with_mesh(R"({"grid": [3,3]})"), {"/cloths/0/mesh/grid: found [3,3]; expected an object {...}"}},
        {with_mesh(R"({"grid": {"vertices": 9}})"), {"/cloths/0/mesh/grid/vertices: found 9; expected a list of 2"}},
        {with_mesh(R"({"grid": {"diagonals": "both"}})"),
         {"/cloths/0/mesh/grid/diagonals: found \"both\"; expected one of: uniform, alternating, cross"}},
        {with_mesh(R"({"ribbon": {"path": 3}})"), {"/cloths/0/mesh/ribbon/path: found 3; expected a list [...]"}},
        {with_mesh(R"({"ribbon": {"path": [[0,0,0], [1,0]]}})"),
         {"/cloths/0/mesh/ribbon/path/1: found [1,0]; expected a list of 3 numbers"}},
        {with_mesh(R"({"ribbon": {"path": [[0,0,null], [1,0,0]]}})"),
         {"/cloths/0/mesh/ribbon/path/0/2: found null; expected a number"}},
        {with_mesh(R"({"file": 1})"), {"/cloths/0/mesh/file: found 1; expected a text in quotes"}},
        {with_cloth(R"("place": [0,0,0])"), {"/cloths/0/place: found [0,0,0]; expected an object {...}"}},
        {with_cloth(R"("net": true)"), {"/cloths/0/net: found true; expected an object {...}"}},
        {with_cloth(R"("net": {"bend": 0})"), {"/cloths/0/net/bend: found 0; expected true or false"}},
        {with_cloth(R"("surface": "pn")"), {"/cloths/0/surface: found \"pn\"; expected an object {...}"}},
        {with_cloth(R"("surface": {"pn": 8})"), {"/cloths/0/surface/pn: found 8; expected an object {...}"}},
        {with_cloth(R"("surface": {"pn": {"per_edge": 0}})"),
         {"/cloths/0/surface/pn/per_edge: found 0; expected a whole number from 1 to 64"}},
        {with_cloth(R"("surface": {"pn": {"per_edge": 65}})"), {"found 65; expected a whole number from 1 to 64"}},
        {with_cloth(R"("surface": {"pn": {"per_edge": 2.5}})"), {"found 2.5; expected a whole number from 1 to 64"}},
        {with_cloth(R"("surface": {"pn": {"normals": "force"}})"),
         {"/cloths/0/surface/pn/normals: found \"force\"; expected one of: forces, area"}},
        {with_cloth(R"("surface": {"pn": {"keep_length": 1}})"),
         {"/cloths/0/surface/pn/keep_length: found 1; expected true or false"}},
        {with_cloth(R"("fabric": 5)"), {"/cloths/0/fabric: found 5; expected a text in quotes"}},
        {with_cloth(R"("pins": {})"), {"/cloths/0/pins: found {}; expected a list [...]"}},
        {with_pin("\"left\""), {"/cloths/0/pins/0: found \"left\"; expected an object {...}"}},
        {with_pin(R"({"edge": 1})"), {"/cloths/0/pins/0/edge: found 1; expected a text in quotes"}},
        {with_pin(R"({"vertices": 1})"), {"/cloths/0/pins/0/vertices: found 1; expected a list [...]"}},
        {with_pin(R"({"vertices": [0.5]})"), {"/cloths/0/pins/0/vertices/0: found 0.5; expected a whole number"}},
        {with_pin(R"({"box": [0,1]})"), {"/cloths/0/pins/0/box: found [0,1]; expected an object {...}"}},
        {with_pin(R"({"edge": "left", "smooth": "yes"})"), {"/cloths/0/pins/0/smooth: found \"yes\"; expected true"}},
        {with_pin(R"({"edge": "left", "keyframes": 3})"), {"/cloths/0/pins/0/keyframes: found 3; expected a list"}},
        {with_pin(R"({"edge": "left", "keyframes": [0]})"), {"/keyframes/0: found 0; expected an object {...}"}},
    });
}

TEST(SceneErrors, ALongValueIsShownShortened) {
    const std::string found = message(with_top("\"gravity\": \"" + std::string(5000, 'x') + "\""));
    EXPECT_LT(found.size(), 200u);
    EXPECT_NE(found.find("xxx...; expected a list of 3 numbers"), std::string::npos) << found;
}

TEST(SceneErrors, ANumberOutOfRangeIsShownWithTheRange) {
    expect_messages({
        {with_top(R"("dt": 0)"), {"/dt: found 0; expected a number from 1e-09 to 10, or a fraction such as \"1/60\""}},
        {with_top(R"("dt": -0.01)"), {"/dt: found -0.01; expected a number from 1e-09 to 10"}},
        {with_top(R"("dt": 1e-300)"), {"/dt: found 1e-300; expected a number from 1e-09 to 10"}},
        {with_top(R"("dt": 11)"), {"/dt: found 11; expected a number from 1e-09 to 10"}},
        {with_top(R"("dt": "1/0")"), {"/dt: found \"1/0\"; expected a number"}},
        {with_top(R"("dt": "-1/60")"), {"/dt: found \"-1/60\"; expected a number"}},
        {with_top(R"("dt": "fast")"), {"/dt: found \"fast\"; expected a number"}},
        {with_top(R"("dt": "nan")"), {"/dt: found \"nan\"; expected a number"}},
        {with_top(R"("substeps": 0)"), {"/substeps: found 0; expected a whole number from 1 to 1000000"}},
        {with_top(R"("substeps": -3)"), {"/substeps: found -3; expected"}},
        {with_top(R"("substeps": 1e18)"), {"/substeps: found 1e+18; expected a whole number from 1"}},
        {with_top(R"("seconds": 0)"), {"/seconds: found 0; expected a number above 0 up to 1000000"}},
        {with_top(R"("seconds": 1e7)"), {"/seconds: found 10000000.0; expected"}},
        {with_top(R"("budget_ms": -1)"), {"/budget_ms: found -1; expected a number from 0 to 1000000"}},
        {with_top(R"("budget_ms": "4 ms")"), {"/budget_ms: found \"4 ms\"; expected a number"}},
        {with_top(R"("gravity": [0, -1e30, 0])"), {"/gravity/1: found -1e+30; expected a number from -10000 to 10000"}},
        {with_top(R"("air": {"density": -1})"), {"/air/density: found -1; expected"}},
        {with_top(R"("solver": {"type": "implicit-jacobi", "sweeps": -1})"),
         {"/solver/sweeps: found -1; expected a whole number from 0 to 1000"}},
        {with_top(R"("solver": {"type": "implicit-cg", "tolerance": 0})"),
         {"/solver/tolerance: found 0; expected a number above 1e-15 up to 1"}},
        {with_top(R"("camera": {"fov_deg": 180})"), {"/camera/fov_deg: found 180; expected a number from 1 to 170"}},
        {with_mesh(R"({"grid": {"size": [0, 1]}})"),
         {"/cloths/0/mesh/grid/size/0: found 0; expected a number from 1e-06"}},
        {with_mesh(R"({"grid": {"vertices": [1, 3]}})"),
         {"/cloths/0/mesh/grid/vertices/0: found 1; expected a whole number from 2"}},
        {with_mesh(R"({"grid": {"vertices": [3, 0]}})"), {"/cloths/0/mesh/grid/vertices/1: found 0; expected"}},
        {with_mesh(R"({"grid": {"vertices": [3, 3000000000]}})"), {"/cloths/0/mesh/grid/vertices/1: found 3000000000"}},
        {with_mesh(R"({"ribbon": {"path": [[0,0,0], [1e9,0,0]]}})"),
         {"/cloths/0/mesh/ribbon/path/1/0: found 1000000000.0; expected a number from -1000000 to 1000000"}},
        {with_mesh(R"({"disc": {"rings": 0}})"),
         {"/cloths/0/mesh/disc/rings: found 0; expected a whole number from 1"}},
        {with_mesh(R"({"disc": {"radius": -1}})"), {"/cloths/0/mesh/disc/radius: found -1; expected"}},
        {with_cloth(R"("place": {"scale": 0})"), {"/cloths/0/place/scale: found 0; expected a number from 1e-06"}},
        {with_cloth(R"("fabric": {"density": -0.1})"),
         {"/cloths/0/fabric/density: found -0.1; expected a number from 0.001 to 100"}},
        {with_cloth(R"("fabric": {"density": 0})"), {"/cloths/0/fabric/density: found 0; expected"}},
        {with_cloth(R"("fabric": {"look": {"weave": [1, -1, 1]}})"), {"/cloths/0/fabric/look/weave", "expected"}},
        {with_cloth(R"("fabric": {"look": {"model": "phong"}})"),
         {"/cloths/0/fabric/look/model", "expected one of: ashikhmin, ward"}},
        {with_cloth(R"("fabric": {"look": {"warp_color": [1, 1, 1]}})"),
         {"/cloths/0/fabric/look/warp_color: unknown key", "did you mean \"warp_colour\"?"}},
        {with_cloth(R"("fabric": {"stretch_warp": -1})"), {"/cloths/0/fabric/stretch_warp: found -1; expected"}},
        {with_cloth(R"("velocity": [1e300, 0, 0])"), {"/cloths/0/velocity/0: found 1e+300; expected"}},
        {with_cloth(R"("net": {"relative_damping": -1})"), {"/cloths/0/net/relative_damping: found -1; expected"}},
        {with_pin(R"({"vertices": [-1]})"),
         {"/cloths/0/pins/0/vertices/0: found -1; expected a whole number, at least 0"}},
        {with_pin(R"({"edge": "left", "release": -1})"), {"/cloths/0/pins/0/release: found -1; expected at least 0"}},
        {with_pin(R"({"edge": "left", "keyframes": [{"t": -1}]})"), {"/keyframes/0/t: found -1; expected at least 0"}},
    });
}

TEST(SceneErrors, WhatIsMissingOrThereTwiceIsSaid) {
    expect_messages({
        {"{}", {"bad.json:1:1: has no \"cloths\"; expected a list with at least one cloth"}},
        {R"({"cloths": []})", {"bad.json:1:12: /cloths: found []; expected at least one cloth"}},
        {R"({"cloths": [{}]})",
         {"/cloths/0: has no \"mesh\"; expected one of: grid, disc, tube, block, ribbon, file, garment"}},
        {R"({"cloths": [{"mesh": {"grid": {}}, "surface": {}}]})",
         {"/cloths/0/surface: names 0 surfaces; expected exactly one of: pn, mesh"}},
        {R"({"cloths": [{"mesh": {"grid": {}}, "surface": {"mesh": {}}}]})",
         {"/cloths/0/surface/mesh: has no \"file\"; expected the name of a mesh file"}},
        {with_mesh(R"({"garment": {}})"),
         {"/cloths/0/mesh: has a garment without \"pattern\"; expected the name of one"}},
        {with_mesh(R"({"garment": {"pattern": "cape", "edge": 0}})"), {"/cloths/0/mesh/garment/edge: found 0"}},
        {with_top(R"("colliders": [{"mesh": {"garment": {"pattern": "cape"}}}])"),
         {"/colliders/0/mesh/garment: unknown key \"garment\""}},
        {with_mesh("{}"),
         {"/cloths/0/mesh: names 0 meshes; expected exactly one of: grid, disc, tube, block, ribbon, file, garment"}},
        {with_mesh(R"({"grid": {}, "disc": {}})"), {"/cloths/0/mesh: names 2 meshes; expected exactly one"}},
        {with_mesh(R"({"grid": {}, "file": "a.obj"})"), {"/cloths/0/mesh: names 2 meshes"}},
        {with_pin("{}"),
         {"/cloths/0/pins/0: selects vertices in 0 ways; expected exactly one of: edge, corner, vertices, box"}},
        {with_pin(R"({"edge": "left", "corner": "top-left"})"), {"/cloths/0/pins/0: selects vertices in 2 ways"}},
        {with_pin(R"({"vertices": [1], "box": {}})"), {"/cloths/0/pins/0: selects vertices in 2 ways"}},
        {with_pin(R"({"vertices": []})"), {"/cloths/0/pins/0/vertices: found []; expected at least one vertex"}},
        {with_pin(R"({"edge": "left", "keyframes": [{"t": 1}, {"t": 0.5}]})"),
         {"/cloths/0/pins/0/keyframes/1: t = 0.5 does not come after the keyframe before it, t = 1"}},
        {with_pin(R"({"edge": "left", "keyframes": [{"t": 1}, {"t": 1}]})"),
         {"/cloths/0/pins/0/keyframes/1: t = 1 does not come after the keyframe before it, t = 1"}},
        {with_top(R"("colliders": [{}])"),
         {"/colliders/0: names 0 shapes; expected exactly one of: sphere, box, plane, capsule, cylinder, height, "
          "mesh"}},
        {with_top(R"("colliders": [{"plane": {}}, {"sphere": {}, "box": {}}])"), {"/colliders/1: names 2 shapes"}},
        {with_top(R"("colliders": [{"sphere": {"radius": 0}}])"),
         {"/colliders/0/sphere/radius: found 0; expected a number from 1e-06"}},
        {with_top(R"("colliders": [{"sphere": {"size": 1}}])"), {"/colliders/0/sphere/size: unknown key \"size\""}},
        {with_top(R"("colliders": [{"capsule": {"top_radius": 0}}])"),
         {"/colliders/0/capsule/top_radius: found 0; expected a number from 1e-06"}},
        {with_top(R"("colliders": [{"capsule": {"lenght": 1}}])"), {"did you mean \"length\"?"}},
        {with_top(R"("colliders": [{"cylinder": {"height": -1}}])"), {"/colliders/0/cylinder/height: found -1"}},
        {with_top(R"("colliders": [{"cylinder": {"radius": "wide"}}])"), {"/colliders/0/cylinder/radius: found"}},
        {with_top(R"("colliders": [{"mesh": {}}])"),
         {"/colliders/0/mesh: names 0 meshes; expected exactly one of: grid, disc, tube, block, ribbon, file"}},
        {with_top(R"("colliders": [{"mesh": {"tube": {"radius": 0}}}])"), {"/colliders/0/mesh/tube/radius: found 0"}},
        {with_top(R"("colliders": [{"mesh": "arm.obj"}])"),
         {"/colliders/0/mesh: found \"arm.obj\"; expected an object"}},
        {with_top(R"("colliders": [{"mesh": {"file": "arm.obj", "frame": 1}}])"),
         {"/colliders/0/mesh/frame: unknown key \"frame\""}},
        {with_top(R"("colliders": [{"mesh": {"file": "arm.obj", "frames": 3}}])"),
         {"/colliders/0/mesh/frames: found 3"}},
        {with_top(R"("colliders": [{"mesh": {"file": "arm.obj", "frames_per_second": -1}}])"),
         {"/colliders/0/mesh/frames_per_second: found -1"}},
        {with_top(R"("colliders": [{"height": {}}])"),
         {"/colliders/0/height: has no \"heights\"; expected 2 x 2 = 4 numbers"}},
        {with_top(R"("colliders": [{"height": {"vertices": [3, 2], "heights": [0, 1, 2, 3, 4]}}])"),
         {"/colliders/0/height/heights: found 5 numbers; expected 3 x 2 = 6 numbers as \"vertices\" says"}},
        {with_top(R"("colliders": [{"height": {"heights": [0, 1, "up", 3]}}])"),
         {"/colliders/0/height/heights/2: found \"up\"; expected a number"}},
        {with_top(R"("colliders": [{"height": {"heights": [0, 1, 1e9, 3]}}])"),
         {"/colliders/0/height/heights/2: found"}},
        {with_top(R"("colliders": [{"height": {"vertices": [1, 4], "heights": [0, 1, 2, 3]}}])"),
         {"/colliders/0/height/vertices/0: found 1"}},
        {with_top(R"("colliders": [{"height": {"size": [0, 4], "heights": [0, 1, 2, 3]}}])"),
         {"/colliders/0/height/size/0: found 0"}},
        {with_top(R"("colliders": [{"mesh": {"file": "arm.obj"}, "box": {}}])"), {"/colliders/0: names 2 shapes"}},
        {with_top(R"("colliders": [{"plane": {}, "friction": -0.1}])"), {"/colliders/0/friction: found -0.1"}},
        {with_top(R"("colliders": [{"plane": {}, "motion": {"keyframes": [{"t": 1}, {"t": 1}]}}])"),
         {"/colliders/0/motion/keyframes/1: t = 1 does not come after"}},
        {with_top(R"("colliders": [{"plane": {}, "motion": {"spinn": [0, 1, 0]}}])"), {"did you mean \"spin\"?"}},
        {with_top(R"("colliders": [{"plane": {"normal": [0, 1, 0]}}])"),
         {"/colliders/0/plane/normal: unknown key \"normal\"; expected none"}},
        {with_top(R"("colliders": {"plane": {}})"), {"/colliders: found"}},
    });
}

TEST(SceneErrors, AnUnknownNameComesWithTheChoicesAndTheNearest) {
    expect_messages({
        {with_top(R"("solver": {"type": "implicit-gc"})"),
         {"/solver/type: unknown solver \"implicit-gc\"; expected one of: implicit-jacobi, implicit-cg, ",
          "did you mean \"implicit-cg\"?"}},
        {with_cloth(R"("fabric": "cotton-popln")"),
         {"bad.json:1:46: /cloths/0/fabric: cotton-popln: no fabric of this name; expected a file or one of:",
          "did you mean \"cotton-poplin\"?"}},
        {with_cloth(R"("fabric": {"base": "linnen"})"), {"/cloths/0/fabric/base: linnen:", "did you mean \"linen\"?"}},
        {with_cloth(R"("fabric": "nowhere.json")"), {"/cloths/0/fabric: nowhere.json: no such file"}},
    });
    const Result<SceneDesc> scene = load_scene("flagg");
    ASSERT_FALSE(scene);
    const std::string text = scene.error().text();
    EXPECT_TRUE(text.starts_with("flagg: no scene of this name; expected a file or one of: flag, curtain, ")) << text;
    EXPECT_TRUE(text.ends_with("; did you mean \"flag\"?")) << text;
}

TEST(SceneErrors, TextThatIsNotJsonIsLocated) {
    std::string garbage = "\x7f"
                          "ELF\x02\x01\xff\xfe";
    garbage += std::string(64, '\0');
    expect_messages({
        {"", {"bad.json:1:1: is not JSON: unexpected end of input"}},
        {"  \n ", {"bad.json:2:", "is not JSON: unexpected end of input"}},
        {garbage, {"bad.json:1:1: is not JSON: invalid literal"}},
        {std::string(16, '\0'), {"bad.json:1:1: is not JSON"}},
        {"{\"dt\": 1,\n}", {"bad.json:2:1: is not JSON: unexpected '}'; expected string literal"}},
        {"{\"dt\": NaN}", {"bad.json:1:8: is not JSON: invalid literal"}},
        {"{\"dt\": -Infinity}", {"bad.json:1:9: is not JSON"}},
        {"{\n\"dt\": 1e999}", {"bad.json:2:7: found the number 1e999; expected one below 1.8e308"}},
        {"// comment\n{}", {"bad.json:1:1: is not JSON"}},
        {std::string(100000, '['), {"bad.json: is nested 100000 levels deep; expected at most 64"}},
    });
}

TEST(SceneErrors, OfTwoEqualKeysTheLastCountsAndIsTheOneLocated) {
    EXPECT_EQ(message("{\"dt\": -1,\n\"dt\": 0.01, \"cloths\": [{\"mesh\": {\"grid\": {}}}]}"), "loaded");
    expect_messages({{"{\"dt\": 0.01,\n\"dt\": -1}", {"bad.json:2:7: /dt: found -1"}}});
}

TEST(SceneErrors, AComplaintAboutAnOverrideNamesTheFlag) {
    const auto overridden = [](const std::string& assignment) {
        const Result<SceneDesc> scene = load_scene("flag", {assignment});
        return scene ? "loaded" : scene.error().text();
    };
    EXPECT_EQ(overridden("/substeps=0"), "--set /substeps: found 0; expected a whole number from 1 to 1000000");
    EXPECT_EQ(overridden("/air/wind/gsut=1"), "--set /air/wind/gsut: unknown key \"gsut\"; did you mean \"gust\"?");
    EXPECT_EQ(overridden("/ari/density=1"), "--set /ari/density: /ari: unknown key \"ari\"; did you mean \"air\"?");
    EXPECT_EQ(overridden("/cloths/1/name=x"), "--set /cloths/1/name: \"1\" is no element of the list; it has 1");
    EXPECT_EQ(overridden("/cloths=[]"), "--set /cloths: found []; expected at least one cloth");
    EXPECT_EQ(overridden("/solver={\"type\":\"xpdb\"}").substr(0, 55),
              "--set /solver: /solver/type: unknown solver \"xpdb\"; exp");
}

using SceneFileErrors = TestFolder;

TEST_F(SceneFileErrors, ABadFabricFileIsLocatedInsideIt) {
    ASSERT_TRUE(write_file(file("cloth.json"), "{\n  \"density\": -1\n}"));
    ASSERT_TRUE(write_file(file("scene.json"), with_cloth(R"("fabric": "cloth.json")")));
    const Result<SceneDesc> scene = load_scene(file("scene.json").string());
    ASSERT_FALSE(scene);
    EXPECT_EQ(scene.error().text(), file("scene.json").string() +
                                        ":1:46: /cloths/0/fabric: " + file("cloth.json").string() +
                                        ":2:14: /density: found -1; expected a number from 0.001 to 100");
}

TEST_F(SceneFileErrors, AnUnknownKeyOfAFabricFileIsNamed) {
    ASSERT_TRUE(write_file(file("cloth.json"), R"({"densty": 1})"));
    const Result<Fabric> material = load_fabric("cloth.json", folder_);
    ASSERT_FALSE(material);
    EXPECT_NE(material.error().text().find("did you mean \"density\"?"), std::string::npos) << material.error().text();
}

TEST_F(SceneFileErrors, AMissingFileADirectoryAndAnEmptyFileAreTold) {
    const auto load = [&](const std::filesystem::path& path) {
        const Result<SceneDesc> scene = load_scene(path.string());
        return scene ? "loaded" : scene.error().text();
    };
    EXPECT_EQ(load(file("none.json")), file("none.json").string() + ": no such file");
    EXPECT_EQ(load(folder_), folder_.string() + ": is a directory; expected a file");
    ASSERT_TRUE(write_file(file("empty.json"), ""));
    EXPECT_NE(load(file("empty.json")).find("empty.json:1:1: is not JSON"), std::string::npos);
}

TEST_F(SceneFileErrors, AFileNameThatIsNotUtf8GivesASceneNameThatIs) {
    const std::filesystem::path odd = file("a\xff.json");
    std::ofstream(odd) << R"({"cloths": [{"mesh": {"grid": {}}}]})";
    const Result<SceneDesc> scene = load_scene(odd.string());
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->name, "a\xef\xbf\xbd"); // U+FFFD, which JSON can hold
    EXPECT_NO_THROW(scene_json(*scene).dump());
}

} // namespace
} // namespace selvage
