// One turn of the loop: events, the newest state, a request for a picture of it, panels over the newest picture.
// Three threads: this one, the simulation's and the one that draws. Nobody waits for another: each takes the newest
// that the one before it has to offer.
#include "viewer.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "panels.h"
#include "random_input.h"
#include "render/image_file.h"
#include "status_file.h"
#include "viewer_state.h"

namespace selvage {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kStillFor = 0.6;    // [s] without change before an expensive picture is worth its time
constexpr double kFastEnough = 45.0; // [ms] of a fabric picture that may be drawn all the time
constexpr double kPictureEvery = 1.0 / 30.0, kPictureEveryWhenSlow = 1.0 / 12.0; // [s] where the CPU draws
constexpr std::size_t kMostLatencies = 240;
constexpr double kSlowestPanels = 0.1; // [s] between two redraws of the panels when nothing happens

bool draws_on_cpu(const std::string& device) {
    return device.find("llvmpipe") != std::string::npos || device.find("softpipe") != std::string::npos ||
           device.find("SwiftShader") != std::string::npos;
}

bool same_view(const RenderView& a, const RenderView& b) {
    return a.eye == b.eye && a.target == b.target && a.fov_deg == b.fov_deg;
}

class Viewer {
public:
    Viewer(const ViewerOptions& options, Window& window, std::unique_ptr<Session> session)
        : options_(options), window_(window), sim_(std::move(session)),
          draw_([&window](bool current) { window.make_drawing_current(current); }, [] { Window::wake(); }),
          state_(window, sim_, draw_), status_(options.status), random_(options.random_seed, options.scene) {
        if (options.style == "fabric") state_.choices.style = StyleChoice::fabric;
        if (options.style == "quick") state_.choices.style = StyleChoice::quick;
        connect();
    }

    Status run();

private:
    void connect();
    void take_snapshot();
    void take_picture();
    void request_picture();
    bool is_picture_due() const;
    DrawStyle style() const;
    void show();
    void measure_latency();
    void make_up_input();

    const ViewerOptions& options_;
    Window& window_;
    SimThread sim_;
    DrawThread draw_;
    ViewerState state_;
    StatusFile status_;
    RandomInput random_;
    int random_done_ = 0;
    std::shared_ptr<const Picture> picture_; // the one shown; goes back to draw_, which must outlive it
    std::uint64_t message_seen_ = 0;
    DrawRequest requested_;
    Clock::time_point last_change_ = Clock::now(), last_shown_{}, last_tick_ = Clock::now(), last_request_{};
    Clock::time_point input_shown_{}, input_measured_{};
    int busy_turns_ = 3; // panels settle over a few turns after an event
    Status failed_ = Done{};
};

void Viewer::connect() {
    // The panels see every event too; what is over them is theirs.
    window_.events.moved = [this](double x, double y) {
        state_.on_move(x, y);
        busy_turns_ = 3;
    };
    window_.events.button = [this](int button, bool down, int mods) {
        state_.on_button(button, down, mods);
        busy_turns_ = 3;
    };
    window_.events.scrolled = [this](double amount) {
        state_.on_scroll(amount);
        busy_turns_ = 3;
    };
    window_.events.key = [this](int key, bool down, int mods) {
        if (!panels_want_keys()) state_.on_key(key, down, mods);
        busy_turns_ = 3;
    };
    window_.events.dropped = [this](const std::vector<std::string>& paths) {
        state_.on_drop(paths);
        busy_turns_ = 3;
    };
}

void Viewer::take_snapshot() {
    state_.snapshot = sim_.snapshot();
    const Snapshot& snapshot = *state_.snapshot;
    if (snapshot.view_number != state_.view_number) {
        state_.view_number = snapshot.view_number;
        state_.frame_all();
        window_.set_title("Selvage: " + snapshot.scene->name);
    }
    if (snapshot.message_number != message_seen_) {
        message_seen_ = snapshot.message_number;
        state_.say(snapshot.message, snapshot.message_is_error);
    }
    if (const std::string error = draw_.take_error(); !error.empty()) state_.say(error, true);
    if (const std::string news = draw_.take_news(); !news.empty()) state_.say(news);
}

DrawStyle Viewer::style() const {
    if (state_.choices.style == StyleChoice::fabric) return DrawStyle::fabric;
    if (state_.choices.style == StyleChoice::quick) return DrawStyle::quick;
    const bool fast = state_.last_fabric_ms > 0.0 ? state_.last_fabric_ms < kFastEnough : !draws_on_cpu(draw_.device());
    const bool still = Clock::now() - last_change_ > std::chrono::duration<double>(kStillFor);
    return fast || still ? DrawStyle::fabric : DrawStyle::quick;
}

/// Where there is no GPU, drawing takes time that simulating needs, and yields to it.
bool Viewer::is_picture_due() const {
    if (!draws_on_cpu(draw_.device()) || !state_.picture_wanted.empty()) return true;
    const Snapshot& snapshot = *state_.snapshot;
    const bool slow = snapshot.playing && snapshot.real_time_factor < 0.97 * snapshot.speed;
    return Clock::now() - last_request_ > std::chrono::duration<double>(slow ? kPictureEveryWhenSlow : kPictureEvery);
}

void Viewer::request_picture() {
    if (draw_.device().empty() || draw_.is_busy() || !is_picture_due()) return;
    DrawRequest wanted;
    wanted.snapshot = state_.snapshot;
    wanted.view = state_.view;
    const double scale = window_.pixel_scale() * state_.choices.picture_scale;
    wanted.width = std::max(2, static_cast<int>(std::lround(state_.picture_area().width * scale)));
    wanted.height = std::max(2, static_cast<int>(std::lround(state_.picture_area().height * scale)));
    wanted.overlays = state_.choices.overlays;
    wanted.split = state_.choices.split;
    const bool moved = !requested_.snapshot || requested_.snapshot->time != wanted.snapshot->time ||
                       requested_.snapshot->build != wanted.snapshot->build ||
                       !same_view(requested_.view, wanted.view) || requested_.width != wanted.width ||
                       requested_.height != wanted.height || !(requested_.overlays == wanted.overlays) ||
                       requested_.split != wanted.split ||
                       (requested_.snapshot->number != wanted.snapshot->number && state_.drag.kind != Drag::Kind::none);
    if (moved) last_change_ = Clock::now();
    wanted.style = style();
    if (!state_.picture_wanted.empty()) { // for a file: worth its time, unless the user thinks otherwise
        wanted.save_to = std::exchange(state_.picture_wanted, {});
        if (state_.choices.style == StyleChoice::automatic) wanted.style = DrawStyle::fabric;
    } else if (!moved && requested_.style == wanted.style)
        return;
    requested_ = wanted;
    last_request_ = Clock::now();
    draw_.post(std::move(wanted));
}

void Viewer::take_picture() {
    std::shared_ptr<const Picture> picture = draw_.picture();
    if (picture == picture_) return;
    picture_ = std::move(picture);
    (picture_->style == DrawStyle::fabric ? state_.last_fabric_ms : state_.last_quick_ms) = picture_->ms;
    input_shown_ = picture_->input_at;
    busy_turns_ = std::max(busy_turns_, 1);
}

void Viewer::show() {
    const Stopwatch clock;
    window_.start_frame();
    draw_panels(state_);
    Image8 copy;
    const Rectangle area = state_.picture_area();
    window_.finish_frame(picture_ ? picture_->image.get() : nullptr, {area.x, area.y, area.width, area.height},
                         state_.screenshot_of_window ? &copy : nullptr);
    last_shown_ = Clock::now();
    state_.window_ms = clock.ms();
    measure_latency();
    if (state_.screenshot_of_window) {
        state_.screenshot_of_window = false;
        const std::string path = state_.next_file("window", ".png");
        const Status ok = write_png(path, copy);
        state_.say(ok ? "wrote " + path : ok.error().text(), !ok);
    }
    if (const Status ok = window_.check(); !ok && failed_) failed_ = ok;
}

/// Each move of the mouse counts once, when the first picture that has followed it is on the screen.
void Viewer::measure_latency() {
    if (input_shown_ == input_measured_) return;
    input_measured_ = input_shown_;
    std::vector<double>& list = state_.latencies_ms;
    if (list.size() >= kMostLatencies) list.erase(list.begin());
    list.push_back(std::chrono::duration<double, std::milli>(last_shown_ - input_shown_).count());
}

void Viewer::make_up_input() {
    constexpr int kPerTurn = 25;
    for (int i = 0; i < kPerTurn && random_done_ < options_.random_events; ++i, ++random_done_)
        random_.act(state_);
    sim_.wait(); // events must not outrun what they ask for
    busy_turns_ = 1;
    if (random_done_ >= options_.random_events) window_.close();
}

Status Viewer::run() {
    if (options_.paused) sim_.post([](Session& s) { s.set_playing(false); });
    if (!options_.resume.empty()) sim_.post([path = options_.resume](Session& s) { s.open(path); });
    while (!window_.should_close()) {
        window_.wait_events(busy_turns_ > 0 || options_.random_events > 0 ? 0.0 : 1.0 / 120.0);
        const auto now = Clock::now();
        state_.tick(std::chrono::duration<double>(now - last_tick_).count());
        last_tick_ = now;
        if (options_.random_events > 0) make_up_input();
        take_snapshot();
        request_picture();
        take_picture();
        if (busy_turns_ > 0 || now - last_shown_ > std::chrono::duration<double>(kSlowestPanels)) {
            busy_turns_ = std::max(0, busy_turns_ - 1);
            show();
        }
        status_.update(state_);
    }
    sim_.wait();
    take_snapshot();
    for (const Vec3& p : state_.snapshot->position)
        if (!is_finite(p)) return Error{"the cloth is not finite any more", "view", ErrorKind::work};
    return failed_;
}

} // namespace

Status run_viewer(const ViewerOptions& options) {
    // A simulation on all cores would wait, at each of its barriers, for the one that draws.
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = options.threads > 0 ? options.threads : std::max(1, cores - 1);
    Result<std::unique_ptr<Session>> session = Session::make(options.scene, threads, options.device);
    if (!session) return session.error();
    Result<std::unique_ptr<Window>> window =
        Window::make(options.width, options.height, "Selvage: " + options.scene.name);
    if (!window) return window.error();
    Viewer viewer(options, **window, std::move(*session));
    return viewer.run();
}

} // namespace selvage
