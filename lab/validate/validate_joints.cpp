// Panels that are joined hang as one: what the lower weighs is carried through the joint, and each stretches by its own
// threads. The upper panel hangs along its warp, the lower along its weft; their patterns lie apart, as on a cutting table.

#include <cmath>

#include "base/assert.h"
#include "base/concat.h"
#include "geometry/weld.h"
#include "lab/validate/cut_pieces.h"
#include "lab/validate/validate_internal.h"

namespace selvage {

namespace {

constexpr int kAcross = 5, kUpper = 17, kLower = 13; // vertices, the seam's in both
constexpr double kCell = 0.02;                       // [m]

enum class PanelJoint { sewn, welded };

/// Row by row from the bottom. Sewn: the panels share vertices at the seam and have corners of their own in the pattern.
/// Welded: both have vertices there, which are joined afterwards.
GeneratedMesh two_panels(PanelJoint joint) {
    GeneratedMesh made;
    TriangleMesh& mesh = made.mesh;
    const auto add_panel = [&](int first_row, int rows, bool along_warp, double pattern_offset) {
        const int vertex = mesh.vertex_count(), corner = static_cast<int>(mesh.uv.size());
        const bool shares = joint == PanelJoint::sewn && first_row > 0; // its first row is the last panel's
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < kAcross; ++i) {
                const double x = i * kCell, y = (first_row + j) * kCell;
                if (!shares || j > 0) mesh.positions.emplace_back(x, y, 0.0);
                mesh.uv.push_back(along_warp ? Vec2{y, pattern_offset - x} : Vec2{pattern_offset + x, y});
            }
        const int shift = shares ? vertex - kAcross : vertex;
        for (int j = 0; j + 1 < rows; ++j)
            for (int i = 0; i + 1 < kAcross; ++i) {
                const int a = j * kAcross + i, b = a + 1, c = a + kAcross, d = c + 1;
                const bool even = (i + j) % 2 == 0;
                for (const Triangle& t : {Triangle{a, b, even ? d : c}, Triangle{even ? a : b, d, c}}) {
                    mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
                    mesh.uv_triangles.push_back({t[0] + corner, t[1] + corner, t[2] + corner});
                }
            }
    };
    add_panel(0, kLower, false, 0.0);
    add_panel(kLower - 1, kUpper, true, 3.0);
    made.rest = RestShape::uv;
    if (joint == PanelJoint::welded) {
        const Result<Weld> weld = weld_borders(mesh, kWeldRounding);
        SELVAGE_ASSERT(weld && weld->joined == kAcross);
    }
    return made;
}

double height_of(const std::vector<Vec3>& x, const std::vector<Vec3>& rest, double at) {
    double sum = 0.0;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (std::abs(rest[i].y - at) < 0.1 * kCell) sum += x[i].y / kAcross;
    return sum;
}

} // namespace

std::vector<ValidationRow> joined_panels() {
    std::vector<ValidationRow> rows;
    const double seam = (kLower - 1) * kCell, top = seam + (kUpper - 1) * kCell, weight = kSheetDensity * kGravity;
    for (const Variant& variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2" || variant.name == "multilevel:high") continue;
        for (const PanelJoint joint : {PanelJoint::sewn, PanelJoint::welded}) {
            SceneDesc scene = sheet_scene(variant.settings, kSettleStep, {2, 2});
            hang(scene, two_panels(joint));
            Material& m = scene.cloths[0].material;
            m.stretch_warp = 400.0;
            m.stretch_weft = 100.0;
            m.shear = 1.0; // springs couple stretch to it
            m.damping = 0.0;
            const std::vector<Vec3>& rest = scene.cloths[0].given_mesh->mesh.positions;
            std::vector<int> held;
            for (std::size_t i = 0; i < rest.size(); ++i)
                if (rest[i].y > top - 0.1 * kCell) held.push_back(static_cast<int>(i));
            pin_at_start(scene, held);
            const std::vector<Vec3> x = shape_at_rest(variant, scene);
            const double upper = top - height_of(x, rest, seam) - (top - seam);
            const double lower = height_of(x, rest, seam) - height_of(x, rest, 0.0) - seam;
            const std::string name =
                concat("joined-panels/", variant.name, joint == PanelJoint::sewn ? ":sewn" : ":welded");
            rows.push_back(make_row(name + ":upper", 0.5 * weight * (top * top - seam * seam) / m.stretch_warp, upper,
                                    0.015, "m"));
            rows.push_back(make_row(name + ":lower", 0.5 * weight * seam * seam / m.stretch_weft, lower, 0.015, "m"));
        }
    }
    return rows;
}

} // namespace selvage
