#include "model/air.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "math/functions.h"

namespace selvage {

const Fields<AirDesc>& air_fields() {
    static const Fields<AirDesc> fields = {
        {"density", &AirDesc::density, {0.0, 2000.0, false}, "kg/m3", "Density of the air; 0 is no air."},
        {"drag", &AirDesc::drag, {0.0, 100.0, false}, "", "Drag coefficient C_D of cloth held across the flow."},
        {"lift", &AirDesc::lift, {0.0, 100.0, false}, "", "Lift coefficient C_L."},
    };
    return fields;
}

const Fields<AirDesc>& wind_fields() {
    static const Fields<AirDesc> fields = {
        {"velocity", &AirDesc::wind, {-500.0, 500.0, false}, "m/s", "Mean wind."},
        {"gust",
         &AirDesc::gust,
         {0.0, 10.0, false},
         "",
         "Strength of gusts: rms of their velocity as a fraction of the mean wind speed."},
        {"gust_length", &AirDesc::gust_length, {1e-3, 1e4, false}, "m", "Size of the gusts."},
        {"seed",
         &AirDesc::seed,
         {0.0, 2147483647.0, false},
         "",
         "Chooses the gusts; the same seed gives the same ones."},
    };
    return fields;
}

namespace {

/// SplitMix64: a well-mixed stream from any seed, the same on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    double uniform() { // [0, 1)
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    Vec3 direction() {
        while (true) {
            const Vec3 v{2 * uniform() - 1, 2 * uniform() - 1, 2 * uniform() - 1};
            const double l2 = length_squared(v);
            if (l2 > 1e-4 && l2 <= 1.0) return v / std::sqrt(l2);
        }
    }

private:
    std::uint64_t state_;
};

} // namespace

Air::Air(const AirDesc& desc) : desc_(desc), mean_{desc.wind[0], desc.wind[1], desc.wind[2]} {
    const double rms = desc.gust * length(mean_);
    gusty_ = rms > 0.0;
    Random random(static_cast<std::uint64_t>(desc.seed));
    for (int w = 0; w < kWaves; ++w) {
        Wave& wave = waves_[w];
        // Wavelengths from 2 down to 1/4 of the gust length, amplitudes falling as k^-1/3 (Kolmogorov's k^-5/3
        // energy spectrum, waves evenly spread in log k).
        const double wavelength = desc.gust_length * maths::pow(2.0, 1.0 - 3.0 * w / (kWaves - 1.0));
        const Vec3 direction = random.direction();
        wave.k = direction / wavelength;
        Vec3 across = cross(direction, random.direction());
        while (length_squared(across) < 1e-2)
            across = cross(direction, random.direction());
        wave.amplitude = normalized(across) * maths::pow(wavelength / desc.gust_length, 1.0 / 3.0);
        wave.phase = random.uniform();
    }
    double energy = 0.0; // mean square of the sum: half the squared amplitudes
    for (const Wave& wave : waves_)
        energy += 0.5 * length_squared(wave.amplitude);
    for (Wave& wave : waves_)
        wave.amplitude *= rms / std::sqrt(energy);
}

Vec3 Air::wind(const Vec3& x, double time) const {
    if (!gusty_) return mean_;
    const Vec3 carried = x - time * mean_;
    Vec3 wind = mean_;
    for (const Wave& wave : waves_)
        wind += gust_wave(dot(wave.k, carried) + wave.phase) * wave.amplitude;
    return wind;
}

AirLoad air_load(const AirDesc& air, const Vec3& relative, const Vec3& normal, double area, double mass, double h) {
    return air_load<double>(air.density, air.drag, air.lift, relative, normal, area, mass, h);
}

} // namespace selvage
