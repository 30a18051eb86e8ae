#pragma once

#include <cstdint>
#include <string>

namespace selvage_test {

/// A cloth that falls on a ball, as the text of a scene.
std::string small_drape();
/// The state hash of a scene stepped by the engine's own Simulation. Apart from the tests, which see the public headers alone.
std::uint64_t hash_of_simulation(const std::string& scene, int frames);

} // namespace selvage_test
