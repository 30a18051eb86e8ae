// Figures 3, 5 and 6: what happens to a stretched distribution when normals are perturbed. Plain normal mapping changes
// the normal alone and leaves the axes, Kang and Cho rotate the whole distribution.
#include "lab/papers/harmonic_fabric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "base/concat.h"
#include "lab/figure/canvas.h"
#include "render/shading/microfacet.h"

namespace selvage {

namespace {

constexpr double kPi = std::numbers::pi;

struct Lobe {
    bool ward = false;
    double u = 0.0, v = 0.0; ///< Ward's alphas or the exponents.
    std::string name = {};
};

/// The distribution around a perturbed normal: rotated as a whole, or by plain normal mapping, where the angle is
/// measured from the new normal and the turn still around the old one.
double perturbed_distribution(const Lobe& lobe, const Vec3& h, const Vec3& n, bool rotated) {
    Vec3 local = frame_of_normal(n).to_local(h);
    if (local.z <= 0) return 0;
    if (!rotated) {
        const double sine = std::sqrt(std::max(1 - local.z * local.z, 0.0)), flat = std::hypot(h.x, h.y);
        local = flat > 1e-9 ? Vec3{sine * h.x / flat, sine * h.y / flat, local.z} : Vec3{sine, 0, local.z};
    }
    return lobe.ward ? ward_distribution(local, lobe.u, lobe.v) : ashikhmin_distribution(local, lobe.u, lobe.v);
}

Vec3 normal_of(double x, double y) {
    return {x, y, std::sqrt(std::max(1 - x * x - y * y, 0.0))};
}

/// Black through red and yellow to white.
Colour heat(double value) {
    const auto part = [&](double from) {
        return static_cast<std::uint8_t>(std::lround(255 * std::clamp(3 * value - from, 0.0, 1.0)));
    };
    return {part(0), part(1), part(2)};
}

/// The hemisphere of half vectors from above, brightest at the distribution's own largest value on a flat surface.
Canvas distribution_disc(const Lobe& lobe, const Vec3& n, bool rotated, int side) {
    Canvas canvas(side, side, kWhite);
    const double top = perturbed_distribution(lobe, {0, 0, 1}, {0, 0, 1}, true);
    const double radius = 0.47 * canvas.fine_width();
    for (int y = 0; y < canvas.fine_height(); ++y)
        for (int x = 0; x < canvas.fine_width(); ++x) {
            const double hx = (x - 0.5 * canvas.fine_width()) / radius, hy = (0.5 * canvas.fine_height() - y) / radius;
            if (hx * hx + hy * hy >= 1) continue;
            const double d = perturbed_distribution(lobe, normal_of(hx, hy), n, rotated);
            canvas.set_fine(x, y, heat(std::pow(std::min(d / top, 1.0), 0.6)));
        }
    const double cx = 0.5 * side + 0.47 * side * n.x, cy = 0.5 * side - 0.47 * side * n.y;
    for (const double sign : {-1.0, 1.0})
        canvas.draw_line(cx - 6, cy - 6 * sign, cx + 6, cy + 6 * sign, 1.5, {60, 160, 255});
    return canvas;
}

Status save_discs(const std::filesystem::path& path, const std::array<Lobe, 2>& rows, bool rotated) {
    constexpr int kSide = 210, kMargin = 24;
    constexpr std::array<std::pair<double, double>, 5> kNormals{{{0, 0}, {0.4, 0}, {0, 0.4}, {0.4, 0.4}, {0.7, 0.3}}};
    Canvas sheet(static_cast<int>(kNormals.size()) * kSide, 2 * (kSide + kMargin));
    for (int row = 0; row < 2; ++row) {
        sheet.draw_text(8, row * (kSide + kMargin) + 7, rows[static_cast<std::size_t>(row)].name, kBlack);
        for (std::size_t k = 0; k < kNormals.size(); ++k)
            sheet.paste(distribution_disc(rows[static_cast<std::size_t>(row)],
                                          normal_of(kNormals[k].first, kNormals[k].second), rotated, kSide),
                        static_cast<int>(k) * kSide, row * (kSide + kMargin) + kMargin);
    }
    return sheet.save_png(path);
}

/// A sheet with round bumps under one light, seen from above.
Canvas bump_picture(const Lobe& lobe, bool rotated, int side) {
    Canvas canvas(side, side, kBlack);
    const Vec3 light_place{-0.5, 0.9, 1.6}, eye{0, 0, 3.0}; // the sheet is 2 wide
    for (int py = 0; py < canvas.fine_height(); ++py)
        for (int px = 0; px < canvas.fine_width(); ++px) {
            const Vec3 p{2.0 * px / canvas.fine_width() - 1, 1 - 2.0 * py / canvas.fine_height(), 0};
            constexpr double kBumps = 5; // per side
            const auto offset = [](double x) {
                const double cell = 0.5 * kBumps * (x + 1);
                return 2 * (cell - std::floor(cell)) - 1;
            };
            const double x = offset(p.x) / 0.85, y = offset(p.y) / 0.85;
            const Vec3 n = x * x + y * y < 1 ? normal_of(0.75 * x, 0.75 * y) : Vec3{0, 0, 1};
            const Vec3 l = normalized(light_place - p), v = normalized(eye - p), h = normalized(l + v);
            const double nl = dot(n, l), nv = dot(n, v), vh = dot(v, h);
            double radiance = 0;
            if (nl > 0 && nv > 0) {
                const double d = perturbed_distribution(lobe, h, n, rotated);
                const double f = lobe.ward ? d / (4 * vh * vh) : d / (4 * vh * std::max(nl, nv));
                radiance = 0.45 * f * nl + 0.10 * nl;
            }
            const auto level = [&](double tint) {
                return static_cast<std::uint8_t>(
                    std::lround(255 * std::pow(std::clamp(tint * radiance, 0.0, 1.0), 1 / 2.2)));
            };
            canvas.set_fine(px, py, {level(1.0), level(0.93), level(0.82)});
        }
    return canvas;
}

/// Moments of a distribution around a perturbed normal, by quadrature over the sphere.
struct LobeMeasure {
    double integral = 0.0;   ///< Of D cos; 1 when it covers its ground once.
    double turned_deg = 0.0; ///< Of the mean half vector off the normal.
    double stretch = 0.0;    ///< Widest over narrowest: root of the ratio of variances around the mean.
};

LobeMeasure measure(const Lobe& lobe, const Vec3& n, bool rotated) {
    constexpr int kRings = 500, kSpokes = 360;
    const ShadingFrame frame = frame_of_normal(n);
    LobeMeasure out;
    Vec3 mean;
    double weight = 0, xx = 0, xy = 0, yy = 0, x1 = 0, y1 = 0;
    for (int i = 0; i < kRings; ++i) {
        const double t = 0.5 * kPi * (i + 0.5) / kRings;
        for (int k = 0; k < kSpokes; ++k) {
            const double p = 2 * kPi * (k + 0.5) / kSpokes;
            const double x = std::sin(t) * std::cos(p), y = std::sin(t) * std::sin(p), z = std::cos(t);
            const Vec3 h = frame.u * x + frame.v * y + frame.w * z;
            const double part = perturbed_distribution(lobe, h, n, rotated) * z * std::sin(t) * (0.5 * kPi / kRings) *
                                (2 * kPi / kSpokes);
            out.integral += part;
            mean += h * part;
            weight += part;
            x1 += part * x, y1 += part * y;
            xx += part * x * x, xy += part * x * y, yy += part * y * y;
        }
    }
    x1 /= weight, y1 /= weight;
    xx = xx / weight - x1 * x1, xy = xy / weight - x1 * y1, yy = yy / weight - y1 * y1;
    const double half = 0.5 * (xx + yy), root = std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
    out.turned_deg = std::acos(std::clamp(dot(normalized(mean), n), -1.0, 1.0)) * 180 / kPi;
    out.stretch = std::sqrt((half + root) / (half - root));
    return out;
}

const std::array<Lobe, 2> kStretched{
    {{true, 0.1, 0.4, "Ward, alpha 0.1 and 0.4"}, {false, 200, 12.5, "Ashikhmin, exponents 200 and 12.5"}}};

} // namespace

Status FabricFigures::distributions(std::string& text) {
    text += "## Figs. 3 and 5: distributions around perturbed normals\n\nHalf vectors from above; the cross is the "
            "perturbed normal. Fig. 3 changes the normal alone, in Ashikhmin and Shirley's distribution: right for a "
            "round lobe above, wrong for a stretched one below.\n\n![Fig. 3](fig3.png)\n\nFig. 5 rotates the "
            "distribution: Ashikhmin above, Ward below.\n\n![Fig. 5](fig5.png)\n\n";
    if (Status ok = save_discs(folder_ / "fig3.png",
                               {{{false, 50, 50, "Ashikhmin 50, 50, normal mapping"},
                                 {false, 200, 12.5, "Ashikhmin 200, 12.5, normal mapping"}}},
                               false);
        !ok)
        return ok;
    return save_discs(
        folder_ / "fig5.png",
        {{{false, 200, 12.5, "Ashikhmin 200, 12.5, rotated"}, {true, 0.1, 0.4, "Ward 0.1, 0.4, rotated"}}}, true);
}

Status FabricFigures::bumps(std::string& text) {
    text += "## Fig. 6: plain normal mapping against rotation\n\nThe same bumps under one light: the normal alone "
            "changed (left), the distribution rotated (right); Ward above, Ashikhmin below.\n\n![Fig. 6](fig6.png)\n\n"
            "In numbers, by quadrature: the integral of D cos, how far the lobe's mean lies off the normal it should "
            "stand on, and its stretch (root of the ratio of its variances), for normals tilted along the diagonal. A "
            "rotation changes none of them.\n\n";
    constexpr int kSide = 420, kMargin = 24;
    Canvas sheet(2 * kSide, 2 * (kSide + kMargin));
    for (int row = 0; row < 2; ++row)
        for (int column = 0; column < 2; ++column) {
            const Lobe& lobe = kStretched[static_cast<std::size_t>(row)];
            const int top = row * (kSide + kMargin);
            sheet.draw_text(column * kSide + 8, top + 7,
                            concat(lobe.ward ? "Ward" : "Ashikhmin", column == 1 ? ", rotated" : ", normal mapping"),
                            kBlack);
            sheet.paste(bump_picture(lobe, column == 1, kSide), column * kSide, top + kMargin);
        }
    return sheet.save_png(folder_ / "fig6.png");
}

Table FabricFigures::measure_rotation() {
    Table table{{"model", "tilt [deg]", "integral, mapped", "integral, rotated", "off normal [deg], mapped",
                 "off normal [deg], rotated", "stretch, mapped", "stretch, rotated"},
                {}};
    for (const Lobe& lobe : kStretched)
        for (const double tilt : {0.0, 15.0, 30.0, 45.0, 60.0}) {
            const double s = std::sin(tilt * kPi / 180) * std::sqrt(0.5);
            const LobeMeasure mapped = measure(lobe, normal_of(s, s), false),
                              turned = measure(lobe, normal_of(s, s), true);
            table.rows.push_back({lobe.ward ? "Ward" : "Ashikhmin", brief(tilt), fixed(mapped.integral, 4),
                                  fixed(turned.integral, 4), fixed(mapped.turned_deg, 1), fixed(turned.turned_deg, 1),
                                  fixed(mapped.stretch, 2), fixed(turned.stretch, 2)});
        }
    return table;
}

} // namespace selvage
