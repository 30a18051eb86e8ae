#include "draw_thread.h"

#include <algorithm>
#include <cstring>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "render/image_file.h"

namespace selvage {

namespace {

/// What a cloth without a surface of its own may be refined to.
int affordable_triangles(DrawStyle style) {
    return style == DrawStyle::fabric ? 24000 : 6000;
}

Image8 beside(const Image8& left, const Image8& right) {
    Image8 both{left.width + right.width, left.height, {}};
    both.rgb.resize(3 * static_cast<std::size_t>(both.width) * both.height);
    const std::size_t left_row = 3 * static_cast<std::size_t>(left.width),
                      right_row = 3 * static_cast<std::size_t>(right.width);
    for (std::size_t y = 0; y < static_cast<std::size_t>(both.height); ++y) {
        std::uint8_t* row = both.rgb.data() + y * (left_row + right_row);
        std::memcpy(row, left.rgb.data() + y * left_row, left_row);
        std::memcpy(row + left_row, right.rgb.data() + y * right_row, right_row);
    }
    return both;
}

} // namespace

DrawThread::DrawThread(std::function<void(bool)> make_current, std::function<void()> on_picture)
    : make_current_(std::move(make_current)), on_picture_(std::move(on_picture)) {
    thread_ = std::thread([this] { main(); });
}

DrawThread::~DrawThread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void DrawThread::post(DrawRequest request) {
    {
        const std::lock_guard lock(mutex_);
        request_ = std::move(request);
    }
    wake_.notify_one();
}

std::shared_ptr<const Picture> DrawThread::picture() const {
    const std::lock_guard lock(mutex_);
    return picture_;
}

bool DrawThread::is_busy() const {
    const std::lock_guard lock(mutex_);
    return busy_ || request_.has_value();
}

std::string DrawThread::device() const {
    const std::lock_guard lock(mutex_);
    return device_;
}

std::string DrawThread::take_error() {
    const std::lock_guard lock(mutex_);
    return std::exchange(error_, {});
}

std::string DrawThread::take_news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
}

void DrawThread::start_film(const std::filesystem::path& path) {
    const std::lock_guard lock(mutex_);
    if (filming_) return;
    film_path_ = path;
    filming_ = true;
    film_ends_ = false;
}

void DrawThread::stop_film() {
    {
        const std::lock_guard lock(mutex_);
        film_ends_ = filming_;
    }
    wake_.notify_one();
}

bool DrawThread::is_filming() const {
    const std::lock_guard lock(mutex_);
    return filming_;
}

void DrawThread::report(const Error& error) {
    const std::lock_guard lock(mutex_);
    error_ = error.text();
}

void DrawThread::main() {
    make_current_(true);
    pool_ = std::make_unique<ThreadPool>(1); // the others are the simulation's
    RenderSettings settings;
    settings.width = width_ = 64, settings.height = height_ = 64; // until the first request says more
    Result<Renderer> renderer = Renderer::make(settings, GlContext::adopt_current());
    if (renderer) {
        renderer_.emplace(std::move(*renderer));
        const std::lock_guard lock(mutex_);
        device_ = renderer_->device();
    } else
        report(renderer.error());
    std::unique_lock lock(mutex_);
    std::uint64_t number = 0;
    while (true) {
        wake_.wait(lock, [&] { return stopping_ || request_ || film_ends_; });
        if (film_ends_ || (stopping_ && filming_)) {
            lock.unlock();
            const Status ok =
                film_ ? film_->finish() : Status(Error{"no picture was drawn while filming", "", ErrorKind::work});
            const std::string news =
                ok ? concat("wrote ", film_path_.string(), ": ", film_->frame_count(), " frames") : ok.error().text();
            film_.reset();
            lock.lock();
            filming_ = film_ends_ = false;
            news_ = news;
            continue;
        }
        if (stopping_) break;
        const DrawRequest request = std::move(*request_);
        request_.reset();
        if (!renderer_) continue;
        busy_ = true;
        lock.unlock();
        const Stopwatch clock;
        Result<Image8> image = draw(request);
        if (!image) report(image.error());
        if (image) {
            auto made =
                std::make_shared<Picture>(Picture{std::move(*image), ++number, request.snapshot->number, request.style,
                                                  clock.ms(), request.snapshot->time, request.snapshot->input_at});
            write_files(*made, request.save_to);
            const std::lock_guard inner(mutex_);
            picture_ = std::move(made);
        }
        lock.lock();
        busy_ = false;
        lock.unlock();
        on_picture_();
        lock.lock();
    }
    lock.unlock();
    left_.scene.reset();
    right_.scene.reset();
    renderer_.reset();
    make_current_(false);
}

Result<Image8> DrawThread::draw_half(const DrawRequest& request, Cached& cached,
                                     const std::shared_ptr<const ClothModel>& model, const std::vector<Vec3>& position,
                                     const Overlays& overlays) {
    const Snapshot& snapshot = *request.snapshot;
    const SceneFrame frame{position, snapshot.colliders};
    const int triangles = affordable_triangles(request.style);
    if (!cached.scene || cached.build != snapshot.build || cached.model != model || cached.triangles != triangles ||
        !(cached.overlays == overlays)) {
        renderer_->forget_prints();
        Result<DrawnScene> made = DrawnScene::make(*snapshot.scene, model, frame, triangles, overlays);
        if (!made) return made.error();
        cached.scene.emplace(std::move(*made));
        cached.build = snapshot.build;
        cached.model = model;
        cached.triangles = triangles;
        cached.overlays = overlays;
    }
    return renderer_->draw(cached.scene->update(frame, *pool_), request.view, request.style);
}

Result<Image8> DrawThread::draw(const DrawRequest& request) {
    const Snapshot& snapshot = *request.snapshot;
    const bool split = request.split == Split::surface || (request.split == Split::solvers && snapshot.rival_model);
    const int width = std::max(1, split ? request.width / 2 : request.width), height = std::max(1, request.height);
    if (width != width_ || height != height_) {
        if (const Status ok = renderer_->resize(width, height); !ok) return ok.error();
        width_ = width, height_ = height;
    }
    const RenderDesc& look = snapshot.scene->render;
    const std::string environment =
        concat(look.environment, "|", look.environment_turn_deg, "|", snapshot.scene->directory.string());
    if (environment != environment_) {
        environment_ = environment; // also when it fails: once is enough to say so
        const Result<Environment> made = scene_environment(*snapshot.scene);
        if (made)
            renderer_->set_environment(*made);
        else
            report(made.error());
    }
    renderer_->set_exposure(look.exposure);
    Overlays overlays = request.overlays;
    if (request.split == Split::surface) overlays.wireframe = overlays.particles = true;
    Result<Image8> first = draw_half(request, left_, snapshot.model, snapshot.position, overlays);
    if (!first || !split) return first;
    const bool rival = request.split == Split::solvers;
    const Result<Image8> second =
        draw_half(request, right_, rival ? snapshot.rival_model : snapshot.model,
                  rival ? snapshot.rival_position : snapshot.position, rival ? request.overlays : Overlays{});
    if (!second) return second;
    return beside(*first, *second);
}

void DrawThread::write_files(const Picture& picture, const std::filesystem::path& path) {
    std::filesystem::path film_path;
    bool filming = false;
    {
        const std::lock_guard lock(mutex_);
        filming = filming_;
        film_path = film_path_;
    }
    if (!path.empty()) {
        const Status ok = write_png(path, picture.image);
        const std::lock_guard lock(mutex_);
        news_ = ok ? "wrote " + path.string() : ok.error().text();
    }
    if (!filming) return;
    if (!film_) film_.emplace(film_path);
    if (const Status ok = film_->add(picture.image, picture.time); !ok) {
        film_.reset();
        const std::lock_guard lock(mutex_);
        filming_ = false;
        news_ = ok.error().text();
    }
}

} // namespace selvage
