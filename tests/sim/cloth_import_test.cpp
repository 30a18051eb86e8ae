#include "sim/cloth_import.h"

#include <fstream>
#include <numbers>

#include "base/concat.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/garments.h"
#include "sim/simulation.h"
#include "support.h"

namespace selvage {
namespace {

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines)
        all += line + "\n";
    return all;
}

class ClothImport : public TestFolder {
protected:
    void write(const std::string& name, const TriangleMesh& mesh, double scale = 1.0) const {
        std::ofstream out(file(name));
        out.precision(9);
        for (const Vec3& p : mesh.positions)
            out << "v " << scale * p.x << " " << scale * p.y << " " << scale * p.z << "\n";
        for (const Vec2& p : mesh.uv)
            out << "vt " << scale * p.x << " " << scale * p.y << "\n";
        for (int t = 0; t < mesh.triangle_count(); ++t) {
            out << "f";
            for (int k = 0; k < 3; ++k) {
                out << " " << mesh.triangles[t][k] + 1;
                if (!mesh.uv.empty()) out << "/" << mesh.uv_corners(t)[k] + 1;
            }
            out << "\n";
        }
    }
    /// A cloth of garment.obj with more keys.
    Result<Simulation> load(const std::string& keys = "") const {
        std::ofstream(file("scene.json"))
            << R"({ "air": {}, "cloths": [ { "name": "dress", "mesh": { "file": "garment.obj" })"
            << (keys.empty() ? "" : ", ") << keys << " } ] }";
        const Result<SceneDesc> scene = load_scene(file("scene.json").string());
        if (!scene) return scene.error();
        return Simulation::make(*scene, 1);
    }
};

double total_mass(const Simulation& sim) {
    double sum = 0.0;
    for (const double m : sim.model().mass)
        sum += m;
    return sum;
}

TEST_F(ClothImport, GarmentsWithAPatternInMetresAreSewnAndRestAsIt) {
    write("garment.obj", tunic(1.5).mesh);
    const Result<Simulation> sim = load();
    ASSERT_TRUE(sim) << sim.error().text();
    const std::string said = joined(sim->warnings());
    // Two seams of 33 vertices.
    EXPECT_NE(said.find("joined 66 border vertices that coincide but for rounding (weld 0 leaves them apart)"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("rests as its uv, flat and in metres; edges of the mesh are 1."), std::string::npos) << said;
    EXPECT_EQ(sim->model().parts[0].rest, RestShape::uv);
    // Two panels 0.8 m long and 0.51 m wide in the mean.
    EXPECT_NEAR(total_mass(*sim), sim->model().parts[0].material.density * 2 * 0.8 * 0.51, 1e-4);
}

TEST_F(ClothImport, RestAndWeldCanBeSaid) {
    write("garment.obj", tunic(1.5).mesh);
    const Result<Simulation> sim = load(R"("rest": "mesh", "weld": 0)");
    ASSERT_TRUE(sim) << sim.error().text();
    EXPECT_EQ(sim->model().parts[0].rest, RestShape::mesh);
    EXPECT_EQ(sim->model().vertex_count(), tunic().mesh.vertex_count());
    EXPECT_GT(total_mass(*sim), 1.3 * sim->model().parts[0].material.density * 2 * 0.8 * 0.51);
    EXPECT_EQ(joined(sim->warnings()).find("pieces"), std::string::npos); // as was wanted
}

TEST_F(ClothImport, TexturesInTheUnitSquareAreNoPattern) {
    TriangleMesh mesh = tunic(1.5).mesh;
    for (Vec2& uv : mesh.uv)
        uv = {0.05 * uv.x, 0.5 + 0.05 * uv.y};
    write("garment.obj", mesh);
    EXPECT_EQ(load()->model().parts[0].rest, RestShape::mesh);
    // One panel filling the square at half its size, as a plane of 2 m from a modelling program.
    Garment plane;
    std::mt19937 random(1);
    add_panel(
        {9, 9, [](double s, double t) { return Vec3{2 * s, 0, 2 * t}; }, [](double s, double t) { return Vec2{s, t}; }},
        plane, random);
    write("garment.obj", plane.mesh);
    EXPECT_EQ(load()->model().parts[0].rest, RestShape::mesh);
    // Unless the scene says so: then a square metre of cloth is pulled to four.
    const Result<Simulation> sim = load(R"("rest": "uv")");
    ASSERT_TRUE(sim);
    EXPECT_NEAR(total_mass(*sim), sim->model().parts[0].material.density, 1e-6);
}

TEST_F(ClothImport, StretchedTexturesAreNoPattern) {
    // A cone with the uv of a cylinder: in metres on the average, but longer than the mesh at its narrow end.
    Garment cone;
    std::mt19937 random(1);
    add_panel({33, 17,
               [](double s, double t) {
                   const double a = 2 * std::numbers::pi * s, r = 0.1 + 0.4 * t;
                   return Vec3{r * std::cos(a), -t, r * std::sin(a)};
               },
               [](double s, double t) { return Vec2{2 * std::numbers::pi * 0.3 * s, t}; }},
              cone, random);
    write("garment.obj", cone.mesh);
    EXPECT_EQ(load()->model().parts[0].rest, RestShape::mesh);
}

TEST_F(ClothImport, ScalesFilesInCentimetresAndSaysWhenAClothIsTooLarge) {
    write("garment.obj", tunic().mesh, 100.0);
    const Result<Simulation> large = load();
    ASSERT_TRUE(large);
    EXPECT_NE(joined(large->warnings())
                  .find("is 80 m long; where the file is in centimetres, place.scale 0.01 makes it "
                        "0.8 m"),
              std::string::npos)
        << joined(large->warnings());
    const Result<Simulation> sim = load(R"("place": { "scale": 0.01 })");
    ASSERT_TRUE(sim);
    EXPECT_EQ(joined(sim->warnings()).find(" m long"), std::string::npos) << joined(sim->warnings());
    EXPECT_NEAR(total_mass(*sim), sim->model().parts[0].material.density * 2 * 0.8 * 0.51, 1e-4);
    const Result<Simulation> small = load(R"("place": { "scale": 0.0001 })");
    EXPECT_NE(joined(small->warnings()).find("is 8 mm long; place.scale makes it larger"), std::string::npos)
        << joined(small->warnings());
}

TEST_F(ClothImport, NamesLoosePiecesAndTheWeldThatJoinsThem) {
    TriangleMesh mesh = tunic().mesh;
    for (int v = 21 * 33; v < mesh.vertex_count(); ++v)
        mesh.positions[v].z -= 4e-4;
    write("garment.obj", mesh);
    const std::string said = joined(load()->warnings());
    EXPECT_NE(said.find("cloth \"dress\" (garment.obj): 2 pieces, the largest gap between borders 0.4 mm; weld 0.00042 "
                        "joins them"),
              std::string::npos)
        << said;
    const Result<Simulation> sim = load(R"("weld": 0.00042)");
    ASSERT_TRUE(sim);
    EXPECT_EQ(joined(sim->warnings()).find("pieces"), std::string::npos) << joined(sim->warnings());
}

TEST_F(ClothImport, PinsCountVerticesAsTheFileDoes) {
    const Garment garment = tunic();
    write("garment.obj", garment.mesh);
    // The last vertex of the file, which is the first corner of the front's hem after sewing.
    const int last = garment.mesh.vertex_count() - 1;
    const Result<Simulation> sim = load(concat(R"("pins": [ { "vertices": [)", last, "] } ]"));
    ASSERT_TRUE(sim) << sim.error().text();
    ASSERT_EQ(sim->pins().size(), 1u);
    const int v = sim->pins()[0].vertices()[0];
    EXPECT_LT(length(sim->state().position[v] - garment.mesh.positions[last]), 1e-6);
    const Result<Simulation> outside = load(concat(R"("pins": [ { "vertices": [)", last + 1, "] } ]"));
    ASSERT_FALSE(outside);
    EXPECT_NE(outside.error().text().find(concat("it has vertices 0 to ", last)), std::string::npos);
}

TEST_F(ClothImport, ErrorsNameFileKeyAndValue) {
    TriangleMesh mesh = tunic().mesh;
    write("garment.obj", mesh);
    const Result<Simulation> collapse = load(R"("weld": 0.5)");
    ASSERT_FALSE(collapse);
    EXPECT_NE(collapse.error().text().find("/cloths/0"), std::string::npos) << collapse.error().text();
    EXPECT_NE(collapse.error().text().find("garment.obj: weld 0.5 would join vertices of one triangle"),
              std::string::npos)
        << collapse.error().text();
    mesh.uv.clear();
    write("garment.obj", mesh);
    const Result<Simulation> bare = load(R"("rest": "uv")");
    ASSERT_FALSE(bare);
    EXPECT_NE(bare.error().text().find("rest is \"uv\", but \"garment.obj\" has no uv"), std::string::npos);
    EXPECT_FALSE(load(R"("weld": -2)"));
    const Result<Simulation> missing = load(R"("rest": "pattern.obj")");
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text().find("pattern.obj"), std::string::npos);
}

TEST_F(ClothImport, HungGarmentsStretchLittleUnderSpringSolvers) {
    // Springs of the non-negative fit stretched these by 28 to 214 % (docs/records/spring-fit.md). Half a second after
    // they were let go, with elastic triangles (multilevel) 2 %.
    struct Row {
        const char* solver;
        double most;
    };
    for (const Garment& garment : {gored_skirt(), tunic(), bias_leg()}) {
        write("garment.obj", garment.mesh);
        std::string held;
        for (const int v : garment.held)
            held += concat(held.empty() ? "" : ", ", v);
        for (const Row& row : {Row{"multilevel", 0.02}, Row{"xpbd", 0.05}}) {
            ASSERT_TRUE(load(concat(R"("self_collision": false, "pins": [ { "vertices": [)", held, "] } ]")));
            Result<SceneDesc> scene = load_scene(file("scene.json").string());
            ASSERT_TRUE(scene);
            for (const SolverEntry& entry : solver_catalog())
                if (entry.name == row.solver) choose_solver(*scene, entry.defaults);
            Result<Simulation> sim = Simulation::make(*scene, 1);
            ASSERT_TRUE(sim);
            while (sim->state().time < 0.5)
                sim->step_frame();
            EXPECT_LT(measure_strain(sim->model(), sim->state()).p999, row.most) << garment.name << ", " << row.solver;
        }
    }
}

TEST_F(ClothImport, RefusesUvThatAreNoNumbers) {
    write("garment.obj", tunic().mesh);
    std::string text;
    {
        std::ifstream in(file("garment.obj"));
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    text.replace(text.find("vt "), 4, "vt nan ");
    std::ofstream(file("garment.obj")) << text;
    const Result<Simulation> sim = load();
    ASSERT_FALSE(sim);
    EXPECT_NE(sim.error().text().find("found \"nan"), std::string::npos) << sim.error().text();
}

TEST_F(ClothImport, RestsAsAnotherFile) {
    // Modelled 1.5 times as large as it is cut, with the cut in a file.
    const TriangleMesh cut = bias_leg().mesh;
    TriangleMesh worn = cut;
    for (Vec3& p : worn.positions)
        p = 1.5 * p;
    write("garment.obj", worn);
    write("cut.obj", cut);
    const Result<Simulation> sim = load(R"("rest": "cut.obj")");
    ASSERT_TRUE(sim) << sim.error().text();
    const auto [a, b] = sim->model().edges[0];
    EXPECT_NEAR(length(sim->state().position[b] - sim->state().position[a]), 1.5 * sim->model().edge_length[0], 1e-6);
    write("cut.obj", tunic().mesh);
    const Result<Simulation> other = load(R"("rest": "cut.obj")");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().text().find("rest \"cut.obj\" has 1386 vertices and 2560 triangles; expected those of "
                                        "\"garment.obj\", 825 and 1536"),
              std::string::npos)
        << other.error().text();
}

} // namespace
} // namespace selvage
