#include <algorithm>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/float_environment.h"
#include "base/suggest.h"
#include "scene/json_fields.h"
#include "scene/scene_fields.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"

namespace selvage {

namespace {

SolverSettings read_solver(JsonCursor cursor) {
    SolverSettings settings = SceneDesc{}.solver;
    if (!cursor.is_object()) return settings;
    const std::optional<JsonCursor> type = cursor.child("type");
    if (!type) {
        cursor.missing("type", concat("one of: ", join(solver_names())));
        return settings;
    }
    const std::optional<std::string> name = type->string();
    if (!name) return settings;
    const SolverEntry* entry = find_solver(*name);
    if (!entry) {
        const std::string nearest = nearest_word(*name, solver_names());
        type->fail(concat("unknown solver \"", *name, "\"; expected one of: ", join(solver_names()),
                          nearest.empty() ? "" : concat("; did you mean \"", nearest, "\"?")));
        return settings;
    }
    settings = entry->defaults;
    std::visit([&](auto& chosen) { read_fields(cursor, settings_fields(chosen), chosen); }, settings);
    cursor.finish();
    return settings;
}

AirDesc read_air(JsonCursor cursor) {
    AirDesc air;
    if (!cursor.is_object()) return air;
    air.density = 1.2; // whoever writes "air" wants some; the file may still say 0
    read_fields(cursor, air_fields(), air);
    if (std::optional<JsonCursor> wind = cursor.child("wind"); wind && wind->is_object()) {
        read_fields(*wind, wind_fields(), air);
        wind->finish();
    }
    cursor.finish();
    return air;
}

/// One of several kinds, each under its own key; false when the key is not there.
template <class Kind, class Choice>
bool read_kind(JsonCursor& cursor, const std::string& key, Choice& choice) {
    std::optional<JsonCursor> child = cursor.child(key);
    if (!child) return false;
    Kind desc;
    if (child->is_object()) {
        read_fields(*child, desc_fields(desc), desc);
        child->finish();
    }
    choice = desc;
    return true;
}

enum class GarmentMeshes { allowed, refused };

/// Other keys of the same object must have been asked for before.
MeshDesc read_mesh_desc(JsonCursor& cursor, GarmentMeshes garments) {
    MeshDesc mesh;
    if (!cursor.is_object()) return mesh;
    int kinds = read_kind<GridDesc>(cursor, "grid", mesh);
    kinds += read_kind<DiscDesc>(cursor, "disc", mesh);
    kinds += read_kind<TubeDesc>(cursor, "tube", mesh);
    kinds += read_kind<BlockDesc>(cursor, "block", mesh);
    kinds += read_kind<RibbonDesc>(cursor, "ribbon", mesh);
    if (const std::optional<JsonCursor> file = cursor.child("file")) {
        mesh = FileMeshDesc{file->string().value_or("")};
        ++kinds;
    }
    if (garments == GarmentMeshes::allowed && read_kind<GarmentMeshDesc>(cursor, "garment", mesh)) {
        ++kinds;
        if (std::get<GarmentMeshDesc>(mesh).pattern.empty())
            cursor.fail("has a garment without \"pattern\"; expected the name of one, such as \"a-line-dress\"");
    }
    cursor.finish();
    if (kinds != 1)
        cursor.fail(concat("names ", kinds, " meshes; expected exactly one of: grid, disc, tube, block, ribbon, file",
                           garments == GarmentMeshes::allowed ? ", garment" : ""));
    return mesh;
}

bool read_height(JsonCursor& collider, SolidDesc& shape) {
    std::optional<JsonCursor> cursor = collider.child("height");
    if (!cursor) return false;
    HeightDesc desc;
    if (cursor->is_object()) {
        read_fields(*cursor, desc_fields(desc), desc);
        const std::optional<JsonCursor> heights = cursor->child("heights");
        if (heights)
            for (const JsonCursor& item : heights->items())
                desc.heights.push_back(item.number(kHeight).value_or(0.0));
        cursor->finish();
        const double expected = static_cast<double>(desc.vertices[0]) * desc.vertices[1];
        const std::string grid = concat(desc.vertices[0], " x ", desc.vertices[1], " = ", expected, " numbers");
        if (!heights)
            cursor->fail(concat("has no \"heights\"; expected ", grid));
        else if (static_cast<double>(desc.heights.size()) != expected)
            heights->fail(concat("found ", desc.heights.size(), " numbers; expected ", grid, " as \"vertices\" says"));
    }
    shape = desc;
    return true;
}

bool read_solid_mesh(JsonCursor& collider, SolidDesc& shape) {
    std::optional<JsonCursor> cursor = collider.child("mesh");
    if (!cursor) return false;
    SolidMeshDesc desc;
    if (cursor->is_object()) {
        read_fields(*cursor, desc_fields(desc), desc);
        desc.mesh = read_mesh_desc(*cursor, GarmentMeshes::refused);
    }
    shape = desc;
    return true;
}

bool read_character(JsonCursor& collider, SolidDesc& shape) {
    std::optional<JsonCursor> cursor = collider.child("character");
    if (!cursor) return false;
    CharacterDesc desc;
    if (cursor->is_object()) {
        read_fields(*cursor, desc_fields(desc), desc);
        std::optional<JsonCursor> given = cursor->child("measurements");
        if (given && given->is_object()) {
            for (const MeasurementField& field : measurement_fields())
                if (const std::optional<JsonCursor> number = given->child(field.key))
                    desc.measurements[field.key] = number->number(kMeasurement).value_or(1.0);
            given->finish();
        }
        cursor->finish();
    }
    shape = desc;
    return true;
}

std::vector<KeyframeDesc> read_keyframes(JsonCursor& list) {
    std::vector<KeyframeDesc> keys;
    for (JsonCursor& item : list.items()) {
        KeyframeDesc key;
        if (item.is_object()) {
            read_fields(item, desc_fields(key), key);
            item.finish();
        }
        if (!keys.empty() && key.t <= keys.back().t)
            item.fail(concat("t = ", key.t, " does not come after the keyframe before it, t = ", keys.back().t));
        keys.push_back(key);
    }
    return keys;
}

/// How many of the keys that select vertices are there; `select` becomes the last of them.
int read_selection(JsonCursor& cursor, PinSelection& select) {
    int selections = 0;
    if (const std::optional<JsonCursor> edge = cursor.child("edge")) {
        select = EdgeName{edge->string().value_or("")};
        ++selections;
    }
    if (const std::optional<JsonCursor> corner = cursor.child("corner")) {
        select = CornerName{corner->string().value_or("")};
        ++selections;
    }
    if (const std::optional<JsonCursor> vertices = cursor.child("vertices")) {
        std::vector<int> list;
        for (const JsonCursor& item : vertices->items())
            list.push_back(item.integer(kNonNegative).value_or(0));
        if (list.empty()) vertices->expected("at least one vertex");
        select = list;
        ++selections;
    }
    if (std::optional<JsonCursor> box = cursor.child("box")) {
        BoxDesc desc;
        if (box->is_object()) {
            read_fields(*box, desc_fields(desc), desc);
            box->finish();
        }
        select = desc;
        ++selections;
    }
    return selections;
}

PinDesc read_pin(JsonCursor cursor) {
    PinDesc pin;
    if (!cursor.is_object()) return pin;
    const int selections = read_selection(cursor, pin.select);
    if (std::optional<JsonCursor> keyframes = cursor.child("keyframes")) pin.keyframes = read_keyframes(*keyframes);
    if (const std::optional<JsonCursor> smooth = cursor.child("smooth")) pin.smooth = smooth->boolean().value_or(true);
    if (const std::optional<JsonCursor> release = cursor.child("release"))
        pin.release = release->number(kNonNegative).value_or(-1.0);
    cursor.finish();
    if (selections != 1)
        cursor.fail(
            concat("selects vertices in ", selections, " ways; expected exactly one of: edge, corner, vertices, box"));
    return pin;
}

/// A number for each vertex, or the name of a scalar that the cloth's mesh file carries.
void read_reaches(const JsonCursor& cursor, std::vector<double>& numbers, std::string& scalar) {
    if (cursor.value().is_string()) {
        scalar = *cursor.string();
        if (scalar.empty()) cursor.expected("the name of a scalar of the cloth's mesh file");
        return;
    }
    if (!cursor.value().is_array()) return cursor.expected("a list of numbers, or the name of a scalar");
    for (const JsonCursor& item : cursor.items())
        numbers.push_back(item.number(kReach).value_or(0.0));
}

std::optional<SkinnedDesc> read_skinned(JsonCursor cursor) {
    if (!cursor.is_object()) return std::nullopt;
    SkinnedDesc skinned;
    read_fields(cursor, desc_fields(skinned), skinned);
    if (const std::optional<JsonCursor> attach = cursor.child("attach"))
        for (JsonCursor& item : attach->items()) {
            PinSelection select;
            if (!item.is_object()) continue;
            const int selections = read_selection(item, select);
            item.finish();
            if (selections != 1)
                item.fail(concat("selects vertices in ", selections,
                                 " ways; expected exactly one of: edge, corner, vertices, box"));
            skinned.attach.push_back(select);
        }
    if (const std::optional<JsonCursor> distances = cursor.child("max_distances"))
        read_reaches(*distances, skinned.max_distances, skinned.max_distance_scalar);
    if (const std::optional<JsonCursor> backstops = cursor.child("backstops"))
        read_reaches(*backstops, skinned.backstops, skinned.backstop_scalar);
    cursor.finish();
    return skinned;
}

std::optional<SurfaceDesc> read_surface(JsonCursor cursor) {
    if (!cursor.is_object()) return std::nullopt;
    SurfaceDesc surface;
    int kinds = read_kind<PnSettings>(cursor, "pn", surface);
    if (std::optional<JsonCursor> mesh = cursor.child("mesh")) {
        DrawnMeshDesc drawn;
        if (mesh->is_object()) {
            read_fields(*mesh, desc_fields(drawn), drawn);
            mesh->finish();
            if (drawn.file.empty()) mesh->missing("file", "the name of a mesh file (.obj, .ply, .glb)");
        }
        surface = drawn;
        ++kinds;
    }
    cursor.finish();
    if (kinds != 1) cursor.fail(concat("names ", kinds, " surfaces; expected exactly one of: pn, mesh"));
    return surface;
}

/// The keys of a look, over what it holds; `directory` is the file's.
void read_look(JsonCursor cursor, const std::filesystem::path& directory, FabricLook& look) {
    if (!cursor.is_object()) return;
    const std::string before = look.print;
    read_fields(cursor, look_fields(), look);
    cursor.finish();
    // Made absolute here, where it is known which file said so.
    std::error_code code;
    if (look.print != before && !look.print.empty())
        look.print = printable(std::filesystem::absolute(directory / look.print, code).lexically_normal().string());
}

/// A fabric file or an inline fabric; `material` and `look` hold what they start from, `directory` is the file's.
void read_fabric_keys(JsonCursor& cursor, const std::filesystem::path& directory, Material& material,
                      FabricLook& look) {
    read_fields(cursor, material_fields(), material);
    if (const std::optional<JsonCursor> child = cursor.child("look")) read_look(*child, directory, look);
}

void use_fabric(const Fabric& fabric, ClothDesc& cloth) {
    cloth.material = fabric.material;
    cloth.look = fabric.look;
}

void read_fabric(JsonCursor cursor, const std::filesystem::path& directory, ClothDesc& cloth) {
    const auto resolve = [&](const JsonCursor& name) {
        cloth.fabric = name.string().value_or(cloth.fabric);
        if (!name.ok()) return;
        const Result<Fabric> fabric = load_fabric(cloth.fabric, directory);
        if (fabric)
            use_fabric(*fabric, cloth);
        else
            name.fail(fabric.error().text());
    };
    if (!cursor.value().is_object()) return resolve(cursor);
    cloth.inline_fabric = true;
    if (const std::optional<JsonCursor> base = cursor.child("base"))
        resolve(*base);
    else if (const Result<Fabric> standard = load_fabric(cloth.fabric))
        use_fabric(*standard, cloth);
    read_fabric_keys(cursor, directory, cloth.material, cloth.look);
    cursor.finish();
}

ClothDesc read_cloth(JsonCursor cursor, std::size_t index, const std::filesystem::path& directory) {
    ClothDesc cloth;
    cloth.name = concat("cloth", index);
    if (!cursor.is_object()) return cloth;
    read_fields(cursor, desc_fields(cloth), cloth);
    if (std::optional<JsonCursor> mesh = cursor.child("mesh"))
        cloth.mesh = read_mesh_desc(*mesh, GarmentMeshes::allowed);
    else
        cursor.missing("mesh", "one of: grid, disc, tube, block, ribbon, file, garment");
    if (std::optional<JsonCursor> place = cursor.child("place"); place && place->is_object()) {
        read_fields(*place, desc_fields(cloth.place), cloth.place);
        place->finish();
    }
    if (const std::optional<JsonCursor> fabric = cursor.child("fabric"))
        read_fabric(*fabric, directory, cloth);
    else if (const Result<Fabric> standard = load_fabric(cloth.fabric))
        use_fabric(*standard, cloth);
    if (std::optional<JsonCursor> net = cursor.child("net"); net && net->is_object()) {
        read_fields(*net, net_fields(), cloth.net);
        net->finish();
    }
    if (const std::optional<JsonCursor> surface = cursor.child("surface")) cloth.surface = read_surface(*surface);
    if (const std::optional<JsonCursor> skinned = cursor.child("skinned")) cloth.skinned = read_skinned(*skinned);
    if (const std::optional<JsonCursor> pins = cursor.child("pins"))
        for (const JsonCursor& pin : pins->items())
            cloth.pins.push_back(read_pin(pin));
    cursor.finish();
    return cloth;
}

/// A number for all methods, or an object with numbers for some of them and for the others.
void read_substeps(JsonCursor cursor, SceneDesc& scene) {
    scene.substeps_of.clear();
    if (!cursor.value().is_object()) {
        scene.substeps = cursor.integer(kSubsteps).value_or(scene.substeps);
        return;
    }
    std::vector<std::string> names = solver_names();
    names.emplace_back(kOtherSolvers);
    for (const std::string& name : names)
        if (const std::optional<JsonCursor> number = cursor.child(name))
            scene.substeps_of[name] = number->integer(kSubsteps).value_or(1);
    cursor.finish();
    if (scene.substeps_of.find(kOtherSolvers) == scene.substeps_of.end())
        cursor.fail(concat("has no \"", kOtherSolvers, "\"; expected the steps per frame of all solvers not named"));
}

ColliderDesc read_collider(JsonCursor cursor) {
    ColliderDesc collider;
    if (!cursor.is_object()) return collider;
    int kinds = read_kind<Sphere>(cursor, "sphere", collider.shape);
    kinds += read_kind<Box>(cursor, "box", collider.shape);
    kinds += read_kind<Plane>(cursor, "plane", collider.shape);
    kinds += read_kind<Capsule>(cursor, "capsule", collider.shape);
    kinds += read_kind<Cylinder>(cursor, "cylinder", collider.shape);
    kinds += read_height(cursor, collider.shape);
    kinds += read_solid_mesh(cursor, collider.shape);
    kinds += read_character(cursor, collider.shape);
    read_fields(cursor, desc_fields(collider), collider);
    if (std::optional<JsonCursor> place = cursor.child("place"); place && place->is_object()) {
        read_fields(*place, desc_fields(collider.place), collider.place);
        place->finish();
    }
    if (std::optional<JsonCursor> motion = cursor.child("motion"); motion && motion->is_object()) {
        read_fields(*motion, motion_fields(collider), collider);
        if (std::optional<JsonCursor> keyframes = motion->child("keyframes"))
            collider.keyframes = read_keyframes(*keyframes);
        motion->finish();
    }
    cursor.finish();
    if (kinds != 1)
        cursor.fail(concat("names ", kinds,
                           " shapes; expected exactly one of: sphere, box, plane, capsule, cylinder, height, mesh, "
                           "character"));
    return collider;
}

const BuiltinFile* find_builtin(const std::vector<BuiltinFile>& files, const std::string& name) {
    const auto found = std::find_if(files.begin(), files.end(), [&](const BuiltinFile& f) { return f.name == name; });
    return found != files.end() ? &*found : nullptr;
}

/// The text of a built-in or of a file, with a message that lists the built-ins when it is neither.
Result<JsonDocument> open_document(const std::string& name, const std::filesystem::path& path,
                                   const std::vector<BuiltinFile>& files, const std::string& what) {
    if (const BuiltinFile* file = find_builtin(files, name)) return parse_json(std::string(file->text), name + ".json");
    const bool looks_like_file = path.extension() == ".json" || name.find('/') != std::string::npos;
    std::error_code code;
    if (!looks_like_file && !std::filesystem::exists(path, code)) {
        std::vector<std::string> names;
        names.reserve(files.size());
        for (const BuiltinFile& file : files)
            names.push_back(file.name);
        const std::string nearest = nearest_word(name, names);
        return Error{concat("no ", what, " of this name; expected a file or one of: ", join(names),
                            nearest.empty() ? "" : concat("; did you mean \"", nearest, "\"?")),
                     name};
    }
    constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20; // vertex lists can be long; videos are not scenes
    Result<std::string> text = read_file(path, kLargest);
    if (!text) return text.error();
    return parse_json(std::move(*text), path.string());
}

} // namespace

Result<Fabric> load_fabric(const std::string& name_or_path, const std::filesystem::path& directory) {
    const FloatEnvironment plain;
    const std::filesystem::path path = directory / name_or_path;
    Result<JsonDocument> document = open_document(name_or_path, path, builtin_fabrics(), "fabric");
    if (!document) return document.error();
    Fabric fabric;
    JsonCursor root(*document, document->root, "");
    if (root.is_object()) {
        fabric.name = printable(path.stem().string());
        if (const std::optional<JsonCursor> child = root.child("name")) fabric.name = child->string().value_or("");
        if (const std::optional<JsonCursor> child = root.child("description"))
            fabric.description = child->string().value_or("");
        if (std::optional<JsonCursor> sources = root.child("sources"); sources && sources->is_object())
            for (const auto& [key, unused] : sources->value().items())
                fabric.sources.emplace_back(key, sources->child(key)->string().value_or(""));
        read_fabric_keys(root, path.parent_path(), fabric.material, fabric.look);
        root.finish();
    }
    if (document->error) return *document->error;
    return fabric;
}

Result<ColliderDesc> parse_collider(std::string text) {
    Result<JsonDocument> document = parse_json(std::move(text), "collider");
    if (!document) return document.error();
    ColliderDesc collider = read_collider(JsonCursor(*document, document->root, ""));
    if (document->error) return *document->error;
    return collider;
}

Result<ClothDesc> parse_cloth(std::string text, const std::filesystem::path& directory) {
    Result<JsonDocument> document = parse_json(std::move(text), "cloth");
    if (!document) return document.error();
    ClothDesc cloth = read_cloth(JsonCursor(*document, document->root, ""), 0, directory);
    if (document->error) return *document->error;
    return cloth;
}

Result<SolverSettings> parse_solver(const std::string& type, std::string settings, const std::string& quality) {
    Result<JsonDocument> document = parse_json(std::move(settings), "solver settings");
    if (!document) return document.error();
    Json& root = document->root;
    if (!root.is_object()) return Error{"the solver settings are no JSON object; expected {...}", {}, ErrorKind::work};
    root["type"] = printable(type);
    if (type == solver_name(MultilevelSettings{}) && !root.contains("quality")) root["quality"] = quality;
    const SolverSettings solver = read_solver(JsonCursor(*document, root, ""));
    if (document->error) return *document->error;
    return solver;
}

Result<SceneDesc> parse_scene(std::string text, std::string source, const std::filesystem::path& directory) {
    Result<JsonDocument> document = parse_json(std::move(text), std::move(source));
    if (!document) return document.error();
    return parse_scene(std::move(*document), directory);
}

Result<SceneDesc> parse_scene(JsonDocument document, const std::filesystem::path& directory) {
    const FloatEnvironment plain;
    SceneDesc scene;
    scene.directory = directory;
    scene.name = printable(std::filesystem::path(document.source).stem().string());
    JsonCursor root(document, document.root, "");
    if (root.is_object()) {
        read_fields(root, desc_fields(scene), scene);
        if (const std::optional<JsonCursor> dt = root.child("dt"))
            scene.dt = dt->seconds({1e-9, 10.0, false}).value_or(scene.dt);
        if (const std::optional<JsonCursor> solver = root.child("solver")) scene.solver = read_solver(*solver);
        scene.substeps_of = usual_substeps();
        if (const std::optional<JsonCursor> substeps = root.child("substeps")) read_substeps(*substeps, scene);
        scene.substeps = substeps_for(scene, scene.solver);
        if (const std::optional<JsonCursor> air = root.child("air")) scene.air = read_air(*air);
        if (std::optional<JsonCursor> camera = root.child("camera"); camera && camera->is_object()) {
            scene.camera.emplace();
            read_fields(*camera, desc_fields(*scene.camera), *scene.camera);
            camera->finish();
        }
        if (const std::optional<JsonCursor> cloths = root.child("cloths")) {
            const std::vector<JsonCursor> items = cloths->items();
            if (items.empty()) cloths->expected("at least one cloth");
            for (std::size_t i = 0; i < items.size(); ++i)
                scene.cloths.push_back(read_cloth(items[i], i, directory));
        } else {
            root.missing("cloths", "a list with at least one cloth");
        }
        if (std::optional<JsonCursor> render = root.child("render"); render && render->is_object()) {
            read_fields(*render, desc_fields(scene.render), scene.render);
            // Stored with the cloths, which are written with the looks they have.
            if (const std::optional<JsonCursor> fabric = render->child("fabric"); fabric && fabric->is_object())
                for (ClothDesc& cloth : scene.cloths) {
                    read_look(*fabric, directory, cloth.look);
                    cloth.inline_fabric = true;
                }
            render->finish();
        }
        if (const std::optional<JsonCursor> colliders = root.child("colliders"))
            for (const JsonCursor& item : colliders->items())
                scene.colliders.push_back(read_collider(item));
        root.finish();
    }
    if (document.error) return *document.error;
    document.root = {}; // its text is enough to say where a value stands
    scene.document = std::make_shared<const JsonDocument>(std::move(document));
    return scene;
}

Error scene_error(const SceneDesc& scene, const std::string& pointer, const Error& error) {
    Error located{error.message, concat(scene.name, ": ", pointer)};
    if (scene.document) located = error_at(*scene.document, pointer, error.message);
    located.kind = error.kind;
    return located;
}

Result<SceneDesc> load_scene(const std::string& name_or_path, const std::vector<std::string>& overrides) {
    Result<JsonDocument> document = open_document(name_or_path, name_or_path, builtin_scenes(), "scene");
    if (!document) return document.error();
    bool sets_solver_type = false;
    for (const std::string& assignment : overrides) {
        if (const Status ok = apply_override(*document, assignment); !ok) return ok.error();
        sets_solver_type = sets_solver_type || assignment.starts_with("/solver/type=");
    }
    Result<SceneDesc> scene = parse_scene(std::move(*document), std::filesystem::path(name_or_path).parent_path());
    if (scene || !sets_solver_type || scene.error().text().find("/solver") == std::string::npos) return scene;
    // The settings of the scene's own solver stay behind, and are often unknown to the other.
    Error error = scene.error();
    error.message += "; --solver NAME changes the solver together with its settings, --set /solver/type its name alone";
    return error;
}

} // namespace selvage
