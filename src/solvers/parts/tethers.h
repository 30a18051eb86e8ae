#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "geometry/geodesic.h"
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

    /// Does nothing while the same points are held. Otherwise finds the paths from those pieces of held cloth that are
    /// new, in n log n each on flat cloth; what it knows of the others stays.
    void update(const ClothModel& model, std::span<const std::uint8_t> is_held);
    std::span<const Tether, kMost> of(int vertex) const {
        return std::span<const Tether, kMost>(tethers_[static_cast<std::size_t>(vertex)]);
    }
    bool any() const { return any_; }
    float longest(std::size_t part) const { return longest_[part]; } ///< Of a part's tethers [m].
    std::int64_t search_count() const { return search_count_; }      ///< Pieces measured so far.

private:
    /// Held points joined by edges, all of one part, and the distances of the part's vertices from them.
    struct Piece {
        std::size_t part = 0;
        std::vector<int> vertices; // sorted
        std::vector<float> distance;
        std::vector<int> anchor; // -1: out of reach
    };
    struct PieceRange { // its vertices in member_
        std::size_t part, begin, end;
    };
    struct Path {
        int to;
        float length;
    };
    static constexpr std::size_t kKept = 16; // pieces whose distances are kept for the next update

    void build_paths(const ClothModel& model);
    void find_pieces(const ClothModel& model);
    const Piece& piece_of(const ClothModel& model, const PieceRange& range);
    void measure(const ClothModel& model, Piece& piece);
    bool measure_exactly(const ClothModel& model, Piece& piece);
    void measure_by_marching(const ClothModel& model, Piece& piece);
    void add_tethers(const ClothModel& model, const Piece& piece);

    std::vector<int> path_start_; // rows of paths_, one per vertex and one more
    std::vector<Path> paths_;
    std::vector<std::uint8_t> held_, has_inner_points_; // per vertex; per part: points that no triangle has
    std::vector<std::unique_ptr<Geodesics>> geodesics_; // per part, made when needed
    std::vector<std::array<Tether, kMost>> tethers_;
    std::vector<float> longest_;
    std::vector<Piece> pieces_, before_; // measured for now and for the update before
    Piece one_too_many_;
    std::vector<int> member_;
    std::vector<PieceRange> ranges_;
    std::int64_t search_count_ = 0;
    // Scratch of a search.
    std::vector<double> exact_;
    std::vector<std::uint8_t> seen_, known_;
    std::vector<std::pair<float, int>> open_;
    bool any_ = false;
};

} // namespace selvage
