// Sewing patterns as files hold them. SELVAGE_FUZZ_FILE names the format: "fuzz.json" or "fuzz.svg". What is read keeps
// to the rules of patterns, and written and read again it is the same text.

#include <cstdlib>
#include <string_view>

#include "garment/pattern_json.h"
#include "garment/pattern_svg.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace selvage;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Result<Pattern> pattern = std::string_view(SELVAGE_FUZZ_FILE).ends_with(".svg")
                                        ? parse_svg_pattern(text, SELVAGE_FUZZ_FILE)
                                        : parse_pattern(text, SELVAGE_FUZZ_FILE);
    if (!pattern) {
        if (pattern.error().message.empty()) std::abort(); // refused without a word
        return 0;
    }
    if (!check_pattern(*pattern)) std::abort();
    if (svg_text(*pattern).empty()) std::abort();
    const std::string written = pattern_text(*pattern);
    const Result<Pattern> copy = parse_pattern(written, "again.json");
    if (!copy || pattern_text(*copy) != written) std::abort();
    return 0;
}
