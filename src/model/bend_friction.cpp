#include "model/bend_friction.h"

namespace selvage {

YarnLaw yarn_law(const Material& material) {
    YarnLaw law;
    law.slip = 0.5 * (material.bend_friction_warp + material.bend_friction_weft);
    law.stick = kYarnStick * 0.5 * (material.bend_warp + material.bend_weft);
    if (!law.is_present()) return {};
    law.warp = material.bend_friction_warp / law.slip;
    law.weft = material.bend_friction_weft / law.slip;
    return law;
}

} // namespace selvage
