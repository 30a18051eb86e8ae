#pragma once

#include <cmath>

#include "math/hd.h"
#include "math/vec.h"

namespace selvage {

/// What acts on one point during a step besides its neighbours. In double on the CPU, in float on a device.
template <class T>
struct LoadT {
    Vec3T<T> acceleration; ///< Gravity and lift [m/s2].
    T drag_rate{};         ///< Of air and damping together [1/s].
    Vec3T<T> wind;         ///< The velocity that both draw to [m/s].

    /// The velocity after h seconds of this load alone: v+ - wind = (v - wind + h a) / (1 + h r).
    SELVAGE_HD Vec3T<T> advance(const Vec3T<T>& v, T h) const {
        if (drag_rate == T(0) && wind == Vec3T<T>{}) return v + h * acceleration; // divisions are expensive
        return wind + (v - wind + h * acceleration) / inertia_factor(h);
    }
    /// The same velocity as the mean of v + h a and the wind with weights 1 and h r, for methods that minimise over
    /// an inertia of m (1 + h r). It rounds differently.
    SELVAGE_HD Vec3T<T> mean_with_wind(const Vec3T<T>& v, T h) const {
        return (v + h * acceleration + h * drag_rate * wind) / inertia_factor(h);
    }
    /// 1 + h r: how many times its mass a point resists a change of velocity with, for methods that solve for it.
    SELVAGE_HD T inertia_factor(T h) const { return T(1) + h * drag_rate; }
    /// Two rates, r to the wind and d to rest, are one rate r + d to their weighted mean.
    SELVAGE_HD LoadT with_damping(T damping) const {
        if (damping == T(0)) return *this;
        const T rate = drag_rate + damping;
        return {acceleration, rate, (drag_rate / rate) * wind};
    }
};

/// Drag and lift on one vertex (eqs. 31-34 of Kang and Cho, with |n.v| in eq. 34).
template <class T>
struct AirLoadT {
    T drag_rate{};   ///< Drag force / (mass * relative velocity) [1/s].
    Vec3T<T> lift{}; ///< Acceleration [m/s2].
};

/// `density`, `drag` and `lift` of the air; `relative` = velocity - wind; `normal` a unit vector or zero. Over a step of
/// h seconds the lift may turn the relative velocity by at most 45 degrees: beyond that a constant direction means
/// nothing and would blow up.
template <class T>
SELVAGE_HD AirLoadT<T> air_load(T density, T drag, T lift, const Vec3T<T>& relative, const Vec3T<T>& normal, T area,
                                T mass, T h) {
    const T speed = length(relative);
    if (!(speed > T(1e-9)) || !(mass > T(0))) return {};
    const Vec3T<T> direction = relative / speed;
    T along = dot(normal, direction);
    const Vec3T<T> n = along > T(0) ? normal : -normal;
    along = std::abs(along);                                // sine of the angle between the flow and the cloth
    const T pressure_area = T(0.5) * density * area / mass; // [1/m], times speed^2 an acceleration

    AirLoadT<T> load;
    load.drag_rate = pressure_area * drag * along * speed;
    // U = (n x v^) x v^ = (n.v^) v^ - n: across the flow, away from the side that meets it.
    Vec3T<T> lifted = (pressure_area * lift * (T(1) - along) * speed * speed) * (along * direction - n);
    const T turn = h * length(lifted);
    if (turn > speed) lifted *= speed / turn;
    load.lift = lifted;
    return load;
}

/// sin(2 pi turns) to 1e-3, from a parabola and one correction: gusts are random anyway, and this runs per vertex.
template <class T>
SELVAGE_HD T gust_wave(T turns) {
    const T t = turns - std::floor(turns + T(0.5)); // [-0.5, 0.5)
    const T parabola = T(8) * t - T(16) * t * std::abs(t);
    return parabola * (T(0.775) + T(0.225) * std::abs(parabola));
}

} // namespace selvage
