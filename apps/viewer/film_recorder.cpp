#include "film_recorder.h"

#include <algorithm>

#include "base/concat.h"

namespace selvage {

Status FilmRecorder::add(const Image8& image, double time) {
    if (!film_) {
        Result<FilmWriter> made = FilmWriter::make(path_, image.width, image.height, kRate);
        if (!made) return made.error();
        film_.emplace(std::move(*made));
        width_ = image.width, height_ = image.height;
        last_ = time;
        owed_ = 1.0;
    }
    if (image.width != width_ || image.height != height_) return Done{};
    // Time may jump back when the user scrubs or restarts: the film just goes on.
    owed_ += std::clamp(time - last_, 0.0, 0.5) * kRate;
    last_ = time;
    for (; owed_ >= 1.0; owed_ -= 1.0, ++frames_)
        if (const Status ok = film_->add(image); !ok) return ok;
    return Done{};
}

Status FilmRecorder::finish() {
    if (!film_ || frames_ == 0)
        return Error{"no picture was drawn while filming; nothing written", path_.string(), ErrorKind::work};
    return film_->finish();
}

} // namespace selvage
