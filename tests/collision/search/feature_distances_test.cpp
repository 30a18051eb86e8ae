#include "collision/search/feature_distances.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "collision/search/proximity.h"

namespace selvage {
namespace {

/// Two patches of points: pairs of features of them that are nearly parallel, slivers, points, or anything.
class FeatureDistances : public testing::Test {
protected:
    static constexpr int kPoints = 96;

    void make_points(double scale, double flatness) {
        std::uniform_real_distribution<double> any(-1.0, 1.0);
        offset_ = scale * Vec3{3.0 * any(random_), any(random_), any(random_)};
        for (auto* patch : {&first_, &second_}) {
            patch->clear();
            for (int k = 0; k < kPoints; ++k)
                patch->push_back(scale * Vec3{any(random_), flatness * any(random_), flatness * any(random_)});
        }
        for (int k = 0; k < kPoints; k += 7) // some in one place
            second_[k] = second_[(k + 1) % kPoints];
        largest_ = 0.0;
        for (const Vec3& a : first_)
            for (const Vec3& b : second_)
                largest_ = std::max(largest_, length(a - b - offset_));
        // What a patch keeps is rounded: the distances are those of the rounded points.
        const auto rounded = [](std::vector<Vec3>& points) {
            std::vector<Floats4> out;
            for (Vec3& p : points) {
                out.push_back(Floats4{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), 0});
                p = {out.back()[0], out.back()[1], out.back()[2]};
            }
            return out;
        };
        first_floats_ = rounded(first_);
        second_floats_ = rounded(second_);
        for (int c = 0; c < 3; ++c)
            points_.offset[c] = static_cast<float>(c == 0 ? offset_.x : c == 1 ? offset_.y : offset_.z);
        offset_ = {points_.offset[0], points_.offset[1], points_.offset[2]};
        points_.first = first_floats_.data();
        points_.second = second_floats_.data();
    }
    std::vector<PointPlaces> any_features(int count) {
        std::vector<PointPlaces> out(static_cast<std::size_t>(count));
        for (PointPlaces& places : out)
            for (std::uint8_t& place : places)
                place = static_cast<std::uint8_t>(random_() % kPoints);
        return out;
    }
    void make_pairs(int count) {
        pairs_.count = count;
        for (int k = 0; k < count; ++k) {
            pairs_.first[k] = static_cast<std::uint8_t>(random_() % kPoints);
            pairs_.second[k] = static_cast<std::uint8_t>(random_() % kPoints);
        }
    }

    std::mt19937 random_{11};
    std::vector<Vec3> first_, second_;
    std::vector<Floats4> first_floats_, second_floats_;
    Vec3 offset_;
    double largest_ = 0.0;
    PatchPoints points_{};
    FeaturePairs pairs_;
};

// Against the closest points in double precision; the bound is the one that searches rely on.
TEST_F(FeatureDistances, AreRightToTheirRounding) {
    for (const double scale : {1e-4, 0.1, 1e4})
        for (const double flatness : {1.0, 1e-3, 1e-6}) {
            make_points(scale, flatness);
            const std::vector<PointPlaces> faces = any_features(kPoints), edges = any_features(kPoints);
            make_pairs(1003); // not a multiple of eight
            float squared[1008];
            const double allowed = static_cast<double>(kDistanceRounding) * largest_;
            vertex_face_distances(points_, faces.data(), pairs_, 0, pairs_.count, squared);
            for (int k = 0; k < pairs_.count; ++k) {
                const PointPlaces& t = faces[pairs_.second[k]];
                const double exact = std::sqrt(closest_points(first_[pairs_.first[k]], second_[t[0]] + offset_,
                                                              second_[t[1]] + offset_, second_[t[2]] + offset_)
                                                   .distance_squared);
                EXPECT_NEAR(std::sqrt(squared[k]), exact, allowed) << "face, scale " << scale << ", flat " << flatness;
            }
            edge_edge_distances(points_, edges.data(), faces.data(), pairs_, 0, pairs_.count, squared);
            for (int k = 0; k < pairs_.count; ++k) {
                const PointPlaces &a = edges[pairs_.first[k]], &b = faces[pairs_.second[k]];
                const double exact =
                    std::sqrt(closest_points_of_segments(first_[a[0]], first_[a[1]], second_[b[0]] + offset_,
                                                         second_[b[1]] + offset_)
                                  .distance_squared);
                EXPECT_NEAR(std::sqrt(squared[k]), exact, allowed) << "edges, scale " << scale << ", flat " << flatness;
            }
        }
}

} // namespace
} // namespace selvage
