#pragma once

#include <vector>

#include "collision/search/contact_surface.h"
#include "collision/shapes/collider.h"
#include "cuda/contact_kernels.h"
#include "cuda/hull.h"
#include "cuda/memory.h"

namespace selvage::cuda {

/// What may touch in a simulation, on the host.
struct ContactSource {
    const ContactSurface& surface; ///< The cloths first, then colliders that are meshes.
    std::span<const Collider> colliders;
    std::span<const Hull> hulls; ///< Of the other colliders.
};

/// Surfaces and colliders in the device's layout, and room for what is found between them.
class HostContact {
public:
    /// `place`: the row of each of the cloths' vertices.
    HostContact(const ContactSource& source, const std::vector<int>& place, double edge_length);
    void lay_out(DeviceMemory& memory, int piece_count, int multiprocessors, ContactArrays& arrays) const;

private:
    struct Features {
        std::vector<int> corner; ///< Of each; -1: filled up.
        int corners = 3, count = 0;
    };
    void take_body(const ContactSurface& surface, const ContactBody& body, bool is_hull, const std::vector<int>& place);
    void fill_up();
    void take_shapes(const ContactSource& source);
    void measure(double edge_length);
    void add_passes(ContactArrays& arrays) const;
    static FeatureView lay_out_features(DeviceMemory& memory, const Features& features);
    static void lay_out_pairs(DeviceMemory& memory, std::size_t rows, PairView& pairs);

    int cloth_count_ = 0;
    std::vector<float4> rest_;
    std::vector<unsigned short> body_;
    std::vector<BodyNumbers> numbers_;
    Features face_[2], edge_[2];
    std::vector<int> query_[2];
    std::vector<SolidShape> shape_;
    bool meets_cloth_ = false; // some cloth is kept off itself or others
    float reach_ = 0.0F, least_gap_ = 0.0F, slack_ = 0.0F;
};

} // namespace selvage::cuda
