// What is built in: scenes, fabrics, looks.

#include "render/shading/fabric_shading.h"
#include "scene/scene_io.h"
#include "web_module.h"

namespace selvage::web {

namespace {

selvage_result give_text(const std::vector<BuiltinFile>& files, const char* what, const char* name, Range* out) {
    for (const BuiltinFile& file : files)
        if (file.name == name) {
            give_range(std::span<const char>(file.text.data(), file.text.size()), out);
            return SELVAGE_OK;
        }
    return fail(SELVAGE_ERROR_ARGUMENT, concat("no ", what, " is named \"", name, "\""));
}

void write_bounces(const PreparedLook& prepared, double* out) {
    const auto put = [&](const Vec3& colour) { *out++ = colour.x, *out++ = colour.y, *out++ = colour.z; };
    for (const Bounces& side : prepared.bounces)
        for (const std::array<double, 4>& parts : side.missing)
            for (const double part : parts)
                *out++ = part;
    for (const Bounces& side : prepared.bounces)
        put(side.mean);
    for (const Bounces& side : prepared.bounces)
        put(side.same_side);
    put(prepared.bounces_through);
    for (const double number : {prepared.diffuse[0], prepared.diffuse[1], prepared.through, prepared.trapped})
        *out++ = number;
}

} // namespace

double* write_look(const FabricLook& look, double* out) {
    const auto put = [&](double number) { *out++ = number; };
    const auto put_all = [&](const auto& numbers) {
        for (const auto number : numbers)
            put(static_cast<double>(number));
    };
    put(static_cast<double>(look.construction));
    put_all(look.weave);
    for (const double number :
         {look.yarn_width, look.yarn_curvature, look.fibre_twist, look.fibre_slope, look.fibre_curvature, look.groove})
        put(number);
    put(static_cast<double>(look.model));
    put_all(look.roughness);
    for (const Triple& colour : {look.reflectance, look.warp_colour, look.weft_colour, look.back_tint})
        put_all(colour);
    put(look.colour_variation);
    put_all(look.sheen_colour);
    put(look.sheen_roughness);
    put(look.translucency);
    put(look.openness);
    put_all(look.print_size);
    return out;
}

} // namespace selvage::web

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

SELVAGE_WEB int web_scene_count() {
    return static_cast<int>(builtin_scenes().size());
}

SELVAGE_WEB const char* web_scene_name(int index) {
    return builtin_scenes()[static_cast<std::size_t>(index)].name.c_str();
}

SELVAGE_WEB selvage_result web_scene_text(const char* name, web::Range* out) {
    return guarded([&] { return web::give_text(builtin_scenes(), "built-in scene", name, out); });
}

SELVAGE_WEB selvage_result web_fabric_text(const char* name, web::Range* out) {
    return guarded([&] { return web::give_text(builtin_fabrics(), "built-in fabric", name, out); });
}

/// The look of a fabric, by built-in name or file, and what the shader needs of it: numbers of the look, then the variances of
/// slopes (4), furnaces (16 of the front, 16 of the back, 4 numbers each), albedos of the sheen (16), and of bounces what is
/// missing (as furnaces), its means (6), its scales on the same side (6) and through (3), and numbers of the passage (4).
SELVAGE_WEB selvage_result web_prepare_look(const char* fabric, double* out, const char** print) {
    return guarded([&]() -> selvage_result {
        static std::string print_text;
        const Result<Fabric> found = load_fabric(fabric);
        if (!found) return fail(found.error());
        const PreparedLook prepared = prepare_look(found->look);
        out = web::write_look(prepared.look, out);
        for (const Vec2& variance : prepared.slope_variance)
            *out++ = variance.x, *out++ = variance.y;
        for (const auto& side : prepared.furnace)
            for (const FurnaceParts& parts : side)
                for (const double number : {parts.warp, parts.weft, parts.specular_scale, parts.specular_bias})
                    *out++ = number;
        for (const double albedo : prepared.sheen)
            *out++ = albedo;
        web::write_bounces(prepared, out);
        print_text = prepared.look.print;
        *print = print_text.c_str();
        return SELVAGE_OK;
    });
}
