// api_fuzz [CALLS [SEED]]: calls the C interface at random; exits 1 when a promise is broken.

#include "api/api_fuzz.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    const int calls = argc > 1 ? std::atoi(argv[1]) : 1000000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    selvage_test::ApiFuzz fuzz(seed);
    const std::string broken = fuzz.run(calls);
    std::printf("%d calls, %d steps, seed %llu: %s\n", calls, fuzz.steps(), static_cast<unsigned long long>(seed),
                broken.empty() ? "nothing found" : broken.c_str());
    return broken.empty() ? 0 : 1;
}
