#include "render/environment.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/pi.h"
#include "render/image_file.h"

namespace selvage {

namespace {

constexpr int kMapWidth = 256, kMapHeight = 128;
constexpr int kCubeSide = 64, kCubeLevels = 6; // down to 2 x 2

double luminance(const Vec3& c) {
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

Vec3 direction_of(double column, double row, int width, int height) {
    const double around = 2.0 * kPi * (column / width - 0.5), polar = kPi * row / height;
    return {std::sin(polar) * std::cos(around), std::cos(polar), std::sin(polar) * std::sin(around)};
}

/// Solid angle of a pixel in this row [sr].
double pixel_angle(int row, int width, int height) {
    return 2.0 * kPi / width * (std::cos(kPi * row / height) - std::cos(kPi * (row + 1) / height));
}

Vec3f pixel(const ImageF& map, int x, int y) {
    const auto& p = map.at(((x % map.width) + map.width) % map.width, std::clamp(y, 0, map.height - 1));
    return {p[0], p[1], p[2]};
}

ImageF half_size(const ImageF& map) {
    ImageF out{std::max(1, map.width / 2), std::max(1, map.height / 2), {}};
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x) {
            const Vec3f sum = pixel(map, 2 * x, 2 * y) + pixel(map, 2 * x + 1, 2 * y) + pixel(map, 2 * x, 2 * y + 1) +
                              pixel(map, 2 * x + 1, 2 * y + 1);
            out.rgba.push_back({0.25f * sum.x, 0.25f * sum.y, 0.25f * sum.z, 1.0f});
        }
    return out;
}

std::array<float, 9> harmonics(const Vec3f& n) {
    return {0.282095f,
            0.488603f * n.y,
            0.488603f * n.z,
            0.488603f * n.x,
            1.092548f * n.x * n.y,
            1.092548f * n.y * n.z,
            0.315392f * (3.0f * n.z * n.z - 1.0f),
            1.092548f * n.x * n.z,
            0.546274f * (n.x * n.x - n.y * n.y)};
}

std::array<Vec3f, 9> project_irradiance(const ImageF& map) {
    std::array<Vec3, 9> sum;
    for (int y = 0; y < map.height; ++y) {
        const double angle = pixel_angle(y, map.width, map.height);
        for (int x = 0; x < map.width; ++x) {
            const Vec3f d(direction_of(x + 0.5, y + 0.5, map.width, map.height));
            const Vec3 light = angle * Vec3(pixel(map, x, y));
            const std::array<float, 9> basis = harmonics(d);
            for (int k = 0; k < 9; ++k)
                sum[k] += static_cast<double>(basis[k]) * light;
        }
    }
    // The cosine lobe's own harmonics: pi, 2 pi / 3, pi / 4 for orders 0, 1, 2.
    std::array<Vec3f, 9> out;
    for (int k = 0; k < 9; ++k)
        out[k] = Vec3f((k == 0 ? kPi : k < 4 ? 2.0 * kPi / 3.0 : 0.25 * kPi) * sum[k]);
    return out;
}

/// Direction through the middle of a texel, by GL's layout of cube faces.
Vec3f cube_direction(int face, int x, int y, int side) {
    const float s = 2.0f * (static_cast<float>(x) + 0.5f) / static_cast<float>(side) - 1.0f;
    const float t = 2.0f * (static_cast<float>(y) + 0.5f) / static_cast<float>(side) - 1.0f;
    switch (face) {
    case 0:
        return normalized(Vec3f{1, -t, -s});
    case 1:
        return normalized(Vec3f{-1, -t, s});
    case 2:
        return normalized(Vec3f{s, 1, t});
    case 3:
        return normalized(Vec3f{s, -1, -t});
    case 4:
        return normalized(Vec3f{s, -t, 1});
    default:
        return normalized(Vec3f{-s, -t, -1});
    }
}

/// Half vectors of a GGX lobe about z, evenly spread (Hammersley), with the map level whose pixels are as large as the
/// fraction of the sphere each stands for.
struct LobeSample {
    Vec3f light; // for a view along the normal
    float weight, level;
};

std::vector<LobeSample> ggx_lobe(float alpha, int count) {
    std::vector<LobeSample> samples;
    for (int i = 0; i < count; ++i) {
        unsigned bits = static_cast<unsigned>(i);
        float radical = 0.0f;
        for (float digit = 0.5f; bits; bits >>= 1, digit *= 0.5f)
            if (bits & 1u) radical += digit;
        const float fraction = (static_cast<float>(i) + 0.5f) / static_cast<float>(count);
        const float cosine = std::sqrt((1.0f - fraction) / (1.0f + (alpha * alpha - 1.0f) * fraction));
        const float sine = std::sqrt(1.0f - cosine * cosine), around = 2.0f * std::numbers::pi_v<float> * radical;
        const Vec3f h{sine * std::cos(around), sine * std::sin(around), cosine};
        const Vec3f light{2.0f * cosine * h.x, 2.0f * cosine * h.y, 2.0f * cosine * cosine - 1.0f};
        if (light.z <= 0.0f) continue;
        const float d = alpha * alpha /
                        (std::numbers::pi_v<float> * std::pow(cosine * cosine * (alpha * alpha - 1.0f) + 1.0f, 2.0f));
        const float density = 0.25f * d; // of the reflected direction, seen along the normal
        const float sample_angle = 1.0f / (static_cast<float>(count) * density);
        const float texel_angle = 4.0f * std::numbers::pi_v<float> / (kMapWidth * kMapHeight);
        samples.push_back({light, light.z, std::max(0.0f, 0.5f * std::log2(sample_angle / texel_angle) + 1.0f)});
    }
    return samples;
}

std::vector<Environment::CubeLevel> prefilter(const ImageF& map) {
    std::vector<ImageF> pyramid{map};
    while (pyramid.back().width > 4)
        pyramid.push_back(half_size(pyramid.back()));
    std::vector<Environment::CubeLevel> levels;
    for (int level = 0; level < kCubeLevels; ++level) {
        Environment::CubeLevel made;
        made.side = kCubeSide >> level;
        const float roughness = static_cast<float>(level) / (kCubeLevels - 1);
        const std::vector<LobeSample> lobe =
            level == 0 ? std::vector<LobeSample>{{{0, 0, 1}, 1.0f, 0.5f}} : ggx_lobe(roughness * roughness, 96);
        for (int face = 0; face < 6; ++face)
            for (int y = 0; y < made.side; ++y)
                for (int x = 0; x < made.side; ++x) {
                    const Vec3f n = cube_direction(face, x, y, made.side);
                    const Vec3f t = normalized(cross(std::abs(n.y) < 0.9f ? Vec3f{0, 1, 0} : Vec3f{1, 0, 0}, n));
                    const Vec3f b = cross(n, t);
                    Vec3f sum;
                    float weight = 0.0f;
                    for (const LobeSample& s : lobe) {
                        const int fine = std::clamp(static_cast<int>(s.level), 0, static_cast<int>(pyramid.size()) - 1);
                        sum += s.weight * map_radiance(pyramid[fine], s.light.x * t + s.light.y * b + s.light.z * n);
                        weight += s.weight;
                    }
                    sum *= 1.0f / weight;
                    made.faces[face].insert(made.faces[face].end(), {sum.x, sum.y, sum.z, 1.0f});
                }
        levels.push_back(std::move(made));
    }
    return levels;
}

/// A soft-edged rectangle of light, `width` by `height` (tangents of half angles) about a direction.
double soft_box(const Vec3& direction, const Vec3& centre, double width, double height) {
    const double along = dot(direction, centre);
    if (along <= 0.0) return 0.0;
    const Vec3 right = normalized(cross(Vec3{0, 1, 0}, centre), {1, 0, 0}), up = cross(centre, right);
    const double x = std::abs(dot(direction, right) / along) / width, y = std::abs(dot(direction, up) / along) / height;
    const auto edge = [](double t) {
        const double s = std::clamp((1.15 - t) / 0.3, 0.0, 1.0);
        return s * s * (3.0 - 2.0 * s);
    };
    return edge(x) * edge(y);
}

} // namespace

Vec3f map_radiance(const ImageF& map, const Vec3f& direction) {
    const float pi = std::numbers::pi_v<float>;
    const float u = (std::atan2(direction.z, direction.x) / (2.0f * pi) + 0.5f) * static_cast<float>(map.width) - 0.5f;
    const float v = std::acos(std::clamp(direction.y, -1.0f, 1.0f)) / pi * static_cast<float>(map.height) - 0.5f;
    const int x = static_cast<int>(std::floor(u)), y = static_cast<int>(std::floor(v));
    const float fx = u - static_cast<float>(x), fy = v - static_cast<float>(y);
    return (1 - fy) * ((1 - fx) * pixel(map, x, y) + fx * pixel(map, x + 1, y)) +
           fy * ((1 - fx) * pixel(map, x, y + 1) + fx * pixel(map, x + 1, y + 1));
}

Environment make_environment(const Radiance& radiance, const KeyLight& key) {
    Environment out;
    out.key = key;
    out.map = {kMapWidth, kMapHeight, {}};
    for (int y = 0; y < kMapHeight; ++y)
        for (int x = 0; x < kMapWidth; ++x) {
            const Vec3f c(radiance(direction_of(x + 0.5, y + 0.5, kMapWidth, kMapHeight)));
            out.map.rgba.push_back({c.x, c.y, c.z, 1.0f});
        }
    out.irradiance = project_irradiance(out.map);
    out.levels = prefilter(out.map);
    return out;
}

Environment studio_environment() {
    const Vec3 window = normalized(Vec3{-0.9, 0.35, 0.55}), fill = normalized(Vec3{0.95, 0.25, 0.5});
    const Vec3 rim = normalized(Vec3{0.5, 0.45, -0.9}), top = normalized(Vec3{0.0, 1.0, 0.12});
    const auto radiance = [=](const Vec3& d) {
        // Walls fade from a grey floor to a darker ceiling.
        const double up = 0.5 + 0.5 * d.y;
        Vec3 light = Vec3{0.24, 0.23, 0.215} * (1.0 - up) + Vec3{0.10, 0.105, 0.115} * up;
        light += 1.1 * soft_box(d, window, 0.55, 0.8) * Vec3{1.0, 0.98, 0.95};
        light += 0.75 * soft_box(d, fill, 0.7, 0.7) * Vec3{0.93, 0.97, 1.0};
        light += 1.8 * soft_box(d, rim, 0.25, 0.9) * Vec3{0.95, 0.98, 1.0};
        light += 0.9 * soft_box(d, top, 0.9, 0.6) * Vec3{1.0, 1.0, 1.0};
        return light;
    };
    KeyLight key;
    key.direction = Vec3f(normalized(Vec3{-0.62, 0.85, 0.58}));
    key.irradiance = {3.45f, 3.3f, 3.1f};
    key.tan_radius = 0.09f;
    Environment out = make_environment(radiance, key);
    out.has_backdrop = true;
    out.backdrop_low = {0.46f, 0.45f, 0.43f};
    out.backdrop_high = {0.20f, 0.205f, 0.215f};
    return out;
}

Environment sky_environment() {
    const Vec3 sun = normalized(Vec3{-0.65, 0.62, 0.55});
    const auto radiance = [=](const Vec3& d) {
        if (d.y < 0.0) { // dry ground, brighter towards the horizon through haze
            const double haze = std::exp(8.0 * d.y);
            return Vec3{0.19, 0.17, 0.14} * (1.0 - haze) + Vec3{0.42, 0.46, 0.50} * haze;
        }
        // Deep blue overhead, pale at the horizon, a glow about the sun.
        const double low = std::pow(1.0 - d.y, 3.0), near_sun = std::max(0.0, dot(d, sun));
        Vec3 light = Vec3{0.13, 0.25, 0.52} * (1.0 - low) + Vec3{0.50, 0.57, 0.66} * low;
        light += (0.35 * std::pow(near_sun, 8.0) + 1.2 * std::pow(near_sun, 90.0)) * Vec3{1.0, 0.9, 0.72};
        return light;
    };
    KeyLight key;
    key.direction = Vec3f(sun);
    key.irradiance = {3.9f, 3.55f, 3.0f};
    key.tan_radius = 0.012f; // a little hazier than the bare sun's 0.0047
    return make_environment(radiance, key);
}

Environment environment_from_picture(const ImageF& picture, double turn_deg) {
    const double turn = turn_deg * kPi / 180.0;
    double mean = 0.0;
    for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x)
            mean += pixel_angle(y, picture.width, picture.height) * luminance(Vec3(pixel(picture, x, y))) / (4.0 * kPi);
    // As bright on the whole as the studio's walls and lamps together, so that one exposure serves all.
    constexpr double kMean = 0.42, kPeak = 10.0; // brighter than so many means belongs to the key
    const double scale = mean > 0.0 ? kMean / mean : 0.0;
    const double most = kPeak * kMean;
    ImageF rest = picture;
    Vec3 power, towards;
    double moment = 0.0;
    for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x) {
            Vec3 light = scale * Vec3(pixel(picture, x, y));
            const double bright = luminance(light);
            auto& out = rest.rgba[static_cast<std::size_t>(y) * rest.width + x];
            if (bright > most) {
                const Vec3 excess = (1.0 - most / bright) * pixel_angle(y, picture.width, picture.height) * light;
                power += excess;
                towards += luminance(excess) * direction_of(x + 0.5, y + 0.5, picture.width, picture.height);
                moment += luminance(excess);
                light = (most / bright) * light;
            }
            out = {static_cast<float>(light.x), static_cast<float>(light.y), static_cast<float>(light.z), 1.0f};
        }
    const auto turned = [](const Vec3& d, double angle) {
        return Vec3{std::cos(angle) * d.x - std::sin(angle) * d.z, d.y, std::sin(angle) * d.x + std::cos(angle) * d.z};
    };
    KeyLight key;
    key.irradiance = Vec3f(power);
    key.direction = Vec3f(turned(normalized(towards, {0, 1, 0}), turn));
    // |towards| / moment is the mean cosine to the middle: for a disc of half angle a it is 1 - a^2 / 4 and a bit.
    const double mean_cosine = moment > 0.0 ? std::min(1.0, length(towards) / moment) : 1.0;
    key.tan_radius = static_cast<float>(std::clamp(2.0 * std::sqrt(1.0 - mean_cosine), 0.005, 0.4));
    // Averages over the map's pixels, so that no small lamp falls between samples.
    ImageF level = rest;
    while (level.width >= 2 * kMapWidth && level.height >= 2 * kMapHeight)
        level = half_size(level);
    return make_environment([&](const Vec3& d) { return Vec3(map_radiance(level, Vec3f(turned(d, -turn)))); }, key);
}

Result<Environment> load_environment(const std::filesystem::path& path, double turn_deg) {
    const Result<ImageF> picture = read_hdr(path);
    if (!picture) return picture.error();
    return environment_from_picture(*picture, turn_deg);
}

Vec3f sky_irradiance(const Environment& environment, const Vec3f& normal) {
    const std::array<float, 9> basis = harmonics(normal);
    Vec3f sum;
    for (int k = 0; k < 9; ++k)
        sum += basis[k] * environment.irradiance[k];
    return {std::max(0.0f, sum.x), std::max(0.0f, sum.y), std::max(0.0f, sum.z)};
}

} // namespace selvage
