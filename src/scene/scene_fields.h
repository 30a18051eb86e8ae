#pragma once

#include "base/fields.h"
#include "scene/scene_desc.h"

namespace selvage {

const std::vector<Field<GridDesc>>& desc_fields(const GridDesc&);
const std::vector<Field<DiscDesc>>& desc_fields(const DiscDesc&);
const std::vector<Field<TubeDesc>>& desc_fields(const TubeDesc&);
const std::vector<Field<BlockDesc>>& desc_fields(const BlockDesc&);
const std::vector<Field<RibbonDesc>>& desc_fields(const RibbonDesc&);
const std::vector<Field<PnSettings>>& desc_fields(const PnSettings&);
const std::vector<Field<PlaceDesc>>& desc_fields(const PlaceDesc&);
const std::vector<Field<KeyframeDesc>>& desc_fields(const KeyframeDesc&);
const std::vector<Field<BoxDesc>>& desc_fields(const BoxDesc&);
const std::vector<Field<SkinnedDesc>>& desc_fields(const SkinnedDesc&); // the keys with plain values
const std::vector<Field<Sphere>>& desc_fields(const Sphere&);
const std::vector<Field<Box>>& desc_fields(const Box&);
const std::vector<Field<Plane>>& desc_fields(const Plane&);
const std::vector<Field<Capsule>>& desc_fields(const Capsule&);
const std::vector<Field<Cylinder>>& desc_fields(const Cylinder&);
const std::vector<Field<HeightDesc>>& desc_fields(const HeightDesc&);       // the keys beside the heights themselves
const std::vector<Field<SolidMeshDesc>>& desc_fields(const SolidMeshDesc&); // the keys beside the mesh itself
const std::vector<Field<CharacterDesc>>& desc_fields(const CharacterDesc&); // the keys beside the measurements
const std::vector<Field<ColliderDesc>>& desc_fields(const ColliderDesc&);   // the plain keys: friction, thickness
const std::vector<Field<ColliderDesc>>& motion_fields(const ColliderDesc&); // the plain keys of "motion"
const std::vector<Field<CameraDesc>>& desc_fields(const CameraDesc&);
const std::vector<Field<RenderDesc>>& desc_fields(const RenderDesc&);
const std::vector<Field<ClothDesc>>& desc_fields(const ClothDesc&); // the keys with plain values
const std::vector<Field<SceneDesc>>& desc_fields(const SceneDesc&); // the plain keys: name, gravity, ...

inline constexpr Range kReach{0.0, 100.0, false};      ///< Of max_distances [m].
inline constexpr Range kMeasurement{0.01, 3.0, false}; ///< Of a body [m].
inline constexpr Range kSubsteps{1.0, 1e6, false};
std::map<std::string, int> usual_substeps();      ///< Of a scene file that gives none.
inline constexpr Range kHeight{-1e4, 1e4, false}; ///< Of the heights [m].

} // namespace selvage
