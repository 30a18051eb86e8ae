#pragma once

#include <span>

#include "collision/contact/contact_data.h"

// The third phase: what meets is pushed apart, plastic and with friction.

namespace selvage {

/// Inverse masses of this step: nothing moves what is held.
void set_inverse_masses(ThreadPool& pool, std::span<const std::uint8_t> is_held, ContactData& data);

/// The mass that an impulse between the sides moves. Every vertex is split among the records that act on it, so that
/// their impulses can be applied at the same time without overshooting (mass splitting; Tonge, Benevolenski and
/// Voroshilov 2012).
double effective_mass(const ContactRecord& record, std::span<const double> inverse_mass,
                      std::span<const std::int32_t> counts);

/// Impulses for non-penetration and Coulomb friction of all records at once in a step of dt seconds, in a few rounds: in
/// each, the records that are violated or have pushed divide their vertices' masses, and every one makes its own impulse
/// right.
void push_apart(ThreadPool& pool, double dt, std::span<const Vec3> velocities, ContactData& data);

/// Solids go where they are told to go. Vertices that a solid would still run through are displaced, one by one,
/// whatever they weigh. False when there was nothing to do.
bool push_out_of_solids(ThreadPool& pool, ContactData& data);
/// One round of it.
bool push_out_once(ThreadPool& pool, ContactData& data);

/// Contact is plastic: what was pushed apart to open a gap does not go on parting, unless it would have done so by
/// itself.
void damp_separation(ThreadPool& pool, std::span<Vec3> velocities, ContactData& data);

} // namespace selvage
