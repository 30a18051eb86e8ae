#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace selvage {

/// The known word nearest to `word` by edit distance, or "" when none is near enough to be a slip of the keyboard.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

/// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

} // namespace selvage
