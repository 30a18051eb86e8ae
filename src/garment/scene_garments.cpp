#include "garment/scene_garments.h"

#include "base/concat.h"
#include "character/character_motion.h"
#include "garment/ready_garments.h"
#include "scene/scene_io.h"
#include "sim/collider_motion.h"
#include "sim/keyframes.h"
#include "sim/mesh_source.h"

namespace selvage {

namespace {

const GarmentMeshDesc* undressed_garment(const ClothDesc& cloth) {
    return cloth.given_mesh ? nullptr : std::get_if<GarmentMeshDesc>(&cloth.mesh);
}

std::string garment_pointer(std::size_t cloth) {
    return concat("/cloths/", cloth, "/mesh/garment");
}

/// Cloths of the scene that are layers of the same garment as this one.
std::vector<std::size_t> layers_with(const SceneDesc& scene, const GarmentMeshDesc& garment) {
    std::vector<std::size_t> cloths;
    for (std::size_t c = 0; c < scene.cloths.size(); ++c) {
        const GarmentMeshDesc* other = undressed_garment(scene.cloths[c]);
        if (other && other->pattern == garment.pattern && other->body == garment.body && other->edge == garment.edge)
            cloths.push_back(c);
    }
    return cloths;
}

/// Who wears a garment, and the pose that the scene starts in.
struct Wearer {
    StandingBody body;
    BodyPose start;
};

Result<Wearer> wearer_of(const SceneDesc& scene, std::size_t cloth, const GarmentMeshDesc& garment,
                         std::vector<std::string>& warnings) {
    const auto refuse = [&](const std::string& pointer, const std::string& why, ErrorKind kind = ErrorKind::input) {
        return scene_error(scene, pointer, Error{why, {}, kind});
    };
    const std::size_t count = scene.colliders.size();
    if (garment.body >= static_cast<int>(count))
        return refuse(garment_pointer(cloth), concat("found \"body\": ", garment.body, " where there are ", count,
                                                     " colliders; expected the index of a character"));
    const ColliderDesc& collider = scene.colliders[static_cast<std::size_t>(garment.body)];
    const auto* body = std::get_if<CharacterDesc>(&collider.shape);
    if (!body)
        return refuse(garment_pointer(cloth),
                      concat("collider ", garment.body, " is no character; expected one to cut the garment to"));
    const std::string pointer = concat("/colliders/", garment.body);
    if (collider.place.scale != 1.0)
        return refuse(
            pointer + "/place/scale",
            concat("found ", collider.place.scale,
                   " for a body that wears a garment; expected 1 (a mannequin has a \"height\", a file metres)"));
    Result<Character> character = load_character(*body, scene.directory, warnings);
    if (!character) return refuse(pointer + "/character", character.error().text(), character.error().kind);
    Result<StandingBody> standing = standing_body(*character);
    if (!standing) return refuse(garment_pointer(cloth), standing.error().text());
    Result<CharacterMotion> motion =
        CharacterMotion::make(std::make_shared<const Character>(std::move(*character)),
                              {body->motion, body->in_place, body->loop, body->start, body->speed});
    if (!motion) return refuse(pointer + "/character/motion", motion.error().text());
    return Wearer{std::move(*standing), motion->pose(0.0)};
}

Result<const SewnCloth*> cloth_of_layer(const DressedGarment& garment, int layer) {
    const SewnCloth* found = nullptr;
    int count = 0;
    for (const SewnCloth& cloth : garment.cloths)
        if (cloth.layer == layer) {
            found = &cloth;
            ++count;
        }
    if (count == 1) return found;
    return Error{concat("the garment has ", count, " cloths in layer ", layer, "; expected a layer of one cloth")};
}

/// Where the body stands when the scene starts.
void place_with_body(const ColliderDesc& body, std::vector<Vec3>& positions) {
    place_points(body.place, positions);
    if (body.keyframes.empty()) return;
    const KeyframePose key = keyframe_pose(body.keyframes, body.smooth, 0.0);
    const Vec3 centre = to_vec(body.place.translate);
    for (Vec3& p : positions)
        p = centre + key.shift + key.turn * (p - centre);
}

/// A garment rests as its pattern and stands where its body does.
Status check_cloth(const SceneDesc& scene, std::size_t c) {
    const ClothDesc& cloth = scene.cloths[c];
    const PlaceDesc none;
    const bool is_placed = cloth.place.translate != none.translate || cloth.place.rotate_deg != none.rotate_deg ||
                           cloth.place.scale != none.scale;
    const char* key = is_placed ? "place" : (cloth.rest != "auto" ? "rest" : (cloth.weld >= 0.0 ? "weld" : ""));
    if (*key == 0) return Done{};
    return scene_error(
        scene, concat("/cloths/", c, "/", key),
        Error{concat("found \"", key, "\" for a garment; expected none: it rests as its pattern, on its body")});
}

Status dress_cloths(SceneDesc& scene, const std::vector<std::size_t>& cloths, DressSettings settings,
                    std::vector<std::string>& warnings) {
    const std::size_t first = cloths.front();
    const auto garment_of = [&](std::size_t cloth) { return std::get<GarmentMeshDesc>(scene.cloths[cloth].mesh); };
    const GarmentMeshDesc desc = garment_of(first);
    const auto refuse = [&](const Error& error) {
        return scene_error(scene, garment_pointer(first), Error{error.text(), {}, error.kind});
    };
    const Result<Wearer> wearer = wearer_of(scene, first, desc, warnings);
    if (!wearer) return wearer.error();
    const Result<Pattern> pattern = cut_garment(desc.pattern, wearer->body.body, scene.directory);
    if (!pattern) return refuse(pattern.error());
    if (is_flat(*pattern))
        return refuse(Error{concat("\"", desc.pattern, "\" lies flat; expected a garment that a body can wear")});

    settings.edge = desc.edge;
    for (const std::size_t c : cloths) {
        if (const Status ok = check_cloth(scene, c); !ok) return ok;
        if (!settings.materials.emplace(garment_of(c).layer, scene.cloths[c].material).second)
            return scene_error(scene, garment_pointer(c),
                               Error{concat("another cloth is layer ", garment_of(c).layer,
                                            " of this garment already; expected each layer once")});
    }
    const Result<DressedGarment> garment = dress(*pattern, wearer->body, wearer->start, settings);
    if (!garment) return refuse(garment.error());
    warnings.insert(warnings.end(), garment->warnings.begin(), garment->warnings.end());
    if (garment->crossings > 0)
        warnings.push_back(concat(desc.pattern, ": ", garment->crossings, " crossings are left after draping"));

    for (const std::size_t c : cloths) {
        const Result<const SewnCloth*> sewn = cloth_of_layer(*garment, garment_of(c).layer);
        if (!sewn) return scene_error(scene, garment_pointer(c), sewn.error());
        std::vector<Vec3> positions = garment->positions[static_cast<std::size_t>(*sewn - garment->cloths.data())];
        place_with_body(scene.colliders[static_cast<std::size_t>(desc.body)], positions);
        scene.cloths[c].given_mesh = garment_mesh(**sewn, positions);
    }
    return Done{};
}

} // namespace

Status dress_scene(SceneDesc& scene, const DressSettings& settings, std::vector<std::string>& warnings) {
    for (std::size_t c = 0; c < scene.cloths.size(); ++c)
        if (const GarmentMeshDesc* garment = undressed_garment(scene.cloths[c])) {
            const Status dressed = dress_cloths(scene, layers_with(scene, *garment), settings, warnings);
            if (!dressed) return dressed;
        }
    return Done{};
}

Status dress_scene(SceneDesc& scene, int threads) {
    DressSettings settings;
    settings.threads = threads;
    std::vector<std::string> warnings;
    return dress_scene(scene, settings, warnings);
}

} // namespace selvage
