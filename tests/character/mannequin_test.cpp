#include <algorithm>
#include <cmath>
#include <map>

#include "base/thread_pool.h"
#include "character/mannequin.h"
#include "character/motions.h"
#include "collision/contact/crossings.h"
#include "geometry/topology.h"
#include "support.h"

namespace selvage {
namespace {

const Character& mannequin(Figure figure) {
    static std::map<Figure, Character> made; // a third of a second each
    if (!made.contains(figure)) {
        Result<Character> body = make_mannequin(standard_measurements(figure), {8000});
        EXPECT_TRUE(body);
        made.emplace(figure, std::move(*body));
    }
    return made.at(figure);
}

constexpr Figure kFigures[] = {Figure::female, Figure::male, Figure::child};

void expect_girths(const Character& body, double fraction) {
    const Measurements& m = *body.measurements;
    const Landmarks& l = *body.landmarks;
    const struct {
        const char* name;
        double got, wanted;
    } girths[] = {{"neck", l.neck.girth, m.neck},
                  {"chest", l.chest.girth, m.chest},
                  {"underbust", l.underbust.girth, m.underbust},
                  {"waist", l.waist.girth, m.waist},
                  {"hip", l.hip.girth, m.hip},
                  {"thigh", l.thigh[kRight].girth, m.thigh},
                  {"knee", l.knee_level[kLeft].girth, m.knee},
                  {"calf", l.calf[kRight].girth, m.calf},
                  {"ankle", l.ankle_level[kLeft].girth, m.ankle},
                  {"upper arm", l.upper_arm[kRight].girth, m.upper_arm},
                  {"elbow", l.elbow_level[kLeft].girth, m.elbow},
                  {"wrist", l.wrist_level[kRight].girth, m.wrist}};
    for (const auto& g : girths)
        EXPECT_NEAR(g.got, g.wanted, fraction * g.wanted) << g.name;
}

TEST(Mannequin, HasTheGirthsAndHeightAskedFor) {
    for (const Figure figure : kFigures) {
        SCOPED_TRACE(figure_names()[static_cast<int>(figure)]);
        const Character& body = mannequin(figure);
        expect_girths(body, 0.02);
        double low = 1e9, high = -1e9;
        for (const Vec3& p : body.mesh.positions) {
            low = std::min(low, p.y);
            high = std::max(high, p.y);
        }
        EXPECT_NEAR(low, 0.0, 0.005);
        EXPECT_NEAR(high, body.measurements->height, 0.01);
    }
}

TEST(Mannequin, FollowsMeasurementsFarFromTheTables) {
    Measurements m = measurements_for(Figure::female, 1.75);
    m.waist = 0.85, m.hip = 1.10, m.chest = 1.02, m.underbust = 0.90, m.thigh = 0.64;
    const Result<Character> body = make_mannequin(m, {6000});
    ASSERT_TRUE(body);
    expect_girths(*body, 0.02);
}

TEST(Mannequin, IsOneClosedSurfaceOfAboutAsManyTrianglesAsAskedFor) {
    for (const Figure figure : kFigures) {
        SCOPED_TRACE(figure_names()[static_cast<int>(figure)]);
        const TriangleMesh& mesh = mannequin(figure).mesh;
        const Topology topology = build_topology(mesh);
        EXPECT_EQ(topology.hinges.size(), topology.edges.size()) << "an edge without two triangles";
        EXPECT_TRUE(topology.non_manifold_edges.empty());
        // A sphere's: no hole, no second piece.
        EXPECT_EQ(mesh.vertex_count() - static_cast<int>(topology.edges.size()) + mesh.triangle_count(), 2);
        EXPECT_NEAR(mesh.triangle_count(), 8000, 1600);
        double volume = 0.0;
        for (const Triangle& t : mesh.triangles)
            volume += dot(mesh.positions[t[0]], cross(mesh.positions[t[1]], mesh.positions[t[2]])) / 6.0;
        EXPECT_GT(volume, 0.010) << "triangles should face outwards";
    }
}

TEST(Mannequin, IsMirrorSymmetricAndHasNoThinTriangles) {
    const TriangleMesh& mesh = mannequin(Figure::female).mesh;
    std::map<std::array<double, 3>, int> at;
    for (const Vec3& p : mesh.positions)
        at[{p.x, p.y, p.z}] = 1;
    for (const Vec3& p : mesh.positions)
        EXPECT_TRUE(at.contains({p.x == 0.0 ? 0.0 : -p.x, p.y, p.z}));
    double smallest = 1.0;
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) {
            const Vec3 &a = mesh.positions[t[k]], &b = mesh.positions[t[(k + 1) % 3]],
                       &c = mesh.positions[t[(k + 2) % 3]];
            smallest = std::min(smallest, length(cross(normalized(b - a), normalized(c - a))));
        }
    EXPECT_GT(smallest, 0.34); // the sine of 20 degrees
}

TEST(Mannequin, DoesNotCrossItselfAsBound) {
    ThreadPool pool(1);
    for (const Figure figure : kFigures) {
        const TriangleMesh& mesh = mannequin(figure).mesh;
        CrossingCounter counter;
        EXPECT_EQ(counter.count(pool, build_topology(mesh).edges, mesh.triangles, mesh.positions).count, 0);
    }
}

TEST(Mannequin, HasWeightsThatAddUpToOne) {
    const Character& body = mannequin(Figure::male);
    ASSERT_EQ(body.skin.vertex_count(), body.mesh.vertex_count());
    for (int v = 0; v < body.skin.vertex_count(); ++v) {
        double sum = 0.0;
        for (int k = body.skin.first[v]; k < body.skin.first[v + 1]; ++k) {
            EXPECT_GT(body.skin.weight[k], 0.0);
            sum += body.skin.weight[k];
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
        EXPECT_LE(body.skin.first[v + 1] - body.skin.first[v], kMostInfluences);
    }
}

TEST(Mannequin, PutsLandmarksOnTheBody) {
    const Character& body = mannequin(Figure::female);
    const Landmarks& l = *body.landmarks;
    const Measurements& m = *body.measurements;
    EXPECT_NEAR(l.shoulder[kLeft].x, 0.5 * m.shoulder_width, 0.03);
    EXPECT_NEAR(l.shoulder[kLeft].y, m.shoulder_height, 0.03);
    EXPECT_EQ(l.shoulder[kRight].x, -l.shoulder[kLeft].x);
    EXPECT_LT(l.armpit[kLeft].y, l.shoulder_joint[kLeft].y);
    EXPECT_GT(l.bust_point[kLeft].z, l.underbust.front);
    EXPECT_NEAR(l.crotch.y, m.inside_leg, 1e-9);
    EXPECT_LT(l.neck_back.z, l.neck_front.z);
    EXPECT_NEAR(length(l.wrist[kLeft] - l.elbow[kLeft]), m.forearm_length, 1e-9);
}

TEST(Mannequin, RefusesMeasurementsNoBodyHas) {
    const auto error = [](double Measurements::* member, double value) {
        Measurements m;
        m.*member = value;
        const Result<Character> body = make_mannequin(m);
        return body ? "made" : body.error().text();
    };
    EXPECT_NE(error(&Measurements::waist, -1.0).find("waist is -1"), std::string::npos);
    EXPECT_NE(error(&Measurements::knee_height, 0.9).find("knee_height"), std::string::npos);
    EXPECT_NE(error(&Measurements::chest, std::nan("")).find("chest"), std::string::npos);
    EXPECT_NE(error(&Measurements::thigh, 0.9).find("hip is"), std::string::npos);
    EXPECT_EQ(error(&Measurements::waist, 0.72), "made");
    EXPECT_NE(make_mannequin({}, {100}).error().text().find("3000 to 40000"), std::string::npos);
}

/// Plain 4 x 4 matrices, multiplied out.
Vec3 skinned_by_hand(const Character& body, const BodyPose& pose, int vertex) {
    Vec3 sum;
    for (int k = body.skin.first[vertex]; k < body.skin.first[vertex + 1]; ++k) {
        const Bone& bone = body.skeleton.bones[body.skin.bone[k]];
        Vec3 p = bone.inverse_bind.point(body.mesh.positions[vertex]);
        for (int j = bone.joint; j >= 0; j = body.skeleton.joints[j].parent) {
            const JointTransform& t = pose.local[j];
            const Vec3 scaled{t.scale.x * p.x, t.scale.y * p.y, t.scale.z * p.z};
            const Vec3 axis{t.rotation.x, t.rotation.y, t.rotation.z}; // v + 2 a x (a x v + w v)
            p = t.translation + scaled + 2.0 * cross(axis, cross(axis, scaled) + t.rotation.w * scaled);
        }
        sum += body.skin.weight[k] * p;
    }
    return sum;
}

TEST(Skinning, AgreesWithAReferenceInDoubleAndFloat) {
    const auto body = std::make_shared<const Character>(mannequin(Figure::female));
    PosedCharacter poser(body);
    std::vector<Vec3> out(body->mesh.positions.size());
    const BodyPose pose = mannequin_pose(*body, *find_motion("dance"), 5.3);
    poser.place(pose, out);
    std::vector<Affine> joints, bones;
    joint_transforms(body->skeleton, pose, joints);
    bone_transforms(body->skeleton, joints, bones);
    std::vector<Affinef> small_bones(bones.begin(), bones.end());
    std::vector<Vec3f> small_points(body->mesh.positions.begin(), body->mesh.positions.end()), small(out.size());
    skin_points(body->skin, small_bones, small_points, small);
    for (std::size_t v = 0; v < out.size(); ++v) {
        const Vec3 wanted = skinned_by_hand(*body, pose, static_cast<int>(v));
        EXPECT_LT(length(out[v] - wanted), 1e-12);
        EXPECT_LT(length(Vec3(small[v]) - wanted), 1e-5);
    }
}

TEST(Motions, StartAtTheBindPoseAndHaveNoJumps) {
    const auto body = std::make_shared<const Character>(mannequin(Figure::child));
    PosedCharacter poser(body);
    const std::size_t n = body->mesh.positions.size();
    for (const MotionInfo& motion : mannequin_motions()) {
        SCOPED_TRACE(motion.name);
        std::vector<Vec3> before(n), now(n);
        poser.place(mannequin_pose(*body, motion, 0.0), before);
        double start = 0.0;
        for (std::size_t v = 0; v < n; ++v)
            start = std::max(start, length(before[v] - body->mesh.positions[v]));
        EXPECT_LT(start, 0.005);
        const double step = 1.0 / 240.0;
        double fastest = 0.0;
        for (int k = 1; k < 240 * 11; ++k) {
            poser.place(mannequin_pose(*body, motion, k * step), now);
            for (std::size_t v = 0; v < n; v += 7) {
                ASSERT_TRUE(is_finite(now[v]));
                fastest = std::max(fastest, length(now[v] - before[v]) / step);
            }
            std::swap(before, now);
        }
        // Hands at arm's length, two turns a second: 2 pi 2 0.5 m; a jump of 5 cm would be 12 m/s.
        EXPECT_LT(fastest, motion.name == std::string("run") ? 11.0 : 9.0);
    }
}

TEST(Motions, WalkOnTheFloorWithoutSliding) {
    const auto body = std::make_shared<const Character>(mannequin(Figure::female));
    PosedCharacter poser(body);
    std::vector<Vec3> out(body->mesh.positions.size());
    const MotionInfo& walk = *find_motion("walk");
    double low = 1e9, high = -1e9, slide = 0.0;
    Vec3 last_toe;
    for (int k = 0; k < 200; ++k) {
        const double t = 2.0 + k / 100.0;
        poser.place(mannequin_pose(*body, walk, t), out);
        double lowest = 1e9;
        for (const Vec3& p : out)
            lowest = std::min(lowest, p.y);
        low = std::min(low, lowest);
        high = std::max(high, lowest);
        const Vec3 toe = poser.joints()[kLeftToes].origin;
        if (k > 0 && toe.y < 0.0225 &&
            last_toe.y <
                0.0225) // the ball is down: it rests at 0.022 slide = std::max(slide, std::abs(toe.z - last_toe.z));
            last_toe = toe;
    }
    EXPECT_GT(low, -0.02);
    EXPECT_LT(high, 0.02);
    EXPECT_LT(slide, 0.004); // of 12 mm that the body goes in a hundredth of a second
}

} // namespace
} // namespace selvage
