#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/cloth_model.h"

namespace selvage {

/// Long-range attachments after Kim, Chentanez and Mueller (2012): for each point, the nearest held point of each piece
/// of held cloth (two pinned corners are two pieces, a pinned edge is one) and how far it can be from there, measured
/// along the cloth at rest.
class Tethers {
public:
    static constexpr int kMost = 4; ///< Per point; where there are more pieces, the nearest.
    struct Tether {
        int anchor = -1;    ///< Held vertex; -1: none.
        float reach = 0.0F; ///< Along the cloth at rest [m].
    };

    /// Finds the paths again, in n log n, when what is held has changed; does nothing otherwise.
    void update(const ClothModel& model, std::span<const std::uint8_t> is_held);
    std::span<const Tether, kMost> of(int vertex) const {
        return std::span<const Tether, kMost>(tethers_[static_cast<std::size_t>(vertex)]);
    }
    bool any() const { return any_; }
    float longest(std::size_t part) const { return longest_[part]; } ///< Of a part's tethers [m].

private:
    void build_paths(const ClothModel& model);
    void find_paths(const ClothModel& model); // from piece_

    struct Path {
        int to;
        float length;
    };
    std::vector<int> path_start_; // rows of paths_, one per vertex and one more
    std::vector<Path> paths_;
    std::vector<std::uint8_t> held_;
    std::vector<std::array<Tether, kMost>> tethers_;
    std::vector<float> longest_;
    // Scratch of a search.
    std::vector<int> piece_, anchor_;
    std::vector<float> distance_;
    std::vector<std::uint8_t> seen_, known_;
    std::vector<std::pair<float, int>> open_;
    bool any_ = false;
};

} // namespace selvage
