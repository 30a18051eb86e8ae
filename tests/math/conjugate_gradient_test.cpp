#include "math/conjugate_gradient.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace selvage {
namespace {

/// A chain of n points, each block (2 + shift) I, neighbours -I: positive definite for shift > 0.
struct ChainSystem {
    int n;
    double shift;
    Vec3 row(int i, const std::vector<Vec3>& p) const {
        Vec3 sum = (2.0 + shift) * p[i];
        if (i > 0) sum -= p[i - 1];
        if (i + 1 < n) sum -= p[i + 1];
        return sum;
    }
};

TEST(ConjugateGradient, AgreesWithADenseFactorisation) {
    const ChainSystem system{50, 0.01};
    std::vector<Vec3> b(50), x(50);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(50, 50);
    Eigen::MatrixXd right(50, 3);
    for (int i = 0; i < 50; ++i) {
        b[i] = {std::sin(i), std::cos(3.0 * i), i % 5 - 2.0};
        right.row(i) << b[i].x, b[i].y, b[i].z;
        dense(i, i) = 2.01;
        if (i > 0) dense(i, i - 1) = dense(i - 1, i) = -1.0;
    }
    const Eigen::MatrixXd expected = dense.llt().solve(right);
    ThreadPool pool(2);
    CgBuffers buffers;
    buffers.resize(50);
    const CgResult result = solve_cg(
        pool, {1e-13, 500}, [&](int i, const std::vector<Vec3>& p) { return system.row(i, p); },
        [](int, const Vec3& r) { return r / 2.01; }, b, x, buffers);
    EXPECT_TRUE(result.definite);
    EXPECT_LE(result.iterations, 60); // 50 distinct eigenvalues, three right sides that share them
    for (int i = 0; i < 50; ++i)
        EXPECT_LT(length(x[i] - Vec3{expected(i, 0), expected(i, 1), expected(i, 2)}), 1e-10);
}

TEST(ConjugateGradient, StopsAtTheIterationCapAndOnZeroRightSide) {
    const ChainSystem system{200, 1e-6};
    std::vector<Vec3> b(200, Vec3{1, 0, 0}), x(200);
    ThreadPool pool(1);
    CgBuffers buffers;
    buffers.resize(200);
    const auto apply = [&](int i, const std::vector<Vec3>& p) { return system.row(i, p); };
    const auto precondition = [](int, const Vec3& r) { return r; };
    EXPECT_EQ(solve_cg(pool, {1e-12, 7}, apply, precondition, b, x, buffers).iterations, 7);
    b.assign(200, Vec3{});
    const CgResult none = solve_cg(pool, {1e-12, 7}, apply, precondition, b, x, buffers);
    EXPECT_EQ(none.iterations, 0);
    EXPECT_EQ(x[100], Vec3{});
}

TEST(ConjugateGradient, NoticesNegativeCurvature) {
    std::vector<Vec3> b(3, Vec3{1, 1, 1}), x(3);
    ThreadPool pool(1);
    CgBuffers buffers;
    buffers.resize(3);
    const CgResult result = solve_cg(
        pool, {1e-12, 10}, [](int i, const std::vector<Vec3>& p) { return -1.0 * p[i]; },
        [](int, const Vec3& r) { return r; }, b, x, buffers);
    EXPECT_FALSE(result.definite);
    EXPECT_TRUE(is_finite(x[0]));
}

} // namespace
} // namespace selvage
