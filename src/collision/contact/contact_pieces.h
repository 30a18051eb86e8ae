#pragma once

#include <span>

#include "collision/contact/contact_data.h"
#include "collision/contact/contact_stats.h"

// The first phase: a step in which cloth or colliders go far is taken in pieces, each following from the one before.

namespace selvage {

/// Where the solids are in a piece of the step: their poses, and the start and displacement of the vertices of meshes.
void place_solids(std::span<const Collider> colliders, int piece, int piece_count, StepMotion& step);

/// Takes what the solver did as the step's displacement.
void read_step(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> positions, ContactData& data);

/// In a look ahead nothing goes farther than in the first piece of a long step: searching farther would take long, and
/// the stage itself sees the rest.
void limit_look_ahead(ThreadPool& pool, ContactData& data);

/// Into how many pieces the step is cut. Limits displacements, and the velocities with them, that would need too many.
int count_pieces(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions, std::span<Vec3> velocities,
                 ContactData& data);

void start_pieces(ThreadPool& pool, int piece_count, std::span<const Vec3> positions, ContactData& data);
/// Writes where the piece would end without contact to `positions`.
void start_piece(ThreadPool& pool, const ContactInput& input, int piece, int piece_count, std::span<Vec3> positions,
                 ContactData& data);
void finish_piece(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> positions, ContactData& data);

} // namespace selvage
