#pragma once

#include <span>

#include "collision/contact/contact_data.h"

// The third phase: what meets is pushed apart, plastic and with friction.

namespace selvage {

/// Inverse masses of this step: nothing moves what is held.
void set_inverse_masses(ThreadPool& pool, std::span<const std::uint8_t> is_held, ContactData& data);

/// Target gaps and separation speeds of the records, for a step of dt seconds.
void set_target_gaps(ThreadPool& pool, double dt, std::span<const Vec3> velocities, ContactData& data);

/// Impulses for non-penetration and Coulomb friction of all records at once, in a few rounds: in each, the records that
/// are violated or have pushed divide their vertices' masses, and every one makes its own impulse right.
void push_apart(ThreadPool& pool, ContactData& data);

/// Solids go where they are told to go. Vertices that a solid would still run through are displaced, one by one,
/// whatever they weigh. False when there was nothing to do.
bool push_out_of_solids(ThreadPool& pool, ContactData& data);
/// One round of it.
bool push_out_once(ThreadPool& pool, ContactData& data);

/// Contact is plastic: what was pushed apart to open a gap does not go on parting, unless it would have done so by
/// itself.
void damp_separation(ThreadPool& pool, std::span<Vec3> velocities, ContactData& data);

} // namespace selvage
