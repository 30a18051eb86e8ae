#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/validate/cusick_drape.h"
#include "scene/json_document.h"
#include "scene/scene_desc.h"

namespace selvage {

/// What drape meters have read for a kind of cloth.
struct DrapeBand {
    std::string fabric; ///< The built-in fabric of that kind.
    double low = 0.0, high = 0.0;
    std::string source;
};

/// Published readings of Cusick's test. None was used to choose a number of a fabric.
const std::vector<DrapeBand>& published_drapes();
const DrapeBand* published_drape(const std::string& fabric);

/// What follows from a fabric's numbers.
struct FabricCard {
    Fabric fabric;
    double bending_length_warp = 0.0, bending_length_weft = 0.0, bending_length_bias = 0.0; ///< [m].
    double hanging_strain_warp = 0.0; ///< Longest strain of a metre hung by its end, where the warp carries it.
    double hanging_strain_weft = 0.0;
    std::optional<DrapeResult> drape; ///< Simulated.
    std::optional<DrapeBand> measured;
};

FabricCard make_fabric_card(Fabric fabric);
std::string card_text(const FabricCard& card);
Json card_json(const FabricCard& card);

} // namespace selvage
