#include "api/scene_hash.h"

#include "scene/scene_io.h"
#include "scene/scene_json.h"
#include "sim/simulation.h"

namespace selvage_test {

std::string small_drape() {
    return R"({"name": "small-drape", "seconds": 1, "dt": "1/60", "substeps": 8, "solver": {"type": "xpbd"},
               "air": {"wind": {"velocity": [1, 0, 0.5], "gust": 0.3}},
               "cloths": [{"mesh": {"grid": {"size": [0.6, 0.6], "vertices": [13, 13]}},
                           "place": {"translate": [0, 0.35, 0], "rotate_deg": [-90, 0, 0]}}],
               "colliders": [{"sphere": {"radius": 0.2}, "motion": {"spin": [0, 2, 0]}}, {"plane": {}}]})";
}

std::uint64_t hash_of_simulation(const std::string& scene, int frames) {
    auto desc = selvage::parse_scene(*selvage::parse_json(scene, "scene"), {});
    auto sim = selvage::Simulation::make(*desc, 1);
    for (int k = 0; k < frames; ++k)
        sim->step_frame();
    return selvage::state_hash(sim->state());
}

} // namespace selvage_test
