#include "render/fabric_uniforms.h"

#include "base/concat.h"

namespace selvage {

namespace {
Vec3f vector_of(const Triple& t) {
    return Vec3f(Vec3{t[0], t[1], t[2]});
}

void set_bounces(GlProgram& program, const PreparedLook& prepared) {
    for (std::size_t side = 0; side < 2; ++side) {
        const Bounces& bounces = prepared.bounces[side];
        for (std::size_t i = 0; i < kFurnaceSteps; ++i) {
            std::array<float, 4> row;
            for (std::size_t k = 0; k < row.size(); ++k)
                row[k] = static_cast<float>(bounces.missing[i][k]);
            program.set(concat("u_fabric.missing[", side * kFurnaceSteps + i, "]").c_str(), row);
        }
        program.set(concat("u_fabric.missing_mean[", side, "]").c_str(), Vec3f(bounces.mean));
        program.set(concat("u_fabric.bounces[", side, "]").c_str(), Vec3f(bounces.same_side));
    }
    program.set("u_fabric.bounces_through", Vec3f(prepared.bounces_through));
    const std::array<float, 4> passage{static_cast<float>(prepared.diffuse[0]), static_cast<float>(prepared.diffuse[1]),
                                       static_cast<float>(prepared.through), static_cast<float>(prepared.trapped)};
    program.set("u_fabric.passage", passage);
}
} // namespace

void set_fabric(GlProgram& program, const PreparedLook& prepared) {
    const FabricLook& look = prepared.look;
    const auto number = [&](const char* name, double value) { program.set(name, static_cast<float>(value)); };
    program.set("u_fabric.construction", static_cast<int>(look.construction));
    program.set("u_fabric.weave", Vec3f(static_cast<float>(look.weave[0]), static_cast<float>(look.weave[1]),
                                        static_cast<float>(look.weave[2])));
    number("u_fabric.yarn_width", look.yarn_width);
    number("u_fabric.yarn_curvature", look.yarn_curvature);
    program.set("u_fabric.fibre", Vec3f(Vec3{look.fibre_twist, look.fibre_slope, look.fibre_curvature}));
    number("u_fabric.groove", look.groove);
    program.set("u_fabric.model", static_cast<int>(look.model));
    program.set("u_fabric.roughness", static_cast<float>(look.roughness[0]), static_cast<float>(look.roughness[1]));
    program.set("u_fabric.reflectance", vector_of(look.reflectance));
    program.set("u_fabric.warp_colour", vector_of(look.warp_colour));
    program.set("u_fabric.weft_colour", vector_of(look.weft_colour));
    program.set("u_fabric.back_tint", vector_of(look.back_tint));
    number("u_fabric.colour_variation", look.colour_variation);
    program.set("u_fabric.sheen_colour", vector_of(look.sheen_colour));
    number("u_fabric.sheen_roughness", look.sheen_roughness);
    number("u_fabric.translucency", look.translucency);
    number("u_fabric.openness", look.openness);
    for (int side = 0; side < 2; ++side) {
        const Vec2& variance = prepared.slope_variance[static_cast<std::size_t>(side)];
        program.set(concat("u_fabric.slope_variance[", side, "]").c_str(), static_cast<float>(variance.x),
                    static_cast<float>(variance.y));
        for (int i = 0; i < kFurnaceSteps; ++i) {
            const FurnaceParts& parts = prepared.furnace[static_cast<std::size_t>(side)][static_cast<std::size_t>(i)];
            const std::array<float, 4> row{static_cast<float>(parts.warp), static_cast<float>(parts.weft),
                                           static_cast<float>(parts.specular_scale),
                                           static_cast<float>(parts.specular_bias)};
            program.set(concat("u_fabric.furnace[", side * kFurnaceSteps + i, "]").c_str(), row);
        }
    }
    set_bounces(program, prepared);
    for (int i = 0; i < kFurnaceSteps; ++i)
        number(concat("u_fabric.sheen_albedo[", i, "]").c_str(), prepared.sheen[static_cast<std::size_t>(i)]);
}

} // namespace selvage
