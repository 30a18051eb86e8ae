// Cloth is cut in two across its longest extent, and again, until parts are small enough. Around each lie rings of the
// vertices that its springs lead to, which its block works out as well.

#include "cuda/spring_patches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <numeric>

namespace selvage::cuda {

namespace {

constexpr int kLeastOwn = 32;
constexpr std::size_t kBuckets = 4096;

/// Cuts vertices into so many parts, and gives each to `take`.
void halve(const ClothModel& model, std::span<int> vertices, int parts,
           const std::function<void(std::span<int>)>& take) {
    if (parts <= 1 || vertices.size() < 2) return take(vertices);
    Vec3 low = model.mesh.positions[vertices[0]], high = low;
    for (const int v : vertices) {
        const Vec3& p = model.mesh.positions[v];
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const Vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const auto along = [&](int v) {
        const Vec3& p = model.mesh.positions[v];
        return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    };
    const std::size_t first = vertices.size() * static_cast<std::size_t>(parts / 2) / static_cast<std::size_t>(parts);
    std::nth_element(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(first), vertices.end(),
                     [&](int a, int b) { return along(a) != along(b) ? along(a) < along(b) : a < b; });
    halve(model, vertices.first(first), parts / 2, take);
    halve(model, vertices.subspan(first), parts - parts / 2, take);
}

std::size_t hash_of(std::size_t seed, std::size_t value) {
    return (seed ^ value) * 0x100000001b3ULL;
}

} // namespace

HostPatches::HostPatches(const ClothModel& model, int rings, int own) : place_(model.mass.size(), -1), rings_(rings) {
    std::map<std::array<std::uint32_t, 2>, std::uint32_t> known;
    law_.push_back({0.0F, 0.0F}); // fills rows up
    for (const Spring& s : model.springs) {
        const std::array<std::uint32_t, 2> bits{std::bit_cast<std::uint32_t>(s.rest_length),
                                                std::bit_cast<std::uint32_t>(s.stiffness)};
        const auto [found, is_new] = known.try_emplace(bits, static_cast<std::uint32_t>(law_.size()));
        if (is_new) law_.push_back({s.rest_length, s.stiffness});
        law_of_.push_back(found->second);
    }
    for (int most = own; most >= kLeastOwn && !fits_; most = most * 3 / 4)
        fits_ = cut(model, most);
}

bool HostPatches::cut(const ClothModel& model, int own) {
    kinds_.clear();
    patch_.clear();
    kinds_by_hash_.assign(kBuckets, {});
    std::vector<int> vertices(model.mass.size());
    std::iota(vertices.begin(), vertices.end(), 0);
    bool fits = true;
    for (const ClothPart& part : model.parts)
        halve(model, std::span(vertices).subspan(part.vertex_begin, part.vertex_count),
              (part.vertex_count + own - 1) / own, [&](std::span<int> mine) {
                  std::sort(mine.begin(), mine.end());
                  fits = fits && add_patch(model, {mine.begin(), mine.end()});
              });
    return fits;
}

/// False where it does not fit a block.
bool HostPatches::add_patch(const ClothModel& model, const std::vector<int>& own) {
    if (own.empty()) return true;
    std::vector<int> vertices = own;
    for (std::size_t k = 0; k < own.size(); ++k)
        place_[own[k]] = static_cast<int>(k);
    std::size_t begin = 0, before_last = own.size();
    for (int ring = 0; ring < rings_; ++ring) {
        const std::size_t end = vertices.size();
        before_last = end;
        for (std::size_t k = begin; k < end; ++k)
            for (const SpringEnd& spring : model.ends_of(vertices[k]))
                if (place_[spring.other] < 0) {
                    place_[spring.other] = 0; // until they are in order
                    vertices.push_back(spring.other);
                }
        std::sort(vertices.begin() + static_cast<std::ptrdiff_t>(end), vertices.end());
        for (std::size_t k = end; k < vertices.size(); ++k)
            place_[vertices[k]] = static_cast<int>(k);
        begin = end;
    }
    const bool fits = before_last <= PatchView::kMostWorked && vertices.size() <= PatchView::kMostRead;
    if (fits) {
        Kind kind;
        kind.own = static_cast<int>(own.size());
        kind.worked = static_cast<int>(before_last);
        fill_springs(model, vertices, kind);
        for (const int v : vertices)
            kind.vertex.push_back(v - own[0]);
        patch_.push_back({own[0], find_kind(std::move(kind))});
    }
    for (const int v : vertices)
        place_[v] = -1;
    return fits;
}

void HostPatches::fill_springs(const ClothModel& model, const std::vector<int>& vertices, Kind& kind) const {
    for (int row = 0; row < kind.worked; ++row)
        kind.slots = std::max(kind.slots, static_cast<int>(model.ends_of(vertices[row]).size()));
    const int stride = PatchView::padded(kind.worked);
    kind.other.assign(static_cast<std::size_t>(kind.slots) * stride, 0);
    kind.law.assign(kind.other.size(), 0);
    for (int row = 0; row < stride; ++row)
        for (int slot = 0; slot < kind.slots; ++slot) {
            const std::size_t e = static_cast<std::size_t>(slot) * stride + row;
            kind.other[e] = static_cast<std::uint32_t>(row < kind.worked ? row : 0);
            if (row >= kind.worked || slot >= static_cast<int>(model.ends_of(vertices[row]).size())) continue;
            const SpringEnd& spring = model.ends_of(vertices[row])[slot];
            kind.other[e] = static_cast<std::uint32_t>(place_[spring.other]);
            kind.law[e] = law_of_[spring.spring];
        }
}

int HostPatches::find_kind(Kind kind) {
    std::size_t hash = kind.vertex.size();
    for (const int v : kind.vertex)
        hash = hash_of(hash, static_cast<std::size_t>(v));
    for (const std::uint32_t law : kind.law)
        hash = hash_of(hash, law);
    std::vector<int>& bucket = kinds_by_hash_[(hash >> 20) % kBuckets];
    for (const int k : bucket)
        if (kinds_[k] == kind) return k;
    bucket.push_back(static_cast<int>(kinds_.size()));
    kinds_.push_back(std::move(kind));
    return bucket.back();
}

void HostPatches::lay_out(DeviceMemory& memory, PatchView& view) const {
    constexpr std::size_t kMostLaws = 65536;
    const bool has_table = law_.size() <= kMostLaws;
    std::vector<PatchNumbers> numbers(kinds_.size());
    std::vector<int> vertex;
    std::vector<std::uint32_t> spring;
    std::vector<float2> law;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const Kind& kind = kinds_[k];
        numbers[k] = {0,
                      kind.own,
                      kind.worked,
                      static_cast<int>(kind.vertex.size()),
                      static_cast<int>(vertex.size()),
                      static_cast<int>(spring.size()),
                      kind.slots,
                      0};
        vertex.insert(vertex.end(), kind.vertex.begin(), kind.vertex.end());
        for (std::size_t e = 0; e < kind.other.size(); ++e) {
            spring.push_back(static_cast<std::uint32_t>(sizeof(float4)) * kind.other[e] |
                             (has_table ? kind.law[e] << 16 : 0));
            if (!has_table) law.push_back(law_[kind.law[e]]);
        }
        view.slots = std::max(view.slots, kind.slots);
        view.most_own = std::max(view.most_own, kind.own);
        view.most_worked = std::max(view.most_worked, kind.worked);
        view.most_read = std::max(view.most_read, static_cast<int>(kind.vertex.size()));
    }
    std::vector<PatchNumbers> patches;
    for (const int2& patch : patch_) {
        patches.push_back(numbers[patch.y]);
        patches.back().first = patch.x;
    }
    view.rings = rings_;
    view.count = static_cast<int>(patches.size());
    view.patch = memory.copy(patches);
    view.vertex = memory.copy(vertex);
    view.spring = memory.copy(spring);
    view.has_table = has_table;
    view.law = memory.copy(has_table ? law_ : law);
}

} // namespace selvage::cuda
