#include "base/suggest.h"

#include <algorithm>

namespace selvage {

namespace {

/// Letters inserted, dropped, replaced or swapped with their neighbour (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    // One slip in a short word, one in three letters of a longer one; and a word begun or drawn out too far.
    std::size_t best_distance = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
    for (const std::string& candidate : known) {
        const bool prefix = word.size() > 2 && (candidate.starts_with(word) || word.starts_with(candidate));
        const std::size_t distance = prefix ? 1 : edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += separator;
        text += words[i];
    }
    return text;
}

} // namespace selvage
