#include "solvers/xpbd/link_blocks.h"

#include <algorithm>
#include <cmath>

#include "geometry/vertex_order.h"

namespace selvage {

namespace {

constexpr float kShortest = 1e-12F; // [m]; keeps the quotient finite where both ends are in one point
constexpr int kLeastBlock = 128;

/// Ends and edge vector of eight links.
struct Ends {
    Points8 a, b;
    Floats8 ux, uy, uz;
};

SELVAGE_INLINE void read_ends(const LinkBlocks::Batch& batch, const Floats4* displacement, Ends& ends) {
    gather(displacement, batch.a, ends.a);
    gather(displacement, batch.b, ends.b);
    Floats8 ex, ey, ez;
    load(batch.edge[0], ex);
    load(batch.edge[1], ey);
    load(batch.edge[2], ez);
    ends.ux = ex + (ends.b.x - ends.a.x);
    ends.uy = ey + (ends.b.y - ends.a.y);
    ends.uz = ez + (ends.b.z - ends.a.z);
}

/// Each link once: C = L - l0 with compliance 1/k.
SELVAGE_WIDE void project_batches(const LinkBlocks::Batch* batches, int count, Floats4* displacement) {
    Floats8 least;
    fill(kShortest * kShortest, least);
    for (int n = 0; n < count; ++n) {
        const LinkBlocks::Batch& batch = batches[n];
        Ends e;
        read_ends(batch, displacement, e);
        Floats8 squared = e.ux * e.ux + e.uy * e.uy + e.uz * e.uz, length, rest, factor;
        take_larger(squared, least, squared);
        take_root(squared, length);
        load(batch.rest, rest);
        load(batch.factor, factor);
        const Floats8 pull = factor * (1.0F - rest / length);
        const Floats8 to_a = pull * e.a.w, to_b = pull * e.b.w;
        e.a.x += to_a * e.ux, e.a.y += to_a * e.uy, e.a.z += to_a * e.uz;
        e.b.x -= to_b * e.ux, e.b.y -= to_b * e.uy, e.b.z -= to_b * e.uz;
        scatter(e.a, batch.a, displacement);
        scatter(e.b, batch.b, displacement);
    }
}

/// Each link once: the rate at which it stretches falls by its factor, and so does all relative velocity by another.
SELVAGE_WIDE void damp_batches(const LinkBlocks::Batch* batches, const LinkBlocks::Damping* damping, int count,
                               const Floats4* displacement, Floats4* velocity) {
    Floats8 least;
    fill(kShortest * kShortest, least);
    for (int n = 0; n < count; ++n) {
        const LinkBlocks::Batch& batch = batches[n];
        Ends e;
        read_ends(batch, displacement, e);
        Points8 va, vb;
        gather(velocity, batch.a, va);
        gather(velocity, batch.b, vb);
        const Floats8 dx = vb.x - va.x, dy = vb.y - va.y, dz = vb.z - va.z;
        Floats8 squared = e.ux * e.ux + e.uy * e.uy + e.uz * e.uz, axial, relative;
        take_larger(squared, least, squared);
        load(damping[n].axial, axial);
        load(damping[n].relative, relative);
        const Floats8 along = axial * (e.ux * dx + e.uy * dy + e.uz * dz) / squared;
        const Floats8 jx = along * e.ux + relative * dx, jy = along * e.uy + relative * dy,
                      jz = along * e.uz + relative * dz;
        va.x += e.a.w * jx, va.y += e.a.w * jy, va.z += e.a.w * jz;
        vb.x -= e.b.w * jx, vb.y -= e.b.w * jy, vb.z -= e.b.w * jz;
        scatter(va, batch.a, velocity);
        scatter(vb, batch.b, velocity);
    }
}

std::vector<Edge> spring_pairs(const ClothModel& model) {
    std::vector<Edge> pairs;
    pairs.reserve(model.springs.size());
    for (const Spring& spring : model.springs)
        pairs.push_back({spring.a, spring.b});
    return pairs;
}

} // namespace

LinkBlocks::LinkBlocks(const ClothModel& model) : model_(model) {
    const int n = model.vertex_count();
    order_ = local_order(n, spring_pairs(model));
    place_.resize(order_.size());
    for (int k = 0; k < n; ++k)
        place_[order_[k]] = k;
    padded_count_ = (n + kBatch - 1) / kBatch * kBatch;
    // Some eight rows of a square cloth: then a tenth of the links leads from block to block.
    block_size_ = std::max(kLeastBlock, static_cast<int>(8.0 * std::sqrt(static_cast<double>(n))) / kBatch * kBatch);
    for (const ClothPart& part : model.parts) { // springs lie part by part
        spring_damping_.insert(spring_damping_.end(), static_cast<std::size_t>(part.spring_count), part.damping);
        is_damped_ = is_damped_ || part.damping.axial_time > 0.0 || part.damping.relative > 0.0;
    }
    set_blocks(model);
    damping_.resize(is_damped_ ? batches_.size() : 0);
}

void LinkBlocks::set_blocks(const ClothModel& model) {
    const int blocks = std::max(1, (padded_count_ + block_size_ - 1) / block_size_);
    std::vector<std::vector<int>> inside(blocks), between(blocks); // the last one between: farther than to the next
    for (int s = 0; s < model.spring_count(); ++s) {
        int low = place_[model.springs[s].a] / block_size_, high = place_[model.springs[s].b] / block_size_;
        if (low > high) std::swap(low, high);
        (low == high ? inside[low] : high == low + 1 ? between[low] : between[blocks - 1]).push_back(s);
    }
    int filler = padded_count_; // one of its own for each list, so that no two threads write the same
    block_start_.push_back(0);
    for (const std::vector<int>& springs : inside) {
        add_links(springs, model, filler++);
        block_start_.push_back(static_cast<int>(batches_.size()));
    }
    group_start_.push_back(static_cast<int>(batches_.size()));
    for (const int first : {0, 1}) // even ones, then odd ones
        for (int g = first; g + 1 < blocks; g += 2) {
            add_links(between[g], model, filler++);
            group_start_.push_back(static_cast<int>(batches_.size()));
        }
    add_links(between[blocks - 1], model, filler++);
    group_start_.push_back(static_cast<int>(batches_.size()));
    point_count_ = filler;
}

/// Colour by colour, each filled up to whole batches.
void LinkBlocks::add_links(std::span<const int> springs, const ClothModel& model, int filler) {
    std::vector<Edge> pairs;
    for (const int s : springs)
        pairs.push_back({place_[model.springs[s].a], place_[model.springs[s].b]});
    const IndexLists colours = colour_pairs(static_cast<int>(place_.size()), pairs);
    for (int c = 0; c < colours.row_count(); ++c) {
        const std::span<const int> row = colours[c];
        for (std::size_t first = 0; first < row.size(); first += kBatch) {
            Batch& batch = batches_.emplace_back();
            for (int k = 0; k < kBatch; ++k) {
                const std::size_t at = first + static_cast<std::size_t>(k);
                const int local = at < row.size() ? row[at] : -1;
                link_spring_.push_back(local < 0 ? -1 : springs[local]);
                batch.a[k] = local < 0 ? filler : pairs[local][0];
                batch.b[k] = local < 0 ? filler : pairs[local][1];
                batch.rest[k] = local < 0 ? 0.0F : model.springs[springs[local]].rest_length;
            }
        }
    }
}

void LinkBlocks::fit(ThreadPool& pool, double h, double mean_mass, std::span<const float> inverse_mass) {
    pool.for_each(static_cast<int>(batches_.size()), [&](int n) {
        Batch& batch = batches_[n];
        for (int k = 0; k < kBatch; ++k) {
            batch.factor[k] = 0.0F;
            if (is_damped_) damping_[n].axial[k] = damping_[n].relative[k] = 0.0F;
            const int s = link_spring_[n * kBatch + k];
            if (s < 0) continue;
            const double w = static_cast<double>(inverse_mass[batch.a[k]]) + inverse_mass[batch.b[k]];
            if (!(w > 0.0)) continue;
            // Over w: the factors lie in (0, 1/w] whatever the masses, within a float's range.
            const double stiffness = model_.springs[s].stiffness, over_mass = w / mean_mass;
            const auto factor = [&](double x) { return static_cast<float>(x / ((1.0 + x) * w)); };
            batch.factor[k] = factor(stiffness * h * h * over_mass);
            if (!is_damped_) continue;
            damping_[n].axial[k] = factor(spring_damping_[s].axial_time * stiffness * h * over_mass);
            damping_[n].relative[k] = factor(spring_damping_[s].relative * h * over_mass);
        }
    });
}

void LinkBlocks::start(ThreadPool& pool, std::span<const Vec3> position) {
    const int n = static_cast<int>(order_.size());
    pool.for_chunks(static_cast<int>(batches_.size()), 64, [&](int begin, int end) {
        for (int at = begin; at < end; ++at) {
            Batch& batch = batches_[at];
            for (int k = 0; k < kBatch; ++k) {
                if (batch.a[k] >= n) {
                    batch.edge[0][k] = batch.edge[1][k] = batch.edge[2][k] = 0.0F;
                    continue;
                }
                const Vec3 u = position[order_[batch.b[k]]] - position[order_[batch.a[k]]];
                batch.edge[0][k] = static_cast<float>(u.x);
                batch.edge[1][k] = static_cast<float>(u.y);
                batch.edge[2][k] = static_cast<float>(u.z);
            }
        }
    });
}

void LinkBlocks::project_inside(int block, Floats4* displacement) const {
    const int first = block_start_[block];
    project_batches(batches_.data() + first, block_start_[block + 1] - first, displacement);
}

void LinkBlocks::damp_inside(int block, const Floats4* displacement, Floats4* velocity) const {
    const int first = block_start_[block];
    damp_batches(batches_.data() + first, damping_.data() + first, block_start_[block + 1] - first, displacement,
                 velocity);
}

/// project(first batch, count), at once for groups that share no block: each leads from one block to the next, the even
/// ones come first, then the odd ones. The last group leads farther and has the points to itself.
template <class Project>
void LinkBlocks::for_each_group(ThreadPool& pool, const Project& project) const {
    const int groups = static_cast<int>(group_start_.size()) - 2, even = (groups + 1) / 2;
    const auto run = [&](int first, int count) {
        pool.for_chunks(count, 1, [&](int begin, int end) {
            for (int g = first + begin; g < first + end; ++g)
                project(group_start_[g], group_start_[g + 1] - group_start_[g]);
        });
    };
    run(0, even);
    run(even, groups - even);
    project(group_start_[groups], group_start_[groups + 1] - group_start_[groups]);
}

void LinkBlocks::project_between(ThreadPool& pool, Floats4* displacement) const {
    for_each_group(pool, [&](int first, int count) { project_batches(batches_.data() + first, count, displacement); });
}

void LinkBlocks::damp_between(ThreadPool& pool, const Floats4* displacement, Floats4* velocity) const {
    for_each_group(pool, [&](int first, int count) {
        if (count > 0) damp_batches(batches_.data() + first, damping_.data() + first, count, displacement, velocity);
    });
}

std::size_t LinkBlocks::bytes() const {
    return batches_.size() * sizeof(Batch) + damping_.size() * sizeof(Damping) + link_spring_.size() * sizeof(int);
}

} // namespace selvage
