#include "draw_thread.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "render/image_file.h"

namespace selvage {

namespace {

/// Most triangles that cloth without a surface of its own is refined to.
int affordable_triangles(DrawStyle style) {
    return style == DrawStyle::fabric ? 24000 : 6000;
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
    pictures_.emplace();
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
    while (true) {
        wake_.wait(lock, [&] { return stopping_ || request_ || film_ends_; });
        const bool film_ends = film_ends_ || (stopping_ && filming_);
        if (stopping_ && !film_ends) break;
        const std::optional<DrawRequest> request = film_ends ? std::nullopt : std::exchange(request_, std::nullopt);
        busy_ = request && renderer_;
        lock.unlock();
        if (film_ends) finish_film();
        if (request && renderer_) make_picture(*request);
        lock.lock();
    }
    picture_.reset();
    lock.unlock();
    left_.scene.reset();
    right_.scene.reset();
    pictures_.reset();
    renderer_.reset();
    make_current_(false);
}

void DrawThread::finish_film() {
    const Status ok =
        film_ ? film_->finish() : Status(Error{"no picture was drawn while filming", "", ErrorKind::work});
    const std::string news =
        ok ? concat("wrote ", film_path_.string(), ": ", film_->frame_count(), " frames") : ok.error().text();
    film_.reset();
    const std::lock_guard lock(mutex_);
    filming_ = film_ends_ = false;
    news_ = news;
}

void DrawThread::make_picture(const DrawRequest& request) {
    const Stopwatch clock;
    Result<std::shared_ptr<SharedPicture>> image = draw(request);
    if (image) {
        const Snapshot& snapshot = *request.snapshot;
        auto made = std::make_shared<Picture>(Picture{std::move(*image), ++picture_count_, snapshot.number,
                                                      request.style, clock.ms(), snapshot.time, snapshot.input_at});
        write_files(*made, request.save_to);
        const std::lock_guard lock(mutex_);
        picture_ = std::move(made);
    } else
        report(image.error());
    {
        const std::lock_guard lock(mutex_);
        busy_ = false;
    }
    on_picture_();
}

Status DrawThread::draw_half(const DrawRequest& request, const Half& half, SharedPicture& picture) {
    const Snapshot& snapshot = *request.snapshot;
    const SceneFrame frame{half.position, snapshot.colliders};
    const int triangles = affordable_triangles(request.style);
    Cached& cached = half.cached;
    if (!cached.scene || cached.build != snapshot.build || cached.model != half.model ||
        cached.triangles != triangles || !(cached.overlays == half.overlays)) {
        renderer_->forget_prints();
        Result<DrawnScene> made = DrawnScene::make(*snapshot.scene, half.model, frame, triangles, half.overlays);
        if (!made) return made.error();
        cached.scene.emplace(std::move(*made));
        cached.build = snapshot.build;
        cached.model = half.model;
        cached.triangles = triangles;
        cached.overlays = half.overlays;
    }
    return renderer_->draw_into(picture, half.left, cached.scene->update(frame, *pool_), request.view, request.style);
}

/// Size and light, where they have changed.
Status DrawThread::set_up(const DrawRequest& request, int width, int height) {
    if (width != width_ || height != height_) {
        if (const Status ok = renderer_->resize(width, height); !ok) return ok;
        width_ = width, height_ = height;
    }
    const SceneDesc& scene = *request.snapshot->scene;
    const std::string environment =
        concat(scene.render.environment, "|", scene.render.environment_turn_deg, "|", scene.directory.string());
    if (environment != environment_) {
        environment_ = environment; // also when it fails: the error is reported once
        const Result<Environment> made = scene_environment(scene);
        if (made)
            renderer_->set_environment(*made);
        else
            report(made.error());
    }
    renderer_->set_exposure(scene.render.exposure);
    return Done{};
}

Result<std::shared_ptr<SharedPicture>> DrawThread::draw(const DrawRequest& request) {
    const Snapshot& snapshot = *request.snapshot;
    const bool compared = request.split == Split::solvers;
    const bool split = request.split == Split::surface || (compared && snapshot.compared_model);
    const int width = std::max(1, split ? request.width / 2 : request.width), height = std::max(1, request.height);
    if (const Status ok = set_up(request, width, height); !ok) return ok.error();
    Result<std::shared_ptr<SharedPicture>> picture = pictures_->take(split ? 2 * width : width, height);
    if (!picture) return picture;
    (*picture)->start();
    Overlays overlays = request.overlays;
    if (request.split == Split::surface) overlays.wireframe = overlays.particles = true;
    const Half left{left_, snapshot.model, snapshot.position, overlays, 0};
    if (const Status ok = draw_half(request, left, **picture); !ok) return ok.error();
    if (split) {
        const Half right{right_, compared ? snapshot.compared_model : snapshot.model,
                         compared ? snapshot.compared_position : snapshot.position,
                         compared ? request.overlays : Overlays{}, width};
        if (const Status ok = draw_half(request, right, **picture); !ok) return ok.error();
    }
    (*picture)->finish();
    return picture;
}

void DrawThread::write_files(const Picture& picture, const std::filesystem::path& path) {
    std::filesystem::path film_path;
    bool filming = false;
    {
        const std::lock_guard lock(mutex_);
        filming = filming_;
        film_path = film_path_;
    }
    if (path.empty() && !filming) return;
    const Image8 image = picture.image->read();
    if (!path.empty()) {
        const Status ok = write_png(path, image);
        const std::lock_guard lock(mutex_);
        news_ = ok ? "wrote " + path.string() : ok.error().text();
    }
    if (!filming) return;
    if (!film_) film_.emplace(film_path);
    if (const Status ok = film_->add(image, picture.time); !ok) {
        film_.reset();
        const std::lock_guard lock(mutex_);
        filming_ = false;
        news_ = ok.error().text();
    }
}

} // namespace selvage
