#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "drawing/drawn_scene.h"
#include "film_recorder.h"
#include "render/renderer.h"
#include "view/snapshot.h"

namespace selvage {

/// What the window shows side by side.
enum class Split { none, solvers, surface };

/// One picture to be drawn.
struct DrawRequest {
    std::shared_ptr<const Snapshot> snapshot;
    RenderView view;
    int width = 0, height = 0; ///< [pixels].
    DrawStyle style = DrawStyle::fabric;
    Overlays overlays;
    Split split = Split::none;
    std::filesystem::path save_to; ///< Where to write the picture as well; empty: nowhere.
};

struct Picture {
    std::shared_ptr<SharedPicture> image; ///< On the GPU, finished.
    std::uint64_t number = 0;             ///< Counted from 1.
    std::uint64_t snapshot = 0;
    DrawStyle style = DrawStyle::fabric;
    double ms = 0.0;                                  ///< From the request until the GPU had finished it.
    double time = 0.0;                                ///< Simulated [s].
    std::chrono::steady_clock::time_point input_at{}; ///< See Snapshot.
};

/// Draws on a thread of its own, so that neither the panels nor the simulation wait for it: on a machine without a GPU
/// a picture may take a second. The latest request is drawn next; those it overtook are not drawn at all.
class DrawThread {
public:
    /// `make_current` gives the thread a GL context when called with true, and takes it away again with false; pictures
    /// are shown in contexts that share its textures. `on_picture` is called after each picture, on this thread.
    DrawThread(std::function<void(bool)> make_current, std::function<void()> on_picture);
    ~DrawThread();
    DrawThread(const DrawThread&) = delete;
    DrawThread& operator=(const DrawThread&) = delete;

    void post(DrawRequest request);
    /// The latest; null before the first. Its texture is used again once the last pointer to it is gone, and all must
    /// be gone before this is destroyed.
    std::shared_ptr<const Picture> picture() const;
    bool is_busy() const;
    /// The device that draws; empty until it is known.
    std::string device() const;
    /// What went wrong since the last call; empty for nothing.
    std::string take_error();

    void start_film(const std::filesystem::path& path);
    void stop_film(); ///< The film is complete when is_filming() is false again.
    bool is_filming() const;
    /// What became of pictures and films since the last call; empty for nothing.
    std::string take_news();

private:
    struct Cached { // a scene ready to be drawn
        std::uint64_t build = 0;
        int triangles = 0;
        Overlays overlays;
        std::shared_ptr<const ClothModel> model;
        std::optional<DrawnScene> scene;
    };
    void main();
    void report(const Error& error);
    void finish_film();
    void make_picture(const DrawRequest& request);
    Status set_up(const DrawRequest& request, int width, int height);
    Result<std::shared_ptr<SharedPicture>> draw(const DrawRequest& request);
    struct Half { // one of the two pictures of a split view, or all of it
        Cached& cached;
        const std::shared_ptr<const ClothModel>& model;
        const std::vector<Vec3>& position;
        Overlays overlays;
        int left; // column
    };
    Status draw_half(const DrawRequest& request, const Half& half, SharedPicture& picture);
    void write_files(const Picture& picture, const std::filesystem::path& path);

    std::function<void(bool)> make_current_;
    std::function<void()> on_picture_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false, busy_ = false;
    std::optional<DrawRequest> request_;
    std::shared_ptr<const Picture> picture_;
    std::string device_, error_, news_;
    std::filesystem::path film_path_;
    bool filming_ = false, film_ends_ = false;

    // The thread's own.
    std::optional<Renderer> renderer_;
    std::optional<SharedPictures> pictures_;
    std::uint64_t picture_count_ = 0;
    std::unique_ptr<ThreadPool> pool_;
    Cached left_, right_;
    std::string environment_;
    int width_ = 0, height_ = 0;
    std::optional<FilmRecorder> film_;
    std::thread thread_;
};

} // namespace selvage
