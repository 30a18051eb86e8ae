#pragma once

#include "base/fields.h"
#include "scene/scene_desc.h"

namespace selvage {

const Fields<GridDesc>& desc_fields(const GridDesc&);
const Fields<DiscDesc>& desc_fields(const DiscDesc&);
const Fields<TubeDesc>& desc_fields(const TubeDesc&);
const Fields<BlockDesc>& desc_fields(const BlockDesc&);
const Fields<RibbonDesc>& desc_fields(const RibbonDesc&);
const Fields<GarmentMeshDesc>& desc_fields(const GarmentMeshDesc&);
const Fields<PnSettings>& desc_fields(const PnSettings&);
const Fields<DrawnMeshDesc>& desc_fields(const DrawnMeshDesc&);
const Fields<PlaceDesc>& desc_fields(const PlaceDesc&);
const Fields<KeyframeDesc>& desc_fields(const KeyframeDesc&);
const Fields<BoxDesc>& desc_fields(const BoxDesc&);
const Fields<SkinnedDesc>& desc_fields(const SkinnedDesc&); // the keys with plain values
const Fields<Sphere>& desc_fields(const Sphere&);
const Fields<Box>& desc_fields(const Box&);
const Fields<Plane>& desc_fields(const Plane&);
const Fields<Capsule>& desc_fields(const Capsule&);
const Fields<Cylinder>& desc_fields(const Cylinder&);
const Fields<HeightDesc>& desc_fields(const HeightDesc&);       // the keys beside the heights themselves
const Fields<SolidMeshDesc>& desc_fields(const SolidMeshDesc&); // the keys beside the mesh itself
const Fields<CharacterDesc>& desc_fields(const CharacterDesc&); // the keys beside the measurements
const Fields<ColliderDesc>& desc_fields(const ColliderDesc&);   // the plain keys: friction, thickness
const Fields<ColliderDesc>& motion_fields(const ColliderDesc&); // the plain keys of "motion"
const Fields<CameraDesc>& desc_fields(const CameraDesc&);
const Fields<RenderDesc>& desc_fields(const RenderDesc&);
const Fields<ClothDesc>& desc_fields(const ClothDesc&); // the keys with plain values
const Fields<SceneDesc>& desc_fields(const SceneDesc&); // the plain keys: name, gravity, ...

inline constexpr Range kReach{0.0, 100.0, false};      ///< Of max_distances [m].
inline constexpr Range kMeasurement{0.01, 3.0, false}; ///< Of a body [m].
inline constexpr Range kSubsteps{1.0, 1e6, false};
std::map<std::string, int> usual_substeps();      ///< Of a scene file that gives none.
inline constexpr Range kHeight{-1e4, 1e4, false}; ///< Of the heights [m].

} // namespace selvage
