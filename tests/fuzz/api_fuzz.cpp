// The C interface by sequences of calls: the bytes choose the calls and their arguments.

#include <cstdio>
#include <cstdlib>

#include "api/api_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    selvage_test::ApiFuzz fuzz({data, size});
    const std::string broken = fuzz.run_all();
    if (broken.empty()) return 0;
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
}
