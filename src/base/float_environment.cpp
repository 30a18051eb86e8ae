#include "base/float_environment.h"

namespace selvage {

// In a file of their own: the compiler cannot move arithmetic across a call whose body it does not see.

FloatEnvironment::FloatEnvironment() : before_(float_control()) {
    if (!is_plain(before_)) set_float_control(kPlainFloatControl);
}

FloatEnvironment::~FloatEnvironment() {
    set_float_control(before_);
}

} // namespace selvage
