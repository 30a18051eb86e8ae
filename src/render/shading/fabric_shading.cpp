// Light on a weave. The weave under a pixel is a set of lobes k: facets with normal n_k and fraction p_k, each with the
// same BRDF f in its own frame (distribution rotated to the normal, Kang and Cho 2012, eqs. 14-19). Facets show and
// catch light by their projected areas, over the area A that all facets together present:
//     f(v, l) = sum_k p_k / n_kz  f_k(v, l) (n_k.v)+ (n_k.l)+ / (A(v) A(l)),   A(v) >= E[(v_z + slope . v_xy)+].
// For A stands Scarf's bound (v_z + sqrt(v_z^2 + var(slope . v_xy))) / 2 on the positive part of a random number with
// given mean and variance: no weave presents more, so the sum is reciprocal and sends back no more than it gets.
//
// What it lacks of all the light for white yarns, M(v), bounces between yarns. It leaves by c M(v) M(l) / pi (Kelemen and
// Szirmay-Kalos 2001), with c such that nothing is lost, tinted so that the albedo of the whole is that of facets that
// send a fraction of their light to one another. Light through the cloth has forgotten where it came from: it leaves by
// the product of what both sides let in, the same for either direction.
#include "render/shading/fabric_shading.h"

#include <algorithm>
#include <cmath>

#include "math/pi.h"
#include "render/shading/microfacet.h"
#include "render/shading/sheen.h"

namespace selvage {

namespace {
constexpr double kSmallestZ = 0.2; // of a facet's normal: its area stays finite

Vec3 from_triple(const Triple& t) {
    return {t[0], t[1], t[2]};
}
Vec3 times(const Vec3& a, const Vec3& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
Vec3 positive(const Vec3& a) {
    return {std::max(a.x, 0.0), std::max(a.y, 0.0), std::max(a.z, 0.0)};
}
double largest(const Vec3& a) {
    return std::max({a.x, a.y, a.z});
}

double presented_area(const Vec2& slope_variance, const Vec3& direction) {
    const double spread = slope_variance.x * direction.x * direction.x + slope_variance.y * direction.y * direction.y;
    return 0.5 * (direction.z + std::sqrt(direction.z * direction.z + spread));
}

/// Cosines of a facet with the normal components x and y, and its area over that of its shadow on the cloth.
struct Facet {
    double view, light, area;

    double product() const { return view > 0 && light > 0 ? view * light * area : 0.0; }
};

Facet facet_at(double x, double y, const Vec3& view, const Vec3& light) {
    const double z = std::sqrt(std::max(1 - x * x - y * y, kSmallestZ * kSmallestZ));
    return {x * view.x + y * view.y + z * view.z, x * light.x + y * light.y + z * light.z, 1 / z};
}

/// Variance of a lobe's half vectors along an axis: of their slopes for Ward's; of their components for Ashikhmin and
/// Shirley's, which for the exponent n = 2 / alpha^2 is 1 / (n + 3).
double lobe_variance(LobeModel model, double alpha) {
    const double square = alpha * alpha;
    return model == LobeModel::ward ? 0.5 * square : square / (2 + 3 * square);
}

/// The exponent that gives half vectors this variance.
double exponent_of(double variance) {
    return std::max(1 / variance - 3, 0.0);
}

/// A lobe's distribution: its frame, the variances of the fibres' lobe along the frame's axes, and those that the
/// spread of normals adds.
struct LobeShape {
    ShadingFrame frame;
    double fibre_u, fibre_v, spread_u, spread_v;
};

LobeShape shape_of(const FabricLook& look, const WeaveLobe& lobe) {
    const double z = std::sqrt(1 - lobe.x * lobe.x - lobe.y * lobe.y);
    const double along = lobe_variance(look.model, look.roughness[0]);
    const double across = lobe_variance(look.model, look.roughness[1]);
    // A component's change by dx turns the normal by dx / sqrt(1 - x^2).
    return {frame_of_normal({lobe.x, lobe.y, z}), lobe.warp ? along : across, lobe.warp ? across : along,
            lobe.variance_x / (1 - lobe.x * lobe.x), lobe.variance_y / (1 - lobe.y * lobe.y)};
}

/// Cosines and area of the facets that mirror along h, over what the BRDF divides by besides v.h: of a lobe's normals
/// those are distributed as two Gaussians' product. What depends slowly on the normal is taken at two of them that have
/// its mean and variance.
double mirroring_facets(const FabricLook& look, const WeaveLobe& lobe, const LobeShape& shape, const Vec3& h,
                        const Vec3& view, const Vec3& light) {
    const double fraction_u = shape.spread_u / (shape.spread_u + shape.fibre_u);
    const double fraction_v = shape.spread_v / (shape.spread_v + shape.fibre_v);
    const double x = lobe.x + fraction_u * (h.x - lobe.x), y = lobe.y + fraction_v * (h.y - lobe.y);
    const double wide_x = std::sqrt((1 - fraction_u) * lobe.variance_x);
    const double wide_y = (lobe.half == 0 ? 1 : -1) * std::sqrt((1 - fraction_v) * lobe.variance_y);
    double sum = 0;
    for (const double side : {-1.0, 1.0}) {
        const Facet facet = facet_at(x + side * wide_x, y + side * wide_y, view, light);
        if (facet.view <= 0 || facet.light <= 0) continue;
        sum += 0.5 * facet.product() / (look.model == LobeModel::ward ? 1.0 : std::max(facet.view, facet.light));
    }
    return sum;
}

/// Specular BRDF for F = 1 times the facets' cosines and area.
double specular_part(const FabricLook& look, const WeaveLobe& lobe, const Vec3& view, const Vec3& light,
                     const Vec3& h) {
    const LobeShape shape = shape_of(look, lobe);
    const double facets = mirroring_facets(look, lobe, shape, h, view, light);
    const Vec3 local = shape.frame.to_local(h);
    const double variance_u = shape.fibre_u + shape.spread_u, variance_v = shape.fibre_v + shape.spread_v;
    const double view_dot_h = dot(view, h);
    if (look.model == LobeModel::ward)
        return facets * ward_distribution(local, std::sqrt(2 * variance_u), std::sqrt(2 * variance_v)) /
               (4 * view_dot_h * view_dot_h);
    return facets * ashikhmin_half_density(local, exponent_of(variance_u), exponent_of(variance_v)) / (4 * view_dot_h);
}

/// Diffuse BRDF for albedo 1 times the facets' cosines and area: two normals with the lobe's variance, tilted the
/// opposite way on the other half of the fibre so that their covariance cancels, the outer one darker as the groove has
/// it.
double diffuse_part(const WeaveLobe& lobe, const Vec3& view, const Vec3& light) {
    const double tilt = lobe.half == 0 ? 1 : -1;
    const double x = std::sqrt(lobe.variance_x), y = tilt * std::sqrt(lobe.variance_y);
    const double contrast = lobe.warp ? tilt * lobe.contrast : lobe.contrast; // across is along v on warp yarns
    double sum = 0;
    for (const double side : {-1.0, 1.0}) {
        const Facet facet = facet_at(lobe.x + side * x, lobe.y + side * y, view, light);
        sum += 0.5 * (1 + side * contrast) * facet.product() * layered_diffuse(facet.view, facet.light, 0);
    }
    return sum;
}

Vec3 yarn_colour(const FabricLook& look, const WeaveLobe& lobe, const Vec3& print, bool back) {
    Vec3 colour = from_triple(lobe.warp ? look.warp_colour : look.weft_colour) * lobe.brightness;
    colour = times(colour, back ? from_triple(look.back_tint) : print);
    return {std::min(colour.x, 1.0), std::min(colour.y, 1.0), std::min(colour.z, 1.0)};
}

Vec3 diffuse_weights(const FabricLook& look, const Vec3& colour) {
    return times(colour, Vec3{1, 1, 1} - from_triple(look.reflectance));
}

/// Radical inverse in base 2: the second coordinate of Hammersley's points.
double radical_inverse(unsigned bits) {
    double value = 0.0, step = 0.5;
    for (; bits != 0; bits >>= 1, step *= 0.5)
        value += (bits & 1u) * step;
    return value;
}

/// A half vector of the lobe's distribution (density D h.z for Ward's, the half density for Ashikhmin and Shirley's).
Vec3 sample_half(const FabricLook& look, const LobeShape& shape, double s, double t) {
    const double turn = 2 * kPi * s;
    const double variance_u = shape.fibre_u + shape.spread_u, variance_v = shape.fibre_v + shape.spread_v;
    Vec3 h;
    if (look.model == LobeModel::ward) {
        const double r = std::sqrt(-2 * std::log1p(-t));
        h = normalized(Vec3{std::sqrt(variance_u) * r * std::cos(turn), std::sqrt(variance_v) * r * std::sin(turn), 1});
    } else {
        // Shirley's map squeezes the turn to the ellipse; the quadrant stays.
        const double nu = exponent_of(variance_u), nv = exponent_of(variance_v);
        const double phi = std::atan2(std::sqrt(nu + 1) * std::sin(turn), std::sqrt(nv + 1) * std::cos(turn));
        const double c = std::cos(phi), power = nu * c * c + nv * (1 - c * c);
        const double z = std::pow(1 - t, 1 / (power + 1)), r = std::sqrt(std::max(1 - z * z, 0.0));
        h = {r * c, r * std::sin(phi), z};
    }
    return shape.frame.u * h.x + shape.frame.v * h.y + shape.frame.w * h.z;
}

/// Between which steps of a table over cosines.
struct TablePlace {
    std::size_t low;
    double fraction;
};
TablePlace table_place(double cosine) {
    const double x = std::clamp(cosine, 0.0, 1.0) * (kFurnaceSteps - 1);
    const int low = std::min(static_cast<int>(x), kFurnaceSteps - 2);
    return {static_cast<std::size_t>(low), x - low};
}

/// Fraction that the sheen above leaves to the yarns.
double below_sheen(const PreparedLook& prepared, double n_dot_view, double n_dot_light) {
    const double sheen = largest(from_triple(prepared.look.sheen_colour));
    if (sheen <= 0) return 1;
    return 1 - sheen * std::max(sheen_albedo(prepared, n_dot_view), sheen_albedo(prepared, n_dot_light));
}

/// Colour of light that has passed both yarns: the same from either side.
Vec3 passage_colour(const FabricLook& look, const FabricSite& site) {
    const WeavePassage passage = weave_passage(look, {site.uv, site.footprint});
    const Vec3 warp = from_triple(look.warp_colour) * passage.warp, weft = from_triple(look.weft_colour) * passage.weft;
    const Vec3 sides = times(site.print, from_triple(look.back_tint));
    const auto channel = [&](double a, double b, double tint) {
        return std::min(std::sqrt(std::min(a, 1.0) * std::min(b, 1.0) * tint) * passage.groove, 1.0);
    };
    return {channel(warp.x, weft.x, sides.x), channel(warp.y, weft.y, sides.y), channel(warp.z, weft.z, sides.z)};
}

/// The parts of the furnace for one direction of view above the given side, seen from afar.
FurnaceParts furnace_of(const PreparedLook& prepared, bool back, const Vec3& view) {
    const FabricLook& look = prepared.look;
    FurnaceParts parts;
    const double seen = presented_area(prepared.slope_variance[back], view);
    const auto shadow = [&](const Vec3& l) {
        return below_sheen(prepared, view.z, l.z) * l.z / (presented_area(prepared.slope_variance[back], l) * seen);
    };
    const double far = 1e3 * look.yarn_width;
    const WeaveLobes lobes = weave_lobes(look, {{0, 0}, {far, far}, back});
    for (int k = 0; k < lobes.count; ++k) {
        const WeaveLobe& lobe = lobes.lobe[static_cast<std::size_t>(k)];
        const LobeShape shape = shape_of(look, lobe);
        constexpr unsigned kSamples = 64;
        for (unsigned n = 0; n < kSamples; ++n) {
            const double s = (n + 0.5) / kSamples, t = radical_inverse(n) + 0.5 / kSamples;
            const double z = std::sqrt(t), r = std::sqrt(1 - t); // by the cosine
            const Vec3 diffuse_light{r * std::cos(2 * kPi * s), r * std::sin(2 * kPi * s), z};
            (lobe.warp ? parts.warp : parts.weft) += lobe.weight * lobe.brightness * kPi / z *
                                                     diffuse_part(lobe, view, diffuse_light) * shadow(diffuse_light) /
                                                     kSamples;

            const Vec3 h = sample_half(look, shape, s, t);
            const double view_dot_h = dot(view, h);
            const Vec3 light = h * (2 * view_dot_h) - view;
            if (view_dot_h <= 0 || light.z <= 0) continue;
            // Density of the light: that of h over 4 v.h, which the BRDF divides by too.
            const double divisor = look.model == LobeModel::ward ? view_dot_h * dot(h, shape.frame.w) : 1.0;
            const double part =
                lobe.weight * mirroring_facets(look, lobe, shape, h, view, light) / divisor * shadow(light) / kSamples;
            const double bias = schlick_fresnel(0, view_dot_h);
            parts.specular_scale += part * (1 - bias);
            parts.specular_bias += part * bias;
        }
    }
    return parts;
}

constexpr std::size_t kTurns = 4; // over a quarter: a weave looks the same from opposite sides and in its mirrors
using TurnedFurnace = std::array<std::array<FurnaceParts, kTurns>, kFurnaceSteps + 1>; // the last one at kGrazing
constexpr double kGrazing = 0.5 / (kFurnaceSteps - 1); // half the first step, where albedos change fastest

double turn_angle(std::size_t k) {
    return 0.5 * kPi * (static_cast<double>(k) + 0.5) / kTurns;
}

std::array<FurnaceParts, kTurns> furnace_at_turns(const PreparedLook& prepared, bool back, double cosine) {
    std::array<FurnaceParts, kTurns> turns;
    const double r = std::sqrt(1 - cosine * cosine);
    for (std::size_t k = 0; k < kTurns; ++k) {
        const double phi = turn_angle(k);
        turns[k] = furnace_of(prepared, back, {r * std::cos(phi), r * std::sin(phi), cosine});
    }
    return turns;
}

/// Mean over directions weighted by the cosine of a function of the cosine.
template <class F>
auto cosine_mean(F&& f) {
    constexpr int kSteps = 256;
    decltype(f(0.5)) sum{};
    for (int i = 0; i < kSteps; ++i) {
        const double z = (i + 0.5) / kSteps;
        sum += f(z) * (2 * z / kSteps);
    }
    return sum;
}

/// White yarns are brought up to this albedo: the rest is for errors of tables, so that no view sends back more than 1.
constexpr double kWhite = 0.975;

/// What white yarns lack of all the light at one cosine: see Bounces::missing.
std::array<double, 4> missing_light(const PreparedLook& prepared, bool back,
                                    const std::array<FurnaceParts, kTurns>& turns, double sheen) {
    const FabricLook& look = prepared.look;
    const double through = prepared.through * prepared.diffuse[!back];
    const double reflectance = (look.reflectance[0] + look.reflectance[1] + look.reflectance[2]) / 3;
    std::array<double, 4> part{kWhite - largest(from_triple(look.sheen_colour)) * sheen, 0, 0, 0};
    for (std::size_t k = 0; k < kTurns; ++k) {
        const double diffuse = (turns[k].warp + turns[k].weft) * (1 - look.translucency + through);
        const double level = -turns[k].specular_bias - diffuse, slope = turns[k].specular_scale - diffuse;
        part[0] += level / kTurns;
        part[1] += slope / kTurns;
        part[2] += 2 * (level - reflectance * slope) * std::cos(2 * turn_angle(k)) / kTurns;
        part[3] += 2 * (level - reflectance * slope) * std::cos(4 * turn_angle(k)) / kTurns;
    }
    return part;
}

/// For the reflectances of the fibres, `turned` against the mean of turns.
Vec3 missing_of(const PreparedLook& prepared, const std::array<double, 4>& part, double turned) {
    const double level = part[0] + turned;
    const Vec3 reflectance = from_triple(prepared.look.reflectance);
    return positive(Vec3{level, level, level} - reflectance * part[1]);
}

std::array<double, 4> missing_parts(const Bounces& side, double cosine) {
    const TablePlace at = table_place(cosine);
    std::array<double, 4> part;
    for (std::size_t k = 0; k < part.size(); ++k)
        part[k] = side.missing[at.low][k] * (1 - at.fraction) + side.missing[at.low + 1][k] * at.fraction;
    return part;
}

/// Mean over turns of what is missing at a cosine.
Vec3 mean_missing(const PreparedLook& prepared, bool back, double cosine) {
    return missing_of(prepared, missing_parts(prepared.bounces[back], cosine), 0);
}

/// Both sides send each other as much; what a side has left it keeps.
void balance_bounces(PreparedLook& prepared) {
    Bounces &front = prepared.bounces[0], &back = prepared.bounces[1];
    for (const bool side : {false, true})
        prepared.bounces[side].mean = cosine_mean([&](double z) { return mean_missing(prepared, side, z); });
    for (double Vec3::* channel : {&Vec3::x, &Vec3::y, &Vec3::z}) {
        const double a = front.mean.*channel, b = back.mean.*channel;
        if (std::min(a, b) < 1e-4) continue; // nothing is missing
        const double through = prepared.look.translucency / std::max(a, b);
        prepared.bounces_through.*channel = through;
        front.same_side.*channel = (1 - through * b) / a;
        back.same_side.*channel = (1 - through * a) / b;
    }
}

/// All that light needs that does not leave at its first reflection.
void find_bounces(PreparedLook& prepared, const std::array<TurnedFurnace, 2>& furnaces) {
    prepared.trapped = weave_trapped_fraction(prepared.look);
    for (const bool back : {false, true})
        prepared.diffuse[back] = cosine_mean([&](double z) {
            const FurnaceParts parts = furnace_at(prepared, back, z);
            return parts.warp + parts.weft;
        });
    prepared.through = prepared.look.translucency / std::max({prepared.diffuse[0], prepared.diffuse[1], 1e-4});
    for (const bool back : {false, true}) {
        Bounces& side = prepared.bounces[back];
        for (std::size_t i = 0; i < kFurnaceSteps; ++i)
            side.missing[i] = missing_light(prepared, back, furnaces[back][i], prepared.sheen[i]);
        // The first step must not bring views within it above what they lack.
        const double sheen = charlie_albedo(kGrazing, prepared.look.sheen_roughness);
        const std::array<double, 4> grazing = missing_light(prepared, back, furnaces[back][kFurnaceSteps], sheen);
        side.missing[0][0] = std::min(side.missing[0][0], 2 * grazing[0] - side.missing[1][0]);
    }
    balance_bounces(prepared);
}

/// What is missing at a direction above a side.
Vec3 missing_at(const PreparedLook& prepared, bool back, const Vec3& direction) {
    const double x2 = direction.x * direction.x, y2 = direction.y * direction.y;
    const double twice = (x2 - y2) / std::max(x2 + y2, 1e-6); // cos 2t
    const std::array<double, 4> part = missing_parts(prepared.bounces[back], direction.z);
    return missing_of(prepared, part, part[2] * twice + part[3] * (2 * twice * twice - 1));
}

/// Tint of light that bounces between yarns of a colour. Facets that send the fraction g of their light to one another
/// have the albedo k (1 - g) / (1 - k g); one reflection gives k (1 - m) of it.
Vec3 bounce_tint(const PreparedLook& prepared, bool back, const Vec3& colour) {
    const Vec3 facet = from_triple(prepared.look.reflectance) + diffuse_weights(prepared.look, colour);
    const Vec3& missing = prepared.bounces[back].mean;
    const auto channel = [g = prepared.trapped](double k, double m) {
        return std::clamp((k * (1 - g) / (1 - k * g) - k * (1 - m)) / std::max(m, 1e-4), 0.0, 1.0);
    };
    return {channel(facet.x, missing.x), channel(facet.y, missing.y), channel(facet.z, missing.z)};
}

double diffuse_albedo(const PreparedLook& prepared, bool back, double cosine) {
    const FurnaceParts parts = furnace_at(prepared, back, cosine);
    return parts.warp + parts.weft;
}

/// Light from the other side of the cloth, from the direction whose mirror image `lit` is.
Vec3 light_through(const PreparedLook& prepared, const FabricSite& site, bool back, const Vec3& view, const Vec3& lit) {
    const Vec3 colour = passage_colour(prepared.look, site);
    const double diffuse =
        prepared.through * diffuse_albedo(prepared, back, view.z) * diffuse_albedo(prepared, !back, lit.z);
    const Vec3 bounced = times(missing_at(prepared, back, view), missing_at(prepared, !back, lit));
    const Vec3 tint = bounce_tint(prepared, false, colour);
    return (diffuse_weights(prepared.look, colour) * diffuse + times(times(prepared.bounces_through, bounced), tint)) *
           (lit.z / kPi);
}

} // namespace

FurnaceParts furnace_at(const PreparedLook& prepared, bool back, double cosine) {
    const TablePlace at = table_place(cosine);
    const FurnaceParts &a = prepared.furnace[back][at.low], &b = prepared.furnace[back][at.low + 1];
    const auto mix = [t = at.fraction](double p, double q) { return p + t * (q - p); };
    return {mix(a.warp, b.warp), mix(a.weft, b.weft), mix(a.specular_scale, b.specular_scale),
            mix(a.specular_bias, b.specular_bias)};
}

double sheen_albedo(const PreparedLook& prepared, double cosine) {
    const TablePlace at = table_place(cosine);
    return prepared.sheen[at.low] + at.fraction * (prepared.sheen[at.low + 1] - prepared.sheen[at.low]);
}

PreparedLook prepare_look(const FabricLook& look) {
    PreparedLook prepared;
    prepared.look = look;
    prepared.slope_variance[0] = weave_slope_variance(look);
    FabricLook turned = look; // from the back, weft is on top where warp was
    turned.weave = {look.weave[1], look.weave[0], look.weave[2]};
    if (look.weave[0] + look.weave[1] == 0) turned.weave = {1, 0, 1};
    prepared.slope_variance[1] = weave_slope_variance(turned);
    const auto cosine = [](std::size_t i) { return std::max(static_cast<double>(i) / (kFurnaceSteps - 1), 1e-3); };
    for (std::size_t i = 0; i < kFurnaceSteps; ++i)
        prepared.sheen[i] = charlie_albedo(cosine(i), look.sheen_roughness);
    std::array<TurnedFurnace, 2> furnaces;
    for (const bool back : {false, true}) {
        for (std::size_t i = 0; i < kFurnaceSteps; ++i) {
            furnaces[back][i] = furnace_at_turns(prepared, back, cosine(i));
            FurnaceParts& mean = prepared.furnace[back][i];
            for (const FurnaceParts& parts : furnaces[back][i]) {
                mean.warp += parts.warp / kTurns;
                mean.weft += parts.weft / kTurns;
                mean.specular_scale += parts.specular_scale / kTurns;
                mean.specular_bias += parts.specular_bias / kTurns;
            }
        }
        furnaces[back][kFurnaceSteps] = furnace_at_turns(prepared, back, kGrazing);
    }
    find_bounces(prepared, furnaces);
    return prepared;
}

Vec3 fabric_radiance(const PreparedLook& prepared, const FabricSite& site, Vec3 view, Vec3 light) {
    const FabricLook& look = prepared.look;
    const bool back = view.z < 0;
    if (back) { // the same cloth from below: mirrored in its plane
        view.z = -view.z;
        light.z = -light.z;
    }
    if (view.z <= 0 || light.z == 0) return {};
    const Vec3 lit{light.x, light.y, std::abs(light.z)};
    if (light.z < 0) return light_through(prepared, site, back, view, lit);
    const WeaveLobes lobes = weave_lobes(look, {site.uv, site.footprint, back});
    const Vec2& variance = prepared.slope_variance[back];
    const Vec3 reflectance = from_triple(look.reflectance);
    const double shadow = lit.z / (presented_area(variance, lit) * presented_area(variance, view));

    const Vec3 h = normalized(view + lit);
    const Vec3 mirrored = reflectance + (Vec3{1, 1, 1} - reflectance) * schlick_fresnel(0, dot(view, h));

    Vec3 sum, tint; // a mean of tints, so that it is the same from near and from afar
    for (int k = 0; k < lobes.count; ++k) {
        const WeaveLobe& lobe = lobes.lobe[static_cast<std::size_t>(k)];
        const Vec3 colour = yarn_colour(look, lobe, site.print, back);
        const Vec3 part = diffuse_weights(look, colour) * ((1 - look.translucency) * diffuse_part(lobe, view, lit)) +
                          mirrored * specular_part(look, lobe, view, lit, h);
        sum += part * lobe.weight;
        tint += bounce_tint(prepared, back, colour) * lobe.weight;
    }
    sum *= shadow;

    const Vec3 sheen = from_triple(look.sheen_colour);
    sum *= below_sheen(prepared, view.z, lit.z);
    sum += sheen * (lit.z * charlie_sheen(view.z, lit.z, h.z, look.sheen_roughness));
    const Vec3 bounced = times(missing_at(prepared, back, view), missing_at(prepared, back, lit));
    return sum + times(times(prepared.bounces[back].same_side, bounced), tint) * (lit.z / kPi);
}

std::array<FabricMirror, kFabricMirrors> fabric_mirrors(const PreparedLook& prepared, const FabricSite& site,
                                                        bool back) {
    const FabricLook& look = prepared.look;
    const WeaveLobes lobes = weave_lobes(look, {site.uv, site.footprint, back}, true);
    std::array<FabricMirror, kFabricMirrors> mirrors;
    for (int kind = 0; kind < 2; ++kind) {
        // Moments of this kind of yarn across itself, over all its lobes.
        double weight = 0, along = 0, across = 0, square = 0, along_variance = 0;
        for (int k = 0; k < lobes.count; ++k) {
            const WeaveLobe& lobe = lobes.lobe[static_cast<std::size_t>(k)];
            if (lobe.warp != (kind == 0)) continue;
            const double a = lobe.warp ? lobe.x : lobe.y, c = lobe.warp ? lobe.y : lobe.x;
            weight += lobe.weight;
            along += lobe.weight * a;
            across += lobe.weight * c;
            square += lobe.weight * (c * c + (lobe.warp ? lobe.variance_y : lobe.variance_x));
            along_variance += lobe.weight * (a * a + (lobe.warp ? lobe.variance_x : lobe.variance_y));
        }
        if (weight <= 0) continue;
        along /= weight;
        across /= weight;
        along_variance = std::max(along_variance / weight - along * along, 0.0);
        // Two mirrors have the variance that the lobe's length adds to its width.
        const double narrow = look.roughness[0] * look.roughness[0] + 2 * along_variance;
        const double wide =
            look.roughness[1] * look.roughness[1] + 2 * std::max(square / weight - across * across, 0.0);
        const double spread = std::sqrt(0.5 * std::max(wide - narrow, 0.0));
        for (int side = 0; side < 2; ++side) {
            const double c = across + (side == 0 ? -spread : spread);
            const double x = kind == 0 ? along : c, y = kind == 0 ? c : along;
            FabricMirror& mirror = mirrors[static_cast<std::size_t>(2 * kind + side)];
            mirror.normal = normalized(Vec3{x, y, std::sqrt(std::max(1 - x * x - y * y, 0.09))});
            if (back) mirror.normal.z = -mirror.normal.z;
            mirror.roughness = std::sqrt(std::min(narrow, wide));
            mirror.weight = 0.5 * weight;
        }
    }
    return mirrors;
}

Vec3 fabric_environment(const PreparedLook& prepared, const FabricSite& site, Vec3 view,
                        const FabricSurroundings& surroundings) {
    const FabricLook& look = prepared.look;
    const bool back = view.z < 0;
    const FurnaceParts parts = furnace_at(prepared, back, std::abs(view.z));
    const WeaveLobes lobes = weave_lobes(look, {site.uv, site.footprint, back}, true);
    // The table holds what each kind of yarn gives with its fraction of the whole weave; here is another fraction.
    const double warp_on_this_side = back ? 1 - warp_fraction(look) : warp_fraction(look);
    const double warp = warp_on_this_side > 0 ? parts.warp / warp_on_this_side : 0.0;
    const double weft = warp_on_this_side < 1 ? parts.weft / (1 - warp_on_this_side) : 0.0;
    Vec3 diffuse, tint;
    for (int k = 0; k < lobes.count; ++k) {
        const WeaveLobe& lobe = lobes.lobe[static_cast<std::size_t>(k)];
        const Vec3 colour = yarn_colour(look, lobe, site.print, back);
        diffuse += diffuse_weights(look, colour) * (lobe.weight * (lobe.warp ? warp : weft) * (1 - look.translucency));
        tint += bounce_tint(prepared, back, colour) * lobe.weight;
    }
    const Bounces &here = prepared.bounces[back], &behind = prepared.bounces[!back];
    const Vec3 missing = mean_missing(prepared, back, std::abs(view.z)); // the tables hold means of turns
    diffuse += times(times(missing, here.mean), times(here.same_side, tint));
    const Vec3 colour = passage_colour(look, site);
    const Vec3 through =
        diffuse_weights(look, colour) * (prepared.through * (parts.warp + parts.weft) * prepared.diffuse[!back]) +
        times(times(missing, behind.mean), times(prepared.bounces_through, bounce_tint(prepared, false, colour)));
    const Vec3 sheen = from_triple(look.sheen_colour);
    const Vec3 mirrored = from_triple(look.reflectance) * parts.specular_scale + Vec3{1, 1, 1} * parts.specular_bias;
    const Vec3 base =
        (times(diffuse, surroundings.irradiance_front) + times(through, surroundings.irradiance_back)) / kPi +
        times(mirrored, surroundings.reflected);
    return base + times(sheen, surroundings.irradiance_front) * (sheen_albedo(prepared, std::abs(view.z)) / kPi);
}

double fabric_opacity(const FabricLook& look, double n_dot_view) {
    return 1 - std::pow(look.openness, 1 / std::max(std::abs(n_dot_view), 0.05));
}

} // namespace selvage
