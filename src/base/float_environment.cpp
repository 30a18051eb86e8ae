#include "base/float_environment.h"

#include <cfenv>

namespace selvage {

// In a file of their own: the compiler cannot move arithmetic across a call whose body it does not see.

FloatEnvironment::FloatEnvironment() : before_(float_control()), rounding_(std::fegetround()) {
    if (rounding_ != FE_TONEAREST) std::fesetround(FE_TONEAREST);
    if (!is_plain(float_control())) set_float_control(kPlainFloatControl);
}

FloatEnvironment::~FloatEnvironment() {
    if (rounding_ != FE_TONEAREST) std::fesetround(rounding_);
    set_float_control(before_);
}

} // namespace selvage
