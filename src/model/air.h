#pragma once

#include <array>
#include <vector>

#include "base/fields.h"
#include "math/vec.h"
#include "model/load.h"

namespace selvage {

/// The air as the user gives it. Density 0 switches it off.
struct AirDesc {
    double density = 0.0;     ///< [kg/m3]; 1.2 near the ground.
    double drag = 1.2;        ///< C_D of a plate held across the flow.
    double lift = 0.6;        ///< C_L.
    Triple wind{0, 0, 0};     ///< Mean wind [m/s].
    double gust = 0.0;        ///< RMS of the gusts as a fraction of the mean wind speed.
    double gust_length = 1.0; ///< Size of the gusts [m].
    int seed = 1;             ///< Same seed, same gusts.
};

const Fields<AirDesc>& air_fields();  // density, drag, lift
const Fields<AirDesc>& wind_fields(); // velocity, gust, gust_length, seed

/// Wind with gusts as a fixed function of place and time: a few divergence-free waves carried along by the mean wind
/// (frozen turbulence). No state, so a resumed run meets the same gusts.
class Air {
public:
    explicit Air(const AirDesc& desc);

    bool present() const { return desc_.density > 0.0; }
    const AirDesc& desc() const { return desc_; }
    Vec3 wind(const Vec3& x, double time) const;

    static constexpr int kWaves = 10;
    struct Wave {
        Vec3 k;         ///< Wave vector [1/m], in turns rather than radians.
        Vec3 amplitude; ///< Perpendicular to k [m/s].
        double phase;   ///< In turns.
    };
    bool gusty() const { return gusty_; }
    const Vec3& mean() const { return mean_; }
    const std::array<Wave, kWaves>& waves() const { return waves_; } ///< Of gusts.

private:
    AirDesc desc_;
    Vec3 mean_;
    std::array<Wave, kWaves> waves_{};
    bool gusty_ = false;
};

using AirLoad = AirLoadT<double>;
AirLoad air_load(const AirDesc& air, const Vec3& relative, const Vec3& normal, double area, double mass, double h);

} // namespace selvage
