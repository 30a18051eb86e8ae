#include "render/shading/microfacet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "directions.h"
#include "render/shading/sheen.h"

namespace selvage {
namespace {

using Distribution = std::function<double(const Vec3&)>;

/// Both distributions, round and stretched.
std::vector<std::pair<std::string, Distribution>> distributions() {
    std::vector<std::pair<std::string, Distribution>> all;
    for (const auto& [u, v] : {std::pair{0.3, 0.3}, {0.15, 0.5}, {0.6, 0.2}})
        all.emplace_back("ward", [u, v](const Vec3& h) { return ward_distribution(h, u, v); });
    for (const auto& [u, v] : {std::pair{20.0, 20.0}, {50.0, 5.0}, {10.0, 400.0}})
        all.emplace_back("ashikhmin", [u, v](const Vec3& h) { return ashikhmin_distribution(h, u, v); });
    return all;
}

TEST(Distributions, CoverTheirGroundOnce) {
    // A distribution of facets' normals covers the surface it stands for exactly once: integral of D cos is 1.
    for (const auto& [name, d] : distributions()) {
        SCOPED_TRACE(name);
        EXPECT_NEAR(integrate_directions([&](const Vec3& h) { return d(h) * h.z; }, 400, 180), 1.0, 1e-3);
    }
}

TEST(Distributions, KeepTheirIntegralWhenRotatedToAPerturbedNormal) {
    for (const Vec3& n : {direction(20, 30), direction(50, 200), direction(65, 80)}) {
        const ShadingFrame frame = frame_of_normal(n);
        for (const auto& [name, d] : distributions()) {
            SCOPED_TRACE(name);
            // The rotated hemisphere reaches below the horizon, so the quadrature runs over the whole sphere.
            const double integral = integrate_directions(
                [&](const Vec3& h) {
                    const Vec3 local = frame.to_local(h);
                    return local.z > 0 ? d(local) * local.z : 0.0;
                },
                600, 360, 180.0);
            EXPECT_NEAR(integral, 1.0, 1e-3);
        }
    }
}

TEST(Distributions, DensityOfHalfVectorsIntegratesToOneWithoutTheCosine) {
    EXPECT_NEAR(integrate_directions([](const Vec3& h) { return ashikhmin_half_density(h, 50, 5); }, 400, 180), 1.0,
                1e-3);
}

TEST(ShadingFrame, IsOrthonormalAndReducesToThePublishedOneForSmallTilts) {
    for (const Vec3& n : {direction(0), direction(35, 10), direction(70, 250)}) {
        const ShadingFrame f = frame_of_normal(n);
        EXPECT_NEAR(dot(f.u, f.v), 0, 1e-15);
        EXPECT_NEAR(dot(f.u, f.w), 0, 1e-15);
        EXPECT_NEAR(length(f.u), 1, 1e-15);
        EXPECT_NEAR(length(f.v), 1, 1e-15);
        EXPECT_NEAR(dot(cross(f.u, f.v), f.w), 1, 1e-15);
        // Kang and Cho 2012, eq. 17, up to the lengths that the print leaves out.
        const Vec3 printed_u{n.z, 0, -n.x}, printed_v{-n.x * n.y, 1 - n.y * n.y, -n.y * n.z};
        EXPECT_NEAR(length(cross(f.u, printed_u)), 0, 1e-15);
        EXPECT_NEAR(length(cross(f.v, printed_v)), 0, 1e-15);
        EXPECT_GT(dot(f.v, printed_v), 0);
    }
}

using Brdf = std::function<double(const Vec3&, const Vec3&)>;

struct FurnaceCase {
    std::string name;
    Brdf brdf;
    std::array<double, 5> albedo; ///< At 0, 30, 60, 75 and 85 degrees, turned to phi = 0.
};

std::vector<FurnaceCase> furnace_cases() {
    const auto ward = [](double u, double v) {
        return [u, v](const Vec3& a, const Vec3& b) { return ward_specular(a, b, u, v); };
    };
    const auto ashikhmin = [](double u, double v) {
        return [u, v](const Vec3& a, const Vec3& b) { return ashikhmin_specular(a, b, u, v); };
    };
    const auto charlie = [](double r) {
        return [r](const Vec3& a, const Vec3& b) { return charlie_sheen(a.z, b.z, normalized(a + b).z, r); };
    };
    // Found by an independent program (quadrature of 1200 x 720 points, F = 1), given to three digits.
    return {{"ward 0.3", ward(0.3, 0.3), {0.910, 0.893, 0.819, 0.778, 0.814}},
            {"ashikhmin 50/5", ashikhmin(50, 5), {0.709, 0.697, 0.638, 0.575, 0.524}},
            {"ashikhmin 20/20", ashikhmin(20, 20), {0.826, 0.802, 0.685, 0.598, 0.533}},
            {"charlie 0.3", charlie(0.3), {0.039, 0.073, 0.211, 0.381, 0.608}},
            {"charlie 0.5", charlie(0.5), {0.087, 0.129, 0.281, 0.455, 0.678}},
            {"charlie 1", charlie(1.0), {0.164, 0.205, 0.356, 0.526, 0.744}}};
}

TEST(Brdfs, ReturnTheKnownSharesOfAWhiteFurnaceAndNeverMore) {
    constexpr std::array<double, 5> kAngles{0, 30, 60, 75, 85};
    for (const FurnaceCase& c : furnace_cases())
        for (std::size_t k = 0; k < kAngles.size(); ++k) {
            SCOPED_TRACE(c.name + " at " + std::to_string(kAngles[k]));
            const Vec3 view = direction(kAngles[k]);
            const double albedo = integrate_directions([&](const Vec3& l) { return c.brdf(view, l) * l.z; }, 300, 240);
            // Half a percent, and half of the table's last digit.
            EXPECT_NEAR(albedo, c.albedo[k], 0.005 * c.albedo[k] + 0.0005);
            EXPECT_LE(albedo, 1.0);
        }
}

TEST(Brdfs, SendBackNoMoreThanTheyGetAtAnyRoughnessAndAngle) {
    for (const double angle : {0.0, 40.0, 70.0, 89.0})
        for (const double turn : {0.0, 50.0, 90.0}) {
            const Vec3 view = direction(angle, turn);
            for (const auto& [u, v] : {std::pair{0.1, 0.1}, {0.1, 1.0}, {1.0, 0.3}, {1.0, 1.0}}) {
                const auto albedo = [&](auto&& brdf) {
                    return integrate_directions([&](const Vec3& l) { return brdf(view, l) * l.z; }, 200, 240);
                };
                EXPECT_LE(albedo([&](const Vec3& a, const Vec3& b) { return ward_specular(a, b, u, v); }), 1.001);
                EXPECT_LE(albedo([&](const Vec3& a, const Vec3& b) {
                              return ashikhmin_specular(a, b, 2 / (u * u), 2 / (v * v));
                          }),
                          1.001);
            }
        }
}

TEST(Brdfs, LayersOfSpecularAndDiffuseConserveEnergy) {
    for (const double reflectance : {0.04, 0.5})
        for (const double angle : {0.0, 30.0, 60.0, 75.0, 85.0}) {
            const Vec3 view = direction(angle);
            const double albedo = integrate_directions(
                [&](const Vec3& l) {
                    const double f = schlick_fresnel(reflectance, dot(view, normalized(view + l)));
                    return l.z * (f * ashikhmin_specular(view, l, 50, 5) + layered_diffuse(view.z, l.z, reflectance));
                },
                200, 180);
            EXPECT_LE(albedo, 1.0) << reflectance << " at " << angle;
            EXPECT_GT(albedo, 0.3); // and it is not black
        }
    // At normal incidence the diffuse part's own albedo has a closed form: with x = 1 - z/2 the integral of z x^5 over the
    // cosine z is that of 4 (1 - x) x^5 over x from 1/2 to 1.
    const double mean = integrate_directions([](const Vec3& l) { return l.z * layered_diffuse(1, l.z, 0); }, 400, 8);
    const double by_parts = 2 * (0.5 - (4.0 / 6 * (1 - 1.0 / 64) - 4.0 / 7 * (1 - 1.0 / 128)));
    EXPECT_NEAR(mean, 28.0 / 23 * (31.0 / 32) * by_parts, 1e-5);
}

TEST(Brdfs, AreReciprocal) {
    std::mt19937 random(3);
    for (int k = 0; k < 10000; ++k) {
        const Vec3 a = random_direction(random), b = random_direction(random);
        for (const FurnaceCase& c : furnace_cases()) {
            const double f = c.brdf(a, b);
            ASSERT_NEAR(c.brdf(b, a), f, 1e-6 * std::abs(f)) << c.name;
        }
        const double d = layered_diffuse(a.z, b.z, 0.04);
        ASSERT_NEAR(layered_diffuse(b.z, a.z, 0.04), d, 1e-6 * d);
    }
}

TEST(Fresnel, RunsFromTheReflectanceToOne) {
    EXPECT_DOUBLE_EQ(schlick_fresnel(0.04, 1.0), 0.04);
    EXPECT_DOUBLE_EQ(schlick_fresnel(0.04, 0.0), 1.0);
    EXPECT_NEAR(schlick_fresnel(0.04, 0.5), 0.04 + 0.96 / 32, 1e-15); // (1 - 1/2)^5 = 1/32
}

TEST(Sheen, AlbedoTableAgreesWithAFinerQuadrature) {
    for (const double roughness : {0.3, 1.0})
        for (const double angle : {0.0, 60.0, 80.0}) {
            const Vec3 view = direction(angle);
            const double fine = integrate_directions(
                [&](const Vec3& l) { return l.z * charlie_sheen(view.z, l.z, normalized(view + l).z, roughness); }, 500,
                240);
            EXPECT_NEAR(charlie_albedo(view.z, roughness), fine, 0.005 * fine + 1e-4);
        }
}

} // namespace
} // namespace selvage
