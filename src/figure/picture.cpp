#include "figure/picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.h"

namespace selvage {

namespace {

constexpr double kNear = 1e-3; // [m]

/// Linear light of a colour's channels, and back through a table: a power per sample would be most of the cost.
Vec3 to_linear(Colour c) {
    const auto channel = [](std::uint8_t v) { return std::pow(v / 255.0, 2.2); };
    return {channel(c.r), channel(c.g), channel(c.b)};
}

Colour to_display(const Vec3& linear) {
    constexpr int kSize = 4096;
    static const std::vector<std::uint8_t> table = [] {
        std::vector<std::uint8_t> values(kSize);
        for (int i = 0; i < kSize; ++i)
            values[i] = static_cast<std::uint8_t>(std::lround(255.0 * std::pow(i / (kSize - 1.0), 1.0 / 2.2)));
        return values;
    }();
    const auto channel = [&](double v) { return table[std::lround(std::clamp(v, 0.0, 1.0) * (kSize - 1))]; };
    return {channel(linear.x), channel(linear.y), channel(linear.z)};
}

/// A key light from the upper right, sky above and ground below, a faint gloss.
Colour shade(const Vec3& base, const Vec3& normal, const Vec3& to_eye) {
    static const Vec3 kKey = normalized(Vec3{0.45, 0.75, 0.5});
    const double key = std::max(0.0, dot(normal, kKey));
    const double sky = 0.5 + 0.5 * normal.y;
    double gloss = std::max(0.0, dot(normal, normalized(kKey + to_eye)));
    for (int doubling = 0; doubling < 4; ++doubling) // 16th power
        gloss *= gloss;
    const double light = 0.16 + 0.26 * sky + 0.62 * key, white = 0.10 * gloss * key;
    return to_display(base * light + Vec3{white, white, white});
}

class Rasteriser {
public:
    /// `nearest` holds an inverse depth per fine pixel of the canvas and is shared by all objects of a picture.
    Rasteriser(Canvas& canvas, std::vector<double>& nearest, const PictureObject& object, const PictureView& view)
        : canvas_(canvas), nearest_(nearest), mesh_(*object.mesh), positions_(*object.positions), view_(view),
          normals_(object.normals.empty() ? vertex_normals(mesh_, positions_)
                                          : std::vector<Vec3f>(object.normals.begin(), object.normals.end())),
          front_(to_linear(object.front)), back_(to_linear(object.back)), screen_(positions_.size()) {
        SELVAGE_ASSERT(normals_.size() == positions_.size());
        const PictureCamera camera(view, canvas.fine_width(), canvas.fine_height());
        for (std::size_t i = 0; i < positions_.size(); ++i)
            screen_[i] = camera.project(positions_[i]);
    }

    /// Rows [top, bottom) of all triangles; bands do not touch each other's pixels.
    void draw_band(int top, int bottom) {
        for (const Triangle& t : mesh_.triangles)
            draw_triangle(t, top, bottom);
    }

private:
    void draw_triangle(const Triangle& t, int top, int bottom) {
        const PicturePoint &a = screen_[t[0]], &b = screen_[t[1]], &c = screen_[t[2]];
        if (!(std::min({a.depth, b.depth, c.depth}) > kNear)) return;
        const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if (!(std::abs(area) > 1e-12)) return;
        const int x0 = static_cast<int>(std::max(0.0, std::floor(std::min({a.x, b.x, c.x}))));
        const int x1 = static_cast<int>(std::min(canvas_.fine_width() - 1.0, std::ceil(std::max({a.x, b.x, c.x}))));
        const int y0 = static_cast<int>(std::max<double>(top, std::floor(std::min({a.y, b.y, c.y}))));
        const int y1 = static_cast<int>(std::min(bottom - 1.0, std::ceil(std::max({a.y, b.y, c.y}))));
        for (int y = y0; y <= y1; ++y)
            for (int x = x0; x <= x1; ++x) {
                const double px = x + 0.5, py = y + 0.5;
                const double wb = ((px - a.x) * (c.y - a.y) - (py - a.y) * (c.x - a.x)) / area;
                const double wc = ((b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x)) / area;
                const double wa = 1.0 - wb - wc;
                if (wa < 0.0 || wb < 0.0 || wc < 0.0) continue;
                const double inverse_depth = wa / a.depth + wb / b.depth + wc / c.depth;
                double& seen = nearest_[static_cast<std::size_t>(y) * canvas_.fine_width() + x];
                if (inverse_depth <= seen) continue;
                seen = inverse_depth;
                const auto mix = [&](const auto& v) {
                    return wa * Vec3(v[t[0]]) + wb * Vec3(v[t[1]]) + wc * Vec3(v[t[2]]);
                };
                const bool front = area < 0.0; // the screen's y runs down
                const Vec3 normal = normalized(mix(normals_)) * (front ? 1.0 : -1.0);
                canvas_.set_fine(x, y, shade(front ? front_ : back_, normal, normalized(view_.eye - mix(positions_))));
            }
    }

    Canvas& canvas_;
    std::vector<double>& nearest_;
    const TriangleMesh& mesh_;
    const std::vector<Vec3>& positions_;
    const PictureView& view_;
    std::vector<Vec3f> normals_;
    Vec3 front_, back_;
    std::vector<PicturePoint> screen_; // fine pixels
};

} // namespace

PictureCamera::PictureCamera(const PictureView& view, double width, double height)
    : eye_(view.eye), forward_(normalized(view.target - view.eye, {0, 0, -1})),
      right_(normalized(cross(forward_, Vec3{0, 1, 0}), {1, 0, 0})), up_(cross(right_, forward_)), width_(width),
      height_(height), focal_(0.5 * height / std::tan(0.5 * view.fov_deg * std::numbers::pi / 180.0)) {}

PicturePoint PictureCamera::project(const Vec3& point) const {
    const Vec3 d = point - eye_;
    const double depth = dot(d, forward_);
    const double scale = depth > kNear ? focal_ / depth : 0.0;
    return {0.5 * width_ + scale * dot(d, right_), 0.5 * height_ - scale * dot(d, up_), depth};
}

Canvas draw_picture(ThreadPool& pool, std::span<const PictureObject> objects, const PictureView& view, int width,
                    int height) {
    Canvas canvas(width, height, {236, 238, 241});
    std::vector<double> nearest(static_cast<std::size_t>(canvas.fine_width()) * canvas.fine_height(), 0.0);
    for (const PictureObject& object : objects) {
        Rasteriser rasteriser(canvas, nearest, object, view);
        pool.for_chunks(canvas.fine_height(), 64, [&](int top, int bottom) { rasteriser.draw_band(top, bottom); });
    }
    return canvas;
}

Canvas draw_picture(ThreadPool& pool, const TriangleMesh& mesh, const std::vector<Vec3>& positions,
                    const PictureView& view, int width, int height, std::span<const Vec3f> normals) {
    PictureObject cloth{&mesh, &positions};
    cloth.normals = normals;
    return draw_picture(pool, {&cloth, 1}, view, width, height);
}

} // namespace selvage
