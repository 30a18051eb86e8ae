#include <cmath>
#include <condition_variable>
#include <thread>

#include <unistd.h>

#include "arrays.h"
#include "bindings.h"
#include "drawing/drawn_scene.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace selvage::python {

namespace {

/// All pictures of the process are drawn on one thread, since a GL context belongs to one; who wants a picture waits.
class DrawingThread {
public:
    static DrawingThread& instance() {
        static std::mutex mutex;
        const std::lock_guard lock(mutex);
        // Never destroyed: at the end the driver may be gone first. A forked process has no threads, and gets its own.
        static DrawingThread* made = nullptr;
        if (!made || made->process_ != getpid()) made = new DrawingThread;
        return *made;
    }

    /// Runs job(renderer) there; fails where no renderer can be made.
    template <class Job>
    Result<Image8> draw(int width, int height, const SceneDesc& look, const Job& job) {
        const std::lock_guard one_picture(callers_);
        std::optional<Result<Image8>> image;
        const std::function<void()> task = [&] {
            try {
                const Status ready = prepare(width, height, look);
                image = ready ? job(*renderer_) : Result<Image8>(ready.error());
            } catch (const std::exception& error) {
                image = Error{error.what(), {}, ErrorKind::work};
            }
        };
        std::unique_lock lock(mutex_);
        task_ = &task;
        changed_.notify_all();
        changed_.wait(lock, [&] { return task_ == nullptr; });
        return std::move(*image);
    }

private:
    DrawingThread() : process_(getpid()) {
        std::thread([this] { work(); }).detach();
    }

    [[noreturn]] void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] { return task_ != nullptr; });
            (*task_)();
            task_ = nullptr;
            changed_.notify_all();
        }
    }

    /// A renderer takes a third of a second to make: it is kept from picture to picture.
    Status prepare(int width, int height, const SceneDesc& look) {
        const std::string light =
            concat(look.directory.string(), "/", look.render.environment, "/", look.render.environment_turn_deg);
        Result<Environment> environment = scene_environment(look);
        if (!environment) return environment.error();
        if (!renderer_) {
            Result<Renderer> made = Renderer::make({.width = width, .height = height});
            if (!made) return made.error();
            renderer_ = std::make_unique<Renderer>(std::move(*made));
            light_.clear();
        } else if (width != width_ || height != height_) {
            if (const Status ok = renderer_->resize(width, height); !ok) {
                renderer_.reset();
                return ok.error();
            }
        }
        width_ = width, height_ = height;
        if (light != light_) renderer_->set_environment(*environment);
        light_ = light;
        renderer_->set_exposure(look.render.exposure);
        renderer_->forget_prints();
        return Done{};
    }

    pid_t process_;
    std::mutex callers_, mutex_;
    std::condition_variable changed_;
    const std::function<void()>* task_ = nullptr;
    std::unique_ptr<Renderer> renderer_;
    int width_ = 0, height_ = 0;
    std::string light_;
};

/// What moves in a world, copied, so that it may be drawn while the world goes on.
struct WorldFrame {
    std::vector<std::uint64_t> cloths;
    SceneDesc scene;
    std::vector<Vec3> position;
    std::vector<Collider> colliders;
};

WorldFrame frame_of(selvage_world handle) {
    WorldFrame frame;
    check(with_world(handle, Mode::reader, [&](World& world) -> selvage_result {
        for (const WorldCloth* cloth : world.cloths().in_order()) {
            frame.cloths.push_back(cloth->handle);
            frame.position.insert(frame.position.end(), cloth->positions().begin(), cloth->positions().end());
        }
        if (frame.cloths.empty()) return fail(SELVAGE_ERROR_ARGUMENT, "the world has no cloth; expected some to draw");
        frame.scene = world.scene();
        frame.colliders = world.colliders_now();
        return SELVAGE_OK;
    }));
    return frame;
}

struct Camera {
    Triple eye, target;
    double fov_deg;
};

/// Pictures of one world. Keeps what does not change from frame to frame.
class Picture {
public:
    explicit Picture(const LoadedScene* scene) {
        if (scene) camera_ = scene->desc.camera, render_ = scene->desc.render, directory_ = scene->desc.directory;
    }

    py::array_t<std::uint8_t> draw(selvage_world world, int width, int height, const std::optional<Camera>& camera,
                                   const std::optional<std::string>& environment,
                                   const std::vector<std::string>& show) {
        const WorldFrame frame = frame_of(world);
        Overlays overlays;
        for (const std::string& name : show)
            switch_on(overlays, name);
        std::optional<Result<Image8>> image;
        {
            const py::gil_scoped_release release;
            const std::lock_guard lock(mutex_);
            image = draw_frame(frame, width, height, camera, environment, overlays);
        }
        return to_array(take(std::move(*image)));
    }

private:
    Result<Image8> draw_frame(const WorldFrame& frame, int width, int height, const std::optional<Camera>& camera,
                              const std::optional<std::string>& environment, const Overlays& overlays) {
        if (const Status ok = build(frame, overlays); !ok) return ok.error();
        SceneDesc look = scene_;
        if (environment) look.render.environment = *environment, look.directory.clear();
        const SceneFrame now{frame.position, frame.colliders};
        RenderView view = drawn_->view(now, static_cast<double>(width) / height);
        if (camera)
            view = {{camera->eye[0], camera->eye[1], camera->eye[2]},
                    {camera->target[0], camera->target[1], camera->target[2]},
                    camera->fov_deg};
        return DrawingThread::instance().draw(
            width, height, look, [&](Renderer& renderer) { return renderer.draw(drawn_->update(now, *pool_), view); });
    }

    /// Where cloths came or went, or other overlays are wanted. Floor and camera follow from the start of the cloths.
    Status build(const WorldFrame& frame, const Overlays& overlays) {
        if (drawn_ && frame.cloths == cloths_ && overlays == overlays_) return Done{};
        drawn_.reset();
        scene_ = frame.scene;
        scene_.camera = camera_, scene_.render = render_, scene_.directory = directory_;
        scene_.solver = ExplicitSettings{}; // nothing is stepped: the one that takes no time to make
        if (!pool_) pool_ = std::make_shared<ThreadPool>(0);
        const Result<Simulation> start = Simulation::make(scene_, pool_);
        if (!start) return start.error();
        constexpr int kTriangles = 50000; // as many as a picture of the command line program may have
        Result<DrawnScene> drawn = DrawnScene::make(scene_, start->shared_model(),
                                                    {start->state().position, frame.colliders}, kTriangles, overlays);
        if (!drawn) return drawn.error();
        drawn_ = std::make_unique<DrawnScene>(std::move(*drawn));
        cloths_ = frame.cloths;
        overlays_ = overlays;
        return Done{};
    }

    static py::array_t<std::uint8_t> to_array(const Image8& image) {
        py::array_t<std::uint8_t> out({image.height, image.width, 4});
        std::uint8_t* to = out.mutable_data();
        for (std::size_t pixel = 0; pixel < image.rgb.size() / 3; ++pixel) {
            std::copy_n(&image.rgb[3 * pixel], 3, to + 4 * pixel);
            to[4 * pixel + 3] = 255;
        }
        return out;
    }

    std::optional<CameraDesc> camera_;
    RenderDesc render_;
    std::filesystem::path directory_;
    std::mutex mutex_;
    std::vector<std::uint64_t> cloths_;
    Overlays overlays_;
    SceneDesc scene_;
    std::shared_ptr<ThreadPool> pool_;
    std::unique_ptr<DrawnScene> drawn_;
};

} // namespace

void bind_pictures(py::module_& module) {
    module.def("overlays", &overlay_names);
    py::class_<Picture>(module, "Picture", "Pictures of one world.")
        .def(py::init<const LoadedScene*>(), py::arg("scene"))
        .def(
            "draw",
            [](Picture& picture, selvage_world world, int width, int height, const std::optional<Triple>& eye,
               const std::optional<Triple>& target, double fov_deg, const std::optional<std::string>& environment,
               const std::vector<std::string>& show) {
                std::optional<Camera> camera;
                if (eye && target) camera = Camera{*eye, *target, fov_deg};
                return picture.draw(world, width, height, camera, environment, show);
            },
            py::arg("world"), py::arg("width"), py::arg("height"), py::arg("eye"), py::arg("target"),
            py::arg("fov_deg"), py::arg("environment"), py::arg("show"));
}

} // namespace selvage::python
