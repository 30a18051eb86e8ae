#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "model/cloth_model.h"

namespace selvage {

enum class FactorKind { dense, cholesky };

/// Solves A y = b over the points that are not held, for a constant symmetric positive definite matrix on a net:
///   A_ii = m_i + sum of the weights of i's springs,   A_ij = -weight of spring ij.
/// The expensive part is done once for a base set of held points. Points that are grabbed or released later are handled
/// by a border of one column each, so that a grab costs a few solves and not a factorisation. The solution depends on
/// the base, the held set and the weights alone, not on the order of grabs. The model must outlive it.
class HeldFactor {
public:
    static constexpr int kMostChanges = 64; ///< Points that may differ from the base; beyond, a new base is made.
    static constexpr int kMostDense = 3000; ///< Free points up to which `dense` is; beyond, it becomes `cholesky`.

    HeldFactor(const ClothModel& model, FactorKind kind);

    /// Factors A for these weights [kg], one per spring, with the given points held as the base. Allocates.
    void factor(std::span<const double> spring_weight, std::span<const std::uint8_t> is_held);
    /// Takes over a new held set: one solve per point that changed, nothing when none did. Allocates only when more
    /// points differ from the base than the border has room for; then it factors again.
    void hold(std::span<const std::uint8_t> is_held);
    /// y = A^-1 b on the free points and 0 on the held ones, whose b is ignored.
    void solve(ThreadPool& pool, const std::vector<Vec3>& b, std::vector<Vec3>& y);

    FactorKind kind() const { return kind_; } ///< What the last factor() made.
    int change_count() const { return static_cast<int>(changed_.size()); }
    int factor_count() const { return factor_count_; } ///< Factorisations made so far.
    std::size_t stored_numbers() const { return kind_ == FactorKind::dense ? inverse_.size() : value_.size(); }

private:
    struct Change {
        int vertex;
        int slot;      // column of border_ that holds A_ff^-1 times this point's column of the border
        bool released; // held in the base and free now; otherwise free in the base and held now
    };

    void factor_sparse();
    void invert_factor();
    double diagonal(int vertex) const;
    int border_room() const;
    void fill_border_column(const Change& change);
    void factor_schur();
    Vec3 border_row_times(const Change& change, const std::vector<Vec3>& y) const;
    template <class T>
    void solve_triangles(std::vector<T>& y) const;

    const ClothModel& model_;
    FactorKind wanted_, kind_;
    std::vector<double> weight_;           // per spring
    std::vector<std::uint8_t> base_, now_; // held flags: when factored, and now
    int factor_count_ = 0;

    // The base: free points in elimination order, and either the factor L by columns or the whole inverse.
    std::vector<int> vertex_; // of each row
    std::vector<int> row_;    // of each vertex; -1 for those held in the base
    std::vector<int> column_start_, row_index_;
    std::vector<double> value_;            // below the diagonal
    std::vector<double> inverse_diagonal_; // 1 / L_jj
    std::vector<double> inverse_;          // dense, row by row

    // The border: sorted by vertex, so that its small matrix does not depend on who was grabbed first.
    std::vector<Change> changed_, next_changed_;
    std::vector<int> free_slots_;
    std::unique_ptr<double[]> border_; // left untouched until used: most runs never change what is held
    std::vector<double> schur_;        // LU, row by row
    std::vector<int> pivot_;
    std::vector<double> scalar_work_;
    std::vector<Vec3> work_, result_, border_result_;
};

} // namespace selvage
