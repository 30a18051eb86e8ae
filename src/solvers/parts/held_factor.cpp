// Base: A_ff = L L^T over the points f that were free when factored (fill-reducing order, Eigen), or its dense inverse.
// Later some points r are released and some points g of f are grabbed. With E the unit columns of g,
//   [ A_ff  A_fr  E ] [ y_f ]   [ b_f ]
//   [ A_rf  A_rr  0 ] [ y_r ] = [ b_r ]      (lambda: the constraint force that makes y_g = 0)
//   [ E^T   0     0 ] [ lambda ] [ 0   ]
// With U = [A_fr E], V = A_ff^-1 U (one solve per changed point, stored) and S = [A_rr 0; 0 0] - U^T V:
//   y0 = A_ff^-1 b_f,   S z = [b_r; 0] - U^T y0,   y_f = y0 - V z,   y_r = the first part of z.
// U has a handful of entries per column, so U^T y0 costs nothing; V z is one pass over the points per column.
// A is diagonally dominant, so S is regular: its released part is positive definite, its grabbed part negative
// definite.

#include "solvers/parts/held_factor.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>

#include "base/assert.h"

namespace selvage {

namespace {

// The border holds this many numbers at most, 256 MB: very large nets have room for fewer changes.
constexpr std::size_t kMostBorderNumbers = std::size_t{1} << 25;
constexpr int kLeastChanges = 4;

// Where the masses are lost in the springs' round-off (k h^2/m beyond 1e15) A is singular to the machine. Raising its
// diagonal by this fraction, ten times as much at each failure, makes it definite again and changes nothing visible.
constexpr double kFirstShift = 1e-13;

} // namespace

HeldFactor::HeldFactor(const ClothModel& model, FactorKind kind)
    : model_(model), wanted_(kind), kind_(kind), base_(model.mass.size(), 0), now_(model.mass.size(), 0) {
    changed_.reserve(kMostChanges);
    next_changed_.reserve(kMostChanges);
    free_slots_.reserve(kMostChanges);
    schur_.resize(std::size_t{kMostChanges} * kMostChanges);
    pivot_.resize(kMostChanges);
    border_result_.resize(kMostChanges);
}

int HeldFactor::border_room() const {
    const std::size_t rows = std::max<std::size_t>(vertex_.size(), 1);
    return std::clamp(static_cast<int>(std::min<std::size_t>(kMostBorderNumbers / rows, kMostChanges)), kLeastChanges,
                      kMostChanges);
}

double HeldFactor::diagonal(int vertex) const {
    double sum = model_.mass[vertex];
    for (const SpringEnd& end : model_.ends_of(vertex))
        sum += weight_[end.spring];
    return sum > 0.0 ? sum : 1.0; // a point without mass and springs: no force acts on it, any number will do
}

void HeldFactor::factor(std::span<const double> spring_weight, std::span<const std::uint8_t> is_held) {
    SELVAGE_ASSERT(static_cast<int>(spring_weight.size()) == model_.spring_count());
    SELVAGE_ASSERT(is_held.size() == model_.mass.size());
    weight_.assign(spring_weight.begin(), spring_weight.end());
    base_.assign(is_held.begin(), is_held.end());
    now_ = base_;
    vertex_.clear();
    row_.assign(model_.mass.size(), -1);
    for (int i = 0; i < model_.vertex_count(); ++i) {
        if (base_[i]) continue;
        row_[i] = static_cast<int>(vertex_.size());
        vertex_.push_back(i);
    }
    kind_ = vertex_.size() > kMostDense || vertex_.empty() ? FactorKind::cholesky : wanted_;
    factor_sparse();
    if (kind_ == FactorKind::dense) invert_factor();
    ++factor_count_;

    work_.resize(vertex_.size());
    result_.resize(vertex_.size());
    scalar_work_.resize(vertex_.size());
    const int room = border_room();
    border_.reset(new double[static_cast<std::size_t>(room) * vertex_.size()]); // not set to zero
    changed_.clear();
    free_slots_.clear();
    for (int slot = room; slot-- > 0;)
        free_slots_.push_back(slot);
}

void HeldFactor::factor_sparse() {
    using Sparse = Eigen::SparseMatrix<double>;
    const int n = static_cast<int>(vertex_.size());
    inverse_.clear();
    inverse_diagonal_.assign(vertex_.size(), 0.0);
    column_start_.assign(vertex_.size() + 1, 0);
    row_index_.clear();
    value_.clear();
    if (n == 0) return; // all held
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(vertex_.size() + model_.springs.size());
    for (int k = 0; k < n; ++k)
        entries.emplace_back(k, k, diagonal(vertex_[k]));
    for (int s = 0; s < model_.spring_count(); ++s) {
        const int a = row_[model_.springs[s].a], b = row_[model_.springs[s].b];
        if (a >= 0 && b >= 0) entries.emplace_back(std::max(a, b), std::min(a, b), -weight_[s]);
    }
    Sparse matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());

    Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>> llt;
    llt.analyzePattern(matrix);
    llt.factorize(matrix);
    for (double shift = kFirstShift; llt.info() != Eigen::Success && shift < 1.0; shift *= 10.0) {
        for (int k = 0; k < n; ++k)
            matrix.coeffRef(k, k) = (1.0 + shift) * diagonal(vertex_[k]);
        llt.factorize(matrix);
    }

    const Sparse& lower = llt.matrixL().nestedExpression();
    const std::vector<int> given = vertex_;
    for (int k = 0; k < n; ++k) {
        const int at = llt.permutationP().indices()[k];
        vertex_[at] = given[k];
        row_[given[k]] = at;
    }
    row_index_.reserve(static_cast<std::size_t>(lower.nonZeros()));
    value_.reserve(static_cast<std::size_t>(lower.nonZeros()));
    for (int j = 0; j < n; ++j) {
        for (Sparse::InnerIterator it(lower, j); it; ++it) {
            if (it.row() == j) {
                inverse_diagonal_[j] = 1.0 / it.value();
            } else {
                row_index_.push_back(static_cast<int>(it.row()));
                value_.push_back(it.value());
            }
        }
        column_start_[j + 1] = static_cast<int>(value_.size());
    }
}

/// y <- L^-T L^-1 y. One thread: each row needs those before it.
template <class T>
void HeldFactor::solve_triangles(std::vector<T>& y) const {
    const int n = static_cast<int>(vertex_.size());
    for (int j = 0; j < n; ++j) {
        const T yj = y[j] * inverse_diagonal_[j];
        y[j] = yj;
        for (int e = column_start_[j]; e < column_start_[j + 1]; ++e)
            y[row_index_[e]] -= value_[e] * yj;
    }
    for (int j = n; j-- > 0;) {
        T sum = y[j];
        for (int e = column_start_[j]; e < column_start_[j + 1]; ++e)
            sum -= value_[e] * y[row_index_[e]];
        y[j] = sum * inverse_diagonal_[j];
    }
}

/// The whole inverse, one column after the other. It is symmetric: columns are rows.
void HeldFactor::invert_factor() {
    inverse_.clear();
    inverse_.reserve(vertex_.size() * vertex_.size());
    for (std::size_t j = 0; j < vertex_.size(); ++j) {
        scalar_work_.assign(vertex_.size(), 0.0);
        scalar_work_[j] = 1.0;
        solve_triangles(scalar_work_);
        inverse_.insert(inverse_.end(), scalar_work_.begin(), scalar_work_.end());
    }
    value_.clear();
    row_index_.clear();
    column_start_.clear();
}

void HeldFactor::hold(std::span<const std::uint8_t> is_held) {
    SELVAGE_ASSERT(is_held.size() == now_.size());
    if (std::equal(is_held.begin(), is_held.end(), now_.begin())) return;
    const int room = border_room();
    next_changed_.clear();
    int differing = 0;
    for (int i = 0; i < model_.vertex_count(); ++i) {
        if (is_held[i] == base_[i]) continue;
        if (++differing > room) break;
        next_changed_.push_back({i, -1, base_[i] != 0});
    }
    if (differing > room) {
        factor(std::vector<double>(weight_), is_held);
        return;
    }
    std::copy(is_held.begin(), is_held.end(), now_.begin());
    // Columns of points that stay changed are reused; those of points that changed back are freed first.
    for (const Change& old : changed_) {
        const auto reused = std::lower_bound(next_changed_.begin(), next_changed_.end(), old.vertex,
                                             [](const Change& c, int vertex) { return c.vertex < vertex; });
        if (reused != next_changed_.end() && reused->vertex == old.vertex)
            reused->slot = old.slot;
        else
            free_slots_.push_back(old.slot);
    }
    std::swap(changed_, next_changed_);
    for (Change& change : changed_) {
        if (change.slot >= 0) continue;
        change.slot = free_slots_.back();
        free_slots_.pop_back();
        fill_border_column(change);
    }
    factor_schur();
}

void HeldFactor::fill_border_column(const Change& change) {
    double* column = border_.get() + static_cast<std::size_t>(change.slot) * vertex_.size();
    std::fill(scalar_work_.begin(), scalar_work_.end(), 0.0);
    if (change.released) {
        for (const SpringEnd& end : model_.ends_of(change.vertex))
            if (row_[end.other] >= 0) scalar_work_[row_[end.other]] -= weight_[end.spring];
    } else {
        scalar_work_[row_[change.vertex]] = 1.0;
    }
    if (kind_ == FactorKind::cholesky) {
        solve_triangles(scalar_work_);
        std::copy(scalar_work_.begin(), scalar_work_.end(), column);
        return;
    }
    const std::size_t n = vertex_.size();
    std::fill(column, column + n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
        if (scalar_work_[j] == 0.0) continue;
        for (std::size_t i = 0; i < n; ++i)
            column[i] += inverse_[j * n + i] * scalar_work_[j];
    }
}

/// LU with row exchanges of S, whose order is that of changed_.
void HeldFactor::factor_schur() {
    const int c = change_count();
    const auto at = [&](int i, int j) -> double& { return schur_[i * c + j]; };
    for (int i = 0; i < c; ++i) {
        const Change& row = changed_[i];
        for (int j = 0; j < c; ++j) {
            const double* column = border_.get() + static_cast<std::size_t>(changed_[j].slot) * vertex_.size();
            double entry = 0.0; // -(U^T V)_ij
            if (row.released) {
                for (const SpringEnd& end : model_.ends_of(row.vertex)) {
                    if (row_[end.other] >= 0) entry += weight_[end.spring] * column[row_[end.other]];
                    if (changed_[j].released && end.other == changed_[j].vertex) entry -= weight_[end.spring];
                }
                if (i == j) entry += diagonal(row.vertex);
            } else {
                entry = -column[row_[row.vertex]];
            }
            at(i, j) = entry;
        }
    }
    for (int k = 0; k < c; ++k) {
        int best = k;
        for (int i = k + 1; i < c; ++i)
            if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
        pivot_[k] = best;
        if (best != k)
            for (int j = 0; j < c; ++j)
                std::swap(at(k, j), at(best, j));
        if (at(k, k) == 0.0) continue; // cannot happen for a definite A; a zero column then stays out of the solve
        for (int i = k + 1; i < c; ++i) {
            const double factor = at(i, k) /= at(k, k);
            for (int j = k + 1; j < c; ++j)
                at(i, j) -= factor * at(k, j);
        }
    }
}

Vec3 HeldFactor::border_row_times(const Change& change, const std::vector<Vec3>& y) const {
    if (!change.released) return y[row_[change.vertex]];
    Vec3 sum;
    for (const SpringEnd& end : model_.ends_of(change.vertex))
        if (row_[end.other] >= 0) sum -= weight_[end.spring] * y[row_[end.other]];
    return sum;
}

void HeldFactor::solve(ThreadPool& pool, const std::vector<Vec3>& b, std::vector<Vec3>& y) {
    const int n = static_cast<int>(vertex_.size()), c = change_count();
    pool.for_each(n, [&](int k) { work_[k] = now_[vertex_[k]] ? Vec3{} : b[vertex_[k]]; });
    if (kind_ == FactorKind::cholesky) {
        solve_triangles(work_);
    } else {
        constexpr int kRows = 32; // of the inverse per chunk
        pool.for_chunks(n, kRows, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                const double* row = inverse_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n);
                Vec3 sum;
                for (int j = 0; j < n; ++j)
                    sum += row[j] * work_[j];
                result_[i] = sum;
            }
        });
        std::swap(work_, result_);
    }

    std::vector<Vec3>& z = border_result_;
    for (int i = 0; i < c; ++i)
        z[i] = (changed_[i].released ? b[changed_[i].vertex] : Vec3{}) - border_row_times(changed_[i], work_);
    const auto lu = [&](int i, int j) { return schur_[i * c + j]; };
    for (int k = 0; k < c; ++k) // the exchanges first: the factors below were exchanged along with their rows
        std::swap(z[k], z[pivot_[k]]);
    for (int k = 0; k < c; ++k)
        for (int i = k + 1; i < c; ++i)
            z[i] -= lu(i, k) * z[k];
    for (int k = c; k-- > 0;) {
        for (int j = k + 1; j < c; ++j)
            z[k] -= lu(k, j) * z[j];
        z[k] = lu(k, k) != 0.0 ? z[k] / lu(k, k) : Vec3{};
    }

    pool.for_each(model_.vertex_count(), [&](int i) {
        const int k = row_[i];
        if (k < 0 || now_[i]) {
            y[i] = {};
            return;
        }
        Vec3 sum = work_[k];
        for (int j = 0; j < c; ++j)
            sum -= border_[static_cast<std::size_t>(changed_[j].slot) * static_cast<std::size_t>(n) +
                           static_cast<std::size_t>(k)] *
                   z[j];
        y[i] = sum;
    });
    for (int i = 0; i < c; ++i)
        if (changed_[i].released) y[changed_[i].vertex] = z[i];
}

} // namespace selvage
