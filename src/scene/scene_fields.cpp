#include "scene/scene_fields.h"

namespace selvage {

namespace {
constexpr Range kLength{1e-6, 1e4, false}; // a thread's width to ten kilometres
constexpr Range kPlace{-1e6, 1e6, false};
constexpr Range kAngle{-36000.0, 36000.0, false};
constexpr Range kSpeed{-1e4, 1e4, false};
// Products are checked by the generators; here only what could not be a count at all.
constexpr Range kSide{2.0, 1e9, false};
constexpr Range kRate{0.0, 1e4, false};
constexpr Range kJitter{0.0, 0.3, false}; // beyond it triangles may turn over
} // namespace

const Fields<GridDesc>& desc_fields(const GridDesc&) {
    static const Fields<GridDesc> fields = {
        {"size", &GridDesc::size, kLength, "m", "Width (warp, u, along x) and height (weft, v, along y)."},
        {"vertices", &GridDesc::vertices, kSide, "", "Vertices along the width and the height."},
        choice_field("diagonals", &GridDesc::diagonals, {"uniform", "alternating", "cross"},
                     "How cells are cut: all along the same diagonal, along alternating diagonals, or into four around "
                     "a middle vertex."),
        {"jitter", &GridDesc::jitter, kJitter, "",
         "Moves points at random by up to this fraction of a cell; cuts are random then."},
    };
    return fields;
}

const Fields<DiscDesc>& desc_fields(const DiscDesc&) {
    static const Fields<DiscDesc> fields = {
        {"radius", &DiscDesc::radius, kLength, "m", "Radius."},
        {"rings", &DiscDesc::rings, {1.0, 1e6, false}, "", "Rings of vertices around the centre; ring r has 6 r."},
        {"jitter", &DiscDesc::jitter, kJitter, "",
         "Moves points at random by up to this fraction of the rings' distance."},
    };
    return fields;
}

const Fields<TubeDesc>& desc_fields(const TubeDesc&) {
    static const Fields<TubeDesc> fields = {
        {"radius", &TubeDesc::radius, kLength, "m", "Radius at the bottom."},
        {"top_radius", &TubeDesc::top_radius, kLength, "m", "Radius at the top."},
        {"height", &TubeDesc::height, kLength, "m", "Height along y."},
        {"vertices", &TubeDesc::vertices, kSide, "", "Vertices around (at least 3) and along the axis."},
    };
    return fields;
}

const Fields<BlockDesc>& desc_fields(const BlockDesc&) {
    static const Fields<BlockDesc> fields = {
        {"size", &BlockDesc::size, kLength, "m", "Edge lengths."},
        {"vertices", &BlockDesc::vertices, kSide, "", "Mass points along each edge."},
    };
    return fields;
}

const Fields<RibbonDesc>& desc_fields(const RibbonDesc&) {
    static const Fields<RibbonDesc> fields = {
        {"size", &RibbonDesc::size, kLength, "m", "Length (warp, u) and width (weft, v)."},
        {"vertices", &RibbonDesc::vertices, kSide, "", "Vertices along the length and the width."},
        choice_field("diagonals", &RibbonDesc::diagonals, {"uniform", "alternating", "cross"},
                     "How cells are cut, as in a grid."),
        {"path", &RibbonDesc::path, kPlace, "m",
         "Points that the middle line starts along, left end first; two at least, each apart from the one before."},
        {"normal", &RibbonDesc::normal, kPlace, "",
         "Where the front looks at the first point; from there it turns with the path only."},
    };
    return fields;
}

const Fields<GarmentMeshDesc>& desc_fields(const GarmentMeshDesc&) {
    static const Fields<GarmentMeshDesc> fields = {
        {"pattern", &GarmentMeshDesc::pattern, kAny, "",
         "A ready garment (see: selvage dress --help) or a pattern file (.json, .svg), relative to the scene file."},
        {"layer", &GarmentMeshDesc::layer, {0.0, 100.0, false}, "", "Which layer this cloth is, from the skin out."},
        {"body", &GarmentMeshDesc::body, {0.0, 1e6, false}, "", "Index of the character among the colliders."},
        {"edge", &GarmentMeshDesc::edge, {0.002, 0.2, false}, "m", "Length of mesh edges, about."},
    };
    return fields;
}

const Fields<PnSettings>& desc_fields(const PnSettings&) {
    static const Fields<PnSettings> fields = {
        {"per_edge", &PnSettings::per_edge, {1.0, kMostPerEdge, false}, "", "Segments each triangle edge is cut into."},
        choice_field("normals", &PnSettings::normals, {"forces", "area"},
                     "forces: turned so that the surface is tangent to the elastic forces; area: plain."),
        {"keep_length", &PnSettings::keep_length, kAny, "",
         "Edges shorter than at rest rise into wrinkles of the rest length."},
    };
    return fields;
}

const Fields<DrawnMeshDesc>& desc_fields(const DrawnMeshDesc&) {
    static const Fields<DrawnMeshDesc> fields = {
        {"file", &DrawnMeshDesc::file, kAny, "",
         "Mesh file (.obj, .ply, .glb), relative to the scene file, modelled in the same place as the cloth's own "
         "mesh."},
    };
    return fields;
}

const Fields<PlaceDesc>& desc_fields(const PlaceDesc&) {
    static const Fields<PlaceDesc> fields = {
        {"translate", &PlaceDesc::translate, kPlace, "m", "Where the mesh's origin goes."},
        {"rotate_deg", &PlaceDesc::rotate_deg, kAngle, "deg", "Turns about x, then y, then z."},
        {"scale", &PlaceDesc::scale, {1e-6, 1e6, false}, "", "Size factor, applied first."},
    };
    return fields;
}

const Fields<KeyframeDesc>& desc_fields(const KeyframeDesc&) {
    static const Fields<KeyframeDesc> fields = {
        {"t", &KeyframeDesc::t, kNonNegative, "s", "Time."},
        {"translate", &KeyframeDesc::translate, kPlace, "m", "Shift from the start."},
        {"rotate_deg", &KeyframeDesc::rotate_deg, kAngle, "deg", "Turn about the group's centre."},
    };
    return fields;
}

const Fields<BoxDesc>& desc_fields(const BoxDesc&) {
    static const Fields<BoxDesc> fields = {
        {"min", &BoxDesc::min, kPlace, "m", "Lowest corner, in the world at the start."},
        {"max", &BoxDesc::max, kPlace, "m", "Highest corner."},
    };
    return fields;
}

const Fields<SkinnedDesc>& desc_fields(const SkinnedDesc&) {
    static const Fields<SkinnedDesc> fields = {
        {"collider", &SkinnedDesc::collider, {0.0, 1e6, false}, "", "Index of the body among the colliders."},
        {"max_distance",
         &SkinnedDesc::max_distance,
         {-1.0, 100.0, false},
         "m",
         "How far a vertex may get from its place on the skin, which is where it starts; -1: any."},
        {"backstop",
         &SkinnedDesc::backstop,
         {-1.0, 100.0, false},
         "m",
         "How far behind its place, towards the inside of the body, a vertex may get; -1: any."},
        {"teleport",
         &SkinnedDesc::teleport,
         {0.0, 1e6, false},
         "m",
         "Where the body's points jump farther than this within a solver step, in the mean, the cloth is carried along "
         "as if it were stiff; 0: never."},
        {"local_space",
         &SkinnedDesc::local_space,
         {0.0, 1.0, false},
         "",
         "Fraction of the body's motion as a whole, shift and turn, that the cloth goes along with by itself; 0: it is "
         "dragged along."},
    };
    return fields;
}

const Fields<Sphere>& desc_fields(const Sphere&) {
    static const Fields<Sphere> fields = {
        {"radius", &Sphere::radius, kLength, "m", "Radius."},
    };
    return fields;
}

const Fields<Box>& desc_fields(const Box&) {
    static const Fields<Box> fields = {
        {"size", &Box::size, kLength, "m", "Edge lengths."},
    };
    return fields;
}

const Fields<Plane>& desc_fields(const Plane&) {
    static const Fields<Plane> fields;
    return fields;
}

const Fields<Capsule>& desc_fields(const Capsule&) {
    static const Fields<Capsule> fields = {
        {"radius", &Capsule::radius, kLength, "m", "Radius of the lower end."},
        {"top_radius", &Capsule::top_radius, kLength, "m", "Radius of the upper end."},
        {"length", &Capsule::length, kLength, "m", "Distance between the centres of the ends, along y."},
    };
    return fields;
}

const Fields<Cylinder>& desc_fields(const Cylinder&) {
    static const Fields<Cylinder> fields = {
        {"radius", &Cylinder::radius, kLength, "m", "Radius."},
        {"height", &Cylinder::height, kLength, "m", "Height along y."},
    };
    return fields;
}

const Fields<HeightDesc>& desc_fields(const HeightDesc&) {
    static const Fields<HeightDesc> fields = {
        {"size", &HeightDesc::size, kLength, "m", "Of the grid along x and z, centred."},
        {"vertices", &HeightDesc::vertices, kSide, "", "Heights along x and z."},
    };
    return fields;
}

const Fields<SolidMeshDesc>& desc_fields(const SolidMeshDesc&) {
    static const Fields<SolidMeshDesc> fields = {
        {"frames", &SolidMeshDesc::frames, kAny, "",
         "Vertex cache (.pc2, .mdd) that moves every vertex, relative to the scene file; empty: none."},
        {"frames_per_second",
         &SolidMeshDesc::frames_per_second,
         {0.0, 1e6, false},
         "1/s",
         "How fast its frames go; 0: as an .mdd file says, which a .pc2 file cannot."},
    };
    return fields;
}

const Fields<CharacterDesc>& desc_fields(const CharacterDesc&) {
    static const Fields<CharacterDesc> fields = {
        {"file", &CharacterDesc::file, kAny, "",
         "Skinned character (.glb, .gltf), relative to the scene file; empty: a mannequin."},
        choice_field("figure", &CharacterDesc::figure, figure_names(), "Proportions of the mannequin."),
        {"height",
         &CharacterDesc::height,
         {0.0, 3.0, false},
         "m",
         "Of the mannequin; 0: 1.68 (female), 1.80 (male) or 1.22 (child). Lengths follow it, girths half as much."},
        {"triangles", &CharacterDesc::triangles, {3000.0, 40000.0, false}, "", "Of the mannequin, about."},
        {"motion", &CharacterDesc::motion, kAny, "",
         "Of the mannequin: a-pose, stand, walk, run, turn, arms-up, sit, spin or dance; empty: a-pose. Of a file: the "
         "name of an animation; empty: its first one, if any; rest: none."},
        {"in_place", &CharacterDesc::in_place, kAny, "", "The mannequin walks and runs without getting anywhere."},
        {"loop", &CharacterDesc::loop, kAny, "",
         "An animation of a file starts over at its end; false: its last pose is held."},
        {"start", &CharacterDesc::start, kNonNegative, "s", "Time of the motion that the scene starts at."},
        {"speed", &CharacterDesc::speed, {0.0, 100.0, false}, "", "Of the motion, times its own."},
    };
    return fields;
}

const Fields<ColliderDesc>& desc_fields(const ColliderDesc&) {
    static const Fields<ColliderDesc> fields = {
        {"friction", &ColliderDesc::friction, {0.0, 100.0, false}, "", "Coulomb friction against any cloth."},
        {"thickness",
         &ColliderDesc::thickness,
         {0.0, 1.0, false},
         "m",
         "Minimum distance between its surface and the cloth's points."},
    };
    return fields;
}

const Fields<ColliderDesc>& motion_fields(const ColliderDesc&) {
    static const Fields<ColliderDesc> fields = {
        {"spin", &ColliderDesc::spin, kSpeed, "rad/s", "Steady turning about its own centre."},
        {"smooth", &ColliderDesc::smooth, kAny, "", "Ease in and out between keyframes."},
    };
    return fields;
}

const Fields<CameraDesc>& desc_fields(const CameraDesc&) {
    static const Fields<CameraDesc> fields = {
        {"eye", &CameraDesc::eye, kPlace, "m", "Where the camera stands."},
        {"target", &CameraDesc::target, kPlace, "m", "What it looks at."},
        {"fov_deg", &CameraDesc::fov_deg, {1.0, 170.0, false}, "deg", "Vertical field of view."},
    };
    return fields;
}

const Fields<RenderDesc>& desc_fields(const RenderDesc&) {
    static const Fields<RenderDesc> fields = {
        {"environment", &RenderDesc::environment, kAny, "",
         "Light from around: studio, sky, or a Radiance picture (.hdr, longitude by latitude) relative to the scene "
         "file."},
        {"environment_turn_deg",
         &RenderDesc::environment_turn_deg,
         {-360.0, 360.0, false},
         "deg",
         "Turns the environment's picture about the vertical."},
        {"exposure", &RenderDesc::exposure, {1e-3, 1e3, false}, "", "Brightness; 2 is one stop more."},
        choice_field(
            "ground", &RenderDesc::ground, {"auto", "none"},
            "auto: a floor that catches shadows, at a level plane of the scene or below the cloth; none: none."),
        {"hem", &RenderDesc::hem, {0.0, 0.1, false}, "m", "Width of the doubled band along every border; 0: none."},
        {"seam",
         &RenderDesc::seam,
         {0.0, 0.1, false},
         "m",
         "Width of the bands that are pressed flat on either side of the seams of a pattern; 0: none."},
        {"stitch",
         &RenderDesc::stitch,
         {0.0, 0.1, false},
         "m",
         "Length from one stitch to the next along hems and seams; 0: no stitches."},
        {"smooth",
         &RenderDesc::smooth,
         {0.0, 16.0, false},
         "",
         "Pieces each triangle edge is drawn in, on a smooth surface through the particles; 1: flat triangles; 0: by "
         "size. "
         "A cloth's own surface goes first."},
    };
    return fields;
}

const Fields<ClothDesc>& desc_fields(const ClothDesc&) {
    static const Fields<ClothDesc> fields = {
        {"name", &ClothDesc::name, kAny, "", "Name in messages and exports."},
        {"rest", &ClothDesc::rest, kAny, "",
         "Shape at rest of a mesh from a file. uv: flat, as its uv say, in metres; mesh: as in the file; auto: uv "
         "where "
         "its edges are as long as in metres, else mesh; or another mesh file, with the same vertices and triangles."},
        {"weld",
         &ClothDesc::weld,
         {-1.0, 1.0, false},
         "m",
         "Border vertices of a mesh from a file that are nearer than this are joined; 0: none; -1: those that coincide "
         "but for rounding."},
        {"self_collision", &ClothDesc::self_collision, kAny, "",
         "Keep the cloth from passing through itself and other cloths. Two cloths are kept apart when either says "
         "true."},
        {"contact_distance",
         &ClothDesc::contact_distance,
         {0.0, 1.0, false},
         "m",
         "Minimum distance between layers; 0: from the fabric's thickness and the mesh."},
        {"velocity", &ClothDesc::velocity, kSpeed, "m/s", "Velocity at the start."},
        {"spin", &ClothDesc::spin, kSpeed, "rad/s", "Angular velocity about the cloth's centre at the start."},
        {"velocity_damping", &ClothDesc::velocity_damping, kRate, "1/s",
         "Rate at which the velocity of this cloth fades, added to the scene's."},
    };
    return fields;
}

std::map<std::string, int> usual_substeps() {
    const int usual = SolverTraits{}.usual_substeps;
    std::map<std::string, int> numbers{{kOtherSolvers, usual}};
    for (const SolverEntry& entry : solver_catalog())
        if (entry.traits.usual_substeps != usual) numbers[entry.name] = entry.traits.usual_substeps;
    return numbers;
}

const Fields<SceneDesc>& desc_fields(const SceneDesc&) {
    static const Fields<SceneDesc> fields = {
        {"name", &SceneDesc::name, kAny, "", "Name in reports."},
        {"description", &SceneDesc::description, kAny, "", "One line for the list of scenes."},
        {"gravity", &SceneDesc::gravity, {-1e4, 1e4, false}, "m/s2", "Gravity."},
        {"velocity_damping", &SceneDesc::velocity_damping, kRate, "1/s",
         "Rate at which the velocity of all cloth fades: a free point keeps e^(-rate t) of it after t seconds."},
        {"seconds", &SceneDesc::seconds, {0.0, 1e6, true}, "s", "How long a run lasts."},
        {"budget_ms",
         &SceneDesc::budget_ms,
         {0.0, 1e6, false},
         "ms",
         "Time that a frame should keep to, by doing less when it would take longer; 0: as long as it takes. With a "
         "budget results depend on the speed of the machine."},
    };
    return fields;
}

} // namespace selvage
