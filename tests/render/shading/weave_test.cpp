#include "render/shading/weave.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace selvage {
namespace {

FabricLook woven(int n_w, int n_pi, int n_sigma) {
    FabricLook look;
    look.weave = {n_w, n_pi, n_sigma};
    look.yarn_width = 1.0;
    look.colour_variation = 0;
    look.groove = 0;
    return look;
}

/// Rows from v = 0 upwards; '#' warp on top, '.' weft.
std::string drawn(const FabricLook& look, int columns, int rows) {
    std::string text;
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i)
            text += warp_on_top(look, i, j) ? '#' : '.';
        text += '\n';
    }
    return text;
}

TEST(Weave, FollowsItsThreeNumbers) {
    // Drawn by hand from the definition: n_w weft, n_pi warp, each row shifted by n_sigma.
    EXPECT_EQ(drawn(woven(1, 1, 1), 4, 3), ".#.#\n"
                                           "#.#.\n"
                                           ".#.#\n"); // plain
    EXPECT_EQ(drawn(woven(1, 2, 1), 6, 3), ".##.##\n"
                                           "#.##.#\n"
                                           "##.##.\n"); // 1/2 twill
    EXPECT_EQ(drawn(woven(2, 1, 1), 6, 3), "..#..#\n"
                                           "#..#..\n"
                                           ".#..#.\n"); // 2/1 twill
    EXPECT_EQ(drawn(woven(1, 4, 2), 5, 5), ".####\n"
                                           "##.##\n"
                                           "####.\n"
                                           "#.###\n"
                                           "###.#\n"); // five-end satin: every yarn bound once
    EXPECT_EQ(drawn(woven(5, 1, 2), 6, 3), ".....#\n"
                                           ".#....\n"
                                           "...#..\n");
    EXPECT_EQ(drawn(woven(0, 100, 1), 4, 2), "####\n####\n");
}

TEST(Weave, PatternGoesOnToNegativePlaces) {
    const FabricLook look = woven(1, 3, 1);
    for (int j = -9; j < 9; ++j)
        for (int i = -9; i < 9; ++i)
            EXPECT_EQ(warp_on_top(look, i, j), warp_on_top(look, i + 4, j));
}

TEST(Weave, ShareOfWarpIsThatOfACount) {
    for (const IntTriple& w : {IntTriple{1, 1, 1}, {1, 3, 1}, {4, 1, 2}, {0, 7, 1}}) {
        const FabricLook look = woven(w[0], w[1], w[2]);
        const int period = w[0] + w[1];
        int count = 0;
        for (int j = 0; j < period; ++j)
            for (int i = 0; i < period; ++i)
                count += warp_on_top(look, i, j);
        EXPECT_DOUBLE_EQ(warp_fraction(look), static_cast<double>(count) / (period * period));
    }
}

/// The single lobe of a point.
WeaveLobe at(const FabricLook& look, double u, double v, bool back = false) {
    const WeaveLobes lobes = weave_lobes(look, {{u, v}, {0, 0}, back});
    EXPECT_EQ(lobes.count, 1);
    return lobes.lobe[0];
}

TEST(Weave, PointsHaveTheNormalsOfTheFormula) {
    FabricLook look = woven(0, 1, 1); // warp everywhere: along u, across v
    look.yarn_curvature = 0.6;
    look.fibre_curvature = 0.3;
    look.fibre_twist = 2;
    look.fibre_slope = 0.25;
    // Offset across: v = 0.75 is s = 0.5. Twist: 2 (0.4 - 0.25 * 0.5) = 0.55, so 2 fract - 1 = 0.1.
    WeaveLobe lobe = at(look, 0.4, 0.75);
    EXPECT_TRUE(lobe.warp);
    EXPECT_NEAR(lobe.y, 0.6 * 0.5, 1e-9);
    EXPECT_NEAR(lobe.x, 0.3 * 0.1, 1e-9);
    // On the back the weft lies there, across u: u = 0.4 is s = -0.2; twist 2 (0.75 + 0.05) = 1.6, 2 fract - 1 = 0.2.
    lobe = at(look, 0.4, 0.75, true);
    EXPECT_FALSE(lobe.warp);
    EXPECT_NEAR(lobe.x, 0.6 * -0.2, 1e-9);
    EXPECT_NEAR(lobe.y, 0.3 * 0.2, 1e-9);
    look.fibre_twist = 0; // filaments lie flat along the yarn
    EXPECT_EQ(at(look, 0.4, 0.75).x, 0.0);
}

TEST(Weave, NormalsStayAboveTheHorizon) {
    FabricLook look = woven(1, 1, 1);
    look.yarn_curvature = look.fibre_curvature = 0.9;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> place(-5, 5);
    for (int k = 0; k < 1000; ++k) {
        const WeaveLobes lobes = weave_lobes(look, {{place(random), place(random)}, {0.1, 0.1}, false});
        for (int i = 0; i < lobes.count; ++i)
            EXPECT_LE(std::hypot(lobes.lobe[i].x, lobes.lobe[i].y), 0.9501);
    }
}

TEST(Weave, SawtoothMomentsAreThoseOfMeanOverSamples) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> place(-3, 3), size(0.02, 2.5);
    for (int k = 0; k < 50; ++k) {
        const double p = place(random), width = size(random);
        for (int half = 0; half < 2; ++half) {
            constexpr int kSamples = 20000;
            double count = 0, sum = 0, square = 0;
            for (int n = 0; n < kSamples; ++n) {
                const double x = p + width * ((n + 0.5) / kSamples - 0.5), f = 2 * (x - std::floor(x)) - 1;
                if ((f < 0) != (half == 0)) continue;
                ++count;
                sum += f;
                square += f * f;
            }
            const SawtoothMoments moments = sawtooth_moments(p, width, half);
            ASSERT_NEAR(moments.fraction, count / kSamples, 2e-4);
            if (count < 100) continue;
            EXPECT_NEAR(moments.mean, sum / count, 0.01);
            EXPECT_NEAR(moments.variance, square / count - sum * sum / (count * count), 0.005);
        }
    }
}

TEST(Weave, LobesOfAPixelHaveTheMomentsOfManyPoints) {
    // Brute force: points over pixels of all sizes, averaged over many pixels; weights must add up to 1 in each.
    FabricLook look = woven(1, 3, 1);
    look.yarn_curvature = 0.6;
    look.fibre_curvature = 0.2;
    look.fibre_twist = 1;
    std::mt19937 random(4);
    std::uniform_real_distribution<double> place(-20, 20);
    for (const double size : {0.1, 0.3, 0.5, 1.0, 2.5, 8.0}) {
        double warp = 0, warp_y2 = 0, weft_x2 = 0;
        constexpr int kPixels = 4000;
        for (int k = 0; k < kPixels; ++k) {
            const WeaveLobes lobes = weave_lobes(look, {{place(random), place(random)}, {size, size}, false});
            double sum = 0;
            for (int i = 0; i < lobes.count; ++i) {
                const WeaveLobe& lobe = lobes.lobe[i];
                sum += lobe.weight;
                if (lobe.warp) {
                    warp += lobe.weight / kPixels;
                    warp_y2 += lobe.weight * (lobe.y * lobe.y + lobe.variance_y) / kPixels;
                } else {
                    weft_x2 += lobe.weight * (lobe.x * lobe.x + lobe.variance_x) / kPixels;
                }
            }
            ASSERT_NEAR(sum, 1.0, 1e-9);
        }
        SCOPED_TRACE(size);
        // Closed form: three quarters warp, and a uniform offset across has mean square c_y^2 / 3.
        EXPECT_NEAR(warp, 0.75, 0.02);
        EXPECT_NEAR(warp_y2 / warp, 0.36 / 3, 0.004);
        EXPECT_NEAR(weft_x2 / (1 - warp), 0.36 / 3, 0.006);
    }
}

TEST(Weave, PixelsOfSomeElementsKnowTheirLocalShareOfWarp) {
    const FabricLook look = woven(5, 6, 1);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> place(-9, 9);
    for (int k = 0; k < 40; ++k) {
        const double u = place(random), v = place(random), size = 1.6; // less than 0.15 of the period
        double count = 0;
        constexpr int kSide = 200;
        for (int a = 0; a < kSide; ++a)
            for (int b = 0; b < kSide; ++b)
                count += warp_on_top(look, static_cast<long>(std::floor(u + size * ((a + 0.5) / kSide - 0.5))),
                                     static_cast<long>(std::floor(v + size * ((b + 0.5) / kSide - 0.5))));
        const WeaveLobes lobes = weave_lobes(look, {{u, v}, {size, size}, false});
        double warp = 0;
        for (int i = 0; i < lobes.count; ++i)
            warp += lobes.lobe[i].warp ? lobes.lobe[i].weight : 0;
        EXPECT_NEAR(warp, count / (kSide * kSide), 0.01);
    }
}

TEST(Weave, SlopeVarianceOfFilamentsHasItsClosedForm) {
    FabricLook look = woven(0, 1, 1);
    look.fibre_twist = 0;
    look.yarn_curvature = 0.7;
    // The mean of x^2 / (1 - x^2) over x from 0 to c is (atanh(c) - c) / c.
    const Vec2 variance = weave_slope_variance(look);
    EXPECT_NEAR(variance.y, (std::atanh(0.7) - 0.7) / 0.7, 1e-4);
    EXPECT_EQ(variance.x, 0.0);
}

TEST(Weave, GroovesDarkenYarnsWithoutChangingTheirMean) {
    FabricLook look = woven(2, 2, 1);
    look.groove = 0.6;
    look.fibre_twist = 0;
    double sum = 0, darkest = 2, brightest = 0;
    constexpr int kSide = 160; // over one repeat of four elements
    for (int a = 0; a < kSide; ++a)
        for (int b = 0; b < kSide; ++b) {
            const double shade = at(look, 4 * (a + 0.5) / kSide, 4 * (b + 0.5) / kSide).brightness;
            sum += shade / (kSide * kSide);
            darkest = std::min(darkest, shade);
            brightest = std::max(brightest, shade);
        }
    EXPECT_NEAR(sum, 1.0, 1e-3);
    // At a corner of a float both offsets are 1, in its middle both are 0: (1 - 0.6 * 2/3)^2 and (1 + 0.6 / 3)^2.
    EXPECT_NEAR(darkest, 0.36, 0.03);
    EXPECT_NEAR(brightest, 1.44, 0.01);
}

TEST(Weave, BrightnessOfYarnsAveragesToOne) {
    FabricLook look = woven(1, 1, 1);
    look.colour_variation = 0.3;
    std::mt19937 random(6);
    std::uniform_real_distribution<double> place(-3000, 3000);
    double sum = 0, square = 0;
    constexpr int kPlaces = 20000;
    for (int k = 0; k < kPlaces; ++k) {
        const double b = weave_lobes(look, {{place(random), place(random)}, {0, 0}, false}).lobe[0].brightness;
        sum += b / kPlaces;
        square += b * b / kPlaces;
    }
    EXPECT_NEAR(sum, 1.0, 0.01);
    EXPECT_GT(std::sqrt(square - sum * sum), 0.1); // and it does vary
}

} // namespace
} // namespace selvage
