#pragma once

namespace selvage {

/// How much work a method does, where it chooses by itself; "low", "default" and "high" in scene files.
enum class Quality { low, standard, high };

} // namespace selvage
