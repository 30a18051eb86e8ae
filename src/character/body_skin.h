#pragma once

#include "character/body_field.h"
#include "character/character.h"

namespace selvage {

/// The mannequin's joints at the bones of a body.
Skeleton body_skeleton(const BodyFrame& frame);

/// Smooth weights by the part of the body that a vertex belongs to and its place along that part's bones.
SkinWeights body_weights(const BodyField& field, const TriangleMesh& mesh);

} // namespace selvage
