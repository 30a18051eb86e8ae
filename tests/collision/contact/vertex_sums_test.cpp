#include "collision/contact/vertex_sums.h"

#include <gtest/gtest.h>

#include "collision/contact/contact_samples.h"

namespace selvage {
namespace {

constexpr double kUnit = 0x1p-44; // that sums are taken in [m]

/// An edge and a vertex of a solid below it.
ContactRecord edge_over_solid() {
    ContactRecord record;
    record.count = 3;
    record.side_count = 2;
    record.vertex = {0, 1, 2, -1};
    record.weight = {0.25, 0.75, -1.0, 0.0};
    return record;
}

TEST(VertexSums, GivesEveryVertexItsPartOfAnImpulse) {
    ThreadPool pool(1);
    VertexSums sums(3, 2);
    const std::vector<double> inverse_mass{2.0, 0.0, 0.0}; // the second is held, the third a solid's
    const ContactRecord record = edge_over_solid();
    EXPECT_TRUE(sums.is_empty());
    sums.count_record(record);
    sums.count_record(record);
    EXPECT_EQ(sums.counts()[0], 2);
    sums.add_impulse(record, {0, 1, 0}, inverse_mass);
    std::vector<Vec3> to(3);
    EXPECT_EQ(sums.apply_sums(pool, to).size(), 3U);
    EXPECT_EQ(to, (std::vector<Vec3>{{0, 0.5, 0}, {}, {}})); // weight over mass, 0.25 x 2
    EXPECT_TRUE(sums.is_empty());
    EXPECT_EQ(sums.counts()[0], 0);
}

TEST(VertexSums, BoundsCorrectionsThatWouldOverflow) {
    // Points flung apart: parts of 400 km each once overflowed the sum.
    ThreadPool pool(1);
    VertexSums sums(1, 1);
    for (int k = 0; k < 1000; ++k)
        sums.add_to_vertex(0, {4e5, -4e5, 1.0});
    std::vector<Vec3> to(1);
    sums.apply_sums(pool, to);
    EXPECT_EQ(to[0], (Vec3{64000.0, -64000.0, 1000.0}));
}

TEST(VertexSums, TakesTheMeanOfDisplacements) {
    ThreadPool pool(1);
    VertexSums sums(2, 2);
    for (const double x : {0.125, 0.25, 0.375})
        sums.add_to_vertex(1, {x, 0, 0});
    std::vector<Vec3> to(2), also(2);
    sums.apply_means(pool, to, also);
    EXPECT_EQ(to[1], Vec3(0.25, 0, 0));
    EXPECT_EQ(also[1], to[1]);
    sums.add_to_vertex(0, {});
    sums.drop();
    EXPECT_TRUE(sums.is_empty());
}

// Whole numbers have no rounding: any order on any number of threads gives the same bits, within half a unit per term.
TEST(VertexSums, DoesNotDependOnTheOrder) {
    constexpr int kTerms = 4096;
    Dice dice(1);
    std::vector<Vec3> terms(kTerms);
    Vec3 exact;
    for (Vec3& term : terms) {
        term = dice.vector(1e-3);
        exact += term;
    }
    std::vector<Vec3> first(1);
    for (const int threads : {1, 4}) {
        ThreadPool pool(threads);
        VertexSums sums(1, 1);
        sums.set_thread_count(threads);
        pool.for_chunks(kTerms, 64, [&](int begin, int end) {
            for (int k = begin; k < end; ++k)
                sums.add_to_vertex(0, terms[threads == 1 ? k : kTerms - 1 - k]);
        });
        EXPECT_EQ(sums.counts()[0], kTerms);
        std::vector<Vec3> to(1);
        sums.apply_sums(pool, to);
        if (threads == 1) first = to;
        EXPECT_EQ(to, first);
        EXPECT_NEAR(to[0].x, exact.x, kTerms * kUnit);
    }
}

} // namespace
} // namespace selvage
