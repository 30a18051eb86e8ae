// Light on a weave; src/render/shading/fabric_shading.cpp is the twin under test and says why.
#include "brdf.glsl"
#include "weave.glsl"

// One pixel of cloth, made once for all lights. Directions below are unit vectors in tangent space: u, v, and the
// normal of the front; a view with negative z sees the back.
struct FabricSite {
    WeavePixel weave;
    vec3 print; // colour printed on the front; white: none
    vec3 view;  // turned to positive z
    float seen; // area that all facets present to it
};

float presented_area(bool back, vec3 direction) {
    vec2 variance = back ? u_fabric.slope_variance[1] : u_fabric.slope_variance[0];
    return 0.5 * (direction.z + sqrt(direction.z * direction.z + dot(variance, direction.xy * direction.xy)));
}

FabricSite fabric_site(vec2 uv, vec2 footprint, vec3 print, vec3 view) {
    FabricSite site;
    site.weave = weave_pixel(uv, footprint, view.z < 0.0);
    site.print = print;
    site.view = vec3(view.xy, max(abs(view.z), 1e-4));
    site.seen = presented_area(site.weave.back, site.view);
    return site;
}

// Of a facet with these components of its normal: cosines of view and light, area.
vec3 facet_at(vec2 n, vec3 view, vec3 light) {
    float z = sqrt(max(1.0 - dot(n, n), 0.04));
    return vec3(dot(n, view.xy) + z * view.z, dot(n, light.xy) + z * light.z, 1.0 / z);
}

float facet_product(vec3 facet) { return facet.x > 0.0 && facet.y > 0.0 ? facet.x * facet.y * facet.z : 0.0; }

float specular_part(WeaveLobe lobe, vec3 view, vec3 light, vec3 h) {
    vec2 square = u_fabric.roughness * u_fabric.roughness;
    vec2 fibre = u_fabric.model == 1 ? 0.5 * square : square / (2.0 + 3.0 * square);
    if (!lobe.warp) fibre = fibre.yx;
    vec2 spread = lobe.variance / (1.0 - lobe.normal * lobe.normal), variance = fibre + spread;
    vec2 middle = lobe.normal + spread / variance * (h.xy - lobe.normal), offset = sqrt(fibre / variance * lobe.variance);
    if (lobe.half_of_fibre != 0) offset.y = -offset.y;
    vec3 a = facet_at(middle - offset, view, light), b = facet_at(middle + offset, view, light);
    vec3 n = vec3(lobe.normal, sqrt(1.0 - dot(lobe.normal, lobe.normal)));
    vec3 local = h * frame_of_normal(n); // by the transpose
    float view_dot_h = dot(view, h);
    if (u_fabric.model == 1)
        return 0.5 * (facet_product(a) + facet_product(b)) * ward_distribution(local, sqrt(2.0 * variance)) /
               (4.0 * view_dot_h * view_dot_h);
    return 0.5 * (facet_product(a) / max(max(a.x, a.y), 1e-6) + facet_product(b) / max(max(b.x, b.y), 1e-6)) *
           ashikhmin_half_density(local, max(1.0 / variance - 3.0, 0.0)) / (4.0 * view_dot_h);
}

float diffuse_part(WeaveLobe lobe, vec3 view, vec3 light) {
    float lean = lobe.half_of_fibre == 0 ? 1.0 : -1.0, contrast = lobe.warp ? lean * lobe.contrast : lobe.contrast;
    vec2 offset = sqrt(lobe.variance) * vec2(1.0, lean);
    vec3 a = facet_at(lobe.normal - offset, view, light), b = facet_at(lobe.normal + offset, view, light);
    return 0.5 * ((1.0 - contrast) * facet_product(a) * layered_diffuse(a.x, a.y) +
                  (1.0 + contrast) * facet_product(b) * layered_diffuse(b.x, b.y));
}

vec3 yarn_colour(FabricSite site, WeaveLobe lobe) {
    vec3 colour = (lobe.warp ? u_fabric.warp_colour : u_fabric.weft_colour) * lobe.brightness;
    return min(colour * (site.weave.back ? u_fabric.back_tint : site.print), vec3(1.0));
}

float sheen_albedo(float cosine) {
    float x = clamp(cosine, 0.0, 1.0) * float(kFurnaceSteps - 1);
    int low = min(int(x), kFurnaceSteps - 2);
    return mix(u_fabric.sheen_albedo[low], u_fabric.sheen_albedo[low + 1], x - float(low));
}

// Colour of light that has passed both yarns: the same from either side.
vec3 passage_colour(FabricSite site) {
    vec3 warp = min(u_fabric.warp_colour * site.weave.brightness.x, vec3(1.0));
    vec3 weft = min(u_fabric.weft_colour * site.weave.brightness.y, vec3(1.0));
    return min(sqrt(warp * weft * site.print * u_fabric.back_tint) * passage_groove(site.weave), vec3(1.0));
}

// What one reflection lacks of all the light at a cosine: level, times reflectance, changes with the turn.
vec4 missing_parts(bool back, float cosine) {
    float x = clamp(cosine, 0.0, 1.0) * float(kFurnaceSteps - 1);
    int low = min(int(x), kFurnaceSteps - 2), side = back ? kFurnaceSteps : 0;
    return mix(u_fabric.missing[side + low], u_fabric.missing[side + low + 1], x - float(low));
}

vec3 missing_at(bool back, vec3 direction) {
    vec4 part = missing_parts(back, direction.z);
    vec2 square = direction.xy * direction.xy;
    float twice = (square.x - square.y) / max(square.x + square.y, 1e-6);
    float level = part.x + part.z * twice + part.w * (2.0 * twice * twice - 1.0);
    return max(level - u_fabric.reflectance * part.y, vec3(0.0));
}

vec3 bounce_tint(bool back, vec3 colour) {
    vec3 facet = u_fabric.reflectance + (1.0 - u_fabric.reflectance) * colour;
    vec3 missing = back ? u_fabric.missing_mean[1] : u_fabric.missing_mean[0];
    float trapped = u_fabric.passage.w;
    return clamp((facet * (1.0 - trapped) / (1.0 - facet * trapped) - facet * (1.0 - missing)) / max(missing, vec3(1e-4)),
                 vec3(0.0), vec3(1.0));
}

float diffuse_albedo(bool back, float cosine) {
    float x = clamp(cosine, 0.0, 1.0) * float(kFurnaceSteps - 1);
    int low = min(int(x), kFurnaceSteps - 2), side = back ? kFurnaceSteps : 0;
    vec2 parts = mix(u_fabric.furnace[side + low].xy, u_fabric.furnace[side + low + 1].xy, x - float(low));
    return parts.x + parts.y;
}

// Light from the other side of the cloth, from the direction whose mirror image `lit` is.
vec3 light_through(FabricSite site, vec3 lit) {
    bool back = site.weave.back;
    if (u_fabric.translucency <= 0.0) return vec3(0.0);
    vec3 colour = passage_colour(site);
    float diffuse = u_fabric.passage.z * diffuse_albedo(back, site.view.z) * diffuse_albedo(!back, lit.z);
    vec3 bounced = missing_at(back, site.view) * missing_at(!back, lit) * u_fabric.bounces_through;
    return ((1.0 - u_fabric.reflectance) * colour * diffuse + bounced * bounce_tint(false, colour)) * (lit.z / kPi);
}

float largest_part(vec3 c) { return max(c.x, max(c.y, c.z)); }

// Radiance towards the view under a light that gives irradiance 1 to a plane facing it.
vec3 fabric_light(FabricSite site, vec3 light) {
    if (site.weave.back) light.z = -light.z;
    if (light.z == 0.0) return vec3(0.0);
    vec3 lit = vec3(light.xy, abs(light.z));
    if (light.z < 0.0) return light_through(site, lit);
    vec3 h = normalize(site.view + lit);
    vec3 mirrored = mix(u_fabric.reflectance, vec3(1.0), schlick_weight(dot(site.view, h)));
    vec3 sum = vec3(0.0), tint = vec3(0.0);
    int last = last_lobe(site.weave);
    for (int k = first_lobe(site.weave); k < last; ++k) {
        WeaveLobe lobe = weave_lobe(site.weave, k);
        if (lobe.weight <= 0.0) continue;
        vec3 colour = yarn_colour(site, lobe);
        sum += lobe.weight * (colour * (1.0 - u_fabric.reflectance) *
                                  ((1.0 - u_fabric.translucency) * diffuse_part(lobe, site.view, lit)) +
                              mirrored * specular_part(lobe, site.view, lit, h));
        tint += lobe.weight * bounce_tint(site.weave.back, colour);
    }
    sum *= lit.z / (presented_area(site.weave.back, lit) * site.seen);
    float sheen = largest_part(u_fabric.sheen_colour);
    if (sheen > 0.0) {
        sum *= 1.0 - sheen * max(sheen_albedo(site.view.z), sheen_albedo(lit.z));
        sum += u_fabric.sheen_colour * lit.z * charlie_sheen(site.view.z, lit.z, h.z, u_fabric.sheen_roughness);
    }
    bool back = site.weave.back;
    vec3 bounced = missing_at(back, site.view) * missing_at(back, lit) * (back ? u_fabric.bounces[1] : u_fabric.bounces[0]);
    return sum + bounced * tint * (lit.z / kPi);
}

// Mirrors that stand for the weave under image-based light. The caller looks up what each shows: reflect the view at
// its normal, blur by its roughness (Ward's alpha), add by its weight.
struct FabricMirror {
    vec3 normal; // tangent space, on the side of the view: negative z for the back
    float roughness;
    float weight;
};
const int kFabricMirrors = 4;

// All that image-based light needs of the lobes, in one loop over them.
struct FabricSurroundings {
    vec3 diffuse;      // radiance per irradiance on the side of the view,
    vec3 through;      // and on the other side
    float weight[2];   // of warp and weft
    vec4 moments[2];   // mean along and across; mean squares along and across
};

FabricSurroundings fabric_surroundings(FabricSite site) {
    FabricSurroundings sums;
    float x = clamp(site.view.z, 0.0, 1.0) * float(kFurnaceSteps - 1);
    int low = min(int(x), kFurnaceSteps - 2), side = site.weave.back ? kFurnaceSteps : 0;
    vec2 table = mix(u_fabric.furnace[side + low].xy, u_fabric.furnace[side + low + 1].xy, x - float(low));
    float warp = site.weave.back ? 1.0 - warp_fraction() : warp_fraction();
    table = vec2(warp > 0.0 ? table.x / warp : 0.0, warp < 1.0 ? table.y / (1.0 - warp) : 0.0);
    sums.diffuse = sums.through = vec3(0.0);
    vec3 tint = vec3(0.0);
    for (int kind = 0; kind < 2; ++kind) {
        sums.weight[kind] = 0.0;
        sums.moments[kind] = vec4(0.0);
    }
    WeavePixel pixel = site.weave;
    pixel.across_parts = pixel.fibre_parts = 1; // for means, yarns need not be cut
    int last = last_lobe(pixel);
    for (int k = first_lobe(pixel); k < last; ++k) {
        WeaveLobe lobe = weave_lobe(pixel, k);
        if (lobe.weight <= 0.0) continue;
        vec3 colour = yarn_colour(site, lobe);
        sums.diffuse += colour * (lobe.weight * (lobe.warp ? table.x : table.y));
        tint += lobe.weight * bounce_tint(site.weave.back, colour);
        vec2 mean = lobe.warp ? lobe.normal : lobe.normal.yx;
        vec2 square = mean * mean + (lobe.warp ? lobe.variance : lobe.variance.yx);
        int kind = lobe.warp ? 0 : 1;
        sums.weight[kind] += lobe.weight;
        sums.moments[kind] += lobe.weight * vec4(mean, square);
    }
    bool back = site.weave.back;
    vec4 part = missing_parts(back, site.view.z);
    vec3 missing = max(part.x - u_fabric.reflectance * part.y, vec3(0.0)); // the tables hold means of turns
    vec3 bounces = back ? u_fabric.bounces[1] * u_fabric.missing_mean[1] : u_fabric.bounces[0] * u_fabric.missing_mean[0];
    sums.diffuse *= (1.0 - u_fabric.translucency) * (1.0 - u_fabric.reflectance) / kPi;
    sums.diffuse += missing * bounces * tint / kPi;
    if (u_fabric.translucency > 0.0) {
        vec3 colour = passage_colour(site);
        float scale = u_fabric.passage.z * (back ? u_fabric.passage.x : u_fabric.passage.y);
        sums.through = (1.0 - u_fabric.reflectance) * colour * (scale * diffuse_albedo(back, site.view.z) / kPi) +
                       missing * (back ? u_fabric.missing_mean[0] : u_fabric.missing_mean[1]) * u_fabric.bounces_through *
                           bounce_tint(false, colour) / kPi;
    }
    return sums;
}

FabricMirror fabric_mirror(FabricSite site, FabricSurroundings sums, int k) {
    FabricMirror mirror;
    mirror.normal = vec3(0.0, 0.0, site.weave.back ? -1.0 : 1.0);
    mirror.roughness = 1.0;
    mirror.weight = 0.0;
    int kind = k / 2;
    float weight = sums.weight[kind];
    if (weight <= 0.0) return mirror;
    vec4 moments = sums.moments[kind] / weight;
    vec2 variance = max(moments.zw - moments.xy * moments.xy, vec2(0.0));
    vec2 alpha2 = u_fabric.roughness * u_fabric.roughness + 2.0 * variance; // along, across
    float spread = sqrt(0.5 * max(alpha2.y - alpha2.x, 0.0));
    vec2 n = vec2(moments.x, moments.y + (k % 2 == 0 ? -spread : spread));
    if (kind == 1) n = n.yx;
    vec3 normal = normalize(vec3(n, sqrt(max(1.0 - dot(n, n), 0.09))));
    mirror.normal = vec3(normal.xy, site.weave.back ? -normal.z : normal.z);
    mirror.roughness = sqrt(min(alpha2.x, alpha2.y));
    mirror.weight = 0.5 * weight;
    return mirror;
}

// Radiance towards the view under light from all around: irradiance on the side of the view and on the other, and
// the radiance that the mirrors show.
vec3 fabric_environment(FabricSite site, FabricSurroundings sums, vec3 irradiance_front, vec3 irradiance_back,
                        vec3 reflected) {
    float x = clamp(site.view.z, 0.0, 1.0) * float(kFurnaceSteps - 1);
    int low = min(int(x), kFurnaceSteps - 2), side = site.weave.back ? kFurnaceSteps : 0;
    vec2 table = mix(u_fabric.furnace[side + low].zw, u_fabric.furnace[side + low + 1].zw, x - float(low));
    return sums.diffuse * irradiance_front + sums.through * irradiance_back +
           (u_fabric.reflectance * table.x + table.y) * reflected +
           u_fabric.sheen_colour * irradiance_front * (sheen_albedo(site.view.z) / kPi);
}

// Fraction of a pixel that the yarns hide along the view.
float fabric_opacity(vec3 view) { return 1.0 - pow(u_fabric.openness, 1.0 / max(abs(view.z), 0.05)); }
