#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "character/measurements.h"
#include "collision/shapes/collider.h"
#include "geometry/generators.h"
#include "geometry/pn_surface.h"
#include "model/air.h"
#include "model/cloth_model.h"
#include "model/fabric_look.h"
#include "model/material.h"
#include "solvers/catalog.h"

namespace selvage {

struct FileMeshDesc {
    std::string file; ///< .obj, .ply or .glb, relative to the scene file.
};

/// A garment that is cut to a character among the scene's colliders, sewn around it and draped, before the scene starts.
/// Programs do that (garment/scene_garments.h); the library refuses it.
struct GarmentMeshDesc {
    std::string pattern; ///< Ready one by name, or a pattern file (.json, .svg) relative to the scene file.
    int layer = 0;       ///< Which of its layers this cloth is, from the skin out.
    int body = 0;        ///< Index of the character among the colliders.
    double edge = 0.02;  ///< Length of mesh edges, about [m].
};

/// How a fabric moves and how it looks.
struct Fabric {
    Material material;
    FabricLook look;
    std::string name, description;
    std::vector<std::pair<std::string, std::string>> sources; ///< Where the number behind a key comes from.
};

using MeshDesc = std::variant<GridDesc, DiscDesc, TubeDesc, BlockDesc, RibbonDesc, FileMeshDesc, GarmentMeshDesc>;

struct PlaceDesc {
    Triple translate{0, 0, 0};  ///< [m].
    Triple rotate_deg{0, 0, 0}; ///< About x, then y, then z.
    double scale = 1.0;
};

/// Pose of a pin group relative to its start, turned about the group's centre.
struct KeyframeDesc {
    double t = 0.0; ///< [s].
    Triple translate{0, 0, 0};
    Triple rotate_deg{0, 0, 0};
};

struct BoxDesc {
    Triple min{0, 0, 0}, max{0, 0, 0}; ///< World space, at the start [m].
};

struct EdgeName {
    std::string name;
};
struct CornerName {
    std::string name;
};
using PinSelection = std::variant<EdgeName, CornerName, std::vector<int>, BoxDesc>;

struct PinDesc {
    PinSelection select;
    std::vector<KeyframeDesc> keyframes; ///< Sorted by time; empty means it stays.
    bool smooth = true;                  ///< Ease in and out between keyframes.
    double release = -1.0;               ///< Let go at this time [s]; negative: never.
};

/// How a cloth belongs to a body, for games.
struct SkinnedDesc {
    int collider = 0;                  ///< Index among the scene's colliders: a character or a mesh.
    std::vector<PinSelection> attach;  ///< Held to their places on the skin, as a waistband is.
    double max_distance = -1.0;        ///< How far a vertex may get from its place on the skin [m]; -1: any.
    std::vector<double> max_distances; ///< The same, one per vertex; empty: max_distance for all.
    std::string max_distance_scalar;   ///< The same, painted: a scalar of the cloth's mesh file; empty: none.
    double backstop = -1.0;            ///< How far behind its place it may get, into the body [m]; -1: any.
    std::vector<double> backstops;     ///< The same, one per vertex; empty: backstop for all.
    std::string backstop_scalar;       ///< The same, painted.
    double local_space = 0.0;          ///< Fraction of the body's rigid motion that the cloth does not feel, 0 to 1.
    double teleport =
        0.5; ///< Where the body jumps farther than this within a step, the cloth goes along [m]; 0: never.
};

/// A detailed mesh that is drawn and exported instead of the simulated one, and follows it.
struct DrawnMeshDesc {
    std::string file; ///< .obj, .ply or .glb in the place of the cloth's own mesh, relative to the scene file.
};
using SurfaceDesc = std::variant<PnSettings, DrawnMeshDesc>;

struct ClothDesc {
    std::string name;
    MeshDesc mesh;
    std::shared_ptr<const GeneratedMesh> given_mesh; ///< In memory and in place, instead of `mesh`; not part of a file.
    PlaceDesc place;
    std::string rest = "auto";            ///< Rest shape of a mesh file: "auto", "uv", "mesh", or another mesh file.
    double weld = -1.0;                   ///< Distance that its borders are joined over [m]; 0: none; -1: rounding.
    std::string fabric = "cotton-poplin"; ///< Name or file; what the inline numbers, if any, start from.
    Material material;                    ///< Resolved.
    FabricLook look;                      ///< Resolved; its print is an absolute path.
    bool inline_fabric = false;           ///< The scene changes some of the fabric's numbers.
    NetDesc net;
    std::vector<PinDesc> pins;
    std::optional<SkinnedDesc> skinned; ///< To which body it belongs; none: to none.
    std::optional<SurfaceDesc> surface; ///< How the cloth is drawn and exported; none: as its triangles.
    bool self_collision = true;         ///< Keep it off itself, and off other cloths.
    double contact_distance = 0.0; ///< Minimum distance of its layers [m]; 0: from the fabric's thickness and the mesh.
    Triple velocity{0, 0, 0};      ///< At the start [m/s].
    Triple spin{0, 0, 0};          ///< Angular velocity about the cloth's centre at the start [rad/s].
    double velocity_damping = 0.0; ///< Rate at which velocity fades, added to the scene's [1/s].
};

/// A solid, or a surface when it has borders, made of triangles.
struct SolidMeshDesc {
    MeshDesc mesh;
    std::string frames = {}; ///< Vertex cache (.pc2, .mdd), relative to the scene file; empty: it keeps its shape.
    double frames_per_second = 0.0;                      ///< 0: the times an .mdd file carries.
    std::shared_ptr<const TriangleMesh> given_mesh = {}; ///< In memory, instead of `mesh`; not part of a file.
};

/// Ground: all below a grid of heights, whose border goes on outwards.
struct HeightDesc {
    Pair size{10.0, 10.0};       ///< Along x and z [m].
    IntPair vertices{2, 2};      ///< Along x and z.
    std::vector<double> heights; ///< Row by row from low z, each from low x [m].
};

/// A body that moves by its skeleton: a mannequin, or a skinned character of a file.
struct CharacterDesc {
    std::string file = {};                      ///< .glb or .gltf, relative to the scene file; empty: a mannequin.
    Figure figure = Figure::female;             ///< Of the mannequin.
    double height = 0.0;                        ///< Of the mannequin [m]; 0: as usual for the figure.
    std::map<std::string, double> measurements; ///< Of the mannequin, where they differ from the figure's [m].
    int triangles = 12000;                      ///< Of the mannequin, about.
    std::string motion = {}; ///< By name; empty: "a-pose", or the file's first animation. "rest": the file's own pose.
    bool in_place = false;   ///< The mannequin walks and runs without getting anywhere.
    bool loop = true;        ///< A file's animation starts over at its end; else the last pose is held.
    double start = 0.0;      ///< Time in the motion at the start [s].
    double speed = 1.0;
};

using SolidDesc = std::variant<Sphere, Box, Plane, Capsule, Cylinder, HeightDesc, SolidMeshDesc, CharacterDesc>;

/// A solid that cloth lies on or is pushed by.
struct ColliderDesc {
    SolidDesc shape;
    PlaceDesc place;
    Triple spin{0, 0, 0};                ///< Steady turning about its own centre [rad/s].
    std::vector<KeyframeDesc> keyframes; ///< Sorted by time; empty means it stays in place.
    bool smooth = true;                  ///< Ease in and out between keyframes.
    double friction = 0.4;
    double thickness = 0.002; ///< Minimum distance of the cloth's points [m].
};

struct CameraDesc {
    Triple eye{0, 1, 3}, target{0, 0, 0};
    double fov_deg = 40.0; ///< Vertical.
};

/// How the scene is drawn; nothing of it changes how it moves.
struct RenderDesc {
    enum class Ground { automatic, none };
    std::string environment = "studio"; ///< "studio", "sky", or a Radiance picture relative to the scene file.
    double environment_turn_deg = 0.0;  ///< About the vertical; pictures only.
    double exposure = 1.0;
    Ground ground = Ground::automatic; ///< automatic: a level plane of the scene, or a floor below the cloth.
    double hem = 0.006;                ///< Width of the doubled band along borders [m].
    double seam = 0.005;               ///< Width of the bands on either side of seams [m].
    double stitch = 0.003;             ///< From stitch to stitch along hems and seams [m]; 0: no stitches.
    int smooth = 0;                    ///< Pieces each triangle edge is drawn in; 0: as many as look smooth.
};

struct JsonDocument;

/// A scene file as plain data.
struct SceneDesc {
    std::string name;
    std::string description;
    Triple gravity{0, -9.81, 0};
    double dt = 1.0 / 60.0;                 ///< Frame time [s]; a solver step is dt / substeps.
    int substeps = 20;                      ///< Steps per frame of the solver in use.
    std::map<std::string, int> substeps_of; ///< By the solver's name and "other"; empty: the same for all.
    double seconds = 5.0;
    double budget_ms = 0.0; ///< Time that a frame should keep to by doing less [ms]; 0: any.
    SolverSettings solver = MultilevelSettings{};
    AirDesc air;
    double velocity_damping =
        0.0; ///< Rate at which velocity fades: a free point's by exp(-rate t), in short steps [1/s].
    std::vector<ClothDesc> cloths;
    std::vector<ColliderDesc> colliders;
    std::optional<CameraDesc> camera; ///< None: the cloth and the solids fill the picture.
    RenderDesc render;
    std::filesystem::path directory;              ///< Where relative file names start; not part of the file.
    std::shared_ptr<const JsonDocument> document; ///< The text it was read from, for complaints; may be null.
};

inline constexpr char kOtherSolvers[] = "other"; ///< In `substeps_of`: methods that are not named there.

/// Steps per frame that the scene has for a method.
int substeps_for(const SceneDesc& scene, const SolverSettings& solver);

/// `substeps_of` with the number that is in use now, which may have been changed.
std::map<std::string, int> substeps_in_use(const SceneDesc& scene);

/// Switches to another method with the scene's steps for it; the number in use is remembered for the old one.
void choose_solver(SceneDesc& scene, const SolverSettings& solver);

} // namespace selvage
